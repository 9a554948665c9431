"""Players with one known fault: most of what they do otherwise than a planner belongs to that part of the game."""

from __future__ import annotations

from collections import Counter

import pytest

from scripts import planted
from ttr_analysis.studies.judging import Budget
from ttr_analysis.studies.losses import BLOCKED, CLAIMING, DRAWS, decisions_of

pytestmark = pytest.mark.compiled_only


@pytest.mark.parametrize(
    ("who", "place", "aims"),
    [("tickets", DRAWS, {"often"}), ("early", CLAIMING, {"early"}), ("blind", BLOCKED, {"late", ""})],
)
def test_a_fault_is_found_where_it_is(who: str, place: str, aims: set[str]) -> None:
    """What it costs takes more games to tell: `scripts/planted.py`."""
    found = decisions_of([(0, planted.review(planted.play(who, "usa", 0), Budget(1, None)))])
    ((first, _),) = Counter(found["planned_place"]).most_common(1)
    assert first == place
    assert set(found.loc[found["planned_place"] == place, "aim"]) & aims


@pytest.mark.parametrize("number", [2004, 2023])
def test_waiting_for_a_taken_route_belongs_to_blocked_routes_even_at_the_end(number: int) -> None:
    """A player who ignores others waits there with all tickets done: no route is in the way of one."""
    found = decisions_of([(0, planted.review(planted.play("blind", "usa", number), Budget(1, None)))])
    assert len(found)
    assert set(found["planned_place"]) == {BLOCKED}
