"""Many games, and what they say: simulations as tidy tables, and the questions that players argue about."""

from ttr_analysis.studies.intervals import Interval, mean_interval, wilson
from ttr_analysis.studies.questions import (
    opening_tickets,
    route_results,
    seat_advantage,
    ticket_results,
    tunnel_results,
    win_rates,
)
from ttr_analysis.studies.simulation import Interrupted, SimulationResult, simulate

__all__ = [
    "Interrupted",
    "Interval",
    "SimulationResult",
    "mean_interval",
    "opening_tickets",
    "route_results",
    "seat_advantage",
    "simulate",
    "ticket_results",
    "tunnel_results",
    "wilson",
    "win_rates",
]
