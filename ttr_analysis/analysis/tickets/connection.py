"""
Cuts that make the parts of an integer program connected.

A part of a network is an arborescence: arcs lead from its root to all its
cities. That holds if and only if, for each set of cities without the root, an
arc enters the set whenever one of its cities is inside the part. There are far
too many such *cuts* to write down, but few of them matter: those around short
cycles, and those that a solution violates, found as minimum cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MAX_CYCLE = 5
"""Cuts around all cycles of up to so many cities are written down at once."""

_SCALE = 1_000_000  # flows are whole numbers
_SMALL = 1e-4


class Cut(NamedTuple):
    """
    An arc enters `cities`, or the root is one of them, if `city` is inside.

    Parameters
    ----------
    cities
        A set of cities, by number.
    city
        One of them.
    """

    cities: frozenset[int]
    city: int


def cycle_cuts(pairs: Iterable[tuple[int, int]]) -> list[Cut]:
    """
    Return the cuts around all short cycles of a map.

    Examples
    --------
    >>> len(cycle_cuts([(0, 1), (1, 2), (2, 0), (2, 3)]))
    3
    """
    import networkx as nx

    G = nx.Graph(pairs)
    cycles = sorted(sorted(cycle) for cycle in nx.simple_cycles(G, length_bound=MAX_CYCLE))
    return list(dict.fromkeys(Cut(frozenset(cycle), city) for cycle in cycles for city in cycle))


def violated_cuts(arcs: Sequence[tuple[int, int]], open_arcs: Floats, root: Floats, inside: Floats) -> list[Cut]:
    """
    Return cuts that a fractional solution violates, two for each city that is cut off.

    Parameters
    ----------
    arcs
        The two cities of each arc.
    open_arcs, root, inside
        How far each arc is open, each city the root, and inside the part.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    n = len(root)
    tails = np.concatenate([np.full(n, n), [a for a, _ in arcs]])
    heads = np.concatenate([np.arange(n), [b for _, b in arcs]])
    capacity = (np.concatenate([root, open_arcs]).clip(0, 1) * _SCALE).astype(np.int32)
    graph = csr_array((capacity, (tails, heads)), shape=(n + 1, n + 1))
    cuts = []
    for city in np.argsort(-inside, kind="stable"):
        if inside[city] < _SMALL:
            break
        flow = maximum_flow(graph, n, int(city))
        if flow.flow_value >= (inside[city] - _SMALL) * _SCALE:
            continue
        rest = csr_array(graph - flow.flow)
        rest.data = rest.data.clip(0)
        rest.eliminate_zeros()
        from_root = breadth_first_order(rest, n, return_predecessors=False)
        to_city = breadth_first_order(csr_array(rest.T), int(city), return_predecessors=False)
        cuts += [
            Cut(frozenset(range(n)) - frozenset(from_root.tolist()), int(city)),
            Cut(frozenset(to_city.tolist()), int(city)),
        ]
    return list(dict.fromkeys(cuts))


def missing_cuts(arcs: Iterable[tuple[int, int]], root: Iterable[int], inside: Iterable[int]) -> list[Cut]:
    """
    Return cuts that a solution in whole numbers violates; none if it is connected.

    Parameters
    ----------
    arcs
        The arcs that are open.
    root
        The root; nothing if there is none.
    inside
        The cities inside the part.

    Examples
    --------
    A cycle that the root does not reach:

    >>> cuts = missing_cuts([(0, 1), (2, 3), (3, 2)], [0], [0, 1, 2, 3])
    >>> [(sorted(cut.cities), cut.city) for cut in cuts]
    [([2, 3], 2), ([2, 3], 3)]
    """
    import networkx as nx

    G = nx.DiGraph(list(arcs))
    G.add_nodes_from(inside)
    reached = {city for start in root if start in G for city in (start, *nx.descendants(G, start))}
    return [
        Cut(frozenset(part), city)
        for part in nx.weakly_connected_components(G.subgraph(set(inside) - reached))
        for city in sorted(part)
    ]
