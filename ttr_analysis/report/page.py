"""Render a study as one self-contained HTML page with blocks, tables and pictures."""

from __future__ import annotations

import base64
import io
import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from ttr_analysis._words import counted, listed, percent
from ttr_analysis.maps.model import GameMap
from ttr_analysis.report.document import (
    NAME_BEGINS,
    NAME_ENDS,
    Block,
    Column,
    Drawing,
    Picture,
    Section,
    Table,
    is_known,
    plain,
)
from ttr_analysis.studies.findings import Findings
from ttr_analysis.viz.findings import finding_svg
from ttr_analysis.viz.geometry import lay_out
from ttr_analysis.viz.html import Cell, color_swatch, page, table, templates

if TYPE_CHECKING:
    from jinja2 import Environment

MISSING = "\N{EN DASH}"
"""Shown for a number that is unknown or does not apply."""


def render_page(
    title: str, subtitle: str, head: Sequence[Block], sections: Sequence[Section], found: Findings | None = None
) -> str:
    """Return the page: title and subtitle, findings, blocks of the head, and sections."""
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
        raise TypeError(f"no rendering for {type(block).__name__}")
    return Markup(macro(block))  # noqa: S704 - escaped by the template


def rich(text: str) -> Markup:
    """Return a text as HTML, isolating the direction of marked names."""
    return escape(text).replace(NAME_BEGINS, Markup("<bdi>")).replace(NAME_ENDS, Markup("</bdi>"))


def _breakable(term: str) -> Markup:
    """Return a term as HTML; a key of a file may only be broken between its words."""
    return Markup(re.sub(r"([._])(?=[a-z])", r"\1<wbr>", str(rich(term))))  # noqa: S704 - escaped by `rich`


def _contents(blocks: Sequence[Block]) -> str:
    """Return the contents of a section as HTML."""
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
    known = [value for value in values if is_known(value)]
    largest = max((abs(float(str(value))) for value in known), default=0.0) if column.bar else 0.0
    return [_cell(column, value, largest) if is_known(value) else Cell(MISSING, {"class": kind}) for value in values]


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
    """Format a number with all its decimals, so that decimals align."""
    if math.isinf(value):
        return "never" if value > 0 else "−∞"
    return f"{value:z,.{digits}f}".replace("-", "\N{MINUS SIGN}")


# -- pictures ------------------------------------------------------------------------------------------------------


class _Ink(NamedTuple):
    """A color for everything drawn around data: on light and dark paper, and as a variable of a widget page."""

    light: str
    dark: str
    variable: str


_TEXT = _Ink("#22211e", "#e8e4da", "var(--ttr-ink)")
_QUIET = _Ink("#6a665d", "#b6b1a6", "var(--ttr-quiet)")
_AXIS = _Ink("#8b867b", "#7d7a73", "var(--ttr-edge)")
_GRID = _Ink("#ddd8cc", "#383d42", "var(--ttr-line)")
_PAPER = _Ink("#fdfcfa", "#1b1b1e", "var(--ttr-paper)")

_STYLE: dict[Any, Any] = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor"), _TEXT.light),
    **dict.fromkeys(("xtick.color", "ytick.color"), _QUIET.light),
    "axes.edgecolor": _AXIS.light,
    "grid.color": _GRID.light,
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor"), "none"),
    "legend.framealpha": 0.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "svg.fonttype": "path",
    # Equal pictures get equal ids, so that equal studies are equal files.
    "svg.hashsalt": "study",
    "text.parse_math": False,
}

DPI = 160
"""Resolution of boards, sharp enough to view at twice the size."""

BOARD_INCHES = 9.5
"""Longer side of a board."""

Draw = Callable[[Axes], Any]


def chart(draw: Draw, alt: str, caption: str, *, size: tuple[float, float] = (8.0, 4.0), wide: bool = False) -> Picture:
    """Return a chart for light and dark screens, with width and height in inches."""
    light = _svg(draw, size)
    dark = _with_inks(light, "dark")  # drawing is slow, and only the inks differ
    return Picture(light.encode(), "image/svg+xml", alt, caption, dark=dark.encode(), wide=wide)


def drawing(draw: Draw, about: str, *, size: tuple[float, float]) -> Markup:
    """Return a chart as part of a widget page: it uses the page's inks, and its links work."""
    svg = _svg(draw, size, {"axes.facecolor": _PAPER.light, "svg.fonttype": "none"})
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    attributes = f'class="chart" role="group" aria-label="{escape(about)}" style="stroke-linejoin: round"'
    svg = re.sub(r'<svg.*?(viewBox=".*?").*?>', rf"<svg {attributes} \1>", svg, count=1, flags=re.DOTALL)
    return Markup(_with_inks(svg, "variable"))  # noqa: S704 - escaped by matplotlib


def _with_inks(svg: str, which: str) -> str:
    """Replace the inks of a picture for light paper."""
    inks = {ink.light: getattr(ink, which) for ink in (_TEXT, _QUIET, _AXIS, _GRID, _PAPER)}
    return re.sub("|".join(inks), lambda found: inks[found[0]], svg)


def board(
    draw: Draw, game_map: GameMap, alt: str, caption: str, *, extra_width: float = 0.0, wide: bool = False
) -> Picture:
    """Return a picture of the board, the same on every screen; `extra_width` is in inches, for a scale beside it."""
    left, bottom, right, top = lay_out(game_map).bounds
    scale = BOARD_INCHES / max(right - left, top - bottom)
    size = ((right - left) * scale + extra_width, (top - bottom) * scale)
    return Picture(_png(draw, size), "image/png", alt, caption, wide=wide)


@contextmanager
def _without_complaints() -> Iterator[None]:
    """Draw letters missing in the font as boxes, without warnings, as names may be in any script."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from font", category=UserWarning)
        yield


def _svg(draw: Draw, size: tuple[float, float], settings: dict[Any, Any] | None = None) -> str:
    with mpl.rc_context({**_STYLE, **(settings or {})}), _without_complaints():
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    # Comments repeat every text, and nobody reads them in a picture.
    return re.sub(r"<!--.*?-->\n?", "", out.getvalue(), flags=re.DOTALL)


def _png(draw: Draw, size: tuple[float, float]) -> bytes:
    with mpl.rc_context({"text.parse_math": False}), _without_complaints():
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure.add_subplot())
        out = io.BytesIO()
        figure.savefig(
            out, format="png", dpi=DPI, bbox_inches="tight", pad_inches=0.02, pil_kwargs={"compress_level": 0}
        )
    # A palette is enough for a board, and a third of the size.
    palette = Image.open(out).convert("RGB").quantize(256)
    small = io.BytesIO()
    palette.save(small, format="png", compress_level=6)  # the best level takes seven times as long for 4% less
    return small.getvalue()
