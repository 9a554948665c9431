"""The section on complete games between planners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ttr_analysis import studies
from ttr_analysis._words import counted, number, percent
from ttr_analysis.report import page
from ttr_analysis.report.context import Context, route_name, ticket_name
from ttr_analysis.studies import SimulationResult
from ttr_analysis.viz.board import plot_map
from ttr_analysis.viz.results import (
    plot_point_sources,
    plot_rates,
    plot_ticket_fates,
    plot_ticket_results,
    plot_tunnel_success,
)

if TYPE_CHECKING:
    import pandas as pd

_NO_CAUSE = (
    "The owners of a route may win more often even if the route is not the reason: a player who is ahead can afford "
    "more. And planners, unlike people, do not guess each other's tickets in order to block them."
)


def section(context: Context) -> page.Section | None:
    """Return the section on games between planners; None if there are none."""
    if context.played is None:
        return None
    result, seconds = context.played
    seats, fates = studies.seat_advantage(result), studies.ticket_fates(result)
    results = studies.ticket_results(result, context.values, context.game_map)
    routes = studies.route_results(result)
    blocks: list[page.Block] = [
        _figures(result, seconds),
        _seat_chart(seats),
        page.make_table("game_seats", "Results by seat", _seat_rows(context, result, seats)),
        _source_chart(result),
        *_ticket_blocks(context, results, fates),
        page.Heading("Routes"),
        _board(context, routes),
        page.make_table("game_routes", "Routes as played", _route_rows(context, result, routes), n_shown=12),
        page.Words(_NO_CAUSE),
    ]
    if len(result.tunnels):
        blocks += [page.Heading("Tunnel attempts"), _tunnel_chart(result)]
    return page.Section("games", "What games show", _lead(seats, fates), tuple(blocks))


def _between(low: float, high: float, digits: int = 0) -> str:
    """Return an interval in words."""
    return f"95% interval {percent(low, digits)} to {percent(high, digits)}"


def _lead(seats: pd.DataFrame, fates: pd.DataFrame) -> str:
    first, n_games = page.records(seats)[0], seats["games"].iloc[0]
    chance = 1 / len(seats)
    than = "not clearly different from"
    if not first["win_low"] <= chance <= first["win_high"]:
        than = "more than" if first["win_low"] > chance else "less than"
    lead = (
        f"In {counted(n_games, 'game')} between {len(seats)} planners, the first seat (seat 0) wins "
        f"{percent(first['win_rate'])} ({_between(first['win_low'], first['win_high'])}), {than} an equal share of "
        f"{percent(chance)}."
    )
    if fates.empty:
        return lead
    by_fate = {row["fate"]: row for row in page.records(fates.reset_index())}
    done, blocked = by_fate["completed"], by_fate["blocked"]
    return (
        f"{lead} Of the tickets kept, {percent(done['rate'])} are completed ({_between(done['low'], done['high'])}), "
        f"and {percent(blocked['rate'], 1)} are blocked by another player's claim "
        f"({_between(blocked['low'], blocked['high'], 1)})."
    )


def _figures(result: SimulationResult, seconds: float) -> page.Figures:
    seats = result.seats
    winners = seats[seats["won"] > 0]
    return page.Figures(
        (
            (f"{result.n_games:,}", "games between planners"),
            (f"{seconds:.1f} s", "of CPU time to play them"),
            (_mean(winners["points"], winners["game"]), "mean points of winners, with 95% interval"),
            (_mean(seats["points"], seats["game"]), "mean points of all players, with 95% interval"),
            (_mean(seats["turns"], seats["game"]), "mean turns of all players, with 95% interval"),
        )
    )


def _mean(values: pd.Series, games: pd.Series) -> str:
    """Return the mean with half of its 95% interval; only games are independent, not their seats."""
    means = values.groupby(games).mean()
    found = studies.mean_interval(means.sum(), (means**2).sum(), len(means))
    half = found.high - found.value
    return f"{number(found.value, 1)} ± {number(half, 1)}" if half > 0 else number(found.value, 1)


# -- seats and points ---------------------------------------------------------------------


def _seat_rows(context: Context, result: SimulationResult, seats: pd.DataFrame) -> pd.DataFrame:
    if context.game_map.rules.stations.number:
        seats = seats.assign(stations=result.seats.groupby("seat")["station_points"].mean())
    return page.finite(seats.reset_index())


def _seat_chart(seats: pd.DataFrame) -> page.Picture:
    words = ", ".join(f"{percent(rate)} for seat {seat}" for seat, rate in seats["win_rate"].items())
    caption = "How often each seat wins, with 95% intervals. The line is an equal share."
    size = (8.0, 1.2 + 0.4 * len(seats))
    return page.chart(lambda ax: plot_rates(seats, ax, title=""), f"Dots with intervals: {words}.", caption, size=size)


def _source_chart(result: SimulationResult) -> page.Picture:
    sources = studies.point_sources(result)
    words = [
        f"{'winners' if row['won'] else 'other seats'} have {row['routes']:.0f} points for routes "
        f"and {row['tickets_completed'] + row['tickets_missed']:.0f} for tickets"
        for row in page.records(sources.reset_index())
    ]
    caption = "Where the points of winners and of the other seats come from, on average."
    size = (8.0, 1.4 + 0.5 * len(sources))
    return page.chart(
        lambda ax: plot_point_sources(sources, ax, title=""), f"Bars: {'; '.join(words)}.", caption, size=size
    )


# -- tickets -------------------------------------------------------------------------------------------------------


def _ticket_blocks(context: Context, results: pd.DataFrame, fates: pd.DataFrame) -> list[page.Block]:
    """Return the table and charts on tickets; nothing if nobody kept any."""
    if fates.empty:
        return []
    table = page.make_table("game_tickets", "Tickets as played", _ticket_rows(context, results), n_shown=12)
    return [page.Heading("Tickets"), _ticket_chart(results), table, _fate_chart(fates)]


def _ticket_rows(context: Context, results: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each ticket kept, most net points first; an interval without width is left out."""
    kept = results[results["kept"] > 0].sort_values("net_points", ascending=False, kind="stable")
    kept = kept.assign(**{end: kept[end].where(kept["net_low"] < kept["net_high"]) for end in ("net_low", "net_high")})
    tickets = map(context.game_map.ticket, map(str, kept.index))
    return page.finite(kept).assign(ticket=[*map(ticket_name, tickets)])


def _ticket_chart(results: pd.DataFrame) -> page.Picture:
    caption = (
        "How often each ticket kept is completed, with 95% intervals, against the fewest trains that it takes. "
        "Colors show the mean points it scores, failures included."
    )
    alt = f"{counted(int((results['kept'] > 0).sum()), 'dot')}, one for each ticket. {caption}"
    return page.chart(lambda ax: plot_ticket_results(results, ax, title=""), alt, caption, size=(8.0, 6.4), wide=True)


def _fate_chart(fates: pd.DataFrame) -> page.Picture:
    words = ", ".join(f"{fate} {percent(rate, 1)}" for fate, rate in fates["rate"].droplevel("policy").items())
    caption = (
        "What becomes of tickets. Blocked: after another player's claim, the owner had too few trains left. "
        "Out of trains: the same, after the owner's own claim. Out of time: the trains would have been enough. "
        "Hopeless: already impossible when kept."
    )
    return page.chart(lambda ax: plot_ticket_fates(fates, ax, title=""), f"A bar: {words}.", caption, size=(8.0, 1.8))


# -- routes and tunnels ------------------------------------------------------------------------


def _route_rows(context: Context, result: SimulationResult, results: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each route, most often taken first."""
    results = results.join(studies.blocking_routes(result)[["blocked"]]).fillna({"blocked": 0.0})
    routes = [context.game_map.route(str(route)) for route in results.index]
    shown = page.finite(results).assign(route=[*map(route_name, routes)], color=[route.color for route in routes])
    return shown.sort_values("claim_rate", ascending=False, kind="stable")


def _board(context: Context, results: pd.DataFrame) -> page.Picture:
    rates = results["claim_rate"]
    most = context.game_map.route(str(rates.idxmax()))
    return page.board(
        lambda ax: plot_map(context.game_map, ax, values=rates, value_label="share of games", title=""),
        context.game_map,
        f"The board colored by how often routes are taken; most often {route_name(most)}.",
        "The share of games in which each route is taken.",
        extra_width=1.0,
    )


def _tunnel_chart(result: SimulationResult) -> page.Picture:
    table = studies.tunnel_calibration(result)
    whole = studies.tunnel_results(result).iloc[0]
    caption = (
        f"How often attempts succeed, against the odds of paying the surcharge. Of {number(whole['attempts'])}, "
        f"{percent(whole['success_rate'])} succeed; the odds predict {percent(whole['odds'])}."
    )
    return page.chart(
        lambda ax: plot_tunnel_success(table, ax, title=""), f"Dots near a line. {caption}", caption, size=(8.0, 5.2)
    )
