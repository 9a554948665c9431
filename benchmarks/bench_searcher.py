"""
Strength of `Searcher`: games against the frozen `Planner1`, with seats swapped on the same deals.

`python -m benchmarks.bench_searcher rows.csv` plays the games in `SETTINGS` that are not in the file yet. That takes
some four hours on one core and can be interrupted. With `--show` it prints a table of the file, and draws a picture
beside it. `python -m benchmarks searcher` plays two deals of each setting and writes nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Final, NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import PercentFormatter

import ttr_analysis as ttr
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.policies import Planner1, Searcher
from ttr_analysis.studies.intervals import clustered_rate, moments_of

if TYPE_CHECKING:
    import numpy as np

SEED: Final = 2027
COLUMNS: Final = ("map", "players", "rollouts", "deal", "seat", "won", "decisions", "seconds")


class Setting(NamedTuple):
    """A map, a number of players, rollouts per decision, and a number of deals."""

    name: str
    n_players: int
    rollouts: int
    n_deals: int


SETTINGS: Final = (
    *(Setting("nordic", 2, rollouts, 100) for rollouts in (50, 100, 200, 500)),
    *(Setting(name, 2, 500, 100) for name in ("usa", "switzerland", "nederland")),
    Setting("nordic", 3, 500, 67),
    Setting("nordic", 2, 2_000, 100),
)


class Clocked:
    """A player whose time is measured."""

    def __init__(self, player: Searcher) -> None:
        self.player = player
        self.n_decisions = 0
        self.seconds = 0.0

    def choose(
        self, view: ttr.SeatView, actions: Sequence[ttr.actions.Action], rng: np.random.Generator
    ) -> ttr.actions.Action:
        """Return the player's action."""
        start = process_time()
        action = self.player.choose(view, actions, rng)
        self.seconds += process_time() - start
        self.n_decisions += 1
        return action


def play_deal(setting: Setting, deal: int) -> list[tuple[object, ...]]:
    """Return rows for the games of a deal: one for each seat of the player."""
    game = ttr.Game(ttr.load_map(setting.name), n_players=setting.n_players)
    rows: list[tuple[object, ...]] = []
    for seat in range(setting.n_players):
        player = Clocked(Searcher(rollouts=setting.rollouts))
        seats: list[PolicyLike] = [Planner1() for _ in range(setting.n_players)]
        seats[seat] = player
        record = game.play(seats, seed=SEED, game=deal)
        won = (seat in record.winners) / len(record.winners)
        rows.append((*setting[:3], deal, seat, won, player.n_decisions, round(player.seconds, 3)))
    return rows


def play(settings: tuple[Setting, ...], path: Path | None) -> pd.DataFrame:
    """Play the games that are not in a file yet, and return all rows."""
    rows = pd.read_csv(path) if path is not None and path.exists() else pd.DataFrame(columns=COLUMNS)
    done = set(zip(rows["map"], rows["players"], rows["rollouts"], rows["deal"], strict=True))
    frames = [rows] if len(rows) else []
    deals = [(setting, deal) for setting in settings for deal in range(setting.n_deals)]
    deals.sort(key=lambda one: one[1] / one[0].n_deals)  # all settings advance equally, so any part is a sample
    for setting, deal in deals:
        if (*setting[:3], deal) in done:
            continue
        frames.append(pd.DataFrame(play_deal(setting, deal), columns=COLUMNS))
        if path is not None:
            frames[-1].to_csv(path, mode="a", header=not path.exists(), index=False)
    return pd.concat(frames, ignore_index=True)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the share of games won for each setting, with an interval, and the time per decision."""
    found = []
    for setting, games in rows.groupby(["map", "players", "rollouts"], sort=False):
        deals = games.groupby("deal")["won"].agg(["sum", "count"])  # of which all seats were played
        rate, low, high = clustered_rate(moments_of(deals["sum"].tolist(), deals["count"].tolist()))
        seconds = games["seconds"].sum() / games["decisions"].sum()
        found.append((*setting, len(games), rate, low, high, seconds))
    return pd.DataFrame(found, columns=["map", "players", "rollouts", "games", "rate", "low", "high", "seconds"])


def show(table: pd.DataFrame) -> None:
    """Print a table in Markdown."""
    print(
        "| map, players | rollouts | seconds a decision | games won | 95% interval | games |\n|---|---|---|---|---|---|"
    )
    for row in table.itertuples():
        title = ttr.load_map(str(row.map)).title
        cells = [f"{title}, {row.players}", f"{row.rollouts:,}", f"{row.seconds:.2f}", f"{row.rate:.0%}"]
        print("|", " | ".join([*cells, f"{row.low:.0%} to {row.high:.0%}", str(row.games)]), "|")


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw strength against rollouts."""
    of_two = table.query("map == 'nordic' and players == 2").sort_values("rollouts")
    figure, ax = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
    errors = [of_two["rate"] - of_two["low"], of_two["high"] - of_two["rate"]]
    ax.errorbar(of_two["rollouts"], of_two["rate"], errors, fmt="o-", capsize=4, color="#1f5a94")
    ax.axhline(0.5, color="0.6", linewidth=1, linestyle="--")
    ax.annotate(
        "as strong as Planner1", (of_two["rollouts"].max(), 0.5), (0, 4), textcoords="offset points", ha="right"
    )
    ax.set_xscale("log")
    ax.set_xticks(of_two["rollouts"], [f"{n:,}" for n in of_two["rollouts"]])
    ax.minorticks_off()
    ax.yaxis.set_major_formatter(PercentFormatter(1))
    ax.set(ylim=(0.4, 1), xlabel="Rollouts a decision", ylabel="Games won")
    ax.set_title("Searcher against Planner1, Nordic Countries, 2 players", loc="left")
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> None:
    """Play, or show what was played."""
    if arguments is None:
        few = tuple(setting._replace(n_deals=2) for setting in SETTINGS)
        show(summary(play(few, None)))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args(arguments)
    if not asked.show:
        play(SETTINGS, asked.path)
        return
    table = summary(pd.read_csv(asked.path))
    show(table)
    draw(table, asked.path.with_suffix(".png"))


if __name__ == "__main__":
    main(sys.argv[1:])
