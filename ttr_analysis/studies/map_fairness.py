"""How fair a map is: its tickets, bottlenecks, colors and seats."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import sqrt
from typing import Final

import numpy as np
import pandas as pd

from ttr_analysis._compile import Floats
from ttr_analysis._decoding import Range
from ttr_analysis._notebook import as_table, same_fields
from ttr_analysis.analysis.structure import route_table, spaces_table
from ttr_analysis.analysis.tickets import blocking_map, value_table
from ttr_analysis.cards import COLORS
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.file import check_seed
from ttr_analysis.studies.columns import Figures, count, mean, rate
from ttr_analysis.studies.intervals import ClusterSums, clustered_bounded_mean
from ttr_analysis.studies.playing import Frames, Run, frame, warn_of_generators
from ttr_analysis.studies.questions.tally import Tally
from ttr_analysis.studies.simulation import Chunk, Interrupted, chunks_of, default_chunk, played
from ttr_analysis.tables import check_size

_N_COLORINGS: Final = 10_000
_FEWEST: Final = 20
"""Minimum number of deals with a ticket for a verdict on it."""
_EVEN, _UNEVEN = 0.05, 0.95
_SHOWN: Final = 3


def fairness(
    game_map: MapLike,
    n_games: int = 1_000,
    *,
    policies: Sequence[PolicyLike] | None = None,
    seed: int = 0,
    n_deals: int = 300,
    executor: Executor | None = None,
    progress: bool = True,
) -> Fairness:
    """
    Return how fair a map is, built-in or your own.

    Tickets are judged by opening deals: on a fair map, no ticket would give the player who
    is dealt it more points than another ticket of its deck. The results hold for the
    players of these games.

    Parameters
    ----------
    n_games
        Games for each number of players, rounded up so that different policies have
        every seat equally often.
    policies
        Policies, one for each seat. None: `Planner` at all seats, in games with the
        fewest and the most players that the map allows.
    n_deals
        Random opening deals for calculations without games.

    Returns
    -------
    fairness
        Tables of tickets, bottlenecks, colors and seats, and a summary.

    Raises
    ------
    ValueError
        If the map does not allow this number of players, or a number is out of range.
    KeyboardInterrupt
        If interrupted before there are games with each number of players.

    Warns
    -----
    Interrupted, UserWarning
        If interrupted later (the finished games count), or if a policy holds a random
        generator.

    Examples
    --------
    >>> found = fairness(ttr.load_map("usa"), n_games=50, n_deals=20, progress=False)
    >>> found.seats.index.tolist()
    [(2, 0), (2, 1), (5, 0), (5, 1), (5, 2), (5, 3), (5, 4)]
    >>> found.summary[-1][:6]
    'Seats:'
    """
    game_map = as_map(game_map)
    check_seed(seed)
    n_games, n_deals = Range(1).check(n_games, "n_games"), Range(1).check(n_deals, "n_deals")
    if policies is None:
        runs = [Run.of(game_map, ["Planner"] * n, seed) for n in sorted(set(game_map.rules.players))]
    else:
        runs = [Run.of(game_map, policies, seed)]
        warn_of_generators(runs[0].policies)
    for run in runs:
        check_size(game_map, run.n_players)
    games = _play(runs, n_games, executor, progress=progress)
    return Fairness(
        game_map=game_map,
        tickets=_judge_tickets(game_map, games, n_deals, seed),
        bottlenecks=_find_bottlenecks(game_map, games, n_deals, seed),
        colors=_count_colors(game_map),
        unevenness=_unevenness(game_map, np.random.default_rng(seed)),
        seats=_judge_seats(games),
    )


@dataclass(frozen=True, eq=False)
class Fairness:
    """
    How fair a map is.

    Parameters
    ----------
    tickets
        One row for each ticket (index `ticket`), most profitable first:

        - `points`, `trains`, `in_deal`, `shared`, `detour`: see
          `ttr.tickets.value_table`;
        - `surplus`: points above a line fitted through all tickets by `in_deal`, the
          trains that it takes on top of a deal;
        - `deals` in which it was dealt at the start, and `worth`: how many points above
          average the player who was dealt it scored, with the 95% interval `worth_low`
          and `worth_high` and the standard error `worth_se`;
        - `win_worth`: the same for the share of wins, with `win_worth_low` and
          `win_worth_high`;
        - `net_points` that it scored when kept, at the start or later, with
          `net_low` and `net_high`;
        - `verdict`: "pays too much" or "pays too little" if `worth` differs from 0
          significantly (5% for all tickets together).
    bottlenecks
        One row for each pair of cities with a route (index `city_a`, `city_b`),
        most costly loss first: `length`, `n_tracks`, `is_bridge` (its loss
        disconnects the map, apart from borders), `detour` (trains), `n_tickets` that
        become longer, `deal_mean` (extra trains of a random opening deal) with
        its standard error `deal_se`, `deals_lost` (share that becomes
        impossible), and `claims` per game of any of its tracks.
    colors
        One row for each color in the deck: `spaces`, `routes` (tracks), `cards`
        and `spaces_per_card`.
    unevenness
        Share of random colorings of the same routes that are more even: near 0 if the
        colors are deliberately balanced, near 1 if they are lopsided.
    seats
        One row for each number of players and seat (index `players`, `seat`):
        `games`, `win_rate` with `win_low` and `win_high`, `points` with
        `points_low` and `points_high`, and a `verdict` if `win_rate` differs from
        1 / players significantly (5% for all seats together).
    """

    game_map: GameMap
    tickets: pd.DataFrame
    bottlenecks: pd.DataFrame
    colors: pd.DataFrame
    unevenness: float
    seats: pd.DataFrame

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other)

    __hash__ = None  # type: ignore[assignment] # tables can change

    @cached_property
    def luck(self) -> float:
        """The standard deviation of the tickets' worth, in points, corrected for chance."""
        known = self.tickets.dropna(subset=["worth", "worth_se"])
        spread = (known["worth"] ** 2).mean() - (known["worth_se"] ** 2).mean()
        return float(np.sqrt(max(0.0, spread))) if len(known) else 0.0

    @cached_property
    def summary(self) -> tuple[str, ...]:
        """Sentences about the tables."""
        return (*self._about_tickets(), *self._about_routes(), self._about_colors(), self._about_seats())

    def _about_tickets(self) -> list[str]:
        tickets = self.tickets
        sentences = []
        for verdict, rows in (
            ("pays too much", tickets.sort_values("worth", ascending=False)),
            ("pays too little", tickets.sort_values("worth")),
        ):
            found = rows[rows["verdict"] == verdict]
            names = [f"{name} ({row.worth:+.0f} points)" for name, row in found.head(_SHOWN).iterrows()]
            more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            sentences.append(f"{len(found)} of {len(tickets)} tickets {verdict.replace('pays', 'pay')}")
            sentences[-1] += f": {', '.join(names)}{more}." if names else "."
        known = tickets[["surplus", "worth"]].dropna()
        agrees = ""
        if (known.min() < known.max()).all():  # else there are no ranks
            agreement = known["surplus"].corr(known["worth"], method="spearman")
            agrees = f" The map alone predicts this with a rank correlation of {agreement:.2f}."
        sentences.append(
            f"Being dealt one ticket rather than another is worth {self.luck:.1f} points (standard deviation).{agrees}"
        )
        return sentences

    def _about_routes(self) -> list[str]:
        routes = self.bottlenecks
        names = pd.Series([f"{a}–{b}" for a, b in routes.index], index=routes.index)
        bridges = names[routes["is_bridge"]]
        worst = [
            f"{name} ({f'{lost:.0%} of deals become impossible' if lost else f'{mean:.1f} trains'})"
            for name, lost, mean in zip(names, routes["deals_lost"], routes["deal_mean"], strict=True)
        ]
        return [
            f"Bottlenecks: a deal suffers most from losing {', '.join(worst[:_SHOWN])}.",
            f"Bridges: {', '.join(bridges) or 'none'}.",
        ]

    def _about_colors(self) -> str:
        spaces = self.colors["spaces"]
        if not spaces.any():
            return "Colors: none, all routes are gray."
        kind = "balanced" if self.unevenness <= _EVEN else "lopsided" if self.unevenness >= _UNEVEN else "typical"
        least, most = f"{spaces.min()} ({spaces.idxmin()})", f"{spaces.max()} spaces ({spaces.idxmax()})"
        found = f"{least} to {most}" if spaces.min() < spaces.max() else f"{spaces.max()} spaces each"
        return f"Colors: {found}, {kind}: {self.unevenness:.1%} of random colorings are more even."

    def _about_seats(self) -> str:
        seats = self.seats[self.seats["verdict"] != ""].reset_index()
        unfair = [
            f"with {row.players} players seat {row.seat} {row.verdict} "
            f"({row.win_rate:.1%}, {row.win_low:.1%} to {row.win_high:.1%})"
            for row in seats.itertuples()
        ]
        return f"Seats: {'; '.join(unfair) or 'no clear difference'}."

    def __repr__(self) -> str:
        n_off = int((self.tickets["verdict"] != "").sum())
        tickets = f"{n_off} of {len(self.tickets)} tickets mispriced"
        return f"<Fairness of {self.game_map.name}: {tickets}, luck of the deal {self.luck:.1f} points>"

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.summary)
        return f"<p>{escape(self.game_map.title)}</p><ul>{items}</ul>"


# -- games ----------------------------------------------------------------------------------


_KEPT: Final = {
    "games": ["game", "deal"],
    "seats": ["game", "seat", "points", "won"],
    "tickets": ["game", "seat", "ticket", "offered", "kept", "points"],
    "routes": ["route"],
}
"""Columns to keep, by table."""


@dataclass(frozen=True)
class _Games:
    """Data kept from the games: seats, opening deals, tickets kept, routes taken."""

    n_games: int
    seats: pd.DataFrame
    dealt: pd.DataFrame
    kept: pd.DataFrame
    claims: pd.Series[int]


def _play(runs: list[Run], n_games: int, executor: Executor | None, *, progress: bool) -> _Games:
    """Play the games of all runs; if interrupted, return the finished ones if each run has some."""
    chunks: list[Chunk] = []
    for run in runs:
        n, size = (run.n_rotations * -(-wanted // run.n_rotations) for wanted in (n_games, default_chunk(run.policies)))
        chunks += chunks_of(run, 0, n, size)  # whole deals
    chunks.sort(key=lambda chunk: chunk.first)  # so that each run soon has some
    done: list[tuple[Chunk, Frames]] = []
    try:
        for chunk, columns in played(chunks, executor, sum(chunk.n_games for chunk in chunks), progress=progress):
            done.append((chunk, {name: frame(chunk.run, name, columns)[kept] for name, kept in _KEPT.items()}))
    except KeyboardInterrupt:
        if len({id(chunk.run) for chunk, _ in done}) < len(runs):
            raise
        warnings.warn("the games were interrupted; only the finished ones count", Interrupted, stacklevel=3)
    return _gathered(sorted(done, key=lambda part: (part[0].run.n_players, part[0].first)))


def _gathered(done: list[tuple[Chunk, Frames]]) -> _Games:
    """Return the kept data of games; deals differ between numbers of players."""
    deals, seats, tickets = (
        pd.concat([frames[name].assign(players=chunk.run.n_players) for chunk, frames in done], ignore_index=True)
        for name in ("games", "seats", "tickets")
    )
    deals["deal"] += deals["players"] * (deals["deal"].max() + 1)  # makes deals unique across runs
    seats = seats.merge(deals, on=["players", "game"])
    seats["above"] = seats["points"] - seats.groupby("players")["points"].transform("mean")
    seats["more_wins"] = seats["won"] - 1 / seats["players"]
    tickets = tickets.rename(columns={"points": "net_points"}).merge(seats, on=["players", "game", "seat"])
    return _Games(
        n_games=len(deals),
        seats=seats,
        dealt=tickets[tickets["offered"] == 0],
        kept=tickets[tickets["kept"]],
        claims=pd.concat([frames["routes"]["route"] for _, frames in done]).value_counts(),
    )


_N: Final = {"_n": count("")}
_WORTH: Final = {"worth": mean("", "above", "_n"), "win_worth": mean("", "more_wins", "_n"), **_N}
_NET: Final = {"net_points": mean("", "net_points", "_n", "net"), **_N}
_SEATS: Final = {
    "games": count(""),
    "win_rate": rate("", "won", "games", "win"),
    "points": mean("", "points", "games"),
}
"""Figures of tickets dealt, tickets kept, and seats."""


def _by_deals(rows: pd.DataFrame, by: list[str], figures: Figures) -> Tally:
    """Return figures by group, with deals as clusters."""
    return Tally([rows.assign(game=rows["deal"])], by, figures)


# -- the tables -------------------------------------------------------------------------------


def _judge_tickets(game_map: GameMap, games: _Games, n_deals: int, seed: int) -> pd.DataFrame:
    """Return the value of tickets against their cost, by the map alone and by the games."""
    table = value_table(game_map, n_deals=n_deals, seed=seed)[
        ["points", "trains", "in_deal", "shared", "detour"]
    ].copy()
    judged = table.dropna(subset="in_deal")
    slope, level = 0.0, float(table["points"].median())
    if np.ptp(judged["in_deal"].to_numpy()) > 0:
        slope, level = _robust_line(judged["in_deal"].to_numpy(), judged["points"].to_numpy())
    table["surplus"] = table["points"] - level - slope * table["in_deal"]
    dealt, nothing = _by_deals(games.dealt, ["ticket"], _WORTH), ClusterSums(0, 0, 0, 0, 0, 0)
    worth, net = dealt.moments("worth"), _by_deals(games.kept, ["ticket"], _NET).moments("net_points")
    moments = [worth.get(ticket, nothing) for ticket in table.index]
    table["deals"] = [int(sums.n_clusters) for sums in moments]
    table = table.join(dealt.table().rename(index=str))
    table[["net_points", "net_low", "net_high"]] = [
        clustered_bounded_mean(net.get(ticket.id, nothing), -ticket.penalty, ticket.points)
        for ticket in map(game_map.ticket, table.index)
    ]
    table["worth_se"] = [sqrt(sums.variance) for sums in moments]
    table["verdict"] = _verdicts(moments, [0.0] * len(moments), ("pays too little", "pays too much"))
    units = dict.fromkeys(("worth", "surplus"), "points")
    return as_table(table.sort_values("worth", ascending=False, kind="stable"), units=units)


def _robust_line(x: Floats, y: Floats) -> tuple[float, float]:
    """Return slope and intercept of a robust line (Theil-Sen); `x` must vary."""
    from_to = x[:, None] - x
    is_rise = from_to > 0
    slope = float(np.median((y[:, None] - y)[is_rise] / from_to[is_rise]))
    return slope, float(np.median(y) - slope * np.median(x))


def _verdicts(found: Sequence[ClusterSums], fair: Sequence[float], words: tuple[str, str]) -> list[str]:
    """Return which ratios differ from the fair value, at 5% for all of them together (Bonferroni)."""
    from scipy.special import stdtrit

    verdicts = []
    for moments, expected in zip(found, fair, strict=True):
        is_known = moments.n_clusters >= _FEWEST and moments.variance > 0
        off = moments.total / moments.size - expected if is_known else 0.0
        bar = -stdtrit(moments.n_clusters - 1, 0.025 / len(found)) * sqrt(moments.variance) if is_known else 0.0
        verdicts.append(words[off > 0] if abs(off) > bar else "")
    return verdicts


def _find_bottlenecks(game_map: GameMap, games: _Games, n_deals: int, seed: int) -> pd.DataFrame:
    """Return the cost of losing each pair of cities, and how often its tracks are taken."""
    losses = blocking_map(game_map, n_deals=n_deals, seed=seed)
    losses = losses.sort_values("lost", kind="stable").drop_duplicates(["city_a", "city_b"])  # "both" before "track"
    inner = route_table(game_map, borders=False)
    every = route_table(game_map)
    pairs = every.assign(claims=games.claims.reindex(every.index, fill_value=0) / games.n_games)
    found = pairs.groupby(["city_a", "city_b"]).agg(
        n_tracks=("track", "size"), detour=("pair_detour", "first"), claims=("claims", "sum")
    )
    bridges = inner.groupby(["city_a", "city_b"])["is_pair_bridge"].first()
    found["is_bridge"] = bridges.reindex(found.index, fill_value=False).astype(bool)
    table = losses.set_index(["city_a", "city_b"])[["length", "n_tickets", "deal_mean", "deal_se", "deals_lost"]]
    table = table.join(found).sort_values(["deals_lost", "deal_mean"], ascending=False, kind="stable")
    first = ["length", "n_tracks", "is_bridge", "detour"]
    return as_table(table[[*first, *(column for column in table.columns if column not in first)]])


def _count_colors(game_map: GameMap) -> pd.DataFrame:
    """Return the spaces of each color, and its cards."""
    deck = game_map.rules.deck
    table = spaces_table(game_map).loc[[color for color in COLORS if deck[color]], ["total", "n_routes"]]
    table = table.rename(columns={"total": "spaces", "n_routes": "routes"}).rename_axis("color")
    table["cards"] = [deck[color] for color in table.index]
    return table.assign(spaces_per_card=table["spaces"] / table["cards"])


def _unevenness(game_map: GameMap, rng: np.random.Generator) -> float:
    """Return the share of random colorings that are more even; colors are drawn in proportion to their cards."""
    colors = [color for color in COLORS if game_map.rules.deck[color]]
    shares = np.array([game_map.rules.deck[color] for color in colors], dtype=float)
    shares /= shares.sum()
    colored = [route for route in game_map.routes if route.color in colors]
    lengths = np.array([route.length for route in colored])
    if len(colored) == 0:
        return 0.0
    painted = rng.choice(len(colors), (_N_COLORINGS, len(colored)), p=shares)
    spaces = np.stack([(painted == color) @ lengths for color in range(len(colors))], axis=1)
    actual = np.array([sum(route.length for route in colored if route.color == color) for color in colors])
    expected = shares * lengths.sum()
    distance = ((spaces - expected) ** 2 / expected).sum(axis=1)
    return float((distance < ((actual - expected) ** 2 / expected).sum() - 1e-9).mean())


def _judge_seats(games: _Games) -> pd.DataFrame:
    """Return the results of each seat."""
    found = _by_deals(games.seats, ["players", "seat"], _SEATS)
    table, wins = found.table(), found.moments("win_rate")
    table["verdict"] = _verdicts(list(wins.values()), [1 / n for n, _ in wins], ("wins less", "wins more"))
    return as_table(table)
