"""What a policy does in a position."""

from __future__ import annotations

from tests.engine.conformance import open_memories
from tests.engine.positions import Position
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.codes import NONE
from ttr_analysis.engine.kernel.step import action_fault
from ttr_analysis.engine.protocol import CompiledPolicy
from ttr_analysis.rules.chance import seed_key


def choice(policy: CompiledPolicy, position: Position) -> Action:
    """Return what a policy does in seat 0, which must be legal."""
    state, tables = position.state, position.tables
    memory = open_memories([policy], seed_key(1), 0)[0]
    lore = policy.lore(position.map, position.n_players)
    code, value = policy.decide(state, tables, lore, 0, policy.params, memory)
    assert action_fault(state, tables, code, value) == NONE
    return codec_of(position.map).decode(code, value, state)
