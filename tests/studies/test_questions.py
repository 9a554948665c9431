"""Questions to simulations: against sums over the tables, written out."""

from __future__ import annotations

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.fixtures import load
from ttr_analysis.policies import Greedy, Random
from ttr_analysis.studies import (
    SimulationResult,
    mean_interval,
    opening_tickets,
    route_results,
    seat_advantage,
    ticket_results,
    tunnel_results,
    wilson,
    win_rates,
)


@pytest.fixture(scope="module")
def result() -> SimulationResult:
    return ttr.simulate(load("nordic"), [Greedy(), Random(), Greedy()], 30, 7, chunk_size=7, progress=False)


def test_wins_and_points_are_counted_by_player(result: SimulationResult) -> None:
    rates, seats = win_rates(result), result.seats
    for player in range(3):
        mine, row = seats[seats["player"] == player], rates.loc[player]
        assert row["games"] == len(mine) == 30
        assert row["win_rate"] == pytest.approx(mine["won"].sum() / 30)
        assert row["win_low"] < row["win_rate"] + 1e-9
        assert row["win_rate"] < row["win_high"] + 1e-9
        assert row["points"] == pytest.approx(mine["points"].mean())
        assert row["points"] == pytest.approx(row["route_points"] + row["ticket_points"] + row["bonus"])
    assert rates["win_rate"].sum() == pytest.approx(1)
    assert list(rates["policy"]) == ["Greedy", "Random", "Greedy"]


def test_seats_are_compared_whoever_sits_there(result: SimulationResult) -> None:
    rates = seat_advantage(result)

    assert list(rates.index) == [0, 1, 2]
    assert rates["win_rate"].tolist() == pytest.approx(
        [result.seats.loc[result.seats["seat"] == seat, "won"].mean() for seat in range(3)]
    )


def test_tickets_are_counted_by_offer(result: SimulationResult) -> None:
    found, tickets = ticket_results(result), result.tickets

    for name, row in found.iterrows():
        mine = tickets[tickets["ticket"] == name]
        kept = mine[mine["kept"]]
        assert row["offered"] == len(mine)
        assert row["kept"] == len(kept)
        if len(kept):
            assert row["completion_rate"] == pytest.approx(kept["completed"].notna().mean())
            assert row["net_points"] == pytest.approx(kept["points"].mean())


def test_opening_tickets_are_counted_by_policy(result: SimulationResult) -> None:
    found = opening_tickets(result)

    assert found["seats"].sum() == 90
    assert found.loc[("Greedy", 2), "seats"] == 60  # it keeps as few as it may


def test_routes_are_counted_once_a_game(result: SimulationResult) -> None:
    found, routes = route_results(result), result.routes

    assert (found["claim_rate"] * 30).to_numpy() == pytest.approx(
        routes["route"].value_counts().reindex(found.index).to_numpy()
    )
    first = found.index[0]
    assert found.loc[first, "cards"] == pytest.approx(routes.loc[routes["route"] == first, "cards"].mean())


def test_tunnels_stand_beside_their_odds(result: SimulationResult) -> None:
    found, tunnels = tunnel_results(result), result.tunnels

    assert found["attempts"].sum() == len(tunnels)
    random = tunnels[tunnels["player"] == 1]
    assert found.loc["Random", "odds"] == pytest.approx(random["odds"].mean(), rel=1e-5)
    assert found.loc["Random", "success_rate"] == pytest.approx(random["taken"].mean())


def test_intervals_know_their_limits() -> None:
    assert wilson(0, 0)[1:] == (0, 1)
    assert np.isnan(mean_interval(5, 25, 1).low)
    with pytest.raises(ValueError, match="between 0 and the number of trials"):
        wilson(3, 2)
