"""A game on packed states, and policies at their seats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._errors import GameError, IllegalActionError
from ttr_analysis.analysis import payments
from ttr_analysis.engine.actions import Action, ClaimRoute, LegalActions
from ttr_analysis.engine.actions.handler import Refused
from ttr_analysis.engine.actions.table import HANDLER_OF, Codec, codec_of, explain, is_canonical, shows_cards
from ttr_analysis.engine.codes import (
    CARD_DEALT,
    NEUTRAL_TICKET,
    READ_AT,
    READ_END,
    WRITE_AT,
    ActionFault,
    kind_of,
    seat_of,
    unpacked,
)
from ttr_analysis.engine.events import Chance, Move, Rows, decode_event, outcome_error, script_of, tape_of
from ttr_analysis.engine.kernel.step import action_fault, list_actions, step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.protocol import CompiledPolicy, Policy, policy_name
from ttr_analysis.engine.unknowns import identify_cards, n_unknown_cards, unknown_words
from ttr_analysis.engine.view import SeatView, redact
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.chance import KEY_SIZE, open_stream, policy_key, seed_key
from ttr_analysis.tables import game_tables

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
        What its random numbers depend on, beside the seat.

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
    if policy.memory_size < KEY_SIZE:
        size = policy.memory_size
        raise GameError(f"{policy_name(policy)} at P{seat} needs a memory of {size} cells; its stream takes {KEY_SIZE}")


def _seat_compiled(packed: PackedGame, policy: CompiledPolicy, seat: int, seed: int, game: int) -> Chooser:
    check_memory(policy, seat)
    # A policy may change what it is given, but not the game, and not what others are given.
    tables = packed.tables.copy()
    params, lore = policy.params.copy(), policy.lore(packed.game_map, packed.n_players).copy()
    memory = np.zeros(policy.memory_size, dtype=np.int64)
    open_stream(policy_key(seed, seat), game, 1 + seat, memory[:KEY_SIZE])

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
    key = np.zeros(KEY_SIZE, dtype=np.int64)
    open_stream(policy_key(seed, seat), game, 1 + seat, key)
    rng = np.random.default_rng(key.tolist())
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


# -- a game on packed states ---------------------------------------------------------------------------------------

Happened = tuple[Move | Chance, ...]
"""A move and the outcomes of chance after it."""

_TAPE_EVENTS: Final = 128
_N_ROWS: Final = 512


class PackedGame:
    """
    The game on a map, on packed states. None of its methods changes a state.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    n_players
        Number of players, without the neutral one.

    Raises
    ------
    ValueError
        If the map is not for so many players, or too large to be played.
    """

    def __init__(self, game_map: GameMap, n_players: int) -> None:
        self.game_map = game_map
        self.n_players = n_players
        self.tables = game_tables(game_map, n_players)
        self.codec = codec_of(game_map)

    def deal(self, seed: int, game: int, outcomes: Iterable[Chance] | None = None) -> tuple[State, Rows]:
        """Return the first state, and what was dealt: see `Game.deal`."""
        key = seed_key(seed)
        empty = State()
        return self._run(empty, lambda after, tape: new_game(self.tables, key, game, after, tape), outcomes)

    def step(self, state: State, code: int, value: int, outcomes: Iterable[Chance] | None = None) -> tuple[State, Rows]:
        """Return the state after a legal action, and what happened: see `Game.step`."""
        before, _ = _identified(state, code, value)
        after, rows = self._run(before, lambda new, tape: step(new, self.tables, code, value, tape), outcomes)
        if outcomes is None and any(CARD_DEALT <= kind_of(code) <= NEUTRAL_TICKET for code, _ in rows):
            self._check_chance(after)
        return after, rows

    def play_on(self, state: State, code: int, value: int) -> tuple[State, Rows]:
        """Return the same as `step` where chance decides, from a state in which nothing is unknown."""
        return self._run(state, lambda new, tape: step(new, self.tables, code, value, tape), None)

    def events(self, rows: Rows, before: State) -> Happened:
        """Return what happened in words, from the state before it."""
        return tuple(decode_event(self.codec, code, value, before) for code, value in rows)

    def try_script(
        self, state: State | None, code: int, value: int, script: list[tuple[int, int]]
    ) -> tuple[State, list[tuple[int, int]]]:
        """
        Return the state after a legal action and the events, whether its script is whole, fits or neither.

        Parameters
        ----------
        state
            The packed state; None for the set-up, whose code and value mean
            nothing.
        code, value
            The action.
        script
            Outcomes. Where one does not fit or is missing, the kernel goes on
            with an unknown one.
        """
        if state is None:
            empty, key = State(), seed_key(0)
            after, rows, _ = _written(empty, lambda new, tape: new_game(self.tables, key, 0, new, tape), script)
        else:
            before, _ = _identified(state, code, value)
            after, rows, _ = _written(before, lambda new, tape: step(new, self.tables, code, value, tape), script)
        return after, rows

    def rows(self, state: State) -> Ints:
        """Return codes and values of the legal actions, one row each."""
        rows = np.empty((_N_ROWS, 2), dtype=np.int64)
        n = int(list_actions(state, self.tables, rows))
        if n > len(rows):
            # Payments that are alike are found among those that fit: there may be fewer now.
            rows = np.empty((n, 2), dtype=np.int64)
            n = int(list_actions(state, self.tables, rows))
        return rows[:n]

    def why_illegal(self, state: State, code: int, value: int, names: Sequence[str] = ()) -> str | None:
        """Return why the action of a code and value is illegal, None if it is legal; players may have names."""
        known, reason = _identified(state, code, value)
        fault = ActionFault(action_fault(known, self.tables, code, value))
        if fault is ActionFault.CARDS and reason:
            return reason
        return explain(fault, Refused(self.game_map, self.tables, state, code, value, names)) if fault else None

    def encode(self, state: State, action: Action, names: Sequence[str] = ()) -> tuple[int, int]:
        """
        Return the code and value of a legal action.

        Parameters
        ----------
        state
            The packed state.
        action
            Any action.
        names
            What messages call the players, seat by seat.

        Raises
        ------
        IllegalActionError
            If it is illegal; the message says why.
        """
        try:
            code, value = self.codec.encode(action, state)
        except IllegalActionError:
            handler = HANDLER_OF.get(type(action))
            if handler and action_fault(state, self.tables, handler.kind, 0) in (ActionFault.OVER, ActionFault.PHASE):
                raise IllegalActionError(self.why_illegal(state, handler.kind, 0, names)) from None
            raise
        reason = self.why_illegal(state, code, value, names)
        if reason is None and isinstance(action, ClaimRoute) and not self.codec.is_decoded(action, code, value, state):
            reason = payments.why_illegal(action.route, action.payment)
        if reason is not None:
            raise IllegalActionError(reason)
        return code, value

    def _run(
        self, state: State, run: Callable[[State, Ints], None], outcomes: Iterable[Chance] | None
    ) -> tuple[State, Rows]:
        """Let the kernel run on a copy of a state; return what became of it, and the events."""
        script = None if outcomes is None else script_of(self.codec, outcomes)
        after, rows, is_read = _written(state, run, script)
        if script is not None and (after.fault or not is_read):
            raise GameError(outcome_error(self.codec, script, rows))
        return after, rows

    def _check_chance(self, state: State) -> None:
        """Raise a `GameError` if a state cannot say what chance did."""
        if unknown := unknown_words(state, self.n_players):
            raise GameError(f"chance cannot go on from a state with {unknown}: say what it does (outcomes)")
        if not state.stream.any():
            raise GameError(
                "a position, or a state of a record, has no random numbers of its own: say what chance does "
                "(outcomes), or go on from GameRecord.from_position(state).resume(0, seed) or record.resume(step, seed)"
            )


def _written(
    state: State, run: Callable[[State, Ints], None], script: list[tuple[int, int]] | None
) -> tuple[State, Rows, bool]:
    """Let the kernel run on a copy of a state: return the copy, the events, and whether all of a script was read."""
    n_events = _TAPE_EVENTS
    while True:
        after = state.copy()
        tape = tape_of(script, n_events)
        start = int(tape[WRITE_AT])
        run(after, tape)
        n_written = (int(tape[WRITE_AT]) - start) // 2
        if n_written <= n_events:
            break
        n_events = n_written
    written = tape[start : start + 2 * n_written].tolist()
    return after, list(zip(written[::2], written[1::2], strict=True)), bool(tape[READ_AT] >= tape[READ_END])


def _identified(state: State, code: int, value: int) -> tuple[State, str]:
    """
    Return a state in which the seat that acts holds the cards it plays, if they may be its unknown ones.

    Else return the same state, and why they cannot be; "" if no card of the
    seat is unknown.
    """
    seat = int(state.seat)
    if not shows_cards(code) or n_unknown_cards(state, seat) == 0:
        return state, ""
    identified = state.copy()
    reason = identify_cards(identified, seat, unpacked(value).counts)
    return (state if reason else identified), reason
