"""
HTML for all outputs: pages, tables and templates.

Values in a template are escaped unless they are `Markup`, so names from an untrusted map
or record are never more than text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Final, NamedTuple

from markupsafe import Markup

from ttr_analysis.viz.style import CARD_STYLES, PLAYER_COLORS, ink_upon

if TYPE_CHECKING:
    from jinja2 import Environment

PAGE_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'"
)
"""Content security policy of a page opened from disk: it loads nothing, whatever a name may contain."""


@cache
def templates(package: str) -> Environment:
    """Return the templates of a package, from its folder `templates`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _fill(template: str, **values: object) -> Markup:
    text = templates("ttr_analysis.viz").get_template(template).render(values)
    return Markup(text)  # noqa: S704 - escaped by the template


def page(
    *,
    title: str,
    styles: str,
    body: str,
    script: str,
    is_module: bool = False,
    classes: str = "",
    policy: str = PAGE_POLICY,
) -> str:
    """
    Return a self-contained page.

    Names in `styles`, `body` and `script` must be escaped. `is_module` is whether the script is an ES module;
    `classes` are those of the body.
    """
    trusted = {"styles": Markup(styles), "body": Markup(body), "script": Markup(script)}  # noqa: S704 - as documented
    return _fill("page.html", title=title, is_module=is_module, classes=classes, policy=policy, **trusted)


class Cell(NamedTuple):
    """A cell of a table, and its HTML attributes."""

    content: object
    attributes: Mapping[str, str]


def table(head: Iterable[object], rows: Iterable[Iterable[object]], caption: str = "", **attributes: str) -> Markup:
    """
    Return a table: numbers are right-aligned, the rest left-aligned, headings like the cells below them.

    Examples
    --------
    >>> table(["route", "length"], [["<Oslo>", 3]]).count("&lt;")
    1
    """
    body = [[_cell(content) for content in row] for row in rows]
    aligned = (cell.attributes.get("style", _LEFT) for cell in body[0]) if body else repeat(_LEFT)
    return _fill(
        "table.html",
        head=[_cell(content, style) for content, style in zip(head, aligned, strict=False)],
        rows=body,
        caption=caption,
        attributes={name.replace("_", "-"): value for name, value in attributes.items()},
    )


def figure(content: object) -> Cell:
    """Return a cell aligned like a number, such as a percentage."""
    return Cell(content, {"style": _RIGHT})


_LEFT, _RIGHT = "text-align: left", "text-align: right"


def _cell(content: object, style: str = _LEFT) -> Cell:
    if isinstance(content, Cell):
        return content
    if isinstance(content, int | float):
        return figure(content)
    return Cell(content if isinstance(content, Markup) else bdi(str(content)), {"style": style})


def bdi(text: str) -> Markup:
    """Isolate the direction of a piece of text from its surroundings."""
    return Markup("<bdi>{}</bdi>").format(text)


def color_swatch(color: str) -> Markup:
    """Return the name of a card color, with a patch of the color if known."""
    if color not in CARD_STYLES:
        return Markup("{}").format(color)
    look = CARD_STYLES[color]
    style = (
        "display: inline-block; width: 0.85em; height: 0.85em; margin-right: 0.45em; vertical-align: -0.06em; "
        f"background: {look.fill}; border: 1px solid {look.edge}; border-radius: 2px"
    )
    return Markup('<span style="{}"></span>{}').format(style, color)


def seat_mark(seat: int) -> Markup:
    """Return the number of a seat in its color."""
    color = PLAYER_COLORS[seat % len(PLAYER_COLORS)]
    style = f"background: {color}; color: {ink_upon(color)}; padding: 0 0.45em; border-radius: 4px; font-weight: bold"
    return Markup('<span style="{}">{}</span>').format(style, seat)
