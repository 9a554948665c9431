"""Text that scales with its axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from matplotlib.patheffects import withStroke
from matplotlib.text import Text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

SMALLEST_POINTS = 1.0


def figure_of(ax: Axes) -> Figure:
    """Return the whole figure that axes are in."""
    return cast("Figure", ax.get_figure(root=True))


class BoardText(Text):
    """Literal text (dollar signs are not math) with an em in board units, optionally with a halo."""

    def __init__(
        self,
        ax: Axes,
        position: tuple[float, float],
        text: str,
        *,
        em: float,
        halo: str | None = None,
        **properties: Any,  # noqa: ANN401 - passed on
    ) -> None:
        super().__init__(
            *position, text, parse_math=False, usetex=False, transform=ax.transData, clip_on=True, **properties
        )
        self._em, self._halo = em, halo
        ax.add_artist(self)

    def draw(self, renderer: RendererBase) -> None:
        """Draw the text in the current size of the axes."""
        self._rescale()
        super().draw(renderer)

    def get_window_extent(self, renderer: RendererBase | None = None, dpi: float | None = None) -> Bbox:
        """Return its box in the current size of the axes."""
        self._rescale()
        return super().get_window_extent(renderer, dpi)

    def _rescale(self) -> None:
        if self.axes is None or self.figure is None:
            return
        (_, low), (_, high) = self.axes.transData.transform([(0.0, 0.0), (0.0, self._em)])
        points = max(SMALLEST_POINTS, 72 * abs(high - low) / self.figure.dpi)
        if points == self.get_fontsize():
            return
        self.set_fontsize(points)
        if self._halo is not None:
            self.set_path_effects([withStroke(linewidth=0.36 * points, foreground=self._halo, alpha=0.85)])
