"""
Pictures: boards and charts. Data and axes in, artists out; nothing here computes.

Each is drawn in the axes `ax`, by default those of a new figure, which are returned; `title` replaces its title.

Matplotlib is loaded by what draws with it: the names below are looked up at
their first use (PEP 562), so that maps and widgets, which are drawn as SVG,
need not wait for it.
"""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
