"""What others have published about this game: exact figures exactly, and of what needs games the direction."""

from __future__ import annotations

from math import ceil

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import ttr_analysis as ttr
from tests.fixtures import load
from ttr_analysis.policies import Planner, Planner2
from ttr_analysis.studies.questions.board import MEASURES, difficulty_correlations, ticket_difficulty

# Witter & Lyford, "Applications of Graph Theory and Probability in the Board Game Ticket to Ride", FDG 2020.


@pytest.mark.parametrize(
    ("longest", "points", "per_turn"),
    [(1, 45, 0.66), (2, 45, 0.98), (3, 60, 1.58), (4, 78, 2.23), (5, 90, 2.81), (6, 109, 3.52)],
)
def test_points_of_routes_up_to_a_length(longest: int, points: int, per_turn: float) -> None:
    rules = load("usa").rules
    trains, worth, best = rules.trains.per_player, dict(rules.claims.points), [(0, 0)]
    for n in range(1, trains + 1):  # most points, then fewest routes, for each number of trains
        ways = [(best[n - a], worth[a]) for a in range(1, min(longest, n) + 1)]
        best.append(max((total + more, routes - 1) for (total, routes), more in ways))
    total, n_routes = best[trains][0], -best[trains][1]

    assert total == points
    assert total / (ceil(trains / 2) + n_routes) == pytest.approx(per_turn, abs=0.0051)


# A fast public engine, and others: what games show.


@pytest.mark.compiled_only
def test_going_first_helps_and_resistance_wants_the_inverse_of_length(usa: ttr.GameMap) -> None:
    result = ttr.simulate(usa, [Planner2()] * 2, 1_500, 7, progress=False)
    seats = ttr.studies.seat_advantage(result)
    table = ticket_difficulty(result, usa)
    found = difficulty_correlations(table)["correlation"]

    assert seats["win_low"][0] > 0.5  # published: .5070
    assert found["resistance"] < found["length_as_conductance"]
    assert found["length"] < -0.5
    graph: nx.Graph[str] = nx.Graph()
    for route in usa.routes:
        graph.add_edge(*route.cities, weight=route.length)
    for ticket in ("Boston-Miami", "Seattle-New York"):
        a, b = ticket.split("-")
        assert table["length"][ticket] == nx.shortest_path_length(graph, a, b, weight="weight")
        assert table["hops"][ticket] == nx.shortest_path_length(graph, a, b)
        assert table["resistance"][ticket] == pytest.approx(ttr.structure.effective_resistance(usa, a, b))
    kept = result.tickets[result.tickets["kept"]].groupby("ticket", observed=True)["completed_turn"]
    rates = (kept.count() / kept.size()).rename("completion_rate")
    pd.testing.assert_series_equal(table["completion_rate"], rates, check_dtype=False)


def test_tickets_to_countries_have_the_nearest_for_measure() -> None:
    swiss = load("switzerland")
    table = ticket_difficulty(ttr.simulate(swiss, [Planner()] * 2, 20, 7, progress=False), swiss)
    choices = [ticket for ticket in swiss.tickets if len(ticket.destinations) > 1 and ticket.id in table.index]

    assert choices
    for ticket in choices:
        lengths = [ttr.paths.shortest_path(swiss, ticket.origin, place).length for place, _ in ticket.destinations]
        assert table["length"][ticket.id] == min(lengths)


def test_correlations_have_intervals() -> None:
    table = pd.DataFrame({name: [1, 2, 3, 4, 5, 6] for name in MEASURES}).assign(completion_rate=[1, 3, 2, 5, 4, 6])
    found = difficulty_correlations(table)
    exact = stats.pearsonr(table["length"], table["completion_rate"])

    assert found["correlation"].tolist() == pytest.approx([exact.statistic] * 4)
    assert found[["low", "high"]].to_numpy() == pytest.approx(np.tile(exact.confidence_interval(0.95), (4, 1)))


@pytest.mark.parametrize(
    ("rates", "correlation"),
    [
        pytest.param([1, 3, 2], 0.5, id="few tickets"),
        pytest.param([6, 5, 4, 3, 2, 1], -1, id="a perfect correlation"),
        pytest.param([0.1, 0.2, 0.3, 0.4], 1, id="one that is perfect but for rounding"),
        pytest.param([1, 1, 1, 1], np.nan, id="all rates the same"),
    ],
)
def test_correlations_that_say_nothing(rates: list[float], correlation: float) -> None:
    table = pd.DataFrame({name: range(len(rates)) for name in MEASURES}).assign(completion_rate=rates)
    found = difficulty_correlations(table)

    assert found.to_numpy() == pytest.approx(np.tile([correlation, -1, 1], (4, 1)), nan_ok=True)


def test_games_of_another_map_are_refused() -> None:
    result = ttr.simulate(load("usa"), [ttr.policies.Greedy()] * 2, 2, 7, progress=False)
    with pytest.raises(ValueError, match="played on usa, not on this"):
        ticket_difficulty(result, load("nordic"))
