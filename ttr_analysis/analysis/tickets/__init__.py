"""Tickets: the fewest trains for any set of them, what breaks it, and what each is worth."""

from ttr_analysis.analysis.tickets.blocking import blocking_map
from ttr_analysis.analysis.tickets.model import Network, NoNetworkError
from ttr_analysis.analysis.tickets.network import cheapest_network, fewest_trains
from ttr_analysis.analysis.tickets.values import best_pairs, random_deals, value_table, which_to_keep

__all__ = [
    "Network",
    "NoNetworkError",
    "best_pairs",
    "blocking_map",
    "cheapest_network",
    "fewest_trains",
    "random_deals",
    "value_table",
    "which_to_keep",
]
