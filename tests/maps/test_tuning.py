"""The script that moves cities until a picture has room: for maps of the package, and for folders of one's own."""

from __future__ import annotations

import csv
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import check_grad

import ttr_analysis as ttr
from scripts import tune_positions
from tests.fixtures import INVENTED, load
from ttr_analysis._compile import Floats
from ttr_analysis.maps.board import Projection

if TYPE_CHECKING:
    import pytest


def tune(monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str) -> ttr.GameMap:
    monkeypatch.setattr(sys, "argv", ["tune_positions", str(folder), *options])
    tune_positions.main()
    return ttr.load_map(folder)


def rows_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "cities.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_positions_are_written_into_a_folder_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "own"
    shutil.copytree(INVENTED, folder)
    before = rows_of(folder)

    tuned = tune(monkeypatch, folder, "--unit", "6", "--pin", "Brindle=3,0")

    after = rows_of(folder)
    assert [{key: row[key] for key in before[0]} for row in after] == before, "the other columns are left alone"
    assert [(float(row["x"]), float(row["y"])) for row in after] == [(city.x, city.y) for city in tuned.cities]
    assert min(city.y for city in tuned.cities) == 0
    lat, y = np.array([(city.lat, city.y) for city in tuned.cities]).T
    assert np.corrcoef(lat, y)[0, 1] > 0.9, "north is up"
    assert tune(monkeypatch, folder, "--unit", "6", "--pin", "Brindle=3,0") == tuned, "it starts from lat and lon"


def test_two_cities_are_a_map_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cities.csv").write_text("name , lat,lon\nA,50,5\nB ,51,5\n\n", encoding="utf-8-sig")
    (tmp_path / "routes.csv").write_text("city_a,city_b,length,color\nA,B,3,red\n")
    (tmp_path / "tickets.csv").write_text("ticket,origin,destination,points\n" + "".join(f"{n},A,B,3\n" for n in "123"))
    rules = 'title = "Two"\nplayers = [2, 2]\n[trains]\nper_player = 9\n[tickets]\nopening_deal = 1\nopening_keep = 1\n'
    (tmp_path / "rules.toml").write_text(rules)

    tuned = tune(monkeypatch, tmp_path, "--unit", "4")

    a, b = tuned.cities
    assert b.y - a.y > 3 * 4 > abs(b.x - a.x)


def test_the_energy_grows_as_it_says() -> None:
    game_map = load("invented")
    projection = Projection.fit((city.lat, city.lon) for city in game_map.cities)
    home = np.array([projection.project(city.lat, city.lon) for city in game_map.cities])
    energy = tune_positions.Energy(game_map, home, 12.0)

    def height(flat: Floats) -> float:
        return float(energy(flat)[0])

    def slope(flat: Floats) -> Floats:
        return energy(flat)[1]

    for seed in range(3):
        there = (home + np.random.default_rng(seed).normal(0, 4, home.shape)).ravel()
        error = check_grad(height, slope, there)
        assert error < 1e-5 * np.linalg.norm(energy(there)[1])
