"""
Find golden games: a few records that together show every special rule on every map that has it.

Run it from the project root: python -m scripts.find_golden_games --games 30

It plays games by seed, notes which rules occur in each, and chooses games
greedily until every rule seen on a map is covered. Games already in the folder
are kept. Read tests/games/README.md before you replace one.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from tests.engine.conformance import (
    BUILDER,
    COLLECTOR,
    HOARDER,
    UNIFORM,
    Combination,
    Player,
    built_in_players,
    every_combination,
    is_move,
    play,
)
from tests.engine.decoding import Event, decode
from tests.engine.goldens import FOLDER, final_data, golden_paths, load_events
from tests.engine.special_rules import rules_in
from ttr_analysis.engine.codes import SHUFFLED, SHUFFLED_MARKET, make_event
from ttr_analysis.engine.kernel.scoring import TOTAL_COLUMN
from ttr_analysis.records.record import GameRecord

SEED = 2026
_N_RARE = 3


class Candidate(NamedTuple):
    """A game, and the rules that occur in it."""

    combination: Combination
    player: Player
    game: int
    rules: set[str]
    n_events: int

    @property
    def path(self) -> Path:
        """Where to store its record."""
        name = str(self.combination).partition("-")[2]
        return FOLDER / self.combination.name / f"{name}-{self.player.name.lower()}-{self.game}.jsonl"


def main() -> None:
    """Search, choose and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=30, help="games for each combination and player")
    parser.add_argument("--rare", type=int, default=300, help="further games, kept if something rare happens")
    options = parser.parse_args()
    candidates = [found for found in _search(options.games, options.rare) if not found.path.exists()]
    for candidate in _chosen(candidates):
        print(f"{candidate.path.relative_to(FOLDER)}: {len(candidate.rules)} rules, {candidate.n_events} events")
        _write(candidate)


def _search(n_games: int, n_rare: int) -> list[Candidate]:
    found: list[Candidate] = []
    players: list[Player] = [*built_in_players(), UNIFORM, HOARDER, COLLECTOR, BUILDER]
    for combination in tqdm(every_combination(thin=False), unit="combination"):
        for player in players:
            found += [_look(combination, player, game) for game in range(n_games)]
        n_found = 0
        for game in range(n_games, n_games + n_rare):
            if n_found < _N_RARE and _is_rare(combination, game):
                found.append(_look(combination, UNIFORM, game))
                n_found += 1
    return found


def _look(combination: Combination, player: Player, game: int) -> Candidate:
    events = _events(combination, player, game)
    rules, _ = rules_in(combination.game_map, combination.n_players, events)
    return Candidate(combination, player, game, rules, len(events))


def _events(combination: Combination, player: Player, game: int) -> list[Event]:
    played = play(combination, [player] * combination.n_players, SEED, game, checked=False)
    return decode(combination.game_map, played.tape)


def _is_rare(combination: Combination, game: int) -> bool:
    """Return whether a game ends in a tie, or its market is replaced before the first move."""
    played = play(combination, [UNIFORM] * combination.n_players, SEED, game, checked=False)
    totals: list[int] = played.scores[:, TOTAL_COLUMN].tolist()
    first_move = next(i for i, code in enumerate(played.tape[:, 0].tolist()) if is_move(code))
    is_replaced = make_event(SHUFFLED, 0, SHUFFLED_MARKET) in played.tape[:first_move, 0]
    return totals.count(max(totals)) > 1 or is_replaced


def _chosen(candidates: list[Candidate]) -> list[Candidate]:
    """Choose games until they show each rule seen on a map, and each variant; short games first."""
    missing = {goal for candidate in candidates for goal in _goals(candidate)} - _reached()
    chosen = []
    while missing:
        best = max(candidates, key=lambda candidate: len(missing & _goals(candidate)) / candidate.n_events)
        chosen.append(best)
        missing -= _goals(best)
    return chosen


def _goals(candidate: Candidate) -> set[tuple[str, str]]:
    name, variant, _ = candidate.combination
    return {(name, rule) for rule in candidate.rules} | {(name, f"variant {variant}")}


def _reached() -> set[tuple[str, str]]:
    reached = set()
    for path in golden_paths():
        header, events, game_map = load_events(path)
        rules, _ = rules_in(game_map, header["n_players"], events)
        reached |= {(header["map"], rule) for rule in rules} | {(header["map"], f"variant {header['variant']}")}
    return reached


def _write(candidate: Candidate) -> None:
    combination, path = candidate.combination, candidate.path
    names = [candidate.player.name] * combination.n_players
    played = play(combination, [candidate.player] * combination.n_players, SEED, candidate.game)
    record = GameRecord.from_tape(combination.game_map, combination.n_players, played.tape, names, SEED, candidate.game)
    path.parent.mkdir(parents=True, exist_ok=True)
    record.save(path)
    rules, final = rules_in(combination.game_map, combination.n_players, decode(combination.game_map, played.tape))
    data: dict[str, Any] = {"rules": sorted(rules), **final_data(final)}
    path.with_suffix(".json").write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
