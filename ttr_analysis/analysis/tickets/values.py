"""The value of tickets, the cost of losing a route, and which tickets of a deal to keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Final

import numpy as np

from ttr_analysis._compile import Flags, Floats, Ints
from ttr_analysis._words import counted, listed
from ttr_analysis.analysis._ends import closes_twin
from ttr_analysis.analysis.tickets.feasibility import StationNetworks, lost_with, stations_left
from ttr_analysis.analysis.tickets.network import (
    ForestSolver,
    Network,
    check_tickets,
    forest_solver,
    join_cities,
    reached_destinations,
    trains_left,
    trains_of,
)
from ttr_analysis.analysis.tickets.steiner import MAX_TICKETS
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, RouteLike, Ticket, TicketLike

if TYPE_CHECKING:
    import pandas as pd


_BLOCK = 500
"""Sets per compiled call, few enough that Ctrl-C takes effect soon."""
_VALUE_COLUMNS: Final = (
    *("destination", "points", "trains", "points_per_train", "n_routes", "n_tunnels", "n_ferries", "toll"),
    *("detour", "in_deal", "shared"),
)
_LOSS_COLUMNS: Final = (
    *("route", "lost", "length", "n_tickets", "ticket_mean", "ticket_worst", "worst_ticket", "tickets_lost"),
    *("deal_mean", "deal_worst", "deals_lost"),
)
"""Columns that notebooks show for a ticket, and for the loss of a route."""


def value_table(game_map: MapLike, *, n_deals: int = 5000, seed: int = 0, progress: bool = False) -> pd.DataFrame:
    """
    Return the costs and points of each ticket of a map.

    Parameters
    ----------
    n_deals
        Number of random opening deals in which to compare tickets.

    Returns
    -------
    table
        One row per ticket, indexed by its id, most points per train first:

        - `destination`, `points`: of the destination that its cheapest network
          reaches;
        - `most_points`, `most_points_trains`: of its best destination, and the
          fewest trains to it;
        - `trains`: fewest trains that complete it alone;
        - `points_per_train`;
        - `n_routes`, `n_tunnels`, `n_ferries`, `toll` (tokens): of that network;
        - `detour`, `detour_mean`: extra trains if the worst track of that
          network is lost, and the mean over its tracks; infinite if there is no
          other path;
        - `detour_both`: as `detour`, if both tracks of a double route are lost;
        - `with_one`, `with_two`: mean extra trains on top of one or two other
          tickets;
        - `in_deal`, `in_deal_se`: mean extra trains on top of the other tickets
          of a random opening deal, and its standard error;
        - `shared`: share of its own `trains` that the others of a deal save.

    Notes
    -----
    Every number of trains is exact (a Steiner forest); only the last three
    columns depend on the random deals.

    Examples
    --------
    >>> from dataclasses import replace
    >>> nordic = ttr.load_map("nordic")
    >>> table = value_table(replace(nordic, tickets=nordic.tickets[:7]), n_deals=20)
    >>> table.loc["Bergen-Narvik", ["points", "trains", "n_routes"]].tolist()
    [16, 16, 4]
    """
    game_map = as_map(game_map)
    import pandas as pd
    from tqdm.auto import tqdm

    from ttr_analysis._notebook import as_table

    tickets = game_map.tickets
    solver = forest_solver(game_map)
    alone = [solver.solve([ticket]) for ticket in tickets]
    single = np.array([network.length for network in alone])
    steps = tqdm(total=4, desc="tickets", disable=not progress)
    one_lost = [detours(solver, network) for network in alone]
    both_lost = [detours(solver, network, both=True) for network in alone]
    steps.update()
    with_one, _ = _marginals(solver, _combinations(len(tickets), 2))
    steps.update()
    with_two, _ = _marginals(solver, _combinations(len(tickets), 3))
    steps.update()
    in_deal, in_deal_se = _marginals(solver, random_deals(game_map, n_deals, np.random.default_rng(seed)))
    steps.update()
    steps.close()
    table = pd.DataFrame(
        {
            "destination": [", ".join(network.destinations) for network in alone],
            "points": [network.ticket_points for network in alone],
            "most_points": [ticket.points for ticket in tickets],
            "most_points_trains": [_trains_to_best(solver, ticket) for ticket in tickets],
            "trains": single,
            "points_per_train": [network.ticket_points / network.length for network in alone],
            "n_routes": [len(network.routes) for network in alone],
            **{fact: [getattr(network, fact) for network in alone] for fact in ("n_tunnels", "n_ferries", "toll")},
            "detour": [float(extra.max()) for extra in one_lost],
            "detour_mean": [float(extra.mean()) for extra in one_lost],
            "detour_both": [float(extra.max()) for extra in both_lost],
            "with_one": with_one,
            "with_two": with_two,
            "in_deal": in_deal,
            "in_deal_se": in_deal_se,
            "shared": 1 - in_deal / single,
        },
        index=pd.Index([ticket.id for ticket in tickets], name="ticket"),
    )
    return as_table(table.sort_values(["points_per_train", "points"], ascending=False, kind="stable"), _VALUE_COLUMNS)


def best_pairs(game_map: MapLike) -> pd.DataFrame:
    """
    Return how well each pair of tickets goes together.

    Returns
    -------
    table
        One row per pair, most points per train first: `ticket_a`, `ticket_b`
        (ids), `points` (of both, each at the best destination that the common
        network reaches), `trains` (fewest for both), `apart` (fewest for each,
        added up), `saved` (the difference), `points_per_train`.

    Examples
    --------
    >>> pairs = best_pairs(ttr.load_map("nordic"))
    >>> len(pairs), int((pairs["saved"] < 0).sum())
    (1035, 0)
    """
    game_map = as_map(game_map)
    import pandas as pd

    from ttr_analysis._notebook import as_table

    tickets = game_map.tickets
    solver = forest_solver(game_map)
    sets = _combinations(len(tickets), 2)
    costs, used = solver.used_routes(tickets, sets)
    single = trains_of(solver.costs(tickets, _combinations(len(tickets), 1)))
    pairs = [(tickets[i], tickets[j]) for i, j in sets]
    trains = trains_of(costs)
    points = [solver.network(pair, flags).ticket_points for pair, flags in zip(pairs, used, strict=True)]
    table = pd.DataFrame(
        {
            "ticket_a": [a.id for a, _ in pairs],
            "ticket_b": [b.id for _, b in pairs],
            "points": points,
            "trains": trains,
            "apart": single[sets].sum(axis=1),
            "saved": single[sets].sum(axis=1) - trains,
            "points_per_train": np.array(points) / trains,
        }
    )
    table = table.sort_values(["points_per_train", "points"], ascending=False, kind="stable", ignore_index=True)
    return as_table(table, units=dict.fromkeys(("apart", "saved"), "trains"))


def random_deals(game_map: MapLike, n_deals: int, rng: np.random.Generator) -> Ints:
    """
    Return random opening deals.

    Parameters
    ----------
    n_deals
        Number of deals, at least 1.

    Returns
    -------
    deals
        Positions of tickets of the map, shape (deals, tickets dealt); each deal
        is uniform among all sets with the right number from each deck. At most 7
        tickets, the most that can be solved at once.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> [deal] = random_deals(nordic, 1, np.random.default_rng(7))
    >>> tickets = [nordic.tickets[i] for i in deal]
    >>> str(tickets[0]), ttr.tickets.fewest_trains(nordic, [tickets])
    ('Stockholm to Umeå 7', [33])
    """
    game_map = as_map(game_map)
    if n_deals < 1:
        raise ValueError(f"at least one deal is needed, got {n_deals}")
    rules = game_map.rules.tickets
    order = rng.random((n_deals, len(game_map.tickets))).argsort(axis=1)
    if rules.decks:
        names = [deck.name for deck in rules.decks]
        deck = np.array([ticket.deck for ticket in game_map.tickets])[order]
        parts = [order[deck == name].reshape(n_deals, -1)[:, : rules.n_dealt(name)] for name in names]
        order = np.concatenate(parts, axis=1)
    return order[:, : min(rules.opening_deal, MAX_TICKETS)].astype(np.int64)


def detours(solver: ForestSolver, network: Network, *, both: bool = False) -> Floats:
    """Return, for each route of a network, the extra trains needed without it; infinite if tickets are cut off."""
    sets = np.arange(len(network.tickets), dtype=np.int64)[None]
    costs = []
    for route in network.routes:
        lost = lost_with(solver.game_map, route, together=both)
        costs.append(solver.without(lost).costs(network.tickets, sets)[0])
    trains = trains_of(np.array(costs, dtype=np.int64))
    return np.where(trains < 0, np.inf, trains - network.length)


def _trains_to_best(solver: ForestSolver, ticket: Ticket) -> int:
    best = max(ticket.destinations, key=lambda pair: pair[1])
    return solver.solve([ticket], [replace(ticket, destinations=(best,))]).length


def _marginals(solver: ForestSolver, sets: Ints) -> tuple[Floats, Floats]:
    """Return the mean extra trains of each ticket on top of the others in its sets, and its standard error."""
    tickets = solver.game_map.tickets
    marginals: list[list[float]] = [[] for _ in tickets]
    whole = (1 << sets.shape[1]) - 1
    for start in range(0, len(sets), _BLOCK):
        block = sets[start : start + _BLOCK]
        costs = trains_of(solver.subset_costs(tickets, block))
        for j in range(sets.shape[1]):
            extra = costs[:, whole] - costs[:, whole ^ 1 << j]
            for ticket, trains in zip(block[:, j].tolist(), extra.tolist(), strict=True):
                marginals[ticket].append(trains)
    means = np.array([np.mean(extra) if extra else np.nan for extra in marginals])
    errors = np.array([np.std(extra, ddof=1) / len(extra) ** 0.5 if len(extra) > 1 else np.nan for extra in marginals])
    return means, errors


def _combinations(n: int, size: int) -> Ints:
    return np.array(list(combinations(range(n), size)), dtype=np.int64).reshape(-1, size)


# -- the cost of losing a route ------------------------------------------------------------------------------------


def blocking_map(game_map: MapLike, *, n_deals: int = 1000, seed: int = 0, progress: bool = False) -> pd.DataFrame:
    """
    Return how many more trains tickets and deals need when each route is lost.

    Parameters
    ----------
    game_map, seed, progress
        As for `value_table`.
    n_deals
        Number of random opening deals, each to be completed as a whole.

    Returns
    -------
    table
        One row per track, and one more per double route for the loss of both
        tracks, most costly for deals first:

        - `route` (id of the track, or of the first of both), `city_a`, `city_b`,
          `lost` ("track" or "both"), `length`;
        - `n_tickets`: tickets whose cheapest network becomes longer or
          impossible;
        - `ticket_mean`, `ticket_worst`, `worst_ticket` (id): extra trains over
          all tickets still possible;
        - `tickets_lost`: tickets that become impossible;
        - `deal_mean`, `deal_se`, `deal_worst`: extra trains of random deals;
        - `deals_lost`: share of deals that become impossible.

    Notes
    -----
    Exact for tickets and for each deal; only the choice of deals is random.

    Examples
    --------
    >>> from dataclasses import replace
    >>> nordic = ttr.load_map("nordic")
    >>> table = blocking_map(replace(nordic, tickets=nordic.tickets[:7]), n_deals=5)
    >>> row = table.set_index(["route", "lost"]).loc["Mo i Rana-Narvik/0", "track"]
    >>> float(row["ticket_worst"]), row["worst_ticket"]
    (4.0, 'Bergen-Narvik')
    """
    game_map = as_map(game_map)
    import pandas as pd
    from tqdm.auto import tqdm

    from ttr_analysis._notebook import as_table

    solver = forest_solver(game_map)
    tickets = game_map.tickets
    singles = np.arange(len(tickets), dtype=np.int64)[:, None]
    deals = random_deals(game_map, n_deals, np.random.default_rng(seed))
    ticket_costs, ticket_used = solver.used_routes(tickets, singles)
    deal_costs, deal_used = solver.used_routes(tickets, deals)
    rows = []
    for routes in tqdm(_losses(game_map), desc="blocking", disable=not progress):
        positions = [game_map.route_numbers[route.id] for route in routes]
        without = solver.without(routes)
        by_ticket = _extra_trains(without, tickets, singles, trains_of(ticket_costs), ticket_used, positions)
        by_deal = _extra_trains(without, tickets, deals, trains_of(deal_costs), deal_used, positions)
        rows.append(_loss_row(game_map, routes, by_ticket, by_deal))
    table = pd.DataFrame(rows)
    table = table.sort_values(["deals_lost", "deal_mean"], ascending=False, kind="stable", ignore_index=True)
    return as_table(table, _LOSS_COLUMNS)


def _losses(game_map: GameMap) -> list[tuple[Route, ...]]:
    both = [lost_with(game_map, route, together=True) for route in game_map.routes if route.track == 0]
    return [*((route,) for route in game_map.routes), *(lost for lost in both if len(lost) > 1)]


def _extra_trains(
    without: ForestSolver, tickets: Sequence[Ticket], sets: Ints, trains: Ints, used: Flags, positions: list[int]
) -> Floats:
    """Return the extra trains of each set of tickets; nan if it becomes impossible."""
    extra = np.zeros(len(sets))
    affected = np.flatnonzero(used[:, positions].any(axis=1))
    longer = trains_of(without.costs(tickets, sets[affected]))
    extra[affected] = np.where(longer < 0, np.nan, longer - trains[affected])
    return extra


def _loss_row(game_map: GameMap, routes: tuple[Route, ...], by_ticket: Floats, by_deal: Floats) -> dict[str, object]:
    route = routes[0]
    possible, deals = by_ticket[~np.isnan(by_ticket)], by_deal[~np.isnan(by_deal)]
    worst = int(np.nanargmax(by_ticket)) if len(possible) else -1
    return {
        "route": route.id,
        "city_a": route.cities[0],
        "city_b": route.cities[1],
        "lost": "track" if len(routes) == 1 else "both",
        "length": route.length,
        "n_tickets": int((by_ticket != 0).sum()),
        "ticket_mean": possible.mean() if len(possible) else np.nan,
        "ticket_worst": by_ticket[worst] if worst >= 0 else np.nan,
        "worst_ticket": game_map.tickets[worst].id if worst >= 0 and by_ticket[worst] > 0 else "",
        "tickets_lost": int(np.isnan(by_ticket).sum()),
        "deal_mean": deals.mean() if len(deals) else np.nan,
        "deal_se": deals.std(ddof=1) / len(deals) ** 0.5 if len(deals) > 1 else np.nan,
        "deal_worst": deals.max() if len(deals) else np.nan,
        "deals_lost": float(np.isnan(by_deal).mean()),
    }


_CHOICE_COLUMNS: Final = (
    *("keep", "drop", "possible", "net", "ticket_points", "route_points", "trains", "slack", "detour", "at_risk"),
    "warning",
)
"""Columns that notebooks show for a choice."""

_LOW_SLACK: Final = 0.25
"""Slack below this share of the trains left gives a warning."""


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

    This looks only at the map, as if nobody else built: it computes exactly what a choice
    costs and how much can go wrong, but not how likely that is. To find which choice wins
    games against others, use `ttr.studies.which_to_keep`.

    Parameters
    ----------
    held
        Tickets already held; with those of the deal at most 7.
    at_least
        Fewest tickets of the deal to keep; by default the map's number, for the opening
        deal or, if you hold tickets, for a later draw.
    train_value
        Points that a train would earn elsewhere; by default the mean points per
        train of all routes of the map.
    trains
        Trains left; by default the map's number less those on `owned` routes.
    closed, owned
        Routes that other players own, and routes that you own.
    n_players, stations
        As for `feasibility`.

    Returns
    -------
    table
        One row for each choice that the rules allow, best first:

        - `keep`, `drop`: ids of the tickets of the deal;
        - `n_kept`;
        - `net`: ``ticket_points + route_points - train_value * trains``, by
          which choices are ranked;
        - `possible`: whether all tickets can be completed with the trains left;
        - `written_off`: ids of tickets, held ones too, that are given up: those
          cut off, and as many others as necessary, chosen for the most `net`;
        - `destinations`: for tickets to countries, the one with the best `net`;
        - `ticket_points` (of held tickets too): gained, less those lost on
          tickets written off;
        - `route_points`, `trains`, `slack` (trains left), `points_per_train`,
          `n_routes` (turns spent claiming), `n_tunnels`, `n_ferries`, `toll`: of
          the network with the fewest trains for the other tickets and these
          destinations;
        - `detour`: extra trains if the worst route of that network is lost;
        - `at_risk`: points lost if none of the tickets is completed;
        - `marginal`: fewest extra trains of each ticket of the deal that is not
          written off, on top of the others;
        - `warning`: tickets cut off or written off, with the trains missing for
          them; too few trains if the worst route were lost, or fewer than a
          quarter to spare; and stations that could still save all.

    Raises
    ------
    ValueError
        If the deal has fewer tickets than must be kept, there are more than 7
        tickets, `trains` is negative, or `stations` exceeds the number in the rules.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> table = which_to_keep(nordic, ["Oslo-Vaasa", "Oslo-Stockholm", "Narvik-Murmansk"])
    >>> table.loc[0, "keep"], len(table)
    ('Oslo-Vaasa, Oslo-Stockholm, Narvik-Murmansk', 4)

    The best of several destinations need not be the nearest:

    >>> switzerland = ttr.load_map("switzerland")
    >>> which_to_keep(switzerland, ["Lugano-countries"], at_least=1).loc[0, "destinations"]
    'Lugano-countries: France'

    If the trains are not enough, tickets kept in vain count as lost:

    >>> late = which_to_keep(nordic, ["Oslo-Vaasa", "Oslo-Stockholm"], at_least=1, trains=4)
    >>> late[["keep", "possible", "written_off"]].to_numpy().tolist()[1]
    ['Oslo-Vaasa, Oslo-Stockholm', False, 'Oslo-Vaasa']
    """
    game_map = as_map(game_map)
    import pandas as pd

    from ttr_analysis._notebook import as_table

    dealt, kept_already = game_map.resolve_tickets(deal), game_map.resolve_tickets(held)
    check_tickets([*dealt, *kept_already])
    rules = game_map.rules.tickets
    least = (rules.keep if kept_already else rules.opening_keep) if at_least is None else at_least
    if at_least is None and len(dealt) < least:
        raise ValueError(f"expected at least {least} tickets, the fewest to keep (or set at_least), got {len(dealt)}")
    if not 1 <= least <= len(dealt):
        raise ValueError(f"at_least must be from 1 to {len(dealt)}, the tickets dealt, got {least}")
    if train_value is None:
        train_value = sum(r.points for r in game_map.routes) / sum(r.length for r in game_map.routes)
    others = game_map.resolve_routes(closed)
    solver = forest_solver(game_map, others, owned, n_players=n_players)
    left = trains_left(game_map, solver.owned, trains)
    networks = _NetworksByTickets(solver, (*dealt, *kept_already), left, train_value)
    always = tuple(range(len(dealt), len(networks.tickets)))
    station_networks = StationNetworks(solver, networks.tickets, others, stations_left(game_map, stations))
    both = closes_twin(game_map, n_players)
    rows = []
    for n_kept in range(least, len(dealt) + 1):
        for kept in combinations(range(len(dealt)), n_kept):
            choice = (*kept, *always)
            dropped = (ticket.id for i, ticket in enumerate(dealt) if i not in kept)
            row = {"keep": ", ".join(dealt[i].id for i in kept), "drop": ", ".join(dropped), "n_kept": n_kept}
            row |= _reasons(networks, choice, n_kept, both=both)
            saving = None if row["possible"] else station_networks.fewest(sum(1 << i for i in choice), left)
            if saving is not None:
                row["warning"] = f"{row['warning']}; possible with {saving}"
            rows.append(row)
    table = pd.DataFrame(rows).sort_values(["net", "possible"], ascending=False, kind="stable", ignore_index=True)
    return as_table(table, _CHOICE_COLUMNS)


class _NetworksByTickets:
    """The best networks within the trains left, for sets of tickets given as bit masks."""

    def __init__(self, solver: ForestSolver, tickets: Sequence[Ticket], left: int, train_value: float) -> None:
        self.solver, self.tickets, self.left, self.train_value = solver, tuple(tickets), left, train_value
        costs = solver.subset_costs(tickets, np.arange(len(tickets), dtype=np.int64)[None])[0]
        self.trains = [int(trains) for trains in trains_of(costs)]
        self.cut_off = sum(1 << i for i in range(len(tickets)) if self.trains[1 << i] < 0)
        self._networks: dict[int, Network] = {}

    def chosen(self, bits: int) -> tuple[Ticket, ...]:
        return tuple(ticket for i, ticket in enumerate(self.tickets) if bits >> i & 1)

    def fits(self, bits: int) -> bool:
        return 0 <= self.trains[bits] <= self.left

    def net(self, network: Network) -> float:
        return network.points - self.train_value * network.length

    def best(self, bits: int) -> Network:
        """Return the best network for a set of tickets; tickets that it does not reach are written off."""
        open_ones = bits & ~self.cut_off
        if self.fits(open_ones):
            return self._of_all(self._network(open_ones), bits)
        parts = (part for part in range(open_ones) if part & open_ones == part and self.fits(part))
        return max((self._of_all(self._network(part), bits) for part in parts), key=self.net)

    def _network(self, bits: int) -> Network:
        """Return the feasible network with the best net points, over all choices of destinations."""
        if bits not in self._networks:
            networks = _networks(self.solver, self.chosen(bits))
            self._networks[bits] = max((n for n in networks if n.length <= self.left), key=self.net)
        return self._networks[bits]

    def _of_all(self, network: Network, bits: int) -> Network:
        """Return a network with all tickets of a set, completed or not; it may complete more than it was found for."""
        tickets, parts = self.chosen(bits), join_cities(network.routes + network.owned)
        return replace(network, tickets=tickets, reached=tuple(reached_destinations(t, parts) for t in tickets))


def _networks(solver: ForestSolver, tickets: Sequence[Ticket]) -> Iterator[Network]:
    choices = [[replace(ticket, destinations=(goal,)) for goal in ticket.destinations] for ticket in tickets]
    return filter(None, (solver.find(tickets, fixed) for fixed in product(*choices)))


def _reasons(networks: _NetworksByTickets, choice: Sequence[int], n_kept: int, *, both: bool) -> dict[str, object]:
    """Return the gains and costs of a choice; its first `n_kept` tickets are from the deal."""
    bits = sum(1 << i for i in choice)
    network = networks.best(bits)
    done = [i for i, reached in zip(choice, network.reached, strict=True) if reached]
    kept_bits = sum(1 << i for i in done)
    slack = networks.left - network.length
    completed = replace(network, tickets=networks.chosen(kept_bits), reached=tuple(filter(None, network.reached)))
    detour = float(detours(networks.solver, completed, both=both).max(initial=0))
    several = [
        f"{ticket.id}: {destination}"
        for ticket, destination in zip(network.tickets, network.destinations, strict=True)
        if destination and len(ticket.destinations) > 1
    ]
    marginals = [
        f"{networks.tickets[i].id} {networks.trains[kept_bits] - networks.trains[kept_bits ^ 1 << i]}"
        for i in choice[:n_kept]
        if i in done
    ]
    return {
        "net": networks.net(network),
        "possible": networks.fits(bits),
        "written_off": ", ".join(ticket.id for ticket in networks.chosen(bits ^ kept_bits)),
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
        "warning": "; ".join(filter(None, (*_missing(networks, bits, kept_bits), _risk(slack, networks.left, detour)))),
    }


def _ratio(points: int, trains: int) -> float:
    """Return the points per train; infinite if they cost no trains, nan if there are none."""
    if trains:
        return points / trains
    return np.inf if points else np.nan


def _missing(networks: _NetworksByTickets, bits: int, done: int) -> Iterator[str]:
    """Yield reasons why not all tickets of a set can be completed, if only `done` are."""
    cut_off = bits & networks.cut_off
    if cut_off:
        yield f"{_named(networks, cut_off)} can no longer be completed"
    open_ones = bits & ~cut_off
    if not networks.fits(open_ones):
        short = counted(networks.trains[open_ones] - networks.left, "train")
        yield f"{short} too few, {_named(networks, open_ones & ~done)} written off"


def _named(networks: _NetworksByTickets, bits: int) -> str:
    return listed(ticket.id for ticket in networks.chosen(bits))


def _risk(slack: int, left: int, detour: float) -> str:
    """Return a warning about too few trains to spare, "" if they are enough."""
    trains = counted(slack, "train")
    if detour == np.inf:
        return f"{trains} to spare, and no way around the worst route"
    if detour > slack:
        return f"{trains} to spare, but {detour:.0f} more needed if the worst route is lost"
    return f"only {slack} of {counted(left, 'train')} to spare" if slack < _LOW_SLACK * left else ""
