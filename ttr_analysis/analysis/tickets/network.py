"""The network with the fewest trains for a set of tickets, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ttr_analysis._errors import UnknownNameError
from ttr_analysis.analysis._ends import closed_and_owned
from ttr_analysis.analysis.tickets.model import Network
from ttr_analysis.analysis.tickets.solver import check_number, forest_solver, solver_of, trains_of
from ttr_analysis.maps.model import GameMap, Route, RouteLike, Ticket, TicketLike
from ttr_analysis.maps.names import fold


def cheapest_network(
    game_map: GameMap,
    tickets: Iterable[TicketLike],
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
    *,
    destinations: Mapping[str, str] | None = None,
    n_players: int | None = None,
) -> Network:
    """
    Return the network with the fewest trains that completes tickets.

    A Steiner *forest*: the tickets need not hang together. Among networks
    with equally few trains it is one with the fewest routes to claim, then
    the lowest toll, then the fewest tunnels and ferries.

    Parameters
    ----------
    game_map
        The map.
    tickets
        Up to 7 tickets, ticket ids or pairs of places. A ticket to countries
        is complete at its cheapest destination; `reached` says which.
    closed
        Routes that others own: routes, route ids or pairs of cities (both
        tracks).
    owned
        Routes that the player owns: they cost nothing.
    destinations
        For a ticket to countries, by its id: the one to be reached. The
        ticket still scores the best destination that it reaches.
    n_players
        With fewer players than double routes need, the other track of a
        closed one is closed too. None: each track for itself.

    Returns
    -------
    network
        The network; its `routes` are those still to claim.

    Raises
    ------
    NoNetworkError
        If some ticket cannot be completed. It names the tickets, and the
        closed routes that cut them off.
    UnknownNameError, AmbiguousNameError
        If something named is not on the map.
    ValueError
        If there are more than 7 tickets, or a route is closed and owned.

    Notes
    -----
    Exact: Dreyfus and Wagner's dynamic program over the ends of the tickets
    [1]_, each end a group of cities, then over the ways to split the tickets
    into trees. Border points are dead ends, so that nothing passes through a
    country.

    References
    ----------
    .. [1] Dreyfus, S. E. and Wagner, R. A. "The Steiner problem in graphs",
       Networks 1, 195-207, 1971.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> ttr.tickets.cheapest_network(nordic, [("Oslo", "Vaasa"), ("Oslo", "Stockholm")])
    <Network for 2 tickets: 10 trains in 5 routes, 24 points (13 tickets + 11 routes)>
    """
    chosen = game_map.resolve_tickets(tickets)
    shut, own = closed_and_owned(game_map, closed, owned, n_players=n_players)
    return _cheapest(game_map, chosen, fix_destinations(chosen, destinations or {}), shut, own)


@lru_cache(maxsize=256)
def _cheapest(
    game_map: GameMap,
    tickets: tuple[Ticket, ...],
    targets: tuple[Ticket, ...],
    closed: tuple[Route, ...],
    owned: tuple[Route, ...],
) -> Network:
    """Return the network; recent ones are kept: a player asks every turn, and between claims it stays the same."""
    return solver_of(game_map, closed, owned).solve(tickets, targets)


def fewest_trains(
    game_map: GameMap,
    sets: Iterable[Iterable[TicketLike]],
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
) -> list[int]:
    """
    Return the fewest trains for each of many sets of tickets, in one compiled call.

    Parameters
    ----------
    game_map
        The map.
    sets
        Sets of up to 7 tickets each.
    closed, owned
        As in `cheapest_network`.

    Returns
    -------
    trains
        For each set; -1 if it cannot be completed.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> fewest_trains(nordic, [["Oslo-Vaasa"], ["Oslo-Vaasa", "Oslo-Stockholm"]])
    [9, 10]
    """
    chosen = [game_map.resolve_tickets(tickets) for tickets in sets]
    known = {ticket: i for i, ticket in enumerate(dict.fromkeys(t for tickets in chosen for t in tickets))}
    rows = np.full((len(chosen), max(map(len, chosen), default=0)), -1, dtype=np.int64)
    for i, tickets in enumerate(chosen):
        check_number(tickets)
        rows[i, : len(tickets)] = [known[ticket] for ticket in tickets]
    costs = forest_solver(game_map, closed, owned).costs(list(known), rows)
    return [int(trains) for trains in trains_of(costs)]


def fix_destinations(tickets: Sequence[Ticket], destinations: Mapping[str, str]) -> tuple[Ticket, ...]:
    """
    Return tickets with only the destination that is fixed for them.

    Parameters
    ----------
    tickets
        Tickets.
    destinations
        Name of the destination by the id of the ticket.

    Raises
    ------
    UnknownNameError
        If there is no such ticket among them, or no such destination on it.
    """
    ids = [ticket.id for ticket in tickets]
    for name in destinations:
        if name not in ids:
            raise UnknownNameError("ticket among those given", name, ids)
    fixed = []
    for ticket in tickets:
        wanted = destinations.get(ticket.id)
        kept = tuple(pair for pair in ticket.destinations if wanted is None or fold(pair[0].name) == fold(wanted))
        if not kept:
            names = [place.name for place, _ in ticket.destinations]
            raise UnknownNameError(f"destination of {ticket.id}", wanted, names)
        fixed.append(ticket if wanted is None else replace(ticket, destinations=kept))
    return tuple(fixed)
