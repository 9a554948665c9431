"""Tickets: the value of each, which pairs and deals to keep, the best network, tolls, and countries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from ttr_analysis import studies
from ttr_analysis._words import counted, listed, number, percent
from ttr_analysis.analysis import paths, tickets
from ttr_analysis.analysis.tickets import BestNetwork, Network
from ttr_analysis.maps.model import Ticket
from ttr_analysis.report import page
from ttr_analysis.report.context import Context, route_name, ticket_name
from ttr_analysis.rules.ruleset import BonusRules
from ttr_analysis.viz.board import plot_map
from ttr_analysis.viz.charts import plot_ticket_values

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


_N_PLAYED, _N_CHOICES = 400, 4
"""Games per choice that is played out, and the number of choices."""
_N_PAIRS = 12
"""Number of pairs at each end of the list."""
_RNG_DEAL = 1
"""Purpose of the random numbers of the example deal."""


def values(context: Context) -> page.Section:
    """Return the section on the value of each ticket."""
    rows = _value_rows(context, context.values)
    lead = f"{_pay(rows)} {_par(rows)}"
    note = f"Trains in a deal: {number(context.n_deals)} random {context.deals}. Everything else is exact."
    full = page.make_table("tickets", "All tickets, by points above par", rows, n_shown=15, note=note)
    return page.Section(
        "tickets", "What tickets are worth on paper", lead, (_value_chart(context, context.values), full)
    )


def _value_rows(context: Context, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each ticket, furthest above par first."""
    by_id = {ticket.id: ticket for ticket in context.game_map.tickets}
    if not any(map(context.game_map.twin, context.game_map.routes)):
        table = table.drop(columns="detour_both")
    rows: list[dict[str, Any]] = []
    for ticket, row, over in zip(table.index, page.records(page.finite(table)), _over_line(table), strict=True):
        if row["most_points"] == row["points"]:
            row["most_points"] = row["most_points_trains"] = None
        rows.append({**row, "ticket": ticket_name(by_id[str(ticket)]), "surplus": over})
    rows.sort(key=lambda row: (math.isnan(row["surplus"]), -row["surplus"], -row["points"]))
    return rows


def _over_line(table: pd.DataFrame) -> list[float]:
    """Return how far each ticket's points are above the least-squares line through all tickets by trains."""
    x, y = table["in_deal"].to_numpy(float), table["points"].to_numpy(float)
    known = np.isfinite(x)
    if len(set(x[known])) <= 1:
        return [float(value) for value in np.where(known, y - y.mean(), np.nan)]
    slope, start = np.polyfit(x[known], y[known], 1)
    return [float(value) for value in y - (start + slope * x)]


def _pay(rows: list[dict[str, Any]]) -> str:
    """Describe the points of tickets per train of their cheapest networks."""
    rates = [row["points_per_train"] for row in rows]
    low, high = rows[rates.index(min(rates))], rows[rates.index(max(rates))]
    if math.isclose(min(rates), max(rates)):
        a_train = "1 point" if math.isclose(rates[0], 1) else f"{number(rates[0], 2)} points"
        return f"Taken alone, every ticket pays exactly {a_train} for each train of its cheapest network."
    one = sum(math.isclose(rate, 1) for rate in rates)
    equal = f" ({number(one)} of {len(rows)} pay exactly 1)" if one > len(rows) / 3 else ""
    return (
        f"Taken alone, tickets pay from {number(min(rates), 2)} ({low['ticket']}) to {number(max(rates), 2)} points "
        f"({high['ticket']}) for each train of their cheapest network{equal}."
    )


def _par(rows: list[dict[str, Any]]) -> str:
    """Describe the points of tickets in deals."""
    known = [row for row in rows if math.isfinite(row["surplus"])]
    if not known:
        return ""
    best, worst = known[0], known[-1]
    shared = fmean(row["shared"] for row in known)
    return (
        f"In an opening deal, the other tickets save {percent(shared)} of a ticket's trains on average. Par is what a "
        f"typical ticket scores for the same extra trains: {best['ticket']} is furthest above it ({_bargain(best)}), "
        f"and {worst['ticket']} is furthest below it ({_bargain(worst)})."
    )


def _bargain(row: dict[str, Any]) -> str:
    return f"{counted(row['points'], 'point')} for {counted(number(row['in_deal'], 1), 'extra train')}"


def _value_chart(context: Context, table: pd.DataFrame) -> page.Picture:
    shaded = table.assign(surplus=_over_line(table))

    def draw(ax: Axes) -> None:
        plot_ticket_values(shaded, ax, trains="in_deal", shade="surplus", title="")
        ax.set_xlabel("extra trains in an opening deal, on average")

    caption = (
        "Points of every ticket against the trains that it adds to the others in an opening deal "
        f"(mean of {number(context.n_deals)} deals). The lighter the dot, the further the ticket is above par (the "
        "straight line fitted to all tickets)."
    )
    alt = f"{counted(len(table), 'dot')}, one for each ticket. {caption}"
    return page.chart(draw, alt, caption, size=(8.0, 6.4), wide=True)


# -- pairs ---------------------------------------------------------------------------


def pairs(context: Context) -> page.Section | None:
    """Return the section on pairs of tickets; None for a single ticket."""
    if len(context.game_map.tickets) < 2:  # noqa: PLR2004 - a pair
        return None
    table = tickets.best_pairs(context.game_map)
    by_id = {ticket.id: ticket_name(ticket) for ticket in context.game_map.tickets}
    named = (
        {**row, "ticket_a": by_id[row["ticket_a"]], "ticket_b": by_id[row["ticket_b"]]} for row in page.records(table)
    )
    # Copies of a ticket make the same pair.
    rows = list({(row["ticket_a"], row["ticket_b"]): row for row in named}.values())
    worst = sorted(rows, key=lambda row: (row["points_per_train"], -row["trains"]))
    saving = sorted(rows, key=lambda row: (-row["saved"], -row["points_per_train"]))
    helping = sum(row["saved"] > 0 for row in rows)
    best, most = rows[0], saving[0]
    lead = (
        f"Of {number(len(rows))} pairs, {number(helping)} ({percent(helping / len(rows))}) share trains. The best, "
        f"{best['ticket_a']} with {best['ticket_b']}, scores {best['points']} points for "
        f"{counted(best['trains'], 'train')}. {most['ticket_a']} and {most['ticket_b']} save the most: "
        f"{most['saved']} of {most['apart']} trains."
    )
    note = f"The file has all {number(len(rows))} pairs."
    blocks = (
        page.make_table("ticket_pairs", "Best pairs, by points per train", rows, n_page=_N_PAIRS, note=note),
        page.make_table("ticket_pairs_saving", "Pairs that save the most trains", saving[:_N_PAIRS]),
        page.make_table("ticket_pairs_worst", "Worst pairs, by points per train", worst[:_N_PAIRS]),
    )
    return page.Section("pairs", "Best pairs", lead, blocks)


# -- a deal --------------------------------------------------------------------------


def deal(context: Context) -> page.Section:
    """Return the section on which tickets of an example deal to keep."""
    game_map = context.game_map
    drawn = tickets.random_deals(game_map, 1, context.rng(_RNG_DEAL))[0]
    dealt = [game_map.tickets[i] for i in drawn]
    least = min(game_map.rules.tickets.opening_keep, len(dealt))
    choices = _choices(dealt)
    rows = page.records(page.finite(tickets.which_to_keep(game_map, dealt, at_least=least)))
    played, n_games = _played(context, dealt, least), min(_N_PLAYED, context.n_games)
    best = played[0] if played else rows[0]
    kept = choices[best["keep"]]
    which = f"all {len(kept)}" if len(kept) == len(dealt) else listed(map(ticket_name, kept))
    lead = f"An example deal (seed {context.settings.seed}): {listed(map(ticket_name, dealt))}. "
    if not any(row["possible"] for row in rows):
        lead += "With the trains that a player has, no choice that the rules allow can be completed in full. "
    if played:
        lead += (
            f"In games between {context.n_players} planners, the best choice is to keep {which}: it wins "
            f"{percent(best['win_rate'])} of {n_games} games (95% interval {percent(best['win_low'])} to "
            f"{percent(best['win_high'])}), with {percent(best['completion_rate'])} of the tickets completed."
        )
    else:
        lead += (
            f"The best choice is to keep {which}: {best['ticket_points']:g} ticket points "
            f"for {counted(int(best['trains']), 'train')}, with {best['slack']:g} left."
        )
    written_off = choices[best["written_off"]]
    if written_off:
        lead += f" Judged by the map alone, that means writing off {listed(map(ticket_name, written_off))}."
    blocks: list[page.Block] = [_deal_table(rows, choices)]
    if played:
        note = (
            f"The {len(played)} choices that do best in a few games, each played in the same {n_games} games between "
            f"{context.n_players} planners. Where the table below ranks them differently, trust this one."
        )
        shown = [{**row, "keep": listed(map(ticket_name, choices[row["keep"]]))} for row in played]
        blocks.insert(0, page.make_table("which_to_keep_played", "The best choices, played out", shown, note=note))
    if len(written_off) < len(kept):
        blocks.insert(0, _deal_board(context, _not_among(kept, written_off), best["destinations"]))
    return page.Section("deal", "Which tickets to keep", lead, tuple(blocks))


def _played(context: Context, dealt: list[Ticket], least: int) -> list[dict[str, Any]]:
    """Return the best choices in games, if there are games."""
    if context.played is None:
        return []
    return page.records(
        studies.which_to_keep(
            context.game_map,
            dealt,
            n_games=min(_N_PLAYED, context.n_games),
            n_best=_N_CHOICES,
            at_least=least,
            n_players=context.n_players,
            seed=context.settings.seed,
            progress=False,
        )
    )


def _choices(dealt: list[Ticket]) -> dict[str, list[Ticket]]:
    """Return every choice from a deal by the ids of its tickets, written as in the table of choices."""
    return {
        ", ".join(ticket.id for ticket in kept): list(kept)
        for n in range(len(dealt) + 1)
        for kept in combinations(dealt, n)
    }


def _deal_table(rows: list[dict[str, Any]], choices: dict[str, list[Ticket]]) -> page.Table:
    shown = [
        {
            **row,
            "keep": listed(map(ticket_name, choices[row["keep"]])),
            "drop": listed(map(ticket_name, choices[row["drop"]])) or "none",
            "written_off": listed(map(ticket_name, choices[row["written_off"]])),
            "destinations": _goals(_not_among(choices[row["keep"]], choices[row["written_off"]]), row["destinations"]),
        }
        for row in rows
    ]
    note = (
        "Judged by the map alone: ranked by net points, assuming that nobody else takes a route of the network; the "
        "worst detour and the points at risk show what can go wrong. If a player has too few trains, tickets are "
        "written off and count as lost."
    )
    return page.make_table("which_to_keep", "All choices from this deal, best first", shown, n_shown=10, note=note)


def _not_among(kept: list[Ticket], written_off: list[Ticket]) -> list[Ticket]:
    return [ticket for ticket in kept if ticket not in written_off]


def _goals(kept: list[Ticket], destinations: object) -> str:
    """Return the chosen destinations in words; "" where there is no choice, or nothing is possible."""
    chosen = _destinations(kept, destinations)
    return listed(
        f"{page.name(ticket.origin)} to {page.name(chosen[ticket.id])}" for ticket in kept if ticket.id in chosen
    )


def _deal_board(context: Context, kept: list[Ticket], meant: str) -> page.Picture:
    network = tickets.cheapest_network(context.game_map, kept, destinations=_destinations(kept, meant))
    return _network_board(context, network, f"The cheapest network for {listed(map(ticket_name, kept))}", kept)


def _destinations(kept: list[Ticket], meant: object) -> dict[str, str]:
    """Return the chosen destination of each ticket with several, from the table of choices."""
    open_tickets = [ticket for ticket in kept if len(ticket.destinations) > 1]
    for ends in product(*([place.name for place, _ in ticket.destinations] for ticket in open_tickets)):
        chosen = {ticket.id: end for ticket, end in zip(open_tickets, ends, strict=True)}
        if meant == ", ".join(f"{ticket}: {end}" for ticket, end in chosen.items()):
            return chosen
    return {}


# -- the most points that the trains of one player can score -------------------------------------------------------

_TITLE = "The best possible score"


def best(context: Context) -> page.Section | None:
    """Return the section on the best network, unless it is left out."""
    if context.best is None:
        return None
    best = context.best.result()
    if not best.tickets:
        lead = f"No network was found in {best.seconds:.0f} seconds; {_limit(best)}."
        return page.Section("best", _TITLE, lead, ())
    lead = (
        f"A player who could choose any tickets and play undisturbed would score {best.score} points with "
        f"{counted(best.trains, 'train')}: {best.ticket_points} from {counted(len(best.tickets), 'ticket')} and "
        f"{best.route_points} from {counted(len(best.routes), 'route')}, bonuses aside. {_proof(best)}"
    )
    blocks = (
        _network_board(context, best, "The best network"),
        page.make_table("best_network_tickets", "Its tickets", _tickets(best), n_shown=12),
        page.make_table("best_network_routes", "Its routes", _routes(best), n_shown=12),
    )
    return page.Section("best", _TITLE, lead, blocks)


def _proof(best: BestNetwork) -> str:
    if best.is_proven:
        return f"This is proven to be the most that any network {_scope(best)} can score."
    return f"It is the best found in {best.seconds:.0f} seconds; {_limit(best)}."


def _limit(best: BestNetwork) -> str:
    return f"it is proven that no network {_scope(best)} scores more than {counted(best.bound, 'point')}"


def _scope(best: BestNetwork) -> str:
    return "whose completed tickets are connected" if best.scope == "one" else "of any shape"


def _network_board(
    context: Context, network: BestNetwork | Network, what: str, kept: Sequence[Ticket] = ()
) -> page.Picture:
    """Return a network on the board, with a caption that gives its size."""
    return page.board(
        lambda ax: plot_map(context.game_map, ax, highlight=network, tickets=kept, title=""),
        context.game_map,
        f"The board with these routes marked: {listed(map(route_name, network.routes))}.",
        f"{what}: {counted(network.length, 'train')} in {counted(len(network.routes), 'route')}.",
    )


def _tickets(best: BestNetwork) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for ticket, reached in zip(best.tickets, best.reached, strict=True):
        points = {place.name: n for place, n in ticket.destinations}
        rows.append(
            {
                "ticket": ticket_name(ticket),
                "points": ticket.score(reached),
                "destination": page.name(max(reached, key=points.__getitem__)) if len(points) > 1 else "",
            }
        )
    return sorted(rows, key=lambda row: -row["points"])


def _routes(best: BestNetwork) -> list[dict[str, Any]]:
    return [
        {"route": route_name(route), **page.facts(route, "color", "length", "kind", "points", "toll")}
        for route in sorted(best.routes, key=lambda route: (-route.length, route.id))
    ]


# -- tolls -------------------------------------------------------------------------------------------------------------


def toll_section(context: Context) -> page.Section | None:
    """Return the section on tolls, if the map is played with money."""
    game_map = context.game_map
    tokens = game_map.rules.money.tokens
    if not tokens or not any(route.toll for route in game_map.routes):
        return None
    tickets = [_ticket_row(context, ticket) for ticket in game_map.tickets]
    saving = [row for row in tickets if row["saved"] > 0]
    mean = fmean(row["toll"] for row in tickets)
    enough = f"about {number(tokens / mean, 1)}" if mean else "all"
    lead = (
        f"The shortest paths of the {len(tickets)} tickets cost {counted(number(mean, 1), 'token')} on average. "
        f"A player's {tokens} tokens pay for {enough} of them"
    )
    if saving:
        saved, extra = fmean(row["saved"] for row in saving), fmean(row["extra"] for row in saving)
        lead += (
            f". For {len(saving)} of them, a cheaper path saves {counted(number(saved, 1), 'token')} at the cost of "
            f"{counted(number(extra, 1), 'extra train')}, on average."
        )
    else:
        lead += ". No other path is cheaper."
    bonuses = [bonus for bonus in game_map.rules.bonus if bonus.measure == "tokens"]
    for bonus in bonuses:
        lead += " " + _worth(bonus, game_map.rules.players[1])
    tickets.sort(key=lambda row: (-row["saved"], row["extra"]))
    title = "Tickets: the shortest path, and the cheapest in tokens"
    blocks: list[page.Block] = [page.make_table("ticket_tolls", title, tickets, n_shown=15)]
    if bonuses:
        note = "Only players without a loan take part." if bonuses[0].requires == "no_loans" else ""
        low, high = game_map.rules.players
        ranked = {n: bonuses[0].ranked_points(n) for n in range(low, high + 1)}
        rows = [{"n_players": n, **{f"r{k}": r for k, r in enumerate(points, 1)}} for n, points in ranked.items()]
        blocks.append(page.make_table("toll_bonus", "The bonus for tokens left", rows, note=note))
    blocks.append(page.make_table("tolls", "Routes by toll", _toll_rows(context)))
    return page.Section("tolls", "Tolls", lead, tuple(blocks))


def _worth(bonus: BonusRules, n_players: int) -> str:
    points = bonus.ranked_points(n_players)
    if len(points) < 2:  # noqa: PLR2004 - a first and a second
        return ""
    return (
        f"With {n_players} players the most tokens left at the end are worth {points[0]} points, "
        f"the second most {points[1]}."
    )


def _ticket_row(context: Context, ticket: Ticket) -> dict[str, Any]:
    """Return the shortest and the cheapest path of a ticket, each to its best destination."""
    shortest = _best(context, ticket, "length")
    cheapest = _best(context, ticket, "toll")
    return {
        "ticket": ticket_name(ticket),
        "points": ticket.points,
        "trains": shortest.trains,
        "toll": shortest.toll,
        "least_toll": cheapest.toll,
        "least_trains": cheapest.trains,
        "saved": shortest.toll - cheapest.toll,
        "extra": cheapest.trains - shortest.trains,
    }


def _best(context: Context, ticket: Ticket, weight: paths.Weight) -> paths.Path:
    found = [paths.shortest_path(context.game_map, ticket.origin, end, weight) for end, _ in ticket.destinations]
    return min(found, key=lambda path: (path.cost, path.trains, path.toll))


def _toll_rows(context: Context) -> list[dict[str, Any]]:
    lengths = context.game_map.tables.routes.groupby("toll")["length"]
    table = lengths.agg(n_routes="size", mean_length="mean").reset_index()
    return page.records(table.assign(tokens_per_train=table["toll"] / table["mean_length"]))


# -- countries ----------------------------------------------------------------------


def countries(context: Context) -> page.Section | None:
    """Return the section on tickets with countries or several destinations, if there are any."""
    tickets = [
        ticket
        for ticket in context.game_map.tickets
        if ticket.origin.is_country or len(ticket.destinations) > 1 or any(p.is_country for p, _ in ticket.destinations)
    ]
    if not tickets:
        return None
    # Copies of a ticket are listed once.
    distinct = {(ticket.origin, ticket.destinations): ticket for ticket in tickets}
    rows = [row for ticket in distinct.values() for row in _destination_rows(context, ticket)]
    first = max(rows, key=lambda row: row["points_per_train"] or 0)
    nearest = sum(row["extra_trains"] == 0 for row in rows)
    better = [row for row in rows if row["extra_points"] > 0 and row["extra_trains"] > 0]
    lead = (
        f"On {counted(len(tickets), 'ticket')} ({len(distinct)} different), an end is a country, or there are several "
        f"destinations, of which the best one reached counts. {first['ticket']} to {first['destination']} pays the "
        f"most per train: {counted(first['points'], 'point')} for {counted(first['trains'], 'train')}."
    )
    if better and nearest:
        points, trains = sum(row["extra_points"] for row in better), sum(row["extra_trains"] for row in better)
        lead += (
            f" Going past the nearest destination to a better one takes "
            f"{counted(number(trains / len(better), 1), 'extra train')} and earns "
            f"{counted(number(points / len(better), 1), 'extra point')}, on average."
        )
    table = page.make_table("country_tickets", "Destinations of these tickets", rows, n_shown=20)
    return page.Section("countries", "Country tickets", lead, (table,))


def _destination_rows(context: Context, ticket: Ticket) -> list[dict[str, Any]]:
    reached = [
        (place, points, paths.shortest_path(context.game_map, ticket.origin, place).trains)
        for place, points in ticket.destinations
    ]
    _, usual, fewest = min(reached, key=lambda one: (one[2], -one[1]))
    return [
        {
            "ticket": page.name(ticket.origin),
            "destination": page.name(place.name),
            "points": points,
            "trains": trains,
            "points_per_train": points / trains if trains else None,
            "extra_points": points - usual,
            "extra_trains": trains - fewest,
        }
        for place, points, trains in reached
    ]
