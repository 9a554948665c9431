"""Numbered actions: descriptions, masks, and conversion to action objects and back; see `engine.kernel.numbering`."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ttr_analysis._arrays import Flags
from ttr_analysis._errors import IllegalActionError
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.kernel.numbering import code_of, fill_mask, index_of, numbering_of, words_of
from ttr_analysis.engine.state import PublicState
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap


@lru_cache(maxsize=64)
def _kernel(game_map: GameMap, n_players: int) -> KernelGame:
    return KernelGame(game_map, n_players)


def action_words(game_map: MapLike) -> tuple[str, ...]:
    """
    Return the meaning of each action number on a map, in words.

    Parameters
    ----------
    game_map
        The map, in the variant that is played.

    Examples
    --------
    >>> words = action_words("nordic")
    >>> len(words)
    377
    >>> words[0], words[4], words[-2]
    ('draw a card from the pile', 'take the card in market slot 3', 'claim Umeå-Vaasa (gray, 1) with sets alone')
    """
    return words_of(as_map(game_map))


def action_mask(state: PublicState) -> Flags:
    """
    Return 1 for each legal action of the acting seat, else 0.

    Parameters
    ----------
    state
        A state, or the acting seat's view.

    Examples
    --------
    >>> state = ttr.Game("usa").new(seed=7)
    >>> words = action_words("usa")
    >>> [words[i] for i in np.flatnonzero(action_mask(state))][:2]
    ['keep tickets 0 and 1 of the offer', 'keep tickets 0 and 2 of the offer']
    """
    numbers, kernel = numbering_of(state.game_map), _kernel(state.game_map, state.n_players)
    mask = np.zeros(len(numbers.rows), dtype=np.int8)
    fill_mask(state.packed, kernel.tables, numbers, mask)
    return mask


def to_action(index: int, state: PublicState) -> Action:
    """
    Return an action by number.

    Parameters
    ----------
    state
        A state, or the acting seat's view.

    Raises
    ------
    IllegalActionError
        If there is no such number, or the action is illegal for the acting seat.

    Examples
    --------
    >>> state = ttr.Game("usa").new(seed=7)
    >>> print(to_action(int(np.flatnonzero(action_mask(state))[0]), state))
    keep Sault Ste. Marie to Nashville 8; Calgary to Salt Lake City 7
    """
    kernel, words = _kernel(state.game_map, state.n_players), words_of(state.game_map)
    if not 0 <= index < len(words):
        raise IllegalActionError(f"action numbers range from 0 to {len(words) - 1}, got {index}")
    code, value = map(int, code_of(state.packed, kernel.tables, numbering_of(state.game_map), index))
    if code < 0:
        raise IllegalActionError(f"P{state.acting} may not do this now: {words[index]} (action {index})")
    return kernel.codec.decode(code, value, state.packed)


def to_index(action: Action, state: PublicState) -> int:
    """
    Return the number of a legal action; the cards in its sets do not matter.

    Parameters
    ----------
    action
        A legal action of the acting seat.
    state
        A state, or the acting seat's view.

    Raises
    ------
    IllegalActionError
        If the action is illegal, or lays down no known cards (`AttemptTunnel`), since it
        then has no number.

    Examples
    --------
    >>> state = ttr.Game("usa").new(seed=7)
    >>> action = ttr.Game("usa").legal_actions(state)[0]
    >>> to_action(to_index(action, state), state) == action
    True
    """
    kernel, packed = _kernel(state.game_map, state.n_players), state.packed
    code, value = kernel.encode(packed, action)
    index = int(index_of(packed, kernel.tables, numbering_of(state.game_map), code, value))
    if index < 0:
        raise IllegalActionError(f"there is no number for: {action}")
    return index
