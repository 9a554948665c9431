"""Traits that check what they are given, from Python and from the browser alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from traitlets import HasTraits, TraitError, TraitType

from ttr_analysis.cards import CardCounts


class Checked(TraitType[Any, Any]):
    """
    A value as a function returns it, or refuses it with an error that says why.

    Parameters
    ----------
    check
        Called with the owner and the value; returns plain JSON.

    Examples
    --------
    >>> class Holder(HasTraits):
    ...     hand = Checked(cards)
    >>> holder = Holder(hand=["red", "red", "locomotive"])
    >>> holder.hand
    {'red': 2, 'locomotive': 1}
    >>> holder.hand = {"rad": 1}
    Traceback (most recent call last):
    traitlets.traitlets.TraitError: hand: no kind of card 'rad'; did you mean red?
    """

    def __init__(self, check: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.check = check

    def validate(self, obj: HasTraits, value: object) -> object:
        """Return the value as it is kept."""
        try:
            return self.check(obj, value)
        except (LookupError, TypeError, ValueError) as error:
            raise TraitError(f"{self.name}: {error}") from error


def cards(_owner: object, value: Any) -> dict[str, int]:  # noqa: ANN401 - told apart here
    """Return cards by kind, those of which there are any."""
    if not isinstance(value, CardCounts | dict | list | tuple):
        msg = f"expected cards, such as {{'red': 3}}, got {value!r}"
        raise TypeError(msg)
    return CardCounts.coerce(value).as_dict()


def count(_owner: object, value: object) -> int | None:
    """Return a whole number of 0 or more, or None."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    msg = f"expected a whole number of 0 or more, or None, got {value!r}"
    raise ValueError(msg)
