"""
The numbers in the text of notebooks: a check expects each of them, and each number that a check expects is in the text.

Checks are the asserts of cells with the tag `checks` and of hidden tests. They compare results with expected numbers,
so a run fails if a result changes. This module compares those numbers with the ones in the text, so a number changed
in the text is found too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

Cell = dict[str, Any]

OUTSIDE = {
    "01_the_map_as_a_graph": {"Dreyfus and Wagner; Euler; Witter and Lyford: years": "1971 1736 2020"},
    "04_which_tickets_to_keep": {"Schaefer and Schaefer: year": "2025"},
    "09_published_results": {
        "[W], [S]: years": "2020 2025",
        "[W]: how many tickets won more often than not, in how many games": "13 10000",
        "[E]: wins of the first seat, with two and with four players": "50.7 26.4",
    },
    "12_are_the_experts_right": {
        "statistics of a large site, Europe: the top ranks": "1.9 2.2 76 79 3.5 3.8 2.1 2.3",
        "the same: all players": "4.0 62 3.0 2.7",
    },
}
"""By notebook, the numbers that no cell can compute, with their sources."""

NO_PROSE = re.compile(r"```.*?```|`[^`]*`|</?[a-zA-Z][^>]*>", re.DOTALL)
"""Code and markup in text."""
LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")
FORMULA = re.compile(r"\$\$?[^$]+\$\$?")
COUNTED = re.compile(r"^#+ (\d+)\.|\*\*Exercise (\d+)\.\*\*", re.MULTILINE)
"""The numbers of sections and of exercises."""
PROSE_NUMBER = re.compile(r"(?<![\w.,/])\d+(?:,\d{3})*(?:\.\d+)?")
NUMBER = re.compile(r"\d+(?:[,_]\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?")
SHARES = re.compile(r"%|percent|\b100\b")
"""Found in a paragraph that gives percentages."""
CARDINALS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
IN_WORDS = {word: n for words in (CARDINALS, ORDINALS) for n, word in enumerate(words.split(), start=1)}
IN_WORDS |= {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
OBVIOUS = {0.0, 1.0}
"""Numbers that a check may expect although no text quotes them."""
HUNDRED = 100.0
"""A number that text may have without a check: "18 of 100 games"."""


class Quote(NamedTuple):
    """A number in a text."""

    value: float
    decimals: int
    is_share: bool
    """Whether it may be a share in percent."""
    words: str

    def matches(self, number: float) -> bool:
        """Return whether a text with this number quotes another, which may have more decimals."""
        if self.value == round(number, self.decimals):
            return True
        places = self.decimals + 2
        return self.is_share and number <= 1 and round(self.value / 100, places) == round(number, places)


def wrong_numbers(notebook: dict[str, Any], name: str = "") -> list[str]:
    """
    Return what is wrong with the numbers in the texts of a notebook.

    Parameters
    ----------
    notebook
        As it is stored. Numbers checked before its first section may be quoted anywhere.
    name
        Its name, for `OUTSIDE`.
    """
    sections: list[list[Cell]] = [[]]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and _text(cell).startswith(("## ", "### ")):
            sections.append([])
        sections[-1].append(cell)
    in_code = {n for cell in notebook["cells"] if cell["cell_type"] == "code" for n in _numbers(_text(cell))}
    quotes = [_quotes(section, in_code) for section in sections]
    checked = [[n for cell in section if _is_check(cell) for n in expected(_text(cell))] for section in sections]
    anywhere = {*checked[0], *_numbers(" ".join(OUTSIDE.get(name, {}).values()))}

    found = [*_miscounted(notebook["cells"])]
    for numbers, quoted in zip(checked, quotes, strict=True):
        known = anywhere.union(numbers)
        found += [f"no check expects the number in {quote.words!r}" for quote in quoted if not _is_known(quote, known)]
    for section, numbers, quoted in zip(sections, checked, quotes, strict=True):
        is_first = section is sections[0]
        texts = notebook["cells"] if is_first else section
        some = [quote for part in quotes for quote in part] if is_first else quoted
        found += _unquoted(numbers, [*some, *_in_words(texts)])
    return found


def expected(source: str) -> list[float]:
    """Return the numbers with which the asserts of a cell compare results."""
    asserts = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert))
    return [number for node in asserts for number in _compared(node.test)]


def _compared(node: ast.expr) -> Iterator[float]:
    """Yield the numbers that stand alone on a side of a comparison, or in a list there: not those of an expression."""
    match node:
        case ast.BoolOp(values=parts):
            for part in parts:
                yield from _compared(part)
        case ast.Compare(left=left, comparators=others):
            for part in (left, *others):
                yield from _literal(part)
        case ast.Call(func=ast.Attribute(attr="isclose" | "allclose"), args=parts):
            for part in parts:
                yield from _literal(part)


def _literal(node: ast.expr | None) -> Iterator[float]:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            yield abs(float(number))
        case ast.Constant(value=str() as text):
            yield from _numbers(text)
        case ast.UnaryOp(operand=operand):
            yield from _literal(operand)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            for part in parts:
                yield from _literal(part)
        case ast.Dict(keys=keys, values=values):
            for entry in (*keys, *values):
                yield from _literal(entry)


def _is_check(cell: Cell) -> bool:
    is_tagged = "checks" in cell["metadata"].get("tags", [])
    return cell["cell_type"] == "code" and (is_tagged or "BEGIN HIDDEN TESTS" in _text(cell))


def _text(cell: Cell) -> str:
    return "".join(cell["source"])


def _numbers(text: str) -> set[float]:
    return {float(number.replace(",", "").replace("_", "")) for number in NUMBER.findall(text)}


def _quotes(cells: list[Cell], in_code: set[float]) -> list[Quote]:
    """Return the numbers in the text, without those that count sections or exercises, and those in links and code."""
    texts = (_text(cell) for cell in cells if cell["cell_type"] == "markdown")
    return [quote for text in texts for part in _prose(text, in_code).split("\n\n") for quote in _in_digits(part)]


def _prose(text: str, in_code: set[float]) -> str:
    """Return text without code, links whose text repeats their target, and formulas made of numbers in the code."""
    prose = NO_PROSE.sub(" ", COUNTED.sub(" ", text))
    prose = LINK.sub(lambda link: " " if _numbers(link[1]) <= _numbers(link[2]) else link[1], prose)
    return FORMULA.sub(lambda formula: " " if _numbers(formula[0]) <= in_code else formula[0], prose)


def _in_digits(paragraph: str) -> Iterator[Quote]:
    is_share = bool(SHARES.search(paragraph))
    for found in PROSE_NUMBER.finditer(paragraph):
        [value] = _numbers(found[0])
        words = " ".join(paragraph[max(0, found.start() - 30) : found.end() + 10].split())
        yield Quote(value, len(found[0].partition(".")[2]), is_share, words)


def _in_words(cells: list[Cell]) -> list[Quote]:
    """Return the numbers that the text spells out."""
    text = " ".join(_text(cell) for cell in cells if cell["cell_type"] == "markdown").lower()
    return [
        Quote(IN_WORDS[word], decimals=0, is_share=False, words=word)
        for word in re.findall(r"[a-z]+", text)
        if word in IN_WORDS
    ]


def _is_known(quote: Quote, checked: Collection[float]) -> bool:
    return quote.value == HUNDRED or any(map(quote.matches, checked))


def _unquoted(numbers: list[float], quotes: list[Quote]) -> Iterator[str]:
    for number in numbers:
        if number not in OBVIOUS and not any(quote.matches(number) for quote in quotes):
            yield f"no text of the section has {number:g}, which a check expects"


def _miscounted(cells: list[Cell]) -> Iterator[str]:
    """Yield faults in the numbers of sections and exercises."""
    found = [match for cell in cells if cell["cell_type"] == "markdown" for match in COUNTED.finditer(_text(cell))]
    for group in (1, 2):
        counted = [int(match[group]) for match in found if match[group]]
        if counted != list(range(1, len(counted) + 1)):
            yield f"sections or exercises are not counted from 1: {counted}"
