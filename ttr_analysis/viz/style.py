"""
Colors, symbols and pens of board pictures, and the colors of the pages around them.

Card colors are those a player expects, separated in lightness; since one reader in
twelve cannot rely on hue, every color also has a symbol, the same on cars and cards.
Players have colors from the palette of Okabe and Ito [1]_.

References
----------
.. [1] Okabe, M. and Ito, K. "Color Universal Design", 2008,
   https://jfly.uni-koeln.de/color/.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from ttr_analysis.cards import GRAY, LOCOMOTIVE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Shape: TypeAlias = tuple[tuple[float, float], ...]
"""Corners of a symbol, about one unit across and centered on the origin."""


@dataclass(frozen=True, slots=True)
class CardStyle:
    """The look of cards and car spaces of one color; gray, which stands for any color, has no symbol."""

    fill: str
    ink: str
    edge: str
    symbol: Shape
    symbol_name: str


def _regular(n: int, *, size: float = 0.5, turn: float = 0.0) -> Shape:
    """Return a regular polygon; `turn` is in radians from a corner at the top."""
    angles = [math.pi / 2 + turn + 2 * math.pi * k / n for k in range(n)]
    return tuple((size * math.cos(a), size * math.sin(a)) for a in angles)


def _star(n: int, inner: float) -> Shape:
    outer_corners, inner_corners = _regular(n), _regular(n, size=inner, turn=math.pi / n)
    return tuple(corner for pair in zip(outer_corners, inner_corners, strict=True) for corner in pair)


def _turned(shape: Shape, turn: float) -> Shape:
    cos, sin = math.cos(turn), math.sin(turn)
    return tuple((x * cos - y * sin, x * sin + y * cos) for x, y in shape)


_PLUS: Shape = (
    (-0.17, -0.5), (0.17, -0.5), (0.17, -0.17), (0.5, -0.17), (0.5, 0.17), (0.17, 0.17),
    (0.17, 0.5), (-0.17, 0.5), (-0.17, 0.17), (-0.5, 0.17), (-0.5, -0.17), (-0.17, -0.17),
)  # fmt: skip
_CRESCENT: Shape = (
    *((0.5 * math.cos(t), 0.5 * math.sin(t)) for t in (math.pi * (0.27 + 1.46 * k / 14) for k in range(15))),
    *((0.20 + 0.375 * math.cos(t), 0.375 * math.sin(t)) for t in (math.pi * (1.62 - 1.24 * k / 10) for k in range(11))),
)
_DIAMOND: Shape = ((0.0, -0.58), (0.34, 0.0), (0.0, 0.58), (-0.34, 0.0))
_HOURGLASS: Shape = ((-0.42, -0.5), (0.42, -0.5), (0.06, 0.0), (0.42, 0.5), (-0.42, 0.5), (-0.06, 0.0))
_LOCOMOTIVE: Shape = (
    (-0.50, -0.30), (-0.50, 0.36), (-0.56, 0.36), (-0.56, 0.46), (-0.10, 0.46), (-0.10, 0.36), (-0.16, 0.36),
    (-0.16, 0.12), (0.20, 0.12), (0.16, 0.40), (0.42, 0.40), (0.38, 0.12), (0.48, 0.08), (0.48, -0.12), (0.62, -0.34),
    (0.44, -0.34), (0.40, -0.46), (0.26, -0.50), (0.12, -0.46), (0.08, -0.34), (-0.10, -0.34), (-0.14, -0.46),
    (-0.28, -0.50), (-0.42, -0.46), (-0.46, -0.34),
)  # fmt: skip

CARD_STYLES: dict[str, CardStyle] = {
    "purple": CardStyle("#b069b0", "#2e0733", "#4d2152", _DIAMOND, "diamond"),
    "blue": CardStyle("#1c5cc4", "#eaf3ff", "#0b2c63", _regular(20), "disk"),
    "orange": CardStyle("#e5870f", "#3d1d00", "#764204", _regular(3, size=0.58), "triangle"),
    "white": CardStyle("#fbfaf5", "#4a4a46", "#6d6c66", _HOURGLASS, "hourglass"),
    "green": CardStyle("#55b86a", "#06330f", "#1f5c2c", _CRESCENT, "crescent"),
    "yellow": CardStyle("#f7dd3e", "#5b4a00", "#86700a", _star(5, 0.22), "star"),
    "black": CardStyle("#35353a", "#f2f2f2", "#0c0c0e", _regular(4, size=0.62, turn=math.pi / 4), "square"),
    "red": CardStyle("#b01a12", "#ffe9e2", "#540a06", _turned(_PLUS, math.pi / 4), "cross"),
    GRAY: CardStyle("#b9b8b2", "#5d5c58", "#66655f", (), "none: any color"),
    LOCOMOTIVE: CardStyle("#fffdf4", "#1d1d1f", "#3c3b37", _LOCOMOTIVE, "locomotive"),
}
"""Styles by card color, including gray and the locomotive."""

PLAYER_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#f0e442", "#56b4e9", "#e69f00")
"""Player colors by seat, from Okabe and Ito's palette."""
PLAYER_DASHES: tuple[tuple[float, ...], ...] = ((), (7, 1.5), (2, 1), (7, 1.5, 2, 1.5), (4, 1, 1, 1, 1, 1))
"""Dash patterns of lines by seat, for readers who do not see colors: lengths in line widths; () is solid."""
NEUTRAL_COLOR = "#6f6f6f"
"""Color of the neutral player, who has no seat."""


@dataclass(frozen=True, slots=True)
class BoardColors:
    """Colors of everything other than cards and players."""

    sea: str = "#c3dbe8"
    shore: str = "#7ea0b3"
    land: str = "#e3dcc9"
    home: str = "#f6f0e1"
    border: str = "#a3957a"
    state: str = "#d8ceb8"
    bed: str = "#8c8373"
    ferry: str = "#4b7f9e"
    tunnel: str = "#4a3b30"
    city: str = "#fffdf7"
    rim: str = "#2b2926"
    text: str = "#1c1b19"
    quiet_text: str = "#6a5f4c"
    halo: str = "#fdfaf2"
    coin: str = "#8a5a22"
    highlight: str = "#111111"
    glow: str = "#ff2fa0"
    goal: str = "#ffb3dd"
    chosen: str = "#0b62b8"
    closed: str = "#b3261e"
    no_value: str = "#d9d6cd"


BOARD = BoardColors()


@dataclass(frozen=True, slots=True)
class Pens:
    """Widths of the lines on a board, relative to the space of a train."""

    ground: float = 0.05
    border: float = 0.07
    bed: float = 0.05
    ferry: float = 0.07
    car: float = 0.035
    plate: float = 0.02
    train: float = 0.07
    closed: float = 0.09
    token: float = 0.05
    city: float = 0.08
    exit: float = 0.04
    ticket: float = 0.11
    ticket_rim: float = 0.20
    ticket_end: float = 0.14
    glow: float = 0.68
    glow_rim: float = 0.78


PENS = Pens()


@dataclass(frozen=True, slots=True)
class PageColors:
    """
    Colors of a page around boards.

    `edge` surrounds controls; `accent`, `on_accent` and `tint` are the color of a choice,
    the text on it, and a shade behind other text; `good`, `bad` and `maybe` are text colors
    for right, wrong and open.
    """

    paper: str
    panel: str
    ink: str
    quiet: str
    line: str
    edge: str
    accent: str
    on_accent: str
    tint: str
    good: str
    bad: str
    maybe: str


LIGHT_PAGE = PageColors(
    paper="#ffffff", panel="#f4f3ef", ink="#1c1b19", quiet="#57534a", line="#d2cec4", edge="#857f73",
    accent="#0b62b8", on_accent="#ffffff", tint="#e3effb", good="#17713a", bad="#b3261e", maybe="#7a5200",
)  # fmt: skip
DARK_PAGE = PageColors(
    paper="#1b1b1e", panel="#2a2a2d", ink="#ecebe6", quiet="#b9b6ae", line="#4a4a4e", edge="#8f8b82",
    accent="#8cc4ff", on_accent="#10131a", tint="#1d3247", good="#7fd49a", bad="#ff9d92", maybe="#f0c36a",
)  # fmt: skip


FREE_SHARE = 0.45
"""Share of its own color that a free route keeps when others are taken, so that trains stand out."""
FADED_SHARE = 0.32
"""Share of its own color that a route keeps if it is closed, or others stand out."""


def pale(color: str, share: float) -> str:
    """
    Return a color that keeps a share of itself and takes the rest from the board.

    >>> pale("#000000", 1.0), pale("#000000", 0.0) == BOARD.home
    ('#000000', True)
    """
    own, paper = (tuple(int(text[k : k + 2], 16) for k in (1, 3, 5)) for text in (color, BOARD.home))
    mixed = (round(share * one + (1 - share) * other) for one, other in zip(own, paper, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def ink_upon(color: str) -> str:
    """
    Return black or white, whichever is easier to read on a color.

    >>> ink_upon("#0072b2"), ink_upon("#f0e442")
    ('#ffffff', '#000000')
    """
    shares = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
    # Contrast is a ratio of luminances plus 0.05 (WCAG 2); the power is close to the curve of sRGB.
    luminance = sum(weight * share**2.2 for weight, share in zip((0.2126, 0.7152, 0.0722), shares, strict=True))
    return "#ffffff" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "#000000"


def figure_of(ax: Axes) -> Figure:
    """Return the whole figure that axes are in."""
    return cast("Figure", ax.get_figure(root=True))
