"""A run of games: who sits where, and a block of them played and put into tables."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, Final, Self, TypeAlias, get_args

import numpy as np
import pandas as pd

from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine.codes import (
    CLAIM_ROUTE,
    DECLINE_TUNNEL,
    DRAW_CARD,
    DRAW_FACE_UP,
    DRAW_TICKETS,
    PASS,
    TAPE_START,
    WRITE_AT,
    WRITE_END,
)
from ttr_analysis.engine.game import Game
from ttr_analysis.engine.kernel import scoring
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.protocol import CompiledPolicy, Policy, policy_name
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.playout import BuiltIn, Players, deal_block, play_block, seat_players
from ttr_analysis.rules.chance import run_words
from ttr_analysis.studies import collecting as rows
from ttr_analysis.studies.collecting import Floats, Ints, collect_game, unpack_all
from ttr_analysis.studies.columns import TABLES, categories, category_types
from ttr_analysis.tables import game_tables

Player: TypeAlias = Policy | CompiledPolicy
Entrants: TypeAlias = Sequence[Player] | Mapping[str, Player]
"""Policies, or policies by the name that each is to have."""
Frames = dict[str, pd.DataFrame]
"""The tables of some games, by name."""

_GENERATORS: Final = (np.random.Generator, np.random.RandomState, random.Random)
_TAPE_EVENTS: Final = 8_192
"""Events for which there is room at first; a game has some hundreds."""
_BONUSES: Final = {
    "longest_trail": "trail_bonus",
    "completed_tickets": "completed_bonus",
    "tokens": "tokens_bonus",
}
"""The column of each kind of bonus, by what is compared."""


def is_built_in(policy: object) -> bool:
    """Return whether compiled code plays a policy; a class that inherits from a built-in one may play otherwise."""
    return type(policy) in get_args(BuiltIn)


def is_same(one: object, other: object) -> bool:
    """Return whether two policies are known to play alike: of one class, and with equal attributes."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if is_built_in(one):
        return bool(one == other)
    try:
        return bool(vars(one) == vars(other))
    except Exception:  # noqa: BLE001 - without attributes, or with arrays and tensors, which cannot tell
        return False


def names_apart(policies: Sequence[Player], *, alike: Callable[[Player, Player], bool] = is_same) -> tuple[str, ...]:
    """
    Return the names of policies; of several with one name, each gets a number that makes a name of its own.

    Parameters
    ----------
    policies
        The players.
    alike
        Which of those with one name share it.

    Examples
    --------
    >>> from ttr_analysis.policies import Planner, Random
    >>> names_apart([Random(), Planner(), Random(), Planner(faith=1.0)])
    ('Random', 'Planner 1', 'Random', 'Planner 2')
    """
    own = [policy_name(policy) for policy in policies]
    first: list[int] = []  # for each player the first one that shares its name
    for i, policy in enumerate(policies):
        first.append(next((k for k in first if own[k] == own[i] and alike(policy, policies[k])), i))
    copies = Counter(own[k] for k in set(first))
    numbered = {name: _numbered(name, own) for name in own}
    names = {k: next(numbered[own[k]]) if copies[own[k]] > 1 else own[k] for k in dict.fromkeys(first)}
    return tuple(names[k] for k in first)


def _numbered(name: str, taken: Collection[str]) -> Iterator[str]:
    """Yield a name with the numbers from 1 that make none that is taken."""
    return (numbered for number in count(1) if (numbered := f"{name} {number}") not in taken)


def warn_of_generators(policies: Iterable[Player]) -> None:
    """Warn the caller's caller of players that hold a random generator: a copy plays each game, and repeats it."""
    for policy in policies:
        held = [name for name, value in getattr(policy, "__dict__", {}).items() if isinstance(value, _GENERATORS)]
        if held:
            warnings.warn(
                f"{policy_name(policy)} holds a random generator ({', '.join(held)}), which begins anew in each game: "
                "draw from the rng given to choose",
                stacklevel=3,
            )


@dataclass(frozen=True)
class Plan:
    """
    A run of games.

    Every *deal* of random numbers is played once for each rotation of the
    players that makes a difference, so that no player is dealt better than
    another; in games of one deal the same cards and tickets are dealt to a
    seat, whoever sits there. Where all players are the same, no rotation makes
    a difference, and every game has a deal of its own.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    policies
        The players.
    seed
        Seed of the run.
    given_names
        Names of the players; None: their own, told apart.
    """

    game_map: GameMap
    policies: tuple[Player, ...]
    seed: int
    given_names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, game_map: GameMap, policies: Entrants, seed: int) -> Self:
        """Return a run of policies, or of policies by their names."""
        if isinstance(policies, Mapping):
            return cls(game_map, tuple(policies.values()), seed, tuple(policies))
        return cls(game_map, tuple(policies), seed)

    @property
    def n_players(self) -> int:
        """Number of players."""
        return len(self.policies)

    @cached_property
    def n_rotations(self) -> int:
        """Rotations of the players that differ in which policy sits where: games of one deal."""
        n = self.n_players
        return next(by for by in range(1, n + 1) if n % by == 0 and self._is_same_after(by))

    def _is_same_after(self, by: int) -> bool:
        """Return whether all is as it was when players move on by some seats."""
        return all(map(is_same, self.policies, self.policies[by:] + self.policies[:by]))

    def deal(self, game: int) -> int:
        """Return the number of the random numbers of a game."""
        return game // self.n_rotations

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the policies."""
        return names_apart(self.policies) if self.given_names is None else self.given_names

    def player_at(self, game: int, seat: int) -> int:
        """Return which player sits at a seat in a game."""
        return (seat + game) % self.n_players

    def seating(self, game: int) -> list[Any]:
        """Return the policies in the order of the seats in a game."""
        return [self.policies[self.player_at(game, seat)] for seat in range(self.n_players)]

    @cached_property
    def categories(self) -> dict[str, pd.CategoricalDtype]:
        """The types of the categories of the tables."""
        return category_types(categories(self.game_map, self.names))


def play_chunk(plan: Plan, first: int, n_games: int) -> Frames:
    """
    Play some games of a run and return their tables.

    Parameters
    ----------
    plan
        The run.
    first
        Number of the first game.
    n_games
        How many.

    Returns
    -------
    frames
        The tables of `studies.columns`, by name.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> plan = Plan(ttr.load_map("usa"), (ttr.policies.Random(), ttr.policies.Greedy()), seed=7)
    >>> frames = play_chunk(plan, 0, 4)
    >>> frames["seats"]["policy"].tolist()[:4]
    ['Random', 'Greedy', 'Greedy', 'Random']
    """
    desk = _Desk(plan, n_games)
    for i in range(n_games):
        desk.add(i, first + i)
    return desk.frames(first)


class _Paper:
    """What one game is noted on; used again for the next."""

    def __init__(self, n_events: int) -> None:
        self.tickets = np.zeros((n_events, rows.N_TICKET_COLUMNS), dtype=np.int64)
        self.claims = np.zeros((n_events, rows.N_CLAIM_COLUMNS), dtype=np.int64)
        self.odds = np.zeros(n_events)
        self.tape = np.zeros(TAPE_START + 2 * n_events, dtype=np.int64)


class _Desk:
    """Plays games one by one and gathers their numbers."""

    def __init__(self, plan: Plan, n_games: int) -> None:
        self._plan = plan
        self._tables = game_tables(plan.game_map, plan.n_players)
        self._states = np.zeros((n_games, State.n_cells), dtype=np.int64)
        self._scratch = State()
        self._tape = np.zeros(TAPE_START + 2 * _TAPE_EVENTS, dtype=np.int64)
        self._moves = np.zeros((n_games, plan.n_players, rows.N_MOVE_KINDS), dtype=np.int64)
        self._paper = _Paper(_TAPE_EVENTS)
        self._tickets: list[Ints] = []
        self._claims: list[Ints] = []
        self._odds: list[Floats] = []
        self._words = run_words(plan.seed, plan.n_players)
        self._seated: list[Players] | None = None
        if all(map(is_built_in, plan.policies)):
            self._seated = [seat_players(plan.game_map, plan.seating(game)) for game in range(plan.n_players)]

    def add(self, i: int, game: int) -> None:
        """Play a game and note what happened."""
        events = self._play(i, game)
        if len(events) > len(self._paper.odds):
            self._paper = _Paper(2 * len(events))
        paper = self._paper
        n_tickets, n_claims = collect_game(
            self._tables, events, self._scratch, paper.tape, paper.tickets, paper.claims, paper.odds, self._moves[i]
        )
        assert n_tickets >= 0, "a game that was just played fits its map"  # noqa: S101
        self._states[i] = self._scratch.cells
        # Copies: a slice would keep the whole sheet in memory.
        self._tickets.append(paper.tickets[:n_tickets].copy())
        self._claims.append(paper.claims[:n_claims].copy())
        self._odds.append(paper.odds[:n_claims].copy())

    def _play(self, i: int, game: int) -> Ints:
        """Return codes and values of all events of a game."""
        deal = self._plan.deal(game)
        if self._seated is None:
            facade = Game(self._plan.game_map, self._plan.n_players)
            return facade.play_rows([_fresh(policy) for policy in self._plan.seating(game)], self._plan.seed, deal)
        players = self._seated[game % self._plan.n_players]
        while True:
            self._tape[WRITE_AT], self._tape[WRITE_END] = TAPE_START, len(self._tape)
            state = self._states[i : i + 1]
            deal_block(self._tables, self._words, deal, state, self._tape)
            play_block(self._tables, players, self._words, deal, state, self._tape)
            end = int(self._tape[WRITE_AT])
            if end <= len(self._tape):
                return self._tape[TAPE_START:end].reshape(-1, 2)
            self._tape = np.zeros(2 * end, dtype=np.int64)  # a long game: once more, on a longer tape

    # -- tables -------------------------------------------------------------------

    def frames(self, first: int) -> Frames:
        """Return the tables of all games, numbered from `first`."""
        return {
            "games": self._games(first),
            "seats": self._seats(first),
            "tickets": self._ticket_rows(first),
            "routes": self._route_rows(first),
            "tunnels": self._tunnel_rows(first),
        }

    @cached_property
    def _results(self) -> Ints:
        shape = (len(self._states), self._plan.n_players, scoring.N_COLUMNS)
        results = np.zeros(shape, dtype=np.int64)
        scoring.score_games(self._states, self._tables, results)
        return results

    def _games(self, first: int) -> pd.DataFrame:
        game = first + np.arange(len(self._states))
        columns = {
            "game": game,
            "deal": game // self._plan.n_rotations,
            "rotation": game % self._plan.n_players,
            "ending": State.across(self._states, "ending") - 1,
            "turns": State.across(self._states, "n_turns"),
            "winners": self._results[:, :, scoring.WON_COLUMN].sum(axis=1),
        }
        return self._frame("games", columns)

    def _seats(self, first: int) -> pd.DataFrame:
        n, n_seats = len(self._states), self._plan.n_players
        game, seat = (index.ravel() for index in np.indices((n, n_seats)))
        player = self._players(first + game, seat)

        def of_state(field: str) -> Ints:
            return State.across(self._states, field)[:, :n_seats].ravel()

        def of_result(column: int) -> Ints:
            return self._results[:, :, column].ravel()

        def of_moves(kind: int) -> Ints:
            return self._moves[:, :, kind].ravel()

        won = self._results[:, :, scoring.WON_COLUMN]
        policies = self._plan.categories["policy"].categories
        columns = {
            "game": first + game,
            "seat": seat,
            "player": player,
            "policy": np.array([policies.get_loc(name) for name in self._plan.names])[player],
            "points": of_result(scoring.TOTAL_COLUMN),
            "won": (won / won.sum(axis=1, keepdims=True)).ravel(),
            "start": of_result(scoring.START_COLUMN),
            "route_points": of_result(scoring.ROUTES_COLUMN),
            "ticket_gain": of_result(scoring.GAINED_COLUMN),
            "ticket_loss": of_result(scoring.LOST_COLUMN),
            **self._bonuses(),
            "loan_points": of_result(scoring.LOAN_POINTS_COLUMN),
            "tickets": of_state("n_held"),
            "completed": of_result(scoring.COMPLETED_COLUMN),
            "trail": of_result(scoring.TRAIL_COLUMN),
            "trains_left": of_state("trains"),
            "cards_left": of_state("n_hand"),
            "tokens_left": of_result(scoring.TOKENS_COLUMN),
            "loans": of_result(scoring.LOANS_COLUMN),
            "turns": (State.across(self._states, "n_turns")[game] + n_seats - 1 - seat) // n_seats,
            "cards_drawn": of_moves(DRAW_CARD),
            "cards_taken": of_moves(DRAW_FACE_UP),
            "ticket_draws": of_moves(DRAW_TICKETS),
            "claims": of_moves(CLAIM_ROUTE),
            "declined": of_moves(DECLINE_TUNNEL),
            "passes": of_moves(PASS),
        }
        return self._frame("seats", columns)

    def _bonuses(self) -> dict[str, Ints]:
        """Return the points of each kind of bonus; 0 where the rules have none."""
        points = {name: np.zeros(self._results[:, :, 0].size, dtype=np.int64) for name in _BONUSES.values()}
        for i, bonus in enumerate(self._plan.game_map.rules.bonus):
            points[_BONUSES[bonus.measure]] += self._results[:, :, scoring.BONUS_COLUMN + i].ravel()
        return points

    def _ticket_rows(self, first: int) -> pd.DataFrame:
        game, found = _stacked(first, self._tickets, rows.N_TICKET_COLUMNS)
        return self._frame(
            "tickets",
            {
                **self._who(game, found[:, rows.TICKET_SEAT]),
                "ticket": found[:, rows.TICKET],
                "offered": found[:, rows.OFFERED],
                "kept": found[:, rows.IS_KEPT],
                "completed": found[:, rows.COMPLETED],
                "destination": found[:, rows.GOAL],
                "points": found[:, rows.TICKET_POINTS],
                "trains_left": found[:, rows.TRAINS_THEN],
                "trains": found[:, rows.TRAINS_ON_WAY],
                "lost_to": found[:, rows.LOST_TO],
            },
        )

    def _route_rows(self, first: int) -> pd.DataFrame:
        game, claims = _stacked(first, self._claims, rows.N_CLAIM_COLUMNS)
        taken = claims[:, rows.IS_TAKEN] == 1
        game, claims = game[taken], claims[taken]
        route, seat = claims[:, rows.ROUTE], claims[:, rows.CLAIM_SEAT]
        laid, more = _unpacked(claims[:, rows.LAID_DOWN]), _unpacked(claims[:, rows.PAID_MORE])
        n_laid, surcharge = laid.sum(axis=1), more.sum(axis=1)
        length, swap_size, toll = np.array(
            [(r.length, r.swap_size, r.toll) for r in self._plan.game_map.routes], dtype=np.int64
        )[route].T
        most = laid[:, :N_COLORS].argmax(axis=1)
        color = np.where(laid[:, :N_COLORS].any(axis=1), most, LOCOMOTIVE_INDEX)
        is_neutral, loans = seat == rows.NEUTRAL_SEAT, claims[:, rows.NEW_LOANS]
        has_tolls = self._plan.game_map.rules.money.tokens > 0
        return self._frame(
            "routes",
            {
                **self._who(game, seat),
                "route": route,
                "turn": claims[:, rows.CLAIM_TURN],
                "cards": n_laid + surcharge,
                "locomotives": laid[:, LOCOMOTIVE_INDEX] + more[:, LOCOMOTIVE_INDEX],
                "sets": np.where(is_neutral, 0, (n_laid - length) // np.maximum(1, swap_size - 1)),
                "surcharge": surcharge,
                "color": np.where(is_neutral, -1, color),
                "toll": np.where(is_neutral | (loans > 0) | (not has_tolls), 0, toll),
                "loans": loans,
            },
        )

    def _tunnel_rows(self, first: int) -> pd.DataFrame:
        game, claims = _stacked(first, self._claims, rows.N_CLAIM_COLUMNS)
        is_tunnel = np.array([route.tunnel for route in self._plan.game_map.routes])[claims[:, rows.ROUTE]]
        wanted = is_tunnel & (claims[:, rows.CLAIM_SEAT] != rows.NEUTRAL_SEAT)
        claims = claims[wanted]
        return self._frame(
            "tunnels",
            {
                **self._who(game[wanted], claims[:, rows.CLAIM_SEAT]),
                "route": claims[:, rows.ROUTE],
                "turn": claims[:, rows.CLAIM_TURN],
                "color": claims[:, rows.PLAYED],
                "locomotives": _unpacked(claims[:, rows.LAID_DOWN])[:, LOCOMOTIVE_INDEX],
                "odds": np.concatenate([*self._odds, np.zeros(0)])[wanted],
                "surcharge": claims[:, rows.DEMANDED],
                "taken": claims[:, rows.IS_TAKEN],
            },
        )

    # -- plumbing -----------------------------------------------------------------

    def _players(self, game: Ints, seat: Ints) -> Ints:
        """Return which player sits where."""
        n = self._plan.n_players
        table = np.array([[self._plan.player_at(g, s) for s in range(n)] for g in range(n)])
        players: Ints = table[game % n, seat]
        return players

    def _who(self, game: Ints, seat: Ints) -> dict[str, Ints]:
        is_neutral = seat == rows.NEUTRAL_SEAT
        player = np.where(is_neutral, rows.NEUTRAL_SEAT, self._players(game, seat))
        return {"game": game, "seat": seat, "player": player}

    def _frame(self, name: str, columns: dict[str, Any]) -> pd.DataFrame:
        """Return a table with the types that its schema says; numbers below 0 are missing where they may be."""
        made: dict[str, Any] = {}
        for column, (dtype, _) in TABLES[name].items():
            values = columns[column]
            if dtype in self._plan.categories:
                made[column] = pd.Categorical.from_codes(values, dtype=self._plan.categories[dtype])
            elif dtype.startswith("Int"):
                made[column] = pd.Series(values, dtype=dtype).mask(values < 0)
            else:
                made[column] = np.asarray(values).astype(dtype)
        return pd.DataFrame(made)


def _fresh(policy: Player) -> Player:
    """Return a policy as it was given: what it remembers of one game, or seat, should not reach another."""
    try:
        return deepcopy(policy)
    except TypeError:  # it holds what cannot be copied
        return policy


def _stacked(first: int, found: Sequence[Ints], n_columns: int) -> tuple[Ints, Ints]:
    """Return the rows of all games one below another, and the game of each."""
    game = np.repeat(first + np.arange(len(found)), np.array([len(f) for f in found], dtype=np.int64))
    return game, np.concatenate([*found, np.zeros((0, n_columns), dtype=np.int64)])


def _unpacked(packed: Ints) -> Ints:
    """Return counts of cards by kind, one row for each packed number."""
    cards = np.zeros((len(packed), N_KINDS), dtype=np.int64)
    unpack_all(np.ascontiguousarray(packed), cards)
    return cards
