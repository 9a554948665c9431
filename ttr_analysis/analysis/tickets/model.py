"""A network of routes for tickets, and why there may be none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ttr_analysis._display import render_html
from ttr_analysis.maps.model import Route, Ticket


class NoNetworkError(ValueError):
    """
    Tickets that no network can complete.

    Parameters
    ----------
    tickets
        The tickets that cannot be completed.
    cut
        The closed routes that cut them off; empty if the map itself does not
        join their ends.
    """

    def __init__(self, tickets: Sequence[Ticket], cut: Sequence[Route]) -> None:
        self.tickets = tuple(tickets)
        self.cut = tuple(cut)
        names = "; ".join(str(ticket) for ticket in tickets)
        reason = f"cut off by closed routes {', '.join(r.id for r in cut)}" if cut else "no routes join the ends"
        super().__init__(f"cannot be completed: {names}; {reason}")


@dataclass(frozen=True, slots=True)
class Network:
    """
    Routes to claim, and what they bring.

    Parameters
    ----------
    tickets
        The tickets it is for.
    routes
        The routes to claim, in the order of the map.
    owned
        Routes that the player owns already, all of them.
    reached
        For each ticket, the destinations that `routes` and `owned` join to
        its origin. A ticket to countries may reach more of them than it
        needs; the best one scores.
    """

    tickets: tuple[Ticket, ...]
    routes: tuple[Route, ...]
    owned: tuple[Route, ...] = ()
    reached: tuple[tuple[str, ...], ...] = field(default=(), repr=False)

    @property
    def length(self) -> int:
        """Trains that it takes, owned routes not counted."""
        return sum(route.length for route in self.routes)

    @property
    def toll(self) -> int:
        """Tokens that it takes where tolls are played, owned routes not counted."""
        return sum(route.toll for route in self.routes)

    @property
    def route_points(self) -> int:
        """Points for claiming its routes, owned routes not counted."""
        return sum(route.points for route in self.routes)

    @property
    def destinations(self) -> tuple[str, ...]:
        """For each ticket the destination that scores: the best one reached; "" if there is none."""
        return tuple(
            max(
                ((points, place.name) for place, points in ticket.destinations if place.name in reached),
                default=(0, ""),
            )[1]
            for ticket, reached in zip(self.tickets, self.reached, strict=True)
        )

    @property
    def ticket_points(self) -> int:
        """Points of its tickets: of the best destination that each reaches."""
        return sum(ticket.score(reached) for ticket, reached in zip(self.tickets, self.reached, strict=True))

    @property
    def points(self) -> int:
        """Points of its routes and tickets together."""
        return self.route_points + self.ticket_points

    @property
    def n_tunnels(self) -> int:
        """Number of tunnels to claim."""
        return sum(route.kind == "tunnel" for route in self.routes)

    @property
    def n_ferries(self) -> int:
        """Number of ferries to claim."""
        return sum(route.kind == "ferry" for route in self.routes)

    @property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """The cities of each connected part, owned routes included; the largest part first."""
        cities: dict[str, list[str]] = {}
        for city, part in join_cities(self.routes + self.owned).items():
            cities.setdefault(part, []).append(city)
        return tuple(sorted((tuple(sorted(part)) for part in cities.values()), key=lambda p: (-len(p), p)))

    def __repr__(self) -> str:
        """Return the counts."""
        toll = f", toll {self.toll}" if self.toll else ""
        points = f"{self.points} points ({self.ticket_points} tickets + {self.route_points} routes)"
        tickets, routes = count(self.tickets, "ticket"), count(self.routes, "route")
        chosen = "".join(
            f"; {ticket.id} reaches {destination}"
            for ticket, destination in zip(self.tickets, self.destinations, strict=True)
            if len(ticket.destinations) > 1
        )
        return f"<Network for {tickets}: {self.length} trains in {routes}{toll}, {points}{chosen}>"

    def _repr_html_(self) -> str:
        return render_html(self)


def count(things: Sequence[object], noun: str) -> str:
    """
    Return a number of things in words.

    Examples
    --------
    >>> count(["a"], "route"), count([], "route")
    ('1 route', '0 routes')
    """
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def join_cities(routes: Iterable[Route]) -> dict[str, str]:
    """
    Return for each city that the routes touch one city that stands for its connected part.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> parts = join_cities(nordic.resolve_routes([("Oslo", "Bergen"), ("Lahti", "Imatra")]))
    >>> parts["Oslo"] == parts["Bergen"] != parts["Lahti"]
    True
    """
    above: dict[str, str] = {}

    def top(city: str) -> str:
        while (higher := above.setdefault(city, city)) != city:
            city = higher
        return city

    for route in routes:
        a, b = map(top, route.cities)
        above[a] = b
    return {city: top(city) for city in above}


def reached_destinations(ticket: Ticket, parts: Mapping[str, str]) -> tuple[str, ...]:
    """
    Return the destinations of a ticket that a network joins to its origin.

    Parameters
    ----------
    ticket
        The ticket.
    parts
        The network, as `join_cities` returns it.
    """
    # A city that no route touches is a part of its own.
    origin = {parts.get(city, city) for city in ticket.origin.cities}
    return tuple(
        place.name for place, _ in ticket.destinations if any(parts.get(city, city) in origin for city in place.cities)
    )
