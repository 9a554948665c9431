"""
Take pictures of every widget on every map in JupyterLab, for review by eye: wide and narrow, light and dark.

`python scripts/widget_pictures.py [folder] [widget ...]`; the default folder is `build/widgets`.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.lab import DARK, LIGHT, Lab, open_browser, open_lab
from tests.browser.samples import MAPS, cell_on
from tests.fixtures import INVENTED

if TYPE_CHECKING:
    from playwright.sync_api import Locator

FOLDER = Path("build/widgets")

# What each widget shows: more than its first moment.
SHOWN = {
    "stepper": "ttr.widgets.GameStepper(record, step=len(record.steps) * 2 // 3)",
    "end": "ttr.widgets.GameStepper(record, step=-1)",
    "seat": "ttr.widgets.GameStepper(record, seat=1, step=len(record.steps) // 2)",
    "odds": "ttr.widgets.TunnelOdds(game_map)",
    "costs": "ttr.widgets.RouteCosts(game_map)",
    "explorer": """explorer = ttr.widgets.TicketExplorer(game_map, game_map.tickets[3:6])
explorer.closed = explorer.answer["routes"][:1]
explorer.find_losses()
explorer""",
    "table": """table = ttr.widgets.GameTable(game_map, n_players=3, seed=7)
for _ in range(9):
    can = table.now["options"]
    claims = [payment["line"] for claim in can["claims"].values() for payment in claim["payments"]]
    keep = can["keep"] and f"keep {', '.join(can['keep']['offer'])}"
    pays = [payment["line"] for payment in can["pays"]]
    table.play(next(filter(None, [keep, *claims[:1], can["draw"], *pays, *[move["line"] for move in can["moves"]]])))
table""",
    "recorder": """from ttr_analysis.notation import record_lines
header = record.header
recorder = ttr.widgets.GameRecorder(game_map, header.n_players, header.variant or None)
for line in record_lines(record)[:40]:
    recorder.enter(line)
recorder""",
}
SIZES = {1300: 1500, 800: 2600}
"""Heights of the window by its width: a widget must fit in, or its picture is cut off."""
THEMES = {"light": LIGHT, "dark": DARK}


def take_pictures(lab: Lab, folder: Path, name: str, widget: Locator) -> None:
    """Take the pictures of a widget that is shown."""
    for theme, full_name in THEMES.items():
        lab.use_theme(full_name)
        for width, height in SIZES.items():
            lab.page.set_viewport_size({"width": width, "height": height})
            lab.page.wait_for_timeout(150)  # until everything is in place
            widget.screenshot(path=folder / f"{name}-{width}-{theme}.png")


def main(folder: Path = FOLDER, *wanted: str) -> None:
    """Take pictures of all widgets, or of those named."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, open_browser() as browser, open_lab(browser, Path(home)) as lab:
        lab.page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
        for name in wanted or SHOWN:
            for game_map, record in MAPS.items():
                place = str(INVENTED) if game_map == "invented" else game_map
                widget = lab.show(cell_on(SHOWN[name], place, record))
                take_pictures(lab, folder, f"{name}-{game_map}", widget)
                print(f"{name} on {game_map}", flush=True)
    for fault in lab.watch.faults:
        print(f"! {fault}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("widgets", nargs="*", metavar="widget", help=", ".join(SHOWN))
    parsed = parser.parse_args()
    main(parsed.folder, *parsed.widgets)
