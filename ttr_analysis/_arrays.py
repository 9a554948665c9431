"""Arrays by the type of their cells: what compiled code and its callers annotate with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
"""Numbers of any kind: cards, trains, points, codes."""
Floats = npt.NDArray[np.float64]
"""Probabilities, means and parameters."""
Narrow = npt.NDArray[np.int32]
"""Numbers in half the room, where there are many."""
Flags = npt.NDArray[np.int8]
"""0 or 1 for each city, route or ticket."""
