"""
What a study consists of: sections of sentences, figures, tables and pictures.

Plain data without any markup, so that the page, the CSV files and the tests
read the same thing. Names from a map are text like any other until the page
escapes them; `name` marks them so that a name written from right to left does
not turn the sentence around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

NAME_BEGINS, NAME_ENDS = "\u2068", "\u2069"
"""First-strong isolate and its end: what stands between has a direction of its own."""

_BIDI_CONTROLS = {ord(c): "\N{REPLACEMENT CHARACTER}" for c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}

Kind: TypeAlias = Literal["text", "color", "number", "percent"]


@dataclass(frozen=True, slots=True)
class Column:
    """
    A column of a table, with its definition.

    Parameters
    ----------
    key
        Its name in the CSV file.
    label
        Its heading on the page.
    meaning
        What it is, with its unit.
    kind
        "text" (names too), "color" of cards, "number", or "percent" (a
        probability between 0 and 1, shown as a percentage).
    digits
        Decimals shown; the CSV file has more.
    bar
        Whether a bar behind the number shows its size.
    wide
        Whether its texts are long.
    """

    key: str
    label: str
    meaning: str
    kind: Kind = "number"
    digits: int = 0
    bar: bool = False
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """
    A table, on the page and as a CSV file.

    Parameters
    ----------
    name
        Name of the file, without its ending.
    title
        What it shows.
    frame
        The values; columns that are not described are left out.
    columns
        The columns, in order. Those that the frame lacks are left out.
    n_shown
        Rows shown at first; 0 for all.
    n_page
        Rows on the page at most, where the file has more; 0 for all.
    note
        A remark below it.
    """

    name: str
    title: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    n_shown: int = 0
    n_page: int = 0
    note: str = ""

    @property
    def shown_columns(self) -> tuple[Column, ...]:
        """The columns that there are."""
        return tuple(column for column in self.columns if column.key in self.frame.columns)


@dataclass(frozen=True, slots=True)
class Picture:
    """
    A picture.

    Parameters
    ----------
    data
        The file, for light paper.
    mime
        "image/svg+xml" or "image/png".
    alt
        What it shows, in words, for those who do not see it.
    caption
        What it shows.
    dark
        The file for a dark screen, if it differs.
    wide
        Whether it takes the whole width.
    """

    data: bytes
    mime: str
    alt: str
    caption: str
    dark: bytes | None = None
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """
    A picture that is part of the page, so that parts of it can say what they are.

    Parameters
    ----------
    svg
        One `svg` element in which all texts are escaped.
    caption
        What it shows.
    """

    svg: str
    caption: str


@dataclass(frozen=True, slots=True)
class Figures:
    """
    Key figures.

    Parameters
    ----------
    items
        Value as text, and what it is.
    """

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Points:
    """A list of short remarks, or of terms with what they mean."""

    items: tuple[str | tuple[str, str], ...]


Block: TypeAlias = Words | Heading | Points | Figures | Table | Picture | Drawing


@dataclass(frozen=True, slots=True)
class Section:
    """
    A section of the study.

    Parameters
    ----------
    id
        Its anchor.
    title
        Its heading.
    lead
        What its numbers show, in one or two sentences.
    blocks
        What it consists of.
    """

    id: str
    title: str
    lead: str
    blocks: tuple[Block, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """Its tables."""
        return tuple(block for block in self.blocks if isinstance(block, Table))


# -- words -----------------------------------------------------------------------


def name(text: object) -> str:
    """
    Return a name from a map, marked as text with a direction of its own.

    Examples
    --------
    >>> name("Oslo") == NAME_BEGINS + "Oslo" + NAME_ENDS
    True
    """
    return f"{NAME_BEGINS}{str(text).translate(_BIDI_CONTROLS)}{NAME_ENDS}"


def plain(text: str) -> str:
    """
    Return a text without the marks of `name`.

    Examples
    --------
    >>> plain(f"to {name('Oslo')}")
    'to Oslo'
    """
    return text.replace(NAME_BEGINS, "").replace(NAME_ENDS, "")


def number(value: float, digits: int = 0) -> str:
    """
    Return a number as people read it: no needless zeros, a true minus sign.

    Examples
    --------
    >>> number(3.0, 1), number(-2.345, 2), number(1234567)
    ('3', '−2.35', '1,234,567')
    """
    text = f"{value:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text.replace("-", "\N{MINUS SIGN}")


def percent(probability: float, digits: int = 0) -> str:
    """
    Return a probability as a percentage.

    Examples
    --------
    >>> percent(0.4415), percent(0.4415, 1), percent(0.998), percent(1.0)
    ('44%', '44.1%', '>99%', '100%')
    """
    text = f"{100 * probability:.{digits}f}%"
    if probability > 0 and text == f"{0:.{digits}f}%":
        return f"<{10.0**-digits:.{digits}f}%"
    if probability < 1 and text == f"{100:.{digits}f}%":
        return f">{100 - 10.0**-digits:.{digits}f}%"
    return text
