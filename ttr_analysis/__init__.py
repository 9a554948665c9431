"""
Analysis of Ticket to Ride: maps as graphs, exact odds, tickets, games.

>>> import ttr_analysis as ttr
>>> nordic = ttr.load_map("nordic")
>>> len(nordic.cities), len(nordic.routes)
(39, 81)

Nothing heavy is imported before it is used: the names below are looked up at
their first use (PEP 562).
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
