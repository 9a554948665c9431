"""Insights from players' games: results, percentiles of scores, habits, and where winning chances are lost."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import index
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
import pandas as pd

from ttr_analysis import _words as words
from ttr_analysis._compile import Floats, Ints
from ttr_analysis._decoding import Range
from ttr_analysis._notebook import as_table
from ttr_analysis._words import counted, percent, percentage_points
from ttr_analysis.engine.events import Move
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.notation.bga import read_bga
from ttr_analysis.records.entries import START
from ttr_analysis.records.record import GameRecord
from ttr_analysis.studies import intervals
from ttr_analysis.studies.columns import ANSWERS, BONUSES, SEATS, Column, bonus_points
from ttr_analysis.studies.judging import LABELS
from ttr_analysis.studies.losses import BLOCKED, CLAIMING, DRAWING, DRAWS, END, OPENING, decisions_of, losses
from ttr_analysis.studies.questions.tally import Tally
from ttr_analysis.studies.recorded import alike, from_records
from ttr_analysis.studies.reviews import Review, player_names, review
from ttr_analysis.studies.simulation import Interrupted, simulate
from ttr_analysis.studies.winning import DEFAULT_SEED
from ttr_analysis.tables import check_size

# -- how good a score is -------------------------------------------------------------------------------------------

PERCENTILE_COLUMNS: Final = {
    "percentile": "share of their seats with fewer points, plus half of those with equal points",
    **intervals.end_columns("percentile"),
    "wins": "share of games that the points would win alone in place of those of a random seat",
    "median": "points that half of the seats reach",
    "winners": "mean points of the winners",
    "games": "games played",
}
"""Columns of `percentile`, and their meanings."""
_UNITS: Final = {"median": "points", "winners": "points"}


def percentile(
    game_map: MapLike,
    points: float,
    n_players: int,
    *,
    against: str | Sequence[str] = "Planner",
    n_games: int = 2_000,
    seed: int = 7,
) -> pd.DataFrame:
    """
    Return how good a score is, compared with the scores of other players.

    Parameters
    ----------
    game_map
        The map, in the variant that was played.
    n_players
        Players in the game.
    against
        Names of policies. Each plays against copies of itself.
    n_games, seed
        Number of games, and their seed. Their points are kept in memory for further calls.

    Returns
    -------
    standing
        One row for each policy (index `against`), with the columns of
        `PERCENTILE_COLUMNS`.

    Raises
    ------
    ValueError
        If the map does not allow this number of players, `n_games` is below 2, or `points` is
        not a number.

    Notes
    -----
    The interval treats games, not seats, as independent, since players of one game share
    the board. Planners do not make some mistakes that people make; `docs/players.md`
    compares them with people in one tournament.

    Examples
    --------
    >>> standing = percentile("usa", 98, 4, n_games=200)
    >>> standing["percentile"].round(1).to_dict()
    {'Planner': 0.3}
    """
    game_map = as_map(game_map)
    check_size(game_map, n_players)
    n_games = Range(2).check(n_games, "n_games")
    if not np.isfinite(points):
        raise ValueError(f"points must be a number, got {points!r}")
    names = [against] if isinstance(against, str) else list(against)
    rows = [_standing(scores_of(game_map, name, n_players, n_games, index(seed)), points) for name in names]
    table = pd.DataFrame(rows, index=pd.Index(names, name="against"), columns=list(PERCENTILE_COLUMNS))
    return as_table(table, units=_UNITS)


@lru_cache(maxsize=64)
def scores_of(game_map: GameMap, policy: str, n_players: int, n_games: int, seed: int) -> Ints:
    """Return the final points of games of equal players, shape (games, seats)."""
    played = simulate(game_map, [policy] * n_players, n_games, seed, progress=False)
    points: Ints = played.table("seats", ["points"]).to_numpy(dtype=np.int64).reshape(-1, n_players)
    return points


def below(scores: Ints, points: float) -> Floats:
    """Return 1 for each seat with fewer points, one half for equal points, else 0."""
    found: Floats = (scores < points) + 0.5 * (scores == points)
    return found


def _standing(scores: Ints, points: float) -> dict[str, float]:
    """Return the row for a score compared with those of games."""
    n_games, n_players = scores.shape
    n_below = below(scores, points).sum(axis=1)
    best_of_others = np.sort(scores, axis=1)[:, ::-1]
    # One seat is replaced: the others' best is the overall best, or the second best if the seat has the best.
    wins = ((n_players - 1) * (best_of_others[:, 0] < points) + (best_of_others[:, 1] < points)) / n_players
    return {
        **intervals.with_ends(
            "percentile", intervals.clustered_rate(intervals.moments_of(n_below, np.full(n_games, n_players)))
        ),
        "wins": float(wins.mean()),
        "median": float(np.median(scores)),
        "winners": float(best_of_others[:, 0].mean()),
        "games": n_games,
    }


# -- a player's games ----------------------------------------------------------------------------------------------

LENGTHS: Final = 6
"""Routes with this number of spaces or more are counted together."""
_LENGTHS: Final = {
    f"length_{n}": Column("int64", f"routes of {n} spaces{' or more' if n == LENGTHS else ''}", "routes")
    for n in range(1, LENGTHS + 1)
}
HABITS: Final = {
    "points": Column("float64", "final points", "points"),
    **{name: SEATS[name] for name in ("route_points", "ticket_gain", "ticket_loss")},
    "bonus": Column("float64", "points of bonuses", "points"),
    "other_points": Column("float64", "points for loans and stations", "points"),
    **{name: SEATS[name] for name in ("tickets", "completed")},
    "blocked": Column("float64", "tickets that another player's claim made impossible", "tickets"),
    "ticket_draws": Column("float64", "draws of tickets after the start", "draws"),
    **_LENGTHS,
    "turns": Column("float64", "turns taken", "turns"),
    "cards_drawn": Column("float64", "cards drawn from the pile", "cards"),
    "cards_taken": Column("float64", "cards taken from the market", "cards"),
    "first_claim": Column("float64", "turn of the first claim", "turn"),
    "first_hand": Column("float64", "cards in hand before the first claim", "cards"),
    "tunnels": Column("float64", "tunnels attempted", "tunnels"),
    "surcharge": Column("float64", "extra cards required for tunnels", "cards"),
    "failed": Column("float64", "tunnels attempted but not taken", "tunnels"),
    "trains_left": Column("float64", "trains left when the game ended", "trains"),
    "cards_left": Column("float64", "cards left in hand", "cards"),
}
"""What is compared with the others in the same games: facts of a seat in a game, with their meaning and unit."""
GAME_COLUMNS: Final = {
    "file": "name of the file, or title of the record",
    "date": "day of the game, if the record has it",
    "map": "title of the map, with the variant",
    "players": "players in the game",
    "seat": "seat of the player, from 0",
    "points": "final points; missing if unknown",
    "best_other": "most points of another seat",
    "won": "share of the win; missing if unknown",
    "percentile": "share of planners' seats in such games with fewer points, plus half of those with equal points",
    "turns": "turns of all seats together",
    "ending": "why the game ended",
    "start": "win probability before the first decision, from a review",
    "skill": "what the player's decisions gained beyond a planner's, from a review",
    "luck": "what chance and the others' moves contributed, from a review",
}
"""The columns of `Insights.games`, and their meanings."""
HABIT_COLUMNS: Final = {
    "mine": "mean of the player",
    "others": "mean of the others, each game counting once",
    "difference": "mean difference in a game",
    **intervals.end_columns("difference"),
    "unit": "unit",
    "meaning": "what is compared",
}
"""The columns of `Insights.habits`, and their meanings."""
_PLANNERS: Final = 500
"""Number of games between planners with which points are compared."""
_AIMS: Final = {
    (OPENING, "many"): "You keep too many opening tickets",
    (OPENING, "few"): "You keep too few opening tickets",
    (OPENING, ""): "You keep the wrong opening tickets",
    (DRAWS, "often"): "You draw tickets too often",
    (DRAWS, "rarely"): "You draw tickets too rarely",
    (DRAWS, ""): "You lose the most when drawing tickets",
    (CLAIMING, "early"): "You claim routes too early, when cards would bring more",
    (CLAIMING, ""): "You claim the wrong routes",
    (DRAWING, "late"): "You keep drawing cards when you could claim",
    (DRAWING, ""): "You draw the wrong cards",
    (BLOCKED, ""): "You do not react to routes that others take, or are about to take",
    (END, ""): "You lose chances in the last turns",
}
"""Sentences by part of the game and direction; those without a direction are the default."""


@dataclass(frozen=True, repr=False)
class Insights:
    """
    What a player's games show: see `insights`.

    Attributes
    ----------
    player
        The name.
    games
        One row for each game (index `game`), with the columns of `GAME_COLUMNS`.
    seats
        One row for each seat of each game: `game`, `seat`, `is_mine`, `won`, the points by
        source, and the facts in `HABITS`.
    decisions
        From `losses.decisions_of`: decisions in which the best move or a planner's was another.
    reviews
        The reviews, by game number.
    left_out
        Unused games, and the reasons.
    """

    player: str
    games: pd.DataFrame
    seats: pd.DataFrame
    decisions: pd.DataFrame
    reviews: Mapping[int, Review] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def habits(self) -> pd.DataFrame:
        """One row for each of `HABITS`, with the columns of `HABIT_COLUMNS`: the player against the others."""
        facts = list(HABITS)
        mine = self.seats[self.seats["is_mine"]].groupby("game")[facts].mean()
        others = self.seats[~self.seats["is_mine"]].groupby("game")[facts].mean()
        rows = []
        for name, column in HABITS.items():
            known = pd.DataFrame({"mine": mine[name], "others": others[name]}).dropna()
            found = intervals.interval_of_mean(known["mine"] - known["others"])
            ends = intervals.with_ends("difference", found)
            rows.append({**known.mean(), **ends, "unit": column.unit, "meaning": column.meaning})
        return as_table(pd.DataFrame(rows, index=pd.Index(HABITS, name="habit"), columns=list(HABIT_COLUMNS)))

    @cached_property
    def losses(self) -> pd.DataFrame | None:
        """Where winning chances are lost, with the columns of `LOSS_COLUMNS`; None without reviews."""
        return losses(self.decisions, list(self.reviews)) if self.reviews else None

    @cached_property
    def sources(self) -> pd.DataFrame:
        """Mean points by source, as in `point_sources`, for the player and the others, in games won and lost."""
        seats = self.seats.dropna(subset=["points", "won"])
        who = np.where(seats["is_mine"], self.player, "the others")
        rows = seats.assign(policy=who, won=seats["won"] > 0)
        columns = ["points", "start", "routes", "tickets_completed", "tickets_missed", "bonus", "loans", "stations"]
        return Tally([rows], ["policy", "won"], ANSWERS["point_sources"]).table()[columns]

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Up to five sentences to take away: what costs the most, then other facts."""
        return tuple([*self._faults(), *self._rest()][:_SENTENCES])

    def _faults(self) -> Iterator[str]:
        """Yield the parts of the game in which the player clearly loses against a planner, most costly first."""
        if self.losses is None:
            return
        found = self.losses[self.losses["behind_low"] > _LEAST].sort_values("behind", ascending=False)
        for place, row in found.head(_FAULTS).iterrows():
            said = _AIMS.get((str(place), row["aim"])) or _AIMS[str(place), ""]
            cost = f"{percentage_points(row['behind'])[1:]} points of win probability per game"
            between = f"95% interval {100 * row['behind_low']:.0f} to {100 * row['behind_high']:.0f}"
            yield f"{said}: compared with a planner's moves, this costs {cost} ({between})."
        if found.empty:
            lost, most = self.losses["lost"], self.losses["behind_high"].max()
            doubt = f"; {counted(len(self.reviews), 'reviewed game')} cannot rule out {100 * most:.0f}"
            yield (
                f"No part of your play clearly costs {100 * _LEAST:.0f} points of win probability per game more "
                f"than a planner's{doubt if most > _LEAST else ''}. You have the most to gain in "
                f"{lost.idxmax()}: better moves would gain {percent(max(0.0, lost.max()))} of a win per game."
            )

    def _rest(self) -> Iterator[str]:
        """Yield the other sentences."""
        games = self.games.dropna(subset=["won"])
        won, fair = win_rate(games), (1 / games["players"]).mean()
        if len(games):
            yield (
                f"You won {percent(won.value)} of {counted(len(games), 'game')} ({won.ends(percent)}); "
                f"equal players would win {percent(fair)}."
            )
        yield from self._of_sources()
        if self.games["percentile"].notna().any():
            yield f"On average {percent(self.games['percentile'].mean())} of planners score lower than you."
        luck = intervals.interval_of_mean(self.games["luck"].dropna())
        if len(self.games["luck"].dropna()) > 1:
            is_clear = luck.low > 0 or luck.high < 0
            kind = ("good" if luck.value > 0 else "bad") if is_clear else "neither good nor bad"
            yield (
                f"Luck was {kind}: with the moves of the others, it contributed {percentage_points(luck.value)} "
                f"points of win probability per game ({luck.ends(percentage_points)})."
            )
        habits = self.habits.loc[["tickets", "completed"]]
        (kept, done), (theirs, finished) = habits["mine"], habits["others"]
        yield (
            f"You complete {done:.1f} of {kept:.1f} tickets a game; the others complete {finished:.1f} of {theirs:.1f}."
        )

    def _of_sources(self) -> Iterator[str]:
        """Yield the source in which the player clearly has more, or fewer, points than the others."""
        rows = self.habits.loc[["route_points", "ticket_gain", "ticket_loss", "bonus"]]
        clear = rows[(rows["difference_low"] > 0) | (rows["difference_high"] < 0)]
        if len(clear):
            row: Any = clear.iloc[int(clear["difference"].abs().argmax())]
            more = "more" if row["difference"] > 0 else "fewer"
            yield (
                f"The largest difference from the others is in {str(row['meaning']).split(',')[0]}: "
                f"{words.number(abs(row['difference']))} {more} a game (95% interval of the difference "
                f"{words.number(row['difference_low'])} to {words.number(row['difference_high'])})."
            )

    def __repr__(self) -> str:
        """Return the sentences, one per line."""
        return "\n".join([f"<Insights of {self.player}: {counted(len(self.games), 'game')}>", *self.sentences])


_SENTENCES: Final = 5
_FAULTS: Final = 3
"""Maximum number of parts of the game that are named as costly."""
_LEAST: Final = 0.02
"""
Minimum share of a win per game, at the low end of the interval, for a part to be named as costly.

There are six parts, and the interval of a mean is too narrow for a part that costs nothing in most games. Sets of 12 to
40 games of planners, resampled and shifted to a mean of 0, had a part named in 11 to 73% of the sets with a limit of 0,
and in under 1% with this one.
"""


def win_rate(games: pd.DataFrame) -> intervals.Interval:
    """Return the share of wins in a table of games, with its interval."""
    won = games["won"].dropna()
    return intervals.clustered_rate(intervals.moments_of(won, np.ones(len(won))))


def read_games(folder: str | os.PathLike[str]) -> tuple[dict[str, GameRecord], dict[str, str]]:
    """
    Return the games in a folder by file, and the unreadable files with reasons.

    A game is a record (`.jsonl`) or a Board Game Arena log (`.txt`). A log with a record of the
    same name is skipped, since it was imported.
    """
    games: dict[str, GameRecord] = {}
    faults: dict[str, str] = {}
    for path in sorted(Path(folder).expanduser().iterdir()):
        is_log = path.suffix == ".txt" and not path.with_suffix(".jsonl").exists()
        if path.suffix != ".jsonl" and not is_log:
            continue
        try:
            games[path.name] = read_bga(path.read_text("utf-8", errors="replace")) if is_log else GameRecord.load(path)
        except (OSError, ValueError, LookupError) as error:
            faults[path.name] = str(error).partition("\n")[0]
    return games, faults


def insights(
    records: Iterable[GameRecord] | str | os.PathLike[str],
    player: str,
    *,
    minutes: float = 8.0,
    reviews: str | os.PathLike[str] | None = None,
    seed: int = DEFAULT_SEED,
    progress: bool = True,
) -> Insights:
    """
    Return insights from a player's games.

    Parameters
    ----------
    records
        Records, of any maps and numbers of players; or a folder of records and logs,
        as `read_games` reads it.
    player
        Name of the player or policy.
    minutes
        Time for reviews of all games, on all cores; 0 skips them.
    reviews
        A folder for saving and resuming reviews. By default, that of the records; if they
        are not given as a folder, reviews are not saved.
    seed
        Seed of reviews.
    progress
        Whether to show a progress bar.

    Returns
    -------
    insights
        Tables, and up to five sentences.

    Raises
    ------
    ValueError
        If no game can be used, or `player` plays in none of them.
    OSError
        If the folder cannot be read, or a review cannot be read or written.

    Notes
    -----
    Games that begin from a position are left out. Each review measures losses in worlds
    other than those in which the best moves were found, so means over many games are
    unbiased even if each review is short; their intervals are over games.

    Examples
    --------
    >>> game = ttr.Game("usa")
    >>> records = [game.play(["Planner", "Greedy"], seed=seed) for seed in range(3)]
    >>> found = insights(records, "Greedy", minutes=0, progress=False)
    >>> found.games["won"].tolist()
    [0.0, 0.0, 0.0]
    >>> found.habits.loc["turns", ["mine", "others"]].round(1).tolist()
    [33.3, 34.3]
    """
    if isinstance(records, str | os.PathLike):
        reviews = records if reviews is None else reviews
        named, left_out = read_games(records)
    else:
        named, left_out = {f"game {i}": record for i, record in enumerate(records)}, {}
    left_out |= {name: why for name, record in named.items() if (why := _unfit(record, player))}
    games = {name: record for name, record in named.items() if name not in left_out}
    if not games:
        reasons = "; ".join(f"{name}: {why}" for name, why in list(left_out.items())[:3])
        raise ValueError(f"no game of {player!r} can be used{f' ({reasons})' if reasons else ''}")
    folder = None if reviews is None else Path(reviews).expanduser()
    judged = _judged(games, player, 60 * minutes, folder, seed, progress=progress) if minutes > 0 else {}
    listed = list(games.values())
    seats = pd.concat([_seats(listed, numbers, player) for numbers in alike(listed).values()])
    seats = seats.sort_values(["game", "seat"], ignore_index=True)
    return Insights(
        player,
        _games(games, seats, judged, seed),
        as_table(seats, units={name: column.unit for name, column in HABITS.items()}),
        decisions_of(judged.items()),
        judged,
        left_out,
    )


def _unfit(record: GameRecord, player: str) -> str:
    """Return why a record cannot be used, "" if it can."""
    if player not in player_names(record):
        return f"{player} is not among {', '.join(player_names(record))}"
    if record.entries and record.entries[0].kind == START:
        return "it begins from a position"
    try:
        record.score()
    except ValueError as error:
        return str(error).partition("\n")[0]
    return ""


# -- facts of seats and games --------------------------------------------------------------------------------------


def _seats(games: Sequence[GameRecord], numbers: Sequence[int], player: str) -> pd.DataFrame:
    """Return the facts of each seat of games of one map and number of players."""
    these = [games[number] for number in numbers]
    result = from_records(these, partial=True)
    routes, tunnels, tickets = result.routes, result.tunnels, result.tickets
    length = routes["route"].map({route.id: min(route.length, LENGTHS) for route in these[0].map.routes})
    is_blocked = tickets["kept"] & tickets["lost_to"].notna() & tickets["completed_turn"].isna()
    keys = ["game", "seat"]
    things = [
        routes[keys].assign(**{name: length == n for n, name in enumerate(_LENGTHS, start=1)}),
        tunnels[[*keys, "surcharge"]].assign(tunnels=1, failed=~tunnels["taken"]),
        tickets[keys].assign(blocked=is_blocked),
    ]
    sums = pd.concat([frame.set_index(keys).astype(float) for frame in things]).groupby(level=keys).sum()
    seats = pd.DataFrame(result.seats).set_index(keys).join(sums).fillna(dict.fromkeys(sums, 0))
    seats["first_claim"] = routes.groupby(keys)["turn"].min()
    seats["first_hand"] = np.concatenate([_first_hands(record) for record in these])
    seats["bonus"] = bonus_points(seats)
    seats["other_points"] = seats["loan_points"] + seats["station_points"]
    seats["is_mine"] = [seat == player_names(these[game]).index(player) for game, seat in seats.index]
    columns = ["is_mine", "won", "start", "loan_points", "station_points", *BONUSES, *HABITS]
    facts = seats[columns].astype(dict.fromkeys(["won", *HABITS], float))
    return facts.rename(index=dict(enumerate(numbers)), level="game").reset_index()


def _first_hands(record: GameRecord) -> list[float]:
    """Return each seat's cards in hand before its first route; missing if it has none."""
    hands = [np.nan] * record.header.n_players
    states = record.states()
    for before, after, events in zip(states, states[1:], record.steps[1:], strict=False):
        move = events[0]
        if isinstance(move, Move) and np.isnan(hands[move.seat]) and len(after.claimed) > len(before.claimed):
            paid_before = before.pending.laid.n_cards if before.pending else 0
            hands[move.seat] = before.n_hands[move.seat] + paid_before
    return hands


def _games(
    games: Mapping[str, GameRecord], seats: pd.DataFrame, judged: Mapping[int, Review], seed: int
) -> pd.DataFrame:
    """Return the table of games."""
    mine = seats[seats["is_mine"]].set_index("game")
    records = games.values()
    ends = [record.states()[-1] for record in records]
    table = mine[["seat", "points", "won"]].assign(
        file=list(games),
        date=[record.header.date for record in records],
        map=[record.map.rules.full_title for record in records],
        players=[record.header.n_players for record in records],
        best_other=seats[~seats["is_mine"]].groupby("game")["points"].max(),
        percentile=[_percentile(*one, seed) for one in zip(records, mine["points"], strict=True)],
        turns=[end.n_turns for end in ends],
        ending=[end.ending or "" for end in ends],
    )
    parts = {number: one.summary()[["start", "skill", "luck"]].iloc[0] for number, one in judged.items()}
    table = table.join(pd.DataFrame.from_dict(parts, "index", float, ["start", "skill", "luck"]))
    return as_table(table[list(GAME_COLUMNS)], units={"points": "points", "best_other": "points"})


def _percentile(record: GameRecord, points: float, seed: int) -> float:
    """Return the share of planners' scores below some points; missing if the points are."""
    scores = scores_of(record.map, "Planner", record.header.n_players, _PLANNERS, seed)
    return np.nan if np.isnan(points) else float(below(scores, points).mean())


# -- reviews -------------------------------------------------------------------------------------------------------


def _judged(
    games: Mapping[str, GameRecord], player: str, seconds: float, folder: Path | None, seed: int, *, progress: bool
) -> dict[int, Review]:
    """Return reviews of the player's seat, each with a share of the time left."""
    from tqdm.auto import tqdm

    end = perf_counter() + seconds
    judged: dict[int, Review] = {}
    for number, (file, record) in enumerate(tqdm(games.items(), unit="review", disable=not progress)):
        seat = player_names(record).index(player)
        each = max(_FEWEST_SECONDS, (end - perf_counter()) / (len(games) - number))
        path = None if folder is None else folder / f"{file}.seat{seat}.review"
        try:
            found = _review(record, seat, each, seed, path)
        except ValueError:  # saved for another game, before the file changed
            if path is None:
                raise
            path.unlink()
            found = _review(record, seat, each, seed, path)
        if len(found.decisions):
            judged[number] = found
    return judged


def _review(record: GameRecord, seat: int, seconds: float, seed: int, path: Path | None) -> Review:
    with warnings.catch_warnings():
        warnings.simplefilter("error", Interrupted)
        try:
            return review(record, seat, seconds=seconds, seed=seed, path=path, progress=False)
        except Interrupted:
            raise KeyboardInterrupt from None


_FEWEST_SECONDS: Final = 0.5
"""Minimum time for the review of a game, even when time is up."""


def player_results(reviews: Iterable[Review]) -> pd.DataFrame:
    """
    Return each player's results in reviews of many games.

    Parameters
    ----------
    reviews
        From `review`.

    Returns
    -------
    results
        One row for each name (index `player`): `games` (each seat with the name counts),
        `decisions`, and the means per game of `result`, `start`, `skill`, `others`,
        `luck` and `lost`, as in `Review.summary`, with 95% intervals of `skill`, `luck`
        and `lost`; and the number of decisions with each label.

    Raises
    ------
    ValueError
        If there are no reviews, or none has a judged decision.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> games = [game.play(["Planner", "Greedy"], seed=7, game=i) for i in range(2)]
    >>> found = [ttr.studies.review(record, 1, rollouts=2, progress=False) for record in games]
    >>> player_results(found)[["games", "result"]].to_dict("index")
    {'Greedy': {'games': 2, 'result': 0.0}}
    """
    frames = [review.summary() for review in reviews]
    if not frames:
        raise ValueError("expected at least one review")
    seats = pd.concat(frames)
    seats = seats[seats["decisions"] > 0]
    if not len(seats):
        raise ValueError("expected a review in which a decision was judged")
    rows = []
    for name, of_player in seats.groupby("player", sort=True):
        decisions = int(of_player["decisions"].sum())
        row: dict[str, object] = {"player": name, "games": len(of_player), "decisions": decisions}
        row |= {what: float(of_player[what].mean()) for what in ("result", "start", "others")}
        for what in ("skill", "luck", "lost"):
            row |= intervals.with_ends(what, intervals.interval_of_mean(of_player[what]))
        rows.append(row | {label: int(of_player[label].sum()) for label in LABELS})
    return as_table(pd.DataFrame(rows).set_index("player"))
