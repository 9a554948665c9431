"""Effective resistance: how badly two cities are joined, all ways taken together."""

from __future__ import annotations

from typing import Any, Literal, get_args

import networkx as nx
import pandas as pd

from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.analysis._ends import End, end_cities
from ttr_analysis.analysis.structure.graphs import track_graph
from ttr_analysis.maps.model import GameMap

Conductance = Literal["inverse_length", "length"]


def effective_resistance(game_map: GameMap, a: End, b: End, *, conductance: Conductance = "inverse_length") -> float:
    """
    Return the effective resistance between two places.

    Every track is a wire whose resistance is its length, so that its
    *conductance* is 1/length. In a row resistances add up, side by side
    conductances: the result is the length of the way if there is only one,
    and less with every other way, also with the second track of a double
    route. It is the better guide to how hard two cities are to join, the
    more ways the other players may take.

    Parameters
    ----------
    game_map
        The map. All its routes count, border routes too; as dead ends they
        change nothing between other cities.
    a, b
        Cities, border points, or countries: all border points of a country
        joined to one terminal, as any of them will do.
    conductance
        "inverse_length", or "length" to compare with the figures published in
        [1]_, whose program takes lengths for conductances, which makes long
        routes easy.

    Returns
    -------
    resistance
        In trains; in 1/trains for "length". 0 between a place and itself.

    Raises
    ------
    UnknownNameError
        If a place or the conductance does not exist.
    ValueError
        If two different places share a city.

    References
    ----------
    .. [1] Witter, R. T. and Lyford, A. "Applications of Graph Theory and
       Probability in the Board Game Ticket to Ride", FDG 2020.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> round(effective_resistance(nordic, "Bergen", "Oslo"), 3)
    1.167
    """
    starts, goals = end_cities(game_map, a), end_cities(game_map, b)
    _check_conductance(conductance)
    if set(starts) == set(goals):
        return 0.0
    if shared := sorted(set(starts) & set(goals)):
        msg = f"the two places share {', '.join(shared)}"
        raise ValueError(msg)
    G = track_graph(game_map, borders=True)
    start, goal = starts[0], goals[0]
    joined = dict.fromkeys(starts, start) | dict.fromkeys(goals, goal)
    merged: nx.MultiGraph[str] = nx.MultiGraph()
    for u, v, data in G.edges(data=True):
        merged.add_edge(joined.get(u, u), joined.get(v, v), length=data["length"])
    inverse = conductance == "inverse_length"
    resistance: Any = nx.resistance_distance(merged, start, goal, weight="length", invert_weight=inverse)
    return float(resistance)


def resistance_matrix(
    game_map: GameMap, *, conductance: Conductance = "inverse_length", borders: bool = False
) -> pd.DataFrame:
    """
    Return the effective resistance between every two cities.

    Parameters
    ----------
    game_map
        The map.
    conductance
        As for `effective_resistance`.
    borders
        Whether border points have rows and columns.

    Returns
    -------
    matrix
        Rows and columns are cities in the order of the map; in trains, in
        1/trains for "length".

    Raises
    ------
    UnknownNameError
        If there is no such conductance.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> matrix = resistance_matrix(ttr.load_map("nordic"))
    >>> round(float(matrix.loc["Bergen", "Oslo"]), 3)
    1.167
    """
    _check_conductance(conductance)
    G = track_graph(game_map, borders=borders)
    resistance: Any = nx.resistance_distance(G, weight="length", invert_weight=conductance == "inverse_length")
    return pd.DataFrame(resistance).loc[list(G), list(G)]


def _check_conductance(conductance: str) -> None:
    allowed = get_args(Conductance)
    if conductance not in allowed:
        raise UnknownNameError("conductance", conductance, nearest(str(conductance), allowed), allowed)
