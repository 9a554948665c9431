"""Tolls: what the ways of the tickets cost in tokens, and what tokens left are worth."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from ttr_analysis._words import counted
from ttr_analysis.analysis import paths
from ttr_analysis.maps.model import Place, Ticket
from ttr_analysis.report.context import Context, ticket_name
from ttr_analysis.report.document import Block, Section, name, number
from ttr_analysis.report.files import make_table
from ttr_analysis.rules.ruleset import BonusRules


def section(context: Context) -> Section | None:
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
        f"The shortest paths of {len(tickets)} tickets cost {counted(number(mean, 1), 'token')} on average. "
        f"The {tokens} tokens of a player pay for {enough} of them"
    )
    if saving:
        saved, extra = fmean(row["saved"] for row in saving), fmean(row["extra"] for row in saving)
        lead += (
            f". On {len(saving)} a cheaper way saves {counted(number(saved, 1), 'token')} for "
            f"{counted(number(extra, 1), 'train')} more, on average."
        )
    else:
        lead += ". No other way is cheaper."
    blocks: list[Block] = []
    bonuses = [bonus for bonus in game_map.rules.bonus if bonus.measure == "tokens"]
    for bonus in bonuses:
        lead += " " + _worth(bonus, game_map.rules.players[1])
    tickets.sort(key=lambda row: (-row["saved"], row["extra"]))
    blocks.append(
        make_table("ticket_tolls", "Tickets: the shortest path, and the cheapest in tokens", tickets, n_shown=15)
    )
    if bonuses:
        note = "Only players without a loan take part." if bonuses[0].requires == "no_loans" else ""
        rows = _bonus_rows(bonuses[0], game_map.rules.players)
        blocks.append(make_table("toll_bonus", "The bonus for tokens left", rows, note=note))
    blocks.append(make_table("tolls", "Routes by toll", _toll_rows(context)))
    return Section("tolls", "Tolls", lead, tuple(blocks))


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
    found = [paths.shortest_path(context.game_map, ticket.origin, end, weight) for end in _ends(ticket)]
    return min(found, key=lambda path: (path.cost, path.trains, path.toll))


def _ends(ticket: Ticket) -> list[Place]:
    return [place for place, _ in ticket.destinations]


def _bonus_rows(bonus: BonusRules, players: tuple[int, int]) -> list[dict[str, Any]]:
    return [
        {"n_players": n, **{f"r{rank}": points for rank, points in enumerate(bonus.ranked_points(n), start=1)}}
        for n in range(players[0], players[1] + 1)
    ]


def _toll_rows(context: Context) -> list[dict[str, Any]]:
    rows = []
    for toll in sorted({route.toll for route in context.game_map.routes}):
        lengths = [route.length for route in context.game_map.routes if route.toll == toll]
        per_train = toll * len(lengths) / sum(lengths)
        rows.append(
            {"toll": toll, "n_routes": len(lengths), "mean_length": fmean(lengths), "tokens_per_train": per_train}
        )
    return rows


# -- countries ----------------------------------------------------------------------


def countries(context: Context) -> Section | None:
    """Return the section on tickets with countries or several destinations, if there are any."""
    tickets = [
        ticket
        for ticket in context.game_map.tickets
        if ticket.origin.is_country or len(ticket.destinations) > 1 or any(p.is_country for p, _ in ticket.destinations)
    ]
    if not tickets:
        return None
    # Copies of a ticket are told once.
    distinct = {(ticket.origin, ticket.destinations): ticket for ticket in tickets}
    rows = [row for ticket in distinct.values() for row in _destination_rows(context, ticket)]
    first = max(rows, key=lambda row: row["points_per_train"] or 0)
    nearest = sum(row["extra_trains"] == 0 for row in rows)
    dearer = [row for row in rows if row["extra_points"] > 0 and row["extra_trains"] > 0]
    lead = (
        f"{counted(len(tickets), 'ticket')} ({len(distinct)} different ones) with a country at an end, or several "
        f"destinations of which the best one reached counts. Most points per train: {first['ticket']} to "
        f"{first['destination']}, {first['points']} points for "
        f"{counted(first['trains'], 'train')}."
    )
    if dearer and nearest:
        points, trains = sum(row["extra_points"] for row in dearer), sum(row["extra_trains"] for row in dearer)
        lead += (
            f" To go farther than the nearest destination for a better one takes "
            f"{counted(number(trains / len(dearer), 1), 'train')} more for "
            f"{counted(number(points / len(dearer), 1), 'point')} more, on average."
        )
    table = make_table("country_tickets", "Destinations of the tickets to countries", rows, n_shown=20)
    return Section("countries", "Country tickets", lead, (table,))


def _destination_rows(context: Context, ticket: Ticket) -> list[dict[str, Any]]:
    lengths = {
        place.name: paths.shortest_path(context.game_map, ticket.origin, place).trains for place in _ends(ticket)
    }
    points = {place.name: n for place, n in ticket.destinations}
    nearest = min(lengths, key=lambda place: (lengths[place], -points[place]))
    return [
        {
            "ticket": name(ticket.origin),
            "destination": name(place),
            "points": points[place],
            "trains": trains,
            "points_per_train": points[place] / trains if trains else None,
            "extra_points": points[place] - points[nearest],
            "extra_trains": trains - lengths[nearest],
        }
        for place, trains in lengths.items()
    ]
