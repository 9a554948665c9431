"""The states of a record are what the independent referee sees on the table, step by step."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.engine.judged import as_the_referee_has_it, counts, on_the_table
from tests.engine.records import TABLES, Table, played
from tests.oracles.referee import Referee

SMALL = [Table("nordic", "", 3), Table("nederland", "neutral", 2), Table("invented", "", 5)]

every_table = pytest.mark.parametrize("table", TABLES, ids=str)


@every_table
def test_every_state_lies_as_on_the_table_of_the_referee(table: Table) -> None:
    check(table, "even")


@pytest.mark.parametrize("mood", [pytest.param("hoarding", marks=pytest.mark.compiled_only), "curious"])
@pytest.mark.parametrize("table", SMALL, ids=str)
def test_piles_that_run_out_lie_as_on_the_table_of_the_referee(table: Table, mood: str) -> None:
    check(table, mood)


def check(table: Table, mood: str) -> None:
    """Let the referee follow a record, and compare after each step."""
    record = played(table, mood)
    lines = [json.loads(line) for line in record.dumps().splitlines()[1:]]
    referee = Referee(table.game_map, table.n_players)
    at = 0
    for events, state in zip(record.steps, record.states(), strict=True):
        step, at = lines[at : at + len(events)], at + len(events)
        for line in step:
            referee.apply(line)
        assert on_the_table(state) == as_the_referee_has_it(referee), f"after event {at}"
        if state.pending:
            revealed = [line["card"] for line in step if line["event"] == "card_revealed"]
            assert counts(state.pending.revealed) == Counter(revealed)
    assert referee.due is None
