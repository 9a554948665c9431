"""A player who plans: keeps good tickets, builds the cheapest network for them, and fills up with long routes."""

from ttr_analysis.policies.planner.knowledge import Memory, planner_lore
from ttr_analysis.policies.planner.policy import Planner, Planner1, choose

__all__ = ["Memory", "Planner", "Planner1", "choose", "planner_lore"]
