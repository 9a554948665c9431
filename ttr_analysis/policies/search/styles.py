"""Styles of players: how likely somebody plays otherwise than `Planner`, by what they did, and planners who do."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from math import log, log1p
from operator import index
from typing import Final, NamedTuple, SupportsIndex

import numpy as np
from scipy.special import betaln, expit, logit

from ttr_analysis._arrays import Floats
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.codes import DRAW_CARD, DRAW_FACE_UP, kind_of
from ttr_analysis.engine.events import Move, StartPosition
from ttr_analysis.engine.kernel.step import list_actions
from ttr_analysis.engine.layout import UNKNOWN_CARD
from ttr_analysis.engine.unknowns import has_unknown_tickets, n_unknown_cards, with_shown_tickets
from ttr_analysis.engine.view import redact
from ttr_analysis.policies.planner.policy import Planner, Planner1
from ttr_analysis.records.record import GameRecord
from ttr_analysis.tables import game_tables

PRIOR: Final = 0.25
"""How likely it is that somebody plays in a style of their own of whom nothing is known."""
_SLIP: Final = 0.001
"""How often a planner is recorded to have done what it did not do."""
_GUESSED_SLIP: Final = 0.05
"""The same where the record does not know the market, and guesses opening hands and which tickets came first."""
_SPREAD: Final = 0.4
"""By this the logarithm of each number of a planner with a style of its own is off, as a standard deviation."""


class Decisions(NamedTuple):
    """
    How often a player did what `Planner` would have done, and how often not.

    Parameters
    ----------
    alike, other
        Where all is known that the player saw.
    guessed_alike, guessed_other
        Where the record does not know the market.
    """

    alike: int = 0
    other: int = 0
    guessed_alike: int = 0
    guessed_other: int = 0


@cache
def style_chance(decisions: Decisions) -> float:
    """
    Return how likely a player is to have a style of its own, after some decisions.

    Notes
    -----
    A planner hardly ever does otherwise: a record may be wrong. How many of
    the decisions of somebody with a style of its own are a planner's may be
    anything from none to all (Jeffreys' prior), so that the chance of theirs
    is a beta function [1]_.

    References
    ----------
    .. [1] Gelman, A. et al. "Bayesian Data Analysis", 3rd ed., sections 2.4
       and 2.8. CRC Press, 2013.

    Examples
    --------
    >>> [round(style_chance(Decisions(*counts)), 2) for counts in [(0, 0), (20, 0), (39, 1), (18, 2)]]
    [0.25, 0.04, 0.28, 0.99]
    """
    alike, other, guessed_alike, guessed_other = decisions
    of_planner = alike * log1p(-_SLIP) + other * log(_SLIP)
    of_planner += guessed_alike * log1p(-_GUESSED_SLIP) + guessed_other * log(_GUESSED_SLIP)
    of_others = betaln(alike + guessed_alike + 0.5, other + guessed_other + 0.5) - betaln(0.5, 0.5)
    return float(expit(logit(PRIOR) + of_others - of_planner))


def styled_share(record: GameRecord, seats: Collection[int], step: SupportsIndex = -1) -> float:
    """
    Return which share of the players at a table may be taken to play in a style of their own.

    It is one share for all, also where some are seen to be planners: who
    plays otherwise is not for that the weaker one.

    A record that begins from a position says nothing of it: planners keep to
    plans that they made before, and would plan otherwise from there.

    Parameters
    ----------
    record
        The game.
    seats
        Whose decisions are seen.
    step
        Up to which step decisions count; by default all.
    """
    number = range(len(record.states()))[index(step)]
    if isinstance(record.steps[0][0], StartPosition):
        return PRIOR
    made = [decisions for seat in seats if any(decisions := _decisions(record, seat, number))]
    return float(np.mean([style_chance(decisions) for decisions in made])) if made else PRIOR


def _decisions(record: GameRecord, seat: int, last: int) -> Decisions:
    """Return how a seat decided up to a step, where there was something to choose, and what it saw is known."""
    tables = game_tables(record.map, record.header.n_players)
    planner, codec = Planner(), codec_of(record.map)
    lore, memory = planner.lore(record.map, record.header.n_players), np.zeros(planner.memory_size, dtype=np.int64)
    states = record.states()
    counts = [0, 0, 0, 0]
    for step in range(1, last + 1):
        move = record.steps[step][0]
        if not isinstance(move, Move) or move.seat != seat:
            continue
        state = redact(states[step - 1].packed, tables, seat)
        state = with_shown_tickets(state, seat, states[-1].packed)
        if has_unknown_tickets(state, seat) or n_unknown_cards(state, seat):
            continue
        played = codec.encode(move.action, state)
        is_guessed = bool((state.market >= UNKNOWN_CARD).any())
        # Who claims a route wanted none of the cards that nobody has recorded; who draws may have seen a better one.
        if is_guessed and kind_of(played[0]) in (DRAW_CARD, DRAW_FACE_UP):
            continue
        if list_actions(state, tables, np.empty((1, 2), dtype=np.int64)) > 1:
            planned = planner.decide(state, tables, lore, seat, planner.params, memory)
            counts[2 * is_guessed + (planned != played)] += 1
    return Decisions(*counts)


def planner_styles(n_seats: int, share: float, rng: np.random.Generator) -> Iterator[Floats]:
    """
    Yield the numbers of planners at some seats, one row each, game after game.

    Those who have no style of their own are `Planner`; of the others one half
    has the numbers of `Planner1`, and all of these are off by a factor of
    their own.

    Parameters
    ----------
    n_seats
        Number of seats.
    share
        How likely each is to have a style of its own.
    rng
        Where random numbers come from.
    """
    bases = np.array([Planner().params, Planner1().params])
    while True:
        is_other = rng.random(n_seats) < share
        which = np.where(is_other, rng.integers(len(bases), size=n_seats), 0)
        off = np.exp(_SPREAD * rng.normal(size=(n_seats, bases.shape[1])))
        yield bases[which] * np.where(is_other[:, np.newaxis], off, 1.0)
