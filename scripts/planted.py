"""
Play games in which one player has a known fault, and see whether `insights` names it first.

Run it as `nice python -m scripts.planted early 24 --map usa`. Three players play like `Planner` except for one fault
each; a fourth has none. Each plays against two planners. Only decisions that differ from a planner's are measured, in
up to 200 new worlds: the others cost nothing against one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ttr_analysis import Game, GameRecord
from ttr_analysis.engine.actions import Action, ClaimRoute, DrawCard, DrawFaceUp, DrawTickets
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.layout import NOBODY
from ttr_analysis.engine.state import SeatView
from ttr_analysis.policies import Planner, Policy
from ttr_analysis.policies.playout import first_look
from ttr_analysis.policies.search.watching import know
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.studies import Insights, Review, insights
from ttr_analysis.studies.advice import considered, view_of
from ttr_analysis.studies.judging import Budget
from ttr_analysis.studies.losses import decisions_of
from ttr_analysis.studies.reviews import _decisions_of
from ttr_analysis.studies.winning import DEFAULT_SEED

if TYPE_CHECKING:
    import numpy as np

BUDGET = Budget(10, None)
"""Rollouts that find the best move; 20 times as many worlds at most measure it."""


def planned(view: SeatView, rng: np.random.Generator) -> Action:
    """Return a planner's action."""
    (code, value), _ = first_look(Planner(), view, stream_from(rng))
    return codec_of(view.game_map).decode(code, value, view.packed)


class Tickets:
    """Draws tickets in three turns of ten."""

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:
        """Return the move."""
        return DrawTickets() if DrawTickets() in actions and rng.random() < 0.3 else planned(view, rng)  # noqa: PLR2004


class Early:
    """Claims the longest route that it can pay for, where a planner draws a card."""

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:
        """Return the move."""
        own = planned(view, rng)
        claims = [action for action in actions if isinstance(action, ClaimRoute)]
        if claims and isinstance(own, DrawCard | DrawFaceUp):
            return max(claims, key=lambda claim: claim.route.length)
        return own


class Blind:
    """Plans as if nobody else built, and waits where a route is taken."""

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:
        """Return the move."""
        packed = view.packed.copy()
        packed.owner[packed.owner != view.seat] = NOBODY
        own = planned(SeatView(view.game_map, view.n_players, packed, view.seat), rng)
        if own in actions:
            return own
        return DrawCard() if DrawCard() in actions else planned(view, rng)


PLAYERS: dict[str, Callable[[], Policy | str]] = {
    "tickets": Tickets,
    "early": Early,
    "blind": Blind,
    "sound": lambda: "Planner",
}


def play(who: str, game_map: str, number: int) -> GameRecord:
    """Return game number `number` of a player, called Ann, with two planners."""
    seat = number % 3
    record = Game(game_map, 3).play([PLAYERS[who]() if at == seat else "Planner" for at in range(3)], seed=100 + number)
    names = tuple("Ann" if at == seat else f"Bo{at}" for at in range(3))
    return replace(record, header=replace(record.header, players=names))


def review(record: GameRecord, budget: Budget = BUDGET) -> Review:
    """Return a review of Ann's decisions in which a planner would act differently."""
    seat, steps = record.header.players.index("Ann"), []
    for step, (move, *_) in enumerate(record.steps):
        if isinstance(move, Move) and move.seat == seat:
            view = view_of(know(record, seat, step - 1))
            code, value = considered(view, DEFAULT_SEED)[0]
            if codec_of(record.map).decode(code, value, view.packed) != move.action:
                steps.append(step)
    decisions = []
    for moment in _decisions_of(record, seat, DEFAULT_SEED, steps).values():
        judged = moment.judge(budget)
        decisions.append(moment.measure(judged, budget, None) if judged.n_tried > 1 else judged)
    return Review(record, seat, decisions)


def insights_of(who: str, game_map: str, n_games: int, first: int) -> Insights:
    """Return the insights from a player's games."""
    records = [play(who, game_map, number) for number in range(first, first + n_games)]
    reviews = {number: review(record) for number, record in enumerate(records)}
    whole = insights(records, "Ann", minutes=0, progress=False)
    return replace(whole, decisions=decisions_of(reviews.items()), reviews=reviews)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player", choices=PLAYERS)
    parser.add_argument("games", type=int)
    parser.add_argument("--map", default="nordic")
    parser.add_argument("--first", type=int, default=0, help="number of the first game; others give fresh games")
    arguments = parser.parse_args()
    found = insights_of(arguments.player, arguments.map, arguments.games, arguments.first)
    print(found, found.losses, sep="\n")


if __name__ == "__main__":
    main()
