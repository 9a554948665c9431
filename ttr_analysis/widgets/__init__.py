"""
Widgets for notebooks: step through games, play, and ask about odds and tickets.

They hold what is seen and nothing else: rules and odds are those of the
engine and of the analysis. Nothing heavy is imported before it is used: the
names below are looked up at their first use (PEP 562).
"""

from typing import TYPE_CHECKING

from ttr_analysis._lazy import late_names

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
    __getattr__, __dir__ = late_names(__name__, _HOMES)
