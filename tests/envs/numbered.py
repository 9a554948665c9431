"""Laws of the numbers of actions, compiled; and a player that draws a legal number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Any

import numpy as np

from tests.engine.conformance import Combination, Played, moves_of
from ttr_analysis._compile import Flags, Floats, Ints, compiled
from ttr_analysis.engine.codes import CLAIM_ROUTE, PAY_TUNNEL, argument_of, kind_of
from ttr_analysis.engine.kernel.numbering import Numbering, code_of, fill_mask, index_of, numbering_of
from ttr_analysis.engine.kernel.step import action_fault, list_actions
from ttr_analysis.engine.layout import State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.chance import KEY_SIZE, below
from ttr_analysis.tables import Tables, game_tables

MAX_ACTIONS = 20_000


class NumberLaw(IntEnum):
    """What was broken."""

    NONE = 0
    LISTED_IS_MASKED = auto()
    MASKED_IS_LISTED = auto()
    ONE_NUMBER_EACH = auto()
    MASKED_IS_LEGAL = auto()
    THERE_AND_BACK = auto()
    OTHERS_ARE_REFUSED = auto()
    DECISION_IS_MASKED = auto()


@compiled
def broken_number_law(state: State, tables: Tables, numbers: Numbering, rows: Ints, mask: Flags) -> int:
    """Return the first law that the mask of a state breaks, a `NumberLaw`; 0 if it breaks none. The mask is used up."""
    fill_mask(state, tables, numbers, mask)
    for index in range(len(mask)):
        code, value = code_of(state, tables, numbers, index)
        if mask[index] == 0:
            if code >= 0:
                return NumberLaw.OTHERS_ARE_REFUSED
        elif code < 0 or action_fault(state, tables, code, value) != 0:
            return NumberLaw.MASKED_IS_LEGAL
        elif index_of(state, tables, numbers, code, value) != index:
            return NumberLaw.THERE_AND_BACK
    for i in range(list_actions(state, tables, rows)):
        code = rows[i, 0]
        index = index_of(state, tables, numbers, code, rows[i, 1])
        if index < 0 or mask[index] == 0:
            return NumberLaw.LISTED_IS_MASKED
        may_share = kind_of(code) == PAY_TUNNEL or (
            kind_of(code) == CLAIM_ROUTE and tables.swap_size[argument_of(code)] > 0
        )
        if mask[index] == 2 and not may_share:
            return NumberLaw.ONE_NUMBER_EACH
        mask[index] = 2
    for index in range(len(mask)):
        if mask[index] == 1:
            return NumberLaw.MASKED_IS_LISTED
    return 0


@compiled
def first_broken(
    states: Ints, moves: Ints, tables: Tables, numbers: Numbering, rows: Ints, mask: Flags
) -> tuple[int, int]:
    """Return the first law that a state of a game breaks, or what was then chosen, and the number of the state."""
    for i in range(len(states)):
        state = State(states[i])
        law = broken_number_law(state, tables, numbers, rows, mask)
        if law == 0 and i < len(moves):
            index = index_of(state, tables, numbers, moves[i, 0], moves[i, 1])
            if index < 0 or mask[index] == 0:
                law = NumberLaw.DECISION_IS_MASKED
        if law != 0:
            return law, i
    return 0, len(states)


def check_numbers(played: Played) -> int:
    """Raise an AssertionError if a state of a game breaks a law; return how many decisions there are."""
    tables, numbers = game_tables(played.game_map, played.n_players), numbering_of(played.game_map)
    rows, mask = np.empty((MAX_ACTIONS, 2), dtype=np.int64), np.zeros(len(numbers.rows), dtype=np.int8)
    law, at = first_broken(played.states, moves_of(played.tape), tables, numbers, rows, mask)
    assert law == 0, f"{NumberLaw(law).name} after {at} moves"
    return len(played.states) - 1


# -- a player that draws a legal number --------------------------------------------------------------------------------


@compiled
def random_index(mask: Flags, stream: Ints) -> int:
    """Return one of the numbers that are marked."""
    n = 0
    for index in range(len(mask)):
        n += mask[index]
    left = below(stream, n)
    index = -1
    while left >= 0:
        index += 1
        left -= mask[index]
    return index


@dataclass(frozen=True)
class ByNumber:
    """A player that draws among the legal numbers, all alike."""

    numbers: Numbering
    name: str = "ByNumber"
    memory_size: int = KEY_SIZE

    @property
    def params(self) -> Floats:
        return np.zeros(1)

    def lore(self, game_map: GameMap, n_players: int) -> Ints:  # noqa: ARG002
        return np.zeros(1, dtype=np.int64)

    def decide(self, state: State, tables: Tables, *rest: Any) -> tuple[int, int]:  # noqa: ANN401
        mask = np.zeros(len(self.numbers.rows), dtype=np.int8)
        fill_mask(state, tables, self.numbers, mask)
        return code_of(state, tables, self.numbers, random_index(mask, rest[-1]))


def by_number(combination: Combination) -> Sequence[ByNumber]:
    """Return players that draw legal numbers, one for each seat."""
    return [ByNumber(numbering_of(combination.game_map))] * combination.n_players
