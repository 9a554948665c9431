"""Win probabilities as a stepper shows them: percents, one for each step and seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

_COLUMNS = ["step", "seat", "win"]


def chance_data(curve: pd.DataFrame, acting: Sequence[int], n_seats: int, seat: int | None = None) -> dict[str, Any]:
    """
    Return a curve of win probabilities, ready for JSON.

    Parameters
    ----------
    curve
        From `studies.win_curve`, of this game. At a step that it leaves out
        the one before counts, up to its last one.
    acting
        Who moved in each step of the game; -1 where nobody did. It is
        compared if the curve says it too.
    n_seats
        Seats of the game.
    seat
        Whose view the stepper shows; None for all hands.

    Returns
    -------
    data
        `about`: from whose view, "" if the curve does not say. `percent`: for each seat a value a step;
        None before the first step of the curve and after its last one.

    Raises
    ------
    TypeError
        If it is no table.
    ValueError
        If it lacks a column, is of another game or of several, or may tell a
        seat more than it could know.

    Examples
    --------
    >>> curve = pd.DataFrame({"step": [1, 1, 3, 3], "seat": [0, 1, 0, 1], "win": [0.5, 0.5, 0.125, 0.875]})
    >>> chance_data(curve, [-1, 0, 1, 0, 1], 2)["percent"]
    [[None, 50.0, 50.0, 12.5, None], [None, 50.0, 50.0, 87.5, None]]
    """
    if not isinstance(curve, pd.DataFrame):
        raise TypeError(f"expected a table of win probabilities, as win_curve gives it, got {curve!r}")
    if missing := [column for column in _COLUMNS if column not in curve]:
        raise ValueError(f"win probabilities stand in the columns {', '.join(_COLUMNS)}; there is no {missing[0]!r}")
    _check_game(curve, acting, n_seats)
    looker = curve.attrs.get("looker")
    if seat is not None and looker != seat:
        unsaid = "a table whose attrs do not say who looked"
        seen = {None: unsaid, "all": "all hands"}.get(looker, f"P{looker}")
        raise ValueError(f"win probabilities in the view of P{seat} are from win_curve(record, {seat}), got {seen}")
    by_step = curve.astype({"step": int}).pivot_table(index="step", columns="seat", values="win")
    # An interrupted curve ends early: what came after is not known, and may well be the contrary.
    filled = by_step.reindex(range(by_step.index.max() + 1)).ffill().reindex(range(len(acting)))
    percent = 100 * filled.to_numpy().T  # not rounded: 0 and 100 say that it is decided
    return {
        "about": {None: "", "all": "with all hands in view"}.get(looker, f"from what P{looker} could know"),
        "percent": [[None if np.isnan(value) else float(value) for value in row] for row in percent],
    }


def _check_game(curve: pd.DataFrame, acting: Sequence[int], n_seats: int) -> None:
    """Check that a curve is of this game and of no other, as far as it can be known."""
    n_steps = len(acting)
    if set(curve["seat"]) != set(range(n_seats)) or not curve["step"].isin(range(n_steps)).all():
        raise ValueError(f"expected win probabilities of steps 0 to {n_steps - 1} and seats 0 to {n_seats - 1}")
    if not curve["win"].between(0, 1).all():
        raise ValueError("win probabilities are between 0 and 1")
    if curve.duplicated(["step", "seat"]).any():
        raise ValueError("expected one win probability for each step and seat, got several: two curves in one table?")
    if "acting" in curve:
        others = curve.loc[curve["acting"] != np.take(acting, curve["step"].astype(int)), "step"]
        if len(others):
            raise ValueError(
                f"the win probabilities are of another game: at step {int(others.min())} another seat moved"
            )
