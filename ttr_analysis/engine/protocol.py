"""
Players: the interfaces for Python and compiled policies, the built-in players, and binding a policy to a seat.

Your own player needs no registration: any object with a `choose` or `decide` method can
play move by move, and one that also has a `chooser` can play in the compiled loop. There,
built-in players differ in one way: they are not checked for illegal moves or for use of
hidden information.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol, TypeAlias, runtime_checkable

import numpy as np

from ttr_analysis import _upward
from ttr_analysis._compile import Floats, Ints
from ttr_analysis._errors import GameError, IllegalActionError, UnknownNameError
from ttr_analysis.engine.actions import Action, LegalActions
from ttr_analysis.engine.actions.table import Codec, is_canonical
from ttr_analysis.engine.codes import seat_of
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.state import SeatView, redact
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.chance import KEY_SIZE, open_stream, policy_key
from ttr_analysis.tables import Tables

RIVALS: Final = ("OneStep", "LongRoutes", "Paths", "Hungry", "Racer")
"""Names of reference opponents, modeled on published players or tuned against the built-in ones."""

FROZEN: Final = ("Planner1", "Planner2")
"""Names of players of earlier versions, kept unchanged as reference opponents."""

BUILT_IN: Final = ("Random", "Greedy", "Planner", "Searcher", *FROZEN, *RIVALS)
"""Names of all built-in players. Our current ones come first, weakest first."""

Chooser = Callable[[State, Tables, Ints, int, Floats, Ints], tuple[int, int]]
"""A compiled function that plays: see `CompiledPolicy.decide` for its arguments."""


@runtime_checkable
class Policy(Protocol):
    """
    A player: anything that chooses actions.

    Records call it by its `name`, or else by the name of its class.

    Examples
    --------
    A complete policy. It keeps the tickets with the lowest penalties, claims the route
    with the most points, but no short routes while it has many trains, and otherwise draws
    the color that it holds most of.

    >>> from ttr_analysis.cards import COLORS
    >>> from ttr_analysis.engine.actions import ClaimRoute, DrawFaceUp, KeepTickets
    >>> class Collector:
    ...     def choose(self, view, actions, rng):
    ...         keeps = [action for action in actions if isinstance(action, KeepTickets)]
    ...         if keeps:
    ...             return min(keeps, key=lambda keep: sum(ticket.penalty for ticket in keep.tickets))
    ...         shortest = 4 if view.trains[view.seat] > 10 else 1
    ...         claims = [a for a in actions if isinstance(a, ClaimRoute) and a.route.length >= shortest]
    ...         if claims:
    ...             return max(claims, key=lambda claim: (claim.route.points, -claim.payment.locomotives))
    ...         color = max(COLORS, key=lambda color: view.hand[color])
    ...         for action in actions:
    ...             if isinstance(action, DrawFaceUp) and view.market[action.slot] == color:
    ...                 return action
    ...         return actions[0]
    >>> record = ttr.Game(ttr.load_map("usa")).play([Collector(), Collector()], seed=7)
    >>> record.header.policies
    ('Collector', 'Collector')
    """

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:
        """
        Return the action to take.

        Parameters
        ----------
        actions
            Its legal actions, at least one, in a fixed order: draws from the pile, draws from
            the market, claims in map order, payments of a surcharge, declining it, drawing and
            keeping tickets, tracks for the neutral player, stations, passing. Claims are listed
            once for each route and form of payment; other legal choices of cards may be returned.
        rng
            Random generator of this seat in this game.
        """
        ...


@runtime_checkable
class CompiledPolicy(Protocol):
    """
    A player made of one compiled function, such as `Random`, `Greedy` or `Planner`.

    With a `chooser`, `play_games` and `simulate` play it as fast as those; with only a
    `decide` method, it is called from Python, move by move. It may look only at what
    `engine.state.redact` leaves of the state: it must make the same choice given the state
    or the view.

    Examples
    --------
    A player that takes the first legal action. You can try its method without compiling
    it.

    >>> from ttr_analysis.engine.kernel.step import list_actions
    >>> class First:
    ...     name, params, memory_size = "First", np.zeros(1), 4
    ...     def lore(self, game_map, n_players):
    ...         return np.zeros(1, dtype=np.int64)
    ...     def decide(self, state, tables, lore, seat, params, memory):
    ...         actions = np.zeros((1, 2), dtype=np.int64)
    ...         list_actions(state, tables, actions)
    ...         return actions[0, 0], actions[0, 1]
    >>> record = ttr.Game(ttr.load_map("usa")).play([First(), First()], seed=7)
    >>> record.state_at(-1).ending
    'trains'
    """

    @property
    def name(self) -> str:
        """Its name in records."""
        ...

    @property
    def params(self) -> Floats:
        """Its parameters, as a vector."""
        ...

    @property
    def memory_size(self) -> int:
        """Number of cells of its memory, at least 4: first the random stream of the seat, then zeros."""
        ...

    def lore(self, game_map: GameMap, n_players: int) -> Ints:
        """Return its data on a map, as a vector."""
        ...

    def decide(
        self, state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints
    ) -> tuple[int, int]:
        """
        Return the code and value of a legal action: see `engine.codes`.

        Parameters
        ----------
        lore
            The result of `lore`.
        memory
            Memory of this seat in this game, which the policy may change.
        """
        ...


def policy_name(policy: object) -> str:
    """Return a policy's name in records: its `name`, or else that of its class."""
    name = getattr(policy, "name", None)
    return name if isinstance(name, str) else type(policy).__name__


PolicyLike: TypeAlias = Policy | CompiledPolicy | str
"""A policy, or the name of a built-in one (case-insensitive); "Searcher:200" is a Searcher with 200 rollouts."""


def find_policy(given: PolicyLike) -> Policy | CompiledPolicy:
    """
    Return a policy given as an object or by name; raise an `UnknownNameError` for an unknown name.

    >>> find_policy("greedy"), find_policy("Searcher:200").rollouts
    (Greedy(), 200)
    """
    if not isinstance(given, str):
        return given
    base, colon, rollouts = given.strip().lower().partition(":")
    name = next((name for name in BUILT_IN if name.lower() == base), None)
    if name is None or (colon and not (name == "Searcher" and rollouts.isdecimal())):
        raise UnknownNameError.among("policy", given, BUILT_IN)
    policy: Policy | CompiledPolicy = _upward.player_class(name)(*([int(rollouts)] if colon else []))
    return policy


def find_policies(given: Iterable[PolicyLike]) -> list[Policy | CompiledPolicy]:
    """Return policies given as objects or by name."""
    return [find_policy(one) for one in given]


def is_built_in(policy: object) -> bool:
    """Return whether a policy is an instance of a built-in class itself, not of a subclass."""
    name = type(policy).__name__
    return name in BUILT_IN and type(policy) is _upward.player_class(name)


# -- a policy bound to a seat ------------------------------------------------------------------------------------------

SeatedChooser = Callable[[State], tuple[int, int]]
"""A policy bound to a seat for one game: from the packed state to a legal code and value."""


def seat_policy(game: KernelGame, policy: object, seat: int, seed: int, number: int) -> SeatedChooser:
    """Bind a policy to a seat, with its own random numbers; errors name the policy, seat and turn."""
    if isinstance(policy, type):
        raise GameError(f"P{seat} must be played by a policy, got the class: write {policy.__name__}()")
    if isinstance(policy, CompiledPolicy):
        return _seat_compiled(game, policy, seat, seed, number)
    if isinstance(policy, Policy):
        return _seat_python(game, policy, seat, seed, number)
    raise GameError(f"P{seat} must be played by a policy, an object with a method `choose`, got {policy!r}")


def check_memory(policy: CompiledPolicy, seat: int) -> None:
    """Raise a `GameError` if a policy's memory has no room for its random stream."""
    if policy.memory_size < KEY_SIZE:
        size = policy.memory_size
        raise GameError(f"{policy_name(policy)} at P{seat} has a memory of {size} cells; its stream takes {KEY_SIZE}")


def _seat_compiled(game: KernelGame, policy: CompiledPolicy, seat: int, seed: int, number: int) -> SeatedChooser:
    check_memory(policy, seat)
    # Copies, so that a policy that changes its arguments cannot affect the game or other policies.
    tables = game.tables.copy()
    params, lore = np.array(policy.params, dtype=np.float64), policy.lore(game.game_map, game.n_players).copy()
    memory = np.zeros(policy.memory_size, dtype=np.int64)
    open_stream(policy_key(seed, seat), number, 1 + seat, memory[:KEY_SIZE])

    def choose(state: State) -> tuple[int, int]:
        seen = redact(state, tables, seat)
        with _errors_name_policy(policy, state):
            code, value = map(int, policy.decide(seen, tables, lore, seat, params, memory))
        reason = game.why_illegal(state, code, value) if is_canonical(code, value) else _why_malformed(code, value)
        if reason is not None:
            raise IllegalActionError(f"{_who(policy, state)} chose an illegal action: {reason}")
        return code, value

    return choose


def _seat_python(game: KernelGame, policy: Policy, seat: int, seed: int, number: int) -> SeatedChooser:
    key = np.zeros(KEY_SIZE, dtype=np.int64)
    open_stream(policy_key(seed, seat), number, 1 + seat, key)
    rng = np.random.default_rng(key.tolist())
    codec = Codec(game.game_map)  # a separate codec, since codecs cache what they decode

    def choose(state: State) -> tuple[int, int]:
        view = SeatView(game.game_map, game.n_players, state, seat)
        actions = LegalActions(game.rows(state), codec, view.packed)
        with _errors_name_policy(policy, state):
            action = policy.choose(view, actions, rng)
        try:
            return game.encode(state, action)
        except IllegalActionError as error:
            raise IllegalActionError(f"{_who(policy, state)} chose an illegal action: {error}") from None

    return choose


def _why_malformed(code: int, value: int) -> str:
    return "actions have no seat" if code >= 0 and seat_of(code) else f"no action has code {code} and value {value}"


@contextmanager
def _errors_name_policy(policy: object, state: State) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise GameError(f"{_who(policy, state)} failed: {type(error).__name__}: {error}") from error


def _who(policy: object, state: State) -> str:
    return f"{policy_name(policy)} at P{int(state.seat)} in turn {int(state.n_turns) + 1}"
