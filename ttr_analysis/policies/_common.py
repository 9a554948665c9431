"""What built-in policies share: the stream of a seat, and choices between few options."""

from __future__ import annotations

from typing import Final

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.engine.kernel.turns import may_choose
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.protocol import CompiledPolicy as CompiledPolicy  # noqa: PLC0414 - a public name here
from ttr_analysis.engine.protocol import Policy as Policy  # noqa: PLC0414 - a public name here
from ttr_analysis.rules.chance import KEY_SIZE, below
from ttr_analysis.tables import Tables

MEMORY_START: Final = KEY_SIZE
"""First cell of a policy's memory after its stream."""


@compiled
def random_number(memory: Ints, n: int) -> int:
    """Return a random number from 0 to n - 1, from the seat's own stream."""
    return below(memory[:KEY_SIZE], n)


@compiled
def neutral_track(state: State, tables: Tables, number: int) -> int:
    """Return a track that the neutral player may take: the first, or the second where there are two; -1 if none."""
    ticket = state.neutral_ticket
    a = tables.neutral_a[ticket]
    b = tables.neutral_b[ticket]
    if not may_choose(state, tables, a):
        a = b
        b = -1
    elif not may_choose(state, tables, b):
        b = -1
    if number == 0:
        return int(a)
    return int(b)
