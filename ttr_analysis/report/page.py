"""A study as one self-contained HTML page: no scripts, pictures or fonts from elsewhere."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from ttr_analysis._words import counted, listed
from ttr_analysis.report.document import (
    NAME_BEGINS,
    NAME_ENDS,
    Block,
    Column,
    Drawing,
    Picture,
    Section,
    Table,
    percent,
    plain,
)
from ttr_analysis.studies.findings import Findings
from ttr_analysis.viz.findings import finding_svg
from ttr_analysis.viz.html import Cell, color_swatch, page, table, templates

if TYPE_CHECKING:
    from jinja2 import Environment

MISSING = "\N{EN DASH}"
"""Shown where a number is unknown or does not apply."""


def render_page(
    title: str, subtitle: str, head: Sequence[Block], sections: Sequence[Section], found: Findings | None = None
) -> str:
    """
    Return the page.

    Parameters
    ----------
    title, subtitle
        What is studied, and a line below it.
    head
        Blocks before the first section.
    sections
        The sections, in order.
    found
        What the page opens with.
    """
    values = {"title": title, "subtitle": subtitle, "head": head, "sections": sections, "found": found}
    return page(
        title=f"{plain(title)} – {plain(subtitle)}",
        styles=asset("style.css"),
        body=_templates().get_template("study.html").render(values),
        script=asset("page.js"),
    )


def asset(file: str) -> str:
    """Return the text of a file of the report."""
    return (resources.files("ttr_analysis.report") / "assets" / file).read_text(encoding="utf-8")


@cache
def _templates() -> Environment:
    environment = templates("ttr_analysis.report")
    environment.filters |= {
        "breakable": _breakable,
        "contents": _contents,
        "data_uri": _data_uri,
        "grid": _grid,
        "picture": finding_svg,
        "plain": plain,
        "render": render,
        "rich": rich,
    }
    return environment


def render(block: object) -> Markup:
    """Return a block of a section as HTML."""
    macro = getattr(_templates().get_template("blocks.html").module, type(block).__name__, None)
    if macro is None:
        msg = f"no rendering for {type(block).__name__}"
        raise TypeError(msg)
    return Markup(macro(block))  # noqa: S704 - escaped by the template


def rich(text: str) -> Markup:
    """
    Return a text as HTML, its marked names kept apart in direction.

    Examples
    --------
    >>> from ttr_analysis.report.document import name
    >>> print(rich(f"to {name('<Oslo>')}"))
    to <bdi>&lt;Oslo&gt;</bdi>
    """
    return escape(text).replace(NAME_BEGINS, Markup("<bdi>")).replace(NAME_ENDS, Markup("</bdi>"))


def _breakable(term: str) -> Markup:
    """Return a term as HTML; a key of a file may be broken where its words meet, not within one."""
    return Markup(re.sub(r"([._])(?=[a-z])", r"\1<wbr>", str(rich(term))))  # noqa: S704 - escaped by `rich`


def _contents(blocks: Sequence[Block]) -> str:
    """Return what a section holds, in words."""
    pictures = sum(isinstance(block, Picture | Drawing) for block in blocks)
    tables = sum(isinstance(block, Table) for block in blocks)
    parts = [counted(n, noun) for n, noun in ((pictures, "picture"), (tables, "table")) if n]
    return listed(parts).capitalize() if parts else "Read on"


def _data_uri(data: bytes, mime: str) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"


# -- tables ------------------------------------------------------------------------


def _grid(block: Table) -> Markup:
    """Return the cells of a table."""
    frame = block.frame.head(block.n_page) if block.n_page else block.frame
    columns = [_cells(column, frame[column.key].tolist()) for column in block.shown_columns]
    shown = {"data_shown": str(block.n_shown)} if 0 < block.n_shown < len(frame) else {}
    return table(map(_heading, block.shown_columns), zip(*columns, strict=True), **shown)


def _heading(column: Column) -> Cell:
    kind = "text" if column.kind in ("text", "color") else "number"
    button = Markup('<button type="button">{}</button>').format(rich(column.label))
    return Cell(button, {"class": kind, "title": plain(column.meaning)})


def _cells(column: Column, values: list[object]) -> list[Cell]:
    kind = "number" if column.kind == "percent" else column.kind
    known = [value for value in values if _is_known(value)]
    largest = max((abs(float(str(value))) for value in known), default=0.0) if column.bar else 0.0
    return [_cell(column, value, largest) if _is_known(value) else Cell(MISSING, {"class": kind}) for value in values]


def _is_known(value: object) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _cell(column: Column, value: object, largest: float) -> Cell:
    if column.kind == "color":
        return Cell(color_swatch(str(value)), {"class": "color"})
    if column.kind == "text":
        return Cell(rich(str(value)), {"class": "text wide" if column.wide else "text"})
    number = float(str(value))
    written = percent(number, column.digits) if column.kind == "percent" else _fixed(number, column.digits)
    attributes = {"class": "number", "data-value": f"{number:.10g}"}
    if largest > 0:
        attributes |= {"class": "number bar", "style": f"--share:{100 * abs(number) / largest:.1f}%"}
    return Cell(written, attributes)


def _fixed(value: float, digits: int) -> str:
    """Return a number with all its decimals, so that they are below each other."""
    if math.isinf(value):
        return "never" if value > 0 else "−∞"
    return f"{value:z,.{digits}f}".replace("-", "\N{MINUS SIGN}")
