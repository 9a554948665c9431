"""Runs of games: seating, playing chunks of games, and turning them into tables."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise
from typing import Any, Final, Self, TypeAlias, TypeVar
from unicodedata import category

import numpy as np
import numpy.typing as npt
import pandas as pd

from ttr_analysis._compile import Ints, Narrow
from ttr_analysis._errors import GameError
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS
from ttr_analysis.engine import codes
from ttr_analysis.engine.events import tape_of
from ttr_analysis.engine.kernel import scoring
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.protocol import CompiledPolicy, Policy, PolicyLike, find_policies, is_built_in, policy_name
from ttr_analysis.maps.model import GameMap
from ttr_analysis.maps.rows import MAX_TEXT
from ttr_analysis.policies.playout import BLOCK, Players, check_legal, is_compiled, seat_players
from ttr_analysis.records.record import Game
from ttr_analysis.rules.chance import run_keys
from ttr_analysis.studies import collecting
from ttr_analysis.studies import collecting as notes
from ttr_analysis.studies.columns import ALL_TABLES, BONUS_COLUMNS, TABLES, categories, category_types, cell_type
from ttr_analysis.studies.ticket_paths import LOST_TO, TRAINS_ON_PATH, fill_paths
from ttr_analysis.tables import MAX_STATIONS, Tables, game_tables

T = TypeVar("T")
Player: TypeAlias = Policy | CompiledPolicy
Entrants: TypeAlias = Sequence[PolicyLike] | Mapping[str, PolicyLike]
"""Policies, or policies by name; built-in ones may be given by their own names."""
Frames = dict[str, pd.DataFrame]
"""The tables of some games, by name."""
Cells: TypeAlias = npt.NDArray[Any]
Columns = Mapping[str, Mapping[str, Cells]]
"""Tables as columns by name, which are faster to send and join, and smaller, than frames."""

_GENERATORS: Final = (np.random.Generator, np.random.RandomState, random.Random)
_NOTES_A_GAME: Final = 60
"""Initial room for tickets offered, or attempts to claim a route."""
_EVENTS_A_GAME: Final = 1_000
"""Initial room for events, if decisions are recorded."""
_NO_COLOR: Final = -1
"""Color of the neutral player's claims, which lay down no cards."""
_NOT_WRITTEN: Final = {"Cc", "Cs"}
"""Unicode categories not allowed in names: control characters and surrogates."""


def is_same(one: object, other: object) -> bool:
    """Return whether two policies certainly play alike: same class, equal attributes."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if is_built_in(one):
        return bool(one == other)
    try:
        return bool(vars(one) == vars(other))
    except Exception:  # noqa: BLE001 - no attributes, or arrays and tensors, whose comparison has no single truth value
        return False


def names_apart(policies: Sequence[Player], *, alike: Callable[[Player, Player], bool] = is_same) -> tuple[str, ...]:
    """
    Return the names of policies; policies with the same name that are not `alike` get numbers.

    >>> from ttr_analysis.policies import Planner, Random
    >>> names_apart([Random(), Planner(), Random(), Planner(faith=1.0)])
    ('Random', 'Planner 1', 'Random', 'Planner 2')
    """
    own = [policy_name(policy) for policy in policies]
    first: list[int] = []  # for each player, the first with the same name
    for i, policy in enumerate(policies):
        first.append(next((k for k in first if own[k] == own[i] and alike(policy, policies[k])), i))
    copies = Counter(own[k] for k in set(first))
    numbered = {name: _numbered(name, own) for name in own}
    names = {k: next(numbered[own[k]]) if copies[own[k]] > 1 else own[k] for k in dict.fromkeys(first)}
    return tuple(names[k] for k in first)


def check_name(name: object) -> None:
    """Raise a ValueError unless tables and files can store the name of a policy."""
    fits = isinstance(name, str) and len(name) <= MAX_TEXT and not _NOT_WRITTEN & set(map(category, name))
    if not fits:
        shown = repr(name)[:MAX_TEXT]
        raise ValueError(
            f"expected a policy's name of at most {MAX_TEXT} characters, without control characters, got {shown}"
        )


def _numbered(name: str, taken: Collection[str]) -> Iterator[str]:
    """Yield a name with the numbers, from 1, that make it unique."""
    return (numbered for number in count(1) if (numbered := f"{name} {number}") not in taken)


def warn_of_generators(policies: Iterable[Player]) -> None:
    """Warn the user (the caller's caller) about players with a random generator, which restarts in each game."""
    for policy in policies:
        held = [name for name, value in getattr(policy, "__dict__", {}).items() if isinstance(value, _GENERATORS)]
        if held:
            warnings.warn(
                f"{policy_name(policy)} holds a random generator ({', '.join(held)}), which restarts in each game: "
                "draw from the rng given to choose",
                stacklevel=3,
            )


@dataclass(frozen=True)
class Run:
    """
    A run of games.

    Every *deal* of random numbers is played once in each distinct rotation of the players,
    so that the luck of the deal is shared: in games of one deal, a seat is dealt the same
    cards and tickets. If all players are equal, every game has its own deal.
    """

    game_map: GameMap
    policies: tuple[Player, ...]
    seed: int
    given_names: tuple[str, ...] | None = None
    decisions: bool = False
    """Whether decisions are stored."""

    @classmethod
    def of(cls, game_map: GameMap, policies: Entrants, seed: int, *, decisions: bool = False) -> Self:
        """Return a run of policies, or of policies by name."""
        names = tuple(policies) if isinstance(policies, Mapping) else None
        given = policies.values() if isinstance(policies, Mapping) else policies
        run = cls(game_map, tuple(find_policies(given)), seed, names, decisions)
        for name in run.names:
            check_name(name)
        return run

    @property
    def n_players(self) -> int:
        """Number of players."""
        return len(self.policies)

    @cached_property
    def n_rotations(self) -> int:
        """Number of distinct rotations of the players: games per deal."""
        n, seated = self.n_players, self.policies
        shifts = (shift for shift in range(1, n + 1) if n % shift == 0)
        return next(shift for shift in shifts if all(map(is_same, seated, seated[shift:] + seated[:shift])))

    def deal(self, game: int) -> int:
        """Return the number of a game's deal."""
        return game // self.n_rotations

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the policies."""
        return names_apart(self.policies) if self.given_names is None else self.given_names

    def seating(self, game: int) -> list[Any]:
        """Return the policies in the order of the seats in a game."""
        return [self.policies[(seat + game) % self.n_players] for seat in range(self.n_players)]

    @cached_property
    def categories(self) -> dict[str, pd.CategoricalDtype]:
        """The types of the categories of the tables."""
        return category_types(categories(self.game_map, self.names, decisions=self.decisions))

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables of its games."""
        return tuple(ALL_TABLES if self.decisions else TABLES)


def play_chunk(run: Run, first: int, n_games: int) -> Columns:
    """
    Play some games of a run and return their tables in the form that `as_frames` expects.

    >>> run = Run(ttr.load_map("usa"), (ttr.policies.Random(), ttr.policies.Greedy()), seed=7)
    >>> frames = as_frames(run, play_chunk(run, 0, 4))
    >>> frames["seats"]["policy"].tolist()[:4]
    ['Random', 'Greedy', 'Greedy', 'Random']
    """
    collector = _PlayedGames(run, first, n_games)
    collector.play()
    return LazyTables(collector.columns, run.tables)


def joined(parts: Sequence[Columns]) -> Columns:
    """Concatenate the tables of several chunks."""

    def join(name: str) -> dict[str, Cells]:
        tables = [part[name] for part in parts]
        return {column: np.concatenate([table[column] for table in tables]) for column in tables[0]}

    return LazyTables(join, tuple(parts[0]))


def with_paths(run: Run, tickets: Mapping[str, Cells], routes: Mapping[str, Cells]) -> Mapping[str, Cells]:
    """Return the columns of tickets with paths and the claims that blocked them; slow, so only on demand."""
    if "lost_to" in tickets:
        return tickets
    return add_paths(game_tables(run.game_map, run.n_players), tickets, routes)


def add_paths(tables: Tables, tickets: Mapping[str, Cells], routes: Mapping[str, Cells]) -> Mapping[str, Cells]:
    """Return the columns of tickets with paths and the claims that blocked them: see `with_paths`."""
    offers = np.array([tickets[name] for name in ("game", "seat", "ticket", "kept", "destination")], dtype=np.int64)
    claims = np.array([routes[name] for name in ("game", "seat", "route")], dtype=np.int64)
    found = np.empty((2, offers.shape[1]), dtype=np.int64)
    fill_paths(tables, offers, claims, found)
    types = {name: cell_type(TABLES["tickets"][name][0]) for name in ("trains", "lost_to")}
    return {
        **tickets,
        "trains": found[TRAINS_ON_PATH].astype(types["trains"]),
        "lost_to": found[LOST_TO].astype(types["lost_to"]),
    }


def as_frames(run: Run, columns: Columns) -> Frames:
    """Return the tables of a run as pandas frames, from category numbers; those below 0 are missing values."""
    made = dict(columns)
    return {name: frame(run, name, made) for name in made}


def frame(run: Run, name: str, columns: Columns) -> pd.DataFrame:
    """Return one of these tables."""
    cells = with_paths(run, columns[name], columns["routes"]) if name == "tickets" else columns[name]
    return table_of(name, cells, run.categories, {})


def table_of(
    name: str, cells: Mapping[str, Cells], types: Mapping[str, pd.CategoricalDtype], missing: Mapping[str, Cells]
) -> pd.DataFrame:
    """Return a table from its columns and masks of missing cells."""
    return pd.DataFrame(
        {
            column: _split(cells[column], cells["n_legal"])
            if dtype == "numbers"
            else _values(cells[column], dtype, types, missing.get(column))
            for column, (dtype, *_) in ALL_TABLES[name].items()
        }
    )


def _values(values: Cells, dtype: str, types: Mapping[str, pd.CategoricalDtype], missing: Cells | None) -> Any:  # noqa: ANN401 - whatever pandas takes for a column
    """Return a column as a pandas array, of a nullable type if numbers are missing."""
    is_missing = np.zeros(len(values), dtype=bool) if missing is None else missing
    if dtype in types:
        return pd.Categorical.from_codes(np.where(is_missing, -1, values), dtype=types[dtype])
    if dtype.startswith("Int"):
        return pd.arrays.IntegerArray(values, (values < 0) | is_missing)
    if not is_missing.any():
        return values
    if dtype.startswith("float"):
        return np.where(is_missing, np.nan, values).astype(dtype)
    return pd.arrays.IntegerArray(values, is_missing)


def _split(values: Cells, sizes: Cells) -> Cells:
    """Return a column of arrays from their concatenation."""
    ends = np.cumsum(sizes, dtype=np.int64).tolist()
    return np.fromiter((values[first:end] for first, end in pairwise([0, *ends])), dtype=object, count=len(sizes))


class LazyTables(Mapping[str, T]):
    """A mapping from tables to values that are made on demand, since most questions need few tables."""

    def __init__(self, make: Callable[[str], T], names: Sequence[str]) -> None:
        self._make = make
        self._names = names

    def __getitem__(self, name: str) -> T:
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __reduce__(self) -> tuple[type[dict[str, T]], tuple[dict[str, T]]]:
        return dict, (dict(self),)  # so that policies are not pickled with it


class Collector:
    """Notes on some games, and the tables made from them."""

    def __init__(self, game_map: GameMap, names: Sequence[str], n_players: int, first: int, n_games: int) -> None:
        self._map = game_map
        self._n_players = n_players
        self._first = first
        policies = list(dict.fromkeys(names))
        self._policy_of = np.array([policies.index(name) for name in names])
        self._tables = game_tables(game_map, n_players)
        self._notes = collecting.new_notes(_NOTES_A_GAME * n_games)
        self._ends = np.zeros((1 + n_games, notes.N_COUNTS), dtype=np.int64)
        self._seats = np.zeros((n_games, n_players, notes.N_SEAT_NOTES), dtype=np.int32)
        self._results = np.zeros((n_games, n_players, scoring.N_COLUMNS), dtype=np.int32)
        self._endings = np.zeros(n_games, dtype=np.int64)
        self._n_turns = np.zeros(n_games, dtype=np.int64)
        self._n_stations = np.zeros((n_games, n_players), dtype=np.int64)
        self._borrowed = np.full((n_games, n_players, MAX_STATIONS), notes.NO_ROUTE)

    def _players_at(self, game: Ints, seat: Ints | Narrow) -> Ints:
        players: Ints = (game + seat) % self._n_players
        return players

    def _deals(self, game: Ints) -> dict[str, Cells]:
        return {"deal": game, "rotation": game % self._n_players}

    def _add_score(self, start: int, states: Ints) -> None:
        block = slice(start, start + len(states))
        results = np.zeros((len(states), *self._results.shape[1:]), dtype=np.int64)
        scoring.score_games(states, self._tables, results)
        self._results[block] = results
        self._endings[block] = State.across(states, "ending")
        self._n_turns[block] = State.across(states, "n_turns")
        each = self._map.rules.stations.number
        if each:
            self._n_stations[block] = each - State.across(states, "stations")[:, : self._n_players]
            collecting.fill_borrowed(states, self._tables, self._borrowed[block])

    # -- tables -------------------------------------------------------------------

    def columns(self, name: str) -> dict[str, Cells]:
        """Return the columns of a table for all games."""
        columns: dict[str, Cells] = getattr(self, f"_of_{name}")()
        return {
            column: np.asarray(columns[column]).astype(cell_type(dtype), copy=False)
            for column, (dtype, *_) in ALL_TABLES[name].items()
            if column in columns
        }

    def _of_games(self) -> dict[str, Cells]:
        game = self._first + np.arange(len(self._seats))
        return {
            "game": game,
            **self._deals(game),
            "ending": self._endings - 1,
            "turns": self._n_turns,
            "winners": self._results[:, :, scoring.WON_COLUMN].sum(axis=1),
        }

    def _seat_turns(self) -> Ints:
        n = self._n_players
        turns: Ints = (self._n_turns[:, None] + n - 1 - np.arange(n)) // n
        return turns

    def _of_seats(self) -> dict[str, Cells]:
        game, seat = (index.ravel() for index in np.indices(self._seats.shape[:2]))
        player = self._players_at(self._first + game, seat)
        results = self._results.reshape(-1, scoring.N_COLUMNS).T
        noted = self._seats.reshape(-1, notes.N_SEAT_NOTES).T
        won = self._results[:, :, scoring.WON_COLUMN]
        return {
            "game": self._first + game,
            "deal": self._deals(self._first + game)["deal"],
            "seat": seat,
            "player": player,
            "policy": self._policy_of[player],
            "points": results[scoring.TOTAL_COLUMN],
            "won": (won / won.sum(axis=1, keepdims=True)).ravel(),
            "start": results[scoring.START_COLUMN],
            "route_points": results[scoring.ROUTES_COLUMN],
            "ticket_gain": results[scoring.GAINED_COLUMN],
            "ticket_loss": results[scoring.LOST_COLUMN],
            **self._bonuses(results),
            "loan_points": results[scoring.LOAN_POINTS_COLUMN],
            "station_points": results[scoring.STATIONS_COLUMN],
            "tickets": noted[notes.TICKETS_HELD],
            "completed": results[scoring.COMPLETED_COLUMN],
            "trail": results[scoring.TRAIL_COLUMN],
            "trains_left": noted[notes.TRAINS_LEFT],
            "cards_left": noted[notes.CARDS_LEFT],
            "tokens_left": results[scoring.TOKENS_COLUMN],
            "loans": results[scoring.LOANS_COLUMN],
            "stations": self._n_stations.ravel(),
            "turns": self._seat_turns().ravel(),
            "cards_drawn": noted[codes.DRAW_CARD],
            "cards_taken": noted[codes.DRAW_FACE_UP],
            "ticket_draws": noted[codes.DRAW_TICKETS],
            "claims": noted[codes.CLAIM_ROUTE] + noted[codes.ATTEMPT_TUNNEL],
            "declined": noted[codes.DECLINE_TUNNEL],
            "passes": noted[codes.PASS],
        }

    def _bonuses(self, results: Narrow) -> dict[str, Cells]:
        """Return the points for each kind of bonus, 0 if the rules have none."""
        points = {name: np.zeros(results.shape[1], dtype=np.int64) for name in BONUS_COLUMNS.values()}
        for i, bonus in enumerate(self._map.rules.bonus):
            points[BONUS_COLUMNS[bonus.measure]] += results[scoring.BONUS_COLUMN + i]
        return points

    def _of_tickets(self) -> dict[str, Cells]:
        tickets = self._notes.tickets
        found = np.empty((notes.N_TICKET_ENDS, tickets.shape[1]), dtype=np.int32)
        collecting.fill_ticket_ends(self._tables, self._notes, self._ends, self._borrowed, self._seat_turns(), found)
        return {
            **self._who(self._game_of(notes.TICKETS), tickets[notes.TICKET_SEAT]),
            "ticket": tickets[notes.TICKET],
            "offered": tickets[notes.OFFERED],
            "kept": tickets[notes.IS_KEPT],
            "completed_turn": found[notes.COMPLETED],
            "destination": found[notes.GOAL],
            "points": found[notes.TICKET_POINTS],
            "trains_left": tickets[notes.TRAINS_THEN],
        }

    def _of_routes(self) -> dict[str, Cells]:
        game, claims, payments = self._game_of(notes.CLAIMS), self._notes.claims, self._notes.payments
        taken = claims[notes.IS_TAKEN] == 1
        if not taken.all():
            game, claims, payments = game[taken], claims[:, taken], payments[:, taken]
        route, seat, loans = claims[notes.ROUTE], claims[notes.CLAIM_SEAT], claims[notes.NEW_LOANS]
        laid, more = codes.unpack_all(payments[notes.LAID]), codes.unpack_all(payments[notes.PAID_MORE])
        n_laid, surcharge = laid.sum(axis=0), more.sum(axis=0)
        game_map = self._map
        length, swap_size, toll = np.array([(r.length, r.swap_size, r.toll) for r in game_map.routes]).T
        is_neutral = seat == notes.NEUTRAL_SEAT
        has_no_toll = is_neutral | (loans > 0) | (game_map.rules.money.tokens == 0)
        return {
            **self._who(game, seat),
            "route": route,
            "turn": claims[notes.CLAIM_TURN],
            "cards": n_laid + surcharge,
            "locomotives": laid[LOCOMOTIVE_INDEX] + more[LOCOMOTIVE_INDEX],
            "sets": np.where(is_neutral, 0, (n_laid - length[route]) // np.maximum(1, swap_size - 1)[route]),
            "surcharge": surcharge,
            "color": np.where(is_neutral, _NO_COLOR, _color_of(laid)),
            "toll": np.where(has_no_toll, 0, toll[route]),
            "loans": loans,
        }

    def _of_tunnels(self) -> dict[str, Cells]:
        claims = self._notes.claims
        is_tunnel = np.array([route.tunnel for route in self._map.routes])
        wanted = np.flatnonzero(is_tunnel[claims[notes.ROUTE]] & (claims[notes.CLAIM_SEAT] != notes.NEUTRAL_SEAT))
        claims, laid = claims[:, wanted], codes.unpack_all(self._notes.payments[notes.LAID, wanted])
        return {
            **self._who(self._game_of(notes.CLAIMS)[wanted], claims[notes.CLAIM_SEAT]),
            "route": claims[notes.ROUTE],
            "turn": claims[notes.CLAIM_TURN],
            "color": _color_of(laid),
            "locomotives": laid[LOCOMOTIVE_INDEX],
            "odds": self._notes.odds[wanted],
            "surcharge": claims[notes.DEMANDED],
            "taken": claims[notes.IS_TAKEN],
        }

    def _game_of(self, kind: int) -> Ints:
        games = self._first + np.arange(len(self._seats))
        return np.repeat(games, np.diff(self._ends[:, kind]))

    def _who(self, game: Ints, seat: Narrow) -> dict[str, Cells]:
        player = np.where(seat == notes.NEUTRAL_SEAT, notes.NEUTRAL_SEAT, self._players_at(game, seat))
        return {"game": game, "seat": seat, "player": player}


def _color_of(cards: Ints) -> Ints:
    """Return the color of each column (a payment), that of locomotives if it has no colored cards."""
    colored = cards[:N_COLORS]
    color: Ints = np.where(colored.any(axis=0), colored.argmax(axis=0), LOCOMOTIVE_INDEX)
    return color


class _PlayedGames(Collector):
    def __init__(self, run: Run, first: int, n_games: int) -> None:
        super().__init__(run.game_map, run.names, run.n_players, first, n_games)
        self._run = run
        self._keys = run_keys(run.seed, run.n_players)
        self._decisions = collecting.DecisionNotes(run.game_map, run.n_players)
        self._tape = tape_of(None, _EVENTS_A_GAME if run.decisions else 0)

    def _deals(self, game: Ints) -> dict[str, Cells]:
        return {**super()._deals(game), "deal": game // self._run.n_rotations}

    def _of_decisions(self) -> dict[str, Cells]:
        noted, results = self._decisions.columns(), self._results
        player = self._players_at(noted["game"], noted["seat"])
        who = noted["game"] - self._first, noted["seat"]
        ends = collecting.outcomes(results[:, :, scoring.TOTAL_COLUMN], results[:, :, scoring.WON_COLUMN])
        return {
            **noted,
            "player": player,
            "policy": self._policy_of[player],
            "words": noted["action"],
            **{name: values[who] for name, values in ends.items()},
        }

    def play(self) -> None:
        """Play all games and take notes."""
        n_games = len(self._seats)
        compiled = [policy for policy in self._run.policies if is_compiled(policy)]
        if len(compiled) == self._run.n_players:
            players = seat_players(self._run.game_map, compiled)
            states = np.zeros((min(n_games, BLOCK), State.n_cells), dtype=np.int64)
            for start in range(0, n_games, BLOCK):
                played = states[: n_games - start]
                if self._run.decisions:
                    for i in range(len(played)):
                        self._play_watched(players, start + i, played[i : i + 1])
                else:
                    self._play_block(players, start, played)
                self._score(start, played)
        else:
            state = State()
            for i in range(n_games):
                self._follow(i, state)
                self._score(i, state.cells.reshape(1, -1))
        self._notes = collecting.without_room(self._notes)

    def _play_block(self, players: Players, start: int, states: Ints) -> None:
        """Play games between compiled policies, starting at a number within the chunk."""
        done, end = 0, start + len(states)
        while done < len(states):
            self._tape[codes.WRITE_AT] = codes.TAPE_START
            done += collecting.play_noted(
                self._tables,
                players,
                self._keys,
                self._first + start + done,
                self._run.n_rotations,
                states[done:],
                self._notes,
                self._ends[1 + start + done : 1 + end],
                self._seats[start + done : end],
                self._tape,
            )
            if done < len(states):
                self._notes = collecting.with_more_room(self._notes)

    def _play_watched(self, players: Players, i: int, states: Ints) -> None:
        """Play a game between compiled policies, noting its decisions; repeat it if the tape is too short."""
        counts = self._notes.counts.copy()
        self._play_block(players, i, states)
        if self._tape[codes.WRITE_AT] > len(self._tape):
            self._tape = tape_of(None, int(self._tape[codes.WRITE_AT]))
            self._notes.counts[:] = counts
            self._play_block(players, i, states)
        self._decisions.follow(
            self._first + i, self._tape[codes.TAPE_START : self._tape[codes.WRITE_AT]].reshape(-1, 2)
        )

    def _follow(self, i: int, state: State) -> None:
        """Let policies of any kind play a game, and follow the events."""
        game = self._first + i
        facade = Game(self._run.game_map, self._run.n_players)
        seating = [_fresh(policy) for policy in self._run.seating(game)]
        try:
            events = facade.play_rows(seating, self._run.seed, self._run.deal(game))
        except GameError as error:
            where = f"game {game} of the simulation with seed {self._run.seed} (deal {self._run.deal(game)})"
            raise GameError(f"{where}: {error}") from (error.__cause__ or error)
        tape = np.zeros(codes.TAPE_START + events.size, dtype=np.int64)
        while not collecting.collect_game(self._tables, events, state, tape, self._notes, self._seats[i]):
            self._notes = collecting.with_more_room(self._notes)
        self._ends[1 + i] = self._notes.counts
        if self._run.decisions:
            self._decisions.follow(game, events)
        assert not state.fault, "a game that was just played fits its map"  # noqa: S101

    def _score(self, start: int, states: Ints) -> None:
        """Note the results of finished games."""
        try:
            check_legal(states, self._first + start)
        except GameError as error:
            raise GameError(f"{error} (seed {self._run.seed})") from None
        self._add_score(start, states)


def _fresh(policy: Player) -> Player:
    """Return a fresh copy of a policy, since what it remembers of one game or seat must not reach another."""
    try:
        return deepcopy(policy)
    except TypeError:  # something in it cannot be copied
        return policy
