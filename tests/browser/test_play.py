"""Whole games in the page of `ttr-analysis play`, by clicks and by keys: nothing moves, nothing is out of sight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.board import owners
from tests.browser.lab import Watch
from tests.serving import served
from ttr_analysis import GameRecord
from ttr_analysis.widgets import GameTable

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

SIZES = ((1300, 900), (800, 1000))
MOST_ACTIONS = 3
"""Of a claim: the route, how it is paid, and what a tunnel adds."""
MOST_PAYMENTS = 5
"""That are offered at once."""

# What both players ask of the page. `see` notes where the board is and what is out of sight; `decision` waits until the
# person decides, and is null when the game is over.
LOOK = """
const root = document.querySelector('.ttr-play');
const find = selector => [...root.querySelectorAll(selector)];
const turn = () => root.querySelector('.ttr-t-turn').textContent;
const wait = async () => {
  const isReady = () => turn().startsWith('You:') || turn().includes('won') || turn().includes('over');
  while (!isReady() || root.querySelector('.ttr-t-busy')) await new Promise(done => setTimeout(done, 4));
};
const see = (seen) => {
  const {x, y, width, height} = root.querySelector('.ttr-board').getBoundingClientRect();
  const at = [x, y + scrollY, width, height].map(n => n.toFixed(2)).join(' ');
  if (!seen.boards.includes(at)) seen.boards.push(at);
  const controls = find(':is(.ttr-head, .ttr-side) :is(button, input, summary)');
  for (const control of controls.filter(one => one.checkVisibility())) {
    const {left, right, bottom} = control.getBoundingClientRect();
    const isCut = left < 0 || right > document.documentElement.clientWidth;
    if (isCut || bottom + scrollY > innerHeight) seen.hidden.push(control.textContent);
  }
  for (const other of innerWidth < 1000 ? [] : find('.ttr-rest .ttr-seat')) {
    if (other.getBoundingClientRect().bottom + scrollY > innerHeight) seen.hidden.push(other.textContent);
  }
  if (/[^ ]-[^ ]+[/][0-9]/.test(root.innerText)) seen.hidden.push('an id of a route');
  seen.widest = Math.max(seen.widest, document.documentElement.scrollWidth);
};
"""

# Plays some turns by clicks: claims the longest route that can be claimed, and else draws.
CLICKS = (
    """async ([turns, seen]) => {"""
    + LOOK
    + """
  const click = one => one.dispatchEvent(new MouseEvent('click', {bubbles: true}));
  const numbers = route => root.querySelector(`.ttr-numbers[data-route="${route.dataset.route}"]`);
  const cars = route => numbers(route).getAttribute('x').split(' ').length;
  const isDue = () => root.querySelector('.ttr-t-claim') || turn().includes('tunnel');
  const claim = async route => {
    let actions = 1;
    for (click(route); isDue() && actions < 9; actions++) {
      see(seen);
      const payments = find('.ttr-t-payment');
      seen.payments = Math.max(seen.payments, payments.length);
      click(payments[0] ?? find('.ttr-t-actions button')[0]);
      await wait();
    }
    return actions;
  };
  for (let n = 0; n < turns; n++) {
    await wait();
    see(seen);
    if (!turn().startsWith('You:')) return {...seen, over: true};
    const boxes = find('.ttr-t-keep input');
    const routes = find('.ttr-route.is-open').sort((a, b) => cars(b) - cars(a));
    const draws = find('.ttr-piles button:enabled');
    if (boxes.length) {
      boxes.forEach(click);
      click(find('.ttr-t-keep .ttr-main')[0]);
    } else if (routes.length) {
      seen.actions = Math.max(seen.actions, await claim(routes[0]));
    } else {
      click(draws[0] ?? find('.ttr-t-actions button, .ttr-market button:enabled')[0]);
    }
    await wait();
  }
  return seen;
}"""
)

# What is due, for who plays by keys; if the focus is on a route that cannot be claimed, with the arrows to the nearest
# one that can be, the best one first.
DUE = (
    """async (seen) => {"""
    + LOOK
    + """
  await wait();
  see(seen);
  const focus = document.activeElement;
  const open = find('.ttr-route.is-open');
  const middle = route => {
    const {x, y, width, height} = route.querySelector('.ttr-hit').getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };
  let arrows = [];
  if (focus.matches('.ttr-route') && open.length && !open.includes(focus)) {
    const [x, y] = middle(focus);
    const ways = open.map(middle).map(([u, v]) => [u - x, v - y]);
    const [right, down] = ways.sort((a, b) => Math.hypot(...a) - Math.hypot(...b))[0];
    const across = right > 0 ? ['ArrowRight', 'ArrowLeft'] : ['ArrowLeft', 'ArrowRight'];
    const along = down > 0 ? ['ArrowDown', 'ArrowUp'] : ['ArrowUp', 'ArrowDown'];
    const [first, second] = Math.abs(right) > Math.abs(down) ? [across, along] : [along, across];
    arrows = [first[0], second[0], second[1], first[1]];
  }
  return {
    seen,
    arrows,
    route: focus.dataset?.route ?? '',
    over: !turn().startsWith('You:'),
    open: open.length,
    on: focus.closest('.ttr-route')?.classList.contains('is-open') ? 'open route'
      : focus.matches('.ttr-route') ? 'route'
      : focus.matches('.ttr-t-keep input') ? (focus.checked ? 'checked' : 'box')
      : focus.closest('.ttr-t-actions') ? 'action'
      : focus.closest('.ttr-piles') ? (focus.nextSibling ? 'pile' : 'tickets') : '',
  };
}"""
)


def nothing_seen() -> dict[str, Any]:
    """Return what is noted of a size of the page before anything is."""
    return {"boards": [], "hidden": [], "widest": 0, "payments": 0, "actions": 0}


def set_size(page: Page, k: int) -> None:
    """Give the page one of its sizes."""
    width, height = SIZES[k]
    page.set_viewport_size({"width": width, "height": height})


def finish_by_clicks(page: Page) -> list[dict[str, Any]]:
    """Play a game to its end by clicks, and return what was seen at each size."""
    seen = [nothing_seen() for _ in SIZES]
    while True:
        for k in range(len(SIZES)):
            set_size(page, k)
            seen[k] = page.evaluate(CLICKS, [6, seen[k]])
            if seen[k].pop("over", False):
                return seen


class Keys:
    """
    A person without a mouse, who claims what is near on the board, and else draws.

    Parameters
    ----------
    page
        The page of the table.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.seen = [nothing_seen() for _ in SIZES]
        self._patience = 0
        self._n = 0
        self._visits: Counter[str] = Counter()

    def finish(self) -> list[dict[str, Any]]:
        """Play a game to its end, and return what was seen at each size."""
        k = -1
        while True:
            if k != (k := self._n // 40 % len(SIZES)):
                set_size(self.page, k)
            due = self._look(k)
            if due["over"]:
                return self.seen
            self._press(due, k)

    def _look(self, k: int) -> dict[str, Any]:
        self._n += 1
        due: dict[str, Any] = self.page.evaluate(DUE, self.seen[k])
        self.seen[k] = due.pop("seen")
        return due

    def _press(self, due: dict[str, Any], k: int) -> None:
        press = self.page.keyboard.press
        claims = due["open"] and self._patience > 0
        match due["on"]:
            case "box":
                press("Space")
            case "open route":
                self._claim(k)
            case "route" if claims:
                self._patience -= 1
                press(str(due["arrows"][self._visits[due["route"]] % 4]))  # another way, where one led back
                self._visits[due["route"]] += 1
            case "action":
                press("Enter")
            case "pile" if not claims:
                press("Enter")
                self._patience = 12
                self._visits.clear()
            case "route" | "tickets" if not claims:
                press("Shift+Tab")
            case _:
                press("Tab")

    def _claim(self, k: int) -> None:
        """Claim the route that has the focus."""
        due, actions = {"on": "action"}, 0
        while due["on"] == "action" and not due.get("over") and actions < 3 * MOST_ACTIONS:
            self.page.keyboard.press("Enter")
            actions += 1
            due = self._look(k)
        self.seen[k]["actions"] = max(self.seen[k]["actions"], actions)


def check(seen: list[dict[str, Any]]) -> None:
    """See that the board stayed where it was at each size, and everything was in sight and at hand."""
    for (width, _), noted in zip(SIZES, seen, strict=True):
        assert len(noted["boards"]) == 1
        assert noted["hidden"] == []
        assert noted["widest"] == width
        assert noted["payments"] <= MOST_PAYMENTS
        assert 2 <= noted["actions"] <= MOST_ACTIONS


def finish_by_keys(page: Page) -> list[dict[str, Any]]:
    """Play a game to its end by keys, and return what was seen at each size."""
    return Keys(page).finish()


@pytest.mark.parametrize(("game_map", "finish"), [("nordic", finish_by_clicks), ("nederland", finish_by_keys)])
def test_whole_games_are_played(
    browser: Browser, tmp_path: Path, game_map: str, finish: Callable[[Page], list[dict[str, Any]]]
) -> None:
    with served(game_map, "--seats", "Ida,Greedy", "--seed", "7", folder=tmp_path) as table:
        page = browser.new_page(reduced_motion="reduce")  # nobody watches
        watch = Watch(page)
        try:
            page.goto(table.address)
            expect(page.locator(".ttr-t-turn")).to_contain_text("You: choose your opening tickets")
            seen = finish(page)
            end = owners(page.locator(".ttr-play"))

            page.get_by_role("button", name="Step through it").press("Enter")
            stepper = page.locator(".ttr-stepper")
            expect(stepper).to_be_focused()
            page.keyboard.press("End")
            assert owners(stepper) == end

            page.locator("summary").press("Enter")
            page.get_by_role("button", name="Start").press("Enter")
            expect(page.locator(".ttr-t-turn")).to_contain_text("You: choose your opening tickets")
        finally:
            page.close()
            code, said, complaints = table.stop()

    assert (code, complaints, watch.faults) == (0, "", [])
    check(seen)
    record = GameRecord.load(tmp_path / said)
    assert record.state_at(-1).is_over
    assert {route: str(owner) for route, owner in record.state_at(-1).owners.items()} == end


@pytest.mark.parametrize("is_continued", [True, False])
def test_the_last_game_is_offered_until_one_moves(browser: Browser, tmp_path: Path, *, is_continued: bool) -> None:
    last = GameTable("nordic", ["Planner", "Greedy"], seed=7, name="Ida")
    last.play("keep all")
    (tmp_path / "games").mkdir()
    last.record.save(tmp_path / "games" / "nordic.jsonl")
    with served("nordic", folder=tmp_path) as table:
        page = browser.new_page(reduced_motion="reduce", viewport={"width": 390, "height": 800})
        watch = Watch(page)
        try:
            page.goto(table.address)
            offer, board = page.get_by_role("button", name="Continue last game"), page.locator(".ttr-board")
            before = board.bounding_box()
            if is_continued:
                offer.click()
            else:
                for box in page.locator(".ttr-t-keep input").all():
                    box.check()
                page.get_by_role("button", name="Keep these").click()
            expect(page.locator(".ttr-t-turn")).to_contain_text("You: take your turn")
            expect(offer).to_be_hidden()
            expect(page.locator(".ttr-play")).to_contain_text("Ida" if is_continued else "Person")
            assert board.bounding_box() == before
        finally:
            page.close()
            table.stop()
    assert watch.faults == []
    assert len(list((tmp_path / "games").iterdir())) == (1 if is_continued else 2)
