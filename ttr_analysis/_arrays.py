"""Array types for the annotations of compiled code and its callers, and results that contain tables."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Ints = npt.NDArray[np.int64]
"""Numbers of any kind: cards, trains, points, codes."""
Floats = npt.NDArray[np.float64]
"""Probabilities, means and parameters."""
Singles = npt.NDArray[np.float32]
"""What learners observe."""
Narrow = npt.NDArray[np.int32]
"""Numbers in half the space, for large arrays."""
Flags = npt.NDArray[np.int8]
"""0 or 1 for each city, route or ticket."""


def same_fields(one: DataclassInstance, other: object) -> bool:
    """Return whether two results have the same class and equal fields, including tables."""
    import pandas as pd

    if type(one) is not type(other):
        return False
    pairs = [(getattr(one, field.name), getattr(other, field.name)) for field in fields(one)]
    return all(a.equals(b) if isinstance(a, pd.DataFrame) else a == b for a, b in pairs)
