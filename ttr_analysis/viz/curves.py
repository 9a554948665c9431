"""Curves as rows of points, and how far each track bows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from ttr_analysis._arrays import Floats

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


# -- how far each track bows ---------------------------------------------------------------------------------------

MORE_BOW = (0.0, 0.05, 0.11, 0.19, 0.29)
"""Bows tried beyond the least one, as shares of the chord."""
LARGEST_BOW = 0.42
"""Of the chord: beyond it a track would look like a detour."""
N_POINTS = 11
N_ROUNDS = 5


def choose_bows(
    chords: Floats,
    *,
    needed: Floats,
    bare: Floats,
    half_widths: Floats,
    dots: Floats,
    radius: float,
    margin: float,
) -> Floats:
    """
    Return how far the middle of each track lies to the left of its chord.

    Starts from the least bow that gives the cars room and changes one track
    at a time, as long as that lessens the sum of bows and encroachments.

    Parameters
    ----------
    chords
        Both ends of each track or bundle of tracks: shape (n, 2, 2).
    needed
        Arc length that each needs.
    bare
        Arc length at either end of each that bears no cars.
    half_widths
        Half the width of each bundle.
    dots
        Positions of all cities.
    radius
        Radius of a city.
    margin
        Distance to keep.

    Returns
    -------
    bows
        One per chord.
    """
    n = len(chords)
    if n == 0:
        return np.zeros(0)
    lengths = np.maximum(np.hypot(*(chords[:, 1] - chords[:, 0]).T), 1e-9)
    least = np.minimum(np.sqrt(0.375 * lengths * np.maximum(0, needed - lengths)), 0.85 * LARGEST_BOW * lengths)
    sizes = np.minimum(least[:, None] + np.array(MORE_BOW) * lengths[:, None], LARGEST_BOW * lengths[:, None])
    bows = np.concatenate([sizes, -sizes], axis=1)
    points = _curves(chords, bows, np.minimum(bare / lengths, 0.45))
    own = 5.0 * np.abs(bows) / lengths[:, None]
    own += _encroachment_on_dots(points, chords, dots, radius + half_widths + margin)
    between = _encroachments(points, half_widths, margin)
    chosen = own.argmin(axis=1)
    for _ in range(N_ROUNDS):
        before = chosen.copy()
        for i in range(n):
            cost = own[i] + sum((costs[:, chosen[j]] for j, costs in between[i].items()), np.zeros(bows.shape[1]))
            if cost.min() < cost[chosen[i]] - 1e-9:
                chosen[i] = int(cost.argmin())
        if (chosen == before).all():
            break
    result: Floats = bows[np.arange(n), chosen]
    return result


def _curves(chords: Floats, bows: Floats, bare: Floats) -> Floats:
    """Return points of every curve tried, where it bears cars: shape (n, candidates, points, 2)."""
    start, end = chords[:, None, None, 0], chords[:, None, None, 1]
    chord = end - start
    size = np.maximum(np.hypot(chord[..., 0], chord[..., 1]), 1e-9)
    normal = np.stack([-chord[..., 1], chord[..., 0]], axis=-1) / size[..., None]
    control = (start + end) / 2 + 2 * bows[:, :, None, None] * normal
    t = (bare[:, None] + (1 - 2 * bare[:, None]) * np.linspace(0, 1, N_POINTS))[:, None, :, None]
    curves: Floats = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return curves


def _encroachment_on_dots(points: Floats, chords: Floats, dots: Floats, keep: Floats) -> Floats:
    """Return how much every curve tried comes too near to cities that are not its ends."""
    distance = np.hypot(
        points[..., None, 0] - dots[:, 0],
        points[..., None, 1] - dots[:, 1],
    ).min(axis=2)
    keep = keep[:, None, None]
    too_near = np.maximum(0, keep - distance) / keep
    is_end = (chords[:, :, None] == dots).all(axis=-1).any(axis=1)
    too_near[np.broadcast_to(is_end[:, None], too_near.shape)] = 0
    total: Floats = 12 * too_near.sum(axis=2)
    return total


def _encroachments(points: Floats, half_widths: Floats, margin: float) -> list[dict[int, Floats]]:
    """Return, for each two tracks near to each other, how much every pair of curves encroaches."""
    n = len(points)
    low, high = points.min(axis=(1, 2)) - half_widths[:, None], points.max(axis=(1, 2)) + half_widths[:, None]
    between: list[dict[int, Floats]] = [{} for _ in range(n)]
    for i in range(n - 1):
        boxes_meet = (low[i] - margin <= high[i + 1 :]) & (low[i + 1 :] - margin <= high[i])
        near = np.flatnonzero(boxes_meet.all(axis=1)) + i + 1
        if not len(near):
            continue
        one, others = points[i][None, :, None, :, None], points[near][:, None, :, None]
        distance = np.hypot(one[..., 0] - others[..., 0], one[..., 1] - others[..., 1]).min(axis=4)
        keep = (half_widths[i] + half_widths[near] + margin)[:, None, None, None]
        cost = 2 * (np.maximum(0, keep - distance) / keep).sum(axis=3)
        for j, costs in zip(near, cost, strict=True):
            if costs.any():
                between[i][int(j)] = costs
                between[int(j)][i] = costs.T
    return between
