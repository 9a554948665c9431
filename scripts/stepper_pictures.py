"""
Take the pictures of the stepper that README shows, in a real browser: one that stands still, one that moves.

Run it after a change of the stepper: `python -m scripts.stepper_pictures`. It needs Chromium.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

import ttr_analysis as ttr
from tests.browser.lab import open_browser

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

    from ttr_analysis.records.record import GameRecord

STILL, MOVING = (Path(__file__).parents[1] / "docs" / "images" / name for name in ("stepper.png", "stepper.webp"))
STILL_WINDOW: ViewportSize = {"width": 1300, "height": 1130}
MOVING_WINDOW: ViewportSize = {"width": 1000, "height": 750}
STEP_MS, LAST_MS = 500, 4_000
"""How long each picture of the one that moves is shown."""
N_COLORS = 128
MAX_BYTES = 800_000


def a_game() -> GameRecord:
    """Return the game that is shown: three planners on the Nordic map."""
    game = ttr.Game(ttr.load_map("nordic"), n_players=3)
    return game.play([ttr.policies.Planner() for _ in range(3)], seed=3)


def shot(page: Page, step: int) -> Image.Image:
    """Return the window at a step of the game."""
    page.goto(f"{page.url.partition('#')[0]}#{step}")
    page.reload()  # another place on the same page loads nothing
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def main() -> int:
    """Take both pictures; return 1 if one of them is too large for a repository."""
    record = a_game()
    owners = [len(state.owners) for state in record.states()]
    claims = [step for step in range(1, len(owners)) if owners[step] > owners[step - 1]]
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        path = Path(folder, "game.html")
        ttr.widgets.GameStepper(record).to_html(path)
        page = browser.new_page(viewport=STILL_WINDOW)
        page.goto(path.as_uri())
        still = shot(page, claims[len(claims) // 2])
        page.set_viewport_size(MOVING_WINDOW)
        moving = [shot(page, step) for step in (*claims[1::2], len(owners) - 1)]

    # With the same few colors in all pictures, what has not changed need not be kept again.
    palette = still.quantize(N_COLORS, dither=Image.Dither.NONE)
    palette.save(STILL, optimize=True)
    first, *others = (picture.quantize(palette=palette, dither=Image.Dither.NONE).convert("RGB") for picture in moving)
    times = [STEP_MS] * len(others) + [LAST_MS]
    first.save(MOVING, save_all=True, append_images=others, duration=times, loop=0, lossless=True, quality=50, method=3)
    sizes = {path.name: path.stat().st_size for path in (STILL, MOVING)}
    print(*(f"{name}: {size:,} bytes" for name, size in sizes.items()), sep="\n")
    return int(max(sizes.values()) > MAX_BYTES)


if __name__ == "__main__":
    sys.exit(main())
