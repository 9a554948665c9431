"""
What pays for a route: all payments of a hand, the cheapest, and what it costs.

Works for any route of any map: the route says which spaces it has, where
locomotives are jokers, and how many cards of any kind may stand in for one.
"""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
