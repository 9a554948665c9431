"""Which tickets of a deal to keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Final

import numpy as np

from ttr_analysis._words import counted, listed
from ttr_analysis.analysis._ends import twins_close
from ttr_analysis.analysis.tickets.borrowing import Lenders, stations_left
from ttr_analysis.analysis.tickets.network import (
    ForestSolver,
    Network,
    NoNetworkError,
    check_number,
    check_trains,
    fix_destinations,
    forest_solver,
    join_cities,
    reached_destinations,
    trains_left,
    trains_of,
)
from ttr_analysis.analysis.tickets.values import detours
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import RouteLike, Ticket, TicketLike

if TYPE_CHECKING:
    import pandas as pd


_COLUMNS = (
    *("keep", "drop", "n_kept", "net", "possible", "written_off", "destinations", "ticket_points", "route_points"),
    *("trains", "slack", "points_per_train", "n_routes", "n_tunnels", "n_ferries", "toll", "detour", "at_risk"),
    *("marginal", "warning"),
)
_FIRST: Final = (
    *("keep", "drop", "possible", "net", "ticket_points", "route_points", "trains", "slack", "detour", "at_risk"),
    "warning",
)
"""What a notebook shows of a choice."""

_THIN: Final = 0.25
"""The share of the trains left below which trains to spare are few."""


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
    stations: int | None = None,
) -> pd.DataFrame:
    """
    Return which tickets of a deal to keep, best first, with the reasons.

    By the map alone, as if nobody else built: what is exact here is what a
    choice takes and what is left to go wrong, not how often it will. Whether
    a choice wins games, `ttr.studies.which_to_keep` finds by playing it out
    against others; trust that one for what to keep.

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
    stations
        Stations that can still be built. None: all that the rules give. Those
        that stand already are not looked at: what they lend is not counted.

    Returns
    -------
    table
        One row for each choice that the rules allow, best first:

        - `keep`, `drop`: ids of the tickets of the deal;
        - `n_kept`;
        - `net`: ``ticket_points + route_points - train_value * trains``, by
          which choices are ranked;
        - `possible`: whether all tickets can be completed with the trains
          left;
        - `written_off`: ids of the tickets, held ones too, that are not to be
          completed: where not all can be, those that are cut off, and of the
          others as many as it takes, chosen for the most `net`;
        - `destinations`: for tickets to countries, the destination meant: the
          one with the best `net`;
        - `ticket_points` (of held tickets too): gained, less those that
          tickets written off lose;
        - `route_points`, `trains`, `slack` (trains left), `points_per_train`,
          `n_routes` (turns of claiming), `n_tunnels`, `n_ferries`, `toll`: of
          the network with the fewest trains for the tickets that are not
          written off, and these destinations; without any it is empty;
        - `detour`: extra trains if the worst route of that network is lost;
        - `at_risk`: points lost if none of the tickets is completed;
        - `marginal`: extra trains that each ticket of the deal that is not
          written off takes at least on top of the others;
        - `warning`: which tickets are cut off, how many trains are missing and
          what is written off for them; where the trains would not suffice if
          the worst route were lost, or fewer than a quarter of the trains left
          are to spare, which others' claims soon use up; and the stations that
          could still save all.

    Raises
    ------
    ValueError
        If the deal has fewer tickets than must be kept, there are more than
        7 tickets, fewer than no trains are left, or the rules do not give so
        many stations.

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

    Where the trains do not suffice, what is kept in vain counts as lost:

    >>> late = which_to_keep(nordic, ["Oslo-Vaasa", "Oslo-Stockholm"], at_least=1, trains=4)
    >>> late[["keep", "possible", "written_off"]].to_numpy().tolist()[1]
    ['Oslo-Vaasa, Oslo-Stockholm', False, 'Oslo-Vaasa']
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
    check_trains(left)
    plans = _Plans(solver, (*dealt, *kept_already), left, train_value)
    always = tuple(range(len(dealt), len(plans.tickets)))
    lenders = Lenders(solver, plans.tickets, others, stations_left(game_map, stations))
    both = twins_close(game_map, n_players)
    rows = []
    for n_kept in range(least, len(dealt) + 1):
        for kept in combinations(range(len(dealt)), n_kept):
            choice = (*kept, *always)
            row = _tickets(dealt, kept) | _reasons(plans, choice, n_kept, both=both)
            saving = None if row["possible"] else lenders.fewest(sum(1 << i for i in choice), left)
            if saving is not None:
                row["warning"] = f"{row['warning']}; possible with {saving}"
            rows.append(row)
    table = pd.DataFrame(rows, columns=list(_COLUMNS))
    table = table.sort_values(["net", "possible"], ascending=False, kind="stable", ignore_index=True)
    return as_table(table, _FIRST)


class _Plans:
    """
    The best networks for sets of tickets within the trains left.

    Parameters
    ----------
    solver
        Of the map as it is.
    tickets
        Tickets; sets of them are bits.
    left
        Trains left.
    train_value
        Points that a train brings elsewhere.
    """

    def __init__(self, solver: ForestSolver, tickets: Sequence[Ticket], left: int, train_value: float) -> None:
        self.solver, self.tickets, self.left, self.train_value = solver, tuple(tickets), left, train_value
        costs = solver.subset_costs(tickets, np.arange(len(tickets), dtype=np.int64)[None])[0]
        self.trains = [int(trains) for trains in trains_of(costs)]
        self.cut_off = sum(1 << i for i in range(len(tickets)) if self.trains[1 << i] < 0)
        self._networks: dict[int, Network] = {}

    def chosen(self, bits: int) -> tuple[Ticket, ...]:
        """Return the tickets of a set."""
        return tuple(ticket for i, ticket in enumerate(self.tickets) if bits >> i & 1)

    def fits(self, bits: int) -> bool:
        """Return whether all tickets of a set can be completed with the trains left."""
        return 0 <= self.trains[bits] <= self.left

    def net(self, network: Network) -> float:
        """Return the points of a network and its tickets, less what its trains would bring elsewhere."""
        return network.points - self.train_value * network.length

    def best(self, bits: int) -> Network:
        """Return what is best for a set of tickets: those that the network does not reach are written off."""
        open_ones = bits & ~self.cut_off
        if self.fits(open_ones):
            return self._of_all(self._network(open_ones), bits)
        parts = (part for part in range(open_ones) if part & open_ones == part and self.fits(part))
        return max((self._of_all(self._network(part), bits) for part in parts), key=self.net)

    def _network(self, bits: int) -> Network:
        """Return the network with the best net points for tickets that fit, over all destinations that do."""
        if bits not in self._networks:
            networks = _networks(self.solver, self.chosen(bits))
            self._networks[bits] = max((n for n in networks if n.length <= self.left), key=self.net)
        return self._networks[bits]

    def _of_all(self, network: Network, bits: int) -> Network:
        """Return a network with all tickets of a set: it may complete more than those it was found for."""
        tickets, parts = self.chosen(bits), join_cities(network.routes + network.owned)
        return replace(network, tickets=tickets, reached=tuple(reached_destinations(t, parts) for t in tickets))


def _networks(solver: ForestSolver, tickets: Sequence[Ticket]) -> Iterator[Network]:
    """Yield the cheapest network for each choice of destinations that can be reached."""
    choices = [[place.name for place, _ in ticket.destinations] for ticket in tickets]
    for names in product(*choices):
        fixed = fix_destinations(tickets, dict(zip((ticket.id for ticket in tickets), names, strict=True)))
        try:
            yield solver.solve(tickets, fixed)
        except NoNetworkError:
            continue


def _tickets(dealt: Sequence[Ticket], kept: tuple[int, ...]) -> dict[str, object]:
    """Return the columns that name the tickets."""
    return {
        "keep": ", ".join(dealt[i].id for i in kept),
        "drop": ", ".join(ticket.id for i, ticket in enumerate(dealt) if i not in kept),
        "n_kept": len(kept),
    }


def _reasons(plans: _Plans, choice: Sequence[int], n_kept: int, *, both: bool) -> dict[str, object]:
    """Return the columns that say what a choice brings and costs; its first `n_kept` tickets are of the deal."""
    bits = sum(1 << i for i in choice)
    network = plans.best(bits)
    done = [i for i, reached in zip(choice, network.reached, strict=True) if reached]
    kept_bits = sum(1 << i for i in done)
    slack = plans.left - network.length
    completed = replace(network, tickets=plans.chosen(kept_bits), reached=tuple(filter(None, network.reached)))
    detour = float(detours(plans.solver, completed, both=both).max(initial=0))
    several = [
        f"{ticket.id}: {destination}"
        for ticket, destination in zip(network.tickets, network.destinations, strict=True)
        if destination and len(ticket.destinations) > 1
    ]
    marginals = [
        f"{plans.tickets[i].id} {plans.trains[kept_bits] - plans.trains[kept_bits ^ 1 << i]}"
        for i in choice[:n_kept]
        if i in done
    ]
    return {
        "net": plans.net(network),
        "possible": plans.fits(bits),
        "written_off": ", ".join(ticket.id for ticket in plans.chosen(bits ^ kept_bits)),
        "destinations": ", ".join(several),
        "ticket_points": network.ticket_points,
        "route_points": network.route_points,
        "trains": network.length,
        "slack": slack,
        "points_per_train": _ratio(completed.points, completed.length),
        "n_routes": len(network.routes),
        "n_tunnels": network.n_tunnels,
        "n_ferries": network.n_ferries,
        "toll": network.toll,
        "detour": detour,
        "at_risk": sum(ticket.penalty for ticket in network.tickets),
        "marginal": ", ".join(marginals),
        "warning": "; ".join(filter(None, (*_missing(plans, bits, kept_bits), _at_worst(slack, plans.left, detour)))),
    }


def _ratio(points: int, trains: int) -> float:
    """
    Return the points per train; infinite where they cost no trains, missing where there are none.

    Examples
    --------
    >>> _ratio(9, 6), _ratio(9, 0), _ratio(0, 0)
    (1.5, inf, nan)
    """
    if trains:
        return points / trains
    return np.inf if points else np.nan


def _missing(plans: _Plans, bits: int, done: int) -> Iterator[str]:
    """Yield why not all tickets of a set can be completed, in words, where only `done` are."""
    cut_off = bits & plans.cut_off
    if cut_off:
        yield f"{_named(plans, cut_off)} cannot be built any more"
    open_ones = bits & ~cut_off
    if not plans.fits(open_ones):
        short = counted(plans.trains[open_ones] - plans.left, "train")
        yield f"{short} too few, {_named(plans, open_ones & ~done)} written off"


def _named(plans: _Plans, bits: int) -> str:
    return listed(ticket.id for ticket in plans.chosen(bits))


def _at_worst(slack: int, left: int, detour: float) -> str:
    """
    Return what is wrong with so many trains to spare of those left, in words; nothing if they are enough.

    Examples
    --------
    >>> _at_worst(2, 30, 5), _at_worst(8, 40, 5), _at_worst(10, 40, 5)
    ('2 trains to spare, 5 more if the worst route is lost', 'only 8 of 40 trains to spare', '')
    """
    trains = counted(slack, "train")
    if detour == np.inf:
        return f"{trains} to spare, and no way around the worst route"
    if detour > slack:
        return f"{trains} to spare, {detour:.0f} more if the worst route is lost"
    return f"only {slack} of {counted(left, 'train')} to spare" if slack < _THIN * left else ""
