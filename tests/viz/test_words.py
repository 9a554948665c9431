"""Steps of games in sentences."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import ttr_analysis as ttr
from tests.engine.goldens import golden_paths, golden_record
from ttr_analysis import GameRecord
from ttr_analysis._words import isolate
from ttr_analysis.engine import actions
from ttr_analysis.engine.events import Chance, Move
from ttr_analysis.maps.names import describe_route, name_route
from ttr_analysis.viz.words import final_parts, tell

RECORDS = [pytest.param(path, id=f"{path.parent.name}-{path.stem}") for path in golden_paths()[::3]]


@pytest.mark.parametrize("path", RECORDS)
def test_all_that_happens_is_told(path: Path) -> None:
    record = golden_record(path)
    told = list(tell(record))
    states = record.states()

    assert len(told) == len(states)
    assert told[0].text.startswith("Everyone is dealt 4 cards")
    for step, events in list(enumerate(record.steps))[1:]:
        move, before, after = events[0], states[step - 1], states[step]
        if not isinstance(move, Move):
            continue
        text, outcomes = str(told[step]), [event for event in events if isinstance(event, Chance)]
        assert text.startswith(f"P{move.seat} ")
        for route in after.claimed[len(before.claimed) :]:
            assert name_route(route) in text
        for kind, words in (
            ("cards_shuffled", "the discards become the draw pile"),
            ("market_replaced", "the market is replaced"),
            ("neutral_ticket", "is turned up for the neutral player"),
        ):
            assert (words in text) == any(outcome.kind == kind for outcome in outcomes)
        for seat in range(record.header.n_players):
            paid = before.tokens[seat] != after.tokens[seat] or before.loans[seat] != after.loans[seat]
            rest = text.partition(";")[2]
            said = any(words in f"{rest};" for words in (f"P{seat} pays a toll ", f"P{seat} takes ", f" to P{seat};"))
            assert paid == said
        ends = after.is_over and not before.is_over
        assert ("the game is over" in text) == ends
        assert (" each: " in text) == (ends and bool(record.score().tie))
        assert ("the last round begins" in text) == (after.is_last_round and not before.is_last_round)


def test_players_are_called_by_the_names_given_to_them() -> None:
    record = ttr.Game("nederland").play([ttr.policies.Greedy()] * 2, seed=7)
    named = GameRecord(replace(record.header, players=("Ann", "Bo")), record.entries, record.map)

    plain, told = [list(map(str, tell(r))) for r in (record, named)]

    assert "P0" not in "".join(told)
    assert [re.sub(r"\bP0\b", "Ann", re.sub(r"\bP1\b", "Bo", line)) for line in plain] == told
    assert any("pays a toll of" in line and "to Ann" in line for line in told)


@pytest.mark.parametrize("path", RECORDS)
def test_the_three_cards_of_a_tunnel_are_told(path: Path) -> None:
    record = golden_record(path)

    for told, events in zip(tell(record), record.steps, strict=True):
        move = events[0]
        shown = tuple(event.card for event in events if isinstance(event, Chance) and event.kind == "card_revealed")
        tries = isinstance(move, Move) and isinstance(move.action, actions.ClaimRoute) and move.action.route.tunnel
        ends = isinstance(move, Move) and isinstance(move.action, actions.PayTunnel | actions.DeclineTunnel)
        groups = dict(told.cards)
        if shown:
            assert tries
            assert groups["turned over"] == shown
        assert ends <= ("turned over" in groups)


def test_secrets_are_not_told(nordic: ttr.GameMap) -> None:
    record = ttr.Game(nordic).play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7).watched_from(0)

    drawn = [told for told in tell(record) if told.seat == 1 and told.text.startswith("draws a")]
    assert drawn
    assert all(told.cards[0] == ("drawn", (None,)) for told in drawn)
    assert {told.text.partition(";")[0] for told in drawn} == {"draws an unknown card"}


def test_parts_add_up(nordic: ttr.GameMap) -> None:
    record = ttr.Game(nordic).play([ttr.policies.Planner(), ttr.policies.Random()], seed=7)

    for score in record.score():
        assert sum(points or 0 for _, points in final_parts(score)) == score.total


def test_a_name_that_runs_from_right_to_left_keeps_to_itself() -> None:
    assert isolate("Oslo") == "Oslo"
    assert isolate("\u05d0\u05d1") == "\u2068\u05d0\u05d1\u2069"


def test_a_route_is_described(nordic: ttr.GameMap) -> None:
    tunnel, ferry = nordic.route("Bergen", "Oslo", track=0), nordic.route("Aalborg", "Oslo")

    assert describe_route(tunnel).endswith("tunnel")
    assert describe_route(ferry).endswith("ferry (1 locomotive), any 3 cards for one")
