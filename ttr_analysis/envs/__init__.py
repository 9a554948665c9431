"""
Environments for machine learning: numbered actions and observations, batches of games, PettingZoo and Gymnasium.

>>> nordic = ttr.load_map("nordic")
>>> state = ttr.Game(nordic).new(seed=7)
>>> mask = ttr.envs.action_mask(state)
>>> mask.shape == (len(ttr.envs.action_words(nordic)),), int(mask.sum())
(True, 26)

PettingZoo and Gymnasium come with `pip install "ttr-analysis[rl]"`, and are imported
only when you use `AEC`, `Single` or `Vector`.
"""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
