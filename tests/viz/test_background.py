"""Coasts and borders: where they lie, and files that are none."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.path import Path as Outline

from tests.fixtures import BUILT_IN, load
from ttr_analysis import GameMap
from ttr_analysis.maps.board import Projection
from ttr_analysis.maps.loading import data_folder
from ttr_analysis.viz.geometry import frame, lay_out
from ttr_analysis.viz.placement import arc_length, point_at
from ttr_analysis.viz.scene import load_background, thin_plate


def distance_from_land(point: tuple[float, float], rings: tuple[np.ndarray, ...]) -> float:
    """Return how far a point lies from the nearest land; 0 upon it."""
    closed = [np.vstack([ring, ring[:1]]) for ring in rings]
    if any(Outline(ring).contains_point(point) for ring in closed):
        return 0.0
    coasts = [point_at(ring, np.linspace(0, arc_length(ring)[-1], 40 * len(ring))) for ring in closed]
    return min(float(np.hypot(*(coast - point).T).min()) for coast in coasts)


@pytest.mark.parametrize("name", BUILT_IN)
def test_files_are_small_and_say_where_they_come_from(name: str) -> None:
    path = data_folder() / name / "background.json"
    assert path.stat().st_size < 60_000
    assert "Natural Earth" in json.loads(path.read_text(encoding="utf-8"))["source"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_cities_stay_on_land(name: str) -> None:
    game_map = load(name)
    background = load_background(game_map)
    assert background is not None
    near = 2 * lay_out(game_map).city_radius

    far_out = [c.name for c in game_map.cities if distance_from_land((c.x, c.y), background.land) > near]

    assert far_out == []


@pytest.mark.parametrize("name", BUILT_IN)
def test_where_land_is_cut_off_lies_outside_the_picture(name: str) -> None:
    game_map = load(name)
    background = load_background(game_map)
    assert background is not None
    stored = json.loads((data_folder() / name / "background.json").read_text(encoding="utf-8"))["land"]
    degrees = np.concatenate([np.reshape(ring, (-1, 2)) for ring in stored])
    drawn = np.concatenate(background.land)
    left, bottom, right, top = frame(lay_out(game_map))
    x, y = drawn.T
    inside = (left < x) & (x < right) & (bottom < y) & (y < top)

    for axis in (0, 1):
        for bound in (degrees[:, axis].min(), degrees[:, axis].max()):
            cut = degrees[:, axis] == bound
            # A single such point is a cape, not a cut.
            assert cut.sum() == 1 or not inside[cut].any(), (axis, bound)


def test_a_map_elsewhere_of_the_same_name_has_no_background(nordic: GameMap) -> None:
    away = tuple(dataclasses.replace(city, lat=-city.lat) for city in nordic.cities)
    assert load_background(dataclasses.replace(nordic, cities=away)) is None


@pytest.mark.parametrize("name", ["../data/nordic", "/", "", ".", "nowhere", "nordic/"])
def test_a_name_is_no_path(nordic: GameMap, name: str) -> None:
    assert load_background(dataclasses.replace(nordic, name=name)) is None


def test_a_background_of_ones_own(tmp_path: Path, nordic: GameMap) -> None:
    path = tmp_path / "mine.json"
    path.write_text('{"land": [[5, 55, 30, 55, 30, 71]]}', encoding="utf-8")

    background = load_background(nordic, path)

    assert background is not None
    assert [len(ring) for ring in background.land] == [3]
    assert background.lakes == ()


@pytest.mark.parametrize(
    "content",
    [
        "no json",
        "[]",
        "7",
        '{"land": 7}',
        '{"land": [[1, 2, 3]]}',
        '{"land": [[]]}',
        '{"land": [["a", "b"]]}',
        '{"land": [[1e300, 2]]}',
        '{"land": [[NaN, 2]]}',
        '{"land": [null]}',
        '{"land": [{"a": 1}]}',
        "\ufeff{}" + "x" * 10,
        " " * 1_000_001,
        "[" * 100_000,
    ],
)
def test_other_files_are_refused_by_name(tmp_path: Path, nordic: GameMap, content: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"mine\.json: expected"):
        load_background(nordic, path)


def test_a_missing_file_is_an_error(tmp_path: Path, nordic: GameMap) -> None:
    with pytest.raises(FileNotFoundError):
        load_background(nordic, tmp_path / "none.json")


def test_the_plate_moves_almost_with_its_pins() -> None:
    rng = np.random.default_rng(5)
    pins, moves = rng.uniform(0, 100, (30, 2)), rng.normal(0, 2, (30, 2))

    assert thin_plate(pins, moves, pins) == pytest.approx(moves, abs=0.25)


@pytest.mark.parametrize("n_pins", [1, 2, 3])
def test_few_pins_move_the_plate_as_a_whole(n_pins: int) -> None:
    pins = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])[:n_pins]
    moved = thin_plate(pins, np.full((n_pins, 2), 3.0), np.array([[5.0, 5.0]]))
    assert np.isfinite(moved).all()


def test_without_moves_lines_lie_where_they_are_projected() -> None:
    flat = load("invented")
    path = data_folder() / "nordic" / "background.json"
    background = load_background(flat, path)
    assert background is not None
    projection = Projection.fit((city.lat, city.lon) for city in flat.cities)
    lon, lat = json.loads(path.read_text(encoding="utf-8"))["land"][0][:2]
    assert tuple(background.land[0][0]) == pytest.approx(projection.project(lat, lon), abs=0.01)
