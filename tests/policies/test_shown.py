"""When seats got the tickets that a log names only at the end: orders that are possible, and mostly right."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import numpy as np
import pytest

from tests.engine.invariants import Law, broken_law
from tests.fixtures import load
from tests.notation.bga_writer import log_text
from ttr_analysis import Game, GameRecord, read_bga
from ttr_analysis.engine.layout import UNKNOWN_CARD, UNKNOWN_TICKET, State
from ttr_analysis.policies import Planner
from ttr_analysis.policies.search.rollouts import Rollouts
from ttr_analysis.policies.search.shown import N_ORDERS, ticket_orders
from ttr_analysis.policies.search.watching import Watcher
from ttr_analysis.tables import game_tables

pytestmark = pytest.mark.compiled_only

TABLES = [("usa", 3), ("nordic", 3), ("europe", 3), ("nederland", 2)]


@cache
def both(name: str, n_players: int, number: int) -> tuple[GameRecord, GameRecord]:
    """Return a game of planners who draw many tickets, and what its log says."""
    players = [Planner(ticket_bar=-8.0, ticket_trains=8.0, ticket_turns=3.0)] * n_players
    record = Game(load(name), n_players).play(players, seed=5, game=number)
    return record, read_bga(log_of(record), game_map=name)


def log_of(record: GameRecord) -> str:
    """Return the lines of a game, with what each player is told."""
    return log_text(record, np.random.default_rng(3))


def without_completed(text: str) -> str:
    """Return a log that does not say which tickets were completed."""
    return re.sub(r"You completed .*\n", "", text)


def turns_of(record: GameRecord, seat: int) -> list[int]:
    """Return after which step a seat held each of its tickets, in order."""
    n_held = State.across(record.timeline().vectors(), "n_held")[:, seat]
    turns: list[int] = np.searchsorted(n_held, np.arange(n_held[-1]), side="right").tolist()
    return turns


@pytest.mark.parametrize(("name", "n_players"), TABLES)
def test_orders_have_the_tickets_shown_and_long_ones_come_first(name: str, n_players: int) -> None:
    record, log = both(name, n_players, 0)
    for seat in range(n_players):
        orders, held = ticket_orders(log, seat), [ticket for ticket in record.state_at(-1).tickets[seat] if ticket]
        numbers = sorted(map(record.map.tickets.index, held))

        assert len(orders) == (N_ORDERS if len(set(turns_of(log, seat))) > 1 else 1)
        assert all(sorted(order) == numbers for order in orders.tolist())
        tables, is_late = game_tables(record.map, n_players), np.array(turns_of(log, seat)) > n_players
        assert not tables.deck_leaves[tables.ticket_deck[orders[:, is_late]]].any()


def test_likely_orders_are_mostly_right() -> None:
    """Of tickets in draws, 6 in 10 or more are in the right turn, where chance puts 4."""
    right, chance = [], []
    for name, n_players in TABLES:
        for number in range(3):
            record, log = both(name, n_players, number)
            for seat in range(n_players):
                turns, orders = turns_of(log, seat), ticket_orders(log, seat)
                truth = dict(zip(State(record.timeline().vectors()[-1]).held[seat].tolist(), turns, strict=False))
                if len(orders) > 1:
                    right.append(
                        np.mean([[truth[t] == turn for t, turn in zip(o, turns, strict=True)] for o in orders])
                    )
                    chance.append(np.mean([turns.count(turn) / len(turns) for turn in turns]))
    assert np.mean(right) > max(0.6, np.mean(chance) + 0.2), (np.mean(right), np.mean(chance))


@pytest.mark.parametrize(("name", "n_players"), TABLES)
@pytest.mark.parametrize("is_everybody", [False, True])
def test_worlds_hold_one_of_the_orders_and_break_no_law(name: str, n_players: int, *, is_everybody: bool) -> None:
    _, log = both(name, n_players, 1)
    tables = game_tables(log.map, n_players)
    watcher = Watcher(log, None if is_everybody else 1)
    for step in range(n_players + 1, len(log.steps) - n_players - 1, 25):
        known = watcher.at(step)
        table = Rollouts(log.map, n_players, seed=3)
        orders = ticket_orders(log, 1)
        n_held = int(known.packed.n_held[1])
        for number, world in enumerate(map(State, table.worlds(known, table.believe(known), 10))):
            assert Law(broken_law(world, tables)) == Law.NONE
            assert UNKNOWN_TICKET not in world.held[1, :n_held]
            assert world.held[1, :n_held].tolist() == orders[number % len(orders), :n_held].tolist()


def test_a_record_that_knows_all_has_no_orders_to_choose_from() -> None:
    record, _ = both("usa", 3, 0)

    assert ticket_orders(record, 0).shape[0] == 0
    assert ticket_orders(record.watched_from(1, shown=False), 0).shape[0] == 0
    assert Watcher(record, 0).at(40).orders == {}


@pytest.mark.parametrize(("name", "n_players"), TABLES)
def test_tickets_that_a_log_calls_completed_were_held_by_then(name: str, n_players: int) -> None:
    record, log = both(name, n_players, 2)
    silent = read_bga(without_completed(log_of(record)), game_map=name)
    n_told, right = 0, {log: 0.0, silent: 0.0}
    for seat in range(n_players):
        turns, last = turns_of(log, seat), record.state_at(-1).packed
        held = last.held[seat, : last.n_held[seat]].tolist()
        truth = dict(zip(held, turns, strict=True))
        orders = {read: ticket_orders(read, seat) for read in right}
        for read, its in orders.items():
            right[read] += np.mean([[truth[t] == turn for t, turn in zip(o, turns, strict=True)] for o in its])
        for step, stamp in enumerate(log.stamps):
            for ticket in stamp.completed if stamp else ():
                if log.map.ticket_numbers[ticket] not in held:
                    continue
                n_told += 1
                number = log.map.ticket_numbers[ticket]
                is_exact = step in turns and name != "europe"  # where another's claim may complete a ticket
                assert truth[number] == step if is_exact else truth[number] <= step
                kept = [turns[order.index(log.map.ticket_numbers[ticket])] for order in orders[log].tolist()]
                assert {*kept} == {step} if is_exact else max(kept) <= step
    assert n_told > n_players
    assert right[log] >= right[silent] - 0.1 * n_players


@pytest.mark.parametrize(("name", "n_players"), TABLES)
def test_the_next_card_taken_lay_in_the_market(name: str, n_players: int) -> None:
    record, log = both(name, n_players, 1)
    watcher, n_new = Watcher(log, 0), 0
    for step in range(n_players + 1, len(record.steps), 3):
        told, known = log.state_at(step).packed.market, watcher.at(step).packed.market
        (new,) = np.nonzero(told != known)
        n_new += len(new)
        cards, lay = (
            Counter(known[known < UNKNOWN_CARD].tolist()),
            Counter(record.state_at(step).packed.market.tolist()),
        )
        assert len(new) <= 1
        assert cards <= lay
    assert n_new > 10


def test_doubt_is_about_the_set_of_tickets_not_their_order() -> None:
    log = read_bga(without_completed(log_of(both("usa", 3, 0)[0])), game_map="usa")
    watcher, turns = Watcher(log, 0), turns_of(log, 0)

    assert len(set(watcher.at(len(log.steps) - 1).hands(0))) == 1
    assert len(set(watcher.at(turns[-1] - 1).hands(0))) > 1
