"""The tables of a map folder: their columns and fields, checks between rows, and writing."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, Final, TypeAlias

from ttr_analysis._decoding import FaultList, Range, Text
from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.cards import ROUTE_COLORS, kind_name
from ttr_analysis.maps.board import City, Place, Route, Ticket, flat_positions
from ttr_analysis.maps.names import fold
from ttr_analysis.rules.ruleset import ClaimRules, RuleSet

# -- columns, and the parsing of their fields ------------------------------------------------------------------------

MAX_TEXT: Final = 100
"""Maximum length of a name."""
MAX_LENGTH: Final = 12
"""Maximum length of a route, in spaces."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    parse: Callable[[str], Any]
    """Parses the text of a field; a `ValueError` gives what was expected."""
    default: Any = ...
    """Value of an empty field or missing column; `...` if required."""


def _text(value: str) -> str:
    if value not in Text(MAX_TEXT):
        raise ValueError(f"expected {Text(MAX_TEXT)}")
    return value


def _names(value: str) -> tuple[str, ...]:
    """Split names at semicolons."""
    return tuple(filter(None, (_text(name.strip()) for name in value.split(";"))))


def _choice(*allowed: str) -> Callable[[str], str]:
    """Return a parser for one of several words."""

    def parse(value: str) -> str:
        if value not in allowed:
            hint = " or ".join(map(repr, nearest(value, [word for word in allowed if word])))
            raise ValueError(f"expected {hint or 'one of ' + ', '.join(filter(None, allowed))}")
        return value

    return parse


def _number(low: float, high: float) -> Callable[[str], float]:
    """Return a parser for a decimal number from `low` to `high`."""

    def parse(value: str) -> float:
        if not re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,15})?", value) or not low <= float(value) <= high:
            raise ValueError(f"expected a number from {low:g} to {high:g}")
        return float(value)

    return parse


def _flag(value: str) -> bool:
    if value not in {"0", "1"}:
        raise ValueError("expected 0 or 1")
    return value == "1"


def _color(value: str) -> str:
    """Return a route color, given by any of its names: most boards print the purple cards pink."""
    try:
        return kind_name("color", value, ROUTE_COLORS)
    except UnknownNameError:
        return _choice(*ROUTE_COLORS)(value)


CITY_COLUMNS: Final = (
    Column("name", _text),
    Column("label", _text, ""),
    Column("country", _text, ""),
    Column("lat", _number(-90, 90)),
    Column("lon", _number(-180, 180)),
    Column("x", _number(-10_000, 10_000), None),
    Column("y", _number(-10_000, 10_000), None),
    Column("label_at", _choice("N", "NE", "E", "SE", "S", "SW", "W", "NW", ""), ""),
    Column("also", _names, ()),
)
PLACE_COLUMNS: Final = (Column("place", _text), Column("city", _text))
ROUTE_COLUMNS: Final = (
    Column("city_a", _text),
    Column("city_b", _text),
    Column("track", Range(0, 1).parse, 0),
    Column("length", Range(1, MAX_LENGTH).parse),
    Column("color", _color),
    Column("tunnel", _flag, False),  # noqa: FBT003 - the default of a flag
    Column("locomotives", Range(0, MAX_LENGTH).parse, 0),
    Column("toll", Range(0, 20).parse, 0),
    Column("swap_size", Range(0, 9).parse, None),
    Column("swap_fills", _choice("any", "symbols"), None),
)
TICKET_COLUMNS: Final = (
    Column("ticket", _text),
    Column("origin", _text),
    Column("destination", _text),
    Column("points", Range(0, 200).parse),
    Column("neutral_a", _text, ""),
    Column("neutral_b", _text, ""),
    Column("deck", _text, ""),
    Column("sets", _names, ()),
)

MAX_CITIES: Final = 64
MAX_ROUTES: Final = 128
MAX_TICKETS: Final = 128
_MAX_HINTS: Final = 50
"""With more faults than this, misspelled names get no suggestions, which take time to find."""


TABLES: Final = {
    "cities": (CITY_COLUMNS, MAX_CITIES),
    "places": (PLACE_COLUMNS, MAX_CITIES),
    "routes": (ROUTE_COLUMNS, MAX_ROUTES),
    "tickets": (TICKET_COLUMNS, 8 * MAX_TICKETS),
}
"""Columns and maximum number of rows of each table."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table: its values by column, None where a field is `wrong` and already has a fault."""

    line: int
    values: dict[str, Any]
    wrong: frozenset[str] = frozenset()

    def __getitem__(self, column: str) -> Any:  # noqa: ANN401 - the columns differ in type
        return self.values[column]


@dataclass(frozen=True, slots=True)
class CsvTable:
    """The rows of a CSV file; `whole` unless some could not be read, so that missing rows cannot be checked."""

    rows: list[Row]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class MapRows:
    """The tables of a map folder, before they become a map."""

    cities: CsvTable
    places: CsvTable
    routes: CsvTable
    tickets: CsvTable


def parse_row(line: int, texts: Mapping[str, str], columns: Sequence[Column], faults: FaultList) -> Row:
    """Return the values of a line, with a fault for each wrong field."""
    values: dict[str, Any] = {}
    wrong: set[str] = set()
    for column in columns:
        raw = texts.get(column.name, "").strip()
        if not raw and column.default is not ...:
            values[column.name] = column.default
            continue
        try:
            if not raw:
                raise ValueError("expected a value")  # noqa: TRY301
            values[column.name] = column.parse(raw)
        except ValueError as error:
            faults.add(line, column.name, repr(raw) if raw else "nothing", str(error))
            values[column.name] = None
            wrong.add(column.name)
    return Row(line, values, frozenset(wrong))


# -- from rows to a map --------------------------------------------------------------------------------------------


SetTicket: TypeAlias = tuple[Ticket, tuple[str, ...]]
"""A ticket and its sets; by default all sets."""
_TicketKey: TypeAlias = tuple[str, tuple[str, ...]]
"""A ticket's name and sets: another set may have a ticket of the same name with other points."""


def _ticket_key(row: Row) -> _TicketKey:
    return row["ticket"], row["sets"] or ()


def build_board(rows: MapRows, rules: RuleSet) -> dict[str, tuple[Any, ...]]:
    """Return the cities, places, routes and tickets described by checked rows."""
    flat = flat_positions([(row["lat"], row["lon"]) for row in rows.cities.rows])
    cities = tuple(_build_city(row, position) for row, position in zip(rows.cities.rows, flat, strict=True))
    countries: dict[str, list[str]] = {}
    for row in rows.places.rows:
        countries.setdefault(row["place"], []).append(row["city"])
    border_points = set(chain.from_iterable(countries.values()))
    places = [Place(city.name, (city.name,)) for city in cities if city.name not in border_points]
    places += [Place(country, tuple(members)) for country, members in countries.items()]
    all_tickets = _build_tickets(rows.tickets.rows, {place.name: place for place in places})
    return {
        "cities": cities,
        "places": tuple(places),
        "tickets": tickets_of(all_tickets, rules),
        "all_tickets": all_tickets if any(sets for _, sets in all_tickets) else (),
        "routes": tuple(_build_route(row.values, rules) for row in rows.routes.rows),
    }


def _build_city(row: Row, flat: tuple[float, float]) -> City:
    x, y = flat if row["x"] is None else (row["x"], row["y"])
    return City(**{**row.values, "label": row["label"] or row["name"], "x": x, "y": y})


def _build_tickets(rows: Iterable[Row], places: Mapping[str, Place]) -> tuple[SetTicket, ...]:
    by_key: dict[_TicketKey, list[Row]] = {}
    for row in rows:
        by_key.setdefault(_ticket_key(row), []).append(row)
    return tuple(
        (
            Ticket(
                id=name,
                origin=places[lines[0]["origin"]],
                destinations=tuple((places[line["destination"]], line["points"]) for line in lines),
                neutral=(lines[0]["neutral_a"], lines[0]["neutral_b"]) if lines[0]["neutral_a"] else None,
                deck=lines[0]["deck"],
            ),
            sets,
        )
        for (name, sets), lines in by_key.items()
    )


def tickets_of(tickets: Iterable[SetTicket], rules: RuleSet) -> tuple[Ticket, ...]:
    """Return the tickets in play under some rules."""
    return tuple(ticket for ticket, sets in tickets if not sets or rules.tickets.set in sets)


def _build_route(values: Mapping[str, Any], rules: RuleSet) -> Route:
    """Return the route described by the columns of `routes.csv`; missing values follow from the rules."""
    a, b = values["city_a"], values["city_b"]
    kind = "tunnel" if values["tunnel"] else "ferry" if values["locomotives"] else "plain"
    swap_size, swap_fills = _default_swap(rules.claims, ferry=values["locomotives"] > 0)
    return Route(
        id=f"{a}-{b}/{values['track']}",
        cities=(a, b),
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
    """Return the number of cards that replace one, and for which spaces, if the row of a route does not specify it."""
    if not ferry:
        return 0, "any"
    # Sets replace locomotives: if these are not wild, sets fill only symbols.
    return claims.ferry_swap_size, claims.ferry_swap_fills if "ferry" in claims.locomotives_on else "symbols"


def read_route(
    item: Route | dict[str, Any], present: Sequence[Route], rules: RuleSet, faults: FaultList
) -> Route | None:
    """Return a route that a user adds, as a `Route` or its columns, to those `present`; None if it has faults."""
    values = _route_values(item, rules.claims) if isinstance(item, Route) else item
    before = len(faults.faults)
    for key in sorted(values.keys() - {column.name for column in ROUTE_COLUMNS}):
        faults.add(0, key, key, "unknown column of routes.csv")
    ends = {values.get("city_a"), values.get("city_b")}
    taken = [route.track for route in present if set(route.cities) == ends]
    texts = {key: _field(value) for key, value in ({"track": int(taken == [0])} | values).items()}
    row = parse_row(0, texts, ROUTE_COLUMNS, faults)
    lengths = [length for length, _ in rules.claims.points]
    if not row.wrong and row["length"] not in lengths:
        expected = f"expected a length with points in the rules ({', '.join(map(str, lengths))})"
        faults.add(0, "length", str(row["length"]), expected)
    if len(faults.faults) > before:
        return None
    route = _build_route(row.values, rules)
    for f in fields(Route) if isinstance(item, Route) else ():
        given, right = getattr(item, f.name), getattr(route, f.name)
        if given != right:
            faults.add(0, f.name, repr(given), f"expected {right!r}")
    return route


def route_under(rules: RuleSet, route: Route, before: RuleSet) -> Route:
    """Convert a route from the rules `before` to other rules: its defaults and its toll."""
    values = _route_values(route, before.claims)
    return _build_route({**values, "toll": rules.toll_for(route.toll)}, rules)


# -- from a map to rows --------------------------------------------------------------------------------------------


def map_rows(
    cities: Iterable[City],
    places: Iterable[Place],
    routes: Iterable[Route],
    tickets: Iterable[SetTicket],
    rules: RuleSet,
) -> MapRows:
    """Return the rows of the tables that describe a map, numbered as in the files."""

    def table(rows: Iterable[dict[str, Any]]) -> CsvTable:
        return CsvTable([Row(line, values) for line, values in enumerate(rows, start=2)])

    return MapRows(
        cities=table(_city_values(city) for city in cities),
        places=table(
            {"place": place.name, "city": city} for place in places if place.is_country for city in place.cities
        ),
        routes=table(_route_values(route, rules.claims) for route in routes),
        tickets=table(values for ticket, sets in tickets for values in _ticket_values(ticket, sets)),
    )


def _city_values(city: City) -> dict[str, Any]:
    values = {column.name: getattr(city, column.name) for column in CITY_COLUMNS}
    return {**values, "label": city.label if city.label != city.name else ""}


def _route_values(route: Route, claims: ClaimRules) -> dict[str, Any]:
    swap_size, swap_fills = _default_swap(claims, ferry=route.locomotives > 0)
    return {
        "city_a": route.cities[0],
        "city_b": route.cities[1],
        **{column.name: getattr(route, column.name) for column in ROUTE_COLUMNS[2:]},
        "swap_size": None if route.swap_size == swap_size else route.swap_size,
        "swap_fills": None if route.swap_fills == swap_fills else route.swap_fills,
    }


def _ticket_values(ticket: Ticket, sets: tuple[str, ...]) -> Iterable[dict[str, Any]]:
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
            "sets": sets,
        }


def table_texts(rows: MapRows) -> dict[str, str]:
    """Return the text of each table's file, by file name."""
    return {f"{name}.csv": _to_csv(columns, getattr(rows, name)) for name, (columns, _) in TABLES.items()}


def _to_csv(columns: Sequence[Column], table: CsvTable) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.name for column in columns)
    for row in table.rows:
        writer.writerow(_field(row[column.name]) for column in columns)
    return out.getvalue()


def _field(value: object) -> str:
    """Return a value as a field of a table."""
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


# -- checks between rows -------------------------------------------------------------------------------------------


def check_rows(rows: MapRows, rules: RuleSet | None, faults: FaultList) -> None:
    """
    Add a fault for each inconsistency in a map; `rules` is None if the rules have faults.

    Consequences of other faults are left out: a name is not reported only because another
    table could not be read completely.
    """
    check = _Checker(rows, rules, faults)
    _check_cities(check)
    _check_places(check)
    _check_routes(check)
    _check_tickets(check)
    if check.routes.whole and not any(fault.file in {"cities.csv", "routes.csv"} for fault in faults.faults):
        _check_border_points(check)
        _check_connected(check)


def check_variant(rows: MapRows, variant: RuleSet, faults: FaultList) -> None:
    """Add a fault for everything in a valid map that does not fit a variant."""
    check = _Checker(rows, variant, replace(faults, faults=[]))
    for row in check.routes.rows:
        _check_length(check, row)
    _check_n_tickets(check)
    _check_decks(check)
    for fault in check.faults.faults:
        faults.faults.append(replace(fault, expected=f"{fault.expected}, in variant {variant.variant}"))


class _Checker:
    """Collects the faults of a map."""

    def __init__(self, rows: MapRows, rules: RuleSet | None, faults: FaultList) -> None:
        self.cities = rows.cities
        self.places = rows.places
        self.routes = rows.routes
        self.tickets = rows.tickets
        self.played = [r for r in rows.tickets.rows if rules is None or not r["sets"] or rules.tickets.set in r["sets"]]
        self.rules = rules
        self.faults = faults
        self.city_names = {row["name"] for row in rows.cities.rows}
        self.cities_known = rows.cities.whole and bool(rows.cities.rows) and None not in self.city_names
        border_points = {row["city"] for row in rows.places.rows}
        self.place_names = (self.city_names - border_points) | {row["place"] for row in rows.places.rows}

    def add(self, file: str, row: Row | None, field: str, value: object, expected: str) -> None:
        """Add a fault, unless it is a consequence of a field that is already wrong."""
        if row is None or field not in row.wrong:
            self.faults.of(file).add(row.line if row else 0, field, str(value), expected)

    def require_name(self, file: str, row: Row, field: str, names: AbstractSet[str], what: str) -> None:
        """Add a fault with suggestions if a field is not one of `names`."""
        if row[field] is not None and row[field] not in names:
            hint = nearest(row[field], names - {None}) if len(self.faults.faults) < _MAX_HINTS else []
            expected = f"expected the name of a {what}" + (f" ({' or '.join(hint)}?)" if hint else "")
            self.add(file, row, field, repr(row[field]), expected)


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
            expected = f"expected each city once, ignoring case and accents (see line {first.line})"
            check.add("cities.csv", row, "name", repr(row["name"]), expected)


def _check_places(check: _Checker) -> None:
    seen: dict[str, Row] = {}
    countries: dict[str, str] = {}
    folded_cities = {fold(name) for name in check.city_names if name}
    for row in check.places.rows:
        if check.cities_known:
            check.require_name("places.csv", row, "city", check.city_names, "city")
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
                check.require_name("routes.csv", row, field, check.city_names, "city")
        if row["city_a"] == row["city_b"]:
            check.add("routes.csv", row, "city_b", repr(row["city_b"]), "expected a city other than city_a")
        _check_route(check, row)
        if not row.wrong & {"city_a", "city_b", "track"}:
            id_ = f"{row['city_a']}-{row['city_b']}/{row['track']}"
            first = ids.setdefault(id_, row)
            if {first["city_a"], first["city_b"]} != {row["city_a"], row["city_b"]}:
                expected = f"expected cities whose names give a different id from those of line {first.line}"
                check.add("routes.csv", row, "city_a", id_, expected)
            tracks.setdefault(frozenset((row["city_a"], row["city_b"])), []).append(row)
    # A misspelled city would separate one track from its double route.
    misspelled = any(fault.file == "routes.csv" and fault.field.startswith("city") for fault in check.faults.faults)
    is_complete = check.routes.whole and not misspelled
    for rows in tracks.values():
        _check_tracks(check, rows, is_complete=is_complete)


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
        check.add("routes.csv", row, "swap_size", 1, "expected 0, or at least 2 cards to replace one")
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


def _check_tracks(check: _Checker, rows: list[Row], *, is_complete: bool) -> None:
    """Check that the tracks between two cities are a single route or a pair of tracks 0 and 1."""
    tracks = [row["track"] for row in rows]
    ends = f"{rows[0]['city_a']}-{rows[0]['city_b']}"
    for row in rows[2:]:
        check.add("routes.csv", row, "track", row["track"], f"expected at most two tracks for {ends}")
    if tracks == [1] and is_complete:
        check.add("routes.csv", rows[0], "track", 1, f"expected a track 0 for {ends} beside track 1")
    elif len(rows) == 2 and tracks[0] == tracks[1]:  # noqa: PLR2004 - a double route
        expected = f"expected track {1 - tracks[0]}: line {rows[0].line} is track {tracks[0]} of {ends}"
        check.add("routes.csv", rows[1], "track", tracks[1], expected)


def _check_tickets(check: _Checker) -> None:
    if not check.tickets.rows and check.tickets.whole:
        check.add("tickets.csv", None, "", "none", "expected at least one ticket")
    first: dict[_TicketKey, Row] = {}
    seen: dict[tuple[_TicketKey, str], Row] = {}
    for row in check.tickets.rows:
        for field in ("origin", "destination") if check.cities_known and check.places.whole else ():
            check.require_name("tickets.csv", row, field, check.place_names, "city or country")
        if row["origin"] == row["destination"]:
            check.add("tickets.csv", row, "destination", repr(row["destination"]), "expected a place other than origin")
        _check_neutral(check, row)
        if row.wrong & {"ticket", "destination"}:
            continue
        start = first.setdefault(_ticket_key(row), row)
        for field in {"origin", "neutral_a", "neutral_b", "deck"} - start.wrong:
            if row[field] != start[field]:
                expected = f"expected {start[field]!r} as on line {start.line} of the same ticket"
                check.add("tickets.csv", row, field, repr(row[field]), expected)
        same = seen.setdefault((_ticket_key(row), row["destination"]), row)
        if same is not row:
            expected = f"expected each destination of a ticket once (see line {same.line})"
            check.add("tickets.csv", row, "destination", repr(row["destination"]), expected)
    _check_sets(check, first)
    _check_n_tickets(check)
    _check_decks(check)


def _check_sets(check: _Checker, first: Mapping[_TicketKey, Row]) -> None:
    """Check that each set is used by some rules, and that none has two tickets of the same name."""
    played = {rules.tickets.set for rules in (check.rules, *check.rules.variants)} if check.rules else None
    earlier: dict[str, list[Row]] = {}
    for (name, sets), row in first.items():
        for unknown in [one for one in sets if played is not None and one not in played]:
            expected = f"expected a set of rules.toml ({', '.join(sorted(played or ()))})"
            check.add("tickets.csv", row, "sets", repr(unknown), expected)
        for other in earlier.setdefault(name, []):
            if not sets or not other["sets"] or set(sets) & set(other["sets"]):
                expected = f"expected the sets of the same ticket on line {other.line}, or none of them"
                check.add("tickets.csv", row, "sets", repr(_field(sets)), expected)
        earlier[name].append(row)


def _check_n_tickets(check: _Checker) -> None:
    n_tickets = len({row["ticket"] for row in check.played})
    if n_tickets > MAX_TICKETS:
        check.add("tickets.csv", None, "ticket", n_tickets, f"expected at most {MAX_TICKETS} tickets")
    if check.rules is None or not check.tickets.whole or not check.tickets.rows:
        return
    n_players = check.rules.players[1]
    needed = check.rules.tickets.opening_deal * n_players
    if n_tickets < needed:
        of_set = f" of the set {check.rules.tickets.set!r}" if len(check.played) < len(check.tickets.rows) else ""
        expected = f"expected at least {needed} tickets{of_set} for the opening deal to {n_players} players"
        check.add("tickets.csv", None, "ticket", n_tickets, expected)


def _check_decks(check: _Checker) -> None:
    """Check that each ticket is from a deck of the rules, and that each deck has enough for the opening deal."""
    if check.rules is None:
        return
    decks = check.rules.tickets.decks
    names = {deck.name for deck in decks}
    for row in check.played:
        if row["deck"] and not names:
            check.add("tickets.csv", row, "deck", repr(row["deck"]), "expected no deck without [[tickets.decks]]")
        elif row["deck"] not in names | {None} and names:
            expected = f"expected a deck of rules.toml ({', '.join(deck.name for deck in decks)})"
            check.add("tickets.csv", row, "deck", repr(row["deck"]), expected)
    for deck in decks if check.tickets.whole else ():
        n_tickets = len({row["ticket"] for row in check.played if row["deck"] == deck.name})
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
    """Check that no train can pass through a country: each border point has only one route."""
    ends = list(chain.from_iterable((row["city_a"], row["city_b"]) for row in check.routes.rows))
    for row in check.places.rows:
        n_routes = ends.count(row["city"])
        if row["city"] in check.city_names and n_routes > 1:
            check.add("places.csv", row, "city", f"{n_routes} at {row['city']}", "expected one route at a border point")


def _check_connected(check: _Checker) -> None:
    pairs = [{row["city_a"], row["city_b"]} for row in check.routes.rows]
    start = next((row["name"] for row in check.cities.rows), None)
    reached = {start}
    while new := {city for pair in pairs if pair & reached for city in pair - reached}:
        reached |= new
    for row in check.cities.rows:
        if row["name"] not in reached:
            check.add("cities.csv", row, "name", repr(row["name"]), f"expected a city joined to {start} by routes")
