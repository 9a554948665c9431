"""What a network costs, packed into one number so that comparing numbers compares networks."""

from __future__ import annotations

from typing import Final, NamedTuple

UNREACHABLE: Final = 1 << 60
"""The cost of what cannot be done; three of them still add up within int64."""

_OWNED_BITS: Final = 10
_SPECIAL_BITS: Final = 10
_TOLL_BITS: Final = 14
_ROUTE_BITS: Final = 10
_SPECIAL_SHIFT: Final = _OWNED_BITS
_TOLL_SHIFT: Final = _SPECIAL_SHIFT + _SPECIAL_BITS
_ROUTE_SHIFT: Final = _TOLL_SHIFT + _TOLL_BITS
TRAIN_SHIFT: Final = _ROUTE_SHIFT + _ROUTE_BITS
"""A packed cost shifted right by so many bits is its trains."""


class PackedCost(NamedTuple):
    """
    What a network costs, in the order in which costs are compared.

    Parameters
    ----------
    trains
        Trains still to place.
    routes
        Routes still to claim.
    toll
        Tokens for them.
    special
        Tunnels and ferries among them, which may want more cards.
    owned
        Routes already owned that the network uses.

    Examples
    --------
    >>> PackedCost.unpack(PackedCost(9, 2, 3, 1, 0).pack())
    PackedCost(trains=9, routes=2, toll=3, special=1, owned=0)
    >>> PackedCost(9, 2, 3, 1, 0).pack() < PackedCost(9, 3, 0, 0, 0).pack()
    True
    """

    trains: int
    routes: int
    toll: int
    special: int
    owned: int

    def pack(self) -> int:
        """Return the cost as one number."""
        return (
            (self.trains << TRAIN_SHIFT)
            + (self.routes << _ROUTE_SHIFT)
            + (self.toll << _TOLL_SHIFT)
            + (self.special << _SPECIAL_SHIFT)
            + self.owned
        )

    @classmethod
    def unpack(cls, cost: int) -> PackedCost:
        """Return the parts of a packed cost."""
        return cls(
            trains=cost >> TRAIN_SHIFT,
            routes=(cost >> _ROUTE_SHIFT) & ((1 << _ROUTE_BITS) - 1),
            toll=(cost >> _TOLL_SHIFT) & ((1 << _TOLL_BITS) - 1),
            special=(cost >> _SPECIAL_SHIFT) & ((1 << _SPECIAL_BITS) - 1),
            owned=cost & ((1 << _OWNED_BITS) - 1),
        )
