"""
The structure of a map: what graph theory says of its cities and routes.

For teaching and for strategy. Every number names its definition. The border
points of countries do not count, nor the routes to them, unless a function is
asked with `borders=True`: they are dead ends, so that no way between other
cities is lost. What is asked of two places (`minimum_cut`,
`edge_connectivity`, `effective_resistance`) knows all, as does `ttr.paths`.

NetworkX computes all that it has an algorithm for.
"""

from ttr_analysis.analysis.structure.measures import (
    Cut,
    SpanningTree,
    bridges,
    cut_cities,
    edge_connectivity,
    effective_resistance,
    minimum_cut,
    minimum_spanning_tree,
    resistance_matrix,
)
from ttr_analysis.analysis.structure.tables import city_table, route_table, spaces_table, summary

__all__ = [
    "Cut",
    "SpanningTree",
    "bridges",
    "city_table",
    "cut_cities",
    "edge_connectivity",
    "effective_resistance",
    "minimum_cut",
    "minimum_spanning_tree",
    "resistance_matrix",
    "route_table",
    "spaces_table",
    "summary",
]


def __dir__() -> list[str]:
    return __all__
