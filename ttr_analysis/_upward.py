"""
What lower layers ask of upper ones, without knowing where these are.

The front of the package knows all layers, and fills these in before anything
else is imported.
"""

from collections.abc import Callable
from typing import Any

player_class: Callable[[str], Any]
"""From the name of a built-in player to its class."""
draw_worlds: Callable[..., Any]
"""What `SeatView.worlds` does: what is believed of tickets depends on how planners play."""
