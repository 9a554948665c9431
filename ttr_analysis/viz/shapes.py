"""Outlines of everything drawn upon a board, as corners in board units."""

from __future__ import annotations

import math

import numpy as np

from ttr_analysis.viz.curves import sideways
from ttr_analysis.viz.placement import Car, Track
from ttr_analysis.viz.style import Shape

PLATE: Shape = ((-0.62, -0.40), (0.62, -0.40), (0.62, 0.40), (-0.62, 0.40))
"""What lies behind a locomotive symbol, in car widths."""
_ARROW: Shape = ((1.2, 0.0), (-0.6, 0.9), (-0.2, 0.0), (-0.6, -0.9))
_HOUSE: Shape = ((-1.35, -1.2), (1.35, -1.2), (1.35, 0.55), (0.0, 1.8), (-1.35, 0.55))
_CIRCLE: Shape = tuple((math.cos(math.tau * k / 40), math.sin(math.tau * k / 40)) for k in range(40))
_TOOTH = 0.20
"""From tooth to tooth of a tunnel, in space units."""


def placed(shape: Shape, car: Car, size: float) -> Shape:
    """Return a shape upon a car, turned with it."""
    cos, sin = math.cos(car.angle) * size, math.sin(car.angle) * size
    return tuple((car.x + u * cos - v * sin, car.y + u * sin + v * cos) for u, v in shape)


def train(car: Car) -> Shape:
    """Return the outline of a plastic train upon a car space: it fills the space, but for its slanting ends."""
    u, v = 0.5 * car.length / car.width, 0.52
    half = ((-u, -0.6 * v), (0.2 - u, -v), (u - 0.2, -v), (u, -0.6 * v))
    return placed((*half, *((-x, -y) for x, y in half)), car, car.width)


def saw(car: Car, unit: float) -> Shape:
    """Return the rough rock around a tunnel's car: the car with teeth along its long sides."""
    n_teeth = max(3, round(car.length / (_TOOTH * unit)))
    half, low, high = car.length / 2 + 0.02 * unit, car.width / 2 + 0.02 * unit, car.width / 2 + 0.12 * unit
    steps = [-half + half * k / n_teeth for k in range(2 * n_teeth + 1)]
    side = [(x, high if k % 2 else low) for k, x in enumerate(steps)]
    return placed((*side, *((x, -y) for x, y in side[::-1])), car, 1.0)


def cross(car: Car) -> tuple[Shape, Shape]:
    """Return the two strokes of a cross upon a car."""
    size = 0.62
    return (
        placed(((-size, -size), (size, size)), car, car.width),
        placed(((-size, size), (size, -size)), car, car.width),
    )


def band(track: Track, width: float) -> Shape:
    """Return the outline of a band along a track."""
    line = np.array(track.line)
    left, right = sideways(line, width / 2), sideways(line, -width / 2)
    return tuple((float(x), float(y)) for x, y in np.concatenate([left, right[::-1]]))


def disk(x: float, y: float, radius: float) -> Shape:
    """Return a circle."""
    return tuple((x + radius * u, y + radius * v) for u, v in _CIRCLE)


def station(x: float, y: float, radius: float) -> Shape:
    """Return the house of a station upon the dot of its city."""
    return tuple((x + radius * u, y + radius * v) for u, v in _HOUSE)


def arrow(x: float, y: float, angle: float, size: float) -> Shape:
    """Return an arrowhead at a border point."""
    cos, sin = math.cos(angle) * size, math.sin(angle) * size
    return tuple((x + u * cos - v * sin, y + u * sin + v * cos) for u, v in _ARROW)
