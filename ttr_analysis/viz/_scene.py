"""What a picture of a board is to show, looked up on the map; nothing here draws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, SupportsFloat, TypeAlias, runtime_checkable

from ttr_analysis._errors import UnknownNameError
from ttr_analysis.maps.model import GameMap, RouteLike, Ticket
from ttr_analysis.viz.style import PLAYER_COLORS


@runtime_checkable
class HasRoutes(Protocol):
    """Anything made of routes: a path, a trail, a network."""

    @property
    def routes(self) -> Iterable[RouteLike]:
        """Its routes."""
        ...


class Values(Protocol):
    """Numbers by route or city: a dict, or a pandas Series."""

    def items(self) -> Iterable[tuple[Any, SupportsFloat]]:
        """Return pairs of a route or city and its number."""
        ...


Routes: TypeAlias = HasRoutes | Iterable[RouteLike]
TicketLike: TypeAlias = Ticket | str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Player:
    """The owner of routes, as shown: label, color and the ids of the routes."""

    label: str
    color: str
    routes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Scene:
    """
    What is to be seen on the board.

    Parameters
    ----------
    highlight, closed
        Ids of routes that stand out, and that are crossed out.
    tickets
        Tickets whose ends are joined.
    players
        Who owns routes.
    values
        Numbers by route id or city name; None if nothing is colored by them.
    """

    highlight: frozenset[str]
    closed: frozenset[str]
    tickets: tuple[Ticket, ...]
    players: tuple[Player, ...]
    values: dict[str, float] | None

    def value_range(self) -> tuple[float, float]:
        """Return the lowest and highest finite value; 0 and 1 without any."""
        finite = [value for value in (self.values or {}).values() if math.isfinite(value)]
        return min(finite, default=0.0), max(finite, default=1.0)

    def title(self, game_map: GameMap) -> str:
        """Return the title of a map, and what is to be seen besides the board."""
        parts = [
            f"{_count(len(routes), 'route')} {what}"
            for routes, what in (
                (self.highlight, "highlighted"),
                (frozenset().union(*(player.routes for player in self.players)), "owned"),
                (self.closed, "closed"),
            )
            if routes
        ]
        if self.tickets:
            parts.insert(0, _count(len(self.tickets), "ticket"))
        return f"{game_map.title}: {', '.join(parts)}" if parts else game_map.title


def read_scene(
    game_map: GameMap,
    *,
    highlight: Routes = (),
    closed: Routes = (),
    tickets: Iterable[TicketLike] = (),
    owned: Mapping[Any, Routes] | Routes = (),
    values: Values | None = None,
) -> Scene:
    """
    Return what is to be seen, every name looked up.

    Parameters
    ----------
    game_map
        The map.
    highlight, closed, tickets, owned, values
        As in `plot_map`.

    Raises
    ------
    UnknownNameError
        If a route, city or ticket is not on the map.
    """
    return Scene(
        highlight=_ids(game_map, highlight),
        closed=_ids(game_map, closed),
        tickets=game_map.resolve_tickets(tickets),
        players=_read_players(game_map, owned),
        values=None if values is None else _read_values(game_map, values),
    )


def _ids(game_map: GameMap, routes: Routes) -> frozenset[str]:
    found = game_map.resolve_routes(routes.routes if isinstance(routes, HasRoutes) else routes)
    return frozenset(route.id for route in found)


def _read_players(game_map: GameMap, owned: Mapping[Any, Routes] | Routes) -> tuple[Player, ...]:
    if not isinstance(owned, Mapping):
        ids = _ids(game_map, owned)
        return (Player("owned", PLAYER_COLORS[0], ids),) if ids else ()
    return tuple(
        Player(
            label=f"seat {player}" if isinstance(player, int) else str(player),
            color=PLAYER_COLORS[(player if isinstance(player, int) else rank) % len(PLAYER_COLORS)],
            routes=_ids(game_map, routes),
        )
        for rank, (player, routes) in enumerate(owned.items())
    )


def _read_values(game_map: GameMap, values: Values) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for key, value in values.items():
        numbers.update(dict.fromkeys(_names(game_map, key), float(value)))
    return numbers


def _names(game_map: GameMap, key: Any) -> list[str]:  # noqa: ANN401 - whatever the user has as keys
    """Return the ids of the routes, or the name of the city, that a key stands for."""
    if isinstance(key, str):
        try:
            return [game_map.route(key).id]
        except UnknownNameError:
            return [game_map.city(key).name]
    return [route.id for route in game_map.resolve_routes([key])]


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def arcs_of(ticket: Ticket, game_map: GameMap) -> list[tuple[str, str, int]]:
    """
    Return which cities a ticket joins, for an arc each, with the points.

    A country has many border points: the two nearest to each other stand for
    both ends.
    """
    arcs = []
    for place, points in ticket.destinations:
        pairs = [(a, b) for a in ticket.origin.cities for b in place.cities]
        a, b = min(pairs, key=lambda pair: _distance(game_map, *pair))
        arcs.append((a, b, points))
    return arcs


def _distance(game_map: GameMap, a: str, b: str) -> float:
    one, other = game_map.city(a), game_map.city(b)
    return math.dist((one.x, one.y), (other.x, other.y))
