"""A study as one self-contained HTML page: no scripts, pictures or fonts from elsewhere."""

from __future__ import annotations

import base64
import html
import math
import re
from collections.abc import Callable, Sequence
from functools import singledispatch
from importlib import resources

from ttr_analysis._words import counted, listed
from ttr_analysis.report.document import (
    NAME_BEGINS,
    NAME_ENDS,
    Block,
    Column,
    Drawing,
    Figures,
    Heading,
    Picture,
    Points,
    Section,
    Table,
    Words,
    percent,
    plain,
)
from ttr_analysis.studies.findings import Findings
from ttr_analysis.viz.findings import finding_svg
from ttr_analysis.viz.style import CARD_STYLES

_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
"""Nothing is loaded from anywhere, whatever a name may hold."""

MISSING = "\N{EN DASH}"
"""Shown where a number is unknown or does not apply."""


def render_page(
    title: str, subtitle: str, head: Sequence[Block], sections: Sequence[Section], found: Findings | None = None
) -> str:
    """
    Return the page.

    Parameters
    ----------
    title
        What is studied.
    subtitle
        A line below it.
    head
        Blocks before the first section.
    sections
        The sections, in order.
    found
        What the page opens with.

    Returns
    -------
    page
        HTML, complete.
    """
    opening = _findings(found) if found is not None and len(found) else ""
    contents = "\n".join(f'<li><a href="#{escape(s.id)}">{rich(s.title)}</a></li>' for s in sections)
    body = "\n".join(_section(section) for section in sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(plain(title))} – {escape(plain(subtitle))}</title>
<style>
{_asset("style.css")}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the study</a>
<nav aria-label="Contents">
<details open>
<summary>Contents</summary>
<ol>
{contents}
</ol>
</details>
</nav>
<main id="main">
<header id="top">
<h1>{rich(title)}</h1>
<p class="subtitle">{rich(subtitle)}</p>
</header>
{opening}
{_blocks(head)}
{body}
</main>
<script>
{_asset("page.js")}</script>
</body>
</html>
"""


def escape(text: str) -> str:
    """
    Return a text in which nothing is markup, for elements and for quoted attributes.

    Examples
    --------
    >>> escape("<b title='x'>")
    '&lt;b title=&#x27;x&#x27;&gt;'
    """
    return html.escape(text, quote=True)


def rich(text: str) -> str:
    """
    Return a text as HTML, its marked names kept apart in direction.

    Examples
    --------
    >>> from ttr_analysis.report.document import name
    >>> rich(f"to {name('<Oslo>')}")
    'to <bdi>&lt;Oslo&gt;</bdi>'
    """
    return escape(text).replace(NAME_BEGINS, "<bdi>").replace(NAME_ENDS, "</bdi>")


def _breakable(term: str) -> str:
    """Return a term as HTML; a key of a file may be broken where its words meet, not within one."""
    return re.sub(r"([._])(?=[a-z])", r"\1<wbr>", rich(term))


def _asset(file: str) -> str:
    return (resources.files("ttr_analysis.report") / "assets" / file).read_text(encoding="utf-8")


def _section(section: Section) -> str:
    return f"""<section id="{escape(section.id)}" aria-labelledby="{escape(section.id)}-title">
<h2 id="{escape(section.id)}-title">{rich(section.title)}</h2>
<p class="lead">{rich(section.lead)}</p>
{_folded(section)}</section>"""


def _folded(section: Section) -> str:
    """Return the blocks of a section, folded: its lead says what they show."""
    if not section.blocks:
        return ""
    return f"""<details class="blocks">
<summary>{_held(section.blocks)}</summary>
{_blocks(section.blocks)}
</details>
"""


def _held(blocks: Sequence[Block]) -> str:
    """Return what is folded away, in words."""
    pictures = sum(isinstance(block, Picture | Drawing) for block in blocks)
    tables = sum(isinstance(block, Table) for block in blocks)
    parts = [counted(n, noun) for n, noun in ((pictures, "picture"), (tables, "table")) if n]
    return listed(parts).capitalize() if parts else "Read on"


def _findings(found: Findings) -> str:
    """Return the findings as cards: title, sentence, picture."""
    cards = "\n".join(
        f"""<li id="finding-{escape(item.id)}">
<h3>{escape(item.title)}</h3>
<p>{escape(item.sentence)}</p>
<figure class="small">{finding_svg(item, found.game_map)}</figure>
</li>"""
        for item in found
    )
    return f"""<section id="findings" aria-labelledby="findings-title">
<h2 id="findings-title">What to tell your friends</h2>
<ul class="findings">
{cards}
</ul>
</section>"""


def _blocks(blocks: Sequence[Block]) -> str:
    return "\n".join(render(block) for block in blocks)


@singledispatch
def render(block: object) -> str:
    """Return a block of a section as HTML."""
    msg = f"no rendering for {type(block).__name__}"
    raise TypeError(msg)


@render.register
def _(block: Words) -> str:
    return f"<p>{rich(block.text)}</p>"


@render.register
def _(block: Heading) -> str:
    return f"<h3>{rich(block.text)}</h3>"


@render.register
def _(block: Points) -> str:
    if any(isinstance(item, tuple) for item in block.items):
        pairs = [item if isinstance(item, tuple) else ("", item) for item in block.items]
        terms = "\n".join(f"<div><dt>{_breakable(term)}</dt><dd>{rich(text)}</dd></div>" for term, text in pairs)
        return f'<dl class="terms">\n{terms}\n</dl>'
    items = "\n".join(f"<li>{rich(str(item))}</li>" for item in block.items)
    return f"<ul>\n{items}\n</ul>"


@render.register
def _(block: Figures) -> str:
    items = "\n".join(f"<div><dt>{rich(what)}</dt><dd>{rich(value)}</dd></div>" for value, what in block.items)
    return f'<dl class="figures">\n{items}\n</dl>'


@render.register
def _(block: Picture) -> str:
    image = f'<img src="{_data_uri(block.mime, block.data)}" alt="{escape(plain(block.alt))}">'
    if block.dark is not None:
        dark = _data_uri(block.mime, block.dark)
        source = f'<source media="screen and (prefers-color-scheme: dark)" srcset="{dark}">'
        image = f"<picture>{source}{image}</picture>"
    kind = "chart" if block.dark is not None else "board"
    kind += " wide" if block.wide else ""
    return f'<figure class="{kind}">{image}<figcaption>{rich(block.caption)}</figcaption></figure>'


@render.register
def _(block: Drawing) -> str:
    return f'<figure class="board wide">{block.svg}<figcaption>{rich(block.caption)}</figcaption></figure>'


def _data_uri(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"


# -- tables ------------------------------------------------------------------------


@render.register
def _(table: Table) -> str:
    columns = table.shown_columns
    frame = table.frame.head(table.n_page) if table.n_page else table.frame
    head = "".join(_heading(column) for column in columns)
    cells = [_column_cells(column, frame[column.key].tolist()) for column in columns]
    rows = "\n".join(f"<tr>{''.join(row)}</tr>" for row in zip(*cells, strict=True))
    shown = f' data-shown="{table.n_shown}"' if 0 < table.n_shown < len(frame) else ""
    note = f'<p class="note">{rich(table.note)}</p>' if table.note else ""
    return f"""<figure class="table" id="table-{escape(table.name)}">
<figcaption>{rich(table.title)}</figcaption>
<div class="frame"><div class="scroll" tabindex="0" role="region" aria-label="{escape(plain(table.title))}">
<table{shown}>
<thead><tr>{head}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div></div>
{note}<details class="meaning"><summary>What the columns mean</summary>
<dl>
{_meanings(columns)}
</dl>
<p>As a file: <code>tables/{escape(table.name)}.csv</code></p>
</details>
</figure>"""


def _heading(column: Column) -> str:
    kind = "text" if column.kind in ("text", "color") else "number"
    button = f'<button type="button">{rich(column.label)}</button>'
    return f'<th scope="col" class="{kind}" title="{escape(plain(column.meaning))}">{button}</th>'


def _meanings(columns: Sequence[Column]) -> str:
    return "\n".join(f"<div><dt>{rich(c.label)}</dt><dd>{rich(c.meaning)}</dd></div>" for c in columns)


def _column_cells(column: Column, values: list[object]) -> list[str]:
    if column.kind == "color":
        return [_color_cell(str(value)) if _is_known(value) else _missing("color") for value in values]
    if column.kind == "text":
        return [_text_cell(value, column) for value in values]
    numbers = [float(str(value)) if _is_known(value) else math.nan for value in values]
    largest = max((abs(value) for value in numbers if not math.isnan(value)), default=0.0)
    written = _percentage if column.kind == "percent" else _fixed
    return [_number_cell(value, written, column, largest) for value in numbers]


def _text_cell(value: object, column: Column) -> str:
    if not _is_known(value):
        return _missing("text")
    return f'<td class="{"text wide" if column.wide else "text"}">{rich(str(value))}</td>'


def _is_known(value: object) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _missing(kind: str) -> str:
    return f'<td class="{kind}">{MISSING}</td>'


def _number_cell(value: float, written: Callable[[float, int], str], column: Column, largest: float) -> str:
    if math.isnan(value):
        return _missing("number")
    bar = ""
    if column.bar and largest > 0:
        bar = f' style="--share:{100 * abs(value) / largest:.1f}%"'
    kind = "number bar" if bar else "number"
    return f'<td class="{kind}" data-value="{value:.10g}"{bar}>{written(value, column.digits)}</td>'


def _fixed(value: float, digits: int) -> str:
    """Return a number with all its decimals, so that they stand below each other."""
    if math.isinf(value):
        return "never" if value > 0 else "−∞"
    text = f"{value:,.{digits}f}"
    return (
        text[1:] if text.startswith("-") and float(text.replace(",", "")) == 0 else text.replace("-", "\N{MINUS SIGN}")
    )


def _percentage(value: float, digits: int) -> str:
    return escape(percent(value, digits))


def _color_cell(color: str) -> str:
    if color not in CARD_STYLES:
        return f'<td class="color">{rich(color)}</td>'
    style = CARD_STYLES[color]
    swatch = f'<span class="swatch" style="background:{style.fill}"></span>'
    return f'<td class="color">{swatch}{rich(color)}</td>'
