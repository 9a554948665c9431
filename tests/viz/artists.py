"""What a picture shows, seen on its artists."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figure_of(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def draw(ax: Axes) -> Axes:
    """Draw a picture, so that its texts have boxes and nothing is left to fail."""
    figure_of(ax).draw_without_rendering()
    return ax


def legend(ax: Axes) -> list[str]:
    shown = ax.get_legend()
    return [] if shown is None else [text.get_text() for text in shown.get_texts()]


def texts(ax: Axes, *kinds: str) -> list[str]:
    """Return the texts of some kinds, by their gid."""
    return [text.get_text() for text in ax.texts if text.get_gid() in kinds]
