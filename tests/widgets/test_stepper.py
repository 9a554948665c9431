"""The stepper as Python sees it; what the page shows is tested in a browser."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from traitlets import TraitError

import ttr_analysis as ttr
from tests.fixtures import load
from tests.report.hostile import TITLE, write_hostile_map
from tests.report.pages import read_page
from ttr_analysis import GameRecord
from ttr_analysis.engine.events import Move
from ttr_analysis.widgets import GameStepper

HOSTILE = ("<script>alert(1)</script>", "'\"><img src=x onerror=alert(1)>", "</script><!--", "תל אביב-יפו", "W" * 200)


@pytest.fixture(scope="module")
def record() -> GameRecord:
    """Return a short game."""
    return ttr.Game(load("invented")).play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)


def page_of(stepper: GameStepper, folder: Path) -> str:
    """Return a stepper as a page."""
    stepper.to_html(folder / "game.html")
    return (folder / "game.html").read_text(encoding="utf-8")


def data_of(page: str) -> str:
    """Return the data in a page, as it stands there."""
    found = re.search(r'<script type="application/json" id="values">(.*?)</script>', page, flags=re.DOTALL)
    assert found
    return found[1]


def test_the_step_is_set_and_read(record: GameRecord) -> None:
    stepper = GameStepper(record, step=-1)
    assert stepper.step == len(record.states()) - 1

    stepper.step = 12

    assert stepper.state == record.states()[12]
    assert "step 12" in repr(stepper)


def test_a_step_that_is_not_there_is_refused(record: GameRecord) -> None:
    last = len(record.steps) - 1
    stepper = GameStepper(record, step=3)

    with pytest.raises(TraitError, match=f"steps 0 to {last}, got {last + 1}"):
        stepper.step = last + 1
    with pytest.raises(IndexError, match=f"steps 0 to {last}, got 9999"):
        GameStepper(record, step=9999)
    assert stepper.step == 3


def test_other_things_are_refused(record: GameRecord) -> None:
    with pytest.raises(TypeError, match="expected a GameRecord"):
        GameStepper(record.dumps())  # type: ignore[arg-type]
    with pytest.raises(ttr.GameError, match="seat from 0 to 1, got 5"):
        GameStepper(record, seat=5)


def test_a_seat_sees_no_secrets(record: GameRecord) -> None:
    stepper = GameStepper(record, seat=1)

    assert stepper.record == record.watched_from(1)
    assert stepper.data["moments"][0]["seats"][0]["hand"] == [0] * 9 + [record.states()[0].n_hands[0]]
    assert stepper.state.hands[0].n_cards == 0


def test_a_page_holds_all_it_needs(record: GameRecord, tmp_path: Path) -> None:
    stepper = GameStepper(record, step=5)
    page = page_of(stepper, tmp_path)

    seen = read_page(page)
    assert seen.faults == []
    assert "default-src 'none'" in html.unescape(page)
    assert json.loads(data_of(page)) == {"data": json.loads(json.dumps(stepper.data)), "step": 5}
    assert "export default" not in page
    assert "import " not in re.sub(r"/\*.*?\*/", "", page, flags=re.DOTALL).partition('<script type="module">')[2]


def test_an_old_page_stays_whole_if_writing_fails(
    record: GameRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.html"
    path.write_text("old", encoding="utf-8")

    def fail(_: Path, __: Path) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no space left"):
        GameStepper(record).to_html(path)

    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_a_record_stay_text(record: GameRecord, name: str, tmp_path: Path) -> None:
    header = replace(record.header, players=(name, "B"), title=name)
    check_page(page_of(GameStepper(replace(record, header=header)), tmp_path), name)


def test_names_of_a_map_stay_text(tmp_path: Path) -> None:
    hostile = ttr.load_map(write_hostile_map(tmp_path / "hostile"))
    record = ttr.Game(hostile).play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
    page = page_of(GameStepper(record), tmp_path)
    check_page(page, TITLE)
    assert json.loads(data_of(page))["data"]["facts"]["sheet"]["cities"][0]["words"] == hostile.cities[0].name


def check_page(page: str, title: str) -> None:
    """Check that a page is made of the same elements whatever the names, and that the title is the text of one."""
    seen = read_page(page)
    assert seen.faults == []
    assert [tag for tag, _ in seen.tags if tag in ("script", "img", "b", "style")] == ["style", "script", "script"]
    assert " ".join(title.split()) in seen.words
    assert "<" not in data_of(page)


# -- win probabilities -----------------------------------------------------------------


def a_curve(record: GameRecord) -> pd.DataFrame:
    """Return win probabilities of two steps of a game of two."""
    last = len(record.steps) - 1
    return pd.DataFrame({"step": [0, 0, last, last], "seat": [0, 1, 0, 1], "win": [0.5, 0.5, 0.994, 0.006]})


def seen_by(record: GameRecord, looker: object) -> pd.DataFrame:
    """Return these as a viewer saw them."""
    curve = a_curve(record)
    curve.attrs["looker"] = looker
    return curve


def test_win_probabilities_are_sent_as_percents(record: GameRecord, tmp_path: Path) -> None:
    stepper = GameStepper(record, win=a_curve(record))
    percent = stepper.data["win"]["percent"]

    assert "win" not in GameStepper(record).data
    assert {len(of_seat) for of_seat in percent} == {stepper.n_steps}
    assert [(of_seat[0], of_seat[1], of_seat[-1]) for of_seat in percent] == [(50, 50, 99.4), (50, 50, 0.6)]
    assert json.loads(data_of(page_of(stepper, tmp_path)))["data"]["win"] == stepper.data["win"]


@pytest.mark.parametrize(("win", "is_decided"), [(0.996, False), (0.99996, False), (1.0, True), (0.0, True)])
def test_only_what_is_decided_is_0_or_100_percent(record: GameRecord, win: float, *, is_decided: bool) -> None:
    percent = GameStepper(record, win=a_curve(record).assign(win=[0.5, 0.5, win, 1 - win])).data["win"]["percent"]

    assert percent[0][-1] == pytest.approx(100 * win)
    assert (percent[0][-1] in (0, 100)) is (percent[1][-1] in (0, 100)) is is_decided


def test_win_probabilities_that_end_early_are_unknown_from_there_on(record: GameRecord) -> None:
    percent = GameStepper(record, win=a_curve(record).assign(step=[2, 2, 5, 5])).data["win"]["percent"]

    assert percent[1][:7] == [None, None, 50, 50, 50, 0.6, None]
    assert set(percent[0][6:]) == {None}


@pytest.mark.parametrize(
    ("looker", "about"), [("all", ", with all hands in view"), (1, ", from what P1 could know"), (None, "")]
)
def test_whose_view_it_is_is_told_if_it_is_known(record: GameRecord, looker: object, about: str) -> None:
    assert GameStepper(record, win=seen_by(record, looker)).data["win"]["heading"] == f"Win probability{about}"


@pytest.mark.parametrize(("looker", "got"), [("all", "all hands"), (0, "P0"), (None, "a table without a viewer")])
def test_a_seat_is_not_told_more_than_it_could_know(record: GameRecord, looker: object, got: str) -> None:
    with pytest.raises(ValueError, match=f"from win_curve\\(record, 1\\), got {got}"):
        GameStepper(record, seat=1, win=seen_by(record, looker))

    assert (
        GameStepper(record, seat=1, win=seen_by(record, 1)).data["win"]["heading"]
        == "Win probability, from what P1 could know"
    )


@pytest.mark.parametrize(
    ("change", "match"),
    [
        pytest.param({"win": 1.5}, "between 0 and 1", id="no probability"),
        pytest.param({"step": 100_000}, "steps 0 to", id="a step that is not there"),
        pytest.param({"step": [0, 0, 2.5, 2.5]}, "steps 0 to", id="half a step"),
        pytest.param({"seat": 0}, "seats 0 to 1", id="a seat is missing"),
        pytest.param({"step": 3}, "got several", id="a step that is there twice"),
        pytest.param({"acting": [-1, -1, -1, -1]}, "another game: at step", id="another game"),
    ],
)
def test_win_probabilities_of_something_else_are_refused(
    record: GameRecord, change: dict[str, Any], match: str
) -> None:
    with pytest.raises(ValueError, match=match):
        GameStepper(record, win=a_curve(record).assign(**change))


def test_who_moved_is_compared_with_what_the_curve_says(record: GameRecord) -> None:
    moved = [step[0].seat if isinstance(step[0], Move) else -1 for step in record.steps]
    curve = a_curve(record).assign(acting=[moved[0], moved[0], moved[-1], moved[-1]])

    assert "win" in GameStepper(record, win=curve).data


def test_what_are_no_win_probabilities_is_refused(record: GameRecord) -> None:
    with pytest.raises(ValueError, match="there is no 'win'"):
        GameStepper(record, win=a_curve(record).drop(columns="win"))
    with pytest.raises(TypeError, match="expected a table of win probabilities"):
        GameStepper(record, win=[0.5, 0.5])  # type: ignore[arg-type]
