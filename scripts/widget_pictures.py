"""
Take a picture of every widget on every map, in JupyterLab, to be looked at: wide and narrow, light and dark.

`python scripts/widget_pictures.py [folder] [widget ...]`; without a folder they go to `build/widgets`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.lab import DARK, LIGHT, Lab, open_browser, open_lab
from tests.browser.samples import MAPS, WIDGETS, cell

if TYPE_CHECKING:
    from playwright.sync_api import Locator

FOLDER = Path("build/widgets")
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
    with tempfile.TemporaryDirectory() as place, open_browser() as browser, open_lab(browser, Path(place)) as lab:
        lab.page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
        for name in wanted or WIDGETS:
            for game_map in MAPS:
                take_pictures(lab, folder, f"{name}-{game_map}", lab.show(cell(name, game_map)))
                print(f"{name} on {game_map}", flush=True)
    for fault in lab.watch.faults:
        print(f"! {fault}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]), *sys.argv[2:])
