"""What the points of a route cost, against the same trains and cards spent elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ttr_analysis.analysis.payments.choice import cards_table
from ttr_analysis.cards import COLORS
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, RouteLike

if TYPE_CHECKING:
    import pandas as pd


class _Item(NamedTuple):
    """A route that could be built instead."""

    route: Route
    cards: Fraction


class _Best(NamedTuple):
    """The most points of several routes within bounds."""

    points: int
    routes: tuple[Route, ...]


def expected_cards(game_map: MapLike, route: RouteLike) -> Fraction:
    """
    Return the cards that a route takes on average, without sets.

    Its length, and for a tunnel the expected surcharge from a fresh deck: each
    card turned over matches as often as a color card or a locomotive comes.

    Parameters
    ----------
    game_map
        The map, or its name.
    route
        A route of it, or what names one.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> float(expected_cards(nordic, nordic.route("Oslo", "Bergen", color="red")))
    4.709090909090909
    """
    game_map = as_map(game_map)
    taken = game_map.route(route)
    return taken.length + _surcharge(game_map, taken)


def opportunity_cost(
    game_map: MapLike,
    route: Route,
    *,
    trains: int | None = None,
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
) -> pd.DataFrame:
    """
    Return what else the trains, cards and turns of a route would earn.

    Parameters
    ----------
    game_map
        The map, with its rules.
    route
        A route of it.
    trains
        Trains that may be spent elsewhere; as many as the route is long if
        not given.
    closed, owned
        Routes that cannot be built instead: routes, ids or pairs of cities.

    Returns
    -------
    table
        One row for each way to pay, as in `cards_table`: `own`,
        `locomotives`, `cards`, `turns`, `points`, `points_per_card`,
        `points_per_train`, `points_per_turn`; `best_per_card`,
        `best_per_train` and `best_per_turn` are the highest of any single
        other route that the same trains and cards pay for; `same_cards` are
        the most points that other routes together earn with no more trains
        and cards, `same_turns` with no more trains and turns; and
        `same_cards_routes` and `same_turns_routes` say which routes.

    Raises
    ------
    UnknownNameError
        If the route is not on the map.

    Notes
    -----
    The model. Only points of routes count: no tickets, no bonus. A way to pay
    costs its cards, a tunnel also its expected surcharge from a fresh deck;
    turns are cards divided by the draws of a turn, and one for each claim,
    fractions allowed. Cards of the right kinds are taken for granted, here
    and elsewhere: then no route elsewhere needs sets. Of a double route one
    track is built. The routes elsewhere are chosen exactly, by dynamic
    programming: the most that could be earned, by a player who has just these
    cards. What is earned in games, tickets and time included, and so whether
    to go for the route, says `ttr.studies.route_worth`.

    Examples
    --------
    However it is paid, Lieksa-Murmansk earns more than nine trains can earn
    elsewhere:

    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> table = opportunity_cost(nordic, nordic.route("Murmansk", "Lieksa"))
    >>> print(table[["own", "cards", "turns", "points", "same_cards", "same_turns"]].head(3).to_string(index=False))
     own  cards  turns  points  same_cards  same_turns
       9    9.0    5.5      27          19          16
       8   12.0    7.0      27          19          19
       7   15.0    8.5      27          19          19
    """
    game_map = as_map(game_map)
    import pandas as pd

    route = game_map.route(route)
    trains = route.length if trains is None else trains
    if trains < 0:
        msg = f"the number of trains must be 0 or more, got {trains}"
        raise ValueError(msg)
    taken = {r.id for r in game_map.resolve_routes(closed)}
    # Nobody claims both tracks of a double route.
    mine = {frozenset(r.cities) for r in (route, *game_map.resolve_routes(owned))}
    groups: dict[frozenset[str], list[_Item]] = {}
    for other in game_map.routes:
        if other.id not in taken and frozenset(other.cities) not in mine:
            item = _Item(other, expected_cards(game_map, other))
            groups.setdefault(frozenset(other.cities), []).append(item)
    draws = game_map.rules.cards.draws_per_turn
    rows = []
    costs = [Fraction(int(n)) + _surcharge(game_map, route) for n in cards_table(route)["cards"]]
    by_cards = _best_within(list(groups.values()), trains, costs, 0)
    # One claim is a turn, as much time as `draws` cards.
    by_turns = _best_within(list(groups.values()), trains, [cost + draws for cost in costs], draws)
    items = [item for group in groups.values() for item in group if item.route.length <= trains]
    for form, cost, cards_best, turns_best in zip(
        cards_table(route).itertuples(index=False), costs, by_cards, by_turns, strict=True
    ):
        turns = cost / draws + 1
        payable = [item for item in items if item.cards <= cost]
        rows.append(
            {
                "own": form.own,
                "locomotives": form.locomotives,
                "cards": float(cost),
                "turns": float(turns),
                "points": route.points,
                "points_per_card": float(route.points / cost),
                "points_per_train": route.points / route.length,
                "points_per_turn": float(route.points / turns),
                "best_per_card": max((float(i.route.points / i.cards) for i in payable), default=0.0),
                "best_per_train": max((i.route.points / i.route.length for i in payable), default=0.0),
                "best_per_turn": max((float(i.route.points / (i.cards / draws + 1)) for i in payable), default=0.0),
                "same_cards": cards_best.points,
                "same_turns": turns_best.points,
                "same_cards_routes": ", ".join(str(r) for r in cards_best.routes),
                "same_turns_routes": ", ".join(str(r) for r in turns_best.routes),
            }
        )
    return pd.DataFrame(rows)


def _surcharge(game_map: GameMap, route: Route) -> Fraction:
    """Return the expected surcharge of a route from a fresh deck, paid in a color."""
    if not route.tunnel:
        return Fraction(0)
    deck = game_map.rules.deck
    revealed = min(game_map.rules.tunnel.revealed, deck.n_cards)
    return Fraction(revealed * (deck[COLORS[0]] + deck.locomotives), deck.n_cards)


def _best_within(
    groups: Sequence[Sequence[_Item]], trains: int, budgets: Sequence[Fraction], per_claim: int
) -> list[_Best]:
    """
    Return for each budget the best routes, at most one of each group.

    Parameters
    ----------
    groups
        Routes of which at most one may be built.
    trains
        Trains there are.
    budgets
        Cards there are, one after another.
    per_claim
        Cards that each claim costs besides those of the route.
    """
    unit = lcm(*(item.cards.denominator for group in groups for item in group), *(b.denominator for b in budgets))
    limit = int(max(budgets) * unit)
    best = np.zeros((trains + 1, limit + 1), dtype=np.int64)
    choices = []
    for group in groups:
        before = best
        best = before.copy()
        choice = np.full(best.shape, -1, dtype=np.int8)
        for i, item in enumerate(group):
            n, cost = item.route.length, int((item.cards + per_claim) * unit)
            if n <= trains and cost <= limit:
                with_it = before[: trains + 1 - n, : limit + 1 - cost] + item.route.points
                better = with_it > best[n:, cost:]
                best[n:, cost:][better] = with_it[better]
                choice[n:, cost:][better] = i
        choices.append(choice)
    results = []
    for budget in budgets:
        t, left = trains, int(budget * unit)
        points = int(best[t, left])
        routes = []
        for group, choice in zip(reversed(groups), reversed(choices), strict=True):
            i = choice[t, left]
            if i >= 0:
                item = group[i]
                routes.append(item.route)
                t -= item.route.length
                left -= int((item.cards + per_claim) * unit)
        results.append(_Best(points, tuple(reversed(routes))))
    return results
