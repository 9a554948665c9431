"""`check`: test a function on many cases, and show the smallest one that it gets wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.teaching import chance, graphs
from ttr_analysis.teaching.task import Case, Fault, Task
from ttr_analysis.teaching.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd

TASKS: Final[dict[str, Task]] = {**graphs.TASKS, **chance.TASKS}
_MOST_TRIED: Final = 3000
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
    while n_tried < _MOST_TRIED:
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
