"""Games in a browser: what is clicked and typed is what the engine plays, and nothing else can be done."""

from __future__ import annotations

import re
from ast import literal_eval
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.board import click_route, owners, route
from tests.browser.samples import GAMES
from ttr_analysis import GameRecord
from ttr_analysis.notation import record_lines

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.lab import Lab

TABLE = """import ttr_analysis as ttr
table = ttr.widgets.GameTable(ttr.load_map("nordic"), [ttr.policies.Greedy()], seed=7)

def take_turn():
    can = table.now["options"]
    claims = [payment["line"] for claim in can["claims"].values() for payment in claim["payments"]]
    keep = can["keep"] and f"keep {', '.join(can['keep']['offer'])}"
    draws = [can["draw"], *can["market"].values(), can["tickets"], *[pay["line"] for pay in can["pays"]]]
    table.play(next(filter(None, [keep, *claims, *draws, *[move["line"] for move in can["moves"]]])))

def finish():
    with table.hold_sync():  # only the end is looked at
        while not table.is_over:
            take_turn()

table"""

RECORDER = """import ttr_analysis as ttr
recorder = ttr.widgets.GameRecorder(ttr.load_map("nordic"))
recorder"""

HAS_FOCUS = """root => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(
  () => done(root.contains(document.activeElement)))))"""

HANDS = """root => [...root.querySelectorAll('.ttr-seat')]
  .sort((a, b) => a.dataset.seat - b.dataset.seat)
  .map(seat => Object.fromEntries([...seat.querySelectorAll('[data-field=hand] .ttr-card')]
    .filter(chip => chip.checkVisibility())
    .map(chip => [chip.dataset.card, Number(chip.querySelector('.ttr-number').innerText)])))"""


def of_engine(lab: Lab, record: str) -> tuple[dict[str, str], list[dict[str, int]]]:
    """Return owners and hands at the end of a record in the kernel."""
    state = f"{record}.states()[-1]"
    found: tuple[dict[str, str], list[dict[str, int]]] = literal_eval(
        lab.ask(
            f"{{route: str(owner) for route, owner in {state}.owners.items()}}, [h.as_dict() for h in {state}.hands]"
        )
    )
    return found


def keep_two(table: Locator) -> None:
    """Keep the first two tickets."""
    for box in table.get_by_role("checkbox").all()[:2]:
        box.check()
    table.get_by_role("button", name="Keep these").press("Enter")


def take_turn(table: Locator) -> None:
    """Claim the first route that can be claimed, else draw a card."""
    turn = table.locator(".ttr-t-turn")
    expect(turn).to_contain_text("Your turn")
    before = turn.inner_text(), table.locator(".ttr-log").inner_text()
    open_routes = table.locator(".ttr-route.is-open")
    if open_routes.count():
        click_route(table, open_routes.first.get_attribute("data-route") or "")
        payments = table.locator(".ttr-t-payment")
        assert 1 <= payments.count() <= 5
        payments.first.click()
    elif (pile := table.get_by_role("button", name="Draw a card")).is_enabled():
        pile.click()
    else:
        table.locator(".ttr-t-actions button").first.click()
    expect(table.locator(".ttr-log")).not_to_have_text(before[1])


def test_a_person_plays_by_the_rules(lab: Lab) -> None:
    table = lab.show(TABLE)
    keep_two(table)

    for _ in range(5):
        take_turn(table)

    expect(table.locator(".ttr-t-turn")).to_contain_text("Your turn")
    its_owners, its_hands = of_engine(lab, "table.record")
    hands = table.evaluate(HANDS)
    assert owners(table) == its_owners
    assert "0" in its_owners.values()
    assert hands[0] == its_hands[0]
    assert hands[1].pop("?") > 0  # nobody sees what others draw
    assert all(n <= its_hands[1][kind] for kind, n in hands[1].items())


BOARD_AND_CONTROLS = """root => {
  const {x, y, width, height} = root.querySelector('.ttr-board').getBoundingClientRect();
  const {top, left} = root.getBoundingClientRect();
  const used = [...root.querySelectorAll('.ttr-side button, .ttr-side input')];
  const shown = used.filter(control => control.checkVisibility()).map(control => control.getBoundingClientRect());
  const lowest = Math.max(...shown.map(({bottom}) => bottom - top));
  const rightmost = Math.max(...shown.map(({right}) => right - left));
  return [[x - left, y - top, width, height], lowest, rightmost, root.clientWidth];
}"""


def test_the_board_stays_in_its_place_and_all_controls_in_sight(lab: Lab) -> None:
    table = lab.show(TABLE)
    lab.resize(800, 1000)
    try:
        board, *_ = table.evaluate(BOARD_AND_CONTROLS)
        lab.ask("table.play('keep all')")
        for _ in range(2):
            take_turn(table)
            expect(table.locator(".ttr-t-turn")).to_contain_text("Your turn")
            open_routes = table.locator(".ttr-route.is-open")
            if open_routes.count():
                click_route(table, open_routes.first.get_attribute("data-route") or "")
                expect(table.locator(".ttr-t-claim")).to_be_visible()
            now, lowest, rightmost, room = table.evaluate(BOARD_AND_CONTROLS)
            assert now == pytest.approx(board, abs=0.01)
            assert lowest < 880  # below the bars of JupyterLab
            assert rightmost <= room
            table.press("Escape")
    finally:
        lab.resize(1300, 1000)


@pytest.mark.usefixtures("axe_installed")
def test_axe_finds_nothing_serious_while_a_route_is_paid_for(lab: Lab) -> None:
    table = lab.show(TABLE)
    lab.ask("table.play('keep all')")
    lab.ask("[table.play('draw') for _ in range(4)]")
    table.locator(".ttr-route.is-open").first.press("Enter")
    expect(table.locator(".ttr-t-payment").first).to_be_focused()

    assert axe.findings_in_both_themes(lab) == []


def test_another_game_is_begun_with_other_players(lab: Lab) -> None:
    table = lab.show(TABLE.replace("seed=7", "seed=7, practice=True"))
    lab.ask("table.play('keep all')")
    lab.ask("table.play('draw')")
    table.get_by_role("button", name="Undo").click()
    expect(table.locator(".ttr-t-turn")).to_have_text("Your turn")

    table.locator("summary").press("Enter")
    table.get_by_label("Players").select_option("3")
    table.get_by_label("Your seat").select_option("2")
    table.get_by_label("Seed").fill("5")
    table.get_by_role("button", name="Start").press("Enter")

    expect(table.locator(".ttr-seat")).to_have_count(3)
    expect(table.locator(".ttr-t-turn")).to_contain_text("choose your opening tickets")
    expect(table.get_by_role("region", name="Your turn")).to_be_focused()
    assert lab.ask("table.record.header.seed, table.facts['seat']") == "(5, 2)"


def test_what_is_illegal_is_refused_with_its_reason(lab: Lab) -> None:
    table = lab.show(TABLE)
    table.get_by_role("checkbox").first.check()

    assert table.get_by_role("button", name="Keep these").is_disabled()
    click_route(table, "Lieksa-Murmansk/0")
    assert owners(table) == {}
    table.get_by_role("checkbox").nth(1).check()
    table.get_by_role("button", name="Keep these").click()
    expect(table.locator(".ttr-t-turn")).to_have_text("Your turn")
    click_route(table, "Lieksa-Murmansk/0")

    expect(table.get_by_role("alert")).to_contain_text("more cards are needed")
    assert owners(table) == {}


def test_keys_alone_are_enough(lab: Lab) -> None:
    table = lab.show(TABLE)
    keyboard, busy = lab.page.keyboard, table.locator(".ttr-t-busy")
    table.get_by_role("checkbox").first.focus()

    for _ in range(10):
        keyboard.press("Space")
        expect(busy).to_have_count(0)
        assert table.evaluate(HAS_FOCUS)
        keyboard.press("Tab")
    assert int(lab.ask("len(table.record.steps)")) > 5


STATIONS = """root => [root.querySelector('.ttr-city[data-city="Paris"] .ttr-station').dataset.owner,
  root.querySelector('.ttr-seat [data-field=stations]').innerText,
  root.querySelector('.ttr-seat [data-field=built]').innerText]"""


def test_the_board_says_what_things_cost_and_takes_stations(lab: Lab) -> None:
    table = lab.show(TABLE.replace('"nordic"', '"europe"'))
    lab.ask("table.play('keep all')")
    hint, city = table.locator(".ttr-t-hint"), table.locator(".ttr-city[data-city='Paris']")
    form = table.get_by_role("group", name="Build a station")

    route(table, "Petrograd-Stockholm/0").evaluate("group => group.focus()")
    expect(hint).to_contain_text("21 points")
    expect(hint).to_contain_text("cards missing; ")
    city.hover()
    expect(hint).to_have_text("Paris: you can build a station here for 1 card.")

    table.get_by_role("button", name="Build a station (1 card)").press("Enter")
    expect(table.get_by_label("City of the station")).to_be_focused()
    lab.page.keyboard.type("Mar")
    expect(table.get_by_label("City of the station")).to_have_value("Marseille")
    lab.page.keyboard.press("Escape")
    expect(form).to_have_count(0)

    city.click()
    assert 1 <= form.locator(".ttr-t-payment").count() <= 5
    lab.page.keyboard.press("Enter")
    expect(table.locator(".ttr-log")).to_contain_text("builds a station in Paris")
    assert table.evaluate(STATIONS) == ["0", "2", "Paris"]
    assert lab.ask("table.record.state_at(-1).stations") == "{'Paris': 0}"
    expect(table.locator(".ttr-t-turn")).to_have_text("Your turn")
    city.click()
    expect(table.get_by_role("alert")).to_contain_text("has a station in Paris")
    expect(hint).to_have_text("Paris: Person's station.")


def test_who_draws_with_keys_can_draw_on(lab: Lab) -> None:
    table = lab.show(TABLE)
    keep_two(table)
    pile = table.get_by_role("button", name="Draw a card")

    expect(pile).to_be_enabled()
    pile.focus()
    for due in ("Your turn: draw another card", "Your turn"):
        lab.page.keyboard.press("Enter")
        expect(table.locator(".ttr-t-turn")).to_have_text(due)
        expect(pile).to_be_focused()

    table.locator(".ttr-t-turn").click()  # who chooses the words himself is left there
    lab.ask("table.play('draw')")
    expect(table.locator(".ttr-t-turn")).to_contain_text("draw another card")
    expect(table.get_by_role("region", name="Your turn")).to_be_focused()


def test_what_all_the_others_did_is_said(lab: Lab) -> None:
    table = lab.show(TABLE.replace("[ttr.policies.Greedy()]", "ttr.policies.Greedy(), n_players=3"))
    keep_two(table)

    live = table.locator(".ttr-live")
    expect(live).to_contain_text(re.compile(r"Greedy \(P1\) .*Greedy \(P2\) .*\. Your turn$"))


def test_a_card_that_is_new_in_the_market_stands_out(lab: Lab) -> None:
    table = lab.show(TABLE)
    lab.ask("table.play('keep all')")

    table.get_by_role("button", name="Take green from slot 0").click()

    expect(table.locator(".ttr-t-turn")).to_contain_text("Your turn: draw another card")
    expect(table.locator(".ttr-market .is-new")).to_have_attribute("aria-label", "Take orange from slot 0")


def test_a_game_that_is_over_is_stepped_through(lab: Lab) -> None:
    table = lab.show(TABLE)
    lab.ask("finish()")

    expect(table.locator(".ttr-t-turn")).to_contain_text("won")
    stepper = lab.page.locator(".ttr-stepper")
    step_through = lab.page.get_by_role("button", name="Step through it")
    for press in (step_through.dblclick, step_through.click):  # the second click comes before it is drawn
        press()
        expect(stepper).to_be_focused()

    lab.page.keyboard.press("End")
    assert owners(stepper) == of_engine(lab, "table.record")[0]
    play_on = stepper.get_by_role("button", name="Play from here")
    expect(play_on).to_be_disabled()

    for _ in range(5):
        lab.page.keyboard.press("ArrowLeft")
    play_on.press("Enter")
    expect(table.locator(".ttr-t-turn")).to_contain_text("Your turn")
    expect(table.get_by_role("region", name="Your turn")).to_be_focused()
    expect(table.get_by_role("button", name="Undo")).to_be_visible()


def test_a_game_is_entered_line_by_line(lab: Lab) -> None:
    record = GameRecord.load(GAMES / "nordic" / "2-greedy-2.jsonl")
    recorder = lab.show(RECORDER)
    line, enter = recorder.get_by_label("Line", exact=True), recorder.get_by_role("button", name="Enter")

    for n, text in enumerate(record_lines(record)[:18], 1):
        line.fill(text)
        expect(enter).to_be_enabled()
        line.press("Enter")
        expect(recorder.locator(".ttr-log li")).to_have_count(n)

    entered = literal_eval(lab.ask("recorder.record.dumps().splitlines()[1:]"))
    assert entered == record.dumps().splitlines()[1 : len(entered) + 1]
    assert (owners(recorder), recorder.evaluate(HANDS)) == of_engine(lab, "recorder.record")
    assert len(owners(recorder)) == 8


def test_a_line_is_checked_as_it_is_typed(lab: Lab) -> None:
    recorder = lab.show(RECORDER)
    line, enter = recorder.get_by_label("Line", exact=True), recorder.get_by_role("button", name="Enter")

    line.fill("P0: hand rosa 4")
    expect(line).to_have_attribute("aria-invalid", "true")
    expect(recorder.locator(".ttr-live")).to_contain_text("rosa")
    expect(enter).to_be_disabled()
    line.fill("P0: hand red 4")
    expect(enter).to_be_enabled()
    enter.click()
    expect(recorder.locator(".ttr-log li")).to_have_text(["P0: hand red, red, red, red"])
    recorder.get_by_role("button", name="Undo").click()
    expect(recorder.locator(".ttr-log li")).to_have_count(0)
