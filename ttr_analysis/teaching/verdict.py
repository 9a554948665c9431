"""The verdict on a student's function, with a picture of the case that fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING

from ttr_analysis.maps.loading import load_map
from ttr_analysis.teaching.task import edges_of
from ttr_analysis.viz.board import plot_map
from ttr_analysis.viz.text import figure_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from ttr_analysis.teaching.task import Case


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """
    What `check` found. It is true if the function passed, and a notebook displays it.

    Parameters
    ----------
    passed
        Whether every answer was right.
    words
        What is wrong in the smallest case that was found; "" if nothing is.
    case
        This case, if there is one: its `arguments` can be tried again.
    labels
        What is expected for each city, and what came, if it differs.
    """

    task: str
    passed: bool
    n_cases: int
    words: str = ""
    case: Case | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        if self.passed:
            return f"{self.task}: right in all {self.n_cases} cases"
        return f"{self.task}: wrong in {self.case}\n{self.words}"

    def plot(self, ax: Axes | None = None) -> Axes:
        """
        Draw the graph that fails on its board, with the length of each route and what is expected.

        Raises
        ------
        ValueError
            If nothing failed, or the task has no graph.
        """
        if self.case is None or (G := self.case.graph) is None:
            raise ValueError(f"{self.task} has no graph that fails")
        _, *others = self.case.arguments
        asked = {city: "·" for other in others for city in ([other] if isinstance(other, str) else other)}
        edge_labels = {(a, b): length for a, b, length in edges_of(G)}
        title = f"{self.task}: {self.words}"
        ax = plot_map(
            self.case.board, ax, highlight=list(edge_labels), edge_labels=edge_labels,
            city_labels={**asked, **self.labels}, title=title if len(title) < _TITLE else f"{title[:_TITLE]} …",
        )  # fmt: skip
        nodes = load_map(self.case.board).graph.nodes
        for coordinate, limits, fit in (("x", ax.get_xlim(), ax.set_xlim), ("y", ax.get_ylim(), ax.set_ylim)):
            across = [nodes[city][coordinate] for city in G]
            room = _ROOM * (limits[1] - limits[0])
            fit(max(limits[0], min(across) - room), min(limits[1], max(across) + room))
        return ax

    def _repr_png_(self) -> bytes | None:
        """Return the picture for a notebook; without one, it shows the text."""
        if self.case is None or self.case.graph is None:
            return None
        import matplotlib.pyplot as plt

        figure = figure_of(self.plot())
        out = BytesIO()
        figure.savefig(out, format="png", bbox_inches="tight")
        plt.close(figure)
        return out.getvalue()


_ROOM = 0.15
"""Around the graph, as a share of the board."""
_TITLE = 90
"""Characters that fit above a board."""
