"""Many games, and what they say: simulations as tidy tables."""

from ttr_analysis.studies.simulation import Interrupted, SimulationResult, simulate

__all__ = ["Interrupted", "SimulationResult", "simulate"]
