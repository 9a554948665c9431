"""
Widgets for notebooks: step through games, play, and ask about odds and tickets.

They hold what is seen and nothing else: rules and odds are those of the
engine and of the analysis. Nothing heavy is imported before it is used: the
names below are looked up at their first use (PEP 562).
"""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
