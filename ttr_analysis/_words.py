"""Numbers and lists of things in words, for messages, pictures, pages and widgets."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence


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
    >>> counted(20000, "game")
    '20,000 games'
    """
    return f"{n if isinstance(n, str) else format(n, ',')} {noun if str(n) == '1' else plural or noun + 's'}"


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


def with_names(text: str, names: Sequence[str]) -> str:
    """
    Return a text with players in place of their seats.

    Parameters
    ----------
    text
        The text, in which seats are P0, P1 and so on.
    names
        Names of the players, seat by seat; a seat without one stays as it is,
        and where two have the same the seat is told with it.

    Examples
    --------
    >>> with_names("P0 acts now, not P1", ["Ida", ""])
    'Ida acts now, not P1'
    >>> with_names("P0 acts now, not P1", ["Greedy", "Greedy"])
    'Greedy (P0) acts now, not Greedy (P1)'
    """
    twice = {name for name, n in Counter(names).items() if n > 1}
    called = {f"P{seat}": f"{name} (P{seat})" if name in twice else name for seat, name in enumerate(names) if name}
    return re.sub(r"\bP\d+\b", lambda seat: called.get(seat[0], seat[0]), text)


_FORMULA_STARTS = ("=", "+", "-", "@")
_CELL_STARTS = ("\t", "\r", "\n")


def safe_cell(text: str) -> str:
    r"""
    Return a text that no spreadsheet takes for a formula.

    What begins with the sign of a formula, in any width, or with what spreadsheets
    skip before it, gets an apostrophe before it.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell("Oslo"), ascii(safe_cell("\N{FULLWIDTH EQUALS SIGN}1"))
    ("'=1+1", 'Oslo', '"\'\\uff1d1"')
    """
    begins = unicodedata.normalize("NFKC", text.lstrip()[:1])
    return f"'{text}" if begins in _FORMULA_STARTS or text.startswith(_CELL_STARTS) else text
