"""
Tolls and loans: the definition, on integers and small arrays.

Money is the value of a seat's toll tokens; making change is free. The bank takes
part without limits. A loan gives a player nothing: the player keeps the tokens,
and the bank pays whoever was to get the toll.
"""

from __future__ import annotations

from typing import Final

from ttr_analysis._compile import Ints, compiled

BANK: Final = -1
"""The bank as a payer or payee."""


@compiled
def transfer(tokens: Ints, payer: int, payee: int, amount: int) -> None:
    """
    Move money from one party to another, each a seat or `BANK`. All money moves through this function.

    >>> tokens = np.array([30, 30])
    >>> transfer(tokens, 0, 1, 4)
    >>> transfer(tokens, 1, BANK, 3)
    >>> tokens.tolist()
    [26, 31]
    """
    if payer != BANK:
        tokens[payer] -= amount
    if payee != BANK:
        tokens[payee] += amount


@compiled
def toll_payee(twin_owner: int, n_seats: int, pays_owner: int) -> int:
    """
    Return who gets the toll of a route whose other track has an owner.

    `pays_owner` is 1 if the toll of a second track goes to the owner of the first.

    The first track was claimed by seat 1, by nobody, by the neutral player:

    >>> [int(toll_payee(owner, 2, 1)) for owner in (1, -1, 6)]
    [1, -1, -1]
    """
    if pays_owner and 0 <= twin_owner < n_seats:
        return twin_owner
    return BANK


@compiled
def can_settle(tokens: Ints, loans: Ints, payer: int, toll: int, loan_limit: int) -> bool:
    """
    Return whether a player can pay a toll or take a loan for it.

    `loan_limit` is the number of loan cards in the game, 0 for no limit.

    The only loan card is taken:

    >>> tokens, loans = np.array([2, 3]), np.array([1, 0])
    >>> bool(can_settle(tokens, loans, 1, 3, 1)), bool(can_settle(tokens, loans, 1, 4, 1))
    (True, False)
    """
    return bool(tokens[payer] >= toll or loan_limit == 0 or loans.sum() < loan_limit)


@compiled
def settle_toll(tokens: Ints, loans: Ints, payer: int, payee: int, toll: int) -> int:
    """
    Pay the toll of a claimed route, or take a loan; return the number of loans taken, 0 or 1.

    A loan is taken only if the tokens do not cover the whole toll, and then the
    player pays nothing, not even a part.

    A toll equal to the tokens left is paid; for the next one, the bank pays the owner:

    >>> tokens, loans = np.array([4, 10]), np.array([0, 0])
    >>> int(settle_toll(tokens, loans, 0, 1, 4)), tokens.tolist()
    (0, [0, 14])
    >>> int(settle_toll(tokens, loans, 0, 1, 2)), tokens.tolist(), loans.tolist()
    (1, [0, 16], [1, 0])
    """
    if tokens[payer] >= toll:
        transfer(tokens, payer, payee, toll)
        return 0
    loans[payer] += 1
    transfer(tokens, BANK, payee, toll)
    return 1
