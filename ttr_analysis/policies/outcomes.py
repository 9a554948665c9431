"""How games end that are played on from given states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ttr_analysis._arrays import Ints
from ttr_analysis._errors import GameError
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.engine.state import GameState
from ttr_analysis.engine.unknowns import unknown_words
from ttr_analysis.policies.playout import (
    BLOCK,
    NO_TAPE_CELLS,
    Results,
    as_players,
    check_legal,
    joined,
    play_block,
    results_of,
    seat_players,
)
from ttr_analysis.rules.chance import TABLE_STREAM, open_stream, run_keys
from ttr_analysis.tables import game_tables


def play_out(states: Sequence[GameState], policies: Sequence[PolicyLike], *, seed: int) -> pd.DataFrame:
    """
    Play games from given states to their ends, and return how they end.

    Parameters
    ----------
    states
        States of one game: one map, one number of players. Nothing in them may
        be unknown; `SeatView.worlds` gives whole states that agree with what a
        seat knows.
    policies
        One compiled policy for each seat, or names of built-in ones. They have
        seen nothing of the games before.
    seed
        Seed of all chance from here on. With the place of a state in the
        sequence it decides what is drawn: a state given twice is played twice.

    Returns
    -------
    ends
        One row for each state and seat (index `state`, `seat`): final `points`,
        and `won`, its share of the win.

    Raises
    ------
    GameError
        If the states are not of one game, or something in one is unknown; if
        there are not as many policies as players, or one chooses what is
        illegal.
    TypeError
        If a policy is not compiled.
    UnknownNameError
        If the package has no policy of a name.

    Notes
    -----
    All games run in compiled code, some hundreds or thousands a second.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> state = game.play(["Greedy", "Random"], seed=7).state_at(30)
    >>> ends = play_out([state] * 20, ["Greedy", "Random"], seed=7)
    >>> ends.groupby("seat")["won"].mean().tolist()
    [1.0, 0.0]
    """
    players = as_players(policies)
    packed = _pack(states, len(players))
    keys = run_keys(seed, len(players))
    points, won = np.zeros((0, len(players)), dtype=np.int64), np.zeros((0, len(players)))
    if len(packed):
        game_map = states[0].game_map
        tables, seated = game_tables(game_map, len(players)), seat_players(game_map, players)
        tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
        parts: list[Results] = []
        for first in range(0, len(packed), BLOCK):
            block = packed[first : first + BLOCK]
            for i, row in enumerate(block):
                open_stream(keys[0], first + i, TABLE_STREAM, State(row).stream)
            play_block(tables, seated, keys, first, block, tape, deals=False)
            check_legal(block, first)
            parts.append(results_of(block, tables))
        won, points = joined(parts)
    rows = pd.MultiIndex.from_product([range(len(packed)), range(len(players))], names=["state", "seat"])
    return pd.DataFrame({"points": points.ravel(), "won": won.ravel()}, index=rows)


def _pack(states: Sequence[GameState], n_players: int) -> Ints:
    """Return states as rows, after a check that they are whole, and of one game for so many players."""
    packed = np.empty((len(states), State.n_cells), dtype=np.int64)
    for i, state in enumerate(states):
        if not isinstance(state, GameState):
            raise GameError(f"expected a GameState, as Game.new gives it, got {state!r}")
        if state.n_players != n_players:
            raise GameError(f"state {i} is of a game of {state.n_players} players, but there are {n_players} policies")
        if state.game_map != states[0].game_map:
            raise GameError(f"state {i} is on another map, or another variant of it, than state 0")
        if unknown := unknown_words(state.packed, n_players):
            raise GameError(f"state {i} cannot be played on with {unknown}: `SeatView.worlds` fills such in")
        packed[i] = state.packed.cells
    return packed
