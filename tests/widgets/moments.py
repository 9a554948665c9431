"""The moments that a stepper shows, put together from its data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ttr_analysis.widgets.snapshot import Moment


def replay_moments(data: dict[str, Any]) -> Iterator[Moment]:
    """Yield the moments of `game_data`, whole, as `wholeMoments` in `panels.js` makes them."""
    now: Any
    now, *changes = data["moments"]
    yield now
    for change in changes:
        seats = change.get("seats", {})
        owners = {**now["owners"], **change.get("owners", {})}
        now = {
            **now,
            **change,
            "owners": {route: owner for route, owner in owners.items() if owner is not None},
            "seats": [{**old, **seats.get(str(seat), {})} for seat, old in enumerate(now["seats"])],
        }
        yield now
