"""
Pictures: boards and charts. Data and axes in, artists out; nothing here computes.

Matplotlib is loaded by what draws with it: the names below are looked up at
their first use (PEP 562), so that maps and widgets, which are drawn as SVG,
need not wait for it.
"""

from typing import TYPE_CHECKING

from ttr_analysis._lazy import late_names

if TYPE_CHECKING:
    from ttr_analysis.viz.board import plot_map as plot_map
    from ttr_analysis.viz.charts import plot_card_odds as plot_card_odds
    from ttr_analysis.viz.charts import plot_ticket_values as plot_ticket_values
    from ttr_analysis.viz.charts import plot_tunnel_odds as plot_tunnel_odds
    from ttr_analysis.viz.results import plot_late_tickets as plot_late_tickets
    from ttr_analysis.viz.results import plot_point_sources as plot_point_sources
    from ttr_analysis.viz.results import plot_rates as plot_rates
    from ttr_analysis.viz.results import plot_ticket_fates as plot_ticket_fates
    from ttr_analysis.viz.results import plot_ticket_results as plot_ticket_results
    from ttr_analysis.viz.results import plot_tunnel_success as plot_tunnel_success
    from ttr_analysis.viz.verdicts import plot_ratings as plot_ratings
    from ttr_analysis.viz.verdicts import plot_ticket_worth as plot_ticket_worth
    from ttr_analysis.viz.winning import plot_win_curve as plot_win_curve

# Where each public name lives. What type checkers read above must say the same (tested).
_HOMES = {
    "plot_card_odds": "viz.charts",
    "plot_late_tickets": "viz.results",
    "plot_map": "viz.board",
    "plot_point_sources": "viz.results",
    "plot_rates": "viz.results",
    "plot_ratings": "viz.verdicts",
    "plot_ticket_fates": "viz.results",
    "plot_ticket_results": "viz.results",
    "plot_ticket_values": "viz.charts",
    "plot_ticket_worth": "viz.verdicts",
    "plot_tunnel_odds": "viz.charts",
    "plot_tunnel_success": "viz.results",
    "plot_win_curve": "viz.winning",
}


if not TYPE_CHECKING:  # which would accept any name
    __getattr__, __dir__ = late_names(__name__, _HOMES)
