"""Tasks on graphs: their cases, which are parts of boards or whole boards, and the correct answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import combinations
from typing import Any, Final, NamedTuple

import networkx as nx
import numpy as np

from ttr_analysis.maps.loading import MapLike, as_map, load_map, map_names
from ttr_analysis.rules.trails import longest_trail
from ttr_analysis.teaching.task import Case, Fault, Task, edges_of, same_by_city, same_number

_SIZES: Final = (1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 9, 10, 12, 14)
"""Numbers of routes in the partial boards."""


# -- cases ---------------------------------------------------------------------------------------------------------


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


# -- correct answers -----------------------------------------------------------------------------------------------


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


TASKS: Final = {
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
}  # fmt: skip
