"""The full rules of the game: states, actions, scores, and the compiled kernel that plays."""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
