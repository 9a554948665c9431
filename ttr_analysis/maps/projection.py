"""From latitude and longitude to the flat board picture."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

BOARD_SIZE = 100.0
"""The longer side of the rectangle around all cities, in board units."""

_MIN_CONE = 0.02
"""Cone constants nearer to 0 (maps around the equator) are numerically poor and look the same."""


@dataclass(frozen=True, slots=True)
class Projection:
    """
    Lambert's conformal conic projection, fitted to the cities of a map.

    Conformal: small shapes keep their form, so that coasts look familiar.
    The sphere is good enough for a board [1]_.

    Parameters
    ----------
    cone
        Cone constant; its sign is that of the hemisphere.
    meridian
        Central meridian in degrees.
    scale, left, bottom
        Board units per projected unit, and the corner of the board.

    References
    ----------
    .. [1] Snyder, J. P. "Map Projections: A Working Manual", US Geological
       Survey Professional Paper 1395, pp. 104-107, 1987.

    Examples
    --------
    >>> projection = Projection.fit([(55.0, 5.0), (71.0, 33.0)])
    >>> x, y = projection.project(71.0, 33.0)
    >>> round(x), round(y)
    (80, 100)
    """

    cone: float
    meridian: float
    scale: float
    left: float
    bottom: float

    @classmethod
    def fit(cls, positions: Iterable[tuple[float, float]]) -> Self:
        """
        Return the projection in which all positions fill the board.

        Parameters
        ----------
        positions
            Pairs of latitude and longitude in degrees; at least one.
        """
        points = list(positions)
        lats = [lat for lat, _ in points]
        lons = [lon for _, lon in points]
        cone = _cone(min(lats), max(lats))
        flat = cls(cone, (min(lons) + max(lons)) / 2, 1.0, 0.0, 0.0)
        projected = [flat.project(lat, lon) for lat, lon in points]
        xs, ys = zip(*projected, strict=True)
        extent = max(max(xs) - min(xs), max(ys) - min(ys))
        scale = BOARD_SIZE / extent if extent else 1.0
        return cls(cone, flat.meridian, scale, min(xs) * scale, min(ys) * scale)

    def project(self, lat: float, lon: float) -> tuple[float, float]:
        """Return the board position of a latitude and longitude in degrees."""
        # 89.5 degrees: a pole itself lies at infinity for the other hemisphere's cone.
        phi = math.radians(max(-89.5, min(89.5, lat)))
        around = (lon - self.meridian + 180) % 360 - 180
        radius = math.tan(math.pi / 4 + phi / 2) ** -self.cone / self.cone
        theta = self.cone * math.radians(around)
        x = radius * math.sin(theta)
        y = -radius * math.cos(theta)
        return x * self.scale - self.left, y * self.scale - self.bottom


def _cone(south: float, north: float) -> float:
    """Return the cone constant for standard parallels a sixth of the span inside the map."""
    margin = (north - south) / 6
    low, high = (math.radians(max(-85.0, min(85.0, lat))) for lat in (south + margin, north - margin))
    if math.isclose(low, high, abs_tol=1e-9):
        cone = math.sin(low)
    else:
        isometric = [math.log(math.tan(math.pi / 4 + lat / 2)) for lat in (low, high)]
        cone = math.log(math.cos(low) / math.cos(high)) / (isometric[1] - isometric[0])
    return cone if abs(cone) >= _MIN_CONE else math.copysign(_MIN_CONE, cone)
