"""`check`: test a function on many cases, and show the smallest one that it gets wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.maps.loading import load_map
from ttr_analysis.teaching.task import TASKS, Case, Fault, Task, edges_of
from ttr_analysis.viz.board import plot_map
from ttr_analysis.viz.style import figure_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.axes import Axes

_MAX_TRIED: Final = 3000
"""Maximum number of smaller cases to try."""


def check(task: str, function: Callable[..., Any], *, seed: int = 7) -> Verdict:
    """
    Test a function on many cases, and show the smallest one that it gets wrong.

    Graphs are parts of boards, half of them with changed lengths, and then whole boards.
    They are `networkx.Graph` objects whose edges have a `length`; the function gets copies,
    which it may change. The answers are compared with those of NetworkX or of this library.
    A failing case is reduced city by city and route by route as long as it still fails. A
    function that never ends is not stopped.

    Returns
    -------
    verdict
        True if all answers are correct. In a notebook, the failing case is drawn on the board.

    Examples
    --------
    >>> check("expected_draws", lambda wanted, matching, unseen: wanted * (unseen + 1) / (matching + 1))
    expected_draws: right in all 121 cases
    >>> check("expected_draws", lambda wanted, matching, unseen: wanted * unseen / matching if wanted else 0)
    expected_draws: wrong in f(1, 1, 2)
    expected 1.5, got 2
    """
    if task not in TASKS:
        raise UnknownNameError("task", task, nearest(task, TASKS))
    chosen = TASKS[task]
    n_cases = 0
    for n_cases, case in enumerate(chosen.cases(np.random.default_rng(seed)), 1):
        if fault := chosen.fault(function, case):
            case, fault = _smallest(chosen, function, case, fault)  # noqa: PLW2901
            return Verdict(task, passed=False, n_cases=n_cases, words=fault.words, case=case, labels=fault.labels)
    return Verdict(task, passed=True, n_cases=n_cases)


def _smallest(task: Task, function: Callable[..., Any], case: Case, fault: Fault) -> tuple[Case, Fault]:
    """Reduce a case as long as the function gets it wrong."""
    n_tried = 0
    while n_tried < _MAX_TRIED:
        for other in task.smaller(case):
            n_tried += 1
            if found := task.fault(function, other):
                case, fault = other, found
                break
        else:
            break
    return case, fault


def tasks() -> pd.DataFrame:
    """
    Return the tasks that `check` knows.

    Returns
    -------
    table
        One row per task: how to call the function, and what it must return.

    Examples
    --------
    >>> tasks().loc["dijkstra", "call"], len(tasks())
    ('f(G, start)', 15)
    """
    import pandas as pd

    rows = {name: {"call": task.signature, "returns": task.asks} for name, task in TASKS.items()}
    return pd.DataFrame.from_dict(rows, orient="index")


# -- the verdict, with a picture of the case that fails ------------------------------------------------------------


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
        The expected answer for each city, and the answer given where it differs.
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
        Draw the failing graph on its board, with the length of each route and the expected answers.

        Raises
        ------
        ValueError
            If nothing failed, or the task has no graph.
        """
        if self.case is None or (G := self.case.graph) is None:
            raise ValueError(f"{self.task} has no failing graph")
        _, *others = self.case.arguments
        asked = {city: "·" for other in others for city in ([other] if isinstance(other, str) else other)}
        edge_labels = {(a, b): length for a, b, length in edges_of(G)}
        title = f"{self.task}: {self.words}"
        ax = plot_map(
            self.case.board, ax, highlight=list(edge_labels), edge_labels=edge_labels,
            city_labels={**asked, **self.labels}, title=title if len(title) < _MAX_TITLE else f"{title[:_MAX_TITLE]} …",
        )  # fmt: skip
        cities = [load_map(self.case.board).city(name) for name in G]
        for coordinate, limits, fit in (("x", ax.get_xlim(), ax.set_xlim), ("y", ax.get_ylim(), ax.set_ylim)):
            across = [getattr(city, coordinate) for city in cities]
            room = _MARGIN * (limits[1] - limits[0])
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


_MARGIN = 0.15
"""Space around the graph, as a share of the board."""
_MAX_TITLE = 90
"""Characters that fit above a board."""
