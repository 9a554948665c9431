"""
Payments for a route: all payments of a hand, the cheapest, and the cost of a route.

They work for any route of any map: the route gives its spaces, whether locomotives are
wild on it, and how many arbitrary cards can replace one.
"""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
