"""Pictures of a study: boards and charts as files in memory."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from ttr_analysis.maps.model import GameMap
from ttr_analysis.report.document import Picture
from ttr_analysis.viz.geometry import lay_out


def _inks(text: str, quiet: str, axis: str, grid: str) -> dict[Any, Any]:
    """Return the settings for what is written and drawn around the data."""
    words = ("text.color", "axes.labelcolor", "axes.titlecolor")
    ticks = ("xtick.color", "ytick.color")
    return {**dict.fromkeys(words, text), **dict.fromkeys(ticks, quiet), "axes.edgecolor": axis, "grid.color": grid}


_LIGHT = _inks("#22211e", "#6a665d", "#8b867b", "#ddd8cc")
_DARK = _inks("#e8e4da", "#b6b1a6", "#7d7a73", "#383d42")
"""As the text of the page, light and dark."""
_IN_THE_DARK: dict[str, str] = {ink: _DARK[setting] for setting, ink in _LIGHT.items()}

_PAPER = "#fdfcfa"
_OF_WIDGETS = {
    _PAPER: "var(--ttr-paper)",
    "#22211e": "var(--ttr-ink)",
    "#6a665d": "var(--ttr-quiet)",
    "#8b867b": "var(--ttr-edge)",
    "#ddd8cc": "var(--ttr-line)",
}
"""The same inks as variables of a page of widgets."""

_COMMON: dict[Any, Any] = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.facecolor": "none",
    "legend.framealpha": 0.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "svg.fonttype": "path",
    # Equal pictures have equal ids, so that equal studies are equal files.
    "svg.hashsalt": "study",
    "text.parse_math": False,
}

DPI = 160
"""Of boards: sharp enough to be looked at twice as large."""

BOARD_INCHES = 9.5
"""Longer side of a board."""

Draw = Callable[[Axes], Any]


def chart(draw: Draw, alt: str, caption: str, *, size: tuple[float, float] = (8.0, 4.0), wide: bool = False) -> Picture:
    """
    Return a chart, for light and for dark screens.

    Parameters
    ----------
    draw
        Draws it into the axes that it is given.
    alt, caption
        What it shows: for those who do not see it, and below it.
    size
        Width and height in inches.
    wide
        Whether it takes the whole width of the page.
    """
    light = _svg(draw, size)
    # Only the inks differ, and drawing is slow.
    dark = re.sub("|".join(_IN_THE_DARK), lambda ink: _IN_THE_DARK[ink[0]], light)
    return Picture(light.encode(), "image/svg+xml", alt, caption, dark=dark.encode(), wide=wide)


def board(
    draw: Draw, game_map: GameMap, alt: str, caption: str, *, extra_width: float = 0.0, wide: bool = False
) -> Picture:
    """
    Return a picture of the board, which looks the same on every screen.

    Parameters
    ----------
    draw
        Draws it into the axes that it is given.
    game_map
        The map: gives the picture its shape.
    alt, caption
        What it shows.
    extra_width
        Room beside the board, for a scale, in inches.
    wide
        Whether it takes the whole width of the page.
    """
    left, bottom, right, top = lay_out(game_map).bounds
    scale = BOARD_INCHES / max(right - left, top - bottom)
    size = ((right - left) * scale + extra_width, (top - bottom) * scale)
    return Picture(_png(draw, size), "image/png", alt, caption, wide=wide)


def drawing(draw: Draw, about: str, *, size: tuple[float, float]) -> Markup:
    """Return a chart that is part of a page of widgets: its inks are those of the page, and its links work."""
    svg = _svg(draw, size, {"axes.facecolor": _PAPER, "svg.fonttype": "none"})
    svg = re.sub(r".*?(?=<svg)|<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub("|".join(_OF_WIDGETS), lambda ink: _OF_WIDGETS[ink[0]], svg)
    attributes = f'class="chart" role="group" aria-label="{escape(about)}" style="stroke-linejoin: round"'
    return Markup(re.sub(r'<svg.*?(viewBox=".*?").*?>', rf"<svg {attributes} \1>", svg, count=1, flags=re.DOTALL))  # noqa: S704 - escaped by matplotlib


@contextmanager
def _without_complaints() -> Iterator[None]:
    """Let letters that the font lacks be drawn as boxes: names may be written in any script."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from font", category=UserWarning)
        yield


def _svg(draw: Draw, size: tuple[float, float], settings: dict[Any, Any] | None = None) -> str:
    with mpl.rc_context({**_COMMON, **_LIGHT, **(settings or {})}), _without_complaints():
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    # Comments repeat every text; nobody reads them in a picture.
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
