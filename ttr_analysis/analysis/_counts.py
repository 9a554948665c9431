"""Cards as nine counts in compiled code: sums, moves from one to another, and a card by chance."""

from __future__ import annotations

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.cards import N_COLORS, N_KINDS
from ttr_analysis.rules.chance import below


@compiled
def count_cards(cards: Ints) -> int:
    """
    Return the number of cards.

    Examples
    --------
    >>> import numpy as np
    >>> int(count_cards(np.array([2, 0, 0, 0, 0, 0, 0, 0, 1])))
    3
    """
    total = 0
    for kind in range(N_KINDS):
        total += cards[kind]
    return total


@compiled
def count_colored(cards: Ints) -> int:
    """
    Return the number of cards that are no locomotives.

    Examples
    --------
    >>> import numpy as np
    >>> int(count_colored(np.array([2, 0, 0, 0, 0, 0, 0, 0, 1])))
    2
    """
    total = 0
    for kind in range(N_COLORS):
        total += cards[kind]
    return total


@compiled
def copy_cards(cards: Ints, to: Ints) -> None:
    """Make the counts of `to` those of `cards`."""
    for kind in range(N_KINDS):
        to[kind] = cards[kind]


@compiled
def add_cards(cards: Ints, to: Ints) -> None:
    """Add cards to others."""
    for kind in range(N_KINDS):
        to[kind] += cards[kind]


@compiled
def remove_cards(cards: Ints, of: Ints) -> None:
    """Take cards out of others, which hold them."""
    for kind in range(N_KINDS):
        of[kind] -= cards[kind]


@compiled
def kind_at(pile: Ints, number: int) -> int:
    """
    Return the kind of a card of a pile whose cards are numbered by kind, from 0.

    Examples
    --------
    >>> import numpy as np
    >>> pile = np.array([2, 0, 1, 0, 0, 0, 0, 0, 1])
    >>> [int(kind_at(pile, number)) for number in range(4)]
    [0, 0, 2, 8]
    """
    kind = 0
    n = 0  # all kinds are looked at: a way out that cannot be foreseen costs a processor more
    for k in range(N_COLORS):
        n += pile[k]
        kind += int(number >= n)
    return kind


@compiled
def draw_card(pile: Ints, stream: Ints) -> int:
    """
    Remove a random card from a pile and return its kind.

    Parameters
    ----------
    pile
        Cards of the pile, not none.
    stream
        Random stream, as in `ttr_analysis.rules.chance`; moved on.

    Examples
    --------
    >>> import numpy as np
    >>> pile = np.array([0, 0, 3, 0, 0, 0, 0, 0, 0])
    >>> int(draw_card(pile, np.array([1, 2, 3, 4]))), pile.tolist()
    (2, [0, 0, 2, 0, 0, 0, 0, 0, 0])
    """
    kind = kind_at(pile, below(stream, count_cards(pile)))
    pile[kind] -= 1
    return kind
