"""Encoders that leak, and a worth, of users."""
# ruff: noqa: ARG001 - all of a kind are given the same

from __future__ import annotations

from ttr_analysis._compile import Ints, Singles, compiled
from ttr_analysis.engine.layout import State
from ttr_analysis.rules.market import count_cards
from ttr_analysis.tables import Tables


@compiled
def peek(state: State, tables: Tables, lore: Ints, seat: int, out: Singles) -> None:
    """Look at the hand of the next seat."""
    out[0] = count_cards(state.hand[(seat + 1) % tables.n_seats])


@compiled
def foresee(state: State, tables: Tables, lore: Ints, seat: int, out: Singles) -> None:
    """Look at the random numbers to come."""
    out[0] = state.stream[0]


@compiled
def count_kept(state: State, tables: Tables, lore: Ints, seat: int, out: Singles) -> None:
    """Look at how many opening tickets others keep, which is secret while they are chosen."""
    for other in range(tables.n_seats):
        out[0] += state.n_held[other]


@compiled
def points_so_far(state: State, tables: Tables, seat: int) -> float:
    """Return what routes have scored."""
    return float(state.score[seat])
