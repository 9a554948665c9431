"""The flat picture keeps what a map should keep."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttr_analysis.maps.board import BOARD_SIZE, Projection

positions = st.lists(st.tuples(st.floats(-80, 80), st.floats(-170, 170)), min_size=2, max_size=8)


@given(positions)
def test_all_cities_lie_on_the_board(points: list[tuple[float, float]]) -> None:
    projection = Projection.fit(points)
    projected = [projection.project(lat, lon) for lat, lon in points]
    for x, y in projected:
        assert -1e-6 <= x <= BOARD_SIZE + 1e-6
        assert -1e-6 <= y <= BOARD_SIZE + 1e-6
    if len({(round(lat, 3), round(lon, 3)) for lat, lon in points}) > 1:
        assert max(max(x, y) for x, y in projected) == pytest.approx(BOARD_SIZE, rel=1e-6)


@pytest.mark.parametrize("lat", [-50.0, -10.0, 0.0, 25.0, 60.0])
def test_angles_are_kept(lat: float) -> None:
    projection = Projection.fit([(lat - 5, 10.0), (lat + 5, 30.0)])
    x, y = projection.project(lat, 20.0)
    step = 1e-4
    north = projection.project(lat + step, 20.0)
    east = projection.project(lat, 20.0 + step / math.cos(math.radians(lat)))
    assert north[1] > y
    assert east[0] > x
    assert math.hypot(north[0] - x, north[1] - y) == pytest.approx(math.hypot(east[0] - x, east[1] - y), rel=1e-3)
