"""
Measure how well a review finds planted blunders, how often it blames a strong player, and how long it takes.

Each game is between two searchers. From a random decision on, one of them makes one poor move that loses at least 15
points of win probability by 7,500 rollouts, also if it makes the better move a turn later. `TTR_GAMES=100` plays that
many games instead of 5; each takes most of a minute.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import numpy as np

import ttr_analysis as ttr
from ttr_analysis._compile import Floats
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.state import SeatView
from ttr_analysis.policies.search.knowledge import knowledge_of
from ttr_analysis.policies.search.searcher import Candidate, Search
from ttr_analysis.studies import advise, review
from ttr_analysis.studies.advice import considered
from ttr_analysis.studies.intervals import rate_interval
from ttr_analysis.studies.judging import FORCED, Line, alone, ways

N_GAMES = int(os.environ.get("TTR_GAMES", "5"))
LOSS = 0.15
N_COARSE, N_FINE = 40, 2_500
"""Worlds in which a poor move is looked for, and in which it must be poor."""
ROLLOUTS = 400
SEARCHER = ttr.policies.Searcher(rollouts=200)


class Blunderer:
    """
    A searcher who makes one poor move.

    Parameters
    ----------
    first
        The decision from which it looks for one.
    """

    def __init__(self, first: int) -> None:
        self._first = first
        self._n_decisions = 0
        self.planted: int | None = None
        """The number of the decision in which it was made."""

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:
        """Return a searcher's action, or the poor move."""
        best = SEARCHER.choose(view, actions, rng)
        number, self._n_decisions = self._n_decisions, self._n_decisions + 1
        if self.planted is None and number >= self._first and len(actions) > 1:
            poor = poor_move(view, best, rng)
            if poor is not None:
                self.planted = number
                return poor
        return best


def poor_move(view: SeatView, best: Action, rng: np.random.Generator) -> Action | None:
    """Return a move that loses enough, if one of two candidates does."""
    codec, seed = codec_of(view.game_map), int(rng.integers(1 << 30))
    search = Search(knowledge_of(view, view.seat), seed)
    own = codec.encode(best, view.packed)
    rows = [own, *considered(view, seed)]

    def losses(lines: Sequence[Line | Candidate], n_worlds: int) -> Floats:
        won = search.results(np.array(lines, dtype=np.int64), n_worlds).won[:, :, view.seat]
        lost: Floats = (won[0] - won).mean(axis=1)
        return lost

    for at in rng.permutation(np.flatnonzero(losses(rows, N_COARSE) > LOSS))[:2]:
        if losses([alone(own), *ways(rows[at], own)], N_FINE)[1:].min() >= LOSS:
            code, value = rows[at]
            return codec.decode(code, value, view.packed)
    return None


def main() -> None:
    """Plant blunders and look for them."""
    game = ttr.Game(ttr.load_map("nordic"))
    rng = np.random.default_rng(7)
    n_planted = n_found = n_blamed = n_own = 0
    for number in range(N_GAMES):
        seat, blunderer = number % 2, Blunderer(int(rng.integers(2, 45)))
        players: list[object] = [SEARCHER, SEARCHER]
        players[seat] = blunderer
        record = game.play(players, seed=7, game=number)  # type: ignore[arg-type]
        steps = [step for step, (move, *_) in enumerate(record.steps) if isinstance(move, Move) and move.seat == seat]
        planted = None if blunderer.planted is None else steps[blunderer.planted]
        start = time.process_time()
        found = review(record, rollouts=ROLLOUTS, seed=number, progress=False)
        seconds = time.process_time() - start
        own = found.table.drop(index=[] if planted is None else [planted])
        own = own[own["label"] != FORCED]
        n_own += len(own)
        n_blamed += int((own["label"] == "blunder").sum())
        if planted is not None:
            rank = [*found.moments(len(record.steps)).index, planted].index(planted) + 1
            n_planted += 1
            n_found += rank <= 3  # noqa: PLR2004 - the moments that people look at
            loss = found.table.loc[planted]
            print(
                f"game {number}: step {planted}, {loss['move']}: {loss['label']} {100 * loss['loss']:.0f}, "
                f"number {rank}; {seconds:.0f} s of CPU time",
                flush=True,
            )
    print(f"planted blunders among the first three: {n_found} of {n_planted}, {rate_interval(n_found, n_planted)}")
    print(f"moves of searchers called blunders: {n_blamed} of {n_own}, {rate_interval(n_blamed, n_own)}")
    middle = game.play(["Planner", "Planner"], seed=7)
    start = time.perf_counter()
    advice = advise(middle, step=len(middle.steps) // 2)
    print(f"advice in the middle of a game: {advice.n_rollouts} rollouts in {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
