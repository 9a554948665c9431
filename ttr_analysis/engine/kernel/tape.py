"""The one door of chance: outcomes come from the stream in the state or from a script, and are written down."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.codes import CARD_DEALT, CARD_DRAWN, READ_AT, READ_END, WRITE_AT, WRITE_END, kind_of
from ttr_analysis.engine.layout import UNKNOWN_CARD, State
from ttr_analysis.rules.chance import below

Ints = npt.NDArray[np.int64]


@compiled
def write_event(tape: Ints, code: int, value: int) -> None:
    """Write an event down, if there is room on the tape; count it in any case."""
    at = tape[WRITE_AT]
    if at + 2 <= tape[WRITE_END]:
        tape[at] = code
        tape[at + 1] = value
    tape[WRITE_AT] = at + 2


@compiled
def is_scripted(tape: Ints) -> bool:
    """Return whether outcomes are read from the tape."""
    return bool(tape[READ_END] > 0)


@compiled
def read_outcome(state: State, tape: Ints, code: int) -> int:
    """Return the next outcome of the script; -1, and a fault, if it is another one or there is none."""
    at = tape[READ_AT]
    if at >= tape[READ_END] or tape[at] != code:
        state.fault = 1
        return -1
    tape[READ_AT] = at + 2
    return int(tape[at + 1])


@compiled
def is_next(tape: Ints, code: int) -> bool:
    """Return whether the next outcome of the script is this one."""
    at = tape[READ_AT]
    return bool(at < tape[READ_END] and tape[at] == code)


@compiled
def next_card(state: State, tape: Ints, code: int) -> int:
    """
    Take the next card of the draw pile, which is not empty; return its kind.

    Parameters
    ----------
    state, tape
        The game.
    code
        The event that this is: who or what gets the card.
    """
    if is_scripted(tape):
        kind = _scripted_card(state, tape, code)
    else:
        left = below(state.stream, state.n_pile)
        kind = 0
        while left >= state.draw_pile[kind]:
            left -= state.draw_pile[kind]
            kind += 1
    if kind != UNKNOWN_CARD:
        state.draw_pile[kind] -= 1
    state.n_pile -= 1
    write_event(tape, code, kind)
    return kind


@compiled
def _scripted_card(state: State, tape: Ints, code: int) -> int:
    """Return the kind that the script says; a fault if the pile has none, or if a card shown to all is unknown."""
    kind = read_outcome(state, tape, code)
    if kind == UNKNOWN_CARD and kind_of(code) in (CARD_DEALT, CARD_DRAWN):
        return kind
    if 0 <= kind < N_KINDS and state.draw_pile[kind] > 0:
        return kind
    state.fault = 1
    return UNKNOWN_CARD  # which leaves all counts in range


@compiled
def random_below(state: State, n: int) -> int:
    """Return a random number from 0 to n - 1, from the stream of the table."""
    return below(state.stream, n)
