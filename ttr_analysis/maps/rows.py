"""The rows of a map's tables: their columns, things of the map as rows and back, and what must hold between them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any

from ttr_analysis._decoding import Range
from ttr_analysis._errors import Fault, UnknownNameError, nearest
from ttr_analysis.cards import ROUTE_COLORS, kind_name
from ttr_analysis.maps.board import City, Place, Route, Ticket
from ttr_analysis.maps.names import fold
from ttr_analysis.maps.reading import Column, Row, Table, choice, flag, names, number, parse_row, text
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
    Column("also", names, ()),
)
PLACE_COLUMNS = (Column("place", text), Column("city", text))
ROUTE_COLUMNS = (
    Column("city_a", text),
    Column("city_b", text),
    Column("track", Range(0, 1).parse, 0),
    Column("length", Range(1, MAX_LENGTH).parse),
    Column("color", color),
    Column("tunnel", flag, False),  # noqa: FBT003 - the default of a flag
    Column("locomotives", Range(0, MAX_LENGTH).parse, 0),
    Column("toll", Range(0, 20).parse, 0),
    Column("swap_size", Range(0, 9).parse, None),
    Column("swap_fills", choice("any", "symbols"), None),
)
TICKET_COLUMNS = (
    Column("ticket", text),
    Column("origin", text),
    Column("destination", text),
    Column("points", Range(0, 200).parse),
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
        "also": city.also,
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
        case tuple():
            return "; ".join(value)
        case bool():
            return str(int(value))
        case float():
            return repr(value) if "e" not in repr(value) else f"{value:.15f}"
        case _:
            return str(value)


# -- what must hold between rows -----------------------------------------------------------------------------------

MAX_ROUTES = 128
MAX_TICKETS = 128
_MOST_HINTS = 50
"""Faults that may be there before a misspelled name is told without the nearest right ones, which take time to find."""


class _Checker:
    """Collects the faults of one map."""

    def __init__(self, rows: MapRows, rules: RuleSet | None, faults: list[Fault]) -> None:
        self.cities = rows.cities
        self.places = rows.places
        self.routes = rows.routes
        self.tickets = rows.tickets
        self.rules = rules
        self.faults = faults
        self.city_names = {row["name"] for row in rows.cities.rows}
        self.cities_known = rows.cities.whole and bool(rows.cities.rows) and None not in self.city_names
        border_points = {row["city"] for row in rows.places.rows}
        self.place_names = (self.city_names - border_points) | {row["place"] for row in rows.places.rows}

    def add(self, file: str, row: Row | None, field: str, value: object, expected: str) -> None:
        """Add a fault, unless it only follows from a field that is wrong already."""
        if row is None or field not in row.wrong:
            self.faults.append(Fault(file, row.line if row else 0, field, str(value), expected))

    def name(self, file: str, row: Row, field: str, names: AbstractSet[str], what: str) -> None:
        """Add a fault with the nearest right names if a field is none of `names`."""
        if row[field] is not None and row[field] not in names:
            hint = nearest(row[field], names - {None}) if len(self.faults) < _MOST_HINTS else []
            expected = f"expected the name of a {what}" + (f" ({' or '.join(hint)}?)" if hint else "")
            self.add(file, row, field, repr(row[field]), expected)


def check_variants(rows: MapRows, rules: RuleSet, faults: list[Fault]) -> None:
    """
    Add a fault for everything on a right map that does not fit one of its variants.

    Parameters
    ----------
    rows
        The tables of the map.
    rules
        Its rule set.
    faults
        What is wrong is added here.
    """
    for variant in rules.variants:
        check = _Checker(rows, variant, [])
        for row in check.routes.rows:
            _check_length(check, row)
        _check_n_tickets(check, len({row["ticket"] for row in rows.tickets.rows}))
        _check_decks(check)
        faults += [replace(f, expected=f"{f.expected}, in variant {variant.variant}") for f in check.faults]


def check_rows(rows: MapRows, rules: RuleSet | None, faults: list[Fault]) -> None:
    """
    Add a fault for everything that does not fit together in a map.

    What only follows from another fault is left out: a table that could not
    be read whole does not make the names in the others wrong.

    Parameters
    ----------
    rows
        The tables of the map.
    rules
        The rule set, or None if it has faults of its own.
    faults
        What is wrong is added here.
    """
    check = _Checker(rows, rules, faults)
    _check_cities(check)
    _check_places(check)
    _check_routes(check)
    if check.cities_known and check.places.whole:
        _check_ticket_places(check)
    _check_tickets(check)
    if check.routes.whole and not any(fault.file in {"cities.csv", "routes.csv"} for fault in faults):
        _check_border_points(check)
        _check_connected(check)


def _check_cities(check: _Checker) -> None:
    if not check.cities.rows and check.cities.whole:
        check.add("cities.csv", None, "", "none", "expected at least two cities")
    seen: dict[str, Row] = {}
    for row in check.cities.rows:
        if (row["x"] is None) != (row["y"] is None) and not row.wrong & {"x", "y"}:
            field = "x" if row["x"] is None else "y"
            check.add("cities.csv", row, field, "nothing", "expected both x and y, or neither")
        if row["name"] is None:
            continue
        first = seen.setdefault(fold(row["name"]), row)
        if first is not row:
            expected = f"expected each city once, whatever the case and accents (see line {first.line})"
            check.add("cities.csv", row, "name", repr(row["name"]), expected)


def _check_places(check: _Checker) -> None:
    seen: dict[str, Row] = {}
    countries: dict[str, str] = {}
    folded_cities = {fold(name) for name in check.city_names if name}
    for row in check.places.rows:
        if check.cities_known:
            check.name("places.csv", row, "city", check.city_names, "city")
        first = seen.setdefault(row["city"], row)
        if first is not row:
            expected = f"expected each border point in one country (see line {first.line})"
            check.add("places.csv", row, "city", repr(row["city"]), expected)
        same = countries.setdefault(fold(row["place"] or ""), row["place"])
        if same != row["place"]:
            expected = f"expected one spelling of a country ({same!r} above)"
            check.add("places.csv", row, "place", repr(row["place"]), expected)
        if row["place"] and fold(row["place"]) in folded_cities:
            check.add("places.csv", row, "place", repr(row["place"]), "expected a country, not the name of a city")


def _check_routes(check: _Checker) -> None:
    if not check.routes.rows and check.routes.whole:
        check.add("routes.csv", None, "", "none", "expected at least one route")
    if len(check.routes.rows) > MAX_ROUTES:
        check.add("routes.csv", None, "", len(check.routes.rows), f"expected at most {MAX_ROUTES} routes")
    tracks: dict[frozenset[str], list[Row]] = {}
    ids: dict[str, Row] = {}
    for row in check.routes.rows:
        if check.cities_known:
            for field in ("city_a", "city_b"):
                check.name("routes.csv", row, field, check.city_names, "city")
        if row["city_a"] == row["city_b"]:
            check.add("routes.csv", row, "city_b", repr(row["city_b"]), "expected another city than city_a")
        _check_route(check, row)
        if not row.wrong & {"city_a", "city_b", "track"}:
            id_ = f"{row['city_a']}-{row['city_b']}/{row['track']}"
            first = ids.setdefault(id_, row)
            if {first["city_a"], first["city_b"]} != {row["city_a"], row["city_b"]}:
                expected = f"expected cities whose names make another id than those of line {first.line}"
                check.add("routes.csv", row, "city_a", id_, expected)
            tracks.setdefault(frozenset((row["city_a"], row["city_b"])), []).append(row)
    # A misspelled city takes one track away from its double route.
    misspelled = any(fault.file == "routes.csv" and fault.field.startswith("city") for fault in check.faults)
    all_there = check.routes.whole and not misspelled
    for rows in tracks.values():
        _check_tracks(check, rows, all_there=all_there)


def _check_route(check: _Checker, row: Row) -> None:
    length, locomotives = row["length"], row["locomotives"]
    if length and locomotives and locomotives > length:
        expected = f"expected at most one locomotive symbol for each of {length} spaces"
        check.add("routes.csv", row, "locomotives", locomotives, expected)
    if locomotives and row["tunnel"]:
        check.add("routes.csv", row, "tunnel", 1, "expected a tunnel or a ferry (locomotives), not both")
    if row["swap_size"] and row["tunnel"]:
        check.add("routes.csv", row, "swap_size", row["swap_size"], "expected no sets of cards on a tunnel")
    if row["swap_size"] == 1:
        check.add("routes.csv", row, "swap_size", 1, "expected 0, or 2 or more cards in place of one")
    if check.rules is None:
        return
    _check_length(check, row)
    if row["toll"] and not check.rules.money.tokens:
        check.add("routes.csv", row, "toll", row["toll"], "expected no toll without [money] tokens in rules.toml")


def _check_length(check: _Checker, row: Row) -> None:
    lengths = dict(check.rules.claims.points) if check.rules else {}
    if row["length"] not in lengths:
        expected = f"expected a length with points in rules.toml ({', '.join(map(str, lengths))})"
        check.add("routes.csv", row, "length", row["length"], expected)


def _check_tracks(check: _Checker, rows: list[Row], *, all_there: bool) -> None:
    """Check that the tracks between two cities are a single route or a pair of tracks 0 and 1."""
    tracks = [row["track"] for row in rows]
    ends = f"{rows[0]['city_a']}-{rows[0]['city_b']}"
    for row in rows[2:]:
        check.add("routes.csv", row, "track", row["track"], f"expected at most two tracks {ends}")
    if tracks == [1] and all_there:
        check.add("routes.csv", rows[0], "track", 1, f"expected a track 0 {ends} beside track 1")
    elif len(rows) == 2 and tracks[0] == tracks[1]:  # noqa: PLR2004 - a double route
        expected = f"expected track {1 - tracks[0]}: line {rows[0].line} is track {tracks[0]} {ends}"
        check.add("routes.csv", rows[1], "track", tracks[1], expected)


def _check_ticket_places(check: _Checker) -> None:
    for row in check.tickets.rows:
        for field in ("origin", "destination"):
            check.name("tickets.csv", row, field, check.place_names, "city or country")


def _check_tickets(check: _Checker) -> None:
    if not check.tickets.rows and check.tickets.whole:
        check.add("tickets.csv", None, "", "none", "expected at least one ticket")
    first: dict[str, Row] = {}
    seen: dict[tuple[str, str], Row] = {}
    for row in check.tickets.rows:
        if row["origin"] == row["destination"]:
            check.add("tickets.csv", row, "destination", repr(row["destination"]), "expected another place than origin")
        _check_neutral(check, row)
        if row.wrong & {"ticket", "destination"}:
            continue
        start = first.setdefault(row["ticket"], row)
        for field in {"origin", "neutral_a", "neutral_b", "deck"} - start.wrong:
            if row[field] != start[field]:
                expected = f"expected {start[field]!r} as on line {start.line} of the same ticket"
                check.add("tickets.csv", row, field, repr(row[field]), expected)
        same = seen.setdefault((row["ticket"], row["destination"]), row)
        if same is not row:
            expected = f"expected each destination of a ticket once (see line {same.line})"
            check.add("tickets.csv", row, "destination", repr(row["destination"]), expected)
    _check_n_tickets(check, len(first))
    _check_decks(check)


def _check_n_tickets(check: _Checker, n_tickets: int) -> None:
    if n_tickets > MAX_TICKETS:
        check.add("tickets.csv", None, "ticket", n_tickets, f"expected at most {MAX_TICKETS} tickets")
    if check.rules is None or not check.tickets.whole:
        return
    n_players = check.rules.players[1]
    needed = check.rules.tickets.opening_deal * n_players
    if 0 < n_tickets < needed:
        expected = f"expected at least {needed} tickets for the opening deal to {n_players} players"
        check.add("tickets.csv", None, "ticket", n_tickets, expected)


def _check_decks(check: _Checker) -> None:
    """Check that each ticket is of a deck of the rules, and that each deck has enough for the opening deal."""
    if check.rules is None:
        return
    decks = check.rules.tickets.decks
    names = {deck.name for deck in decks}
    for row in check.tickets.rows:
        if row["deck"] and not names:
            check.add("tickets.csv", row, "deck", repr(row["deck"]), "expected no deck without [[tickets.decks]]")
        elif row["deck"] not in names | {None} and names:
            expected = f"expected a deck of rules.toml ({', '.join(deck.name for deck in decks)})"
            check.add("tickets.csv", row, "deck", repr(row["deck"]), expected)
    for deck in decks if check.tickets.whole else ():
        n_tickets = len({row["ticket"] for row in check.tickets.rows if row["deck"] == deck.name})
        n_players = check.rules.players[1]
        if n_tickets < deck.opening_deal * n_players:
            needed = f"expected at least {deck.opening_deal * n_players} tickets of the deck {deck.name!r}"
            expected = f"{needed} for the opening deal to {n_players} players"
            check.add("tickets.csv", None, "deck", n_tickets, expected)


def _check_neutral(check: _Checker, row: Row) -> None:
    a, b = row["neutral_a"], row["neutral_b"]
    if row.wrong & {"neutral_a", "neutral_b"}:
        return
    if bool(a) != bool(b):
        field = "neutral_b" if a else "neutral_a"
        check.add("tickets.csv", row, field, "nothing", "expected two neutral cities, or none")
    elif a and check.routes.whole and check.routes.rows:
        n_tracks = sum({r["city_a"], r["city_b"]} == {a, b} for r in check.routes.rows)
        if n_tracks < 2:  # noqa: PLR2004
            check.add("tickets.csv", row, "neutral_a", f"{a}-{b}", "expected the cities of a double route")


def _check_border_points(check: _Checker) -> None:
    """Check that no train can pass through a country: each border point has one route."""
    ends = list(chain.from_iterable((row["city_a"], row["city_b"]) for row in check.routes.rows))
    for row in check.places.rows:
        n_routes = ends.count(row["city"])
        if row["city"] in check.city_names and n_routes > 1:
            check.add("places.csv", row, "city", f"{n_routes} at {row['city']}", "expected one route at a border point")


def _check_connected(check: _Checker) -> None:
    neighbors: dict[str, set[str]] = {city: set() for city in check.city_names}
    for row in check.routes.rows:
        a, b = row["city_a"], row["city_b"]
        neighbors[a].add(b)
        neighbors[b].add(a)
    if not check.cities.rows:
        return
    start = check.cities.rows[0]["name"]
    reached, waiting = {start}, [start]
    while waiting:
        for city in neighbors[waiting.pop()] - reached:
            reached.add(city)
            waiting.append(city)
    for row in check.cities.rows:
        if row["name"] not in reached:
            check.add("cities.csv", row, "name", repr(row["name"]), f"expected a city joined to {start} by routes")
