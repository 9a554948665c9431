"""What holds for every widget: it opens, keeps its keys, and can be used without a mouse and without colors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import axe
from tests.browser.lab import DARK, LIGHT, Lab
from tests.browser.samples import MAPS, WIDGETS, cell
from tests.fixtures import load

if TYPE_CHECKING:
    from playwright.sync_api import Locator

# What can be used, by the order of the Tab key. Of a group in which arrow keys go on, Tab stops at one.
CONTROLS = """root => [...root.querySelectorAll('a[href], button, input, select, summary, textarea, [tabindex]')]
  .filter(control => control.checkVisibility({visibilityProperty: true}) && !control.disabled && control.tabIndex >= 0)
  .filter(control => control.type !== 'radio' || control.checked)
  .map((control, i) => control.dataset.stop = String(i))"""
FOCUSED = "() => document.activeElement.dataset.stop ?? null"


@pytest.mark.parametrize("game_map", MAPS)
def test_all_widgets_open_on_every_map(lab: Lab, game_map: str) -> None:
    lab.show(*(cell(widget, game_map) for widget in WIDGETS))

    widgets = lab.page.locator(".jp-Notebook .ttr")

    for widget in widgets.all():
        assert widget.get_attribute("role") == "region"
        assert widget.get_attribute("aria-label")
        if widget.locator(".ttr-board").count():
            assert widget.locator(".ttr-route").count() == len(load(game_map).routes)
            assert widget.locator(".ttr-city").count() == len(load(game_map).cities)
    assert widgets.count() == len(WIDGETS)


@pytest.mark.parametrize("name", WIDGETS)
def test_keys_stay_in_the_widget(lab: Lab, name: str) -> None:
    widget = lab.show("1 + 1", cell(name, "nordic"))
    before = lab.cells
    control = widget.locator("button:visible:enabled, input:visible:enabled, select:visible:enabled")

    for place in (control.first, control.last):
        for key in ("b", "a", "d", "d", "x", "z", "Escape", "ArrowUp", "ArrowDown", "Home", "End", "Enter", "Space"):
            place.focus()
            lab.page.keyboard.press(key)
            assert lab.cells == before, key


@pytest.mark.parametrize("name", WIDGETS)
def test_tab_reaches_every_control(lab: Lab, name: str) -> None:
    widget = lab.show(cell(name, "nordic"))
    expected = widget.evaluate(CONTROLS)

    assert reached_by_tab(widget) == expected


def reached_by_tab(widget: Locator) -> list[str]:
    """Return the controls on which Tab stops, in order."""
    page = widget.page
    widget.locator("[data-stop='0']").focus()
    stops: list[str] = []
    while (stop := page.evaluate(FOCUSED)) is not None and stop not in stops:
        stops.append(stop)
        page.keyboard.press("Tab")
    return stops


@pytest.mark.usefixtures("axe_installed")
@pytest.mark.parametrize("name", WIDGETS)
def test_axe_finds_nothing_serious(lab: Lab, name: str) -> None:
    lab.show(cell(name, "nordic"))
    found = {}
    for theme in (DARK, LIGHT):
        lab.use_theme(theme)
        found[theme] = axe.findings(lab.page, ".jp-Notebook .ttr")

    assert found == {DARK: [], LIGHT: []}


@pytest.mark.parametrize("name", WIDGETS)
def test_what_happens_is_said(lab: Lab, name: str) -> None:
    widget = lab.show(cell(name, "nordic"))

    live = widget.locator(".ttr-live")

    assert live.get_attribute("aria-live") == "polite"
    assert live.inner_text().strip()
