"""Rendering of boards for environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ttr_analysis.engine.state import GameState

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MODES: Final = ("svg", "rgb_array")
"""Render modes: SVG text, or an array of RGB pixels."""


def check_mode(mode: str | None) -> None:
    """Raise a ValueError for an unknown render mode."""
    if mode is not None and mode not in MODES:
        raise ValueError(f"expected a render_mode of {' or '.join(map(repr, MODES))}, or None, got {mode!r}")


def picture(state: GameState, mode: str | None) -> str | npt.NDArray[np.uint8] | None:
    """Return the board of a state in a render mode; None for mode None."""
    from ttr_analysis.viz.board import map_pixels
    from ttr_analysis.viz.svg import map_svg

    if mode is None:
        return None
    if mode == "svg":
        return str(map_svg(state.game_map, state.owners, stations=state.stations))
    owned = {f"P{seat}": state.routes_of(seat) for seat in range(state.n_players)}
    owned |= {"neutral": state.routes_of("neutral")} if state.game_map.rules.neutral.trains else {}
    return map_pixels(state.game_map, owned=owned, stations={k: f"P{v}" for k, v in state.stations.items()})
