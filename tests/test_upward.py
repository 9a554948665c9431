"""Rich output without importing what draws it."""

import sys
from importlib import import_module
from types import ModuleType

import pytest

from ttr_analysis import GameMap
from ttr_analysis._upward import RENDERERS, render_html
from ttr_analysis.viz.html import page
from ttr_analysis.widgets.base import page as page_of_widget


class Thing:
    """Something with a `repr` that HTML must not read as a tag."""

    def __repr__(self) -> str:
        return "<script>"


class Special(Thing):
    """A subclass, drawn like its base."""


def test_titles_and_data_of_pages_are_escaped() -> None:
    plain = page(title="<b>", styles="", body="", script="")
    widget = page_of_widget(title="<b>", module="export default { render };", styles="", values={"name": "</script>"})

    assert "<title>&lt;b&gt;</title>" in plain
    assert "<title>&lt;b&gt;</title>" in widget
    assert r"\u003c/script>" in widget


def register(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    monkeypatch.setitem(RENDERERS, f"{Thing.__module__}.Thing", target)


def test_without_a_renderer_the_escaped_repr_is_shown() -> None:
    assert render_html(Thing()) == "<pre>&lt;script&gt;</pre>"


@pytest.mark.parametrize("kind", [Thing, Special])
def test_the_renderer_of_a_type_serves_its_subclasses(kind: type[Thing], monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("renderer_of_things")
    module.__dict__["draw"] = lambda thing: f"<b>{type(thing).__name__}</b>"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    register(monkeypatch, "renderer_of_things:draw")

    assert render_html(kind()) == f"<b>{kind.__name__}</b>"


def test_where_nothing_can_draw_the_repr_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, "no_such_drawing_library:draw")

    assert render_html(Thing()) == "<pre>&lt;script&gt;</pre>"


def test_text_can_be_added_to_what_is_shown(nordic: GameMap) -> None:
    assert render_html(nordic).replace("<svg", "<svg id='x'").startswith("<svg id='x'")


def test_a_fault_of_the_renderer_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("broken_renderer")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    register(monkeypatch, "broken_renderer:draw")

    with pytest.raises(AttributeError, match="draw"):
        render_html(Thing())


@pytest.mark.parametrize(("kind", "target"), sorted(RENDERERS.items()))
def test_both_ends_of_every_reference_exist(kind: str, target: str) -> None:
    home, _, name = kind.rpartition(".")
    module, _, function = target.partition(":")

    assert isinstance(getattr(import_module(home), name), type)
    assert callable(getattr(import_module(module), function))
