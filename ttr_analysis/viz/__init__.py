"""
Pictures: boards and charts that draw given data on axes, without computing results.

Each function draws on `ax`, by default new axes, and returns the axes; `title` replaces the default title.

Matplotlib loads on demand: the names below are looked up the first time they are used
(PEP 562), so that maps and widgets, which are drawn as SVG, do not wait for it.
"""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
