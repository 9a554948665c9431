"""A task: test cases, smaller versions of them, and a function that judges answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isclose
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from ttr_analysis._words import counted


def edges_of(G: nx.Graph[str]) -> list[tuple[str, str, int]]:
    """Return the edges of a graph with their lengths."""
    return [(a, b, int(edge["length"])) for a, b, edge in G.edges(data=True)]


class Fault(NamedTuple):
    """What is wrong with an answer, and labels for the cities where it shows."""

    words: str
    labels: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """
    The arguments of one call.

    If one of them is a graph, it comes first; its nodes are cities of the map `board`, so it can be
    drawn on that map.
    """

    arguments: tuple[Any, ...]
    board: str = ""

    @property
    def graph(self) -> nx.Graph[str] | None:
        """The graph among the arguments."""
        return self.arguments[0] if self.board else None

    def __str__(self) -> str:
        if self.graph is None:
            return f"f({', '.join(map(repr, self.arguments))})"
        call = f"f({', '.join(['G', *map(repr, self.arguments[1:])])})"
        edges = ", ".join(f"{a}–{b} {length}" for a, b, length in edges_of(self.graph))
        n_routes = self.graph.number_of_edges()
        size = f"{counted(len(self.graph), 'city', 'cities')} and {counted(n_routes, 'route')}"
        return f"{call} on a graph of {size}" + (f" ({edges})" if 0 < n_routes <= _SHOWN else "")


_SHOWN = 6
"""Maximum number of edges that are listed in words."""


def _call(function: Callable[..., Any], case: Case) -> Any:  # noqa: ANN401
    """Call a function with copies of the arguments, which it may change."""
    return function(*(value.copy() if isinstance(value, nx.Graph | np.ndarray) else value for value in case.arguments))


@dataclass(frozen=True, slots=True)
class Task:
    """
    A programming task.

    `signature` is the call as text, and `asks` describes what it must return. `cases`
    yields cases in order of size; `judge` returns a fault, or None if the answer is right;
    `smaller` yields slightly smaller versions of a case.
    """

    signature: str
    asks: str
    cases: Callable[[np.random.Generator], Iterator[Case]]
    judge: Callable[[Case, Any], Fault | None]
    smaller: Callable[[Case], Iterable[Case]] = lambda _case: ()
    call: Callable[[Callable[..., Any], Case], Any] = field(default=_call)

    def fault(self, function: Callable[..., Any], case: Case) -> Fault | None:
        """Return what a function does wrong in a case; raising an error is wrong, too."""
        try:
            return self.judge(case, self.call(function, case))
        except Exception as error:  # noqa: BLE001 - whatever a student's function raises
            return Fault(f"{type(error).__name__}: {error}")


# -- judges --------------------------------------------------------------------------------------------------------


def same_number(expected: float, got: object) -> Fault | None:
    """Return a fault unless an answer is the expected number, up to rounding errors."""
    if isclose(float(got), expected, rel_tol=1e-9, abs_tol=1e-9):  # type: ignore[arg-type]
        return None
    return Fault(f"expected {expected:.6g}, got {float(got):.6g}")  # type: ignore[arg-type]


def same_numbers(expected: Iterable[float], got: Iterable[float]) -> Fault | None:
    """Return a fault unless an answer has the expected numbers; trailing zeros are ignored."""
    one, other = (list(map(float, numbers)) for numbers in (expected, got))
    n = max(len(one), len(other))
    padded = [[*numbers, *[0.0] * (n - len(numbers))] for numbers in (one, other)]
    if np.allclose(padded[0], padded[1], rtol=1e-9, atol=1e-9):
        return None
    expected_text, got_text = (", ".join(f"{number:.4g}" for number in numbers) for numbers in (one, other))
    return Fault(f"expected {expected_text}; got {got_text}")


def same_by_city(expected: Mapping[str, float], got: Mapping[str, float]) -> Fault | None:
    """Return a fault unless an answer has the expected number for each expected city, and no other cities."""
    cities = dict.fromkeys([*expected, *got])
    wrong = [
        city
        for city in cities
        if not (city in expected and city in got and isclose(got[city], expected[city], abs_tol=1e-9))
    ]
    labels = {city: _shown(expected, city) for city in cities}
    labels |= {city: f"{labels[city]}, not {_shown(got, city)}" for city in wrong}
    return Fault("; ".join(f"{city}: {labels[city]}" for city in wrong[:3]), labels) if wrong else None


def _shown(numbers: Mapping[str, float], city: str) -> str:
    return f"{numbers[city]:.4g}" if city in numbers else "nothing"
