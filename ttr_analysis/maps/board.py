"""Cities, places, routes and tickets of a map, and the map projection."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Literal, Self

from ttr_analysis._upward import render_html
from ttr_analysis._words import counted
from ttr_analysis.rules.ruleset import RouteKind


@dataclass(frozen=True, slots=True, repr=False)
class City:
    """
    A city, or a border point where a route leaves the map.

    Parameters
    ----------
    name
        As printed on the board, with accents; the node of the graph.
    label
        The text in pictures, if different from the name.
    lat, lon
        Position in degrees, WGS84.
    x, y
        Position in board units, with y pointing up.
    country
        The country it is in.
    label_at
        Side of the dot for the label: "N", "NE" and so on; "" for the side with
        the most room.
    also
        Other names that people use for it, such as translations or short forms.
    """

    name: str
    label: str
    lat: float
    lon: float
    x: float
    y: float
    country: str
    label_at: str = ""
    also: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<City {self.name!r}{f', {self.country}' if self.country else ''}>"


@dataclass(frozen=True, slots=True, repr=False)
class Place:
    """
    The end of a ticket: a city, or a country with all its border points.

    Parameters
    ----------
    cities
        Names of the cities, any one of which counts.
    """

    name: str
    cities: tuple[str, ...]

    @property
    def is_country(self) -> bool:
        """Whether the place is a country, whose cities are border points."""
        return self.cities != (self.name,)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Place {self.name!r}{f': {len(self.cities)} border points' if self.is_country else ''}>"


@dataclass(frozen=True, slots=True, repr=False)
class Route:
    """
    One track of car spaces between two cities.

    Parameters
    ----------
    id
        Stable identifier for records and messages, such as `"Bergen-Oslo/0"`.
    track
        0, or 1 for the second track of a double route.
    length
        Car spaces (one train each), including those with locomotive symbols.
    color
        A card color, or "gray" if any one color will do.
    locomotives
        Locomotive symbols among its spaces; more than 0 on a ferry.
    locomotives_allowed
        Whether locomotives are wild on the route.
    swap_size
        How many arbitrary cards can replace one needed card; 0 if none can.
    swap_fills
        Spaces that such a set may pay for: "any", or only "symbols".
    toll
        Tokens that it costs to claim the route.
    points
        Points for claiming the route.
    """

    id: str
    cities: tuple[str, str]
    track: int
    length: int
    color: str
    tunnel: bool = False
    locomotives: int = 0
    locomotives_allowed: bool = True
    swap_size: int = 0
    swap_fills: Literal["any", "symbols"] = "any"
    toll: int = 0
    points: int = 0

    @property
    def kind(self) -> RouteKind:
        """Whether it is a "tunnel", a "ferry" or "plain"."""
        return "tunnel" if self.tunnel else "ferry" if self.locomotives else "plain"

    def other_end(self, city: str) -> str:
        """Return the city at the other end; raise a ValueError if the route does not touch `city`."""
        a, b = self.cities
        if city not in self.cities:
            msg = f"route {self.id} does not touch {city}"
            raise ValueError(msg)
        return b if city == a else a

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Route):
            return NotImplemented
        return self.id == other.id and _facts(self) == _facts(other)

    def __hash__(self) -> int:
        return hash(self.id)

    def __str__(self) -> str:
        a, b = self.cities
        return f"{a}-{b} ({self.color}, {self.length})"

    def __repr__(self) -> str:
        kind = "" if self.kind == "plain" else f" {self.kind}"
        return f"<Route {self.id}: {self.length} {self.color}{kind}, {counted(self.points, 'point')}>"


_facts: Callable[[Route], tuple[object, ...]] = attrgetter(*(field.name for field in fields(Route)))
"""All fields of a route."""


@dataclass(frozen=True, slots=True, repr=False)
class Ticket:
    """
    A destination ticket.

    Parameters
    ----------
    id
        Stable identifier for records and messages, such as `"Bergen-Narvik"`.
    origin
        One end.
    destinations
        The other end, with its points; tickets to countries have several.
    neutral
        The two cities at the bottom of the ticket that the neutral player connects,
        or None.
    deck
        The ticket's deck if the rules have several, else "".

    Raises
    ------
    TypeError
        If an end is not a `Place`.

    Examples
    --------
    >>> usa = ttr.load_map("usa")
    >>> Ticket("mine", usa.place("Boston"), ((usa.place("Seattle"), 25),)).points
    25
    """

    id: str
    origin: Place
    destinations: tuple[tuple[Place, int], ...]
    neutral: tuple[str, str] | None = None
    deck: str = ""

    def __post_init__(self) -> None:
        if _are_places(self.origin, self.destinations):
            return
        msg = (
            'a ticket needs places of a map, as in Ticket("mine", game_map.place("Oslo"), '
            f'((game_map.place("Bergen"), 4),)), got {self.origin!r} and {self.destinations!r}'
        )
        raise TypeError(msg)

    @property
    def points(self) -> int:
        """Points of the best destination."""
        return max(points for _, points in self.destinations)

    @property
    def penalty(self) -> int:
        """Points lost if no destination is reached: those of the cheapest one."""
        return min(points for _, points in self.destinations)

    def score(self, reached: Iterable[str]) -> int:
        """
        Return the points of the ticket.

        Parameters
        ----------
        reached
            Names of the destinations that the player's network connects to the origin.

        Returns
        -------
        points
            The points of the best destination reached; if none is, minus the penalty.
        """
        names = set(reached)
        return max((points for place, points in self.destinations if place.name in names), default=-self.penalty)

    def __str__(self) -> str:
        ends = ", ".join(f"{place} {points}" for place, points in self.destinations)
        return f"{self.origin} to {ends}"

    def __repr__(self) -> str:
        return f"<Ticket {self.id}: {self}>"

    _repr_html_ = render_html


def _are_places(origin: object, destinations: object) -> bool:
    """Return whether all ends are places; users often pass names instead."""
    if not (isinstance(origin, Place) and isinstance(destinations, tuple) and destinations):
        return False
    pairs = [pair for pair in destinations if isinstance(pair, tuple | list) and len(pair) == 2]  # noqa: PLR2004
    return len(pairs) == len(destinations) and all(isinstance(place, Place) for place, _ in pairs)


def double_routes(routes: Iterable[Route]) -> frozenset[frozenset[str]]:
    """Return the pairs of cities with two tracks between them."""
    return frozenset(frozenset(route.cities) for route in routes if route.track == 1)


# -- from latitude and longitude to the flat board picture ---------------------------------------------------------

BOARD_SIZE = 100.0
"""The longer side of the rectangle around all cities, in board units."""

_MIN_CONE = 0.02
"""Smaller cone constants (maps around the equator) are numerically unstable and look no different."""


@dataclass(frozen=True, slots=True)
class Projection:
    """
    Lambert's conformal conic projection, fitted to the cities of a map; a sphere is good enough for a board [1]_.

    `cone` has the sign of the hemisphere, `meridian` is in degrees, `scale` in board
    units, `left` and `bottom` are the corner of the board.

    References
    ----------
    .. [1] Snyder, J. P. "Map Projections: A Working Manual", US Geological
       Survey Professional Paper 1395, pp. 104-107, 1987.
    """

    cone: float
    meridian: float
    scale: float
    left: float
    bottom: float

    @classmethod
    def fit(cls, positions: Iterable[tuple[float, float]]) -> Self:
        """Return the projection in which the positions (at least one) fill the board."""
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
        # Clipped at 89.5 degrees: the opposite pole is infinitely far away in a conic projection.
        phi = math.radians(max(-89.5, min(89.5, lat)))
        around = (lon - self.meridian + 180) % 360 - 180
        radius = math.tan(math.pi / 4 + phi / 2) ** -self.cone / self.cone
        theta = self.cone * math.radians(around)
        x = radius * math.sin(theta)
        y = -radius * math.cos(theta)
        return x * self.scale - self.left, y * self.scale - self.bottom


def flat_positions(positions: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Project latitudes and longitudes so that they fill the board, rounded to a thousandth of a unit."""
    projection = Projection.fit(positions)
    flat = (projection.project(lat, lon) for lat, lon in positions)
    return [(round(x, 3), round(y, 3)) for x, y in flat]


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
