"""The questions that players and teachers ask of a map: paths, payments, tunnels, draws, tickets, structure."""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
