"""Events of a game as objects, errors about outcomes of chance that do not fit, and lists of possible outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np

from ttr_analysis._compile import Ints
from ttr_analysis._errors import GameError, UnknownNameError
from ttr_analysis.cards import CARD_KINDS, card_index
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import Codec
from ttr_analysis.engine.layout import AT_PILE, UNKNOWN_CARD, UNKNOWN_MATCH, State, unknown_words
from ttr_analysis.engine.position import Position
from ttr_analysis.maps.model import Ticket
from ttr_analysis.tables import MAX_SEATS, MAX_SLOTS, MAX_TICKETS

ChanceKind = Literal[
    "card_dealt",
    "card_drawn",
    "market_card",
    "card_revealed",
    "ticket_offered",
    "neutral_ticket",
    "cards_shuffled",
    "tickets_shuffled",
    "market_replaced",
]
"""Kinds of chance outcome; the last three only mark that something was shuffled or replaced."""

CHANCE_KINDS: Final[tuple[ChanceKind, ...]] = get_args(ChanceKind)

NOTICES: Final[tuple[ChanceKind, ...]] = ("cards_shuffled", "tickets_shuffled", "market_replaced")
"""Kinds that follow from earlier events, so scripts may omit them; in the order of `SHUFFLED_*`."""


@dataclass(frozen=True, slots=True)
class Move:
    """An action taken by a seat."""

    seat: int
    action: Action

    def __str__(self) -> str:
        return f"P{self.seat}: {self.action}"


@dataclass(frozen=True, slots=True)
class Chance:
    """
    An outcome of chance.

    Parameters
    ----------
    kind
        What happened: see `ChanceKind`.
    seat
        The seat that gets the card or ticket, if any.
    slot
        The market slot of a "market_card", else None.
    card
        The kind of card; None if there is no card or it is unknown.
    ticket
        The ticket; None if there is no ticket or it is unknown.
    matches
        For an unknown card turned over: whether it matches the color played. Else None.

    Examples
    --------
    >>> print(Chance("card_drawn", seat=1, card="blue"))
    P1 draws blue
    >>> print(Chance("market_card", slot=2))
    an unknown card goes to market slot 2
    """

    kind: ChanceKind
    seat: int | None = None
    slot: int | None = None
    card: str | None = None
    ticket: Ticket | None = None
    matches: bool | None = None

    def __str__(self) -> str:
        fit = "" if self.matches is None else " that matches" if self.matches else " that does not match"
        card = self.card or f"an unknown card{fit}"
        ticket = "an unknown ticket" if self.ticket is None else str(self.ticket)
        texts: dict[ChanceKind, str] = {
            "card_dealt": f"P{self.seat} is dealt {card}",
            "card_drawn": f"P{self.seat} draws {card}",
            "market_card": f"{card} goes to market slot {self.slot}",
            "card_revealed": f"{card} is turned over for the tunnel",
            "ticket_offered": f"P{self.seat} is offered {ticket}",
            "neutral_ticket": f"{ticket} is turned up for the neutral player",
            "cards_shuffled": "the discards become the draw pile",
            "tickets_shuffled": "the ticket discards become the ticket pile",
            "market_replaced": "the market is replaced",
        }
        return texts[self.kind]


@dataclass(frozen=True, slots=True)
class TicketsShown:
    """The tickets that a seat shows at the end, if not all of them were known before."""

    seat: int
    tickets: tuple[Ticket, ...]

    def __str__(self) -> str:
        return f"P{self.seat} shows {'; '.join(map(str, self.tickets)) or 'no tickets'}"


@dataclass(frozen=True, slots=True)
class StartPosition:
    """
    The position from which a record begins.

    Parameters
    ----------
    words
        The position in words, one string per part.
    """

    position: Position
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"the game begins from a position: {'; '.join(self.words)}"


@dataclass(frozen=True, slots=True)
class Correction:
    """
    A correction of a record, for a wrong or missing move.

    Parameters
    ----------
    position
        The corrected parts, and the reason (`position.reason`).
    words
        The correction in words, one string per part.
    """

    position: Position
    words: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """The reason for the correction."""
        return self.position.reason

    def __str__(self) -> str:
        return f"corrected here ({self.reason}): {'; '.join(self.words)}"


Event = Move | Chance | TicketsShown | StartPosition | Correction
"""Anything that happens in a game."""

Rows = list[tuple[int, int]]
"""Events, or outcomes of chance, as codes and values: see `engine.codes`."""

_WITH_SEAT: Final = ("card_dealt", "card_drawn", "ticket_offered")
_WITH_TICKET: Final = ("ticket_offered", "neutral_ticket")


def decode_event(codec: Codec, code: int, value: int, state: State) -> Move | Chance:
    """Return the event with a code and value, given the packed state before its step."""
    if codes.kind_of(code) < codes.FIRST_EVENT:
        return Move(codes.seat_of(code), codec.decode(code, value, state))
    return decode_chance(codec, code, value)


def decode_chance(codec: Codec, code: int, value: int) -> Chance:
    """
    Return the outcome of chance with a code and value.

    >>> from ttr_analysis.engine.actions.table import codec_of
    >>> decode_chance(codec_of(ttr.load_map("nordic")), codes.make_event(codes.MARKET_CARD, 0, 4), 8)
    Chance(kind='market_card', seat=None, slot=4, card='locomotive', ticket=None, matches=None)
    """
    kind, seat, argument = codes.kind_of(code), codes.seat_of(code), codes.argument_of(code)
    if kind == codes.SHUFFLED:
        return Chance(NOTICES[argument])
    name = CHANCE_KINDS[kind - codes.FIRST_EVENT]
    return Chance(
        name,
        seat if name in _WITH_SEAT else None,
        argument if name == "market_card" else None,
        None if name in _WITH_TICKET or value >= UNKNOWN_CARD else CARD_KINDS[value],
        codec.ticket(value) if name in _WITH_TICKET else None,
        value == UNKNOWN_MATCH if name == "card_revealed" and value >= UNKNOWN_CARD else None,
    )


def encode_chance(codec: Codec, outcome: Chance) -> tuple[int, int]:
    """Return the code and value of an outcome not in `NOTICES`; raise a `GameError` if it is malformed."""
    if not isinstance(outcome, Chance):
        raise GameError(f"expected an outcome of chance, got {outcome!r}")
    kinds = [kind for kind in CHANCE_KINDS if kind not in NOTICES]
    if outcome.kind not in kinds:
        raise GameError(str(UnknownNameError.among("outcome of chance", outcome.kind, kinds)))
    kind, seat, slot = codes.FIRST_EVENT + CHANCE_KINDS.index(outcome.kind), 0, 0
    if outcome.kind in _WITH_SEAT:
        seat = _number(outcome, "seat", outcome.seat, MAX_SEATS)
    if outcome.kind == "market_card":
        slot = _number(outcome, "slot", outcome.slot, MAX_SLOTS)
    code = codes.make_event(kind, seat, slot)
    if outcome.kind in _WITH_TICKET:
        return code, codec.ticket_index(outcome.ticket)
    if outcome.card is None and outcome.kind == "card_revealed":
        if outcome.matches is None:
            raise GameError(f"card_revealed needs a card or matches, since all players see it, got {outcome!r}")
        return code, UNKNOWN_MATCH if outcome.matches else UNKNOWN_CARD
    try:
        return code, UNKNOWN_CARD if outcome.card is None else card_index(outcome.card)
    except UnknownNameError as error:
        raise GameError(str(error)) from None


def script_of(codec: Codec, outcomes: Iterable[Chance]) -> Rows:
    """Return the kernel's script for outcomes, omitting those in `NOTICES`."""
    return [encode_chance(codec, outcome) for outcome in outcomes if getattr(outcome, "kind", None) not in NOTICES]


def tape_of(script: Rows | None, n_events: int) -> Ints:
    """Return a tape with room for `n_events`; the script gives the outcomes of chance, None draws them at random."""
    start = codes.TAPE_START + 2 * len(script or ())
    tape = np.zeros(start + 2 * n_events, dtype=np.int64)
    if script is not None:  # an empty script sets READ_END too, so that nothing is drawn at random
        tape[codes.READ_AT], tape[codes.READ_END] = codes.TAPE_START, start
        tape[codes.TAPE_START : start] = np.array(script, dtype=np.int64).reshape(-1)
    tape[codes.WRITE_AT], tape[codes.WRITE_END] = start, len(tape)
    return tape


def _number(outcome: Chance, what: str, number: int | None, limit: int) -> int:
    if number is None or not 0 <= number < limit:
        raise GameError(f"the {what} of a {outcome.kind} must be from 0 to {limit - 1}, got {number!r}")
    return number


# -- outcomes of chance that do not fit a step of a game -----------------------------------------------------------


def outcome_error(codec: Codec, script: Sequence[tuple[int, int]], rows: Sequence[tuple[int, int]]) -> str:
    """Explain which outcome of a script is the first that does not fit the events that the kernel wrote."""
    wanted = [row for row in rows if codes.CARD_DEALT <= codes.kind_of(row[0]) < codes.SHUFFLED]
    for i, (given, done) in enumerate(zip(script, wanted, strict=False)):
        if given[0] != done[0]:
            expected = next_words(decode_chance(codec, *done))
            return f'outcome {i + 1} does not fit: expected {expected}, got "{decode_chance(codec, *given)}"'
        if given[1] != done[1]:
            return f"outcome {i + 1} does not fit: {decode_chance(codec, *given)}, but {why_not(given[0])}"
    if len(script) < len(wanted):
        expected = next_words(decode_chance(codec, *wanted[len(script)]))
        return f"outcome {len(script) + 1} is missing: expected {expected}"
    return f"outcome {len(wanted) + 1} is one too many: {decode_chance(codec, *script[len(wanted)])}"


def why_not(code: int) -> str:
    """Explain why an outcome of the right kind is impossible."""
    if codes.kind_of(code) in (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET):
        return "it cannot come from the ticket pile now"
    return "the draw pile has none"


def next_words(outcome: Chance) -> str:
    """Describe the outcome that comes next, without naming the card or ticket."""
    texts: dict[ChanceKind, str] = {
        "card_dealt": f"a card dealt to P{outcome.seat}",
        "card_drawn": f"a card that P{outcome.seat} draws",
        "market_card": f"a card for market slot {outcome.slot}",
        "card_revealed": "a card turned over for the tunnel",
        "ticket_offered": f"a ticket offered to P{outcome.seat}",
        "neutral_ticket": "a ticket for the neutral player",
    }
    return texts[outcome.kind]


# -- all outcomes of chance after an action, if there are few enough to list -------------------------------------------

_CARDS: Final = codes.make_event(codes.SHUFFLED, 0, codes.SHUFFLED_CARDS)
_TICKETS: Final = codes.make_event(codes.SHUFFLED, 0, codes.SHUFFLED_TICKETS)


def list_chances(
    state: State, run: Callable[[Rows], tuple[State, Rows, bool]], codec: Codec, most: int
) -> tuple[tuple[tuple[Chance, ...], float], ...]:
    """
    Return every sequence of outcomes after a legal action, with its probability.

    `run` takes a script, makes the step with it, and returns the state, the events, and
    whether the script was complete. Raises a `GameError` if there are more than `most`.
    """
    if unknown := unknown_words(state, MAX_SEATS):
        raise GameError(f"chance outcomes cannot be listed from a state with {unknown}")
    found: list[tuple[tuple[Chance, ...], float]] = []
    waiting: list[tuple[Rows, float, Ints]] = [([], 1.0, state.draw_pile)]
    while waiting:
        script, probability, pile = waiting.pop()
        after, rows, is_whole = run(script)
        if is_whole:
            found.append((tuple(decode_chance(codec, *row) for row in script), probability))
            continue
        asked = [i for i, row in enumerate(rows) if codes.CARD_DEALT <= codes.kind_of(row[0]) <= codes.NEUTRAL_TICKET]
        at, before = asked[len(script)], asked[len(script) - 1] if script else 0
        code_asked = rows[at][0]
        if codes.kind_of(code_asked) in (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET):
            options = _ticket_options(state, script, shuffled=(_TICKETS, 0) in rows[:at])
        else:
            shuffles = [i for i, row in enumerate(rows) if row == (_CARDS, 0)]
            if any(before < i < at for i in shuffles):
                if shuffles[-1] > at:
                    raise GameError("chance outcomes cannot be listed if the cards are shuffled twice")
                pile = after.draw_pile  # after the shuffle; unknown cards are still in it
            options = [(kind, n) for kind, n in enumerate(pile.tolist()) if n]
        if len(found) + len(waiting) + len(options) > most:
            raise GameError(f"there are more than {most} chance outcomes; draw some with Game.step instead")
        total = sum(weight for _, weight in options)
        for outcome, weight in reversed(options):
            left = pile.copy()
            if codes.kind_of(code_asked) not in (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET):
                left[outcome] -= 1
            waiting.append(([*script, (code_asked, outcome)], probability * weight / total, left))
    return tuple(found)


def _ticket_options(state: State, script: Rows, *, shuffled: bool) -> list[tuple[int, int]]:
    """Return the equally likely next tickets of the pile, or the next of those under it, whose order is known."""
    drawn = [value for code, value in script if codes.kind_of(code) in (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET)]
    n_below = len(drawn) - int(state.n_ticket_pile)
    if shuffled or n_below >= state.n_queued:
        raise GameError("chance outcomes cannot be listed if the tickets are shuffled")
    if n_below >= 0:
        return [(int(state.queue[(state.queue_head + n_below) % MAX_TICKETS]), 1)]
    places = state.ticket_at.tolist()
    return [(ticket, 1) for ticket, place in enumerate(places) if place == AT_PILE and ticket not in drawn]
