"""Numbers, names and lists in words, for messages, pictures, pages and widgets."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

# -- numbers -------------------------------------------------------------------------------------------------------

_MINUS: Final = "\N{MINUS SIGN}"


def number(value: float, digits: int = 0, *, sign: bool = False) -> str:
    """
    Return a number with at most `digits` decimals, thousands separated, and a true minus sign.

    Examples
    --------
    >>> number(3.0, 1), number(-2.345, 2), number(1234567), number(0.5, 1, sign=True)
    ('3', '−2.35', '1,234,567', '+0.5')
    """
    text = f"{value:{'+' if sign else ''},.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", "+0"} else text.replace("-", _MINUS)


def percent(share: float, digits: int | None = 0) -> str:
    """
    Return a share as a percentage. A share below 1 is never rounded to 100%, nor one above 0 to 0%.

    With `digits=None`, shares below 1%, and those of 99% or more, get one decimal; others, and 0 and 1, none.
    A difference of shares may be negative.

    >>> percent(0.4415), percent(0.4415, 1), percent(0.998), percent(1.0), percent(0.0004, 1), percent(-0.126)
    ('44%', '44.1%', '>99%', '100%', '<0.1%', '−13%')
    >>> percent(0.857, None), percent(0.9921, None), percent(0.99999, None), percent(0.0004, None)
    ('86%', '99.2%', '>99.9%', '<0.1%')
    """
    if digits is None:
        digits = 0 if share in {0.0, 1.0} or 0.01 <= share < 0.99 else 1  # noqa: PLR2004
    text = f"{100 * share:z.{digits}f}%"
    if 0 < share < 1:
        if text == f"{0:.{digits}f}%":
            return f"<{10.0**-digits:.{digits}f}%"
        if text == f"{100:.{digits}f}%":
            return f">{100 - 10.0**-digits:.{digits}f}%"
    return text.replace("-", _MINUS)


def percentage_points(difference: float, digits: int = 0) -> str:
    """
    Return a difference of shares in percentage points, with its sign.

    >>> percentage_points(0.126), percentage_points(-0.0151, 1), percentage_points(0.004)
    ('+13', '−1.5', '0')
    """
    return number(100 * difference, digits, sign=True)


def point_drop(before: float, after: float) -> int:
    """
    Return by how many percentage points a share drops, both rounded to whole points.

    >>> percent(0.847), percent(0.625), point_drop(0.847, 0.625)
    ('85%', '62%', 23)
    """
    return round(100 * before) - round(100 * after)


def counted(n: int | str, noun: str, plural: str = "") -> str:
    """
    Return a number with its noun; give `plural` if it is not formed with a plain "s".

    >>> counted(1, "card"), counted(3, "city", "cities"), counted("1.25", "train"), counted("no", "bonus", "bonuses")
    ('1 card', '3 cities', '1.25 trains', 'no bonuses')
    >>> counted(20000, "game")
    '20,000 games'
    """
    return f"{n if isinstance(n, str) else format(n, ',')} {noun if str(n) == '1' else plural or noun + 's'}"


# -- lists and names -----------------------------------------------------------------------------------------------


def listed(items: Iterable[str], word: str = "and") -> str:
    """
    Join items into an English list.

    >>> listed(["3 red", "2 blue", "1 locomotive"]), listed(["Oslo", "Bergen"], "or"), listed([])
    ('3 red, 2 blue and 1 locomotive', 'Oslo or Bergen', '')
    """
    *first, last = [*items] or [""]
    return f"{', '.join(first)} {word} {last}" if first else last


_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def isolate(name: str) -> str:
    """
    Return a name, isolated if it is written right to left, so that the words around it keep their order.

    >>> isolate("Oslo"), len(isolate("תל אביב"))
    ('Oslo', 9)
    """
    if any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in name):
        return f"{_ISOLATE}{name}{_END}"
    return name


def between(ends: Iterable[str]) -> str:
    """
    Return the two ends of a route or ticket as one name.

    >>> between(["Bergen", "Oslo"])
    'Bergen – Oslo'
    """
    return " – ".join(map(isolate, ends))


def with_names(text: str, names: Sequence[str]) -> str:
    """
    Replace P0, P1 and so on in `text` with the players' names: see `seat_names`.

    >>> with_names("P0 acts now, not P1", ["Ida", ""])
    'Ida acts now, not P1'
    >>> with_names("P0 acts now, not P1", ["Greedy", "Greedy"])
    'Greedy (P0) acts now, not Greedy (P1)'
    """
    shown = seat_names(names)
    return re.sub(r"\bP(\d+)\b", lambda seat: shown[int(seat[1])] if int(seat[1]) < len(shown) else seat[0], text)


def seat_names(names: Sequence[str]) -> list[str]:
    """
    Return a name for each seat: its player's, with the seat added if two players have the same name.

    >>> seat_names(["Ida", "Greedy", "Greedy", ""])
    ['Ida', 'Greedy (P1)', 'Greedy (P2)', 'P3']
    """
    count = Counter(names)
    return [
        f"P{seat}" if not name else name if count[name] == 1 else f"{name} (P{seat})" for seat, name in enumerate(names)
    ]


# -- cells of spreadsheets -----------------------------------------------------------------------------------------

_FORMULA_STARTS = ("=", "+", "-", "@")
_CELL_STARTS = ("\t", "\r", "\n")


def safe_cell(text: str) -> str:
    r"""
    Escape text so that spreadsheets do not read it as a formula.

    Text that begins with the sign of a formula, in any width, or with a character
    that spreadsheets skip before one, gets an apostrophe before it.

    >>> safe_cell("=1+1"), safe_cell("Oslo"), ascii(safe_cell("\N{FULLWIDTH EQUALS SIGN}1"))
    ("'=1+1", 'Oslo', '"\'\\uff1d1"')
    """
    begins = unicodedata.normalize("NFKC", text.lstrip()[:1])
    return f"'{text}" if begins in _FORMULA_STARTS or text.startswith(_CELL_STARTS) else text
