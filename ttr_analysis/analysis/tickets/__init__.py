"""Tickets: the fewest trains for any set of them, what breaks it, and what each is worth."""

from ttr_analysis.analysis.tickets.best import BestNetwork, best_network
from ttr_analysis.analysis.tickets.blocking import blocking_map
from ttr_analysis.analysis.tickets.feasibility import Bottleneck, Feasibility, MissingCards, feasibility, fewest_loans
from ttr_analysis.analysis.tickets.keeping import which_to_keep
from ttr_analysis.analysis.tickets.model import Network, NoNetworkError
from ttr_analysis.analysis.tickets.network import cheapest_network, fewest_trains
from ttr_analysis.analysis.tickets.values import best_pairs, random_deals, value_table

__all__ = [
    "BestNetwork",
    "Bottleneck",
    "Feasibility",
    "MissingCards",
    "Network",
    "NoNetworkError",
    "best_network",
    "best_pairs",
    "blocking_map",
    "cheapest_network",
    "feasibility",
    "fewest_loans",
    "fewest_trains",
    "random_deals",
    "value_table",
    "which_to_keep",
]
