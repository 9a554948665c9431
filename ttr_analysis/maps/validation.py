"""What must hold between the tables of a map, fault by fault."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain

from ttr_analysis._errors import Fault, nearest
from ttr_analysis.maps.names import fold
from ttr_analysis.maps.reading import Row
from ttr_analysis.maps.rows import MapRows
from ttr_analysis.rules.ruleset import RuleSet

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
