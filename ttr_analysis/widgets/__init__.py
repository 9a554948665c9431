"""
Widgets for notebooks: step through games, play, and ask about odds and tickets.

They only display: rules and odds come from the engine and the analysis. Heavy modules
load on demand: each name below is looked up the first time it is used (PEP 562).
"""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
