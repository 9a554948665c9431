"""The rows of a map's tables: their columns, and routes, cities and tickets as rows and back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ttr_analysis._errors import Fault, UnknownNameError
from ttr_analysis.cards import ROUTE_COLORS, kind_name
from ttr_analysis.maps.board import City, Place, Route, Ticket
from ttr_analysis.maps.reading import Column, Row, Table, choice, flag, number, parse_row, text, whole
from ttr_analysis.rules.ruleset import ClaimRules, RuleSet

MAX_CITIES = 64
MAX_LENGTH = 12

_one_of_the_colors = choice(*ROUTE_COLORS)


def color(value: str) -> str:
    """Return a color of a route, also by what people call it: most boards print the purple cards pink."""
    try:
        return kind_name("color", value, ROUTE_COLORS)
    except UnknownNameError:
        return _one_of_the_colors(value)


CITY_COLUMNS = (
    Column("name", text),
    Column("label", text, ""),
    Column("country", text, ""),
    Column("lat", number(-90, 90)),
    Column("lon", number(-180, 180)),
    Column("x", number(-10_000, 10_000), None),
    Column("y", number(-10_000, 10_000), None),
    Column("label_at", choice("N", "NE", "E", "SE", "S", "SW", "W", "NW", ""), ""),
)
PLACE_COLUMNS = (Column("place", text), Column("city", text))
ROUTE_COLUMNS = (
    Column("city_a", text),
    Column("city_b", text),
    Column("track", whole(0, 1), 0),
    Column("length", whole(1, MAX_LENGTH)),
    Column("color", color),
    Column("tunnel", flag, False),  # noqa: FBT003 - the default of a flag
    Column("locomotives", whole(0, MAX_LENGTH), 0),
    Column("toll", whole(0, 20), 0),
    Column("swap_size", whole(0, 9), None),
    Column("swap_fills", choice("any", "symbols"), None),
)
TICKET_COLUMNS = (
    Column("ticket", text),
    Column("origin", text),
    Column("destination", text),
    Column("points", whole(0, 200)),
    Column("neutral_a", text, ""),
    Column("neutral_b", text, ""),
    Column("deck", text, ""),
)


@dataclass(frozen=True, slots=True)
class MapRows:
    """The tables of a map folder, before they become a map."""

    cities: Table
    places: Table
    routes: Table
    tickets: Table


# -- rows -> values


def build_route(values: dict[str, Any], rules: RuleSet) -> Route:
    """
    Return the route that a row describes: what it leaves open follows from the rules.

    Parameters
    ----------
    values
        The columns of `routes.csv`.
    rules
        Say where locomotives are jokers, what stands in for a locomotive on a
        ferry, and the points.
    """
    ends = (values["city_a"], values["city_b"])
    ferry = values["locomotives"] > 0
    kind = "tunnel" if values["tunnel"] else "ferry" if ferry else "plain"
    swap_size, swap_fills = _default_swap(rules.claims, ferry=ferry)
    return Route(
        id=f"{ends[0]}-{ends[1]}/{values['track']}",
        cities=ends,
        track=values["track"],
        length=values["length"],
        color=values["color"],
        tunnel=values["tunnel"],
        locomotives=values["locomotives"],
        locomotives_allowed=kind in rules.claims.locomotives_on,
        swap_size=swap_size if values["swap_size"] is None else values["swap_size"],
        swap_fills=swap_fills if values["swap_fills"] is None else values["swap_fills"],
        toll=values["toll"],
        points=rules.points_for(values["length"]),
    )


def _default_swap(claims: ClaimRules, *, ferry: bool) -> tuple[int, Any]:
    """Return how many cards stand in for one, and for which spaces, where a route says nothing of its own."""
    if not ferry:
        return 0, "any"
    # A set stands in for a locomotive: where that is no joker, it fills symbols only.
    return claims.ferry_swap_size, claims.ferry_swap_fills if "ferry" in claims.locomotives_on else "symbols"


def read_route(
    item: Route | dict[str, Any], source: str, present: Sequence[Route], rules: RuleSet, faults: list[Fault]
) -> Route | None:
    """
    Return a route that a user adds to a map, or None with faults.

    Parameters
    ----------
    item
        The route, or its columns as in `routes.csv`. A missing `track` is the
        first one that is free.
    source
        What the faults call it.
    present
        The routes that are there.
    rules
        The rules of the map.
    faults
        What is wrong is added here.
    """
    values = _route_values(item, rules.claims) if isinstance(item, Route) else item
    row = _new_row(values, source, present, rules, faults)
    if row is None:
        return None
    route = build_route(row.values, rules)
    if isinstance(item, Route):
        faults += [
            Fault(source, 0, f.name, repr(getattr(item, f.name)), f"expected {getattr(route, f.name)!r}")
            for f in fields(Route)
            if getattr(item, f.name) != getattr(route, f.name)
        ]
    return route


def _new_row(
    item: dict[str, Any], source: str, present: Sequence[Route], rules: RuleSet, faults: list[Fault]
) -> Row | None:
    """Return the row of a new route, or None with faults."""
    unknown = item.keys() - {column.name for column in ROUTE_COLUMNS}
    faults += [Fault(source, 0, key, key, "unknown column of routes.csv") for key in sorted(unknown)]
    ends = {item.get("city_a"), item.get("city_b")}
    taken = [route.track for route in present if set(route.cities) == ends]
    fields = {key: _field(value) for key, value in ({"track": int(taken == [0])} | item).items()}
    row = parse_row(source, 0, fields, ROUTE_COLUMNS, faults)
    lengths = [length for length, _ in rules.claims.points]
    if not row.wrong and row["length"] not in lengths:
        expected = f"expected a length with points in the rules ({', '.join(map(str, lengths))})"
        faults.append(Fault(source, 0, "length", str(row["length"]), expected))
        return None
    return None if unknown or row.wrong else row


def route_under(rules: RuleSet, route: Route, before: RuleSet) -> Route:
    """
    Return a route as it is under other rules: what its row leaves open follows from them, and so does its toll.

    Parameters
    ----------
    rules
        The rules.
    route
        The route.
    before
        The rules that it was made by.
    """
    values = _route_values(route, before.claims)
    return build_route({**values, "toll": rules.toll_for(route.toll)}, rules)


# -- values -> rows


def map_rows(
    cities: Iterable[City], places: Iterable[Place], routes: Iterable[Route], tickets: Iterable[Ticket], rules: RuleSet
) -> MapRows:
    """Return the rows of the tables that describe a map, numbered as in the files."""
    countries = [place for place in places if place.is_country]
    return MapRows(
        cities=_table(_city_values(city) for city in cities),
        places=_table({"place": place.name, "city": city} for place in countries for city in place.cities),
        routes=_table(_route_values(route, rules.claims) for route in routes),
        tickets=_table(values for ticket in tickets for values in _ticket_values(ticket)),
    )


def _table(values: Iterable[dict[str, Any]]) -> Table:
    return Table([Row(line, row) for line, row in enumerate(values, start=2)])


def _city_values(city: City) -> dict[str, Any]:
    label = city.label if city.label != city.name else ""
    return {
        "name": city.name,
        "label": label,
        "country": city.country,
        "lat": city.lat,
        "lon": city.lon,
        "x": city.x,
        "y": city.y,
        "label_at": city.label_at,
    }


def _route_values(route: Route, claims: ClaimRules) -> dict[str, Any]:
    default = _default_swap(claims, ferry=route.locomotives > 0)
    return {
        "city_a": route.cities[0],
        "city_b": route.cities[1],
        "track": route.track,
        "length": route.length,
        "color": route.color,
        "tunnel": route.tunnel,
        "locomotives": route.locomotives,
        "toll": route.toll,
        "swap_size": None if route.swap_size == default[0] else route.swap_size,
        "swap_fills": None if route.swap_fills == default[1] else route.swap_fills,
    }


def _ticket_values(ticket: Ticket) -> Iterable[dict[str, Any]]:
    neutral_a, neutral_b = ticket.neutral or ("", "")
    for place, points in ticket.destinations:
        yield {
            "ticket": ticket.id,
            "origin": ticket.origin.name,
            "destination": place.name,
            "points": points,
            "neutral_a": neutral_a,
            "neutral_b": neutral_b,
            "deck": ticket.deck,
        }


def to_csv(columns: Sequence[Column], table: Table) -> str:
    """Return a table as the text of its file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.name for column in columns)
    for row in table.rows:
        writer.writerow(_field(row[column.name]) for column in columns)
    return out.getvalue()


def _field(value: object) -> str:
    """Return a value as it stands in a table."""
    match value:
        case None:
            return ""
        case bool():
            return str(int(value))
        case float():
            return repr(value) if "e" not in repr(value) else f"{value:.15f}"
        case _:
            return str(value)
