"""
Shortest paths between cities, and the longest trail of a set of routes.

Answers name tracks, not only cities: the two tracks of a double route differ
in color and sometimes in kind.
"""

from ttr_analysis.analysis.paths.costs import Weight, expected_cards
from ttr_analysis.analysis.paths.shortest import NoPathError, Path, distance_matrix, shortest_path, shortest_paths
from ttr_analysis.analysis.paths.trail import Trail, longest_trail

__all__ = [
    "NoPathError",
    "Path",
    "Trail",
    "Weight",
    "distance_matrix",
    "expected_cards",
    "longest_trail",
    "shortest_path",
    "shortest_paths",
]
