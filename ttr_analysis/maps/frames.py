"""A map as pandas tables."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import pandas as pd

from ttr_analysis._notebook import as_table
from ttr_analysis.maps.board import City, Place, Route, Ticket, double_routes

_ROUTE_FIRST: Final = (
    *("id", "length", "color", "kind", "double", "tunnel", "locomotives", "locomotives_allowed", "swap_size", "toll"),
    "points",
)
"""What a notebook shows of a route, whose id tells its cities and track."""


class MapFrames:
    """
    The cities, routes and tickets of a map as DataFrames.

    Parameters
    ----------
    name
        Name of the map.
    cities, places, routes, tickets
        All of them.
    """

    def __init__(
        self,
        name: str,
        cities: tuple[City, ...],
        places: tuple[Place, ...],
        routes: tuple[Route, ...],
        tickets: tuple[Ticket, ...],
    ) -> None:
        self._name = name
        self._cities = cities
        self._places = places
        self._routes = routes
        self._tickets = tickets

    @cached_property
    def cities(self) -> pd.DataFrame:
        """
        One row per city.

        `name`, `label`, `country`, `lat` and `lon` (degrees, WGS84), `x` and
        `y` (board units), `border_of` (the country whose border point it is,
        or ""), `n_routes` (tracks that end there), `n_tickets` (tickets that
        name it).
        """
        border_of = {city: place.name for place in self._places if place.is_country for city in place.cities}
        named = [
            {place.name for place in (ticket.origin, *(p for p, _ in ticket.destinations))} for ticket in self._tickets
        ]
        frame = pd.DataFrame(
            [
                {
                    "name": city.name,
                    "label": city.label,
                    "country": city.country,
                    "lat": city.lat,
                    "lon": city.lon,
                    "x": city.x,
                    "y": city.y,
                    "border_of": border_of.get(city.name, ""),
                    "n_routes": sum(city.name in route.cities for route in self._routes),
                    "n_tickets": sum(city.name in names for names in named),
                }
                for city in self._cities
            ]
        )
        return as_table(frame, units={"x": "board units", "y": "board units"})

    @cached_property
    def routes(self) -> pd.DataFrame:
        """
        One row per track.

        `id`, `city_a`, `city_b`, `track`, `length` (trains), `color`,
        `double`, `kind` ("plain", "ferry", "tunnel"), `tunnel`,
        `locomotives` (symbols), `locomotives_allowed`, `swap_size` (cards),
        `swap_fills`, `toll` (tokens), `points`.
        """
        double = double_routes(self._routes)
        frame = pd.DataFrame(
            [
                {
                    "id": route.id,
                    "city_a": route.cities[0],
                    "city_b": route.cities[1],
                    "track": route.track,
                    "length": route.length,
                    "color": route.color,
                    "double": frozenset(route.cities) in double,
                    "kind": route.kind,
                    "tunnel": route.tunnel,
                    "locomotives": route.locomotives,
                    "locomotives_allowed": route.locomotives_allowed,
                    "swap_size": route.swap_size,
                    "swap_fills": route.swap_fills,
                    "toll": route.toll,
                    "points": route.points,
                }
                for route in self._routes
            ]
        )
        return as_table(frame, _ROUTE_FIRST)

    @cached_property
    def tickets(self) -> pd.DataFrame:
        """
        One row per ticket and destination.

        `id`, `origin`, `destination`, `points`, `n_destinations`,
        `neutral_a` and `neutral_b` (cities at the foot of the ticket, or ""),
        `deck` (that it belongs to, or "").
        """
        frame = pd.DataFrame(
            [
                {
                    "id": ticket.id,
                    "origin": ticket.origin.name,
                    "destination": place.name,
                    "points": points,
                    "n_destinations": len(ticket.destinations),
                    "neutral_a": ticket.neutral[0] if ticket.neutral else "",
                    "neutral_b": ticket.neutral[1] if ticket.neutral else "",
                    "deck": ticket.deck,
                }
                for ticket in self._tickets
                for place, points in ticket.destinations
            ]
        )
        return as_table(frame)

    def __repr__(self) -> str:
        """Return the names of the tables."""
        return f"<tables of {self._name!r}: .cities, .routes, .tickets>"
