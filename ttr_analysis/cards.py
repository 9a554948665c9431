"""Train cards: the eight colors, the locomotive, and counted hands of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from ttr_analysis._decoding import Range
from ttr_analysis._errors import UnknownNameError
from ttr_analysis._words import counted

COLORS = ("purple", "blue", "orange", "white", "green", "yellow", "black", "red")
"""The colors of train cards, in the order in which cards are counted."""

LOCOMOTIVE = "locomotive"
"""The wild train card."""

CARD_KINDS = (*COLORS, LOCOMOTIVE)
"""All nine kinds of train card: position k of every vector of card counts."""

GRAY = "gray"
"""The color of a route that cards of any one color may pay for."""

ROUTE_COLORS = (*COLORS, GRAY)
"""The colors a route may have."""

N_COLORS = len(COLORS)
N_KINDS = len(CARD_KINDS)
LOCOMOTIVE_INDEX = N_COLORS
"""Position of the locomotives in a vector of card counts."""


_COUNT = Range()
_OTHER_NAMES = {"pink": "purple", "grey": GRAY, "loco": LOCOMOTIVE, "joker": LOCOMOTIVE, "wild": LOCOMOTIVE}
"""Other names that people use for colors and locomotives: most boards print the purple cards pink."""


def kind_name(what: str, kind: object, allowed: Sequence[str] = CARD_KINDS) -> str:
    """
    Return the name of a color or kind of card among the `allowed`, given any of its usual names.

    `kind` is case-insensitive and may be plural: "pink" is purple, "grey" is gray, "loco" and "locomotives" are
    locomotives. `what` is the word for it in the message.

    >>> kind_name("kind of card", "Pink"), kind_name("color", "grey", ROUTE_COLORS)
    ('purple', 'gray')
    """
    if kind in allowed:
        return str(kind)
    name = str(kind).strip().lower().removesuffix("s")
    name = _OTHER_NAMES.get(name, name)
    if not isinstance(kind, str) or name not in allowed:
        raise UnknownNameError.among(what, kind, allowed)
    return name


def other_names(kind: str) -> list[str]:
    """Return all names of a color or kind of card, its own first."""
    return [kind, *(other for other, meant in _OTHER_NAMES.items() if meant == kind)]


def card_index(kind: str) -> int:
    """Return the position of a kind of card (any name that `kind_name` accepts) in vectors of card counts."""
    try:
        return CARD_KINDS.index(kind)
    except ValueError:
        return CARD_KINDS.index(kind_name("kind of card", kind))


@dataclass(frozen=True, slots=True)
class CardCounts:
    """
    The number of cards of each kind: a hand, a pile, a payment.

    Immutable. Adding and subtracting give new counts; a count below zero is an error.

    Parameters
    ----------
    counts
        Nine numbers of cards, in the order of `CARD_KINDS`.

    Raises
    ------
    ValueError
        If there are not nine counts, or one is not a whole number of 0 or more.

    Examples
    --------
    >>> hand = CardCounts.of(green=7, locomotive=1)
    >>> hand.n_cards, hand["green"], hand["red"]
    (8, 7, 0)
    >>> hand - CardCounts.of(green=2)
    CardCounts.of(green=5, locomotive=1)
    """

    counts: tuple[int, ...] = (0,) * N_KINDS

    def __post_init__(self) -> None:
        if len(self.counts) != N_KINDS:
            raise ValueError(f"card counts are {N_KINDS} numbers ({', '.join(CARD_KINDS)}), got {len(self.counts)}")
        if type(self.counts) is tuple and all(type(count) is int and count >= 0 for count in self.counts):
            return  # the usual case, in a tenth of the time, since counts are made very often
        checked = (
            _COUNT.check(n, f"the number of {kind} cards") for kind, n in zip(CARD_KINDS, self.counts, strict=True)
        )
        object.__setattr__(self, "counts", tuple(checked))

    @classmethod
    def of(
        cls,
        *,
        purple: int = 0,
        blue: int = 0,
        orange: int = 0,
        white: int = 0,
        green: int = 0,
        yellow: int = 0,
        black: int = 0,
        red: int = 0,
        locomotive: int = 0,
    ) -> Self:
        """
        Return the counts given by name; the other kinds have none.

        Examples
        --------
        >>> CardCounts.of(red=2).counts
        (0, 0, 0, 0, 0, 0, 0, 2, 0)
        """
        return cls((purple, blue, orange, white, green, yellow, black, red, locomotive))

    @classmethod
    def coerce(cls, cards: CardCounts | Mapping[str, int] | Iterable[str]) -> CardCounts:
        """
        Return card counts from card counts, a mapping of kind to count, or the kinds one by one.

        Parameters
        ----------
        cards
            A hand, in any of these forms.

        Raises
        ------
        UnknownNameError
            If a kind of card does not exist.
        ValueError
            If a count is not a whole number of 0 or more.

        Examples
        --------
        >>> CardCounts.coerce({"green": 7, "locomotive": 1})
        CardCounts.of(green=7, locomotive=1)
        >>> CardCounts.coerce(["red", "red", "locomotive"])
        CardCounts.of(red=2, locomotive=1)
        """
        if isinstance(cards, CardCounts):
            return cards
        if isinstance(cards, str):
            raise TypeError(
                f"expected card counts, a mapping such as {{'green': 7}} or a list of cards, got the text {cards!r}"
            )
        counts = [0] * N_KINDS
        if isinstance(cards, Mapping):
            for kind, count in cards.items():
                at = card_index(kind)
                # a kind may be given under several names
                counts[at] += _COUNT.check(count, f"the number of {CARD_KINDS[at]} cards")
        else:
            for kind in cards:
                counts[card_index(kind)] += 1
        return cls(tuple(counts))

    @property
    def n_cards(self) -> int:
        """Number of cards in all."""
        return sum(self.counts)

    @property
    def locomotives(self) -> int:
        """Number of locomotives."""
        return self.counts[LOCOMOTIVE_INDEX]

    def __getitem__(self, kind: str) -> int:
        return self.counts[card_index(kind)]

    def __iter__(self) -> Iterator[int]:
        return iter(self.counts)

    def __add__(self, other: CardCounts) -> CardCounts:
        if not isinstance(other, CardCounts):
            return NotImplemented
        return CardCounts(tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)))

    def __sub__(self, other: CardCounts) -> CardCounts:
        if not isinstance(other, CardCounts):
            return NotImplemented
        if not other <= self:
            missing = [
                f"{b - a} {kind}" for kind, a, b in zip(CARD_KINDS, self.counts, other.counts, strict=True) if b > a
            ]
            raise ValueError(f"cannot take {other} from {self}: {', '.join(missing)} too few")
        return CardCounts(tuple(a - b for a, b in zip(self.counts, other.counts, strict=True)))

    def __contains__(self, kind: str) -> bool:
        return self[kind] > 0

    def __le__(self, other: CardCounts) -> bool:
        if not isinstance(other, CardCounts):
            return NotImplemented
        return all(a <= b for a, b in zip(self.counts, other.counts, strict=True))

    def as_dict(self) -> dict[str, int]:
        """
        Return the counts above 0, by kind.

        Examples
        --------
        >>> CardCounts.of(red=2, locomotive=1).as_dict()
        {'red': 2, 'locomotive': 1}
        """
        return {kind: count for kind, count in zip(CARD_KINDS, self.counts, strict=True) if count}

    def __str__(self) -> str:
        return ", ".join(each_kind(self)) or "no cards"

    def __repr__(self) -> str:
        inside = ", ".join(f"{kind}={count}" for kind, count in self.as_dict().items())
        return f"CardCounts.of({inside})"


def each_kind(counts: Iterable[int]) -> list[str]:
    """
    Return how many cards there are of each kind, in words; a tenth number counts unknown cards.

    >>> each_kind(CardCounts.of(red=3, locomotive=2)), each_kind([0] * N_KINDS + [1])
    (['3 red', '2 locomotives'], ['1 unknown card'])
    """
    *colors, locomotives, unknown = [*counts, 0][: N_KINDS + 1]
    words = [f"{n} {color}" for n, color in zip(colors, COLORS, strict=True) if n]
    words += [counted(locomotives, LOCOMOTIVE)] if locomotives else []
    return words + ([counted(unknown, "unknown card")] if unknown else [])


FULL_DECK = CardCounts((12,) * N_COLORS + (14,))
"""The 110 train cards of every built-in map: 12 of each color and 14 locomotives."""
