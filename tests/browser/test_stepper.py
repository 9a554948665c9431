"""The stepper in JupyterLab and as a page on disk: it shows what `record.states()` says, and goes where it is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.board import owners
from tests.browser.lab import Disk, Lab, open_disk
from tests.browser.samples import GAMES, cell, sample_record
from tests.fixtures import load
from ttr_analysis import GameRecord
from ttr_analysis.widgets import GameStepper

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator

    from ttr_analysis import GameState

SEATS = """root => [...root.querySelectorAll('.ttr-seat')].map(seat => {
  const field = name => seat.querySelector(`[data-field=${name}]`);
  const chips = [...field('hand').querySelectorAll('.ttr-card')].filter(chip => chip.checkVisibility());
  return {
    trains: Number(field('trains').innerText),
    score: Number(field('score').innerText),
    hand: Object.fromEntries(chips.map(chip => [chip.dataset.card, Number(chip.innerText)])),
  };
})"""


STEPPER = "{}\n{}\ns = {}\ns".format(*cell("stepper", "nordic").rsplit("\n", 2))


# As the browser does while a key is down, but without drawing every step.
HOLD = """(root, [key, n]) => {
  for (let i = 0; i < n; i += 1) {
    const options = {key, code: key, bubbles: true, cancelable: true, repeat: i > 0};
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', options));
  }
}"""


def shown(widget: Locator) -> tuple[Any, dict[str, str]]:
    """Return what the page shows of the seats and of the board."""
    return widget.evaluate(SEATS), owners(widget)


def expected(state: GameState) -> tuple[Any, dict[str, str]]:
    """Return what it should show."""
    hands = [hand.as_dict() for hand in state.hands]
    seats = [
        {"trains": trains, "score": score, "hand": hand}
        for trains, score, hand in zip(state.trains, state.scores, hands, strict=True)
    ]
    return seats, {route: str(owner) for route, owner in state.owners.items()}


@pytest.fixture(scope="module")
def record() -> GameRecord:
    """Return a whole Nordic game of three players."""
    return sample_record("nordic")


@pytest.fixture(scope="module")
def exported(record: GameRecord, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the game as a page on disk."""
    path = tmp_path_factory.mktemp("exported") / "game.html"
    GameStepper(record).to_html(path)
    return path


@pytest.fixture(scope="module", params=["lab", "disk"])
def place(request: pytest.FixtureRequest, shared_lab: Lab, browser: Browser, exported: Path) -> Iterator[Lab | Disk]:
    """Return JupyterLab and a page on disk, each with the game."""
    if request.param == "lab":
        shared_lab.watch.faults.clear()
        shared_lab.show(cell("stepper", "nordic"))
        assert shared_lab.watch.faults == []
        yield shared_lab
    else:
        with open_disk(browser) as disk:
            disk.show(exported)
            assert disk.watch.faults == []
            yield disk


@pytest.fixture
def stepper(place: Lab | Disk) -> Iterator[Locator]:
    """Return the game in JupyterLab and as a page on disk, at its first step; see that nothing goes wrong."""
    place.watch.faults.clear()
    widget = place.page.locator(".ttr").first
    if (pause := widget.get_by_role("button", name="Pause")).count():
        pause.click()
    widget.focus()
    place.page.keyboard.press("Home")
    expect(widget).to_have_attribute("data-step", "0")
    yield widget
    assert place.watch.faults == []


def hold(stepper: Locator, key: str, n: int) -> None:
    """Hold a key until it has been heard a number of times."""
    stepper.evaluate(HOLD, [key, n])


# What the page does without Python is the same in JupyterLab and on disk, but for keys.
ON_DISK = pytest.mark.parametrize("place", ["disk"], indirect=True)


@ON_DISK
def test_a_whole_game_is_shown_as_it_was(stepper: Locator, record: GameRecord) -> None:
    states = record.states()
    last = len(states) - 1
    sampled = [round(last * k / 19) for k in range(20)]
    slider = stepper.get_by_role("slider")

    for key, steps in (("ArrowRight", sampled), ("ArrowLeft", sampled[::-1])):
        at = steps[0]
        for step in steps:
            hold(stepper, key, abs(step - at))
            at = step
            assert stepper.get_attribute("data-step") == str(step)
            assert shown(stepper) == expected(states[step])
    for step in sorted(sampled, key=lambda step: step * 7 % last):
        slider.fill(str(step))
        assert shown(stepper) == expected(states[step])


def test_what_a_seat_has_scored_says_what_it_counts(disk: Disk, exported: Path) -> None:
    scored = disk.show(exported).locator(".ttr-fact:has([data-field=score])").first

    expect(scored).to_contain_text("scored")
    expect(scored).to_have_attribute("title", re.compile("points for routes so far"))


def test_keys_and_clicks_go_where_they_say(stepper: Locator, record: GameRecord) -> None:
    states, page = record.states(), stepper.page
    last = len(states) - 1

    def at(step: int) -> None:
        expect(stepper).to_have_attribute("data-step", str(step))
        expect(stepper.get_by_role("slider")).to_have_value(str(step))
        assert shown(stepper) == expected(states[step])

    page.keyboard.press("End")
    at(last)
    page.keyboard.press("Home")
    at(0)
    for step in (3, 200, 77):
        move = stepper.locator(f".ttr-jump[data-step='{step}']")
        move.click()
        at(step)
        expect(stepper.locator(".ttr-live")).to_contain_text(move.inner_text())
        page.keyboard.press("ArrowRight")
        at(step + 1)
    stepper.get_by_role("button", name="First step").click()
    for seat in (1, 0, 1):
        step = step_of(stepper)
        claims = [len(state.routes_of(seat)) for state in states]
        stepper.get_by_role("button", name=f"{seat}: next claim").click()
        at(next(k for k in range(step + 1, last + 1) if claims[k] > claims[k - 1]))


@pytest.mark.parametrize("name", ["switzerland", "nederland"])  # tunnels that are given up; the neutral player
def test_only_claims_stand_out_among_the_moves(disk: Disk, name: str, tmp_path: Path) -> None:
    record = sample_record(name)
    GameStepper(record).to_html(tmp_path / "game.html")
    stepper = disk.show(tmp_path / "game.html")

    bold = stepper.locator(".is-claim .ttr-jump").evaluate_all("moves => moves.map(move => Number(move.dataset.step))")
    n_claims = [len(state.owners) for state in record.states()]
    assert bold == [step for step in range(1, len(n_claims)) if n_claims[step] > n_claims[step - 1]]


@pytest.mark.parametrize("place", ["lab"], indirect=True)
def test_the_keys_go_on_from_every_control(stepper: Locator) -> None:
    controls = stepper.get_by_role("group", name="Steps")

    for control in (*controls.get_by_role("button").all(), controls.get_by_role("slider")):
        for key in ("Enter", "ArrowRight", "ArrowLeft", "ArrowLeft"):
            control.press(key)
            control.page.keyboard.press("Home")
            expect(stepper).to_have_attribute("data-step", "0")
            stepper.page.keyboard.press("ArrowRight")
            stepper.page.keyboard.press("ArrowRight")
            expect(stepper).to_have_attribute("data-step", "2")


@ON_DISK
def test_play_goes_on_until_it_is_paused(stepper: Locator) -> None:
    play_until(stepper, 5)
    expect(stepper.get_by_role("button", name="Pause")).to_be_visible()
    stepper.focus()

    for key, paused_at in (("Space", None), ("Home", 0)):
        stepper.page.keyboard.press(key)

        expect(stepper.get_by_role("button", name="Play")).to_be_visible()
        paused = step_of(stepper)
        assert paused == (paused if paused_at is None else paused_at)
        stepper.page.wait_for_timeout(250)
        assert step_of(stepper) == paused
        stepper.page.keyboard.press("Space")
        wait_for_step(stepper, paused + 2)


@ON_DISK
def test_starting_again_and_again_makes_play_no_faster(stepper: Locator) -> None:
    speed = stepper.get_by_label("Time for each step")
    stepper.focus()
    for _ in range(3):
        stepper.page.keyboard.press("Space")
    speed.select_option("0.25 s")
    speed.select_option("0.1 s")

    steps, milliseconds = stepper.evaluate("""async root => {
      const [start, first] = [performance.now(), Number(root.dataset.step)];
      await new Promise(done => setTimeout(done, 1000));
      return [Number(root.dataset.step) - first, performance.now() - start];
    }""")
    assert 1 <= steps <= milliseconds / 100 + 1


def step_of(stepper: Locator) -> int:
    """Return the step that is shown."""
    return int(stepper.get_attribute("data-step") or -1)


def play_until(stepper: Locator, step: int) -> None:
    """Let the game play, fast, until a step is reached."""
    stepper.get_by_label("Time for each step").select_option("0.1 s")
    stepper.get_by_role("button", name="Play").click()
    wait_for_step(stepper, step)


def wait_for_step(stepper: Locator, step: int) -> None:
    """Wait until so many steps are taken."""
    reached = "([root, step]) => root.dataset.step >= step"
    stepper.page.wait_for_function(reached, arg=[stepper.element_handle(), step], timeout=60_000)


def test_python_follows_the_page_and_the_page_python(lab: Lab) -> None:
    stepper = lab.show(STEPPER)
    stepper.focus()
    for _ in range(3):
        lab.page.keyboard.press("ArrowRight")
    for _ in range(100):
        if (heard := lab.ask("s.step")) == "3":
            break
        stepper.page.wait_for_timeout(50)
    assert heard == "3"
    lab.ask("setattr(s, 'step', 40)")
    expect(stepper).to_have_attribute("data-step", "40")

    play_until(stepper, 80)
    assert int(lab.ask("s.step")) > 40  # while it plays


def test_a_step_of_python_holds_while_a_game_plays(lab: Lab) -> None:
    stepper = lab.show(STEPPER)
    play_until(stepper, 5)
    lab.ask("setattr(s, 'step', 200)")
    expect(stepper).to_have_attribute("data-step", "200")
    expect(stepper.get_by_role("button", name="Play")).to_be_visible()  # it has stopped
    stepper.page.wait_for_timeout(500)  # steps before it may still have been to be saved

    assert (step_of(stepper), lab.ask("s.step")) == (200, "200")


def test_python_hears_the_last_step_before_the_output_is_cleared(lab: Lab) -> None:
    stepper = lab.show(STEPPER)
    stepper.press("End")
    lab.page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    expect(stepper).to_have_count(0)

    assert lab.ask("s.step == s.n_steps - 1") == "True"


def test_the_move_of_the_first_step_is_in_sight(lab: Lab) -> None:
    stepper = lab.show(cell("stepper", "nordic").replace("(record)", "(record, step=-1)"))

    place = stepper.locator(".ttr-moves").bounding_box()
    row = stepper.locator(".ttr-moves tr[aria-current]").bounding_box()
    assert place is not None
    assert row is not None
    assert place["y"] < row["y"] < row["y"] + row["height"] < place["y"] + place["height"] + 1


@pytest.mark.usefixtures("axe_installed")
def test_axe_finds_nothing_serious_in_a_page(disk: Disk, exported: Path) -> None:
    disk.show(exported)
    disk.page.keyboard.press("End")

    assert axe.findings_in_both_schemes(disk.page, "body") == []


@ON_DISK
def test_cars_have_symbols_of_their_owner(stepper: Locator, record: GameRecord) -> None:
    stepper.page.keyboard.press("End")
    by_id = {route.id: route for route in record.map.routes}

    for route_id, owner in owners(stepper).items():
        numbers = stepper.locator(f'.ttr-numbers[data-route="{route_id}"]')
        assert numbers.text_content() == owner * by_id[route_id].length


def test_what_else_pays_for_a_route_is_not_said_upon_trains(disk: Disk, tmp_path: Path) -> None:
    record = GameRecord.load(GAMES / "nordic" / "2-hoarder-6.jsonl", load("nordic"))
    GameStepper(record).to_html(tmp_path / "game.html")
    stepper = disk.show(tmp_path / "game.html")
    swap = stepper.locator(".ttr-swap")
    expect(swap).to_be_visible()
    stepper.focus()
    disk.page.keyboard.press("End")

    assert "Lieksa-Murmansk/0" in owners(stepper)
    expect(swap).to_be_hidden()
