"""What-if maps, and maps written back to folders."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttr_analysis._errors import Fault, MapError
from ttr_analysis.maps import validation
from ttr_analysis.maps.decoding import encode_rules
from ttr_analysis.maps.loading import (
    CITY_COLUMNS,
    PLACE_COLUMNS,
    ROUTE_COLUMNS,
    TICKET_COLUMNS,
    MapRows,
    build_map,
    build_route,
    default_swap,
)
from ttr_analysis.maps.model import GameMap, Route, RouteLike
from ttr_analysis.maps.reading import Column, Row, Table, parse_row, write_atomically

if TYPE_CHECKING:
    from ttr_analysis.maps.model import City, Ticket


def with_routes(game_map: GameMap, routes: Sequence[Route | dict[str, Any]]) -> GameMap:
    """
    Return a map with more routes.

    Parameters
    ----------
    game_map
        The map.
    routes
        Routes, or their columns as in `routes.csv`. A missing `track` is the
        first one that is free.

    Raises
    ------
    MapError
        If the map with them is not valid.
    """
    faults: list[Fault] = []
    added: list[Route] = []
    for i, item in enumerate(routes, start=1):
        source = f"new route {i}"
        values = _route_values(item, game_map) if isinstance(item, Route) else item
        if row := _new_row(values, source, [*game_map.routes, *added], game_map, faults):
            route = build_route(row.values, game_map.rules)
            added.append(route)
            if isinstance(item, Route):
                faults += [
                    Fault(source, 0, f.name, repr(getattr(item, f.name)), f"expected {getattr(route, f.name)!r}")
                    for f in fields(Route)
                    if getattr(item, f.name) != getattr(route, f.name)
                ]
    if faults:
        raise MapError(game_map.name, faults)
    return _checked(replace(game_map, routes=(*game_map.routes, *added)))


def _new_row(
    item: dict[str, Any], source: str, present: Sequence[Route], game_map: GameMap, faults: list[Fault]
) -> Row | None:
    """Return the row of a new route, or None with faults."""
    unknown = item.keys() - {column.name for column in ROUTE_COLUMNS}
    faults += [Fault(source, 0, key, key, "unknown column of routes.csv") for key in sorted(unknown)]
    ends = {item.get("city_a"), item.get("city_b")}
    taken = [route.track for route in present if set(route.cities) == ends]
    fields = {key: _field(value) for key, value in ({"track": int(taken == [0])} | item).items()}
    row = parse_row(source, 0, fields, ROUTE_COLUMNS, faults)
    lengths = [length for length, _ in game_map.rules.claims.points]
    if not row.wrong and row["length"] not in lengths:
        expected = f"expected a length with points in the rules ({', '.join(map(str, lengths))})"
        faults.append(Fault(source, 0, "length", str(row["length"]), expected))
        return None
    return None if unknown or row.wrong else row


def without(game_map: GameMap, routes: Iterable[RouteLike]) -> GameMap:
    """
    Return a map without some routes.

    The track left of a double route becomes a single route: track 0, in its
    id too.

    Parameters
    ----------
    game_map
        The map.
    routes
        Routes, route ids or pairs of cities.

    Raises
    ------
    UnknownNameError
        If a route is not on the map.
    MapError
        If the rest is not valid: not connected, say.
    """
    gone = {route.id for route in game_map.resolve_routes(routes)}
    kept = [route for route in game_map.routes if route.id not in gone]
    ends = {(frozenset(r.cities), r.track) for r in kept}
    tracks = tuple(_as_single(r) if r.track == 1 and (frozenset(r.cities), 0) not in ends else r for r in kept)
    double = {frozenset(route.cities) for route in tracks if route.track == 1}
    # The neutral player builds on double routes only.
    tickets = tuple(
        replace(t, neutral=None) if t.neutral and frozenset(t.neutral) not in double else t for t in game_map.tickets
    )
    return _checked(replace(game_map, routes=tracks, tickets=tickets))


def _as_single(route: Route) -> Route:
    """Return a lone second track as what it now is, the first: as it would be read from a folder."""
    return replace(route, track=0, id=f"{route.cities[0]}-{route.cities[1]}/0")


def with_variant(game_map: GameMap, name: str | None) -> GameMap:
    """
    Return a map as one of its variants is played: what follows from the rules is made anew.

    Parameters
    ----------
    game_map
        The map.
    name
        The variant; None for the map itself.

    Raises
    ------
    UnknownNameError
        If the map has no such variant.
    """
    rules = game_map.rules.with_variant(name)
    if rules is game_map.rules:
        return game_map
    rows = map_rows(game_map)
    if not rules.money.tokens:
        for row in rows.routes.rows:
            row.values["toll"] = 0
    return build_map(game_map.name, rules, rows)


def to_folder(game_map: GameMap, path: str | os.PathLike[str]) -> None:
    """
    Write a map as a folder that `load_map` reads again.

    Parameters
    ----------
    game_map
        The map.
    path
        The folder; made if it is not there.
    """
    import tomli_w

    folder = Path(path).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    rows = map_rows(game_map)
    files = {
        "cities.csv": _to_csv(CITY_COLUMNS, rows.cities),
        "routes.csv": _to_csv(ROUTE_COLUMNS, rows.routes),
        "tickets.csv": _to_csv(TICKET_COLUMNS, rows.tickets),
        "places.csv": _to_csv(PLACE_COLUMNS, rows.places),
        "rules.toml": tomli_w.dumps(encode_rules(game_map.rules)),
    }
    for name, content in files.items():
        write_atomically(folder / name, content)


def map_rows(game_map: GameMap) -> MapRows:
    """Return the rows of the tables that describe a map, numbered as in the files."""
    countries = [place for place in game_map.places if place.is_country]
    return MapRows(
        cities=_table(_city_values(city) for city in game_map.cities),
        places=_table({"place": place.name, "city": city} for place in countries for city in place.cities),
        routes=_table(_route_values(route, game_map) for route in game_map.routes),
        tickets=_table(values for ticket in game_map.tickets for values in _ticket_values(ticket)),
    )


def _checked(game_map: GameMap) -> GameMap:
    faults: list[Fault] = []
    validation.check_rows(map_rows(game_map), game_map.rules, faults)
    if faults:
        raise MapError(game_map.name, faults)
    return game_map


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


def _route_values(route: Route, game_map: GameMap) -> dict[str, Any]:
    default = default_swap(game_map.rules.claims, ferry=route.locomotives > 0)
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
        }


def _to_csv(columns: Sequence[Column], table: Table) -> str:
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
