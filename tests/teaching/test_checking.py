"""`check`: right solutions pass; errors are caught, and the case that shows one cannot be made smaller."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

import ttr_analysis as ttr
from tests.oracles.trails import longest_trail_naive
from tests.teaching.solutions import RIGHT, WRONG, steiner_tree, wrong
from tests.viz.artists import texts
from ttr_analysis.teaching import check, dijkstra_steps, tasks
from ttr_analysis.teaching.task import TASKS, edges_of, piece_of, steiner_length, trail_length

PLANTED = [(task, options) for task, errors in WRONG.items() for options in errors]


def test_every_task_has_a_solution_and_four_errors() -> None:
    assert list(tasks().index) == list(RIGHT) == list(WRONG)
    assert len(RIGHT) == 15
    assert {len(errors) for errors in WRONG.values()} == {4}


@pytest.mark.parametrize("task", RIGHT)
def test_a_right_solution_passes(task: str) -> None:
    verdict = check(task, RIGHT[task])

    assert verdict, verdict
    assert repr(verdict) == f"{task}: right in all {verdict.n_cases} cases"


@pytest.mark.parametrize(("task", "options"), PLANTED, ids=str)
def test_an_error_is_caught_with_a_case_that_cannot_be_smaller(task: str, options: dict[str, Any]) -> None:
    function = wrong(RIGHT[task], **options)
    verdict = check(task, function)

    assert not verdict
    assert verdict.case is not None
    fault = TASKS[task].fault(function, verdict.case)
    assert fault is not None
    assert fault.words == verdict.words
    assert TASKS[task].fault(RIGHT[task], verdict.case) is None
    assert [case for case in TASKS[task].smaller(verdict.case) if TASKS[task].fault(function, case)] == []
    if (G := verdict.case.graph) is not None:
        assert G.number_of_edges() <= 14


def test_an_error_raised_is_answered() -> None:
    verdict = check("surcharge", lambda matching, unseen, _: [matching / unseen])

    assert repr(verdict) == "surcharge: wrong in f(0, 0, 1)\nZeroDivisionError: division by zero"
    with pytest.raises(ValueError, match="surcharge has no failing graph"):
        verdict.plot()


def test_what_a_function_does_to_its_graph_changes_nothing() -> None:
    def clears(G: nx.Graph[str]) -> list[Any]:
        found = list(nx.bridges(G))
        G.clear()
        return found

    assert check("bridges", clears)


def test_the_smallest_case_is_drawn_on_its_board() -> None:
    verdict = check("dijkstra", wrong(RIGHT["dijkstra"], final=True))
    assert verdict.case is not None
    assert verdict.case.graph is not None
    assert sorted(length for *_, length in edges_of(verdict.case.graph)) == [1, 1, 1, 3]

    ax = verdict.plot()
    assert {*texts(ax, "edge-label", "city-label")} == {"1", "3", "0", "2", "3, not 4"}
    assert verdict.words in ax.get_title()
    picture = verdict._repr_png_()
    assert picture is not None
    assert picture.startswith(b"\x89PNG")
    assert check("expected_draws", lambda *_: 0)._repr_png_() is None


def test_an_unknown_task_is_answered_with_the_nearest() -> None:
    with pytest.raises(ttr.UnknownNameError, match="dijkstra"):
        check("djikstra", dict)


def test_steps_of_dijkstra_settle_the_nearest_city_next(nordic: ttr.GameMap) -> None:
    steps = dijkstra_steps(nordic, "bergen")
    distances = nx.single_source_dijkstra_path_length(nordic.simple_graph, "Bergen", weight="length")

    assert steps[-1].labels == distances
    assert [step.labels[step.city] for step in steps] == sorted(distances.values())
    assert steps[-1].settled == tuple(step.city for step in steps)


def test_fewest_trains_by_three_ways(usa: ttr.GameMap) -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        cities = tuple(map(str, rng.choice(list(usa.simple_graph), 4, replace=False)))
        expected = ttr.tickets.cheapest_network(usa, [(cities[0], city) for city in cities[1:]]).length

        assert steiner_length(usa.simple_graph, cities) == steiner_tree(usa.simple_graph, cities) == expected


def test_the_length_of_a_longest_trail_is_that_of_walking_in_every_way() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        G = piece_of(ttr.load_map("nordic").simple_graph, 7, rng)

        assert trail_length(G) == longest_trail_naive(edges_of(G))
