"""The fewest trains of one network at a time, for functions that compare many."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from ttr_analysis import GameMap
from ttr_analysis.analysis.tickets import NoNetworkError, cheapest_network
from ttr_analysis.maps.model import RouteLike, TicketLike


def trains_for(
    game_map: GameMap, tickets: Iterable[TicketLike], closed: Iterable[RouteLike] = (), owned: Iterable[RouteLike] = ()
) -> float:
    """Return the fewest trains that complete tickets; infinity if no network does."""
    try:
        return cheapest_network(game_map, tickets, closed, owned).length
    except NoNetworkError:
        return inf
