"""Whole games by the full rules: states, actions, records, and the compiled kernel that plays them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
