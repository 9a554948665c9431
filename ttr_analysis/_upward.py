"""
Functions of upper layers that lower ones call without importing them.

The package's `__init__` knows all layers, and sets these before anything else is imported.
"""

from collections.abc import Callable
from typing import Any

player_class: Callable[[str], Any]
"""The class of each built-in player, by name."""
draw_worlds: Callable[..., Any]
"""The implementation of `SeatView.worlds`: beliefs about tickets depend on how planners play."""
