"""Routes on which sets of any cards stand in for single ones, and ferries."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any

from ttr_analysis._words import counted, listed
from ttr_analysis.analysis import payments
from ttr_analysis.analysis.waiting import WaitingTime
from ttr_analysis.cards import COLORS, GRAY
from ttr_analysis.maps.model import Route
from ttr_analysis.report.context import Context, route_name
from ttr_analysis.report.document import Block, Picture, Section, number
from ttr_analysis.report.files import drop_equal, finite, make_table, records
from ttr_analysis.report.pictures import chart
from ttr_analysis.studies.findings import worth_in_words
from ttr_analysis.viz.charts import plot_card_odds

_WORTH = (
    *("own", "positions", "left", "claimed", "elsewhere", "gain", "gain_low", "gain_high", "win_gain", "win_gain_low"),
    *("win_gain_high", "free_claimed"),
)
"""The columns shown of what a long route is worth."""


def section(context: Context) -> Section | None:
    """Return the section on routes with sets of any cards, if the map has such a route that is no ferry."""
    routes = [route for route in context.game_map.routes if route.swap_size and not route.locomotives]
    if not routes:
        return None
    costs = {route.id: _costs(context, route) for route in routes}
    rows = [row for route in routes for row in costs[route.id]]
    blocks: list[Block] = [_waiting_chart(context, route) for route in routes]
    title = "Long routes with sets of cards"
    heading = "What they cost, by own cards"
    if len(routes) == 1:
        title, heading = f"{route_name(routes[0])}: is it worth it?", "What it costs, by own cards"
        rows = drop_equal(rows, "route")
    note = "The right cards are taken for granted in points, here and elsewhere; tickets and bonuses are left aside."
    blocks.append(make_table("long_routes", heading, rows, note=note))
    blocks += _worth_tables(context, routes)
    lead = " ".join(_lead(context, route, costs[route.id]) for route in routes)
    return Section("long-routes", title, lead, tuple(blocks))


def _lead(context: Context, route: Route, rows: list[dict[str, Any]]) -> str:
    """Return what a long route takes, and whether it is worth it."""
    none, most = rows[0], rows[-1]
    lead = (
        f"{route_name(route)} scores {route.points} points for {counted(route.length, 'train')}; any {route.swap_size} "
        f"cards stand in for one. With {most['own']} cards of one color it takes {counted(most['cards'], 'card')}, "
        f"with none {none['cards']}: each own card saves {route.swap_size - 1}. "
        f"The same trains earn at most {max(row['same_trains'] for row in rows)} points elsewhere."
    )
    worth = context.worth.get(route.id)
    return lead if worth is None else f"{lead} {worth_in_words(route, worth)}"


def _worth_tables(context: Context, routes: list[Route]) -> list[Block]:
    """Return what games show of long routes, where there are any."""
    rows = []
    for route in routes:
        worth = context.worth.get(route.id)
        if worth is not None:
            shown = [{key: finite(row[key]) for key in _WORTH if key in row} for row in records(worth.reset_index())]
            rows += [{"route": route_name(route), **row} for row in shown if row["positions"]]
    if not rows:
        return []
    note = (
        "From the first moment with so many own cards, each game is played to its end three times with the same "
        "chance: going for the route, drawing for nothing else until it can be claimed; doing without it; and free."
    )
    return [make_table("long_routes_played", "What going for it is worth, played out", rows, note=note)]


def _costs(context: Context, route: Route) -> list[dict[str, Any]]:
    """Return a row for each number of own cards, none first."""
    rules = context.game_map.rules
    by_trains = payments.opportunity_cost(context.game_map, route)["same_cards"]
    ways = records(payments.cards_table(route).assign(same_trains=by_trains))
    rows = []
    for way in sorted((way for way in ways if way["locomotives"] == 0), key=lambda way: way["own"]):
        row = {
            "route": route_name(route),
            **{key: way[key] for key in ("own", "cards", "set_cards", "same_trains")},
            "points_per_card": route.points / way["cards"],
        }
        if way["own"] <= rules.cards.per_color:
            waiting = _waiting(context, route, way["own"])
            row["draws"] = waiting.expected_cards.value
            row["turns"] = waiting.expected_turns.value
            row["turns_90"] = waiting.turns_quantile(0.9)
        rows.append(row)
    return rows


def _waiting(context: Context, route: Route, own: int) -> WaitingTime:
    """Return the waiting time from some cards of the route's color, or of any one if it is gray."""
    color = COLORS[0] if route.color == GRAY else route.color
    return payments.expected_draws(route, {color: own}, rules=context.game_map.rules)


def _waiting_chart(context: Context, route: Route) -> Picture:
    most = min(2 * route.length // 3, context.game_map.rules.cards.per_color)
    odds = {counted(own or "no", "own card"): _waiting(context, route, own) for own in sorted({0, most // 2, most})}
    halves = listed(f"{wait.quantile(0.5)} draws from {held}" for held, wait in odds.items())
    caption = f"How soon {route_name(route)} can be paid by drawing blind. The chance reaches one half after {halves}."
    alt = f"Rising steps, one line for each number of own cards. One half is reached after {halves}."
    return chart(lambda ax: plot_card_odds(odds, ax, by="cards", title=""), alt, caption, size=(8.0, 3.6))


# -- ferries --------------------------------------------------------------------------


def ferries(context: Context) -> Section | None:
    """Return the section on ferries, if there are any."""
    routes = sorted((route for route in context.game_map.routes if route.locomotives), key=_ferry_kind)
    if not routes:
        return None
    rows = [_ferry_row(context, list(group)) for _, group in groupby(routes, key=_ferry_kind)]
    common = max(rows, key=lambda row: row["n_routes"])
    symbols = sum(route.locomotives for route in routes)
    without = "cannot be paid without" if common["without"] is None else f"{common['without']} without"
    kind = "gray" if common["color"] == GRAY else "one-colored"
    lead = (
        f"{counted(len(routes), 'ferry', 'ferries')} with {counted(symbols, 'locomotive symbol')} in all. The "
        f"commonest, {kind} of length {common['length']} with {counted(common['symbols'], 'symbol')}, takes "
        f"{counted(common['fewest'], 'card')} with locomotives and {without}. "
        f"Drawing blind from an empty hand it can be paid after {_mean(common['draws'])} on average, "
        f"a plain route of its length and color after {_mean(common['plain_draws'])}."
    )
    note = "All cards not held lie in the pile; any color will do for a gray ferry."
    table = make_table("ferries", "What ferries cost", drop_equal(rows, "sets"), note=note)
    return Section("ferries", "Ferries", lead, (table,))


def _mean(n_cards: float) -> str:
    return "all cards in vain" if n_cards == float("inf") else f"{number(n_cards, 1)} cards"


def _ferry_kind(route: Route) -> tuple[bool, int, int, int, str, bool]:
    sets = (route.swap_size, route.swap_fills, route.locomotives_allowed)
    return route.color == GRAY, route.length, route.locomotives, *sets


def _ferry_row(context: Context, routes: list[Route]) -> dict[str, Any]:
    """Return what ferries of one kind cost."""
    rules = context.game_map.rules
    route = routes[0]
    jokers = "plain" in rules.claims.locomotives_on
    plain = replace(route, locomotives=0, swap_size=0, locomotives_allowed=jokers)
    fills = "any space" if route.swap_fills == "any" else "symbols only"
    without = [way["cards"] for way in records(payments.cards_table(route)) if way["locomotives"] == 0]
    return {
        "color": GRAY if route.color == GRAY else "one color",
        "length": route.length,
        "symbols": route.locomotives,
        "n_routes": len(routes),
        "fewest": route.length,
        "without": min(without, default=None),
        "draws": payments.expected_draws(route, rules=rules).expected_cards.value,
        "plain_draws": payments.expected_draws(plain, rules=rules).expected_cards.value,
        "sets": f"{route.swap_size} for one, {fills}" if route.swap_size else "none",
    }
