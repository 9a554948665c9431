"""The page of `ttr-analysis train`: answers by mouse, keys and touch; missed puzzles come back, results are kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.lab import opened
from tests.serving import served
from ttr_analysis.engine.actions import ClaimRoute, DrawCard, DrawFaceUp, DrawTickets, KeepTickets
from ttr_analysis.studies import Puzzle, load_puzzles
from ttr_analysis.widgets.trainer import Trainer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

DESK: Any = {"viewport": {"width": 1300, "height": 900}}
PHONE: Any = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
VERDICT = ".ttr-verdict:not([hidden])"


@contextmanager
def training(browser: Browser, folder: Path, look: Any) -> Iterator[Page]:  # noqa: ANN401 - as Playwright has it
    """Open the page, and see afterwards that nothing went wrong."""
    with (
        served("--map", "europe", command="train", folder=folder) as table,
        opened(browser, table.address, reduced_motion="reduce", **look) as page,
    ):
        expect(page.locator(".ttr-board")).to_be_visible()
        yield page


class Hand:
    """Who answers: by mouse or touch, or by keys alone."""

    def __init__(self, page: Page, how: str) -> None:
        self._page = page
        self._how = how

    def press(self, selector: str) -> None:
        """Choose something on the page."""
        place = self._page.locator(selector).first
        if self._how == "keys":
            place.focus()
            self._page.keyboard.press("Enter" if place.evaluate("one => one.tagName") != "INPUT" else "Space")
        elif self._how == "touch":
            place.tap(force=True)
        else:
            place.click(force=True)

    def answer(self, puzzle: Puzzle, *, is_right: bool) -> None:
        """Make the best move, or another one."""
        action = next(one for one in puzzle.actions if (puzzle.find(one) == 0) == is_right)
        match action:
            case KeepTickets(tickets):
                for ticket in tickets:
                    self.press(f'.ttr-t-keep input[value="{ticket.id}"]')  # type: ignore[union-attr] # the seat's own
                self.press(".ttr-t-keep .ttr-main")
            case DrawCard():
                self.press(".ttr-piles button:has-text('Draw a card')")
            case DrawTickets():
                self.press(".ttr-piles button:has-text('Draw tickets')")
            case DrawFaceUp(slot):
                self.press(f".ttr-market button >> nth={slot}")
            case ClaimRoute(route, _):
                self.press(f'.ttr-route[data-route="{route.id}"]')
                self.press(".ttr-t-payment")
            case _:
                line = puzzle.table["move"].iloc[puzzle.actions.index(action)]
                self.press(f'[data-line="{line}"]')


@pytest.mark.parametrize(("look", "how", "n"), [(DESK, "mouse", 10), (DESK, "keys", 4), (PHONE, "touch", 4)])
def test_puzzles_are_answered(browser: Browser, tmp_path: Path, look: Any, how: str, n: int) -> None:  # noqa: ANN401
    twin = Trainer(load_puzzles("europe"))
    with training(browser, tmp_path, look) as page:
        hand, n_wrong = Hand(page, how), 0
        for number in range(n):
            puzzle, is_right = twin.puzzle, number % 4 != 1
            n_wrong += not is_right
            hand.answer(puzzle, is_right=is_right)
            expect(page.locator(VERDICT)).to_contain_text("That is the best" if is_right else "Not the best move")
            expect(page.locator(VERDICT)).to_contain_text("% to win")
            expect(page.locator(f"{VERDICT} .ttr-main")).to_be_focused()
            assert page.locator(f"{VERDICT} .ttr-main").evaluate(
                "one => one.getBoundingClientRect().bottom < innerHeight"
            )
            assert page.evaluate("document.documentElement.scrollWidth") == look["viewport"]["width"]
            twin.answer(str(puzzle.table["move"].iloc[0 if is_right else _first_wrong(puzzle)]))
            expect(page.locator(".ttr-v-tally")).to_have_text(twin.tally)
            twin.next()
            page.keyboard.press("Enter") if how == "keys" else hand.press(f"{VERDICT} .ttr-main")
            expect(page.locator(VERDICT)).to_have_count(0)
        assert n_wrong == (n + 2) // 4
        tally = twin.tally
    if how == "keys":  # is shown as it was left, those that were missed first
        with training(browser, tmp_path, look) as page:
            expect(page.locator(".ttr-v-tally")).to_have_text(tally)


@pytest.mark.usefixtures("axe_installed")
def test_nothing_is_hard_to_access(browser: Browser, tmp_path: Path) -> None:
    with training(browser, tmp_path, DESK) as page:
        assert axe.findings_in_both_schemes(page, ".ttr-play") == []
        Hand(page, "mouse").answer(Trainer(load_puzzles("europe")).puzzle, is_right=False)
        expect(page.locator(VERDICT)).to_be_visible()
        assert axe.findings_in_both_schemes(page, ".ttr-play") == []


def _first_wrong(puzzle: Puzzle) -> int:
    return next(row for row, one in enumerate(puzzle.actions) if puzzle.find(one) != 0)
