"""Policies at their seats: from a packed state to a legal action."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from ttr_analysis._errors import GameError, IllegalActionError
from ttr_analysis.engine.actions import LegalActions
from ttr_analysis.engine.actions.codec import Codec
from ttr_analysis.engine.actions.table import is_canonical
from ttr_analysis.engine.codes import seat_of
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.packed import PackedGame
from ttr_analysis.engine.protocol import CompiledPolicy, Policy, policy_name
from ttr_analysis.engine.view import SeatView, redact
from ttr_analysis.rules.chance import N_WORDS, open_stream, policy_words

Chooser = Callable[[State], tuple[int, int]]
"""A policy at its seat in one game: from the packed state to a legal code and value."""


def seat_policy(packed: PackedGame, policy: object, seat: int, seed: int, game: int) -> Chooser:
    """
    Return a policy at its seat, ready to choose.

    Its errors and illegal actions are raised with its name, seat and turn.

    Parameters
    ----------
    packed
        The game.
    policy
        A `Policy` or `CompiledPolicy`.
    seat
        Its seat.
    seed, game
        What its random numbers hang on, beside the seat.

    Raises
    ------
    GameError
        If it is no policy.
    """
    if isinstance(policy, type):
        raise GameError(f"P{seat} is to be played by a policy, got the class {policy.__name__}: write brackets")
    if isinstance(policy, CompiledPolicy):
        return _seat_compiled(packed, policy, seat, seed, game)
    if isinstance(policy, Policy):
        return _seat_python(packed, policy, seat, seed, game)
    raise GameError(f"P{seat} is to be played by a policy, an object with a method `choose`, got {policy!r}")


def check_memory(policy: CompiledPolicy, seat: int) -> None:
    """Raise a `GameError` if the memory of a policy has no room for its stream."""
    if policy.memory_size < N_WORDS:
        size = policy.memory_size
        raise GameError(f"{policy_name(policy)} at P{seat} wants a memory of {size} cells; its stream takes {N_WORDS}")


def _seat_compiled(packed: PackedGame, policy: CompiledPolicy, seat: int, seed: int, game: int) -> Chooser:
    check_memory(policy, seat)
    # A policy may change what it is given, but not the game, and not what others are given.
    tables = packed.tables.copy()
    params, lore = policy.params.copy(), policy.lore(packed.game_map, packed.n_players).copy()
    memory = np.zeros(policy.memory_size, dtype=np.int64)
    open_stream(policy_words(seed, seat), game, 1 + seat, memory[:N_WORDS])

    def choose(state: State) -> tuple[int, int]:
        seen = redact(state, tables, seat)
        with _blamed(policy, state):
            code, value = map(int, policy.decide(seen, tables, lore, seat, params, memory))
        reason = packed.why_illegal(state, code, value) if is_canonical(code, value) else _what_is_odd(code, value)
        if reason is not None:
            raise IllegalActionError(f"{_who(policy, state)} chose what is illegal: {reason}")
        return code, value

    return choose


def _seat_python(packed: PackedGame, policy: Policy, seat: int, seed: int, game: int) -> Chooser:
    words = np.zeros(N_WORDS, dtype=np.int64)
    open_stream(policy_words(seed, seat), game, 1 + seat, words)
    rng = np.random.default_rng(words.tolist())
    codec = Codec(packed.game_map)  # its own: a codec remembers what it decoded

    def choose(state: State) -> tuple[int, int]:
        view = SeatView(packed.game_map, packed.n_players, state, seat)
        actions = LegalActions(packed.rows(state), codec, view.packed)
        with _blamed(policy, state):
            action = policy.choose(view, actions, rng)
        try:
            return packed.encode(state, action)
        except IllegalActionError as error:
            raise IllegalActionError(f"{_who(policy, state)} chose what is illegal: {error}") from None

    return choose


def _what_is_odd(code: int, value: int) -> str:
    return "its code names a seat" if code >= 0 and seat_of(code) else f"no action has code {code} and value {value}"


@contextmanager
def _blamed(policy: object, state: State) -> Iterator[None]:
    """Raise what goes wrong inside as an error of the policy."""
    try:
        yield
    except Exception as error:
        raise GameError(f"{_who(policy, state)} failed: {type(error).__name__}: {error}") from error


def _who(policy: object, state: State) -> str:
    return f"{policy_name(policy)} at P{int(state.seat)} in turn {int(state.n_turns) + 1}"
