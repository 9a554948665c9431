"""
Drawing cards: how long it takes to gather them, and what to draw or burn.

What is in closed form or can be counted is exact; what is simulated carries
its standard error. Every result says which it is.
"""

from ttr_analysis.analysis.draws.choices import (
    LocomotiveChoice,
    locomotive_or_blind,
    locomotive_table,
    which_color_to_burn,
)
from ttr_analysis.analysis.draws.gather import TooManyStatesError, draws_for_routes, draws_to_gather, gather_table
from ttr_analysis.analysis.waiting import Estimate, WaitingTime

__all__ = [
    "Estimate",
    "LocomotiveChoice",
    "TooManyStatesError",
    "WaitingTime",
    "draws_for_routes",
    "draws_to_gather",
    "gather_table",
    "locomotive_or_blind",
    "locomotive_table",
    "which_color_to_burn",
]


def __dir__() -> list[str]:
    return __all__
