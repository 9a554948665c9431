"""`load_map`: a folder of tables becomes a checked `GameMap`."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from ttr_analysis._decoding import FaultList
from ttr_analysis._errors import MapError, UnknownNameError, nearest
from ttr_analysis.maps.decoding import decode_rules
from ttr_analysis.maps.model import City, GameMap, Place, Ticket, first_equal
from ttr_analysis.maps.names import fold
from ttr_analysis.maps.reading import MAX_TEXT, Row, Table, read_table, read_toml
from ttr_analysis.maps.rows import (
    CITY_COLUMNS,
    MAX_CITIES,
    MAX_ROUTES,
    MAX_TICKETS,
    PLACE_COLUMNS,
    ROUTE_COLUMNS,
    TICKET_COLUMNS,
    MapRows,
    build_route,
    check_rows,
    check_variants,
)
from ttr_analysis.rules.ruleset import RuleSet

_TABLES = {
    "cities.csv": (CITY_COLUMNS, MAX_CITIES),
    "places.csv": (PLACE_COLUMNS, MAX_CITIES),
    "routes.csv": (ROUTE_COLUMNS, MAX_ROUTES),
    "tickets.csv": (TICKET_COLUMNS, 8 * MAX_TICKETS),
}
_OPTIONAL = {"places.csv"}
_ALIKE = 0.65
"""How alike the name of a map must be to one that is unknown: "Sweden" is half of "nederland"."""


def load_map(name_or_folder: str | os.PathLike[str]) -> GameMap:
    """
    Load a map: one that comes with the package, or a folder of one's own.

    Parameters
    ----------
    name_or_folder
        `"europe"`, `"nordic"`, `"switzerland"`, `"nederland"` or `"usa"`, in any case, or
        such a map's title; or a folder with `cities.csv`, `routes.csv`, `tickets.csv`, `rules.toml` and, for
        tickets to countries, `places.csv`.

    Returns
    -------
    game_map
        The map, checked.

    Raises
    ------
    MapError
        If something in the folder is wrong. It lists all faults at once, each
        with file, line, field, value and what was expected.
    UnknownNameError
        If there is neither such a map nor such a folder.

    Notes
    -----
    At most 64 cities, 128 routes and 128 tickets, routes of at most 12
    spaces, tables of at most 1 MB, rules of at most 100 kB on lines of at
    most 10,000 characters. Nothing in a folder is executed.

    Examples
    --------
    >>> load_map("switzerland")
    <GameMap 'switzerland': 51 cities, 88 routes, 46 tickets, 2-3 players>
    """
    folder = find_folder(name_or_folder)
    faults = FaultList(str(name_or_folder), error=MapError)
    found = faults.faults
    tables = {
        file: read_table(folder / file, columns, max_rows, found)
        if file not in _OPTIONAL or (folder / file).exists()
        else Table([])
        for file, (columns, max_rows) in _TABLES.items()
    }
    rules = _load_rules(folder / "rules.toml", faults)
    rows = MapRows(*tables.values())
    check_rows(rows, rules, found)
    if rules is not None and not found:
        check_variants(rows, rules, found)
    faults.raise_if_any([*_TABLES, "rules.toml"])
    assert rules is not None  # noqa: S101 - or there are faults
    return build_map(_name_of(folder), rules, rows)


def _name_of(folder: Path) -> str:
    """Return the name of a map's folder as records and tables can hold it: folders may have any."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in folder.name)[:MAX_TEXT]


MapLike = GameMap | str | os.PathLike[str]
"""A map, or what `load_map` takes: its name, or its folder."""


def as_map(game_map: MapLike) -> GameMap:
    """
    Return the map that somebody named.

    Parameters
    ----------
    game_map
        A map, its name or its folder.

    Raises
    ------
    MapError, UnknownNameError
        As `load_map`.
    TypeError
        If it is anything else.

    Examples
    --------
    >>> as_map("Nordic Countries")
    <GameMap 'nordic': 39 cities, 81 routes, 46 tickets, 2-3 players>
    """
    if isinstance(game_map, GameMap):
        return game_map
    try:
        return load_map(os.fspath(game_map))
    except TypeError:
        msg = f"expected a map, or the name of one, got {game_map!r}"
        raise TypeError(msg) from None


RulesLike = RuleSet | MapLike
"""Rules, or the map whose they are."""


def as_rules(rules: RulesLike) -> RuleSet:
    """
    Return rules, or those of a map that somebody named.

    Parameters
    ----------
    rules
        Rules, a map, its name or its folder.

    Raises
    ------
    MapError, UnknownNameError, TypeError
        As `as_map`.

    Examples
    --------
    >>> as_rules("nordic").cards.draws_per_turn
    2
    """
    return rules if isinstance(rules, RuleSet) else as_map(rules).rules


def find_folder(name_or_folder: str | os.PathLike[str]) -> Path:
    """Return the folder of a map that comes with the package, or the given one."""
    data = data_folder()
    built_in = sorted(path.name for path in data.iterdir() if (path / "rules.toml").is_file())
    if isinstance(name_or_folder, str) and name_or_folder in built_in:
        return data / name_or_folder
    name = os.fspath(name_or_folder)
    try:
        folder = Path(name_or_folder).expanduser()
        if name and folder.is_dir():
            return folder.resolve()
    except (OSError, RuntimeError):  # a name too long, a folder nobody may enter, a user who is not there
        pass
    for known in built_in:
        if fold(name) in (fold(known), fold(_title(data / known))):
            return data / known
    raise UnknownNameError("map or map folder", name, nearest(name, built_in, alike=_ALIKE), built_in)


def _title(folder: Path) -> str:
    return str(tomllib.loads((folder / "rules.toml").read_text(encoding="utf-8")).get("title", ""))


def data_folder() -> Path:
    """
    Return the folder of the maps that come with the package.

    It lies in the installed package, and beside it in a checkout. An editable
    install may leave a stale copy elsewhere, so no other place is searched.
    """
    package = Path(__file__).resolve().parents[1]
    inside = package / "data"
    return inside if inside.is_dir() else package.parent / "data"


def _load_rules(path: Path, faults: FaultList) -> RuleSet | None:
    loaded = read_toml(path, faults.faults)
    return None if loaded is None else decode_rules(*loaded, faults.of(path.name))


def build_map(name: str, rules: RuleSet, rows: MapRows) -> GameMap:
    """Return the map that checked rows describe."""
    projection = Projection.fit((row["lat"], row["lon"]) for row in rows.cities.rows)
    cities = tuple(_build_city(row, projection) for row in rows.cities.rows)
    countries: dict[str, list[str]] = {}
    for row in rows.places.rows:
        countries.setdefault(row["place"], []).append(row["city"])
    border_points = {city for members in countries.values() for city in members}
    places = [Place(city.name, (city.name,)) for city in cities if city.name not in border_points]
    places += [Place(country, tuple(members)) for country, members in countries.items()]
    by_name = {place.name: place for place in places}
    game_map = GameMap(
        name=name,
        title=rules.title,
        cities=cities,
        places=tuple(places),
        routes=tuple(build_route(row.values, rules) for row in rows.routes.rows),
        tickets=_build_tickets(rows.tickets.rows, by_name.__getitem__),
        rules=rules,
    )
    return replace(first_equal(game_map))  # a map of its own, but made of the same facts


def _build_city(row: Row, projection: Projection) -> City:
    x, y = row["x"], row["y"]
    if x is None:
        x, y = (round(position, 3) for position in projection.project(row["lat"], row["lon"]))
    label = row["label"] or row["name"]
    return City(row["name"], label, row["lat"], row["lon"], x, y, row["country"], row["label_at"], row["also"])


def _build_tickets(rows: list[Row], place: Callable[[str], Place]) -> tuple[Ticket, ...]:
    by_id: dict[str, list[Row]] = {}
    for row in rows:
        by_id.setdefault(row["ticket"], []).append(row)
    return tuple(
        Ticket(
            id=name,
            origin=place(lines[0]["origin"]),
            destinations=tuple((place(line["destination"]), line["points"]) for line in lines),
            neutral=(lines[0]["neutral_a"], lines[0]["neutral_b"]) if lines[0]["neutral_a"] else None,
            deck=lines[0]["deck"],
        )
        for name, lines in by_id.items()
    )


# -- from latitude and longitude to the flat board picture ---------------------------------------------------------

BOARD_SIZE = 100.0
"""The longer side of the rectangle around all cities, in board units."""

_MIN_CONE = 0.02
"""Cone constants nearer to 0 (maps around the equator) are numerically poor and look the same."""


@dataclass(frozen=True, slots=True)
class Projection:
    """
    Lambert's conformal conic projection, fitted to the cities of a map.

    Conformal: small shapes keep their form, so that coasts look familiar.
    The sphere is good enough for a board [1]_.

    Parameters
    ----------
    cone
        Cone constant; its sign is that of the hemisphere.
    meridian
        Central meridian in degrees.
    scale, left, bottom
        Board units per projected unit, and the corner of the board.

    References
    ----------
    .. [1] Snyder, J. P. "Map Projections: A Working Manual", US Geological
       Survey Professional Paper 1395, pp. 104-107, 1987.

    Examples
    --------
    >>> projection = Projection.fit([(55.0, 5.0), (71.0, 33.0)])
    >>> x, y = projection.project(71.0, 33.0)
    >>> round(x), round(y)
    (80, 100)
    """

    cone: float
    meridian: float
    scale: float
    left: float
    bottom: float

    @classmethod
    def fit(cls, positions: Iterable[tuple[float, float]]) -> Self:
        """
        Return the projection in which all positions fill the board.

        Parameters
        ----------
        positions
            Pairs of latitude and longitude in degrees; at least one.
        """
        points = list(positions)
        lats = [lat for lat, _ in points]
        lons = [lon for _, lon in points]
        cone = _cone(min(lats), max(lats))
        flat = cls(cone, (min(lons) + max(lons)) / 2, 1.0, 0.0, 0.0)
        projected = [flat.project(lat, lon) for lat, lon in points]
        xs, ys = zip(*projected, strict=True)
        extent = max(max(xs) - min(xs), max(ys) - min(ys))
        scale = BOARD_SIZE / extent if extent else 1.0
        return cls(cone, flat.meridian, scale, min(xs) * scale, min(ys) * scale)

    def project(self, lat: float, lon: float) -> tuple[float, float]:
        """Return the board position of a latitude and longitude in degrees."""
        # 89.5 degrees: a pole itself lies at infinity for the other hemisphere's cone.
        phi = math.radians(max(-89.5, min(89.5, lat)))
        around = (lon - self.meridian + 180) % 360 - 180
        radius = math.tan(math.pi / 4 + phi / 2) ** -self.cone / self.cone
        theta = self.cone * math.radians(around)
        x = radius * math.sin(theta)
        y = -radius * math.cos(theta)
        return x * self.scale - self.left, y * self.scale - self.bottom


def _cone(south: float, north: float) -> float:
    """Return the cone constant for standard parallels a sixth of the span inside the map."""
    margin = (north - south) / 6
    low, high = (math.radians(max(-85.0, min(85.0, lat))) for lat in (south + margin, north - margin))
    if math.isclose(low, high, abs_tol=1e-9):
        cone = math.sin(low)
    else:
        isometric = [math.log(math.tan(math.pi / 4 + lat / 2)) for lat in (low, high)]
        cone = math.log(math.cos(low) / math.cos(high)) / (isometric[1] - isometric[0])
    return cone if abs(cone) >= _MIN_CONE else math.copysign(_MIN_CONE, cone)
