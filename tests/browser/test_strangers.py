"""Names from strangers in a browser: whatever stands in a map or a record is shown as text, and runs nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

import ttr_analysis as ttr
from tests.browser.samples import WIDGETS, cell_on
from tests.report.hostile import NAMES, write_hostile_map
from ttr_analysis.widgets import GameStepper

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.browser.lab import Disk, Lab

TITLE = "</title></script><script>hit = 1</script><!-- \u05ea\u05dc \u05d0\u05d1\u05d9\u05d1"
NOTE = "<img src=x onerror='hit = 1'> ${hit = 1} javascript:hit=1"
PLAYERS = (
    "<script>hit = 1</script>",
    "\"><img src=x onerror='hit = 1'>",
    "\u0627\u0644\u062f\u0627\u0631 \u0627\u0644\u0628\u064a\u0636\u0627\u0621",
    "W" * 200,
)


@dataclass(frozen=True)
class Strange:
    """A record on a map, both with names made to break pages."""

    folder: Path
    record: ttr.GameRecord
    path: Path


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Strange:
    """Return a game played on a hostile map by hostile players."""
    place = tmp_path_factory.mktemp("strange")
    folder = write_hostile_map(place / "strangers")
    game = ttr.Game(ttr.load_map(folder), n_players=len(PLAYERS))
    played = game.play([ttr.policies.Greedy(), *[ttr.policies.Random()] * (len(PLAYERS) - 1)], seed=7)
    header = replace(played.header, title=TITLE, note=NOTE, players=PLAYERS)
    record = ttr.GameRecord.loads(replace(played, header=header).dumps(), game.game_map)
    record.save(place / "game.jsonl")
    return Strange(folder, record, place / "game.jsonl")


def assert_nothing_ran(widget: Locator) -> None:
    """Check that no name has become a part of the page, nor run, nor made the widget wider than its place."""
    assert widget.page.evaluate("() => typeof hit") == "undefined"
    assert widget.locator("script, img, iframe, object, embed, style, form").count() == 0
    assert widget.evaluate("root => root.scrollWidth <= root.clientWidth")


def test_a_page_shows_names_as_text(disk: Disk, strange: Strange, tmp_path: Path) -> None:
    GameStepper(strange.record).to_html(tmp_path / "game.html")
    widget = disk.show(tmp_path / "game.html")

    for key in ("Home", "End"):
        disk.page.keyboard.press(key)
        assert_nothing_ran(widget)
    assert disk.page.locator("script").count() == 2  # the data and the module
    assert TITLE in disk.page.title()
    names = widget.locator(".ttr-name").all_text_contents()
    assert [name.strip("\u2068\u2069") for name in names] == list(PLAYERS)
    cities = widget.locator(".ttr-city").evaluate_all("cities => cities.map(city => city.dataset.city)")
    assert set(cities) == {city.name for city in strange.record.map.cities}
    assert NAMES["Ærø Havn"] in cities
    states = strange.record.states()
    step, built = next((k, state.stations) for k, state in enumerate(states) if state.stations)
    widget.locator("input[type=range]").fill(str(step))
    marked = widget.locator(".ttr-city.is-last").evaluate_all("cities => cities.map(city => city.dataset.city)")
    assert marked == list(built)
    disk.page.keyboard.press("End")
    stations = states[-1].stations
    titles = widget.locator(".ttr-city title").all_text_contents()
    assert set(stations) & set(NAMES.values())
    assert all(any(title.startswith(f"{city}: station of ") for title in titles) for city in stations)


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_shows_names_as_text(lab: Lab, strange: Strange, name: str) -> None:
    widget = lab.show(cell_on(WIDGETS[name], str(strange.folder), strange.path))

    assert_nothing_ran(widget)
    text = widget.text_content() or ""
    assert [name for name in NAMES.values() if name in text]
