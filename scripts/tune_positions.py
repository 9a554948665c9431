"""
Move the cities of a map a little, so that the picture has room for all car spaces.

    python scripts/tune_positions.py nordic --unit 3.5
    python scripts/tune_positions.py path/to/folder

Takes a map of `data/` or your own folder, starts from the latitudes and
longitudes, and writes `x` and `y` to its `cities.csv`, with y pointing up. As
on a printed board, cities stay near their real positions and in the same
direction from their neighbors, but a route of six spaces becomes longer than
one of two, and cities keep clear of routes that pass by. Other columns do not
change.

`--pin "City=dx,dy"` shifts the preferred position of a city (board units),
`--stretch 1.1` widens the map, and `--rotate 4` turns it (degrees,
counterclockwise). A larger `--unit` gives a car space more room relative to
real distances: 3.4 fits most maps, and a crowded one needs more. Try, look at
`plot_map`, and pin cities that are still too close.

The maps were made with:

    nordic --unit 3.7
    nederland --unit 3.9
    usa --unit 3.6
    europe --unit 3.6 --pin Athina=0,7 --pin Smyrna=2,-5 --pin Palermo=-1,-4
    switzerland --unit 3.5 --stretch 1.06 --pin Winterthur=1,1.5 --pin "St. Gallen=3,0" --pin Kreuzlingen=2.5,1
        --pin Schaffhausen=0,1.5 --pin Pfäffikon=2,0 --pin Baden=-1.5,0.5 --pin Vaduz=1,0 --pin Zug=0,-1
        --pin Schwyz=1,-1 --pin "Germany via Kreuzlingen (west)=-1,1" --pin "Germany via Kreuzlingen (east)=3,0"
"""

from __future__ import annotations

import argparse
import csv
import math
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from ttr_analysis._compile import Floats
from ttr_analysis.maps.board import Projection
from ttr_analysis.maps.loading import find_folder, load_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.viz.placement import CAR_WIDTH, CITY_RADIUS, RIM_GAP, TRACK_GAP

N_SAMPLES = 9
_SPOT = 1e-6
"""Distance given to cities that start on the same spot, so that they can move apart."""


class Energy:
    """
    The badness of positions.

    Parameters
    ----------
    game_map
        The map.
    home
        Preferred positions of the cities.
    unit
        Preferred arc length of a car space.
    """

    def __init__(self, game_map: GameMap, home: Floats, unit: float) -> None:
        index = {city.name: k for k, city in enumerate(game_map.cities)}
        lengths: dict[tuple[int, int], int] = {}
        n_tracks: dict[tuple[int, int], int] = {}
        for route in game_map.routes:
            a, b = sorted(index[city] for city in route.cities)
            lengths[a, b] = max(lengths.get((a, b), 0), route.length)
            n_tracks[a, b] = n_tracks.get((a, b), 0) + 1
        self.home, self.unit = home, unit
        self.ends = np.array(list(lengths))
        self.needed = np.array([unit * (n + RIM_GAP + 2 * CITY_RADIUS) for n in lengths.values()])
        self.half = np.array([(n * CAR_WIDTH + (n - 1) * TRACK_GAP) * unit / 2 for n in n_tracks.values()])
        self.heading = home[self.ends[:, 1]] - home[self.ends[:, 0]]
        self.heading /= _norm(self.heading)[:, None]
        n = len(self.ends)
        self.i, self.j = np.triu_indices(n, 1)
        share = (self.ends[self.i][:, :, None] == self.ends[self.j][:, None, :]).any(axis=(1, 2))
        self.apart = ~share
        self.t = np.linspace(0, 1, N_SAMPLES)[:, None]
        self.foreign = np.ones((n, len(home)), dtype=bool)
        self.foreign[np.arange(n)[:, None], self.ends] = False
        self.fans = self._fans()

    def _fans(self) -> list[tuple[int, int, int, float]]:
        """Return city, and two neighbors, with how far apart their tracks must be, for tracks that share a city."""
        fans = []
        for i, j in zip(self.i, self.j, strict=True):
            for city in set(self.ends[i]) & set(self.ends[j]):
                a, b = (int(sum(self.ends[k]) - city) for k in (i, j))
                fans.append((int(city), a, b, float(self.half[i] + self.half[j])))
        return fans

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        """Return the energy of positions, and its gradient."""
        p = flat.reshape(-1, 2)
        grows = 0.06 * (p - self.home)
        energy = 0.03 * ((p - self.home) ** 2).sum()
        for term in (self._lengths, self._beside_cities, self._beside_tracks, self._leaving):
            energy += term(p, grows)
        return float(energy), grows.ravel()

    def _lengths(self, p: Floats, grows: Floats) -> float:
        """Tracks that are too short, too long, or turned away from where they head on Earth."""
        chord = p[self.ends[:, 1]] - p[self.ends[:, 0]]
        length = _norm(chord)
        short = np.maximum(0, self.needed - length)
        long = np.maximum(0, length - 1.35 * self.needed)
        across = chord[:, 0] * self.heading[:, 1] - chord[:, 1] * self.heading[:, 0]
        pull = ((0.06 * long - 2.0 * short) / length)[:, None] * chord
        pull += 0.08 * across[:, None] * self.heading[:, ::-1] * (1, -1)
        np.add.at(grows, self.ends[:, 1], pull)
        np.add.at(grows, self.ends[:, 0], -pull)
        return float(1.0 * (short**2).sum() + 0.03 * (long**2).sum() + 0.04 * (across**2).sum())

    def _beside_cities(self, p: Floats, grows: Floats) -> float:
        """Cities beside foreign tracks, with some room for their labels."""
        track, city = np.nonzero(self.foreign)
        a, b = self.ends[track].T
        chord = p[b] - p[a]
        t = np.clip(((p[city] - p[a]) * chord).sum(axis=1) / _norm(chord) ** 2, 0, 1)[:, None]
        away = p[city] - p[a] - t * chord
        distance = _norm(away)
        near = np.maximum(0, (CITY_RADIUS + 0.45) * self.unit + self.half[track] - distance)
        push = (-2.0 * near / distance)[:, None] * away
        for end, share in ((city, 1.0), (a, t - 1), (b, -t)):
            np.add.at(grows, end, share * push)
        return float(1.0 * (near**2).sum())

    def _beside_tracks(self, p: Floats, grows: Floats) -> float:
        """Tracks beside tracks."""
        if not self.apart.any():
            return 0.0
        a, b = p[self.ends[:, 0]], p[self.ends[:, 1]]
        points = a[:, None] + self.t * (b - a)[:, None]
        i, j = self.i[self.apart], self.j[self.apart]
        gaps = np.hypot(*(points[i][:, :, None] - points[j][:, None, :]).transpose(3, 0, 1, 2)).reshape(len(i), -1)
        at_i, at_j = np.divmod(gaps.argmin(axis=1), N_SAMPLES)
        away = points[i, at_i] - points[j, at_j]
        gap = _norm(away)
        close = np.maximum(0, self.half[i] + self.half[j] + 0.35 * self.unit - gap)
        push = (-1.4 * close / gap)[:, None] * away
        for track, at, sign in ((i, at_i, 1), (j, at_j, -1)):
            np.add.at(grows, self.ends[track, 0], sign * (1 - self.t[at]) * push)
            np.add.at(grows, self.ends[track, 1], sign * self.t[at] * push)
        return float(0.7 * (close**2).sum())

    def _leaving(self, p: Floats, grows: Floats) -> float:
        """Tracks that leave a city in nearly the same direction."""
        if not self.fans:
            return 0.0
        city, one, other = np.array([fan[:3] for fan in self.fans]).T
        u, v = p[one] - p[city], p[other] - p[city]
        turn = np.arctan2(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0], (u * v).sum(axis=1))
        reach = 0.95 * self.unit
        width = np.array([fan[3] for fan in self.fans])
        crowded = np.maximum(0, width + 0.10 * self.unit - 2 * reach * np.sin(np.abs(turn) / 2))
        push = -5.0 * crowded * reach * np.cos(turn / 2) * np.sign(turn)
        for end, ray, sign in ((other, v, 1), (one, u, -1)):
            sideways = ray[:, ::-1] * (-1, 1) / (_norm(ray) ** 2)[:, None]
            np.add.at(grows, end, (sign * push)[:, None] * sideways)
            np.add.at(grows, city, (-sign * push)[:, None] * sideways)
        return float(2.5 * (crowded**2).sum())


def _norm(vectors: Floats) -> Floats:
    """Return the lengths of vectors, none of them 0."""
    lengths: Floats = np.maximum(np.hypot(*vectors.T), _SPOT)
    return lengths


def tune(game_map: GameMap, unit: float, pins: dict[str, tuple[float, float]], stretch: float, rotate: float) -> Floats:
    """Return the positions with the least energy found."""
    projection = Projection.fit((city.lat, city.lon) for city in game_map.cities)
    home = np.array([projection.project(city.lat, city.lon) for city in game_map.cities])
    cos, sin = math.cos(math.radians(rotate)), math.sin(math.radians(rotate))
    home = home @ np.array([[cos, sin], [-sin, cos]])
    home[:, 0] *= stretch
    for name, shift in pins.items():
        home[[city.name for city in game_map.cities].index(game_map.city(name).name)] += shift
    energy = Energy(game_map, home, unit)
    result = minimize(energy, home.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 2000})
    positions: Floats = result.x.reshape(-1, 2)
    positions -= positions.min(axis=0)
    moved = np.hypot(*(positions - positions.mean(axis=0) - home + home.mean(axis=0)).T)
    chords = np.hypot(*(positions[energy.ends[:, 1]] - positions[energy.ends[:, 0]]).T)
    worst = np.argsort(chords / energy.needed)[:6]
    before, _ = energy(home.ravel())
    print(f"{game_map.name}: energy {before:.0f} -> {result.fun:.0f}, moved {moved.mean():.1f} on average")
    for k in worst:
        a, b = (game_map.cities[i].name for i in energy.ends[k])
        print(f"  {a}-{b}: {chords[k]:.1f} of {energy.needed[k]:.1f}")
    return positions


def write_positions(path: Path, positions: dict[str, tuple[float, float]]) -> None:
    """Write the columns `x` and `y` of a cities.csv, adding them if needed."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        fields = reader.fieldnames = [field.strip() for field in reader.fieldnames or []]
        rows = [row for row in reader if row["name"].strip()]
    fields += [column for column in ("x", "y") if column not in fields]
    for row in rows:
        row["x"], row["y"] = (f"{value:.1f}" for value in positions[row["name"].strip()])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    """Tune one map, and write its positions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("map", help="name of a map in data/, or the folder of one")
    parser.add_argument("--unit", type=float, default=3.4, help="board units per car space")
    parser.add_argument("--stretch", type=float, default=1.0, help="widen by this factor")
    parser.add_argument("--rotate", type=float, default=0.0, help="turn by this angle in degrees")
    parser.add_argument("--pin", action="append", default=[], metavar="CITY=DX,DY", help="shift a city's home")
    options = parser.parse_args()
    folder = find_folder(options.map)
    game_map = load_map(folder)
    pins = {}
    for pin in options.pin:
        name, _, shift = pin.rpartition("=")
        dx, dy = map(float, shift.split(","))
        pins[name] = (dx, dy)
    positions = tune(game_map, options.unit, pins, options.stretch, options.rotate)
    write_positions(
        folder / "cities.csv",
        {city.name: (float(x), float(y)) for city, (x, y) in zip(game_map.cities, positions, strict=True)},
    )


if __name__ == "__main__":
    main()
