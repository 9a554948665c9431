"""Many games, and what they say: simulations as tidy tables, and the questions that players argue about."""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
