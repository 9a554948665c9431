"""
The face-up cards: the definition of their rules, on integers and small arrays.

The market is an array with the kind of the card in each slot, or `EMPTY`. Where
its cards come from is not said here: whoever plays has a draw pile of their
own, turned over by chance or as a record says. A refill goes like this:

1. The empty slots are filled one after another, each the `next_empty_slot`,
   with the top card; without a card in draw and discard piles they stay empty.
2. As long as `is_reset_due`, `sweep_market` puts all face-up cards on the
   discard pile, and the slots are filled again in the same order.

Where no slot was empty there is no refill, and no reset either. Decision: so
after a claim, which may fill the piles and thus make a reset possible, it waits
for the next refill; by the sheet of Switzerland it would be made immediately.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX

EMPTY: Final = -1
"""A slot without a card."""


class FaceUpRules(NamedTuple):
    """What a rule set says about the face-up cards: the fields of its `market`, as numbers."""

    locomotive_cost: int
    reset_at: int
    max_resets: int
    reset_needs_full: int
    reset_needs_colored: int
    open_without_piles: int


# -- filling the slots --------------------------------------------------------


@compiled
def next_empty_slot(market: Ints, start: int) -> int:
    """
    Return the slot that is filled next, the number of slots if none is empty.

    Parameters
    ----------
    market
        The kind of the card in each slot, or `EMPTY`.
    start
        First slot that has not had its turn.

    Examples
    --------
    >>> import numpy as np
    >>> market = np.array([3, EMPTY, 8, EMPTY, 0])
    >>> int(next_empty_slot(market, 0)), int(next_empty_slot(market, 2)), int(next_empty_slot(market, 4))
    (1, 3, 5)
    """
    slot = start
    while slot < market.size and market[slot] != EMPTY:
        slot += 1
    return slot


# -- resets -------------------------------------------------------------------


@compiled
def has_too_many_locomotives(market: Ints, reset_at: int) -> bool:
    """
    Return whether so many locomotives lie face up that there is a reset, if it may be made.

    Parameters
    ----------
    market
        The kind of the card in each slot, or `EMPTY`.
    reset_at
        Field of the rule set's `market`.

    Examples
    --------
    >>> import numpy as np
    >>> market = np.array([3, EMPTY, 8, 8, 8])
    >>> bool(has_too_many_locomotives(market, 3)), bool(has_too_many_locomotives(market, 4))
    (True, False)
    """
    n_locomotives = 0
    for slot in range(market.size):
        n_locomotives += market[slot] == LOCOMOTIVE_INDEX
    return 0 < reset_at <= n_locomotives


@quickly_compiled
def is_reset_due(market: Ints, n_colored_in_piles: int, n_resets: int, rules: FaceUpRules) -> bool:
    """
    Return whether all face-up cards are to be replaced.

    Parameters
    ----------
    market
        The kind of the card in each slot, or `EMPTY`.
    n_colored_in_piles
        Cards that are no locomotives, in draw and discard piles together.
    n_resets
        Resets made since the slots were refilled.
    rules
        Those of the market.

    Examples
    --------
    Three locomotives of five cards: at first, where too few colored cards are
    left to turn up a better market, and after as many resets as may be.

    >>> import numpy as np
    >>> market = np.array([8, 2, 8, 0, 8])
    >>> rules = FaceUpRules(2, 3, 100, reset_needs_full=1, reset_needs_colored=3, open_without_piles=1)
    >>> bool(is_reset_due(market, 58, 0, rules))
    True
    >>> bool(is_reset_due(market, 0, 0, rules)), bool(is_reset_due(market, 58, 100, rules))
    (False, False)

    An empty slot, where the market must be full and where it need not:

    >>> market[1] = EMPTY
    >>> bool(is_reset_due(market, 58, 0, rules)), bool(is_reset_due(market, 58, 0, rules._replace(reset_needs_full=0)))
    (False, True)
    """
    if n_resets >= rules.max_resets or not has_too_many_locomotives(market, rules.reset_at):
        return False
    n_colored = n_colored_in_piles
    for slot in range(market.size):
        if market[slot] == EMPTY:
            if rules.reset_needs_full:
                return False
        elif market[slot] != LOCOMOTIVE_INDEX:
            n_colored += 1
    return n_colored >= rules.reset_needs_colored


@compiled
def sweep_market(market: Ints, discards: Ints) -> None:
    """
    Put all face-up cards on the discard pile.

    Parameters
    ----------
    market
        The kind of the card in each slot, or `EMPTY`; emptied.
    discards
        Cards of the discard pile, which get more.

    Examples
    --------
    >>> import numpy as np
    >>> market, discards = np.array([3, EMPTY, 8]), np.zeros(9, dtype=np.int64)
    >>> sweep_market(market, discards)
    >>> market.tolist(), discards.tolist()
    ([-1, -1, -1], [0, 0, 0, 1, 0, 0, 0, 0, 1])
    """
    for slot in range(market.size):
        kind = market[slot]
        if kind != EMPTY:
            discards[kind] += 1
            market[slot] = EMPTY


# -- taking a card ------------------------------------------------------------


@compiled
def draws_for_face_up(kind: int, locomotive_cost: int) -> int:
    """
    Return how many draws of a turn a face-up card costs.

    Examples
    --------
    >>> int(draws_for_face_up(8, 2)), int(draws_for_face_up(8, 1)), int(draws_for_face_up(0, 2))
    (2, 1, 1)
    """
    if kind == LOCOMOTIVE_INDEX:
        return locomotive_cost
    return 1


@compiled
def must_be_first(kind: int, locomotive_cost: int) -> bool:
    """
    Return whether a face-up card may be taken as the first card of a turn only.

    Examples
    --------
    >>> bool(must_be_first(8, 2)), bool(must_be_first(8, 1)), bool(must_be_first(0, 2))
    (True, False, False)
    """
    return draws_for_face_up(kind, locomotive_cost) > 1


@compiled
def may_take_face_up(kind: int, n_taken: int, has_piles: bool, rules: FaceUpRules) -> bool:
    """
    Return whether the card of a slot may be taken now.

    Decision: also if both piles are empty. The book of the Nordic Countries
    lets nobody draw cards then; `open_without_piles = false` does so.

    Parameters
    ----------
    kind
        Its kind, or `EMPTY`, which may never be taken.
    n_taken
        Cards taken before in this turn.
    has_piles
        Whether there is a card in draw or discard pile.
    rules
        Those of the market.

    Examples
    --------
    A locomotive as the second card, where it costs two draws and where one:

    >>> rules = FaceUpRules(2, 3, 100, reset_needs_full=1, reset_needs_colored=3, open_without_piles=1)
    >>> bool(may_take_face_up(8, 1, True, rules)), bool(may_take_face_up(8, 1, True, rules._replace(locomotive_cost=1)))
    (False, True)

    A red card when both piles are empty:

    >>> closed = rules._replace(open_without_piles=0)
    >>> bool(may_take_face_up(7, 0, False, rules)), bool(may_take_face_up(7, 0, False, closed))
    (True, False)
    """
    if kind == EMPTY or (n_taken > 0 and must_be_first(kind, rules.locomotive_cost)):
        return False
    return has_piles or rules.open_without_piles != 0
