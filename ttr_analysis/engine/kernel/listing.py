"""The legal actions of the seat that acts, listed."""

from __future__ import annotations

from ttr_analysis._compile import compiled
from ttr_analysis.engine.actions.table import DUE, LISTERS
from ttr_analysis.engine.codes import N_ACTIONS, Ints
from ttr_analysis.engine.layout import State
from ttr_analysis.tables.games import Tables


@compiled
def list_actions(state: State, tables: Tables, out: Ints) -> int:
    """
    List the legal actions of the seat that acts.

    Claims come once for each route and form of payment; the sets of such a
    payment take the cards of which most are left, locomotives last. Forms that
    come to the same cards are listed once.

    Parameters
    ----------
    state, tables
        The game.
    out
        Filled with codes and values, shape (actions, 2), as far as it goes.

    Returns
    -------
    n_actions
        Their number, or more if they do not fit in `out`.
    """
    n = 0
    for kind in range(N_ACTIONS):
        if (state.phase, kind) in DUE:
            n = LISTERS[kind](state, tables, state.seat, out, n)
    return n
