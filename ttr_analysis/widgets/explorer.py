"""Tickets and the fewest trains for them, played with on the board."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

import traitlets

from ttr_analysis.maps.model import GameMap, RouteLike, TicketLike
from ttr_analysis.viz.sheet import board_sheet
from ttr_analysis.widgets._answering import AnsweringWidget
from ttr_analysis.widgets._esm import css, esm
from ttr_analysis.widgets._traits import Checked
from ttr_analysis.widgets.answers.network import (
    MOST_TICKETS,
    Plan,
    depends_on_players,
    losses,
    network_for,
    route_names,
    ticket_facts,
    worst_first,
)
from ttr_analysis.widgets.answers.words import Json

STEP = 0.03
"""Seconds after which a search for losses lets other messages through."""


class TicketExplorer(AnsweringWidget):
    """
    The fewest trains for tickets: pick tickets, close and own routes on the board. Exact.

    Every change is answered at once, by `ttr.tickets.cheapest_network`. What
    the loss of each route would cost follows a moment later.

    Parameters
    ----------
    game_map
        Any map.
    tickets
        Up to 7 tickets, ticket ids or pairs of places.
    closed
        Routes that others own: routes, ids or pairs of cities.
    owned
        Routes of your own, which cost nothing.
    n_players
        With few players the claim of one track closes the other. None: each
        track for itself.

    Attributes
    ----------
    tickets, closed, owned, n_players
        The inputs: read them (ids), or set them from Python.
    answer
        What is shown, as a dict: `said` in words, `routes` of the network,
        `length` and `slack` in trains, `points`, `toll`, `tickets`; or
        `problem`, the sentence that says what cannot be.
    losses
        `rows`, the most costly loss first, and `n_left`, those still to come;
        `find_losses` waits for all.

    Notes
    -----
    The first one in a session takes a moment longer: compiled code is loaded.

    Examples
    --------
    >>> import ttr_analysis as ttr
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
        game_map: GameMap,
        tickets: Iterable[TicketLike] = (),
        *,
        closed: Iterable[RouteLike] = (),
        owned: Iterable[RouteLike] = (),
        n_players: int | None = None,
    ) -> None:
        self.game_map = game_map
        self._coming: Iterator[Json] | None = None
        # What both kinds of answer want is compiled and loaded now, not at the first click.
        for closed_first in ((), game_map.routes):
            network_for(Plan(game_map, game_map.tickets[:1], closed_first))
        super().__init__(tickets=tickets, closed=closed, owned=owned, n_players=n_players)
        self.on_msg(self._on_message)

    @property
    def plan(self) -> Plan:
        """What is asked."""
        game_map = self.game_map
        return Plan(
            game_map,
            game_map.resolve_tickets(self.tickets),
            game_map.resolve_routes(self.closed),
            game_map.resolve_routes(self.owned),
            self.n_players,
        )

    def find_losses(self) -> list[Json]:
        """
        Return what the loss of each route of the network would cost, once all is known.

        Returns
        -------
        losses
            The most costly first: `route`, the fewest `trains` without it,
            how many `extra`, and whether it `breaks` the plan. The numbers
            are None where it cuts tickets off.
        """
        while self.losses["n_left"]:
            self._more_losses()
        rows: list[Json] = self.losses["rows"]
        return rows

    # -- inputs ---------------------------------------------------------------

    def _ticket_ids(self, value: object) -> list[str]:
        if not isinstance(value, list | tuple):
            msg = f"expected a list of tickets, got {value!r}"
            raise TypeError(msg)
        found = self.game_map.resolve_tickets(value)
        if strange := [ticket for ticket in found if ticket not in self.game_map.tickets]:
            msg = f"expected tickets of {self.game_map.title}, got {strange[0]}"
            raise ValueError(msg)
        return list(dict.fromkeys(ticket.id for ticket in found))

    def _route_ids(self, value: object) -> list[str]:
        if not isinstance(value, list | tuple):
            msg = f"expected a list of routes, got {value!r}"
            raise TypeError(msg)
        return [route.id for route in self.game_map.resolve_routes(value)]

    def _players(self, value: object) -> int | None:
        low, high = self.game_map.rules.players
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and low <= value <= high):
            return value
        msg = f"expected {low} to {high} players, or None, got {value!r}"
        raise ValueError(msg)

    # -- answers --------------------------------------------------------------

    def _facts(self) -> Json:
        low, high = self.game_map.rules.players
        return {
            "sheet": board_sheet(self.game_map),
            "names": route_names(self.game_map),
            "tickets": ticket_facts(self.game_map),
            "most_tickets": MOST_TICKETS,
            "players": list(range(low, high + 1)) if depends_on_players(self.game_map) else [],
        }

    def _answer_now(self) -> Json:
        return network_for(self.plan)

    @traitlets.default("losses")
    def _no_losses_yet(self) -> Json:
        return {"rows": [], "n_left": len(self.answer.get("routes", ()))}

    @traitlets.observe("answer")
    def _begin_anew(self, _change: object) -> None:
        self._coming = None
        self.set_trait("losses", self._no_losses_yet())

    def _more_losses(self) -> None:
        """Find the next losses, at least one, and send what is known."""
        rows, n_left, until = self.losses["rows"], self.losses["n_left"], time.perf_counter() + STEP
        self._coming = losses(self.plan) if self._coming is None else self._coming
        while n_left:
            rows, n_left = [*rows, next(self._coming)], n_left - 1
            if time.perf_counter() >= until:
                break
        self.set_trait("losses", {"rows": worst_first(rows), "n_left": n_left})

    def _on_message(self, _widget: object, content: object, _buffers: object) -> None:
        if content == {"ask": "losses"} and self.losses["n_left"]:
            self._more_losses()
