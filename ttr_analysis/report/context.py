"""The map, settings and results that the sections of a study share."""

from __future__ import annotations

from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from threading import Event, Thread
from time import thread_time
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from ttr_analysis import studies
from ttr_analysis._decoding import Range
from ttr_analysis._words import listed
from ttr_analysis.analysis import tickets
from ttr_analysis.maps.model import GameMap, Route, Ticket
from ttr_analysis.policies import Planner
from ttr_analysis.report.page import name
from ttr_analysis.studies import SimulationResult
from ttr_analysis.studies.findings import Findings, Inputs, find, worth_of_long_routes
from ttr_analysis.tables import check_size

if TYPE_CHECKING:
    import pandas as pd

_PLAYERS = 3
"""Players in a game, if the map allows it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """
    The size of a study.

    `n_deals` is the number of random ticket deals, and `best_seconds` the time limit for
    proving which network is best. `best_seconds` and `n_games` of 0 skip their parts; `quick` skips
    the slowest parts and draws fewer samples.
    """

    seed: int = 7
    n_deals: int = 5000
    quick: bool = False
    best_seconds: float = 35.0
    n_games: int = 1000

    def __post_init__(self) -> None:
        Range().check(self.seed, "seed")
        Range(2).check(self.n_deals, "n_deals")  # a standard error needs two
        Range().check(self.n_games, "n_games")
        if not self.best_seconds >= 0:
            raise ValueError(f"best_seconds must be 0 or more, got {self.best_seconds}")


class Played(NamedTuple):
    """Games between planners, and the CPU seconds that they took."""

    result: SimulationResult
    seconds: float


@dataclass(frozen=True)
class Context:
    """A map under study; `folder` is where its sources and decisions are, None if it was made in memory."""

    game_map: GameMap
    settings: Settings = field(default_factory=Settings)
    folder: Path | None = None
    _is_closed: Event = field(default_factory=Event, init=False, repr=False, compare=False)

    def rng(self, purpose: int) -> np.random.Generator:
        """Return a random generator for one purpose, independent of the others."""
        return np.random.default_rng([self.settings.seed, purpose])

    @cached_property
    def n_deals(self) -> int:
        """Number of random deals, fewer in a quick study."""
        return min(self.settings.n_deals, 200) if self.settings.quick else self.settings.n_deals

    @cached_property
    def n_games(self) -> int:
        """Number of games to simulate, fewer in a quick study."""
        return min(self.settings.n_games, 100) if self.settings.quick else self.settings.n_games

    @cached_property
    def values(self) -> pd.DataFrame:
        """The value of each ticket, by its id."""
        return tickets.value_table(self.game_map, n_deals=self.n_deals, seed=self.settings.seed)

    @property
    def losses(self) -> pd.DataFrame:
        """The cost of losing each route."""
        return self._losses.result()

    @cached_property
    def n_players(self) -> int:
        """Number of players in all calculations of the study."""
        low, high = self.game_map.rules.players
        return max(low, min(_PLAYERS, high))

    @property
    def played(self) -> Played | None:
        """Games between planners; None without games, or if the map cannot be played."""
        return self._played.result()

    @property
    def worth(self) -> dict[str, pd.DataFrame]:
        """The value of pursuing each long route, by its id; empty without games."""
        return self._worth.result()

    # -- background computations: compiled code releases the GIL, so sections can draw meanwhile ----------------------

    def begin(self) -> None:
        """Start the slow computations, in the order in which the sections need them."""
        _ = self.best, self._played, self._worth, self._losses

    def close(self) -> None:
        """Cancel the computations that have not started."""
        self._is_closed.set()

    @cached_property
    def _played(self) -> Background[Played | None]:
        return Background(self._play)

    @cached_property
    def _worth(self) -> Background[dict[str, pd.DataFrame]]:
        return Background(self._find_worth, self._played, self._is_closed)

    @cached_property
    def _losses(self) -> Background[pd.DataFrame]:
        find = partial(tickets.blocking_map, self.game_map, n_deals=self.n_loss_deals, seed=self.settings.seed)
        return Background(find, self._worth, self._is_closed)

    def _play(self) -> Played | None:
        if not self.n_games:
            return None
        try:
            check_size(self.game_map, self.n_players)
        except ValueError:
            return None
        players = [Planner()] * self.n_players
        studies.simulate(self.game_map, players, 1, self.settings.seed, progress=False)  # compile outside the timing
        start = thread_time()
        result = studies.simulate(self.game_map, players, self.n_games, self.settings.seed, progress=False)
        return Played(result, thread_time() - start)

    def _find_worth(self) -> dict[str, pd.DataFrame]:
        if self.played is None:
            return {}
        seed = self.settings.seed
        return worth_of_long_routes(self.game_map, self.n_players, self.n_games, seed, progress=False)

    @cached_property
    def findings(self) -> Findings:
        """The findings that open the study."""
        games = self.played.result if self.played else None
        return find(Inputs(self.game_map, self.values, self.losses, games, self.worth))

    @property
    def deals(self) -> str:
        """The samples in words; from very large deals, only some of the tickets are drawn."""
        drawn = tickets.random_deals(self.game_map, 1, self.rng(0)).shape[1]
        whole = drawn == self.game_map.rules.tickets.opening_deal
        return "opening deals" if whole else f"choices of {drawn} tickets of an opening deal"

    @cached_property
    def best(self) -> Background[tickets.BestNetwork] | None:
        """The best network, computed in the background from the first use on; None if skipped."""
        seconds = self.settings.best_seconds
        if self.settings.quick or not seconds:
            return None
        return Background(lambda: tickets.best_network(self.game_map, time_limit=seconds))

    @cached_property
    def n_loss_deals(self) -> int:
        """Number of random deals for lost routes, fewer because each is solved many times."""
        return max(2, self.n_deals // 10)


def route_name(route: Route) -> str:
    """Return a route's cities, marked up as names."""
    return f"{name(route.cities[0])}–{name(route.cities[1])}"


def ticket_name(ticket: Ticket) -> str:
    """Return a ticket's ends, marked up as names."""
    ends = [place.name for place, _ in ticket.destinations]
    return f"{name(ticket.origin)}–{listed(map(name, ends), 'or')}"


# -- background threads --------------------------------------------------------------------------------------------

T = TypeVar("T")


class Background(Generic[T]):
    """
    The result of a function that starts in a thread at once.

    Useful for functions that release the GIL. The thread is a daemon, so an interrupt does
    not wait for it. It waits for the computation `after`, if any, whether that succeeds or
    fails, and does not call the function if `is_closed` is set by then.

    >>> Background(lambda: 6 * 7).result()
    42
    """

    def __init__(
        self, function: Callable[[], T], after: Background[Any] | None = None, is_closed: Event | None = None
    ) -> None:
        self._function, self._after, self._is_closed = function, after, is_closed
        self._future: Future[T] = Future()
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        if self._after is not None:
            self._after.wait()
        if self._is_closed is not None and self._is_closed.is_set():
            self._future.set_exception(RuntimeError("canceled before it started"))
            return
        try:
            self._future.set_result(self._function())
        except BaseException as fault:  # noqa: BLE001 - raised again by `result`
            self._future.set_exception(fault)

    def wait(self) -> None:
        """Wait until the function returns or fails."""
        while not self._future.done():
            futures.wait([self._future], _POLL_SECONDS)

    def result(self) -> T:
        """Wait for the result and return it, or raise the function's error."""
        self.wait()
        return self._future.result()


_POLL_SECONDS = 0.1
"""On some systems, a wait without a timeout cannot be interrupted."""
