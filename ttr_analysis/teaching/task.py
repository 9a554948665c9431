"""Tasks for students on graphs and chance: cases, the correct answers, and functions that judge students' answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import combinations, product
from math import comb, isclose
from typing import Any, Final, NamedTuple

import networkx as nx
import numpy as np

from ttr_analysis._words import counted
from ttr_analysis.analysis.tunnels import surcharge_distribution
from ttr_analysis.maps.loading import MapLike, as_map, load_map, map_names
from ttr_analysis.rules.trails import longest_trail


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
        """Return what is wrong with a function's answer to a case; raising an error is wrong too."""
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


# -- graphs: parts of boards, or whole boards ------------------------------------------------------------------------

_SIZES: Final = (1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 9, 10, 12, 14)
"""Numbers of routes in the partial boards."""


def _bare(G: nx.Graph[str]) -> nx.Graph[str]:
    """Return a copy of a graph with lengths only, safe to modify."""
    bare: nx.Graph[str] = nx.Graph()
    bare.add_nodes_from(G)
    bare.add_edges_from((a, b, {"length": length}) for a, b, length in edges_of(G))
    return bare


def piece_of(G: nx.Graph[str], n_routes: int, rng: np.random.Generator) -> nx.Graph[str]:
    """Return a connected part of a board; in half of the cases, with new lengths of 1 to 4."""
    piece: nx.Graph[str] = nx.Graph()
    piece.add_node(str(rng.choice(list(G))))
    while piece.number_of_edges() < n_routes:
        around = [edge for edge in G.edges(piece) if not piece.has_edge(*edge)]
        a, b = around[rng.integers(len(around))]
        piece.add_edge(a, b, length=int(G.edges[a, b]["length"]))
    if rng.random() < 0.5:  # noqa: PLR2004
        nx.set_edge_attributes(piece, {edge: int(rng.integers(1, 5)) for edge in piece.edges}, "length")
    return piece


def _cases(
    add: Callable[[nx.Graph[str], np.random.Generator], tuple[Any, ...]], *, n_boards: int = 1, apart: bool = True
) -> Callable[[np.random.Generator], Iterator[Case]]:
    """Return a generator of graphs, small to large, and further arguments; with `apart`, some are disconnected."""

    def cases(rng: np.random.Generator) -> Iterator[Case]:
        boards = {name: _bare(load_map(name).simple_graph) for name in map_names()}
        for n_routes in _SIZES:
            for name, G in boards.items():
                piece = piece_of(G, n_routes, rng)
                if apart and rng.random() < 0.25:  # noqa: PLR2004
                    piece.add_node(str(rng.choice(list(G))))
                yield Case((piece, *add(piece, rng)), name)
        for name, G in [*boards.items()] * n_boards:
            yield Case((G, *add(G, rng)), name)

    return cases


def _start(G: nx.Graph[str], rng: np.random.Generator) -> tuple[str]:
    return (str(rng.choice(list(G))),)


def _ends(G: nx.Graph[str], rng: np.random.Generator) -> tuple[str, ...]:
    return tuple(map(str, rng.choice(list(G), 2, replace=False)))


def _terminals(G: nx.Graph[str], rng: np.random.Generator) -> tuple[tuple[str, ...]]:
    return (tuple(map(str, rng.choice(list(G), min(len(G), int(rng.integers(2, 5))), replace=False))),)


def smaller(case: Case) -> Iterator[Case]:
    """Yield the graph without one city or route, or with one route shortened."""
    G, *others = case.arguments
    needed = {city for other in others for city in ([other] if isinstance(other, str) else other)}
    graphs = [nx.restricted_view(G, [city], []) for city in G if city not in needed]
    graphs += [nx.restricted_view(G, [], [edge]) for edge in G.edges]
    yield from (Case((_bare(graph), *others), case.board) for graph in graphs)
    for a, b, length in edges_of(G):
        for shorter in sorted({1, length - 1} - {0, length}):
            graph = _bare(G)
            graph.add_edge(a, b, length=shorter)
            yield Case((graph, *others), case.board)


def _smaller_connected(case: Case) -> Iterator[Case]:
    """Yield smaller connected graphs."""
    yield from (other for other in smaller(case) if nx.is_connected(other.arguments[0]))


class Step(NamedTuple):
    """
    A step of Dijkstra's algorithm: the city that is settled, and the labels after the step.

    `labels` are the shortest distances found so far; those of `settled` cities are final.
    """

    city: str
    labels: dict[str, int]
    settled: tuple[str, ...]


def dijkstra_steps(game_map: MapLike, start: str) -> list[Step]:
    """
    Return the steps of Dijkstra's algorithm from a city, with trains as distance.

    Returns
    -------
    steps
        One step for each city, in the order in which they are settled.

    Examples
    --------
    >>> steps = dijkstra_steps("nordic", "Bergen")
    >>> [(step.city, step.labels[step.city]) for step in steps[:3]]
    [('Bergen', 0), ('Stavanger', 2), ('Oslo', 4)]
    >>> ax = ttr.viz.plot_map("nordic", city_labels=steps[2].labels)
    """
    game_map = as_map(game_map)
    G, first = game_map.simple_graph, game_map.city(start).name
    labels, settled, steps = {first: 0}, dict[str, None](), []
    waiting = [(0, 0, first)]
    while waiting:
        distance, _, city = heappop(waiting)
        if city in settled:
            continue
        settled[city] = None
        for other, edge in G[city].items():
            if distance + edge["length"] < labels.get(other, float("inf")):
                labels[other] = distance + edge["length"]
                heappush(waiting, (labels[other], len(labels), other))
        steps.append(Step(city, dict(labels), tuple(settled)))
    return steps


def steiner_length(G: nx.Graph[str], terminals: Iterable[str]) -> int:
    """Return the length of the shortest tree that connects the terminals (Dreyfus-Wagner); 0 for a single one."""
    first, *others = dict.fromkeys(terminals)
    distance: Any = dict(nx.all_pairs_dijkstra_path_length(G, weight="length"))
    cost = {frozenset([city]): distance[city] for city in others}
    reached = list(distance[first])
    for size in range(2, len(others) + 1):
        for group in map(frozenset, combinations(others, size)):
            splits = [frozenset(part) for k in range(1, size // 2 + 1) for part in combinations(group, k)]
            meet = {city: min(cost[part][city] + cost[group - part][city] for part in splits) for city in reached}
            cost[group] = {city: min(meet[via] + distance[via][city] for via in reached) for city in reached}
    return cost[frozenset(others)][first] if others else 0


def trail_length(G: nx.Graph[str]) -> int:
    """Return the length of the longest trail in a graph."""
    number = {city: i for i, city in enumerate(G)}
    edges = [(number[a], number[b], length) for a, b, length in edges_of(G)]
    ends, length = np.hsplit(np.array(edges, dtype=np.int64).reshape(-1, 3), [2])
    chosen, trail = np.ones(len(edges), dtype=np.int8), np.zeros(len(edges), dtype=np.int8)
    return longest_trail(np.ascontiguousarray(ends), np.ascontiguousarray(length[:, 0]), chosen, trail)


def _judge_tree(case: Case, answer: Iterable[tuple[str, str]]) -> Fault | None:
    """Check the edges of a minimum spanning forest."""
    G, edges = case.arguments[0], [(a, b) for a, b, *_ in answer]
    if no_edge := [edge for edge in edges if not G.has_edge(*edge)]:
        return Fault(f"there is no route {no_edge[0][0]}–{no_edge[0][1]}")
    tree = nx.Graph(edges)
    tree.add_nodes_from(G)
    if len(edges) > len(G) - nx.number_connected_components(tree):
        return Fault("a route closes a cycle, or occurs twice")
    if nx.number_connected_components(tree) > nx.number_connected_components(G):
        return Fault("some cities are not connected, though they could be")
    best = int(nx.minimum_spanning_tree(G, weight="length").size(weight="length"))
    return same_number(best, sum(G.edges[edge]["length"] for edge in edges))


def _judge_prim(case: Case, answer: Iterable[tuple[str, str]]) -> Fault | None:
    """Also check the order: each edge is a shortest route from the tree to a new city."""
    G, start = case.arguments
    edges, reached = [(a, b) for a, b, *_ in answer], {start}
    if fault := _judge_tree(case, edges):
        return fault
    for a, b in edges:
        if (a in reached) == (b in reached):
            return Fault(f"{a}–{b} does not lead from the tree to a new city")
        shortest = min(
            data["length"] for one, other, data in G.edges(reached, data=True) if not {one, other} <= reached
        )
        if G.edges[a, b]["length"] > shortest:
            return Fault(f"{a}–{b} is added although a shorter route, of length {shortest}, leads to a new city")
        reached |= {a, b}
    return None


def _judge_bridges(case: Case, answer: Iterable[tuple[str, str]]) -> Fault | None:
    expected, got = ({frozenset(edge) for edge in edges} for edges in (nx.bridges(case.arguments[0]), answer))
    words = [f"{'–'.join(sorted(edge))} is {'a' if edge in expected else 'not a'} bridge" for edge in expected ^ got]
    return Fault("; ".join(sorted(words)[:3])) if words else None


def _by_city(right: Callable[..., Any]) -> Callable[[Case, Any], Fault | None]:
    return lambda case, answer: same_by_city(right(*case.arguments), answer)


def _number(right: Callable[..., float]) -> Callable[[Case, Any], Fault | None]:
    return lambda case, answer: same_number(right(*case.arguments), answer)


# -- chance, exactly or by simulation with a standard error --------------------------------------------------------

_LARGEST_PILE: Final = 7
_RESAMPLES: Final = 4000


def _small(*ranges: range, allowed: Callable[..., bool]) -> Iterator[Case]:
    """Yield the allowed combinations of integers from these ranges, smallest sums first."""
    found = [numbers for numbers in product(*ranges) if allowed(*numbers)]
    yield from (Case(numbers) for numbers in sorted(found, key=lambda numbers: (sum(numbers), numbers)))


def _surcharge_cases(_rng: np.random.Generator) -> Iterator[Case]:
    piles = range(_LARGEST_PILE + 1)
    yield from _small(piles, piles, range(1, 5), allowed=lambda matching, unseen, _: matching <= unseen)
    yield Case((26, 110, 3))


def _draws_cases(_rng: np.random.Generator) -> Iterator[Case]:
    piles = range(_LARGEST_PILE + 1)
    yield from _small(piles, piles, piles, allowed=lambda wanted, matching, unseen: wanted <= matching <= unseen)
    yield Case((9, 26, 110))


def _chain_cases(_rng: np.random.Generator) -> Iterator[Case]:
    piles = range(_LARGEST_PILE)
    yield from _small(
        piles, piles, range(1, 4), piles, allowed=lambda matching, unseen, _, n: matching <= unseen and n <= unseen
    )
    yield Case((26, 110, 9, 22))


def chain(matching: int, unseen: int, wanted: int, n_draws: int) -> list[float]:
    """Return the probabilities of holding 0, 1, ... wanted cards after some draws; the last is for all of them."""
    ways = [comb(matching, k) * comb(unseen - matching, n_draws - k) for k in range(n_draws + 1)]
    return [p / comb(unseen, n_draws) for p in [*(ways + [0] * wanted)[:wanted], sum(ways[wanted:])]]


def _values_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (2, 2, 3, 3, 4, 6, 10, 100):
        yield Case((tuple(map(int, rng.integers(0, 4, n))),))


def _fewer_values(case: Case) -> Iterator[Case]:
    (values,) = case.arguments
    if len(values) > 2:  # noqa: PLR2004 - one value has no standard error
        yield from (Case(((*values[:i], *values[i + 1 :]),)) for i in range(len(values)))


def _call_with_source(function: Callable[..., Any], case: Case) -> Any:  # noqa: ANN401
    """Call the function with a source of values and the number of values to draw."""
    (values,) = case.arguments
    return function(iter([*values, *[99] * len(values)]).__next__, len(values))


def _judge_mean(case: Case, answer: tuple[float, float]) -> Fault | None:
    (values,) = case.arguments
    return same_numbers((np.mean(values), np.std(values, ddof=1) / len(values) ** 0.5), answer)


def _pairs_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (2, 2, 3, 3, 4, 6, 10, 100):
        luck = rng.integers(0, 4, n)
        yield Case(tuple(tuple(map(int, luck + rng.integers(0, 3, n))) for _ in range(2)))


def _fewer_pairs(case: Case) -> Iterator[Case]:
    for one, other in zip(*(_fewer_values(Case((values,))) for values in case.arguments), strict=True):
        yield Case((*one.arguments, *other.arguments))


def _judge_pairs(case: Case, answer: tuple[float, float]) -> Fault | None:
    return _judge_mean(Case((np.subtract(*case.arguments),)), answer)


def _games_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, rate in ((1, 1.0), (4, 0.5), (25, 0.4), (100, 0.25), (400, 0.55)):
        wins = np.arange(n) < round(n * rate)
        yield Case((rng.permutation(wins).astype(np.int64), _RESAMPLES, int(rng.integers(1000))))


def _call_with_rng(function: Callable[..., Any], case: Case) -> Any:  # noqa: ANN401
    wins, n_resamples, seed = case.arguments
    return function(wins.copy(), n_resamples, np.random.default_rng(seed))


def _judge_interval(case: Case, answer: Iterable[float]) -> Fault | None:
    """Compare with the exact distribution of a resampled mean (binomial), within five standard errors at both ends."""
    from scipy.stats import binom

    wins, n_resamples, _ = case.arguments
    n, room = len(wins), 5 * (0.025 * 0.975 / n_resamples) ** 0.5
    low, high = answer
    for end, got, level in (("low", low, 0.025), ("high", high, 0.975)):
        least, most = (binom.ppf(p, n, wins.mean()) / n for p in (level - room, level + room))
        if not least - 1e-9 <= got <= most + 1e-9:
            between = f"{least:.3f}" if least == most else f"{least:.3f} to {most:.3f}"
            return Fault(f"{wins.sum()} wins in {n} games: expected a {end} end of {between}, got {got:.3f}")
    return None


# -- the tasks -----------------------------------------------------------------------------------------------------


TASKS: Final[dict[str, Task]] = {
    "bfs": Task(
        "f(G, start)",
        "the fewest routes to each reachable city, as a dict",
        _cases(_start),
        _by_city(nx.single_source_shortest_path_length),
        smaller,
    ),
    "dijkstra": Task(
        "f(G, start)",
        "the fewest trains to each reachable city, as a dict",
        _cases(_start),
        _by_city(lambda G, start: nx.single_source_dijkstra_path_length(G, start, weight="length")),
        smaller,
    ),
    "kruskal": Task(
        "f(G)",
        "the routes (pairs of cities) of a minimum spanning tree, or of one for each component of the graph",
        _cases(lambda *_: ()),
        _judge_tree,
        smaller,
    ),
    "prim": Task(
        "f(G, start)",
        "the routes (pairs of cities) of a minimum spanning tree, in the order in which it grows from `start`",
        _cases(_start, apart=False),
        _judge_prim,
        _smaller_connected,
    ),
    "bridges": Task(
        "f(G)", "the routes (pairs of cities) whose removal disconnects a component", _cases(lambda *_: ()),
        _judge_bridges, smaller,
    ),
    "edmonds_karp": Task(
        "f(G, source, sink)",
        "the maximum flow if each route has a capacity equal to its length, in either direction",
        _cases(_ends, n_boards=12),
        _number(lambda G, a, b: nx.maximum_flow_value(G, a, b, capacity="length")),
        smaller,
    ),
    "steiner_tree": Task(
        "f(G, terminals)",
        "the fewest trains that join all the terminals",
        _cases(_terminals, apart=False),
        _number(steiner_length),
        _smaller_connected,
    ),
    "betweenness": Task(
        "f(G)",
        "for each city the mean, over all pairs of other cities, of the share of their shortest paths through it",
        _cases(lambda *_: ()),
        _by_city(lambda G: nx.betweenness_centrality(G, weight="length")),
        smaller,
    ),
    "longest_trail": Task(
        "f(G)",
        "the length of the longest trail in trains: no route twice, but cities may repeat",
        _cases(lambda *_: (), n_boards=0),
        _number(trail_length),
        smaller,
    ),
    "surcharge": Task(
        "f(matching, unseen, revealed)",
        "the probabilities that 0, 1, 2, ... of the cards turned over match",
        _surcharge_cases,
        lambda case, answer: same_numbers(
            surcharge_distribution(*case.arguments[:2], revealed=case.arguments[2]), answer
        ),
    ),
    "expected_draws": Task(
        "f(wanted, matching, unseen)",
        "the mean number of blind draws until `wanted` matching cards are drawn",
        _draws_cases,
        lambda case, answer: same_number(case.arguments[0] * (case.arguments[2] + 1) / (case.arguments[1] + 1), answer),
    ),
    "card_chain": Task(
        "f(matching, unseen, wanted, n_draws)",
        "the probabilities of holding 0, 1, ..., `wanted` matching cards after the draws; the chain stays at `wanted`",
        _chain_cases,
        lambda case, answer: same_numbers(chain(*case.arguments), answer),
    ),
    "monte_carlo": Task(
        "f(draw, n)",
        "the mean of n numbers that `draw()` returns, and its standard error",
        _values_cases,
        _judge_mean,
        _fewer_values,
        _call_with_source,
    ),
    "bootstrap": Task(
        "f(wins, n_resamples, rng)",
        "the ends of the 95% bootstrap interval (percentiles) of a win rate; `wins` is an array of 0 and 1",
        _games_cases,
        _judge_interval,
        call=_call_with_rng,
    ),
    "paired": Task(
        "f(x, y)",
        "the mean of x - y and its standard error; `x[i]` and `y[i]` come from the same deal",
        _pairs_cases,
        _judge_pairs,
        _fewer_pairs,
    ),
}  # fmt: skip
