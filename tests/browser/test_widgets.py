"""What holds for every widget: it opens, keeps its keys, and can be used without a mouse and without colors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import axe
from tests.browser.lab import Lab
from tests.browser.samples import MAPS, WIDGETS, cell
from tests.fixtures import load
from tests.printed import unread_names
from ttr_analysis import widgets

if TYPE_CHECKING:
    from playwright.sync_api import Locator

# What can be used, by the order of the Tab key. Of a group in which arrow keys go on, Tab stops at one.
USABLE = """[...root.querySelectorAll('a[href], button, input, select, summary, textarea, [tabindex]')]
  .filter(control => control.checkVisibility({visibilityProperty: true}) && !control.disabled && control.tabIndex >= 0)
  .filter(control => control.type !== 'radio' || control.checked)"""
MARK = f"root => {USABLE}.map((control, i) => control.dataset.stop = String(i))"
MARKED = f"root => {USABLE}.map(control => control.dataset.stop ?? '')"
FOCUSED = "() => document.activeElement.dataset.stop ?? null"


# All that is written in a widget, or said of its parts.
PRINTED = """root => [root, ...root.querySelectorAll('*')].flatMap(part => [
  part.getAttribute('aria-label') ?? '',
  ...[...part.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data),
]).join('\\n')"""


@pytest.fixture(scope="module", params=[name for name in MAPS if name != "usa"])  # which has nothing of its own
def game_map(shared_lab: Lab, request: pytest.FixtureRequest) -> str:
    """Return each map in turn, with all widgets on it in one notebook."""
    shared_lab.watch.faults.clear()
    shared_lab.show(*(cell(widget, request.param) for widget in WIDGETS))
    assert shared_lab.watch.faults == []
    return str(request.param)


def test_all_widgets_open_on_every_map(lab: Lab, game_map: str) -> None:
    shown = lab.page.locator(".jp-Notebook .ttr")

    for widget in shown.all():
        assert unread_names(widget.evaluate(PRINTED), [load(game_map)])[1] == []
        assert widget.get_attribute("role") == "region"
        assert widget.get_attribute("aria-label")
        if widget.locator(".ttr-board").count():
            assert widget.locator(".ttr-route").count() == len(load(game_map).routes)
            assert widget.locator(".ttr-city").count() == len(load(game_map).cities)
    assert shown.count() == len(WIDGETS)


# Which parts of a widget look different, or are elsewhere, with the style sheets of all widgets and with its own alone.
LOOKS = """(root, own) => {
  const others = [...document.querySelectorAll('style')]
    .filter(({textContent}) => textContent.includes('.ttr-board') && textContent !== own);
  const look = part => {
    const {x, y, width, height} = part.getBoundingClientRect();
    const {left, top} = root.getBoundingClientRect();
    const {color, backgroundColor, font, padding} = getComputedStyle(part);
    return [x - left, y - top, width, height, part.outerHTML.slice(0, 99), color, backgroundColor, font, padding];
  };
  const looks = isOff => {
    for (const style of others) style.disabled = isOff;
    return [root, ...root.querySelectorAll('*')].filter(part => part.getClientRects().length).map(look);
  };
  const [alone, together] = [looks(true), looks(false)];
  const differs = (a, b) => (typeof a === 'number' ? Math.abs(a - b) > 0.1 : a !== b);
  const isOther = (one, k) => one.some((value, i) => differs(value, alone[k]?.[i]));
  return [others.length, together.length - alone.length, together.filter(isOther).slice(0, 5)];
}"""


@pytest.mark.parametrize("game_map", ["nordic"], indirect=True)
@pytest.mark.usefixtures("game_map")
def test_styles_of_a_widget_stay_its_own(lab: Lab) -> None:
    sheets = [getattr(widgets, shown.partition("(")[0].rpartition(".")[2])._css for shown in WIDGETS.values()]
    for sheet, widget in zip(sheets, lab.page.locator(".jp-Notebook .ttr").all(), strict=True):
        n_others = sum(other != sheet for other in sheets)
        assert widget.evaluate(LOOKS, sheet) == [n_others, 0, []]


@pytest.fixture(scope="module", params=WIDGETS)
def widget(shared_lab: Lab, request: pytest.FixtureRequest) -> Locator:
    """Return each widget in turn, below a cell that keys might change."""
    return shared_lab.show("1 + 1", cell(request.param, "nordic"))


def test_keys_stay_in_the_widget(lab: Lab, widget: Locator) -> None:
    before = lab.cells
    control = widget.locator("button:visible:enabled, input:visible:enabled, select:visible:enabled")

    for place in (control.first, control.last):
        for key in ("b", "a", "d", "d", "x", "z", "Escape", "ArrowUp", "ArrowDown", "Home", "End", "Enter", "Space"):
            place.press(key)
        assert lab.cells == before


def test_what_happens_is_said(widget: Locator) -> None:
    live = widget.locator(".ttr-live")

    assert live.get_attribute("aria-live") == "polite"
    assert live.inner_text().strip()


def controls_at_rest(lab: Lab, widget: Locator) -> list[str]:
    """Return marks of all controls, once no answer to earlier keys makes any anew any more."""
    for _ in range(50):
        marks: list[str] = widget.evaluate(MARK)
        lab.page.wait_for_timeout(100)
        lab.ask("0")
        if widget.evaluate(MARKED) == marks:
            return marks
    raise AssertionError("controls are made anew again and again")


def test_tab_reaches_every_control(lab: Lab, widget: Locator) -> None:
    expected = controls_at_rest(lab, widget)
    widget.locator("[data-stop='0']").focus()

    reached: list[str] = []
    while (stop := lab.page.evaluate(FOCUSED)) is not None and stop not in reached:
        reached.append(stop)
        lab.page.keyboard.press("Tab")

    assert reached == expected


@pytest.mark.usefixtures("axe_installed", "widget")
def test_axe_finds_nothing_serious(lab: Lab) -> None:
    assert axe.findings_in_both_themes(lab) == []
