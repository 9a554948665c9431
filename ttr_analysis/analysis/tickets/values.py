"""What tickets are worth, and what the loss of a route costs them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from ttr_analysis._arrays import Flags, Floats, Ints
from ttr_analysis.analysis.tickets.network import (
    ForestSolver,
    Network,
    fix_destinations,
    forest_solver,
    trains_of,
)
from ttr_analysis.analysis.tickets.steiner import MAX_TICKETS
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, Ticket

if TYPE_CHECKING:
    import pandas as pd


_BLOCK = 500
"""Sets in one compiled call: short enough to be interrupted."""
_VALUE_FIRST: Final = (
    *("destination", "points", "trains", "points_per_train", "n_routes", "n_tunnels", "n_ferries", "toll"),
    *("detour", "in_deal", "shared"),
)
_LOSS_FIRST: Final = (
    *("route", "lost", "length", "n_tickets", "ticket_mean", "ticket_worst", "worst_ticket", "tickets_lost"),
    *("deal_mean", "deal_worst", "deals_lost"),
)
"""What a notebook shows of a ticket and of the loss of a route."""


def value_table(game_map: MapLike, *, n_deals: int = 5000, seed: int = 0, progress: bool = False) -> pd.DataFrame:
    """
    Return what each ticket of a map costs and brings.

    Parameters
    ----------
    game_map
        The map, or its name.
    n_deals
        Random opening deals in which tickets are weighed together.
    seed
        Of the deals.
    progress
        Whether to show a progress bar.

    Returns
    -------
    table
        One row per ticket, indexed by its id, most points per train first:

        - `destination`, `points`: of the destination that its cheapest
          network reaches;
        - `most_points`, `most_points_trains`: of its best destination, where
          it has several, and the fewest trains to there;
        - `trains`: fewest trains that complete it alone;
        - `points_per_train`;
        - `n_routes`, `n_tunnels`, `n_ferries`, `toll`: of that network (tokens);
        - `detour`, `detour_mean`: extra trains if the worst track of that
          network is lost, and on average over its tracks; infinite if nothing
          else leads there;
        - `detour_both`: as `detour`, if the other track of a double route is
          lost too, as it is with few players;
        - `with_one`, `with_two`: extra trains it takes on top of one other
          ticket, or of two, on average over all of them;
        - `in_deal`, `in_deal_se`: extra trains it takes on top of the other
          tickets of a random opening deal, and the standard error of that
          mean;
        - `shared`: share of its own `trains` that the others of a deal save.

    Notes
    -----
    Every number of trains is exact (a Steiner forest); only the last three
    columns depend on the random deals.

    Examples
    --------
    >>> import ttr_analysis as ttr
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
    with_one = _mean_marginal(solver, tickets, 2)
    steps.update()
    with_two = _mean_marginal(solver, tickets, 3)
    steps.update()
    in_deal, in_deal_se = _deal_marginals(solver, n_deals, seed)
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
            "n_tunnels": [network.n_tunnels for network in alone],
            "n_ferries": [network.n_ferries for network in alone],
            "toll": [network.toll for network in alone],
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
    return as_table(table.sort_values(["points_per_train", "points"], ascending=False, kind="stable"), _VALUE_FIRST)


def best_pairs(game_map: MapLike) -> pd.DataFrame:
    """
    Return how well each two tickets go together.

    Parameters
    ----------
    game_map
        The map, or its name.

    Returns
    -------
    table
        One row per pair, most points per train first: `ticket_a`,
        `ticket_b` (ids), `points` (of both, each at the destination that the
        common network reaches at best), `trains` (fewest for both), `apart`
        (fewest for each, added up), `saved` (the difference),
        `points_per_train`.

    Examples
    --------
    >>> import ttr_analysis as ttr
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
    game_map
        The map, or its name.
    n_deals
        How many.
    rng
        Source of randomness.

    Returns
    -------
    deals
        Positions of tickets of the map, shape (deals, tickets dealt); each
        deal is uniform among all sets, with as many tickets of each deck as
        are dealt. Of more than 7 tickets dealt, 7 are taken: no more can be
        solved at once.

    Raises
    ------
    ValueError
        If there is not at least one deal.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> [deal] = random_deals(nordic, 1, np.random.default_rng(7))
    >>> tickets = [nordic.tickets[i] for i in deal]
    >>> str(tickets[0]), ttr.tickets.fewest_trains(nordic, [tickets])
    ('Stockholm to Umeå 7', [33])
    """
    game_map = as_map(game_map)
    if n_deals < 1:
        msg = f"at least one deal is needed, got {n_deals}"
        raise ValueError(msg)
    rules = game_map.rules.tickets
    order = rng.random((n_deals, len(game_map.tickets))).argsort(axis=1)
    if rules.decks:
        names = [known.name for known in rules.decks]
        deck = np.array([ticket.deck for ticket in game_map.tickets])[order]
        parts = [order[deck == name].reshape(n_deals, -1)[:, : rules.n_dealt(name)] for name in names]
        order = np.concatenate(parts, axis=1)
    return order[:, : min(rules.opening_deal, MAX_TICKETS)].astype(np.int64)


def detours(solver: ForestSolver, network: Network, *, both: bool = False) -> Floats:
    """
    Return the extra trains if each route of a network is lost.

    Parameters
    ----------
    solver
        Of the map as it is.
    network
        A cheapest network.
    both
        Whether the other track of a double route is lost with it.

    Returns
    -------
    extra
        One number for each of its routes; infinite where nothing else will
        do.
    """
    sets = np.arange(len(network.tickets), dtype=np.int64)[None]
    costs = []
    for route in network.routes:
        twin = solver.game_map.twin(route) if both else None
        lost = [route] if twin is None else [route, twin]
        costs.append(solver.without(lost).costs(network.tickets, sets)[0])
    trains = trains_of(np.array(costs, dtype=np.int64))
    return np.where(trains < 0, np.inf, trains - network.length)


def _trains_to_best(solver: ForestSolver, ticket: Ticket) -> int:
    """Return the fewest trains to the destination of a ticket with the most points."""
    best, _ = max(ticket.destinations, key=lambda pair: pair[1])
    return solver.solve([ticket], fix_destinations([ticket], {ticket.id: best.name})).length


def _mean_marginal(solver: ForestSolver, tickets: Sequence[Ticket], size: int) -> Floats:
    """Return the mean extra trains of each ticket on top of each set of `size - 1` others."""
    sets = _combinations(len(tickets), size)
    if not len(sets):
        return np.full(len(tickets), np.nan)
    costs = trains_of(solver.subset_costs(tickets, sets))
    total = np.zeros(len(tickets))
    whole = (1 << size) - 1
    for j in range(size):
        np.add.at(total, sets[:, j], costs[:, whole] - costs[:, whole ^ 1 << j])
    return total * len(tickets) / (len(sets) * size)


def _deal_marginals(solver: ForestSolver, n_deals: int, seed: int) -> tuple[Floats, Floats]:
    """Return the mean extra trains of each ticket in random deals, and its standard error."""
    tickets = solver.game_map.tickets
    deals = random_deals(solver.game_map, n_deals, np.random.default_rng(seed))
    marginals: list[list[float]] = [[] for _ in tickets]
    whole = (1 << deals.shape[1]) - 1
    for start in range(0, n_deals, _BLOCK):
        block = deals[start : start + _BLOCK]
        costs = trains_of(solver.subset_costs(tickets, block))
        for j in range(deals.shape[1]):
            for ticket, extra in zip(block[:, j], costs[:, whole] - costs[:, whole ^ 1 << j], strict=True):
                marginals[ticket].append(extra)
    means = np.array([np.mean(extra) if extra else np.nan for extra in marginals])
    errors = np.array([np.std(extra, ddof=1) / len(extra) ** 0.5 if len(extra) > 1 else np.nan for extra in marginals])
    return means, errors


def _combinations(n: int, size: int) -> Ints:
    """Return all sets of `size` of the first `n` numbers, one a line."""
    return np.array(list(combinations(range(n), size)), dtype=np.int64).reshape(-1, size)


# -- what the loss of a route costs those who need it --------------------------------------------------------------


def blocking_map(game_map: MapLike, *, n_deals: int = 1000, seed: int = 0, progress: bool = False) -> pd.DataFrame:
    """
    Return for every route by how much its loss raises the fewest trains of tickets and deals.

    Parameters
    ----------
    game_map
        The map, or its name.
    n_deals
        Random opening deals, all of whose tickets are to be completed.
    seed
        Of the deals.
    progress
        Whether to show a progress bar.

    Returns
    -------
    table
        One row per track, and one more per double route for the loss of both
        tracks, most costly for deals first:

        - `route` (id of the track, or of the first of both), `city_a`,
          `city_b`, `lost` ("track" or "both"), `length`;
        - `n_tickets`: tickets whose cheapest network becomes longer or
          impossible;
        - `ticket_mean`, `ticket_worst`: extra trains over all tickets still
          possible, on average and at worst; `worst_ticket`: its id;
        - `tickets_lost`: tickets that become impossible;
        - `deal_mean`, `deal_se`, `deal_worst`: extra trains of a random deal,
          the standard error of the mean, and the worst of them;
        - `deals_lost`: share of deals that become impossible.

    Notes
    -----
    Exact for tickets, and for each deal; only the choice of deals is random.
    A network that does not use a route is not changed by its loss, so that
    only those that do are solved again.

    Examples
    --------
    >>> import ttr_analysis as ttr
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
    return as_table(table, _LOSS_FIRST)


def _losses(game_map: GameMap) -> list[tuple[Route, ...]]:
    """Return each track, and both tracks of each double route."""
    losses: list[tuple[Route, ...]] = [(route,) for route in game_map.routes]
    for route in game_map.routes:
        twin = game_map.twin(route)
        if twin is not None and route.track == 0:
            losses.append((route, twin))
    return losses


def _extra_trains(
    without: ForestSolver, tickets: Sequence[Ticket], sets: Ints, trains: Ints, used: Flags, positions: list[int]
) -> Floats:
    """Return the extra trains of each set of tickets; not a number where it becomes impossible."""
    extra = np.zeros(len(sets))
    affected = np.flatnonzero(used[:, positions].any(axis=1))
    longer = trains_of(without.costs(tickets, sets[affected]))
    extra[affected] = np.where(longer < 0, np.nan, longer - trains[affected])
    return extra


def _loss_row(game_map: GameMap, routes: tuple[Route, ...], by_ticket: Floats, by_deal: Floats) -> dict[str, object]:
    """Return the row of `blocking_map` for the loss of some tracks."""
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
