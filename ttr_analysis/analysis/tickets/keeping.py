"""Which tickets of a deal to keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Final

import numpy as np

from ttr_analysis._words import counted
from ttr_analysis.analysis._ends import twins_close
from ttr_analysis.analysis.tickets.borrowing import helpful_stations
from ttr_analysis.analysis.tickets.network import (
    ForestSolver,
    Network,
    NoNetworkError,
    check_number,
    fix_destinations,
    forest_solver,
    trains_left,
    trains_of,
)
from ttr_analysis.analysis.tickets.values import detours
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import RouteLike, Ticket, TicketLike

if TYPE_CHECKING:
    import pandas as pd


_KEEP_COLUMNS = (
    *("keep", "drop", "n_kept", "net", "possible", "destinations", "ticket_points", "route_points", "trains", "slack"),
    *("points_per_train", "n_routes", "n_tunnels", "n_ferries", "toll", "detour", "at_risk", "marginal", "warning"),
)
_KEEP_FIRST: Final = (
    *("keep", "drop", "possible", "net", "ticket_points", "route_points", "trains", "slack", "detour", "at_risk"),
    "warning",
)
"""What a notebook shows of a choice."""


def which_to_keep(
    game_map: MapLike,
    deal: Iterable[TicketLike],
    *,
    held: Iterable[TicketLike] = (),
    at_least: int | None = None,
    train_value: float | None = None,
    trains: int | None = None,
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
    n_players: int | None = None,
) -> pd.DataFrame:
    """
    Return which tickets of a deal to keep, best first, with the reasons.

    By the map alone; `ttr.studies.which_to_keep` plays the choices out.

    Parameters
    ----------
    game_map
        The map, or its name.
    deal
        The tickets dealt.
    held
        Tickets that the player has already and cannot give back. With those
        of the deal at most 7.
    at_least
        How many of the deal must be kept. None: the map's number, for the
        opening deal or, with tickets held, for a later draw.
    train_value
        Points that a train would bring elsewhere. None: the mean points per
        train of all routes of the map.
    trains
        Trains left. None: the map's number less those on `owned` routes.
    closed, owned
        Routes of others and of the player's own.
    n_players
        With fewer players than double routes need, the loss of one track is
        the loss of both. None: each track for itself.

    Returns
    -------
    table
        One row for each choice that the rules allow, best first:

        - `keep`, `drop`: ids of the tickets of the deal;
        - `n_kept`;
        - `net`: ``ticket_points + route_points - train_value * trains``, by
          which choices are ranked among those that are `possible`;
        - `possible`: whether the trains suffice;
        - `destinations`: for tickets to countries, the destination meant: the
          one with the best `net`;
        - `ticket_points` (of held tickets too), `route_points`, `trains`,
          `slack` (trains left), `points_per_train`, `n_routes` (turns of
          claiming), `n_tunnels`, `n_ferries`, `toll`: of the network with
          the fewest trains for these tickets and destinations;
        - `detour`: extra trains if the worst route of that network is lost;
        - `at_risk`: points lost if none of the tickets is completed;
        - `marginal`: extra trains that each ticket takes at least on top of
          the others;
        - `warning`: where the trains do not suffice, or would not if the worst
          route were lost; and the station that could still save them.

        Where nothing can be built, what belongs to a network is missing.

    Raises
    ------
    ValueError
        If the deal has fewer tickets than must be kept, or there are more
        than 7 tickets.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> table = which_to_keep(nordic, ["Oslo-Vaasa", "Oslo-Stockholm", "Narvik-Murmansk"])
    >>> table.loc[0, "keep"], len(table)
    ('Oslo-Vaasa, Oslo-Stockholm, Narvik-Murmansk', 4)

    Where a ticket has several destinations, the best one need not be the
    nearest:

    >>> switzerland = ttr.load_map("switzerland")
    >>> which_to_keep(switzerland, ["Lugano-countries"], at_least=1).loc[0, "destinations"]
    'Lugano-countries: France'
    """
    game_map = as_map(game_map)
    import pandas as pd

    from ttr_analysis._notebook import as_table

    dealt, kept_already = game_map.resolve_tickets(deal), game_map.resolve_tickets(held)
    check_number([*dealt, *kept_already])
    rules = game_map.rules.tickets
    least = (rules.keep if kept_already else rules.opening_keep) if at_least is None else at_least
    if not 1 <= least <= len(dealt):
        msg = f"at least {least} tickets must be kept: expected a number from 1 to the {len(dealt)} dealt"
        raise ValueError(msg)
    if train_value is None:
        train_value = sum(r.points for r in game_map.routes) / sum(r.length for r in game_map.routes)
    others = game_map.resolve_routes(closed)
    solver = forest_solver(game_map, others, owned, n_players=n_players)
    left = trains_left(game_map, solver.owned) if trains is None else trains
    both = twins_close(game_map, n_players)
    tickets = (*dealt, *kept_already)
    costs = trains_of(solver.subset_costs(tickets, np.arange(len(tickets), dtype=np.int64)[None])[0])
    always = tuple(range(len(dealt), len(tickets)))
    rows = []
    for n_kept in range(least, len(dealt) + 1):
        for kept in combinations(range(len(dealt)), n_kept):
            chosen = [tickets[i] for i in (*kept, *always)]
            row = _tickets(dealt, kept) | {"at_risk": sum(ticket.penalty for ticket in chosen)}
            network = _best_network(solver, chosen, left, train_value)
            if network is not None:
                row |= _reasons(network, left, train_value)
                detour = float(detours(solver, network, both=both).max(initial=0))
                row |= {"detour": detour, "warning": _warning(left - network.length, detour)}
                row |= {"marginal": _marginals(tickets, kept, always, [int(cost) for cost in costs])}
            if not row["possible"]:
                stations = helpful_stations(solver, chosen, left, others)
                row["warning"] = f"{row['warning']}{f'; possible with {stations[0]}' if stations else ''}"
            rows.append(row)
    table = pd.DataFrame(rows, columns=list(_KEEP_COLUMNS))
    table = table.sort_values(["possible", "net"], ascending=False, kind="stable", ignore_index=True)
    return as_table(table, _KEEP_FIRST)


def _tickets(dealt: Sequence[Ticket], kept: tuple[int, ...]) -> dict[str, object]:
    """Return the columns that name the tickets."""
    return {
        "keep": ", ".join(dealt[i].id for i in kept),
        "drop": ", ".join(ticket.id for i, ticket in enumerate(dealt) if i not in kept),
        "n_kept": len(kept),
        "net": -np.inf,
        "possible": False,
        "warning": "cannot be built any more",
    }


def _warning(slack: int, detour: float) -> str:
    """
    Return what is wrong with so many trains to spare, in words; nothing if the worst loss can be made good.

    Examples
    --------
    >>> _warning(2, 5), _warning(-1, 5), _warning(5, 5)
    ('2 trains to spare, 5 more if the worst route is lost', '1 train too few', '')
    """
    trains = counted(abs(slack), "train")
    if slack < 0:
        return f"{trains} too few"
    if detour <= slack:
        return ""
    if detour == np.inf:
        return f"{trains} to spare, and no way around the worst route"
    return f"{trains} to spare, {detour:.0f} more if the worst route is lost"


def _best_network(solver: ForestSolver, tickets: Sequence[Ticket], left: int, train_value: float) -> Network | None:
    """Return the network with the best net points over all destinations, of those that the trains allow if any."""

    def worth(network: Network) -> tuple[bool, float]:
        return network.length <= left, network.points - train_value * network.length

    return max(_networks(solver, tickets), key=worth, default=None)


def _networks(solver: ForestSolver, tickets: Sequence[Ticket]) -> Iterator[Network]:
    """Yield the cheapest network for each choice of destinations that can be reached."""
    choices = [[place.name for place, _ in ticket.destinations] for ticket in tickets]
    for names in product(*choices):
        fixed = fix_destinations(tickets, dict(zip((ticket.id for ticket in tickets), names, strict=True)))
        try:
            yield solver.solve(tickets, fixed)
        except NoNetworkError:
            continue


def _reasons(network: Network, left: int, train_value: float) -> dict[str, object]:
    """Return the columns that describe a network."""
    several = [
        f"{ticket.id}: {destination}"
        for ticket, destination in zip(network.tickets, network.destinations, strict=True)
        if len(ticket.destinations) > 1
    ]
    return {
        "net": network.points - train_value * network.length,
        "possible": network.length <= left,
        "destinations": ", ".join(several),
        "ticket_points": network.ticket_points,
        "route_points": network.route_points,
        "trains": network.length,
        "slack": left - network.length,
        "points_per_train": network.points / network.length if network.length else np.inf,
        "n_routes": len(network.routes),
        "n_tunnels": network.n_tunnels,
        "n_ferries": network.n_ferries,
        "toll": network.toll,
    }


def _marginals(tickets: Sequence[Ticket], kept: tuple[int, ...], always: tuple[int, ...], costs: Sequence[int]) -> str:
    """Return the extra trains that each ticket kept takes on top of the others, in words."""
    bits = sum(1 << i for i in (*kept, *always))
    return ", ".join(f"{tickets[i].id} {costs[bits] - costs[bits ^ 1 << i]}" for i in kept)
