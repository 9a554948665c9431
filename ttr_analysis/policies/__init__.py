"""
Players: what chooses among the legal actions of a seat.

>>> game = ttr.Game(ttr.load_map("usa"))
>>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
>>> record.header.policies
('Greedy', 'Random')

A player of one's own is a short class: see `Policy`. Nothing heavy is imported
before it is used: the names below are looked up at their first use (PEP 562).
"""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
