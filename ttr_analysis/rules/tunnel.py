"""
The surcharge of a tunnel, on integers and small arrays.

The player lays down cards for the spaces; then the top cards of the draw pile are
turned over. Each card that *matches*, because it has the color played or is a
locomotive, costs one more card, paid in that color or, where they are wild, in
locomotives. If only locomotives were laid down, only locomotives match and pay.

The *color played* is 0 to 7, or 8 (`LOCOMOTIVE_INDEX`) for locomotives alone.
Cards are nine counts, as in `CARD_KINDS`.
"""

from __future__ import annotations

from ttr_analysis._compile import Ints, compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS


@compiled
def color_played(cards: Ints) -> int:
    """
    Return the color played, given a legal payment without sets.

    >>> int(color_played(np.array([0, 0, 0, 0, 2, 0, 0, 0, 1])))
    4
    >>> int(color_played(np.array([0, 0, 0, 0, 0, 0, 0, 0, 2])))
    8
    """
    for c in range(N_COLORS):
        if cards[c] > 0:
            return c
    return LOCOMOTIVE_INDEX


@quickly_compiled
def matching_cards(cards: Ints, color: int) -> int:
    """
    Count the cards, turned over or in a pile, that match the color played.

    One green card and one locomotive, for green and for locomotives alone:

    >>> revealed = np.array([0, 0, 0, 0, 1, 0, 1, 0, 1])
    >>> int(matching_cards(revealed, 4)), int(matching_cards(revealed, 8))
    (2, 1)
    """
    if color == LOCOMOTIVE_INDEX:
        return int(cards[LOCOMOTIVE_INDEX])
    return int(cards[color] + cards[LOCOMOTIVE_INDEX])


@quickly_compiled
def spare_cards(left: Ints, color: int, jokers: int) -> int:
    """
    Return the number of cards left in the hand that can pay a surcharge.

    `jokers` is 1 if locomotives are wild on the route, else 0.

    Examples
    --------
    >>> int(spare_cards(np.array([5, 0, 0, 0, 1, 0, 0, 0, 2]), 4, 1))
    3
    """
    if color == LOCOMOTIVE_INDEX:
        return int(left[LOCOMOTIVE_INDEX])
    return int(left[color] + (left[LOCOMOTIVE_INDEX] if jokers else 0))


@compiled
def pays_surcharge(cards: Ints, color: int, jokers: int, surcharge: int) -> bool:
    """
    Return whether cards pay a surcharge exactly.

    A surcharge of two in green: one green card and one locomotive.

    >>> bool(pays_surcharge(np.array([0, 0, 0, 0, 1, 0, 0, 0, 1]), 4, 1, 2))
    True
    """
    return bool(cards.sum() == surcharge and spare_cards(cards, color, jokers) == surcharge)


@quickly_compiled
def n_turned_over(n_pile: int, n_discards: int, revealed: int) -> int:
    """
    Return the number of cards turned over: `revealed`, or fewer if the piles hold fewer.

    When the draw pile is empty, the discard pile is shuffled, without the cards laid
    down.

    >>> int(n_turned_over(1, 1, 3)), int(n_turned_over(2, 40, 3))
    (2, 3)
    """
    return min(revealed, n_pile + n_discards)


@compiled
def match_probability(n_matches: int, matching: int, unseen: int, revealed: int) -> float:
    """
    Return the hypergeometric probability of exactly `n_matches` matches.

    Of `unseen` cards, `matching` match and `revealed` are turned over.

    >>> round(match_probability(0, 26, 110, 3), 4)
    0.4415
    """
    if n_matches < 0 or n_matches > revealed:
        return 0.0
    p = 1.0
    for i in range(revealed):
        if i < n_matches:
            p *= (matching - i) * (revealed - i) / ((i + 1) * (unseen - i))
        else:
            p *= max(0, unseen - matching - (i - n_matches)) / (unseen - i)
    return max(p, 0.0)


@compiled
def claim_probability(
    spare: int,
    matching: int,
    unseen: int,
    n_pile: int,
    matching_discards: int,
    n_discards: int,
    revealed: int,
) -> float:
    """
    Return the probability that the spare cards in a hand can pay the surcharge.

    Of `unseen` cards, `n_pile` are in the draw pile, and `matching` match. If it runs out, the
    `n_discards` discards without the cards laid down are shuffled, `matching_discards` of which
    match. `revealed` cards are turned over.

    One spare card, with a fresh deck; and with a pile of one card and two discards
    that both match:

    >>> round(claim_probability(1, 26, 110, 110, 0, 0, 3), 4)
    0.8615
    >>> round(claim_probability(1, 26, 110, 1, 2, 2, 3), 4)
    0.0
    """
    from_pile = min(revealed, n_pile)
    from_discards = n_turned_over(n_pile, n_discards, revealed) - from_pile
    total = 0.0
    for a in range(from_pile + 1):
        p = match_probability(a, matching, unseen, from_pile)
        for b in range(min(from_discards, spare - a) + 1):
            total += p * match_probability(b, matching_discards, n_discards, from_discards)
    return min(total, 1.0)
