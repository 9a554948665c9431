"""
Whether a record tells of a possible game: each event checked against what the kernel does.

All that the kernel writes, places of shuffles included, must be what the
record says. Where cards are unknown, what is checked is necessary, not sufficient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ttr_analysis._words import counted
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions.handler import Refused
from ttr_analysis.engine.actions.table import explain
from ttr_analysis.engine.codes import ActionFault, kind_of, make_action, unpacked
from ttr_analysis.engine.events import Rows, tape_of
from ttr_analysis.engine.kernel.step import action_fault
from ttr_analysis.engine.kernel.tickets import where_unkept
from ttr_analysis.engine.layout import (
    AT_DISCARDS,
    AT_OFFER,
    AT_PILE,
    AT_QUEUE,
    AT_REMOVED,
    OVER,
    TURN,
    UNKNOWN_TICKET,
    State,
)
from ttr_analysis.engine.position import corrected, state_of
from ttr_analysis.engine.unknowns import (
    has_unknown_cards,
    identify_cards,
    identify_tickets,
    impossible_kind,
    n_short_in_pile,
    n_unknown_cards,
)
from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.entries import CORRECTED, SHOWN, START, UNKNOWN, Entry, entry_name
from ttr_analysis.records.replay import LAID, SET_UP, Step, Timeline, make_step
from ttr_analysis.tables import MAX_OFFER, MAX_TICKETS, UNKEPT_DISCARDED

_NOTHING: Final = -1
_CARD_EVENTS: Final = (codes.CARD_DEALT, codes.CARD_DRAWN, codes.MARKET_CARD, codes.CARD_REVEALED)
_TICKET_EVENTS: Final = (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET)


class ImpossibleError(Exception):
    """
    An event that cannot come where a record has it.

    Parameters
    ----------
    at
        Which event, from 0.
    reason
        Why, in words.
    """

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(at, reason)
        self.at = at
        self.reason = reason


def follow(game_map: GameMap, n_players: int, entries: Sequence[Entry]) -> Timeline:
    """
    Follow a record from the set-up on.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    n_players
        Number of players, without the neutral one.
    entries
        The events. Those of a last step that lacks outcomes are checked as
        far as they go.

    Returns
    -------
    timeline
        The whole steps.

    Raises
    ------
    ImpossibleError
        At the first event that cannot come where it does.
    """
    timeline = Timeline(game_map, n_players)
    follow_on(timeline, entries)
    return timeline


def follow_on(timeline: Timeline, entries: Sequence[Entry]) -> None:
    """
    Follow a record from where a timeline ends.

    Parameters
    ----------
    timeline
        The steps so far; those that follow are added.
    entries
        All events of the record, those of the steps so far included.

    Raises
    ------
    ImpossibleError
        At the first event that cannot come where it does.
    """
    at = timeline.n_events
    state = timeline.last if timeline.steps else State()
    timeline.due = ""
    while at < len(entries) or not timeline.steps:
        end = _end_of_step(entries, at, is_set_up=not timeline.steps)
        follower = _Follower(timeline, entries, at, end)
        made = follower.try_step(state)
        if made is None:
            timeline.due = follower.due
            break
        state = made[1]
        timeline.add(*made)
        at = end


def _end_of_step(entries: Sequence[Entry], first: int, *, is_set_up: bool) -> int:
    """Return where the events of a step end: at the next move."""
    begins_with_outcomes = is_set_up and not (first < len(entries) and entries[first].kind == START)
    end = first if begins_with_outcomes else first + 1
    while end < len(entries) and entries[end].is_chance:
        end += 1
    return end


class _Follower:
    """
    Checks the events of one step.

    Parameters
    ----------
    timeline
        The steps before.
    entries
        All events of the record.
    first, end
        Those of this step.
    """

    def __init__(self, timeline: Timeline, entries: Sequence[Entry], first: int, end: int) -> None:
        self.game_map = timeline.game_map
        self.tables = timeline.tables
        self.entries = entries
        self.first = first
        self.end = end
        self.is_set_up = not timeline.steps
        self.first_outcome = first if self.is_set_up else first + 1
        self.outcomes = entries[self.first_outcome : end]
        self.due = ""

    def try_step(self, before: State) -> tuple[Step, State] | None:
        """Return the step and the state after it; None if the record ends before its last outcomes."""
        if self.first < self.end and self.entries[self.first].kind in (START, CORRECTED):
            return self._lay(before)
        step, state = self._begin(before)
        after = state.copy()
        unfitting = self._first_unfitting(after, step)
        if unfitting:
            self._refuse(after, unfitting)
            return None
        if has_unknown_cards(after):
            if (kind := impossible_kind(after, self.tables)) is not None:
                self._refuse_kind(kind)
            if n_short := n_short_in_pile(after, self.tables):
                cards = f"{counted(n_short, 'card')} of the draw pile"
                raise ImpossibleError(self.first, f"{cards} can be of no kind after it")
        return step, after

    # -- positions --------------------------------------------------------------

    def _lay(self, before: State) -> tuple[Step, State]:
        """Return the step in which a position is laid out, or corrected, and the state after it."""
        entry = self.entries[self.first]
        is_start = entry.kind == START
        if is_start and not self.is_set_up:
            raise ImpossibleError(self.first, "a position stands at the beginning")
        if not is_start and before.phase not in (TURN, OVER):
            raise ImpossibleError(self.first, "a correction stands between two turns")
        if self.end > self.first + 1:
            raise ImpossibleError(self.first + 1, f"no {entry_name(self.entries[self.first + 1])} comes here")
        assert entry.position is not None  # noqa: S101 - both kinds have one
        if is_start:
            after, problems = state_of(entry.position, self.game_map, self.tables.n_seats)
        else:
            after, problems = corrected(before, entry.position, self.game_map, self.tables.n_seats)
        if problems:
            words = (f"{part}: {expected}, got {value}" for part, value, expected in problems)
            raise ImpossibleError(self.first, "; ".join(words))
        return Step(self.first, self.end, LAID, 0, None, [], after), after

    # -- moves ------------------------------------------------------------------

    def _begin(self, before: State) -> tuple[Step, State]:
        """Return the step, and the state in which cards that it shows are identified."""
        state = before.copy()
        step = Step(self.first, self.end, SET_UP, 0, None, self._script())
        if self.is_set_up:
            return step, state
        entry = self.entries[self.first]
        if entry.kind == SHOWN:
            self._check_shown(state, entry)
            return step._replace(shown=entry), state
        code, value = self._check_move(state, entry)
        return step._replace(code=code, value=value), state

    def _check_move(self, state: State, entry: Entry) -> tuple[int, int]:
        """Return code and value of a legal move; unknown cards that it shows are identified in the state."""
        seat = int(state.seat)
        if state.phase == OVER:
            raise ImpossibleError(self.first, "the game is over")
        if entry.seat != seat:
            raise ImpossibleError(self.first, f"P{seat} acts now, not P{entry.seat}")
        code, value = make_action(entry.kind, entry.argument), entry.value
        fault = self._fault(state, code, value)
        if entry.kind == codes.KEEP_TICKETS and fault is not ActionFault.PHASE:
            value = self._kept(state, entry)
            fault = self._fault(state, code, value)
        if fault is ActionFault.CARDS and n_unknown_cards(state, seat):
            reason = identify_cards(state, seat, unpacked(value).counts)
            if reason:
                raise ImpossibleError(self.first, reason)
            fault = self._fault(state, code, value)
        if fault is not ActionFault.NONE:
            raise ImpossibleError(self.first, explain(fault, Refused(self.game_map, self.tables, state, code, value)))
        return code, value

    def _fault(self, state: State, code: int, value: int) -> ActionFault:
        return ActionFault(action_fault(state, self.tables, code, value))

    def _kept(self, state: State, entry: Entry) -> int:
        """Return the bits of the tickets of an offer that are kept."""
        offer = state.offer[entry.seat, : state.n_offer[entry.seat]].tolist()
        bits = 0
        for ticket in entry.tickets:
            left = [i for i, offered in enumerate(offer) if offered == ticket and not bits >> i & 1]
            if not left:
                offered = ", ".join(map(self._ticket, offer))
                raise ImpossibleError(self.first, f"P{entry.seat} is not offered {self._ticket(ticket)}, but {offered}")
            bits |= 1 << left[0]
        unkept = [offered for i, offered in enumerate(offer) if not bits >> i & 1]
        if where_unkept(state, self.tables) == UNKEPT_DISCARDED and UNKNOWN_TICKET in unkept:
            reason = "tickets that are not kept lie face up: each must be named where it is offered"
            raise ImpossibleError(self.first, reason)
        return bits

    def _check_shown(self, state: State, entry: Entry) -> None:
        if state.phase != OVER:
            raise ImpossibleError(self.first, "tickets are shown when the game is over")
        if entry.seat >= self.tables.n_seats:
            raise ImpossibleError(self.first, f"there is no P{entry.seat}")
        reason = identify_tickets(state.copy(), self.tables, entry.seat, entry.tickets)
        if reason:
            raise ImpossibleError(self.first, reason)

    # -- outcomes ---------------------------------------------------------------

    def _script(self) -> Rows:
        return [(entry.code, entry.value) for entry in self.outcomes if entry.kind != codes.SHUFFLED]

    def _first_unfitting(self, state: State, step: Step) -> _Unfitting | None:
        """Make a step; return the first outcome that the record has otherwise."""
        n_room = len(self.outcomes) + 2 + MAX_OFFER  # the tickets after one that does not fit tell which was due
        tape = tape_of(step.script, n_room)
        start = int(tape[codes.WRITE_AT])
        make_step(state, self.tables, step, tape)
        n_written = min((int(tape[codes.WRITE_AT]) - start) // 2, n_room)
        written: list[list[int]] = tape[start : start + 2 * n_written].reshape(-1, 2).tolist()
        if step.code != SET_UP:
            written = written[1:]  # the move itself
        for i, entry in enumerate(self.outcomes):
            if i == len(written):
                return _Unfitting(i, _NOTHING)
            if written[i] != [entry.code, entry.value]:
                n_later = sum(kind_of(code) in _TICKET_EVENTS for code, _ in written[i + 1 :])
                return _Unfitting(i, written[i][0], n_later)
        n = len(self.outcomes)
        if len(written) > n:
            return _Unfitting(n, written[n][0])
        return _Unfitting(n - 1, _NOTHING) if state.fault else None

    def _refuse(self, state: State, unfitting: _Unfitting) -> None:
        """Raise the reason for an outcome that does not fit; if the record ends there, only note what is due."""
        due = "" if unfitting.code == _NOTHING else _event_name(unfitting.code)
        if unfitting.at == len(self.outcomes):
            if self.end < len(self.entries):
                raise ImpossibleError(self.end, f"{due} must come first")
            self.due = due
            return
        entry = self.outcomes[unfitting.at]
        if not due:
            after = "the game is over" if state.phase == OVER else f"P{state.seat} acts now"
            reason = f"no {entry_name(entry)} comes here: {after}"
        elif entry.code != unfitting.code:
            reason = f"{due} comes here"
        elif entry.kind in _TICKET_EVENTS:
            reason = f"{self._ticket(entry.value)} cannot come here: {self._place(state, entry.value, unfitting)}"
        else:
            reason = f"the draw pile holds no {CARD_KINDS[entry.value]} card"
        raise ImpossibleError(self.first_outcome + unfitting.at, reason)

    def _refuse_kind(self, kind: int) -> None:
        """Refuse a step after which more cards of a kind have come from the pile than were shuffled into it."""
        at = next(
            (i for i, entry in enumerate(self.outcomes) if entry.kind in _CARD_EVENTS and entry.value == kind), -1
        )
        reason = f"all {CARD_KINDS[kind]} cards that were shuffled into the draw pile have come out of it"
        raise ImpossibleError(self.first if at < 0 else self.first_outcome + at, reason)

    # -- words ------------------------------------------------------------------

    def _ticket(self, number: int) -> str:
        return UNKNOWN if number == UNKNOWN_TICKET else self.game_map.tickets[number].id

    def _place(self, state: State, ticket: int, unfitting: _Unfitting) -> str:
        """Return where a ticket is, if it is not on top of the pile, or which one is."""
        at = int(state.ticket_at[ticket])
        if at in (AT_PILE, AT_QUEUE):
            # The kernel has gone on, and drawn this ticket and later ones.
            return f"{self._ticket(state.queue[(state.queue_head - 1 - unfitting.n_later) % MAX_TICKETS])} lies on top"
        return _PLACES.get(at, f"P{at} holds it")


_PLACES: Final = {
    AT_OFFER: "a seat chooses from it",
    AT_DISCARDS: "it lies on the ticket discards",
    AT_REMOVED: "it is out of the game",
}


class _Unfitting(NamedTuple):
    """The number of an outcome that does not fit, the code of what comes there, and how many tickets come later."""

    at: int
    code: int
    n_later: int = 0


def _event_name(code: int) -> str:
    """Return how messages call an outcome that is due."""
    entry = Entry.of(code)
    name = entry_name(entry)
    if entry.kind in (codes.CARD_DEALT, codes.CARD_DRAWN, codes.TICKET_OFFERED):
        return f"{name} of P{entry.seat}"
    return f"{name} in slot {entry.argument}" if entry.kind == codes.MARKET_CARD else name
