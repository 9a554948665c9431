"""Questions about maps: paths, payments, tunnels, draws, tickets and structure."""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
