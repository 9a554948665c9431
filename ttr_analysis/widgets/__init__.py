"""
Widgets for notebooks: step through games, play, and ask about odds and tickets.

They hold what is seen and nothing else: rules and odds are those of the
engine and of the analysis. Nothing heavy is imported before it is used: the
names below are looked up at their first use (PEP 562).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ttr_analysis.widgets.costs import RouteCosts as RouteCosts
    from ttr_analysis.widgets.explorer import TicketExplorer as TicketExplorer
    from ttr_analysis.widgets.odds import TunnelOdds as TunnelOdds
    from ttr_analysis.widgets.recorder import GameRecorder as GameRecorder
    from ttr_analysis.widgets.stepper import GameStepper as GameStepper
    from ttr_analysis.widgets.table import GameTable as GameTable

# Where each public name lives. What type checkers read above must say the same (tested).
_HOMES = {
    "GameRecorder": "widgets.recorder",
    "GameStepper": "widgets.stepper",
    "GameTable": "widgets.table",
    "RouteCosts": "widgets.costs",
    "TicketExplorer": "widgets.explorer",
    "TunnelOdds": "widgets.odds",
}


if not TYPE_CHECKING:  # which would accept any name

    def __getattr__(name: str) -> object:
        """Import a public name at its first use."""
        if name not in _HOMES:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value: object = getattr(import_module(f"ttr_analysis.{_HOMES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return sorted({*_HOMES, *(name for name in globals() if name.startswith("__"))})
