"""Choices played out: who is held to what, and what the figures say."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from tests.fixtures import load
from ttr_analysis import GameMap, studies
from ttr_analysis.analysis import paths, tickets
from ttr_analysis.engine.kernel.claims import build_station
from ttr_analysis.engine.kernel.scoring import mark_completed
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import AT_OFFER, AT_PILE, AT_REMOVED, State
from ttr_analysis.policies import Planner
from ttr_analysis.policies.playout import NO_TAPE_CELLS, seat_players
from ttr_analysis.rules.chance import run_keys
from ttr_analysis.studies import choices
from ttr_analysis.tables import game_tables

if TYPE_CHECKING:
    import pandas as pd

LIEKSA = "Lieksa-Murmansk/0"
DEAL = ["Oslo-Vaasa", "Oslo-Stockholm", "Narvik-Murmansk", "Bergen-Narvik"]
GAMES = 12


@pytest.mark.compiled_only
def test_a_seat_is_held_to_its_choice_and_nobody_else_is(nordic: GameMap) -> None:
    tables, players, words = game_tables(nordic, 3), seat_players(nordic, [Planner()] * 3), run_keys(7, 3)
    route = [other.id for other in nordic.routes].index(LIEKSA)
    tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
    states = np.zeros((120, State.n_cells), dtype=np.int64)
    left = np.zeros(len(states))
    wait = choices.Choice(choices.WAIT, deals=True, route=route, own=4, left=25.0)
    choices.play_chosen(tables, players, words, np.arange(len(states)), states, tape, wait, left)
    found = np.flatnonzero(left)
    assert 0 < len(found) < len(states)
    assert (left[found] <= 25).all()
    owners = {}
    for will in (choices.FREE, choices.NEVER, choices.GO):
        played = states[found]
        for i, game in enumerate(found):
            state = State(played[i])
            assert state.seat == game % 3
            assert choices.own_cards(state, tables, state.seat, route) >= 4
        choices.play_chosen(
            tables, players, words, found, played, tape, choices.Choice(will, route=route), np.zeros(len(found))
        )
        owners[will] = State.across(played, "owner")[:, route]
    seats = found % 3
    assert not (owners[choices.NEVER] == seats).any()
    assert (owners[choices.NEVER] >= 0).any(), "the others may take it"
    assert (owners[choices.GO] == seats).mean() > max(0.7, (owners[choices.FREE] == seats).mean())


@pytest.mark.compiled_only
def test_what_a_route_gains_is_its_points_less_what_else_they_earn(nordic: GameMap) -> None:
    table = studies.route_worth(nordic, LIEKSA, own=[7, 0], n_games=40, progress=False)
    assert table.index.tolist() == [(0, math.inf), (7, math.inf)]
    assert table.loc[(0, math.inf), "positions"] == 40
    assert table["gain"].to_numpy() == pytest.approx(27 * table["claimed"] - table["elsewhere"])
    for name in ("gain", "win_gain", "elsewhere", "free_gain", "free_win_gain"):
        assert (table[f"{name}_low"] <= table[name]).all()
        assert (table[name] <= table[f"{name}_high"]).all()
    assert table["gain_high"].iloc[0] < 0, "nine cards of any color are a long wait"
    again = studies.route_worth(nordic, LIEKSA, own=[7, 0], n_games=40, progress=False)
    assert again.equals(table)


@pytest.mark.compiled_only
def test_fewer_turns_left_are_a_moment_of_their_own() -> None:
    table = studies.route_worth(load("nordic"), LIEKSA, own=[3], turns_left=[10, 20], n_games=20, progress=False)
    assert table.index.tolist() == [(3, 10.0), (3, 20.0)]
    assert (table["left"] <= [10.0, 20.0]).all()


@pytest.mark.compiled_only
def test_a_moment_that_never_comes_says_nothing() -> None:
    table = studies.route_worth(load("nordic"), LIEKSA, own=[0, 30], n_games=3, progress=False)
    assert table["positions"].tolist() == [3, 0]
    assert math.isnan(table["gain"].iloc[1])


@pytest.mark.parametrize("name", ["nordic", "switzerland", "nederland", "europe"])
@pytest.mark.parametrize("n", [1, 3])
def test_a_deal_is_made_of_the_tickets_given(name: str, n: int) -> None:
    game_map = load(name)
    tables = game_tables(game_map, 3)
    words, tape = run_keys(3, 3), np.zeros(NO_TAPE_CELLS, dtype=np.int64)
    rng = np.random.default_rng(5)
    for game in range(GAMES):
        state = State()
        new_game(tables, words[0], game, state, tape)
        n_out = int((state.ticket_at[: tables.n_tickets] == AT_REMOVED).sum())
        deck = tables.ticket_deck[: tables.n_tickets]
        last = np.flatnonzero(deck == deck.max())  # of the last deck three are dealt, or more
        deal = rng.choice(last, n, replace=False)
        if game % 2:
            deal[0] = state.offer[2, 0]  # dealt to another seat, from the first deck
            deal = np.array(list(dict.fromkeys(deal.tolist())), dtype=np.int64)
        if game % 3 == 2 and deck.max() > 0:
            deal[-1] = np.flatnonzero((deck == 0) & (state.ticket_at[: tables.n_tickets] == AT_REMOVED))[0]
        if (deck[deal] == 0).sum() > tables.deck_deal[0]:
            deal = deal[1:]
        choices.deal_tickets(state, tables, 1, deal)
        offered = [int(t) for seat in range(3) for t in state.offer[seat, : state.n_offer[seat]]]
        assert state.offer[1, : len(deal)].tolist() == deal.tolist()
        assert state.n_offer[1] == len(deal)
        assert len(set(offered)) == len(offered)
        where = state.ticket_at[: tables.n_tickets]
        assert sorted(offered) == np.flatnonzero(where == AT_OFFER).tolist()
        assert (where == AT_PILE).sum() == state.n_ticket_pile
        n_given_up = tables.deck_deal[0] - (deck[deal] == 0).sum() if deck.max() > 0 else 0
        assert (where == AT_REMOVED).sum() == n_out + n_given_up


@pytest.fixture(scope="module")
def kept() -> pd.DataFrame:
    """Return all choices of a deal, played out."""
    return studies.which_to_keep(load("nordic"), DEAL, n_games=20, progress=False)


@pytest.mark.compiled_only
def test_each_choice_is_played_and_ranked_by_wins(nordic: GameMap, kept: pd.DataFrame) -> None:
    table, told = kept, tickets.which_to_keep(nordic, DEAL)
    assert sorted(table["keep"]) == sorted(told["keep"])
    assert table["win_rate"].is_monotonic_decreasing
    assert (table["win_difference"] <= 0).all()
    assert table["win_difference"].to_numpy() == pytest.approx(table["win_rate"] - table["win_rate"].iloc[0])
    assert (table["all_completed"] <= table["completion_rate"]).all()
    assert table["completion_rate"].between(0, 1).all()
    assert max(table["keep"], key=len) in cast("Any", table)._repr_html_()


def test_a_deal_too_large_is_refused(usa: GameMap) -> None:
    with pytest.raises(ValueError, match="an opening deal of this map has 3 tickets, got 4"):
        studies.which_to_keep(usa, usa.tickets[:4], progress=False)


def test_a_deal_with_too_many_of_a_deck_is_refused(europe: GameMap) -> None:
    long, short = ([ticket for ticket in europe.tickets if ticket.deck == name] for name in ("long", "short"))
    with pytest.raises(ValueError, match="an opening deal of this map has 1 long ticket, got 2"):
        studies.which_to_keep(europe, long[:2], progress=False)
    with pytest.raises(ValueError, match="an opening deal of this map has 3 short tickets, got 4"):
        studies.which_to_keep(europe, short[:4], progress=False)


@pytest.mark.compiled_only
def test_a_ticket_that_a_station_completes_counts_as_completed(europe: GameMap) -> None:
    tables, deal = game_tables(europe, 2), europe.tickets[0]
    goal, origin = deal.destinations[0][0].name, deal.origin.name
    path = paths.shortest_path(europe, origin, goal).routes
    states = np.zeros((2, State.n_cells), dtype=np.int64)
    tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
    done = np.zeros((2, 1), dtype=np.int8)
    for i in range(2):
        state = State(states[i])
        new_game(tables, run_keys(3, 2)[0], i, state, tape)
        for route in path:
            state.owner[europe.routes.index(route)] = 0
        state.owner[europe.routes.index(path[0])] = 1
        state.held[0, 0], state.n_held[0] = 0, 1
    build_station(State(states[0]), tables, tape, 0, europe.cities.index(europe.city(path[0].cities[0])))

    for i in range(2):
        mark_completed(tables, states[i : i + 1], np.array([0]), np.array([0]), done[i : i + 1])

    assert done[:, 0].tolist() == [1, 0]


@pytest.mark.compiled_only
def test_the_best_of_many_choices_are_found_in_a_few_games(nordic: GameMap, kept: pd.DataFrame) -> None:
    few = studies.which_to_keep(nordic, DEAL, n_games=20, n_best=3, progress=False)
    assert len(few) == 3
    assert few["keep"].iloc[0] in kept["keep"].iloc[:3].tolist()
    same = kept.set_index("keep").loc[few["keep"], "win_rate"]
    assert few["win_rate"].tolist() == same.tolist()
