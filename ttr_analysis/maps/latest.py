"""Where routes and tickets are at home: they do not say of which map they are, but show themselves on its board."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ttr_analysis.maps.model import GameMap, Route, Ticket

N_LATEST: Final = 64
"""Maps that are kept, and held back from the garbage collector."""

_LATEST: Final[deque[GameMap]] = deque(maxlen=N_LATEST)


def remember(game_map: GameMap) -> None:
    """Let routes and tickets of a map be found to be of it."""
    _LATEST.append(game_map)


def home_of(*, routes: Iterable[Route] = (), tickets: Iterable[Ticket] = ()) -> GameMap | None:
    """
    Return the latest map that has some routes and tickets, or None.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> home_of(tickets=[nordic.ticket("Oslo", "Vaasa")]).name
    'nordic'
    """
    routes, tickets = [*routes], [*tickets]
    for game_map in reversed(_LATEST):
        if all(route in game_map.routes for route in routes) and all(ticket in game_map.tickets for ticket in tickets):
            return game_map
    return None
