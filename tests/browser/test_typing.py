"""The line of `GameRecorder` when Python is slower than who types: nothing typed is lost, nothing is entered twice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

import ttr_analysis as ttr
from ttr_analysis.widgets import GameRecorder

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.browser.lab import Disk

# A kernel that is busy until it is told to answer, and a page on which the recorder is shown twice.
MODEL = """
const heard = {}, traits = TRAITS;
window.sent = [];
const model = {
  get: (name) => traits[name],
  send: (message) => sent.push(message),
  on: (name, listener) => (heard[name] ??= new Set()).add(listener),
  off: (name, listener) => heard[name].delete(listener),
};
window.tell = (name, value) => {
  traits[name] = value;
  for (const listener of heard[`change:${name}`]) listener();
};
for (let n = 0; n < 2; n += 1) render({ model, el: document.body.appendChild(document.createElement("div")) });
"""


SET_UP = (
    "P0: hand red 4",
    "P1: hand 4",
    "market red, red, blue, blue, green",
    "P0: tickets 5",
    "P1: tickets 5",
    "P0: keep 2",
    "P1: keep 2",
)


TRAITS = ("facts", "now", "answer", "busy", "advised")


class Slow:
    """A recorder on a page, and what it is asked and answers only when told to."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self.page = disk.page
        self.recorder = GameRecorder(ttr.load_map("nordic"))
        traits = json.dumps({name: getattr(self.recorder, name) for name in TRAITS})
        script = f"{self.recorder._esm}\n{MODEL.replace('TRAITS', traits.replace('<', chr(92) + 'u003c'))}"
        path = folder / "page.html"
        path.write_text(f"<!doctype html><meta charset=utf-8><script type=module>{script}</script>", "utf-8")
        disk.show(path)
        self.recorder.observe(self._tell, ["now", "answer"])

    def _tell(self, change: dict[str, object]) -> None:
        self.page.evaluate("([name, value]) => tell(name, value)", [change["name"], change["new"]])

    def view(self, n: int = 0) -> Locator:
        """Return one of the two views."""
        return self.page.locator(".ttr").nth(n)

    def line(self, n: int = 0) -> Locator:
        """Return where one types."""
        return self.view(n).get_by_label("Line", exact=True)

    def wait(self, what: str) -> None:
        """Wait until the page has asked for something."""
        self.page.wait_for_function("what => sent.some((message) => message.do === what)", arg=what)

    def answer(self) -> list[str]:
        """Answer all that was asked, and return what that was."""
        messages = self.page.evaluate("() => sent.splice(0)")
        for message in messages:
            self.recorder._handle(message)
        return [message["do"] for message in messages]

    def begin_game(self) -> None:
        """Enter the set-up in Python."""
        for line in SET_UP:
            self.recorder.enter(line)
        self.settle()

    def settle(self) -> None:
        """Answer until nothing is asked any more."""
        self.page.wait_for_timeout(60)
        while self.answer():
            self.page.wait_for_timeout(60)


@pytest.fixture
def slow(disk: Disk, tmp_path: Path) -> Slow:
    """Return a recorder that answers when told to."""
    return Slow(disk, tmp_path)


def test_what_is_typed_while_a_check_is_on_its_way_stays(slow: Slow) -> None:
    slow.line().press_sequentially("hand re")
    slow.wait("check")
    slow.line().press_sequentially("d 4")
    slow.answer()
    expect(slow.line()).to_have_value("hand red 4")
    slow.settle()
    expect(slow.line()).to_have_value("hand red 4")
    expect(slow.view().get_by_role("button", name="Enter")).to_be_enabled()


def test_enter_right_after_the_last_key_enters_once(slow: Slow) -> None:
    slow.line().press_sequentially("hand 4")
    slow.line().press("Enter")
    slow.line().press("Enter")
    slow.page.wait_for_timeout(60)
    assert slow.answer()[-1] == "enter"
    expect(slow.line()).to_have_value("")
    expect(slow.view().locator(".ttr-live")).to_contain_text("Entered P0: hand 4")
    slow.settle()
    assert slow.recorder.lines == ("P0: hand 4",)
    expect(slow.view().locator(".ttr-live")).to_contain_text("Entered P0: hand 4")


def test_the_next_line_may_be_begun_before_the_last_is_entered(slow: Slow) -> None:
    slow.line().fill("hand 4")
    slow.line().press("Enter")
    slow.line().press_sequentially("P1: ha")
    slow.settle()
    expect(slow.line()).to_have_value("P1: ha")
    assert slow.recorder.lines == ("P0: hand 4",)


def test_a_click_after_enter_begins_the_next_line(slow: Slow) -> None:
    slow.begin_game()
    slow.line().fill("draw red")
    slow.line().press("Enter")
    slow.view().get_by_role("button", name="Draw a card").click()
    slow.settle()
    assert slow.recorder.lines[-1] == "P0: draw red"
    expect(slow.line()).to_have_value("draw")


def test_enter_right_after_a_click_waits_for_what_was_clicked(slow: Slow) -> None:
    slow.begin_game()
    slow.line().fill("draw red")
    slow.view().get_by_role("button", name="Draw a card").click()
    slow.line().press("Enter")
    slow.settle()
    assert slow.recorder.lines[-1] == "P0: draw red, ?"
    expect(slow.view().locator(".ttr-live")).to_contain_text("Entered P0: draw red, ?")


def test_a_line_that_is_refused_stays_as_it_was_typed_on(slow: Slow) -> None:
    slow.line().fill("hand re")
    slow.line().press("Enter")
    slow.line().press_sequentially("d")
    slow.settle()
    expect(slow.line()).to_have_value("hand red")
    assert slow.recorder.lines == ()


def test_pasted_lines_end_with_the_one_that_is_wrong(slow: Slow) -> None:
    slow.line().fill("hand")
    paste = """(input) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", "hand 4\\nhand 4\\nmarket rosa");
      input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }"""
    slow.line().evaluate(paste)
    slow.settle()
    expect(slow.line()).to_have_value("market rosa")
    assert slow.recorder.lines == ("P0: hand 4", "P1: hand 4")


def test_two_views_do_not_disturb_each_other(slow: Slow) -> None:
    slow.line(0).fill("P0: hand 4")
    slow.line(1).fill("P1: hand 4")
    slow.settle()
    expect(slow.line(0)).to_have_value("P0: hand 4")
    slow.line(0).press("Enter")
    slow.settle()
    expect(slow.line(0)).to_have_value("")
    expect(slow.line(1)).to_have_value("P1: hand 4")
    expect(slow.view(1).locator(".ttr-log li")).to_have_text(["P0: hand 4"])

    slow.recorder.enter("P1: hand 4")  # in Python
    slow.settle()
    expect(slow.line(1)).to_have_value("P1: hand 4")
    expect(slow.view(1).get_by_role("button", name="Enter")).to_be_disabled()
    slow.recorder.undo()
    slow.settle()
    expect(slow.view(1).get_by_role("button", name="Enter")).to_be_enabled()


def test_a_button_that_is_used_up_hands_the_focus_to_the_line(slow: Slow) -> None:
    slow.line().fill("hand 4")
    slow.settle()
    slow.view().get_by_role("button", name="Enter").press("Enter")
    slow.settle()
    expect(slow.line()).to_be_focused()
    slow.view().get_by_role("button", name="Undo").press("Enter")
    slow.settle()
    expect(slow.line()).to_be_focused()
    assert slow.recorder.lines == ()


def test_choices_that_are_redrawn_keep_the_focus(slow: Slow) -> None:
    slow.line().press_sequentially("P0: hand re")
    slow.settle()
    slow.line().press_sequentially("d")
    slow.line().press("ArrowDown")
    slow.settle()
    expect(slow.view().locator(":focus")).to_have_count(1)
    slow.page.keyboard.press("Escape")
    expect(slow.line()).to_be_focused()


def test_who_stands_at_the_market_is_led_to_the_line_and_left_there(slow: Slow) -> None:
    slow.begin_game()
    slow.view().get_by_role("button", name="Draw a card").focus()
    undone = [slow.recorder.undo() for _ in range(3)]  # in Python, back into the set-up
    assert slow.recorder.state is None
    expect(slow.line()).to_be_focused()
    slow.line().press_sequentially("P1: ")
    for line in reversed(undone):
        slow.recorder.enter(line)
    expect(slow.line()).to_be_focused()
