"""
Take the pictures of the stepper and a review for the README and the site in a real browser: two stills, one animation.

Run it after a change of either: `python -m scripts.stepper_pictures [stepper] [review]`. It needs Chromium.
"""

from __future__ import annotations

import io
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

import ttr_analysis as ttr
from tests.browser.lab import open_browser
from ttr_analysis.report.played import write_review

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

    from ttr_analysis.records.record import GameRecord

IMAGES = Path(__file__).parents[1] / "docs" / "images"
STILL, MOVING, REVIEW = (IMAGES / name for name in ("stepper.png", "stepper.webp", "review.png"))
REVIEW_WINDOW: ViewportSize = {"width": 1100, "height": 1180}
STILL_WINDOW: ViewportSize = {"width": 1300, "height": 1130}
MOVING_WINDOW: ViewportSize = {"width": 1000, "height": 812}
MOVING_SCALE = 0.8
STEP_MS, LAST_MS = 500, 4_000
"""How long each frame of the animation is shown, and the last one."""
N_COLORS = 128
MAX_BYTES = 600_000


def a_game(n_players: int, seed: int) -> GameRecord:
    """Return a game of planners with names on the Nordic map."""
    game = ttr.Game(ttr.load_map("nordic"), n_players=n_players)
    record = game.play(["Planner"] * n_players, seed=seed)
    return replace(record, header=replace(record.header, players=("Ida", "Bo", "Eva")[:n_players]))


def take_review(browser: Browser, folder: Path) -> None:
    """Take the top of a review page, down to the boards of its first moment."""
    path = folder / "review.html"
    write_review(ttr.studies.review(a_game(2, seed=7)), path)
    page = browser.new_page(viewport=REVIEW_WINDOW)
    page.goto(path.as_uri())
    review = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    review.quantize(N_COLORS, dither=Image.Dither.NONE).save(REVIEW, optimize=True)


def take_stepper(browser: Browser, folder: Path) -> None:
    """Take the stepper once as a whole, and claim by claim."""
    record = a_game(3, seed=3)
    owners = [len(state.owners) for state in record.states()]
    claims = [step for step in range(1, len(owners)) if owners[step] > owners[step - 1]]
    path = folder / "game.html"
    ttr.widgets.GameStepper(record).to_html(path)
    page = browser.new_page(viewport=STILL_WINDOW)
    page.goto(path.as_uri())
    still = shot(page, claims[len(claims) // 2])
    page = browser.new_page(viewport=MOVING_WINDOW, device_scale_factor=MOVING_SCALE)
    page.goto(path.as_uri())
    moving = [shot(page, step) for step in (*claims[2::3], len(owners) - 1)]

    # With the same few colors in all frames, parts that do not change are not stored again.
    palette = still.quantize(N_COLORS, dither=Image.Dither.NONE)
    palette.save(STILL, optimize=True)
    first, *others = (picture.quantize(palette=palette, dither=Image.Dither.NONE).convert("RGB") for picture in moving)
    times = [STEP_MS] * len(others) + [LAST_MS]
    first.save(MOVING, save_all=True, append_images=others, duration=times, loop=0, lossless=True, quality=50, method=3)


def shot(page: Page, step: int) -> Image.Image:
    """Return the window at a step of the game."""
    page.goto(f"{page.url.partition('#')[0]}#{step}")
    page.reload()  # another place on the same page loads nothing
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def main() -> int:
    """Take the pictures of "stepper" or "review", or both; return 1 if one is too large for a repository."""
    takes = {"stepper": take_stepper, "review": take_review}
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        for name in sys.argv[1:] or takes:
            takes[name](browser, Path(folder))
    sizes = {path.name: path.stat().st_size for path in (STILL, MOVING, REVIEW)}
    print(*(f"{name}: {size:,} bytes" for name, size in sizes.items()), sep="\n")
    return int(max(sizes.values()) > MAX_BYTES)


if __name__ == "__main__":
    sys.exit(main())
