"""What the loss of a route costs those who need it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ttr_analysis.analysis.tickets._forest import Flags, Ints
from ttr_analysis.analysis.tickets.solver import ForestSolver, forest_solver, trains_of
from ttr_analysis.analysis.tickets.values import Floats, random_deals
from ttr_analysis.maps.model import GameMap, Route, Ticket

if TYPE_CHECKING:
    import pandas as pd


def blocking_map(game_map: GameMap, *, n_deals: int = 1000, seed: int = 0, progress: bool = False) -> pd.DataFrame:
    """
    Return for every route by how much its loss raises the fewest trains of tickets and deals.

    Parameters
    ----------
    game_map
        The map.
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
    import pandas as pd
    from tqdm.auto import tqdm

    solver = forest_solver(game_map)
    tickets = game_map.tickets
    singles = np.arange(len(tickets), dtype=np.int64)[:, None]
    deals = random_deals(game_map, n_deals, np.random.default_rng(seed))
    ticket_costs, ticket_used = solver.used_routes(tickets, singles)
    deal_costs, deal_used = solver.used_routes(tickets, deals)
    index = {route.id: i for i, route in enumerate(game_map.routes)}
    rows = []
    for routes in tqdm(_losses(game_map), desc="blocking", disable=not progress):
        positions = [index[route.id] for route in routes]
        without = solver.without(routes)
        by_ticket = _extra(without, tickets, singles, trains_of(ticket_costs), ticket_used, positions)
        by_deal = _extra(without, tickets, deals, trains_of(deal_costs), deal_used, positions)
        rows.append(_row(game_map, routes, by_ticket, by_deal))
    table = pd.DataFrame(rows)
    return table.sort_values(["deals_lost", "deal_mean"], ascending=False, kind="stable", ignore_index=True)


def _losses(game_map: GameMap) -> list[tuple[Route, ...]]:
    """Return each track, and both tracks of each double route."""
    losses: list[tuple[Route, ...]] = [(route,) for route in game_map.routes]
    for route in game_map.routes:
        twin = game_map.twin(route)
        if twin is not None and route.track == 0:
            losses.append((route, twin))
    return losses


def _extra(
    without: ForestSolver, tickets: Sequence[Ticket], sets: Ints, trains: Ints, used: Flags, positions: list[int]
) -> Floats:
    """Return the extra trains of each set of tickets; not a number where it becomes impossible."""
    extra = np.zeros(len(sets))
    affected = np.flatnonzero(used[:, positions].any(axis=1))
    longer = trains_of(without.costs(tickets, sets[affected]))
    extra[affected] = np.where(longer < 0, np.nan, longer - trains[affected])
    return extra


def _row(game_map: GameMap, routes: tuple[Route, ...], by_ticket: Floats, by_deal: Floats) -> dict[str, object]:
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
