"""Records whose market nobody wrote down: a card is known when it is taken, and never before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.engine.invariants import Law, broken_law
from tests.engine.positions import Position
from tests.engine.records import EACH_VARIANT, Table, each_variant, played
from tests.engine.walks import state_of
from tests.fixtures import load
from tests.policies.test_worlds import worlds_of
from ttr_analysis import Game, GameError, GameRecord, IllegalActionError, RecordError
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions import DrawCard, DrawFaceUp
from ttr_analysis.engine.events import Chance
from ttr_analysis.engine.layout import UNKNOWN_CARD
from ttr_analysis.notation import read_game, record_lines
from ttr_analysis.policies import Greedy
from ttr_analysis.policies.search.watching import know
from ttr_analysis.records.entries import Entry, in_offer_order
from ttr_analysis.rules.market import has_too_many_locomotives
from ttr_analysis.studies import win_probability
from ttr_analysis.tables import game_tables


def without_market(record: GameRecord) -> GameRecord:
    """Return a record as somebody keeps it who looks at the market only when a card is taken."""

    def forgotten() -> Iterator[Entry]:
        market: dict[int, int] = {}
        for entry in record.entries:
            if entry.kind == codes.MARKET_CARD:
                market[entry.argument] = entry.value
                yield entry._replace(value=UNKNOWN_CARD)
            elif entry.kind == codes.DRAW_FACE_UP:
                yield entry._replace(value=1 + market[entry.argument])
            else:
                yield entry

    return replace(record, entries=tuple(forgotten()))


@each_variant
def test_a_game_without_its_market_is_the_same_game(table: Table) -> None:
    record = played(table)
    forgotten = without_market(record)

    assert GameRecord.loads(forgotten.dumps(), record.map) == forgotten
    assert read_game(record_lines(forgotten), Game(record.map, table.n_players)).entries == forgotten.entries
    assert forgotten.scores == record.scores
    for state, truth in zip(forgotten.states()[::5], record.states()[::5], strict=True):
        assert (state.n_pile, state.owners, state.hands) == (truth.n_pile, truth.owners, truth.hands)
        assert set(state.market) <= {"?", None}
        assert state.packed.draw_pile.sum() >= truth.packed.draw_pile.sum()


@each_variant
def test_it_may_be_watched_from_one_seat(table: Table) -> None:
    record = without_market(played(table))
    watched = record.watched_from(0)

    assert GameRecord.loads(watched.dumps(), record.map) == watched


def test_a_card_that_is_taken_must_be_said_and_unseen() -> None:
    game, before = state_of(Position("usa").market("red").pile(red=9))
    state, _ = game.step(before, DrawFaceUp(0), [Chance("market_card", slot=0)])

    assert state.market[0] == "?"
    with pytest.raises(IllegalActionError, match="the card in market slot 0 is unknown: name the card taken"):
        game.step(state, DrawFaceUp(0), [])
    with pytest.raises(IllegalActionError, match="every green card is known to be elsewhere"):
        game.step(state, DrawFaceUp(0, "green"), [])
    after, _ = game.step(state, DrawFaceUp(0, "red"), [Chance("market_card", slot=0)])
    assert after.hands[0].as_dict()["red"] == before.hands[0].as_dict().get("red", 0) + 2
    with pytest.raises(IllegalActionError, match="the card in market slot 0 is known to be red"):
        game.step(before, DrawFaceUp(0, "red"), [Chance("market_card", slot=0)])


def test_legal_actions_name_each_card_that_may_lie_there() -> None:
    game, before = state_of(Position("usa").market("red").pile(red=4, locomotive=2))
    state, _ = game.step(before, DrawCard(), [Chance("card_drawn", 0, card="red")])
    state, _ = game.step(state, DrawFaceUp(0), [Chance("market_card", slot=0)])

    taken = [action for action in game.legal_actions(state) if action.__class__ is DrawFaceUp and action.slot == 0]

    assert taken == [DrawFaceUp(0, "red"), DrawFaceUp(0, "locomotive")]


def test_chance_cannot_go_on_and_says_what_is_unknown() -> None:
    record = without_market(played(EACH_VARIANT[0]))

    with pytest.raises(GameError, match="cannot continue from a state with 5 unknown cards in the market"):
        record.resume(4, seed=1)


@pytest.mark.compiled_only
def test_win_probability_fills_the_market() -> None:
    record = without_market(played(Table("nordic", "", 2)))

    found = win_probability(record, 0, step=len(record.steps) // 2, n_rollouts=40, seed=3)

    assert found["win"].sum() == pytest.approx(1)


def test_tickets_of_one_turn_come_up_in_any_order_and_a_refusal_names_the_one_due() -> None:
    record = played(Table("usa", "", 2), "curious")
    at, top, other, last = _from_under_the_pile(record)
    entries = list(record.entries)
    entries[at : at + 2] = entries[at + 1], entries[at]

    swapped = replace(record, entries=tuple(in_offer_order(entries)))

    assert swapped.scores == record.scores
    assert {top, other} == {entry.value for entry in entries[at : at + 2]}
    entries[at] = entries[at]._replace(value=last)
    name = record.map.tickets[top].id
    with pytest.raises(RecordError, match=f"is impossible here: ({name}|{record.map.tickets[other].id}) is on top"):
        replace(record, entries=tuple(entries)).states()


def _from_under_the_pile(record: GameRecord) -> tuple[int, int, int, int]:
    """Return where two tickets of one turn come up from under the pile, these two, and one that lies below."""
    for number, step in enumerate(record._timeline.steps):
        before = record._timeline.vector(number - 1) if number else None
        if before is None or step.code != codes.DRAW_TICKETS or before.n_ticket_pile > 0 or before.n_queued < 4:
            continue
        places = [(before.queue_head + i) % len(before.queue) for i in range(before.n_queued)]
        if before.queued_at[places[0]] == before.queued_at[places[1]] < before.queued_at[places[-1]]:
            top, other, last = (int(before.queue[place]) for place in (places[0], places[1], places[-1]))
            return step.first + 1, top, other, last
    raise AssertionError("no such draw")


@pytest.mark.compiled_only
@pytest.mark.parametrize("table", [Table("usa", "", 3), Table("nordic", "", 2), Table("switzerland", "", 3)], ids=str)
def test_worlds_keep_all_laws_and_no_market_lies_there_that_is_replaced(table: Table) -> None:
    record = without_market(played(table))
    tables = game_tables(record.map, table.n_players)
    for step in range(table.n_players + 1, len(record.steps) - 1, 97):
        for seat in (0, None):
            known = know(record, seat, step)
            for world in worlds_of(known, 96):
                assert Law(broken_law(world, tables)) == Law.NONE
                assert not has_too_many_locomotives(world.market[: tables.market_size], tables.reset_at)


def test_a_market_that_was_replaced_held_locomotives() -> None:
    record = without_market(Game(load("usa"), 5).play([Greedy()] * 5, seed=0))
    n_resets = 0
    for before, after in pairwise(record.states()):
        if after.packed.n_swept == before.packed.n_swept + 2:
            n_resets += 1
            assert after.discards.as_dict()["locomotive"] == before.discards.as_dict().get("locomotive", 0) + 3

    assert n_resets > 0
