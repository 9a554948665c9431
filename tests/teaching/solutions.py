"""Solutions of the tasks, as a student may write them, and errors that students make."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import networkx as nx
import numpy as np

Function = Callable[..., Any]


# -- graphs ------------------------------------------------------------------------------------


def bfs(G: Any, start: str, *, last_in: bool = False, begin: int = 0, mark: bool = True, reach: bool = False) -> Any:
    hops, queue = {start: begin}, deque([start])
    while queue:
        city = queue.pop() if last_in else queue.popleft()
        for other in G[city]:
            if other not in hops or not mark:
                hops[other] = hops[city] + 1
                if mark or hops[other] < 4:
                    queue.append(other)
    return {city: hops.get(city, 0) for city in G} if reach else hops


def dijkstra(
    G: Any, start: str, *, weigh: bool = True, greedy: bool = False, final: bool = False, squared: bool = False
) -> Any:
    distance, settled, heap = {start: 0}, set(), [(0, start)]
    while heap:
        _, city = heapq.heappop(heap)
        if city in settled:
            continue
        settled.add(city)
        for other, edge in G[city].items():
            step = edge["length"] if weigh else 1
            length = step if greedy else distance[city] + step * (step if squared else 1)
            if other not in distance or (length < distance[other] and not final):
                distance[other] = length
                heapq.heappush(heap, (length, other))
    return distance


def kruskal(
    G: Any, *, reverse: bool = False, sort: bool = True, by_degree: bool = False, stop: bool = False
) -> list[tuple[str, str]]:
    edges = list(G.edges(data="length"))
    if sort:
        edges.sort(key=lambda edge: edge[2], reverse=reverse)
    tree: nx.Graph[str] = nx.Graph()
    tree.add_nodes_from(G)
    chosen = []
    for a, b, _ in edges:
        is_circle = tree.degree[a] and tree.degree[b] if by_degree else nx.has_path(tree, a, b)
        if not is_circle:
            tree.add_edge(a, b)
            chosen.append((a, b))
            if stop and len(chosen) == len(G) - 2:
                break
    return chosen


def prim(
    G: Any, start: str, *, longest: bool = False, chain: bool = False, total: bool = False, other: bool = False
) -> list[tuple[str, str]]:
    reached = {next(city for city in reversed(list(G)))} if other else {start}
    edges: list[tuple[str, str]] = []
    distance, at = dict.fromkeys(reached, 0), next(iter(reached))
    while len(reached) < len(G):
        open_edges = [(a, b) for a, b in G.edges(reached) if b not in reached and (not chain or a == at)]
        if not open_edges:
            break
        choose = max if longest else min
        a, b = choose(open_edges, key=lambda e: G.edges[e]["length"] + (distance[e[0]] if total else 0))
        distance[b] = distance[a] + G.edges[a, b]["length"]
        edges.append((a, b))
        reached.add(b)
        at = b
    return edges


def bridges(G: Any, *, by_degree: bool = False, longer: bool = False, none: bool = False, first: bool = False) -> Any:
    found = []
    n_parts = nx.number_connected_components(G)
    for a, b in list(G.edges):
        if by_degree:
            is_bridge = min(G.degree[a], G.degree[b]) == 1
        else:
            H: nx.Graph[str] = nx.Graph(G)
            H.remove_edge(a, b)
            is_bridge = not nx.has_path(H, a, b) if not longer else nx.number_connected_components(H) > 1
        if is_bridge and not none:
            found.append((a, b))
    assert n_parts
    return found[:1] if first else found


def edmonds_karp(
    G: Any, source: str, sink: str, *, residual: bool = True, unit: bool = False, once: bool = False, cut: bool = False
) -> int:
    if cut:
        return int(min(G.degree(source, weight="length"), G.degree(sink, weight="length")))
    room = {(a, b): 1 if unit else edge["length"] for a in G for b, edge in G[a].items()}
    flow = 0
    while True:
        before = {source: source}
        queue = deque([source])
        while queue:
            a = queue.popleft()
            for b in G[a]:
                if room[a, b] > 0 and b not in before:
                    before[b] = a
                    queue.append(b)
        if sink not in before:
            return flow
        path = [sink]
        while path[-1] != source:
            path.append(before[path[-1]])
        steps = list(itertools.pairwise(reversed(path)))
        most = min(room[step] for step in steps)
        for a, b in steps:
            room[a, b] -= most
            room[b, a] += most if residual else -most
        flow += most
        if once:
            return flow


def steiner_tree(G: Any, terminals: Any, *, how: str = "") -> int:
    if how == "paths":
        first, *others = terminals
        return sum(int(nx.dijkstra_path_length(G, first, other, weight="length")) for other in others)
    if how == "kou":
        tree = nx.algorithms.approximation.steiner_tree(G, terminals, weight="length", method="kou")
        return int(tree.size("length"))
    if how == "hops":
        ones: nx.Graph[str] = nx.Graph(G.edges)
        ones.add_nodes_from(G)
        tree = nx.algorithms.approximation.steiner_tree(ones, terminals, method="kou")
        return int(tree.size())
    inner = [city for city in G if city not in terminals]
    if how == "no Steiner points":
        inner = []
    best = 10**9
    n_most = min(len(inner), len(terminals) - 2) if len(inner) > 14 else len(inner)
    distance: Any = dict(nx.all_pairs_dijkstra_path_length(G, weight="length"))
    for n in range(max(0, n_most) + 1 if n_most >= 0 else 1):
        for more in itertools.combinations(inner, n):
            # In the metric closure a Steiner tree has at most two fewer branching cities than terminals.
            closure: nx.Graph[str] = nx.Graph()
            closure.add_nodes_from([*terminals, *more])
            pairs = itertools.combinations([*terminals, *more], 2)
            closure.add_weighted_edges_from((a, b, distance[a][b]) for a, b in pairs)
            best = min(best, int(nx.minimum_spanning_tree(closure).size("weight")))
        if n >= len(terminals) - 2:
            break
    return best


def betweenness(
    G: Any, *, count: bool = False, hops: bool = False, scale: bool = True, ends: bool = False
) -> dict[str, float]:
    found = dict.fromkeys(G, 0.0)
    pairs = list(itertools.combinations(G, 2))
    for a, b in pairs:
        if not nx.has_path(G, a, b):
            continue
        paths = list(nx.all_shortest_paths(G, a, b, weight=None if hops else "length"))
        for path in paths[:1] if count else paths:
            for city in path if ends else path[1:-1]:
                found[city] += 1 if count else 1 / len(paths)
    n_pairs = (len(G) - 1) * (len(G) - 2) / 2
    return {city: value / n_pairs if scale and n_pairs else value for city, value in found.items()}


def longest_trail(
    G: Any, *, city_once: bool = False, count: bool = False, start: bool = False, back: bool = True
) -> int:
    def onward(at: str, used: frozenset[frozenset[str]], seen: frozenset[str]) -> int:
        best = 0
        for other, edge in G[at].items():
            step = frozenset((at, other))
            if step not in used and not (city_once and other in seen) and (back or other > at):
                further = onward(other, used | {step}, seen | {other})
                best = max(best, (1 if count else edge["length"]) + further)
        return best

    cities = list(G)[:1] if start else G
    return max(onward(city, frozenset(), frozenset([city])) for city in cities)


# -- chance ------------------------------------------------------------------------------------


def surcharge(matching: int, unseen: int, revealed: int, *, how: str = "") -> list[float]:
    n = revealed if how == "pile" else min(revealed, unseen)
    if how == "binomial":
        p = matching / unseen if unseen else 0.0
        return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    odds = [comb(matching, k) * comb(unseen - matching, n - k) / comb(unseen, n) for k in range(n + 1)]
    return odds[1:] if how == "from one" else odds[::-1] if how == "reversed" else odds


@cache
def expected_draws(wanted: int, matching: int, unseen: int, *, how: str = "") -> float:
    exact = wanted * (unseen + 1) / (matching + 1)
    if how == "replaced":
        return wanted * unseen / matching if wanted else 0
    if how == "one":
        return exact / wanted if wanted else 0
    if how:
        return exact + 1 if how == "plus one" else round(exact)
    if not wanted:
        return 0
    hit, further = Fraction(matching, unseen), expected_draws(wanted - 1, matching - 1, unseen - 1)
    mean = 1 + hit * Fraction(further)
    if matching < unseen:
        mean += (1 - hit) * Fraction(expected_draws(wanted, matching, unseen - 1))
    return float(mean)


def card_chain(matching: int, unseen: int, wanted: int, n_draws: int, *, how: str = "") -> list[float]:
    odds = [1.0] + [0.0] * wanted
    for draw in range(n_draws + (how == "one more" and n_draws < unseen)):
        after = [0.0] * (wanted + 1)
        for k, p in enumerate(odds):
            left = unseen if how == "replaced" else unseen - draw
            hit = (matching if how == "replaced" else max(0, matching - k)) / left
            if k == wanted and how != "leaves":
                hit = 0.0
            if how == "no pile" and k < wanted:
                hit = min(1.0, max(0, matching - k) / unseen)
            after[min(k + 1, wanted)] += p * hit if k < wanted else 0.0
            after[k] += p * (1 - hit)
        odds = after
    return odds


def monte_carlo(draw: Function, n: int, *, how: str = "") -> tuple[float, float]:
    values = [draw() for _ in range(n - (how == "one fewer"))]
    mean = sum(values) / n if how == "one fewer" else sum(values) / len(values)
    if how == "sd":
        return mean, float(np.std(values, ddof=1))
    if how == "population":
        return mean, float(np.std(values) / n**0.5)
    if how == "n":
        return mean, float(np.std(values, ddof=1) / n)
    return mean, float(np.std(values, ddof=1) / n**0.5) if len(values) > 1 else 0.0


def bootstrap(wins: Any, n_resamples: int, rng: np.random.Generator, *, how: str = "") -> tuple[float, float]:
    size = 10 if how == "ten" else len(wins)
    means = [rng.choice(wins, size, replace=how != "permuted").mean() for _ in range(n_resamples)]
    if how == "error":
        means = [wins.mean() + (m - wins.mean()) / len(wins) ** 0.5 for m in means]
    low, high = np.quantile(means, (0.1, 0.9) if how == "80%" else (0.025, 0.975))
    return float(low), float(high)


def paired(x: list[float], y: list[float], *, how: str = "") -> tuple[float, float]:
    differences = np.subtract(y, x) if how == "reversed" else np.subtract(x, y)
    if how == "unpaired":
        return float(differences.mean()), float(np.sqrt((np.var(x, ddof=1) + np.var(y, ddof=1)) / len(x)))
    error = differences.std(ddof=how != "population") / (1 if how == "sd" else len(x) ** 0.5)
    return float(differences.mean()), float(error)


def wrong(function: Function, **options: Any) -> Function:
    return lambda *arguments: function(*arguments, **options)


RIGHT: dict[str, Function] = {
    function.__name__: function
    for function in (
        bfs, dijkstra, kruskal, prim, bridges, edmonds_karp, steiner_tree, betweenness, longest_trail, surcharge,
        expected_draws, card_chain, monte_carlo, bootstrap, paired,
    )
}  # fmt: skip

WRONG: dict[str, list[dict[str, Any]]] = {
    "bfs": [{"last_in": True}, {"begin": 1}, {"mark": False}, {"reach": True}],
    "dijkstra": [{"weigh": False}, {"greedy": True}, {"final": True}, {"squared": True}],
    "kruskal": [{"reverse": True}, {"sort": False}, {"by_degree": True}, {"stop": True}],
    "prim": [{"longest": True}, {"chain": True}, {"total": True}, {"other": True}],
    "bridges": [{"by_degree": True}, {"longer": True}, {"none": True}, {"first": True}],
    "edmonds_karp": [{"residual": False}, {"unit": True}, {"once": True}, {"cut": True}],
    "steiner_tree": [{"how": how} for how in ("paths", "kou", "hops", "no Steiner points")],
    "betweenness": [{"count": True}, {"hops": True}, {"scale": False}, {"ends": True}],
    "longest_trail": [{"city_once": True}, {"count": True}, {"start": True}, {"back": False}],
    "surcharge": [{"how": how} for how in ("pile", "binomial", "from one", "reversed")],
    "expected_draws": [{"how": how} for how in ("replaced", "plus one", "one", "whole")],
    "card_chain": [{"how": how} for how in ("one more", "replaced", "leaves", "no pile")],
    "monte_carlo": [{"how": how} for how in ("one fewer", "sd", "population", "n")],
    "bootstrap": [{"how": how} for how in ("ten", "permuted", "error", "80%")],
    "paired": [{"how": how} for how in ("unpaired", "sd", "population", "reversed")],
}
