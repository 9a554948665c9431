"""Whole games in the page of `ttr-analysis play`, by clicks and by keys: nothing moves, nothing is out of sight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.board import click_route, owners
from tests.browser.lab import opened
from tests.fixtures import load, short
from tests.serving import served
from ttr_analysis import GameRecord
from ttr_analysis.widgets import GameTable

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

DESK = ((1300, 900), (800, 1000))
PHONE = ((390, 800),)
MOST_ACTIONS = 3
"""Of a claim: the route, how it is paid, and what a tunnel adds."""
MOST_PAYMENTS = 5
"""That are offered at once."""

# What all players ask of the page. `see` notes where the board is and what is out of sight; `wait` until the person
# decides, or the game is over.
LOOK = """
const root = document.querySelector('.ttr-play');
const find = selector => [...root.querySelectorAll(selector)];
const turn = () => root.querySelector('.ttr-t-turn').textContent;
const wait = async () => {
  const isReady = () => turn().startsWith('Your turn') || turn().includes('won') || turn().includes('over');
  while (!isReady() || root.querySelector('.ttr-t-busy')) await new Promise(done => setTimeout(done, 4));
};
const see = (seen) => {
  const {x, y, width, height} = root.querySelector('.ttr-board').getBoundingClientRect();
  const at = [x, y + scrollY, width, height].map(n => n.toFixed(2)).join(' ');
  if (!seen.boards.includes(at)) seen.boards.push(at);
  const others = innerWidth === 800 ? [] : find('.ttr-rest .ttr-seat');
  const controls = find(':is(.ttr-head, .ttr-side) :is(button, input, summary)').filter(one => one.checkVisibility());
  for (const part of [...find('.ttr-t-turn, .ttr-side .ttr-hand'), ...controls, ...others]) {
    const {left, right, bottom} = part.getBoundingClientRect();
    const isCut = left < 0 || right > document.documentElement.clientWidth;
    if (isCut || bottom + scrollY > innerHeight) seen.hidden.push(part.textContent);
  }
  if (/[^ ]-[^ ]+[/][0-9]/.test(root.innerText)) seen.hidden.push('an id of a route');
  seen.widest = Math.max(seen.widest, document.documentElement.scrollWidth);
};
"""

# Where a finger, or the mouse, goes next: it claims the longest route that can be claimed, and else draws.
NEXT = (
    """async (seen) => {"""
    + LOOK
    + """
  await wait();
  see(seen);
  if (!turn().startsWith('Your turn')) return {seen, over: true};
  const numbers = route => root.querySelector(`.ttr-numbers[data-route="${route.dataset.route}"]`);
  const cars = route => numbers(route).getAttribute('x').split(' ').length;
  const middle = one => {
    const {x, y, width, height} = one.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };
  const onTrack = route => {
    const hit = route.querySelector('.ttr-hit');
    const points = [0.5, 0.4, 0.6, 0.3, 0.7].map(share => {
      const {x, y} = hit.getPointAtLength(share * hit.getTotalLength()).matrixTransform(hit.getScreenCTM());
      return [x, y];
    });
    return points.find(at => route.contains(document.elementFromPoint(...at))) ?? points[0];
  };
  const payments = find('.ttr-t-payment');
  const routes = find('.ttr-route.is-open').sort((a, b) => cars(b) - cars(a));
  const [what, target] = [
    ['box', find('.ttr-t-keep input:not(:checked)')[0]],
    ['keep', find('.ttr-t-keep .ttr-main')[0]],
    ['pay', payments[0] ?? find('.ttr-t-spot button')[0]],
    ['route', routes[0]],
    ['draw', find('.ttr-piles button:enabled')[0]],
    ['other', find('.ttr-t-actions button, .ttr-market button:enabled')[0]],
  ].find(([, one]) => one?.checkVisibility());
  const at = what === 'route' ? onTrack(target) : middle(target);
  if (!target.contains(document.elementFromPoint(...at))) seen.hidden.push(`${what}: ${target.textContent}`);
  seen.payments = Math.max(seen.payments, payments.length);
  return {seen, what, at, over: false};
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
    over: !turn().startsWith('Your turn'),
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


def set_size(page: Page, size: tuple[int, int]) -> None:
    """Give the page one of its sizes."""
    width, height = size
    page.set_viewport_size({"width": width, "height": height})


def finish_by_mouse(page: Page) -> list[dict[str, Any]]:
    """Play a game to its end by clicks, and return what was seen at each size."""
    return _finish_by(page, page.mouse.click, DESK)


def finish_by_touch(page: Page) -> list[dict[str, Any]]:
    """Play a game to its end by taps, and return what was seen."""
    return _finish_by(page, page.touchscreen.tap, PHONE)


def _finish_by(
    page: Page, press: Callable[[float, float], None], sizes: tuple[tuple[int, int], ...]
) -> list[dict[str, Any]]:
    seen, actions = [nothing_seen() for _ in sizes], 0
    for n in count():
        k = n // 20 % len(sizes)
        if len(sizes) > 1 and n % 20 == 0:
            set_size(page, sizes[k])
        due = page.evaluate(NEXT, seen[k])
        seen[k] = due["seen"]
        if due["over"]:
            break
        actions = actions + 1 if due["what"] == "pay" else 1
        seen[k]["actions"] = max(seen[k]["actions"], actions)
        press(*due["at"])
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
        self.seen = [nothing_seen() for _ in DESK]
        self._patience = 0
        self._n = 0
        self._visits: Counter[str] = Counter()

    def finish(self) -> list[dict[str, Any]]:
        """Play a game to its end, and return what was seen at each size."""
        k = -1
        while True:
            if k != (k := self._n // 40 % len(DESK)):
                set_size(self.page, DESK[k])
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


def keep_all(page: Page) -> None:
    """Keep all opening tickets."""
    for box in page.locator(".ttr-t-keep input").all():
        box.check()
    page.get_by_role("button", name="Keep these").click()
    expect(page.locator(".ttr-t-turn")).to_have_text("Your turn")


def check(seen: list[dict[str, Any]], sizes: tuple[tuple[int, int], ...]) -> None:
    """See that the board stayed where it was at each size, and everything was in sight and at hand."""
    for (width, _), noted in zip(sizes, seen, strict=True):
        assert len(noted["boards"]) == 1
        assert noted["hidden"] == []
        assert noted["widest"] == width
        assert noted["payments"] <= MOST_PAYMENTS
        assert 2 <= noted["actions"] <= MOST_ACTIONS


def finish_by_keys(page: Page) -> list[dict[str, Any]]:
    """Play a game to its end by keys, and return what was seen at each size."""
    return Keys(page).finish()


@pytest.mark.parametrize(
    ("game_map", "finish", "sizes"),
    [
        ("nordic", finish_by_mouse, DESK),
        ("nederland", finish_by_keys, DESK),
        ("europe", finish_by_touch, PHONE),
    ],
)
def test_whole_games_are_played(
    browser: Browser,
    tmp_path: Path,
    game_map: str,
    finish: Callable[[Page], list[dict[str, Any]]],
    sizes: tuple[tuple[int, int], ...],
) -> None:
    board = short(load(game_map), 20)
    board.to_folder(tmp_path / game_map)
    with served(f"./{game_map}", "--seats", "Ida,Greedy", "--seed", "7", folder=tmp_path) as table:
        is_phone, size = sizes is PHONE, dict(zip(("width", "height"), sizes[0], strict=True))
        look: Any = {"viewport": size, "has_touch": is_phone, "is_mobile": is_phone}
        with opened(browser, table.address, reduced_motion="reduce", **look) as page:  # nobody watches
            expect(page.locator(".ttr-t-turn")).to_contain_text("Your turn: choose your opening tickets")
            seen = finish(page)
            end = owners(page.locator(".ttr-play"))

            page.get_by_role("button", name="Step through it").press("Enter")
            stepper = page.locator(".ttr-stepper")
            expect(stepper).to_be_focused()
            page.keyboard.press("End")
            assert owners(stepper) == end

            page.locator("summary").press("Enter")
            page.get_by_role("button", name="Start").press("Enter")
            expect(page.locator(".ttr-t-turn")).to_contain_text("Your turn: choose your opening tickets")
        code, said, complaints = table.stop()

    assert (code, complaints) == (0, "")
    check(seen, sizes)
    record = GameRecord.load(tmp_path / said, board)
    assert record.state_at(-1).is_over
    assert {route: str(owner) for route, owner in record.state_at(-1).owners.items()} == end


@contextmanager
def at_table(browser: Browser, folder: Path, game_map: str = "nordic") -> Iterator[Page]:
    """Open a table with all opening tickets kept, and see afterwards that nothing went wrong."""
    options = ("--seats", "Ida,Greedy", "--seed", "7")
    with served(game_map, *options, folder=folder) as table, opened(browser, table.address) as page:
        set_size(page, DESK[0])
        expect(page.locator(".ttr-t-turn")).to_contain_text("Your turn: choose your opening tickets")
        keep_all(page)
        yield page


def boards(page: Page) -> list[Any]:
    """Return where the board is at each size of the page."""
    found = []
    for size in (*DESK, *PHONE):
        set_size(page, size)
        page.wait_for_function("size => innerWidth === size[0] && innerHeight === size[1]", arg=size)
        found.append(page.locator(".ttr-board").bounding_box())
    set_size(page, DESK[0])
    return found


def test_the_board_stays_where_it_is_when_hints_and_problems_appear(browser: Browser, tmp_path: Path) -> None:
    with at_table(browser, tmp_path) as page:
        before, advised = boards(page), page.locator(".ttr-advised")
        for name in ("Hint", "Judge my move"):
            said = advised.text_content() or ""
            page.get_by_role("button", name=name).click()
            expect(advised).not_to_have_text(said, timeout=60_000)  # the first hint compiles
            assert boards(page) == before
        click_route(page.locator(".ttr-play"), "Lieksa-Murmansk/0")
        expect(page.get_by_role("alert")).to_contain_text("more cards are needed")
        assert boards(page) == before


# Notes what flies over the table.
AS_FREE = """() => [...document.querySelectorAll(".ttr-route.is-awaiting .ttr-cars")].every((cars) => {
  const [route, shown] = [cars.closest(".ttr-route"), getComputedStyle(cars).fill];
  const owner = route.dataset.owner;
  route.dataset.owner = "";
  const isSame = shown === getComputedStyle(cars).fill;
  route.dataset.owner = owner;
  return isSame;
})"""
FLOWN = """() => {
  window.flown = [];
  window.ends = []; // where each flies to: a part of the page that may move later, or a point
  const parts = {
    'the last ticket held': '.ttr-side .ttr-seat [data-field=tickets] li:last-child',
    'the choice': '.ttr-t-keep',
    'the ticket pile': '.ttr-piles button:last-child',
  };
  const isMiddle = (part, x, y) => {
    const box = document.querySelector(part)?.getBoundingClientRect();
    return box && Math.abs(box.x + box.width / 2 - x) < 1 && Math.abs(box.y + box.height / 2 - y) < 1;
  };
  const note = (copy) => {
    const {classList, dataset, firstChild} = copy;
    const isPiece = dataset.owner !== undefined;
    const station = isPiece && firstChild.classList.contains('ttr-station') ? `station of ${dataset.owner}` : null;
    const trains = isPiece && !station ? `trains of ${dataset.owner} to ${firstChild.nextSibling.dataset.route}` : null;
    window.flown.push(station ?? trains ?? (classList.contains('ttr-ticket-back') ? 'ticket' : 'card'));
    const all = document.querySelector('.ttr-play').getBoundingClientRect();
    const [right, down] = copy.getAnimations()[0].effect.getKeyframes().at(-1).transform.match(/[-\\d.]+(?=px)/g);
    const [x, y] = [all.x + Number(right), all.y + Number(down)];
    window.ends.push(Object.keys(parts).find((name) => isMiddle(parts[name], x, y)) ?? [x, y]);
  };
  const seen = new MutationObserver(changes => changes.forEach(({addedNodes}) => addedNodes.forEach(note)));
  seen.observe(document.querySelector('.ttr-sky'), {childList: true});
}"""
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def test_cards_and_trains_fly_where_they_go_until_a_key_or_click(browser: Browser, tmp_path: Path) -> None:
    with at_table(browser, tmp_path) as page:
        sky, table, draw = (
            page.locator(".ttr-sky > *"),
            page.locator(".ttr-play"),
            page.locator(".ttr-piles button").first,
        )
        page.evaluate(FLOWN)
        while not page.locator(".ttr-route.is-open").count():
            expect(draw).to_be_enabled()
            draw.click()
        expect(draw).to_be_enabled()
        page.evaluate(NEXT_FRAME)
        page.keyboard.press("Shift")
        assert sky.count() == 0

        click_route(table, page.locator(".ttr-route.is-open").first.get_attribute("data-route") or "")
        page.locator(".ttr-t-payment").first.click()
        expect(page.locator(".ttr-route.is-awaiting")).not_to_have_count(0)
        assert page.evaluate(AS_FREE)  # not lit up as if it could be claimed
        expect(sky).to_have_count(0)  # they have landed
        assert page.locator(".is-awaiting").count() == 0
        flown = page.evaluate("window.flown")
        assert {one for one in flown if one != "card"} == {
            f"trains of {owner} to {route}" for route, owner in owners(table).items()
        }
        assert flown.count("card") > len(owners(table))

        page.emulate_media(reduced_motion="reduce")
        draw.click()
        expect(draw).to_be_enabled()
        assert page.evaluate("window.flown") == flown


def middle(part: Locator) -> list[Any]:
    """Return the middle of a part of the page."""
    box = part.bounding_box()
    assert box is not None
    return [pytest.approx(box["x"] + box["width"] / 2, abs=1), pytest.approx(box["y"] + box["height"] / 2, abs=1)]


def test_refills_tickets_and_stations_fly_where_they_go(browser: Browser, tmp_path: Path) -> None:
    with at_table(browser, tmp_path, "europe") as page:
        table = page.locator(".ttr-play")
        news, own, turn = (
            table.locator(".ttr-live"),
            table.locator(".ttr-seat").first,
            table.locator(".ttr-t-turn"),
        )

        page.evaluate(FLOWN)

        def flown_by(act: Callable[[], None], said: str) -> tuple[list[str], list[Any]]:
            page.evaluate(NEXT_FRAME)  # what the last step sends up flies now
            page.keyboard.press("Shift")  # and has landed
            page.evaluate("() => { [window.flown, window.ends] = [[], []]; }")
            act()
            expect(news).to_contain_text(said)
            page.wait_for_function("() => window.flown.length")
            flown, ends = page.evaluate("[window.flown, window.ends]")
            return flown, ends

        slot = table.locator(".ttr-market .ttr-card:not([data-card=locomotive])").first
        place = middle(slot.locator(".ttr-face"))
        flown, ends = flown_by(slot.click, "from the market")
        assert flown == ["card", "card"]
        assert ends[1] == place
        slot = table.locator(".ttr-market .ttr-card:not([data-card=locomotive])").first
        slot.click()
        expect(turn).to_have_text("Your turn")

        draw, held = table.get_by_role("button", name="Draw tickets"), own.locator("[data-field=tickets] li")
        n_held = held.count()
        flown, ends = flown_by(draw.click, "draws")
        assert flown == ["ticket"] * 3
        assert ends == ["the choice"] * 3
        page.locator(".ttr-t-keep input").first.check()
        flown, ends = flown_by(table.get_by_role("button", name="Keep these").click, "puts 2 back")
        assert flown[:3] == ["ticket"] * 3
        assert held.count() == n_held + 1
        assert ends[:3] == ["the last ticket held", "the ticket pile", "the ticket pile"]
        expect(turn).to_have_text("Your turn")

        table.locator(".ttr-city[data-city='Wien'] circle").click()
        flown, ends = flown_by(table.locator(".ttr-t-payment").first.click, "builds a station in")
        assert flown[:2] == ["card", "station of 0"]
        expect(page.locator(".ttr-sky > *")).to_have_count(0)
        assert ends[1] == middle(table.locator(".ttr-city[data-city='Wien'] .ttr-station"))


@pytest.mark.parametrize("is_continued", [True, False])
def test_the_last_game_is_offered_until_one_moves(browser: Browser, tmp_path: Path, *, is_continued: bool) -> None:
    last = GameTable("nordic", ["Planner", "Greedy"], seed=7, name="Ida")
    last.play("keep all")
    (tmp_path / "games").mkdir()
    last.record.save(tmp_path / "games" / "nordic.jsonl")
    look: Any = {"reduced_motion": "reduce", "viewport": {"width": 390, "height": 800}}
    with served("nordic", folder=tmp_path) as table:
        with opened(browser, table.address, **look) as page:
            offer, board = page.get_by_role("button", name="Continue saved game"), page.locator(".ttr-board")
            before = board.bounding_box()
            offer.click() if is_continued else keep_all(page)
            expect(page.locator(".ttr-t-turn")).to_have_text("Your turn")
            expect(offer).to_be_hidden()
            expect(page.locator(".ttr-play")).to_contain_text("Ida" if is_continued else "Person")
            assert board.bounding_box() == before
        table.stop()
    assert len(list((tmp_path / "games").iterdir())) == (1 if is_continued else 2)
