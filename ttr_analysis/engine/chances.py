"""All outcomes of chance after an action with their probabilities, if there are few enough to list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ttr_analysis._arrays import Ints
from ttr_analysis._errors import GameError
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions.table import Codec
from ttr_analysis.engine.codes import kind_of, make_event
from ttr_analysis.engine.events import Chance, Rows, decode_chance
from ttr_analysis.engine.layout import AT_PILE, State
from ttr_analysis.engine.unknowns import unknown_words
from ttr_analysis.tables import MAX_SEATS, MAX_TICKETS

_CARDS: Final = make_event(codes.SHUFFLED, 0, codes.SHUFFLED_CARDS)
_TICKETS: Final = make_event(codes.SHUFFLED, 0, codes.SHUFFLED_TICKETS)


def list_chances(
    state: State, run: Callable[[Rows], tuple[State, Rows, bool]], codec: Codec, most: int
) -> tuple[tuple[tuple[Chance, ...], float], ...]:
    """
    Return every sequence of outcomes after a legal action, with its probability.

    `run` makes the step by a script, and returns the state, the events, and whether the
    script was complete. Raises a `GameError` if there are more than `most`.
    """
    if unknown := unknown_words(state, MAX_SEATS):
        raise GameError(f"chances cannot be listed from a state with {unknown}")
    found: list[tuple[tuple[Chance, ...], float]] = []
    waiting: list[tuple[Rows, float, Ints]] = [([], 1.0, state.draw_pile)]
    while waiting:
        script, probability, pile = waiting.pop()
        after, rows, is_whole = run(script)
        if is_whole:
            found.append((tuple(decode_chance(codec, *row) for row in script), probability))
            continue
        asked = [i for i, row in enumerate(rows) if codes.CARD_DEALT <= kind_of(row[0]) <= codes.NEUTRAL_TICKET]
        at, before = asked[len(script)], asked[len(script) - 1] if script else 0
        code_asked = rows[at][0]
        if kind_of(code_asked) in (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET):
            options = _ticket_options(state, script, shuffled=(_TICKETS, 0) in rows[:at])
        else:
            shuffles = [i for i, row in enumerate(rows) if row == (_CARDS, 0)]
            if any(before < i < at for i in shuffles):
                if shuffles[-1] > at:
                    raise GameError("chances cannot be listed where the cards are shuffled twice")
                pile = after.draw_pile  # after the shuffle; unknown cards are still in it
            options = [(kind, n) for kind, n in enumerate(pile.tolist()) if n]
        if len(found) + len(waiting) + len(options) > most:
            raise GameError(f"chance has more than {most} outcomes here; draw some by Game.step instead")
        total = sum(weight for _, weight in options)
        for outcome, weight in reversed(options):
            left = pile.copy()
            if kind_of(code_asked) not in (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET):
                left[outcome] -= 1
            waiting.append(([*script, (code_asked, outcome)], probability * weight / total, left))
    return tuple(found)


def _ticket_options(state: State, script: Rows, *, shuffled: bool) -> list[tuple[int, int]]:
    """Return the equally likely next tickets, from the pile or, in known order, from under it."""
    drawn = [value for code, value in script if kind_of(code) in (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET)]
    n_below = len(drawn) - int(state.n_ticket_pile)
    if shuffled or n_below >= state.n_queued:
        raise GameError("chances cannot be listed where the tickets are shuffled")
    if n_below >= 0:
        return [(int(state.queue[(state.queue_head + n_below) % MAX_TICKETS]), 1)]
    places = state.ticket_at.tolist()
    return [(ticket, 1) for ticket, place in enumerate(places) if place == AT_PILE and ticket not in drawn]
