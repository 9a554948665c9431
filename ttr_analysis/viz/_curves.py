"""Curves as rows of points."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Points: TypeAlias = Floats
"""Positions, one row each: x, y in board units."""

N_SAMPLES = 33
"""Points of a sampled curve."""


def bezier(start: Points, end: Points, bow: float) -> Points:
    """
    Return points along a quadratic Bezier curve.

    Parameters
    ----------
    start, end
        Its ends.
    bow
        How far its middle lies to the left of the chord.

    Examples
    --------
    >>> bezier(np.array([0.0, 0.0]), np.array([4.0, 0.0]), 1.0)[16].tolist()
    [2.0, 1.0]
    """
    chord = end - start
    length = math.hypot(*chord)
    normal = np.array([-chord[1], chord[0]]) / length if length else np.zeros(2)
    control = (start + end) / 2 + 2 * bow * normal
    t = np.linspace(0, 1, N_SAMPLES)[:, None]
    curve: Points = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return curve


def sideways(line: Points, offset: float) -> Points:
    """
    Return the line that runs beside another one.

    Parameters
    ----------
    line
        Points.
    offset
        Distance, to the left of the line's direction.
    """
    direction = np.gradient(line, axis=0)
    size = np.hypot(direction[:, 0], direction[:, 1])[:, None]
    direction = direction / np.where(size > 0, size, 1)
    return line + offset * np.column_stack([-direction[:, 1], direction[:, 0]])


def along(line: Points) -> Floats:
    """Return the arc length from the start to each point of a line."""
    steps = np.hypot(*np.diff(line, axis=0).T)
    return np.concatenate([[0.0], np.cumsum(steps)])


def point_at(line: Points, distances: Iterable[float]) -> Points:
    """Return the points at the given arc lengths from the start of a line."""
    arc = along(line)
    wanted = np.fromiter(distances, dtype=float)
    return np.column_stack([np.interp(wanted, arc, line[:, axis]) for axis in (0, 1)])


def outside(line: Points, circles: Points, radius: float) -> Points:
    """
    Return the part of a line outside of two circles around its ends.

    Parameters
    ----------
    line
        Points.
    circles
        Their two centers.
    radius
        Of both.
    """
    fine = point_at(line, np.linspace(0, along(line)[-1], 8 * N_SAMPLES))
    kept = fine[(np.hypot(*(fine[:, None] - circles).transpose(2, 0, 1)) >= radius).all(axis=1)]
    # Cities so near to each other that nothing is left: the cars will lie upon the dots, but they will lie somewhere.
    return kept if len(kept) > 1 and along(kept)[-1] > 0.25 * radius else line
