"""Numbers and lists of things in words, for messages, pictures, pages and widgets."""

from __future__ import annotations

from collections.abc import Iterable


def counted(n: int | str, noun: str, plural: str = "") -> str:
    """
    Return a number of things.

    Parameters
    ----------
    n
        How many; a number that is not whole, or "no", as text.
    noun
        What they are.
    plural
        What several of them are; by default with an "s".

    Examples
    --------
    >>> counted(1, "card"), counted(3, "city", "cities"), counted("1.25", "train"), counted("no", "bonus", "bonuses")
    ('1 card', '3 cities', '1.25 trains', 'no bonuses')
    """
    return f"{n} {noun if str(n) == '1' else plural or noun + 's'}"


def listed(items: Iterable[str], word: str = "and") -> str:
    """
    Return a list of things.

    Examples
    --------
    >>> listed(["3 red", "2 blue", "1 locomotive"]), listed(["Oslo", "Bergen"], "or"), listed([])
    ('3 red, 2 blue and 1 locomotive', 'Oslo or Bergen', '')
    """
    *first, last = [*items] or [""]
    return f"{', '.join(first)} {word} {last}" if first else last
