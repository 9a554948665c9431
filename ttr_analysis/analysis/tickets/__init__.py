"""Tickets: the fewest trains for any set of them, the routes that matter, and the value of each ticket."""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
