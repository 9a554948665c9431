"""A map as pandas tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from ttr_analysis.maps.model import GameMap


@dataclass(frozen=True)
class MapFrames:
    """
    The cities, routes and tickets of a map as DataFrames.

    Parameters
    ----------
    game_map
        The map.
    """

    game_map: GameMap

    @cached_property
    def cities(self) -> pd.DataFrame:
        """
        One row per city.

        `name`, `label`, `country`, `lat` and `lon` (degrees, WGS84), `x` and
        `y` (board units), `border_of` (the country whose border point it is,
        or ""), `n_routes` (tracks that end there), `n_tickets` (tickets that
        name it).
        """
        border_of = {city: place.name for place in self.game_map.places if place.is_country for city in place.cities}
        named = [
            {place.name for place in (ticket.origin, *(p for p, _ in ticket.destinations))}
            for ticket in self.game_map.tickets
        ]
        return pd.DataFrame(
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
                    "n_routes": sum(city.name in route.cities for route in self.game_map.routes),
                    "n_tickets": sum(city.name in names for names in named),
                }
                for city in self.game_map.cities
            ]
        )

    @cached_property
    def routes(self) -> pd.DataFrame:
        """
        One row per track.

        `id`, `city_a`, `city_b`, `track`, `length` (trains), `color`,
        `double`, `kind` ("plain", "ferry", "tunnel"), `tunnel`,
        `locomotives` (symbols), `locomotives_allowed`, `swap_size` (cards),
        `swap_fills`, `toll` (tokens), `points`.
        """
        return pd.DataFrame(
            [
                {
                    "id": route.id,
                    "city_a": route.cities[0],
                    "city_b": route.cities[1],
                    "track": route.track,
                    "length": route.length,
                    "color": route.color,
                    "double": self.game_map.twin(route) is not None,
                    "kind": route.kind,
                    "tunnel": route.tunnel,
                    "locomotives": route.locomotives,
                    "locomotives_allowed": route.locomotives_allowed,
                    "swap_size": route.swap_size,
                    "swap_fills": route.swap_fills,
                    "toll": route.toll,
                    "points": route.points,
                }
                for route in self.game_map.routes
            ]
        )

    @cached_property
    def tickets(self) -> pd.DataFrame:
        """
        One row per ticket and destination.

        `id`, `origin`, `destination`, `points`, `n_destinations`,
        `neutral_a` and `neutral_b` (cities at the foot of the ticket, or "").
        """
        return pd.DataFrame(
            [
                {
                    "id": ticket.id,
                    "origin": ticket.origin.name,
                    "destination": place.name,
                    "points": points,
                    "n_destinations": len(ticket.destinations),
                    "neutral_a": ticket.neutral[0] if ticket.neutral else "",
                    "neutral_b": ticket.neutral[1] if ticket.neutral else "",
                }
                for ticket in self.game_map.tickets
                for place, points in ticket.destinations
            ]
        )

    def __repr__(self) -> str:
        """Return the names of the tables."""
        return f"<tables of {self.game_map.name!r}: .cities, .routes, .tickets>"
