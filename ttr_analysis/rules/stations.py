"""Stations: what one costs, and whose routes it lends; the definition, on integers."""

from __future__ import annotations

from ttr_analysis._compile import compiled
from ttr_analysis.rules.payment import Spaces


@compiled
def station_spaces(cost: int, jokers: int) -> Spaces:
    """
    Return the spaces of a station, those of a plain gray route of `cost` cards.

    >>> station_spaces(2, 1)
    Spaces(plain=2, symbols=0, jokers=1, swap_size=0, swap_any=0)
    """
    return Spaces(cost, 0, jokers, 0, 0)


@compiled
def is_lent(owner: int, seat: int, neutral: int, lends_neutral: int) -> bool:
    """
    Return whether a player's station can lend the routes of an owner (below 0: nobody).

    To player 0: routes of nobody, its own, of player 1, and of the neutral player:

    >>> [bool(is_lent(owner, 0, 6, 1)) for owner in (-1, 0, 1, 6)]
    [False, False, True, True]
    """
    return owner >= 0 and owner != seat and (owner != neutral or lends_neutral != 0)
