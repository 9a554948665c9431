"""Golden games: old records replay to the result that was written down, and every special rule is in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.conformance import load_variant
from tests.engine.goldens import FOLDER, final_data, golden_map, golden_paths, load_events, load_result
from tests.engine.invariants import Law, broken_law
from tests.engine.special_rules import SPECIAL_RULES, rules_in
from tests.fixtures import EVERY_MAP
from ttr_analysis import GameRecord
from ttr_analysis.tables import game_tables

PATHS = golden_paths()


def id_of(path: Path) -> str:
    return path.relative_to(FOLDER).as_posix()


@pytest.mark.parametrize("path", PATHS, ids=id_of)
def test_a_golden_game_has_the_recorded_result(path: Path) -> None:
    header, _, game_map = load_events(path)
    expected = load_result(path)

    record = GameRecord.load(path, golden_map(path))
    scores = record.score()

    assert record.is_complete
    assert [score.total for score in scores] == expected["totals"]
    assert list(scores.winners) == expected["winners"]
    for score, seat in zip(scores, expected["seats"], strict=True):
        assert (score.start, score.route_points, score.n_completed) == (
            seat["start"],
            seat["routes"],
            seat["n_completed"],
        )
        assert {scored.ticket.id: scored.points for scored in score.tickets if scored.ticket} == seat["tickets"]
        assert [bonus.points for bonus in score.bonuses] == seat["bonuses"]
        assert (score.trail, score.tokens, score.n_loans) == (seat["longest_trail"], seat["tokens"], seat["n_loans"])
        assert score.loan_points == -seat["loans"]
    assert game_map.rules.variant == header.get("variant", "")
    assert record.dumps() == path.read_text(encoding="utf-8")


@pytest.mark.compiled_only
@pytest.mark.parametrize("path", PATHS, ids=id_of)
def test_every_state_of_a_golden_game_is_lawful(path: Path) -> None:
    header, _, game_map = load_events(path)
    tables = game_tables(game_map, header["n_players"])

    *states, last = GameRecord.load(path, golden_map(path)).states()

    assert {Law(broken_law(state.packed.copy(), tables)) for state in states} == {Law.NONE}
    its_end = Law.GAMES_END_BY_THEMSELVES if load_result(path)["ending"] == "truncated" else Law.NONE
    assert Law(broken_law(last.packed.copy(), tables)) is its_end


@pytest.mark.compiled_only
@pytest.mark.parametrize("path", PATHS, ids=id_of)
def test_the_referee_derives_the_recorded_result_from_the_events_alone(path: Path) -> None:
    header, events, game_map = load_events(path)
    expected = load_result(path)

    rules, final = rules_in(game_map, header["n_players"], events)

    assert {"rules": sorted(rules), **final_data(final)} == expected


def test_every_special_rule_occurs_in_a_golden_game() -> None:
    shown = {rule for path in PATHS for rule in load_result(path)["rules"]}

    assert set(SPECIAL_RULES) - shown == set()


@pytest.mark.parametrize("name", EVERY_MAP)
def test_every_map_and_variant_has_a_golden_game(name: str) -> None:
    headers = [load_events(path)[0] for path in PATHS if path.parent.name == name]

    variants = {"", *(rules.variant for rules in load_variant(name, "").rules.variants)}
    assert {header.get("variant", "") for header in headers} == variants
    assert {header["map"] for header in headers} == {name}
