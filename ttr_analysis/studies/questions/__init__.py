"""
What the games of a simulation say, with 95% confidence intervals.

Every function reads the tables part by part, so that a simulation on disk may
be larger than memory. Games of one deal resemble each other, and seats of one
game do: intervals take deals for independent, and nothing else.

A route or ticket that goes along with winning need not be the cause: who is
ahead can afford more, and good routes are taken by good players.
"""

from ttr_analysis.studies.questions.results import (
    bonus_effects,
    compare_simulations,
    compare_strategies,
    loan_results,
    point_sources,
    seat_advantage,
    tunnel_calibration,
    tunnel_results,
    win_differences,
    win_rates,
)
from ttr_analysis.studies.questions.routes import (
    blocking_routes,
    city_results,
    longest_routes,
    route_lengths,
    route_results,
)
from ttr_analysis.studies.questions.tickets import (
    destination_results,
    late_tickets,
    opening_tickets,
    ticket_fates,
    ticket_results,
)

__all__ = [
    "blocking_routes",
    "bonus_effects",
    "city_results",
    "compare_simulations",
    "compare_strategies",
    "destination_results",
    "late_tickets",
    "loan_results",
    "longest_routes",
    "opening_tickets",
    "point_sources",
    "route_lengths",
    "route_results",
    "seat_advantage",
    "ticket_fates",
    "ticket_results",
    "tunnel_calibration",
    "tunnel_results",
    "win_differences",
    "win_rates",
]
