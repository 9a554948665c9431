"""
Players: policies that choose among a seat's legal actions.

>>> game = ttr.Game(ttr.load_map("usa"))
>>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
>>> record.header.policies
('Greedy', 'Random')

To write your own, subclass `Policy`. Heavy modules load on demand: each name below is
looked up the first time it is used (PEP 562).
"""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
