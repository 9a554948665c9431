"""Players: what chooses among the legal actions of a seat."""

from ttr_analysis.engine.protocol import CompiledPolicy, Policy

__all__ = ["CompiledPolicy", "Policy"]
