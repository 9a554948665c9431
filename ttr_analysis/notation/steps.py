"""What a line tells of a move and of the outcomes that follow it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from typing import Final

from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.codes import kind_of
from ttr_analysis.engine.events import decode_chance, due_words
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.layout import AT_PILE, UNKNOWN_CARD, UNKNOWN_TICKET, State
from ttr_analysis.notation.lexer import UNKNOWN, Lexer, Names, NotationError, card_value, names_of
from ttr_analysis.records.entries import Entry
from ttr_analysis.records.replay import ScriptedStep
from ttr_analysis.tables import MAX_OFFER

_UNKNOWN_TICKET: Final = re.compile(r"\?")
_CLAUSES: Final = {
    codes.CARD_REVEALED: (re.compile(r"reveals?\b"), "reveals "),
    codes.MARKET_CARD: (re.compile(r"->"), "-> "),
    codes.NEUTRAL_TICKET: (re.compile(r"neutral ticket\b"), "neutral ticket "),
}
"""What follows a move, by the kind of event: how it begins."""
_TICKETS: Final = (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET)
_CARDS: Final = (codes.CARD_DEALT, codes.CARD_DRAWN, codes.CARD_REVEALED, codes.MARKET_CARD)


class ToldOutcomes:
    """What a part of a line says of outcomes: by kind of event, values with their places."""

    def __init__(self) -> None:
        self.values: dict[int, deque[tuple[int, int]]] = {}
        self.ends: dict[int, int] = {}

    def add(self, kind: int, values: Sequence[tuple[int, int]], end: int) -> None:
        """Add outcomes of one kind, and the place after them."""
        self.values.setdefault(kind, deque()).extend(values)
        self.ends[kind] = end


class StepReader:
    """
    Reads what stands in a line, but does not know which words begin what.

    Parameters
    ----------
    packed
        The game.
    vector
        The packed state; None while the game is set up.
    text
        The line.
    dealt
        What of the set-up was told before, as codes and values.
    players
        Names of the players; each may stand for its seat.
    with_outcomes
        Whether the line tells what chance did; if not, it is one move alone.

    Attributes
    ----------
    entries
        What the line tells, once it is read; in the set-up all that was told of it.
    vector
        The packed state after it.
    action
        Code and value of the move last read.
    """

    def __init__(
        self,
        packed: KernelGame,
        vector: State | None,
        text: str,
        *,
        dealt: Sequence[tuple[int, int]] = (),
        players: Sequence[str] = (),
        with_outcomes: bool = True,
    ) -> None:
        self.packed = packed
        self.map = packed.game_map
        self.names = names_of(self.map)
        self.given = tuple(players)
        self.players: Names[int] = Names((name, seat) for seat, name in enumerate(players))
        self.vector = vector
        self.scan = Lexer(text)
        self.entries: list[Entry] = []
        self.action = (0, 0)
        self._dealt = list(dealt)
        self._with_outcomes = with_outcomes

    # -- a step -------------------------------------------------------------------

    def _step(
        self,
        vector: State,
        code: int,
        value: int,
        told: ToldOutcomes,
        place: int,
        *,
        choices: Sequence[str] = (),
        is_last: bool = True,
    ) -> None:
        """Make a move with the outcomes that follow it."""
        if reason := self.packed.why_illegal(vector, code, value):
            raise self.scan.error(reason, choices, at=place, is_illegal=True)
        self.action = (code, value)
        if not self._with_outcomes:
            return
        if is_last:
            self._read_clauses(told)
        telling = ScriptedStep(self.packed, vector, code, value)
        self._tell_all(telling, told)
        self._check_used(telling, told, place)
        move, *outcomes = telling.entries()
        if kind_of(code) == codes.KEEP_TICKETS:
            kept = tuple(ticket for i, ticket in enumerate(self._offer(vector)) if value >> i & 1)
            move = move._replace(value=0, tickets=kept)
        self.entries += [move, *outcomes]
        self.vector = telling.after

    def _read_clauses(self, told: ToldOutcomes) -> None:
        """Read what follows a move."""
        while True:
            for kind, (pattern, _) in _CLAUSES.items():
                if self.scan.accept(pattern):
                    self._add_items(told, kind)
                    break
            else:
                return

    def _add_items(self, told: ToldOutcomes, kind: int) -> None:
        """Read the cards or tickets of one kind of event."""
        scan = self.scan
        if kind in _TICKETS:
            values = self._ticket_items(self._ticket_choices(), unknown=kind == codes.TICKET_OFFERED)
        elif kind == codes.CARD_DEALT and (n := self._lone_number()) is not None:
            values = [(UNKNOWN_CARD, scan.at)] * n
        else:
            unknown = kind != codes.CARD_REVEALED
            values = [(card_value(card), place) for card, place in scan.cards(unknown=unknown)]
        told.add(kind, values, scan.at)

    def _tell_all(self, telling: ScriptedStep, told: ToldOutcomes) -> None:
        """Tell the outcomes of a step."""
        while True:
            due = telling.due
            is_market = due is not None and due.kind == codes.MARKET_CARD
            if is_market or not self._tell_replaced(telling, told):
                if due is None:
                    return
                self._tell_next(telling, told)

    def _tell_replaced(self, telling: ScriptedStep, told: ToldOutcomes) -> bool:
        """Tell the first card of a market that is replaced, if more cards are told and it can be; return whether."""
        market = told.values.get(codes.MARKET_CARD)
        if not market or not telling.tell_replaced(market[0][0]):
            return False
        market.popleft()
        return True

    def _tell_next(self, telling: ScriptedStep, told: ToldOutcomes) -> None:
        """Tell the outcome that is due."""
        due = telling.due
        assert due is not None  # noqa: S101 - who calls has looked
        values = told.values.get(due.kind)
        if not values:
            raise self._missing(due, telling, told)
        # An offer is told in any order; tickets from under the pile come in the order in which they lie there.
        items = list(values) if due.kind == codes.TICKET_OFFERED else [values[0]]
        reasons = []
        for item in items:
            reason = telling.tell(item[0])
            if not reason:
                values.remove(item)
                return
            reasons.append(reason)
        (value, place), reason = items[0], reasons[0]
        if value < len(CARD_KINDS) and due.kind in _CARDS:
            reason = f"the draw pile holds no {CARD_KINDS[value]} card"
        raise self.scan.error(reason, at=place, is_illegal=True)

    def _missing(self, due: Entry, telling: ScriptedStep, told: ToldOutcomes) -> NotationError:
        """Return an error for an outcome that the line does not tell."""
        what = due_words(decode_chance(self.packed.codec, due.code, 0))
        is_ticket = due.kind in _TICKETS
        unknown = [UNKNOWN] if due.kind in (codes.CARD_DEALT, codes.TICKET_OFFERED) else []
        items = [*unknown, *(self._ticket_choices(telling.script) if is_ticket else CARD_KINDS)]
        end = told.ends.get(due.kind)
        if end is not None:
            return self.scan.error(f"one more is due: {what}", [f", {item}" for item in items], at=end)
        start = _CLAUSES[due.kind][1]
        reason = f"expected {start}... ({what} is due)"
        return self.scan.error(reason, [f"{start}{item}" for item in items])

    def _check_used(self, telling: ScriptedStep, told: ToldOutcomes, start: int) -> None:
        """Refuse outcomes that do not follow from a step."""
        for kind, values in told.values.items():
            if values:
                n = sum(kind_of(code) == kind for code, _ in telling.script)
                due = f"{n or 'none'} {'comes' if n == 1 else 'come'} here"
                raise self.scan.error(f"too many are told: {due}", at=max(values[0][1], start), is_illegal=True)

    # -- tickets ------------------------------------------------------------------

    def _ticket_items(self, choices: Sequence[str], *, unknown: bool = True) -> list[tuple[int, int]]:
        """Read tickets: their number if they are unknown, else names and question marks with commas between."""
        scan = self.scan
        if unknown and (n := self._lone_number()) is not None:
            return [(UNKNOWN_TICKET, scan.at)] * n
        items: list[tuple[int, int]] = []
        while True:
            place = scan.at
            ticket = scan.name(self.names.tickets)
            if ticket is not None:
                items.append((self.packed.codec.ticket_index(ticket), place))
            elif unknown and scan.accept(_UNKNOWN_TICKET):
                items.append((UNKNOWN_TICKET, place))
            else:
                rest = scan.rest().split(",")[0]
                raise scan.expected("a ticket or ?" if unknown else "a ticket", choices, self.names.tickets.near(rest))
            if not scan.listed():
                return items

    def _lone_number(self) -> int | None:
        """Read a number that stands for so many unknown items, if no name begins with it."""
        before = self.scan.at
        n = None if self.scan.name(self.names.tickets) else self.scan.number()
        if n is None or n > MAX_OFFER:
            self.scan.at = before
            return None
        return n

    def _ticket_choices(self, script: Sequence[tuple[int, int]] = ()) -> list[str]:
        """Return the names of the tickets that may come from the pile after what a script tells."""
        told = {value for code, value in (*self._dealt, *script) if kind_of(code) in _TICKETS}
        lies = [
            i not in told and (self.vector is None or self.vector.ticket_at[i] == AT_PILE)
            for i in range(len(self.map.tickets))
        ]
        return [ticket.id for ticket, is_there in zip(self.map.tickets, lies, strict=True) if is_there]

    def _ticket_name(self, number: int) -> str:
        ticket = self.packed.codec.ticket(number)
        return UNKNOWN if ticket is None else ticket.id

    def _offer(self, vector: State) -> list[int]:
        seat = vector.seat
        offer: list[int] = vector.offer[seat, : vector.n_offer[seat]].tolist()
        return offer

    # -- rules ----------------------------------------------------------------------

    def _refuse(self, vector: State, code: int, place: int) -> None:
        """Refuse a kind of move that this is not the time for."""
        reason = self.packed.why_illegal(vector, code, 0) or "this cannot come here"
        raise self.scan.error(reason, at=place, is_illegal=True)
