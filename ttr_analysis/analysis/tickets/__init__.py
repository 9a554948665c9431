"""Tickets: the fewest trains for any set of them, what breaks it, and what each is worth."""

from ttr_analysis.analysis.tickets.network import (
    Network,
    NoNetworkError,
    cheapest_network,
    fewest_trains,
)

__all__ = ["Network", "NoNetworkError", "cheapest_network", "fewest_trains"]
