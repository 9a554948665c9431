"""
Analysis of Ticket to Ride: maps as graphs, exact odds, tickets, games.

>>> import ttr_analysis as ttr
>>> nordic = ttr.load_map("nordic")
>>> len(nordic.cities), len(nordic.routes)
(39, 81)

Heavy modules load on demand: each name below is looked up the first time it is
used (PEP 562).
"""

from typing import Any

import lazy_loader as _lazy_loader

from ttr_analysis import _upward

__version__ = "0.9.0"

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)


def _player_class(name: str) -> Any:  # noqa: ANN401 - as in `_upward`
    from ttr_analysis import policies

    return getattr(policies, name)


def _draw_worlds(*args: Any) -> Any:  # noqa: ANN401
    from ttr_analysis.policies.search.rollouts import draw_worlds

    return draw_worlds(*args)


_upward.player_class = _player_class
_upward.draw_worlds = _draw_worlds
