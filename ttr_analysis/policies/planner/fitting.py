"""Fit `Planner` to a map: play to find the parameters that win most, and save them in the map folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import numpy as np
from tqdm.auto import tqdm

from ttr_analysis._compile import Floats
from ttr_analysis._decoding import Decoder, FaultList, Keys, Range, read_text, write_atomically
from ttr_analysis.engine.kernel.scoring import WON_COLUMN
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.maps.loading import MapLike, as_map, load_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.maps.toml_files import DECIMALS, NUMBERS, STRATEGY_FILE, Fitted, strategies_text
from ttr_analysis.policies.planner.policy import Planner, allowed_numbers
from ttr_analysis.policies.playout import Player, as_players, play_games

_OPPONENTS: Final = ("Planner2", "Racer", "Planner1")
ROUNDS: Final = 80
"""Rounds after which further ones gain little."""
_N_TRIED: Final = 28
"""Settings tried in a round."""
_N_BEST: Final = 7
"""The number of best settings, which shape the next round."""
_N_GAMES: Final = 40
"""Games of each setting against each opponent, per round; twice as many against the first."""
_N_START: Final = 400
"""Games of each candidate for the start against each opponent; twice as many against the first."""
_PACE: Final = 0.8
_MEMORY: Final = 0.75
"""Per round: how far the mean moves to the best settings, and how much of the spread remains."""
_SNAPSHOT: Final = 12
"""Rounds between two means that join the opponents."""
_N_FORMER: Final = 4
"""Number of earlier means among the opponents, the latest ones: a winner must also beat players adapted to it."""
_PART: Final = 0.3
"""Initial spread of a parameter, relative to its value; it never drops below a twentieth of that."""
_SWITCHES: Final = frozenset({"foresight", "care", "patience"})
"""Parameters that are not fitted: they only switch something on."""
_STEPS: Final = {
    "hoard_cards": 8.0,
    "hoard_turns": 4.0,
    "hoard_danger": 1.0,
    "least_part": 0.12,
    "hand_part": 0.1,
    "owner_price": 0.4,
    "token_calm": 0.2,
}
"""Initial spreads of parameters whose own value is no guide."""


class Middle(NamedTuple):
    """
    The progress of a fit.

    Parameters
    ----------
    n_rounds
        Completed rounds.
    mean, spread
        The mean and spread of the settings tried.
    former
        Means of earlier rounds that are among the opponents.
    """

    n_rounds: int
    mean: Floats
    spread: Floats
    former: tuple[Floats, ...] = ()


def fit(
    game_map: MapLike,
    n_players: int = 2,
    opponents: Iterable[PolicyLike] | None = None,
    *,
    rounds: int = ROUNDS,
    seed: int = 0,
    middle: Middle | None = None,
    keep: Callable[[Middle], object] | None = None,
    executor: Executor | None = None,
    progress: bool = True,
) -> Fitted:
    """
    Return the parameters with which `Planner` wins most on a map.

    In each round, settings around a mean play the same deals against the opponents and
    against means of earlier rounds; the mean then moves toward those that win most (the
    cross-entropy method). `ttr-analysis fit` writes the result to the map folder;
    `dataclasses.replace(game_map, strategies=(fitted,))` applies it.

    Parameters
    ----------
    game_map
        The map, in the variant to play.
    n_players
        Players in a game, one of whom is tried.
    opponents
        Compiled players to win against; the first counts twice. None: `Planner2`,
        `Racer` and `Planner1`.
    rounds
        Rounds to play, of 4,500 to 9,000 games each against the default opponents.
    middle
        Progress to resume from. None starts from the map's current parameters, or from an
        opponent's if those win more.
    keep
        Called with the progress after each round.
    executor
        Runs the trials, such as Dask's `client.get_executor()`; None uses a thread per core.

    Raises
    ------
    ValueError
        If the map does not allow this number of players, a number is out of range, or there
        are no opponents.
    TypeError
        If an opponent is not compiled.

    References
    ----------
    R. Rubinstein, The cross-entropy method for combinatorial and continuous
    optimization, Methodology and Computing in Applied Probability 1, 1999.

    Examples
    --------
    >>> fitted = fit("usa", opponents=["Greedy"], rounds=0, progress=False)
    >>> fitted.n_players, fitted.care
    (2, 1.0)
    """
    game_map = as_map(game_map)
    n_players = Range(*game_map.rules.players).check(n_players, "n_players")
    rounds = Range().check(rounds, "rounds")
    fixed = as_players(_OPPONENTS if opponents is None else [*opponents])
    if not fixed:
        raise ValueError("expected at least one opponent, got none")
    now = begin(game_map, n_players, fixed) if middle is None else middle
    with (
        ThreadPoolExecutor(os.cpu_count()) if executor is None else nullcontext(executor) as pool,
        tqdm(total=rounds, initial=now.n_rounds, unit="round", disable=not progress) as bar,
    ):
        while now.n_rounds < rounds:
            now = _play_round(game_map, n_players, fixed, seed, now, pool)
            if keep is not None:
                keep(now)
            bar.update()
    numbers = [round(float(number), DECIMALS) for number in now.mean]
    return Fitted(**dict(zip(NUMBERS, numbers, strict=True)), n_players=n_players, variant=game_map.rules.variant)


def begin(game_map: GameMap, n_players: int, opponents: Sequence[Player]) -> Middle:
    """Return the first mean: the map's parameters, or those of an opponent who wins more."""
    known = [Planner(), *(one for one in opponents if isinstance(one, Planner))]
    starts = [one.on(game_map, n_players).params for one in known]
    score = partial(_score, game_map, n_players, opponents, 0)
    mean = max(starts, key=lambda numbers: score(numbers.tolist(), _N_START)) if len(starts) > 1 else starts[0]
    return Middle(0, mean, _first_spread(mean))


def _first_spread(mean: Floats) -> Floats:
    steps = np.array([_STEPS.get(number, 0.0) for number in NUMBERS])
    spread = np.where(steps > 0.0, steps, _PART * np.maximum(np.abs(mean), _PART))
    spread[[number in _SWITCHES for number in NUMBERS]] = 0.0
    return spread


def settings_near(mean: Floats, spread: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Return random allowed settings around the mean, one per row."""
    lows = [
        -np.inf if allowed.low is None else allowed.low + 0.3 * allowed.is_above
        for allowed in allowed_numbers().values()
    ]
    settings: Floats = np.maximum(mean + spread * rng.normal(size=(n, len(mean))), lows)
    return settings


def _play_round(
    game_map: GameMap, n_players: int, fixed: Sequence[Player], seed: int, now: Middle, pool: Executor
) -> Middle:
    """Try settings around the mean, and move it."""
    rng = np.random.default_rng([seed, now.n_rounds])
    settings = settings_near(now.mean, now.spread, _N_TRIED, rng)
    rivals = [*fixed, *(Planner(*former) for former in now.former)]
    deals = int(rng.integers(1 << 40))
    score = partial(_score, game_map, n_players, rivals, deals)
    scores = np.array([*pool.map(score, settings.tolist())])
    best = settings[np.argsort(-scores, kind="stable")[:_N_BEST]]
    weights = np.log(_N_BEST + 0.5) - np.log(np.arange(1, _N_BEST + 1))
    weights /= weights.sum()
    spread = _MEMORY * now.spread + (1 - _MEMORY) * np.sqrt(weights @ (best - now.mean) ** 2)
    mean = now.mean + _PACE * (weights @ best - now.mean)
    n_rounds = now.n_rounds + 1
    former = (*now.former, mean)[-_N_FORMER:] if n_rounds % _SNAPSHOT == 0 else now.former
    return Middle(n_rounds, mean, np.maximum(spread, _first_spread(now.mean) / 20), former)


def _score(
    game_map: GameMap,
    n_players: int,
    rivals: Sequence[Player],
    deals: int,
    numbers: Sequence[float],
    n_games: int = _N_GAMES,
) -> float:
    """Return a setting's share of wins against rivals, the first of whom counts twice."""
    rates = [
        win_share(game_map, Planner(*numbers), rival, n_players, n_games * (1 + (i == 0)), deals + i)
        for i, rival in enumerate(rivals)
    ]
    return float(np.average(rates, weights=[2.0, *[1.0] * (len(rates) - 1)]))


def win_share(game_map: GameMap, tried: Player, rival: Player, n_players: int, n_games: int, seed: int) -> float:
    """Return the win share of one player among copies of another, in every seat in turn on the same deals."""
    shares = []
    for seat in range(n_players):
        seated = [rival] * n_players
        seated[seat] = tried
        won = play_games(game_map, seated, max(1, n_games // n_players), seed)[0][:, :, WON_COLUMN]
        shares.append((won[:, seat] / won.sum(axis=1)).mean())
    return float(np.mean(shares))


# -- fitting a map folder, for each number of players, into `planner.toml` --------------------------------------------


PART_FILE: Final = "planner.part.json"
"""File of an unfinished fit, beside the result."""

Count = Annotated[int, Range()]


@dataclass(frozen=True, slots=True)
class _Numbers:
    numbers: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """An unfinished fit: its game, seed and progress."""

    variant: str
    n_players: Count
    seed: Count
    n_rounds: Count
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    former: tuple[_Numbers, ...]

    def middle(self) -> Middle | None:
        """Return the progress; None if it belongs to another version or other parameters."""
        rows = [self.mean, self.spread, *(one.numbers for one in self.former)]
        if any(len(row) != len(NUMBERS) for row in rows):
            return None
        mean, spread, *former = (np.array(row) for row in rows)
        return Middle(self.n_rounds, mean, spread, tuple(former))


def games_of(game_map: GameMap) -> list[tuple[str, int]]:
    """Return the variants of a map ("" for its standard rules) with each number of players."""
    rules = [game_map.rules, *game_map.rules.variants]
    return [(one.variant, n) for one in rules for n in range(one.players[0], one.players[1] + 1)]


def fit_folder(
    folder: Path,
    games: Iterable[tuple[str, int]],
    *,
    rounds: int,
    seed: int,
    progress: bool = True,
) -> Iterator[Fitted]:
    """
    Fit planners to games of a map, write each result beside the rules, and yield it.

    After an interrupt, the same call resumes in the middle of a fit; fits already done are
    skipped.
    """
    to_fit, part = [*games], _read_part(folder / PART_FILE)
    begun = None if part is None or part.seed != seed else (part.variant, part.n_players)
    if begun in to_fit:
        to_fit = to_fit[to_fit.index(begun) :]
    for variant, n_players in to_fit:
        game_map = load_map(folder)

        def keep(now: Middle, variant: str = variant, n_players: int = n_players) -> None:
            former = tuple(_Numbers(tuple(one.tolist())) for one in now.former)
            mean, spread = tuple(now.mean.tolist()), tuple(now.spread.tolist())
            kept = _Part(variant, n_players, seed, now.n_rounds, mean, spread, former)
            write_atomically(folder / PART_FILE, json.dumps(asdict(kept)))

        found = fit(
            game_map.with_variant(variant or None),
            n_players,
            rounds=rounds,
            seed=seed,
            middle=part.middle() if part is not None and begun == (variant, n_players) else None,
            keep=keep,
            progress=progress,
        )
        others = [one for one in game_map.strategies if (one.variant, one.n_players) != (variant, n_players)]
        write_atomically(folder / STRATEGY_FILE, strategies_text([*others, found]))
        with suppress(FileNotFoundError):
            (folder / PART_FILE).unlink()
        yield found


def _read_part(path: Path) -> _Part | None:
    """Return the unfinished fit in a file, if any; raise a `RecordError` with all its faults."""
    faults = FaultList(str(path), path.name)
    text = read_text(path, faults) if path.exists() else None
    faults.raise_if_any()
    if text is None:
        return None

    def report(keys: Keys, value: str, expected: str) -> None:
        faults.add(1, ".".join(keys), value, expected)

    try:
        part: _Part | None = Decoder(report).table(_Part, json.loads(text))
    except ValueError:
        faults.add(1, "", "something else", "expected JSON; delete the file to start over")
        part = None
    faults.raise_if_any()
    return part
