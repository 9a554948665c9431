"""
The contents of a study - sections with text, figures, tables and pictures - as one page, and its tables as CSV files.

The blocks are plain data without markup. Names from a map stay plain text until the page escapes
them; `name` marks them so that names in right-to-left scripts do not affect the sentence around
them.
"""

from __future__ import annotations

import base64
import csv
import io
import math
import re
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from string import ascii_letters
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import matplotlib as mpl
import pandas as pd
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from ttr_analysis._decoding import write_atomically
from ttr_analysis._words import counted, listed, percent, safe_cell
from ttr_analysis.maps.model import GameMap
from ttr_analysis.studies.columns import ANSWERS
from ttr_analysis.studies.findings import Findings
from ttr_analysis.viz import html
from ttr_analysis.viz.geometry import lay_out
from ttr_analysis.viz.summaries import finding_svg

if TYPE_CHECKING:
    from jinja2 import Environment

NAME_BEGINS, NAME_ENDS = "\u2068", "\u2069"
"""First-strong isolate and its end: the text between has its own direction."""

_BIDI_CONTROLS = {ord(c): "\N{REPLACEMENT CHARACTER}" for c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}

Kind: TypeAlias = Literal["text", "color", "number", "percent"]


class Column(NamedTuple):
    """
    A column of a table: its `key` in the CSV file, its heading, and its definition with the unit.

    Percentages are shares from 0 to 1. `digits` is the number of decimals on the page; the CSV file has more. `bar` is
    whether a bar behind the number shows its size, and `wide` whether its text is long. `columns.toml`
    explains `optional` and `varies`.
    """

    key: str
    label: str
    meaning: str
    kind: Kind = "number"
    digits: int = 0
    bar: bool = False
    wide: bool = False
    optional: Literal["", "blank", "zero"] = ""
    varies: bool = False


class Table(NamedTuple):
    """
    A table on the page, and as a CSV file of the same name.

    `n_shown` is the number of rows shown at first, and `n_page` the maximum on the page, if the file has more; 0 means
    all.
    """

    name: str
    title: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    n_shown: int = 0
    n_page: int = 0
    note: str = ""


class Picture(NamedTuple):
    """A picture as a file in memory; `dark` is a version for dark screens, if different."""

    data: bytes
    mime: str
    alt: str
    caption: str
    dark: bytes | None = None
    wide: bool = False


class Drawing(NamedTuple):
    """A picture inside the page, whose parts can show tooltips."""

    svg: Markup
    caption: str


class Figures(NamedTuple):
    """Key figures: a value as text, and its name."""

    items: tuple[tuple[str, str], ...]


class Words(NamedTuple):
    """A paragraph."""

    text: str


class Heading(NamedTuple):
    """A heading within a section."""

    text: str


class Points(NamedTuple):
    """A list of short notes."""

    items: tuple[str, ...]


class Terms(NamedTuple):
    """A list of terms with explanations."""

    items: tuple[tuple[str, str], ...]


Block: TypeAlias = Words | Heading | Points | Terms | Figures | Table | Picture | Drawing


class Section(NamedTuple):
    """A section: anchor, heading, a lead of one or two sentences, and blocks."""

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
    """Return a name from a map, marked as text with its own direction."""
    return f"{NAME_BEGINS}{str(text).translate(_BIDI_CONTROLS)}{NAME_ENDS}"


def plain(text: str) -> str:
    """
    Return text without the marks that `name` adds.

    >>> plain(f"to {name('Oslo')}")
    'to Oslo'
    """
    return text.replace(NAME_BEGINS, "").replace(NAME_ENDS, "")


# -- tables as CSV files, with a file that describes their columns -----------------------------------------------------


README = "README.md"


def to_csv(table: Table) -> str:
    """Return a table as CSV text; empty cells are unknown or do not apply."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = table.columns
    writer.writerow([column.key for column in columns])
    values = [[_csv_cell(value, column) for value in table.frame[column.key].tolist()] for column in columns]
    writer.writerows(zip(*values, strict=True))
    return out.getvalue()


def _csv_cell(value: object, column: Column) -> str:
    if not is_known(value):
        return ""
    if column.kind in ("text", "color"):
        return safe_cell(plain(str(value)))
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(value)
    number = float(str(value))
    return str(int(number)) if number.is_integer() else f"{number:.6g}"


def describe_tables(tables: Iterable[Table], title: str) -> str:
    """Return the meanings of the tables' columns, as Markdown."""
    lines = [f"# Tables of the study of {_line(title)}", ""]
    lines += [
        "The files are UTF-8, comma-separated, with column names in the first line. Probabilities are between 0 and 1.",
        "Empty cells are unknown or do not apply; `inf` means never. An apostrophe before `=`, `+`, `-` or `@` keeps",
        "spreadsheets from reading a name as a formula.",
        "The page `../report.html` explains how the numbers were computed.",
    ]
    for table in tables:
        lines += ["", f"## {table.name}.csv", "", _line(table.title) + ".", ""]
        lines += [f"- `{column.key}`: {_line(column.meaning)}" for column in table.columns]
    return "\n".join(lines) + "\n"


def described_tables(readme: Path) -> list[str]:
    """Return the names of the tables that the file of an earlier study describes."""
    try:
        text = readme.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return re.findall(r"^## ([a-z_]+)\.csv$", text, flags=re.MULTILINE)


def _line(text: str) -> str:
    """Return text as one line of Markdown without markup."""
    text = " ".join(plain(text).split())
    for special in "\\`*_<[#|":
        text = text.replace(special, "\\" + special)
    return text


def write_tables(folder: Path, tables: Iterable[Table]) -> None:
    """Write tables as CSV files into an existing folder, replacing each file atomically."""
    for table in tables:
        write_atomically(folder / f"{table.name}.csv", to_csv(table))


# -- descriptions of columns ---------------------------------------------------------------------------------------

Rows = Sequence[Mapping[str, Any]]
"""Rows of a table, each with its values by column."""


@cache
def descriptions() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the contents of `columns.toml`: descriptions of each column, by table."""
    text = (resources.files("ttr_analysis.report") / "assets" / "columns.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def make_table(
    name: str, title: str, rows: Rows | pd.DataFrame, *, n_shown: int = 0, n_page: int = 0, note: str = ""
) -> Table:
    """Return a table with the columns listed in `columns.toml`, in that order; other keys of its rows are left out."""
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
    columns: list[Column] = []
    for key in _listed_columns(name, frame):
        is_end = key.endswith(("_low", "_high"))
        column = _end_of_interval(key, columns) if is_end else _column(name, key)
        if key not in frame and not column.optional:
            raise KeyError(f"table {name} has no column {key}")
        if _is_shown(column, frame.get(key, pd.Series()).tolist()):
            columns.append(column)
    return Table(name, title, frame, tuple(columns), n_shown, n_page, note)


def _listed_columns(table: str, frame: pd.DataFrame) -> Iterator[str]:
    """Yield the columns listed for a table; a numbered one once for each number in the frame."""
    if table not in descriptions():
        raise KeyError(f"no table {table} in columns.toml")
    for key, described in descriptions()[table].items():
        if "#" in key:
            yield from filter(re.compile(key.replace("#", "[0-9]+")).fullmatch, map(str, frame.columns))
        elif isinstance(described, dict):
            yield key


def _is_shown(column: Column, values: Sequence[object]) -> bool:
    """Return whether a column has something to show."""
    if column.optional:
        return any(is_known(value) and (value or (value == 0 and column.optional == "blank")) for value in values)
    return len(set(values)) > 1 or not column.varies


def _column(table: str, key: str) -> Column:
    own = descriptions()[table]
    like = descriptions()[str(own.get("like", "shared"))]
    general, n = re.sub("[0-9]+$", "#", key), key.strip(ascii_letters)
    facts: dict[str, Any] = {}
    for described in (like, own):
        facts |= described.get(key) or described.get(general) or {}
    if not facts:
        raise KeyError(f"table {table} has no description of {key}")
    if "meaning" not in facts:
        meaning = ANSWERS[str(own["answers"])][key].meaning
        facts["meaning"] = f"{meaning[0].upper()}{meaning[1:]}."
    for text in ("label", "meaning"):
        facts[text] = facts[text].replace("#", n)
    if facts.get("optional", "") not in ("", "blank", "zero"):
        raise ValueError(f'table {table}, {key}: optional is {facts["optional"]!r}, not "blank" or "zero"')
    return Column(key, **facts)


def _end_of_interval(key: str, before: Sequence[Column]) -> Column:
    """Return an end of the interval of the previous figure."""
    figure = next(column for column in reversed(before) if not column.key.endswith(("_low", "_high")))
    label, which = ("from", "Lower") if key.endswith("_low") else ("to", "Upper")
    return Column(key, label, f"{which} end of its 95% interval.", figure.kind, figure.digits)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, each with its values by column."""
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def facts(item: object, *names: str) -> dict[str, Any]:
    """Return attributes of a route or ticket by name, for a row."""
    return {name: getattr(item, name) for name in names}


def is_known(value: object) -> bool:
    """Return whether a cell has a value."""
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def finite(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with blanks in place of infinite numbers."""
    return frame.mask(frame.isin([math.inf, -math.inf]))


# -- the page -----------------------------------------------------------------------------------------------------

MISSING = "\N{EN DASH}"
"""Shown for a number that is unknown or does not apply."""


def render_page(
    title: str, subtitle: str, head: Sequence[Block], sections: Sequence[Section], found: Findings | None = None
) -> str:
    """Return the page: title and subtitle, findings, blocks of the head, and sections."""
    values = {"title": title, "subtitle": subtitle, "head": head, "sections": sections, "found": found}
    return html.page(
        title=f"{plain(title)} – {plain(subtitle)}",
        styles=asset("style.css"),
        body=_templates().get_template("study.html").render(values),
        script=asset("page.js"),
    )


def asset(file: str) -> str:
    """Return the text of a file in `assets`."""
    return (resources.files("ttr_analysis.report") / "assets" / file).read_text(encoding="utf-8")


@cache
def _templates() -> Environment:
    environment = html.templates("ttr_analysis.report")
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
    """Return text as HTML, isolating the direction of marked names."""
    return escape(text).replace(NAME_BEGINS, Markup("<bdi>")).replace(NAME_ENDS, Markup("</bdi>"))


def _breakable(term: str) -> Markup:
    """Return a term as HTML in which a key such as `claims.double_routes_from` breaks only between its words."""
    return Markup(re.sub(r"([._])(?=[a-z])", r"\1<wbr>", str(rich(term))))  # noqa: S704 - escaped by `rich`


def _contents(blocks: Sequence[Block]) -> str:
    """Return what a section contains in words, such as "1 picture and 2 tables"."""
    pictures = sum(isinstance(block, Picture | Drawing) for block in blocks)
    tables = sum(isinstance(block, Table) for block in blocks)
    parts = [counted(n, noun) for n, noun in ((pictures, "picture"), (tables, "table")) if n]
    return listed(parts).capitalize() if parts else "Details"


def _data_uri(data: bytes, mime: str) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"


# -- tables ------------------------------------------------------------------------


def _grid(block: Table) -> Markup:
    """Return a table as HTML."""
    frame = block.frame.head(block.n_page) if block.n_page else block.frame
    columns = [_cells(column, frame[column.key].tolist()) for column in block.columns]
    shown = {"data_shown": str(block.n_shown)} if 0 < block.n_shown < len(frame) else {}
    return html.table(map(_heading, block.columns), zip(*columns, strict=True), **shown)


def _heading(column: Column) -> html.Cell:
    kind = "text" if column.kind in ("text", "color") else "number"
    button = Markup('<button type="button">{}</button>').format(rich(column.label))
    return html.Cell(button, {"class": kind, "title": plain(column.meaning)})


def _cells(column: Column, values: list[object]) -> list[html.Cell]:
    kind = "number" if column.kind == "percent" else column.kind
    known = [value for value in values if is_known(value)]
    largest = max((abs(float(str(value))) for value in known), default=0.0) if column.bar else 0.0
    return [
        _cell(column, value, largest) if is_known(value) else html.Cell(MISSING, {"class": kind}) for value in values
    ]


def _cell(column: Column, value: object, largest: float) -> html.Cell:
    if column.kind == "color":
        return html.Cell(html.color_swatch(str(value)), {"class": "color"})
    if column.kind == "text":
        return html.Cell(rich(str(value)), {"class": "text wide" if column.wide else "text"})
    number = float(str(value))
    written = percent(number, column.digits) if column.kind == "percent" else _fixed(number, column.digits)
    attributes = {"class": "number", "data-value": f"{number:.10g}"}
    if largest > 0:
        attributes |= {"class": "number bar", "style": f"--share:{100 * abs(number) / largest:.1f}%"}
    return html.Cell(written, attributes)


def _fixed(value: float, digits: int) -> str:
    """Format a number with exactly `digits` decimals, so that columns align."""
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
    # Equal pictures get equal ids, so that equal studies give equal files.
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
    """Replace the inks of a picture drawn for light paper."""
    inks = {ink.light: getattr(ink, which) for ink in (_TEXT, _QUIET, _AXIS, _GRID, _PAPER)}
    return re.sub("|".join(inks), lambda found: inks[found[0]], svg)


def board(draw: Draw, game_map: GameMap, alt: str, caption: str, *, extra_width: float = 0.0) -> Picture:
    """Return a picture of the board, the same on every screen; `extra_width` is in inches, for a scale beside it."""
    left, bottom, right, top = lay_out(game_map).bounds
    scale = BOARD_INCHES / max(right - left, top - bottom)
    size = ((right - left) * scale + extra_width, (top - bottom) * scale)
    return Picture(_png(draw, size), "image/png", alt, caption)


@contextmanager
def _without_font_warnings() -> Iterator[None]:
    """Silence warnings about letters missing in the font, which are drawn as boxes: names may be in any script."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from font", category=UserWarning)
        yield


def _svg(draw: Draw, size: tuple[float, float], settings: dict[Any, Any] | None = None) -> str:
    with mpl.rc_context({**_STYLE, **(settings or {})}), _without_font_warnings():
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    # Comments repeat every text.
    return re.sub(r"<!--.*?-->\n?", "", out.getvalue(), flags=re.DOTALL)


def _png(draw: Draw, size: tuple[float, float]) -> bytes:
    with mpl.rc_context({"text.parse_math": False}), _without_font_warnings():
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
