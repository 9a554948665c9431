"""
References from lower to upper layers, without knowing their modules.

The package's front module knows all layers, and fills these in before anything else is
imported.
"""

from collections.abc import Callable
from typing import Any

player_class: Callable[[str], Any]
"""Classes of the built-in players by name."""
draw_worlds: Callable[..., Any]
"""Implementation of `SeatView.worlds`, which lives above since beliefs about tickets depend on how planners play."""
