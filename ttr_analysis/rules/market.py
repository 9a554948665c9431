"""The face-up cards: the definition of their rules, on integers."""

from __future__ import annotations

from ttr_analysis._jit import inlined


@inlined
def is_reset_due(
    n_open: int, n_locomotives: int, n_colored: int, size: int, reset_at: int, reset_needs_colored: int
) -> bool:
    """
    Return whether all face-up cards are to be replaced.

    Parameters
    ----------
    n_open
        Cards that lie face up.
    n_locomotives
        Locomotives among them.
    n_colored
        Cards that are no locomotives, in market, draw and discard piles
        together.
    size, reset_at, reset_needs_colored
        Fields of the rule set's `market`.

    Examples
    --------
    >>> bool(is_reset_due(5, 3, 60, 5, 3, 3)), bool(is_reset_due(5, 3, 2, 5, 3, 3))
    (True, False)
    """
    return 0 < reset_at <= n_locomotives and n_open == size and n_colored >= reset_needs_colored


@inlined
def may_take_face_up(is_locomotive: int, n_taken: int, locomotive_cost: int) -> bool:
    """
    Return whether a face-up card may be taken now.

    Parameters
    ----------
    is_locomotive
        1 if it is a locomotive, else 0.
    n_taken
        Cards taken before in this turn.
    locomotive_cost
        Draws that a face-up locomotive costs.

    Examples
    --------
    A locomotive as the second card, where it costs two draws:

    >>> bool(may_take_face_up(1, 1, 2)), bool(may_take_face_up(1, 1, 1))
    (False, True)
    """
    return n_taken == 0 or is_locomotive == 0 or locomotive_cost == 1
