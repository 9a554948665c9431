"""`TicketExplorer`: tickets and the fewest trains for them, interactively on the board."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import traitlets

from ttr_analysis._decoding import Range
from ttr_analysis._words import counted, isolate, listed
from ttr_analysis.analysis import tickets as analysis
from ttr_analysis.analysis._ends import closed_and_owned
from ttr_analysis.analysis.tickets.network import forest_solver, trains_left
from ttr_analysis.analysis.tickets.steiner import MAX_TICKETS
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, RouteLike, Ticket, TicketLike
from ttr_analysis.maps.names import fold
from ttr_analysis.viz.svg import live_sheet
from ttr_analysis.widgets.base import Checked, ImpossibleError, Json, QueryWidget, css, esm, optional_number

_SLICE_SECONDS = 0.03
"""Time after which a search for losses lets other messages through."""


class TicketExplorer(QueryWidget):
    """
    The fewest trains for tickets: pick tickets, and close or own routes, on the board. Exact.

    Every change is answered at once, by `ttr.tickets.cheapest_network`. The cost of losing
    each route follows a moment later.

    Parameters
    ----------
    tickets
        Up to 7 tickets, ticket ids or pairs of places.
    closed
        Routes that other players own: routes, ids or pairs of cities.
    owned
        Routes you own, at no cost.
    n_players
        With few players, claiming one track closes the other. None: tracks do not affect each
        other.

    Attributes
    ----------
    tickets, closed, owned, n_players
        The inputs (ids); read them, or set them from Python.
    answer
        The answer, as a dict: `said` in words, `tickets`, and whether it is `possible`; of a
        network, `routes`, `length` and `slack` in trains, `points`, `toll`. `problem` is a
        sentence on what is wrong with the inputs, "" if nothing is.
    losses
        `rows`, most costly loss first, and `n_left`, the number still to come;
        `find_losses` waits for all.

    Notes
    -----
    The first explorer in a session takes slightly longer, because compiled code is loaded.

    Examples
    --------
    >>> explorer = TicketExplorer(ttr.load_map("nordic"), ["Narvik-Murmansk"])
    >>> explorer.answer["length"], explorer.answer["slack"]
    (12, 28)
    >>> explorer.closed = [("Kirkenes", "Murmansk")]
    >>> explorer.answer["length"]
    18
    """

    _esm = esm("answers", "explorer")
    _css = css("answers", "explorer")
    inputs = ("tickets", "closed", "owned", "n_players")

    tickets = Checked(lambda self, value: self._ticket_ids(value)).tag(sync=True)
    closed = Checked(lambda self, value: self._route_ids(value)).tag(sync=True)
    owned = Checked(lambda self, value: self._route_ids(value)).tag(sync=True)
    n_players = Checked(lambda self, value: self._players(value)).tag(sync=True)
    losses = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        game_map: MapLike,
        tickets: Iterable[TicketLike] = (),
        *,
        closed: Iterable[RouteLike] = (),
        owned: Iterable[RouteLike] = (),
        n_players: int | None = None,
    ) -> None:
        game_map = as_map(game_map)
        self.game_map = game_map
        self._coming: Iterator[Json] | None = None
        # Compile and load the code for both kinds of answer now, not at the first click.
        for closed_first in ((), game_map.routes):
            network_for(TicketQuery(game_map, game_map.tickets[:1], closed_first))
        super().__init__(tickets=tickets, closed=closed, owned=owned, n_players=n_players)
        self.on_msg(self._on_message)

    @property
    def plan(self) -> TicketQuery:
        """The current query."""
        game_map = self.game_map
        return TicketQuery(
            game_map,
            game_map.resolve_tickets(self.tickets),
            game_map.resolve_routes(self.closed),
            game_map.resolve_routes(self.owned),
            self.n_players,
        )

    def find_losses(self) -> list[Json]:
        """
        Return the cost of losing each route of the network, once all are known.

        Returns
        -------
        losses
            Most costly first: `route`, the fewest `trains` without it, how many `extra`, and
            whether it `breaks` the plan. The numbers are None if the loss cuts tickets off.
        """
        while self.losses["n_left"]:
            self._more_losses()
        rows: list[Json] = self.losses["rows"]
        return rows

    # -- inputs ---------------------------------------------------------------

    def _ticket_ids(self, value: object) -> list[str]:
        found = self.game_map.resolve_tickets(_items(value, "tickets"))
        if unknown := [ticket for ticket in found if ticket not in self.game_map.tickets]:
            raise ValueError(f"expected tickets of {self.game_map.title}, got {unknown[0]}")
        return list(dict.fromkeys(ticket.id for ticket in found))

    def _route_ids(self, value: object) -> list[str]:
        return [route.id for route in self.game_map.resolve_routes(_items(value, "routes"))]

    def _players(self, value: object) -> int | None:
        return optional_number(value, Range(*self.game_map.rules.players))

    # -- answers --------------------------------------------------------------

    def _facts(self) -> Json:
        low, high = self.game_map.rules.players
        return {
            "sheet": live_sheet(self.game_map),
            "names": route_names(self.game_map),
            "tickets": ticket_facts(self.game_map),
            "most_tickets": MAX_TICKETS,
            "players": list(range(low, high + 1)) if depends_on_players(self.game_map) else [],
        }

    def _answer_now(self) -> Json:
        return network_for(self.plan)

    @traitlets.default("losses")
    def _first_losses(self) -> Json:
        return {"rows": [], "n_left": len(self.answer.get("routes", ()))}

    @traitlets.observe("answer")
    def _reset_losses(self, _change: object) -> None:
        self._coming = None
        self.set_trait("losses", self._first_losses())

    def _more_losses(self) -> None:
        """Find the next losses, at least one, and send those known."""
        rows, n_left, until = self.losses["rows"], self.losses["n_left"], time.perf_counter() + _SLICE_SECONDS
        self._coming = losses(self.plan) if self._coming is None else self._coming
        while n_left:
            rows, n_left = [*rows, next(self._coming)], n_left - 1
            if time.perf_counter() >= until:
                break
        rows.sort(key=lambda loss: (loss["trains"] is not None, -(loss["trains"] or 0)))  # tickets cut off come first
        self.set_trait("losses", {"rows": rows, "n_left": n_left})

    def _on_message(self, _widget: object, content: object, _buffers: object) -> None:
        if content == {"ask": "losses"} and self.losses["n_left"]:
            with self._shows_faults():
                self._more_losses()


# -- the fewest trains for some tickets ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TicketQuery:
    """Tickets to complete on a board where some routes are taken."""

    game_map: GameMap
    tickets: tuple[Ticket, ...] = ()
    closed: tuple[Route, ...] = ()
    owned: tuple[Route, ...] = ()
    n_players: int | None = None

    def board(self) -> tuple[tuple[Route, ...], tuple[Route, ...]]:
        """Return the routes that cannot be used, including second tracks, and those that cost nothing."""
        return closed_and_owned(self.game_map, self.closed, self.owned, n_players=self.n_players)

    def solve(self) -> analysis.Network:
        """Return the cheapest network."""
        players = self.n_players
        return analysis.cheapest_network(self.game_map, self.tickets, self.closed, self.owned, n_players=players)

    def trains_without(self, route: Route) -> int | None:
        """Return the fewest trains if one more route is closed; None if there is no network."""
        closed = (*self.closed, route)
        return forest_solver(self.game_map, closed, self.owned, n_players=self.n_players).trains(self.tickets)


def ticket_facts(game_map: GameMap) -> list[Json]:
    """Return the tickets of a map to choose from: copies are numbered, `folded` has no accents or dashes."""
    names = _names(game_map.tickets)
    return [
        {
            "id": ticket.id,
            "name": names[ticket.id],
            "points": _points(ticket),
            "folded": fold(names[ticket.id]),
            "ends": [list(ticket.origin.cities), [city for place, _ in ticket.destinations for city in place.cities]],
        }
        for ticket in game_map.tickets
    ]


def _names(tickets: tuple[Ticket, ...]) -> dict[str, str]:
    """Return tickets in words, by id."""
    words = {
        t.id: f"{isolate(t.origin.name)} – {listed([isolate(place.name) for place, _ in t.destinations], 'or')}"
        for t in tickets
    }
    copies, seen = Counter(words.values()), Counter[str]()
    names = {}
    for id_, name in words.items():
        seen[name] += 1
        names[id_] = f"{name} (copy {seen[name]})" if copies[name] > 1 else name
    return names


def _points(ticket: Ticket) -> str:
    """Return the points of a ticket, with the destinations if there are several."""
    if len(ticket.destinations) == 1:
        return str(ticket.points)
    return ", ".join(f"{isolate(place.name)} {points}" for place, points in ticket.destinations)


def route_names(game_map: GameMap) -> dict[str, str]:
    """
    Return routes in words, by id: their cities and, for double routes, the color or else the track.

    >>> names = route_names(ttr.load_map("nordic"))
    >>> names["Lieksa-Murmansk/0"], names["Bergen-Oslo/1"]
    ('Lieksa – Murmansk', 'Bergen – Oslo, red')
    """
    names = {}
    for route in game_map.routes:
        twin = game_map.twin(route)
        rank = f"{'second' if route.track else 'first'} track"
        suffix = f", {route.color if twin.color != route.color else rank}" if twin else ""
        names[route.id] = " – ".join(map(isolate, route.cities)) + suffix
    return names


def depends_on_players(game_map: GameMap) -> bool:
    """Return whether the number of players decides which tracks are open."""
    low = game_map.rules.players[0]
    doubled = any(game_map.twin(route) for route in game_map.routes)
    return doubled and not game_map.rules.both_tracks_open(low)


def network_for(plan: TicketQuery) -> Json:
    """
    Return the network with the fewest trains, or the reason why there is none, also in words.

    >>> nordic = ttr.load_map("nordic")
    >>> answer = network_for(TicketQuery(nordic, nordic.resolve_tickets(["Oslo-Vaasa", "Oslo-Stockholm"])))
    >>> print(answer["said"])
    2 tickets take 10 trains in 5 routes: 30 of 40 to spare, 24 points (13 for tickets, 11 for routes).
    """
    if len(plan.tickets) > MAX_TICKETS:
        raise ImpossibleError(f"At most {MAX_TICKETS} tickets can be solved exactly at once, not {len(plan.tickets)}.")
    if both := [route.id for route in plan.owned if route in plan.closed]:
        raise ImpossibleError(f"A route is either closed or yours, not both: {listed(both)}.")
    closed, owned = plan.board()
    answer: Json = {
        "n_players": plan.n_players,
        "closed": [route.id for route in closed],
        "owned": [route.id for route in owned],
        "left": trains_left(plan.game_map, owned),
        "routes": [],
        "cut": [],
        "tickets": [],
    }
    if not plan.tickets:
        return answer | {"said": "Pick tickets from the list, or click two cities.", "possible": True}
    alone = analysis.fewest_trains(plan.game_map, [[ticket] for ticket in plan.tickets], closed, owned)
    names = _names(plan.game_map.tickets)
    answer["tickets"] = [
        {"id": ticket.id, "name": names[ticket.id], "alone": trains if trains >= 0 else None}
        for ticket, trains in zip(plan.tickets, alone, strict=True)
    ]
    try:
        network = plan.solve()
    except analysis.NoNetworkError as error:
        return answer | {
            "said": _why_none(plan.game_map, error),
            "possible": False,
            "cut": [route.id for route in error.cut],
        }
    return _with_network(answer, plan, network)


def losses(plan: TicketQuery) -> Iterator[Json]:
    """
    Yield the cost of losing each route of the cheapest network, one at a time, since each takes a while.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> plan = TicketQuery(nordic, nordic.resolve_tickets(["Narvik-Murmansk"]))
    >>> max(loss["extra"] for loss in losses(plan))
    6
    """
    network, left = plan.solve(), trains_left(plan.game_map, plan.owned)
    for route in network.routes:
        trains = plan.trains_without(route)
        yield {
            "route": route.id,
            "trains": trains,
            "extra": None if trains is None else trains - network.length,
            "breaks": trains is None or trains > left,
        }


_OF_NETWORK = ("length", "points", "ticket_points", "route_points", "n_tunnels", "n_ferries")


def _with_network(answer: Json, plan: TicketQuery, network: analysis.Network) -> Json:
    for row, ticket, reached, scoring in zip(
        answer["tickets"], plan.tickets, network.reached, network.destinations, strict=True
    ):
        row |= {"reaches": scoring if len(ticket.destinations) > 1 else "", "points": ticket.score(reached)}
    slack = answer["left"] - network.length
    money = plan.game_map.rules.money.tokens
    tokens = max(0, money - sum(route.toll for route in network.owned))
    return answer | {
        "said": _said(answer, network, slack),
        "possible": slack >= 0,
        "routes": [route.id for route in network.routes],
        "slack": slack,
        **{name: getattr(network, name) for name in _OF_NETWORK},
        "toll": network.toll if money else None,
        "tokens": tokens if money else None,
        "loans": analysis.fewest_loans(network.routes, tokens) if money else 0,
    }


def _items(value: object, what: str) -> Iterable[Any]:
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise TypeError(f"expected a list of {what}, got {value!r}")
    return value


def _said(answer: Json, network: analysis.Network, slack: int) -> str:
    n = len(network.tickets)
    takes = f"{counted(n, 'ticket')} {'takes' if n == 1 else 'take'} {counted(network.length, 'train')}"
    head = f"{takes} in {counted(len(network.routes), 'route')}"
    if slack < 0:
        return f"{head}: {-slack} more than the {answer['left']} you have left."
    worth = f"{network.points} points ({network.ticket_points} for tickets, {network.route_points} for routes)"
    return f"{head}: {slack} of {answer['left']} to spare, {worth}."


def _why_none(game_map: GameMap, error: analysis.NoNetworkError) -> str:
    tickets, routes = _names(game_map.tickets), route_names(game_map)
    lost = listed([tickets[ticket.id] for ticket in error.tickets])
    if not error.cut:
        return f"Cannot be completed: {lost}. No routes connect the ends."
    return f"Cannot be completed: {lost}. Cut off by {listed([routes[route.id] for route in error.cut])}."
