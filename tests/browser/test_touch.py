"""The page of `ttr-analysis play` on a phone: fingers zoom the board, claim routes, and see all that matters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.board import owners
from tests.browser.lab import opened
from tests.serving import served

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

WIDTH, HEIGHT = 390, 800
OUT_OF_SIGHT = """() => ['.ttr-t-turn', '.ttr-side .ttr-hand', '.ttr-rest .ttr-seat', '.ttr-board']
  .flatMap(selector => [...document.querySelectorAll(selector)])
  .filter(part => { const {top, bottom} = part.getBoundingClientRect(); return top < 0 || bottom > innerHeight; })
  .map(part => part.className.baseVal ?? part.className)"""
# A point beside the middle of a route that can be claimed, which no other is nearer to.
BESIDE = """away => {
  const hits = [...document.querySelectorAll('.ttr-route .ttr-hit')];
  const along = hit => Array.from({length: 13}, (_, k) => {
    const {x, y} = hit.getPointAtLength(k * hit.getTotalLength() / 12).matrixTransform(hit.getScreenCTM());
    return [x, y];
  });
  const lines = hits.map(along);
  const off = ([x, y], line) => Math.min(...line.map(([u, v]) => Math.hypot(x - u, y - v)));
  for (const [k, hit] of hits.entries()) {
    if (!hit.parentNode.matches('.is-open')) continue;
    for (let turn = 0; turn < 6.28; turn += 0.3) {
      const [x, y] = lines[k][6];
      const at = [x + away * Math.cos(turn), y + away * Math.sin(turn)];
      const isMiss = !document.elementFromPoint(...at)?.closest('.is-choosable');
      if (isMiss && lines.every((line, j) => j === k || off(at, line) > off(at, lines[k]) + 1)) {
        return [hit.parentNode.dataset.route, ...at];
      }
    }
  }
}"""


@contextmanager
def phone(browser: Browser, folder: Path, *options: str) -> Iterator[Page]:
    """Open a table as a phone does, and see afterwards that nothing went wrong."""
    look: Any = {
        "viewport": {"width": WIDTH, "height": HEIGHT},
        "has_touch": True,
        "is_mobile": True,
        "reduced_motion": "reduce",
    }
    with (
        served("nordic", *options, "--seed", "7", folder=folder) as table,
        opened(browser, table.address, **look) as page,
    ):
        expect(page.locator(".ttr-t-turn")).to_contain_text("Your turn: choose your opening tickets")
        yield page


def wait(page: Page) -> None:
    """Wait until the person decides."""
    expect(page.locator(".ttr-t-turn:not(.ttr-t-busy)")).to_contain_text("Your turn")


def view(page: Page) -> list[float]:
    """Return what is seen of the board: left, top, width and height."""
    return [float(number) for number in (page.locator(".ttr-board").get_attribute("viewBox") or "").split()]


def drag(page: Page, *fingers: tuple[tuple[float, float], tuple[float, float]]) -> None:
    """Let fingers move over the page, each from a point to another."""
    session = page.context.new_cdp_session(page)
    for kind, k in (("touchStart", 0), ("touchMove", 1)):
        points = [{"x": finger[k][0], "y": finger[k][1]} for finger in fingers]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.usefixtures("axe_installed")
@pytest.mark.parametrize("seats", ["Ida,Greedy", "Planner,Ida,Greedy"])
def test_a_route_is_claimed_by_three_taps_at_most(browser: Browser, tmp_path: Path, seats: str) -> None:
    with phone(browser, tmp_path, "--seats", seats) as page:
        assert page.evaluate(OUT_OF_SIGHT) == []
        page.locator(".ttr-t-keep input").first.tap()
        assert page.locator(".ttr-ticket:visible").count() == 1  # shown on the board at once
        for box in page.locator(".ttr-t-keep input").all()[1:]:
            box.tap()
        page.get_by_role("button", name="Keep these").tap()
        for _ in range(6):
            wait(page)
            page.get_by_role("button", name="Draw a card").tap()
        wait(page)
        assert page.evaluate(OUT_OF_SIGHT) == []
        assert page.evaluate("document.documentElement.scrollWidth") == WIDTH

        route, x, y = page.evaluate(BESIDE, 15)
        page.touchscreen.tap(x, y)
        spot = page.locator(".ttr-t-spot")
        expect(spot).to_be_visible()
        assert axe.findings(page, ".ttr-play") == []
        form, board = spot.bounding_box(), page.locator(".ttr-place").bounding_box()
        assert form
        assert board
        assert form["x"] >= board["x"] - 1
        assert form["x"] + form["width"] <= board["x"] + board["width"] + 1
        spot.locator(".ttr-t-payment").first.tap()
        wait(page)
        if spot.is_visible():  # a tunnel that takes more
            spot.locator("button").first.tap()
            wait(page)
        else:
            assert route in owners(page.locator(".ttr-play"))
        assert page.evaluate(OUT_OF_SIGHT) == []


def test_fingers_zoom_the_board(browser: Browser, tmp_path: Path) -> None:
    with phone(browser, tmp_path) as page:
        whole = view(page)
        page.evaluate("scrollTo(0, 0)")
        box = page.locator(".ttr-board").bounding_box()
        assert box
        x, y = box["x"] + 0.3 * box["width"], box["y"] + 0.15 * box["height"]  # the sea

        for _ in range(2):
            page.touchscreen.tap(x, y)
        assert view(page)[2] == pytest.approx(whole[2] / 3)
        left = view(page)[0]
        drag(page, ((x, y), (x - 40, y)))
        assert view(page)[0] > left
        assert page.locator(".ttr-t-spot").is_hidden()
        page.get_by_role("button", name="Whole board").tap()
        assert view(page) == whole

        drag(page, ((x, y), (x - 15, y)), ((x + 30, y), (x + 45, y)))
        assert view(page)[2] == pytest.approx(whole[2] / 2)


@pytest.mark.parametrize("practice", [[], ["--practice"]])  # with more buttons, it is at the left
def test_the_form_of_a_new_game_is_on_the_screen(browser: Browser, tmp_path: Path, practice: list[str]) -> None:
    with phone(browser, tmp_path, *practice) as page:
        page.get_by_text("New game", exact=True).tap()
        box = page.locator(".ttr-t-new .ttr-panel").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= WIDTH
