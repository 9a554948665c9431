"""
Coasts, borders and lakes behind the board.

Lines are stored in degrees (`background.json` in the folder of a map) and drawn in board
units. Cities on a board are not exactly where they are on Earth, so the lines are bent
like a rubber sheet pinned to every city: a harbor stays on its coast.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ttr_analysis.maps.board import Projection
from ttr_analysis.maps.loading import data_folder
from ttr_analysis.maps.model import GameMap

Points: TypeAlias = NDArray[np.float64]

FILE = "background.json"
MAX_BYTES = 1_000_000
FULL_TURN = 360.0
STIFFNESS = 1.0
"""Resistance of the sheet to sharp bends, in squared board units; 0 would pin every city exactly."""


@dataclass(frozen=True)
class Background:
    """
    Lines and areas behind the tracks, as points in board units; areas are rings, and holes run the other way.

    `home` are the countries on the board, `states` the lines within one.
    """

    land: tuple[Points, ...] = ()
    home: tuple[Points, ...] = ()
    lakes: tuple[Points, ...] = ()
    borders: tuple[Points, ...] = ()
    states: tuple[Points, ...] = ()


LAYERS = ("land", "home", "lakes", "borders", "states")


@lru_cache(maxsize=16)
def load_background(game_map: GameMap, path: Path | None = None) -> Background | None:
    """
    Return the background of a map in board units; None if it has none, or the built-in one does not match its cities.

    A file has optional lists `land`, `home`, `lakes`, `borders` and `states` of lines written lon, lat, lon, lat, ...
    in degrees.
    """
    built_in = path is None
    if path is None:
        # A name is never used as a path, since a map may be called "../x".
        folders = {folder.name: folder for folder in data_folder().iterdir()}
        folder = folders.get(game_map.name)
        if folder is None or not (folder / FILE).is_file():
            return None
        path = folder / FILE
    layers = _read(path)
    lines = [line for layer in layers.values() for line in layer]
    if not lines or (built_in and not _covers(lines, game_map)):
        return None
    lonlat = np.concatenate(lines)
    bent = _bend(game_map, lonlat)
    pieces = iter(np.split(bent, np.cumsum([len(line) for line in lines])[:-1]))
    return Background(**{name: tuple(next(pieces) for _ in layer) for name, layer in layers.items()})


def _read(path: Path) -> dict[str, list[Points]]:
    """Return the lines of a file by layer: points of lon, lat."""
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"{path}: expected a file of at most {MAX_BYTES:,} bytes")
    try:
        content = json.loads(data)
        return {name: [_line(line) for line in content.get(name, [])] for name in LAYERS}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{path}: expected JSON lists {', '.join(LAYERS)} of lines [lon, lat, lon, lat, ...] in degrees ({error})"
        ) from error


def _line(numbers: Any) -> Points:  # noqa: ANN401 - whatever the JSON holds
    line = np.array(numbers, dtype=float).reshape(-1, 2)
    if not len(line) or not np.isfinite(line).all() or np.abs(line).max() > FULL_TURN:
        raise ValueError("a line has no points, or a coordinate that is not an angle in degrees")
    return line


def _covers(lines: Sequence[Points], game_map: GameMap) -> bool:
    """Return whether most cities are within the frame of the lines."""
    points = np.concatenate(lines)
    low, high = points.min(axis=0), points.max(axis=0)
    cities = np.array([(city.lon, city.lat) for city in game_map.cities])
    n_inside = int(((cities >= low) & (cities <= high)).all(axis=1).sum())
    return 2 * n_inside > len(cities)


def _bend(game_map: GameMap, lonlat: Points) -> Points:
    """Return points in board units: projected, and moved along with nearby cities."""
    projection = Projection.fit((city.lat, city.lon) for city in game_map.cities)
    flat = np.array([projection.project(lat, lon) for lon, lat in lonlat])
    pins = np.array([projection.project(city.lat, city.lon) for city in game_map.cities])
    moves = np.array([(city.x, city.y) for city in game_map.cities]) - pins
    if not moves.any():
        return flat
    return flat + thin_plate(pins, moves, flat)


def thin_plate(pins: Points, moves: Points, points: Points) -> Points:
    """
    Return the displacement of points when pins in a thin elastic plate move: Duchon's smoothing spline [1]_.

    References
    ----------
    .. [1] Wahba, G. "Spline Models for Observational Data", section 2.4. SIAM, 1990.
    """
    n = len(pins)
    affine = np.column_stack([np.ones(n), pins])
    system = np.block([[_kernel(pins, pins) + STIFFNESS * np.eye(n), affine], [affine.T, np.zeros((3, 3))]])
    right = np.concatenate([moves, np.zeros((3, 2))])
    # Least squares: if cities are on one line, or fewer than three, the plate can still turn.
    weights = np.linalg.lstsq(system, right, rcond=None)[0]
    moved: Points = _kernel(points, pins) @ weights[:n] + np.column_stack([np.ones(len(points)), points]) @ weights[n:]
    return moved


def _kernel(points: Points, pins: Points) -> Points:
    """Return r^2 log r between points and pins."""
    squared = ((points[:, None] - pins) ** 2).sum(axis=2)
    result: Points = 0.5 * squared * np.log(np.where(squared > 0, squared, 1.0))
    return result
