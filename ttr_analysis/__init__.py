"""
Analysis of Ticket to Ride: maps as graphs, exact odds, tickets, games.

>>> import ttr_analysis as ttr
>>> nordic = ttr.load_map("nordic")
>>> len(nordic.cities), len(nordic.routes)
(39, 81)

Nothing heavy is imported before it is used: the names below are looked up at
their first use (PEP 562).
"""

from typing import TYPE_CHECKING

from ttr_analysis._lazy import late_names

if TYPE_CHECKING:
    from ttr_analysis import policies as policies
    from ttr_analysis import studies as studies
    from ttr_analysis import viz as viz
    from ttr_analysis import widgets as widgets
    from ttr_analysis._compile import compiled as compiled
    from ttr_analysis._errors import AmbiguousNameError as AmbiguousNameError
    from ttr_analysis._errors import GameError as GameError
    from ttr_analysis._errors import IllegalActionError as IllegalActionError
    from ttr_analysis._errors import MapError as MapError
    from ttr_analysis._errors import RecordError as RecordError
    from ttr_analysis._errors import RecordWarning as RecordWarning
    from ttr_analysis._errors import UnknownNameError as UnknownNameError
    from ttr_analysis.analysis import draws as draws
    from ttr_analysis.analysis import paths as paths
    from ttr_analysis.analysis import payments as payments
    from ttr_analysis.analysis import structure as structure
    from ttr_analysis.analysis import tickets as tickets
    from ttr_analysis.analysis import tunnels as tunnels
    from ttr_analysis.cards import CardCounts as CardCounts
    from ttr_analysis.engine import actions as actions
    from ttr_analysis.engine.game import Game as Game
    from ttr_analysis.engine.record import GameRecord as GameRecord
    from ttr_analysis.engine.state import GameState as GameState
    from ttr_analysis.engine.view import SeatView as SeatView
    from ttr_analysis.maps.loading import load_map as load_map
    from ttr_analysis.maps.model import City as City
    from ttr_analysis.maps.model import GameMap as GameMap
    from ttr_analysis.maps.model import Place as Place
    from ttr_analysis.maps.model import Route as Route
    from ttr_analysis.maps.model import Ticket as Ticket
    from ttr_analysis.rules.ruleset import RuleSet as RuleSet
    from ttr_analysis.studies.simulation import SimulationResult as SimulationResult
    from ttr_analysis.studies.simulation import simulate as simulate

__version__ = "0.1.0"

# Where each public name lives; a module stands for itself. What type checkers read above must say the same (tested).
_HOMES = {
    "AmbiguousNameError": "_errors",
    "CardCounts": "cards",
    "City": "maps.model",
    "Game": "engine.game",
    "GameError": "_errors",
    "GameMap": "maps.model",
    "GameRecord": "engine.record",
    "GameState": "engine.state",
    "IllegalActionError": "_errors",
    "MapError": "_errors",
    "Place": "maps.model",
    "RecordError": "_errors",
    "RecordWarning": "_errors",
    "Route": "maps.model",
    "RuleSet": "rules.ruleset",
    "SeatView": "engine.view",
    "SimulationResult": "studies.simulation",
    "Ticket": "maps.model",
    "UnknownNameError": "_errors",
    "actions": "engine.actions",
    "compiled": "_compile",
    "draws": "analysis.draws",
    "load_map": "maps.loading",
    "paths": "analysis.paths",
    "payments": "analysis.payments",
    "policies": "policies",
    "simulate": "studies.simulation",
    "structure": "analysis.structure",
    "studies": "studies",
    "tickets": "analysis.tickets",
    "tunnels": "analysis.tunnels",
    "viz": "viz",
    "widgets": "widgets",
}


if not TYPE_CHECKING:  # which would accept any name
    __getattr__, __dir__ = late_names(__name__, _HOMES)
