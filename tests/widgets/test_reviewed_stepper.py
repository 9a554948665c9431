"""A review in the stepper: what it says of each step, and whose review is shown to whom."""

from __future__ import annotations

import json
import re

import pytest

from tests.widgets.reviewed import a_review
from ttr_analysis import Game, GameRecord
from ttr_analysis.studies import Review
from ttr_analysis.studies.judging import BOUNDS
from ttr_analysis.widgets import GameStepper

pytestmark = pytest.mark.compiled_only


@pytest.fixture(scope="module")
def reviewed() -> Review:
    """Return a review in which moves cost something."""
    return a_review()


@pytest.fixture
def record(reviewed: Review) -> GameRecord:
    """Return its game."""
    return reviewed.record


def test_every_judged_step_is_told_and_losses_with_what_was_better(record: GameRecord, reviewed: Review) -> None:
    stepper = GameStepper(record, review=reviewed)

    found = json.loads(json.dumps(stepper.data["review"]))
    table = reviewed.table
    assert list(map(int, found)) == table.index.tolist()
    assert [one["label"] for one in found.values()] == table["label"].tolist()
    bad = table[table["label"].isin(BOUNDS)]
    assert len(bad)
    assert [one["best"] for one in found.values() if "best" in one] == bad["best"].tolist()
    routes = {route.id for route in record.map.routes}
    assert {one["place"]["route"] for one in found.values() if one.get("place")} <= routes
    told = [f"{label.capitalize()}: {reviewed.cost(step)}" for step, label in zip(bad.index, bad["label"], strict=True)]
    assert [found[str(step)]["words"] for step in bad.index] == told
    assert all(re.search(r": cost 1?[5-7] percentage points of win probability [(]5 to 1[67]", words) for words in told)
    assert stepper.data["win"]["percent"][0][-1] is not None


def test_a_review_is_shown_to_whom_it_is_of(record: GameRecord, reviewed: Review) -> None:
    assert GameStepper(record, seat=0, review=reviewed).data["review"]
    with pytest.raises(ValueError, match="a view of P1 needs a review from review"):
        GameStepper(record, seat=1, review=reviewed)
    with pytest.raises(ValueError, match="belongs to another game"):
        GameStepper(Game(record.map, 2).play(["Random", "Greedy"], seed=8), review=reviewed)
    with pytest.raises(TypeError, match="expected a review"):
        GameStepper(record, review=reviewed.table)  # type: ignore[arg-type]
