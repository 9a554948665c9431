"""One person against policies: whole games through the messages of a browser, and nothing secret sent to it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.engine.records import EACH_VARIANT, Table
from tests.engine.test_hidden_information import scrambled
from tests.engine.test_position import usa_record, with_line
from tests.engine.walks import WALKS
from tests.fixtures import EVERY_MAP, load
from tests.widgets.faults import FAULT, fail
from ttr_analysis import Game, GameError, GameMap, GameRecord, SeatView
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine.actions import Action, Pass
from ttr_analysis.maps.names import name_ticket
from ttr_analysis.policies import Greedy, Random
from ttr_analysis.tables import game_tables
from ttr_analysis.widgets.human_game import PERSON, HumanGame
from ttr_analysis.widgets.snapshot import Moments
from ttr_analysis.widgets.table import GameTable

Options = dict[str, Any]


def lines_of(options: Options) -> list[str]:
    """Return all moves that the page offers, but for choices of tickets."""
    claims = [payment["line"] for claim in options["claims"].values() for payment in claim["payments"]]
    claims += [payment["line"] for payment in options["pays"]]
    if options["station"]:
        cities, payments = options["station"]["cities"], options["station"]["payments"]
        claims += [f"station {city} {payment['line']}" for city in cities for payment in payments]
    moves = [move["line"] for move in options["moves"]]
    draws = [line for line in (options["draw"], options["tickets"], *options["market"].values()) if line]
    return [*draws, *moves, *claims]


def some_line(options: Options, rng: random.Random | None) -> str:
    """Return a move that the page can send: the first one, or any."""
    if options["keep"] is None:
        lines = lines_of(options)
        return lines[0] if rng is None else rng.choice(lines)
    offer, fewest = options["keep"]["offer"], options["keep"]["fewest"]
    n = fewest if rng is None else rng.randint(fewest, len(offer))
    kept = offer[:n] if rng is None else rng.sample(offer, n)
    return f"keep {', '.join(kept) or 0}"


def let_others_play(human_game: HumanGame) -> None:
    """Let policies play until the person decides."""
    while human_game.thinker:
        human_game.let_play()


def give(human_game: HumanGame, *hand: int) -> None:
    """Give the person other cards, by kind."""
    human_game._vector = human_game._vector.copy()
    human_game._vector.hand[0], human_game._vector.n_hand[0] = hand, sum(hand)


@pytest.fixture
def human_game(nordic: GameMap) -> HumanGame:
    """Return a game against Greedy, in which the person begins."""
    return HumanGame(Game(nordic), [Greedy()], seed=7)


def play_through(human_game: HumanGame, rng: random.Random | None) -> None:
    """Play a game to its end as a page does."""
    while not human_game.is_over:
        if human_game.thinker:
            human_game.let_play()
            continue
        line = some_line(human_game.frame()["options"], rng)
        assert human_game.act({"do": "move", "step": human_game.n_steps, "line": line}) == "", line


@pytest.mark.parametrize("table", EACH_VARIANT, ids=str)
@pytest.mark.compiled_only
def test_whole_games_are_played_through_messages(table: Table) -> None:
    game = Game(table.game_map, table.n_players)
    is_first = table.n_players % 2 == 0
    seat = 0 if is_first else table.n_players - 1
    human_game = HumanGame(game, [Random()] * (table.n_players - 1), seat, seed=7)
    play_through(human_game, None if is_first else random.Random(5))  # noqa: S311 - a game
    record = human_game.record
    assert GameRecord.loads(record.dumps(), game.game_map) == record
    assert record.state_at(-1).is_over
    assert record.header.policies[seat] == PERSON
    frame = human_game.frame()
    assert [seat["points"] for seat in frame["moment"]["seats"]] == list(record.scores)
    assert frame["moment"]["winners"] == list(record.winners)
    assert frame["options"] is None
    assert len(human_game.narration) == len(record.states())


@pytest.mark.parametrize(("name", "variant"), WALKS)
def test_the_page_offers_the_legal_moves(name: str, variant: str | None) -> None:
    game = Game(load(name), 2, variant)
    human_game = HumanGame(game, [Greedy()], seed=3)
    rng = random.Random(3)  # noqa: S311
    for _ in range(40):
        let_others_play(human_game)
        if human_game.is_over:
            break
        frame = human_game.frame()
        options = frame["options"]
        if options["keep"] is None:
            assert len(lines_of(options)) == len(game.legal_actions(human_game.state))
        human_game.move(some_line(options, rng))


def test_what_is_due_is_said_to_who_plays() -> None:
    human_game = HumanGame(Game(load("nordic")), [Greedy()], seed=3)
    tasks = []
    for line in (some_line(human_game.frame()["options"], None), "draw", "draw"):
        let_others_play(human_game)
        tasks.append(human_game.frame()["options"]["task"])
        human_game.move(line)
    assert tasks == ["choose your opening tickets", "", "draw another card"]


def test_loans_are_announced() -> None:
    human_game = HumanGame(Game(load("nederland")), [Greedy()], seed=3)
    human_game.move("keep all")
    human_game._vector = human_game._vector.copy()
    human_game._vector.tokens[0] = 0

    def loans() -> list[Options]:
        options = human_game.frame()["options"]
        return [claim for claim in options["claims"].values() if claim["loan"]] if options else []

    while not (found := loans()):
        human_game.let_play() if human_game.thinker else human_game.move("draw")
    human_game.move(found[0]["payments"][0]["line"])
    assert human_game.state.loans[0] == 1


# -- secrets ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY_MAP)
def test_nothing_secret_is_sent(name: str) -> None:
    human_game = HumanGame(Game(load(name), 3), [Random(), Random()], seed=11, seat=1)
    rng, anew = random.Random(11), np.random.default_rng(11)  # noqa: S311
    tables = game_tables(load(name), 3)
    kept: set[str] = set()
    for _ in range(100):
        if human_game.is_over:
            break
        frame, vector = json.dumps(human_game.frame()), human_game._vector
        human_game._vector = scrambled(vector, tables, human_game.seat, anew)
        human_game._moments = Moments(human_game.game)  # which remembers what it judged
        assert json.dumps(human_game.frame()) == frame
        human_game._vector = vector
        if human_game.thinker:
            human_game.let_play()
        else:
            human_game.move(some_line(human_game.frame()["options"], rng))
        kept |= {name_ticket(ticket) for seat in (0, 2) for ticket in human_game.state.tickets[seat] if ticket}
    told = [step.text for step in human_game.narration if step.seat in (0, 2)]
    drawn = [text for text in told if text.startswith("draws")]
    assert drawn
    assert all("unknown" in text for text in drawn)
    assert not any(ticket in text for text in told for ticket in kept if "face up" not in text)


def test_a_correction_does_not_tell_the_cards_of_others() -> None:
    record = usa_record()
    hand = record.state_at(-1).hands[1]
    held = {kind: n for kind, n in zip(CARD_KINDS, hand.counts, strict=True) if n}
    corrected = GameRecord.loads(with_line(record, event="correction", reason="a misread card", hands=[None, held]))
    human_game = HumanGame(Game("usa"), [Random()], begun=(corrected, len(corrected.steps) - 1))

    told = human_game.narration[-1].text
    assert told.startswith("Corrected here (a misread card): ")
    assert told.endswith(f"holds {hand.n_cards} unknown cards")


def test_opening_tickets_of_others_are_not_told_before_all_have_chosen() -> None:
    human_game = HumanGame(Game(load("nordic")), [Random()], seat=1, seed=2)
    human_game.let_play()
    assert str(human_game.narration[-1]) == "Random has chosen its opening tickets"
    assert human_game.frame()["moment"]["seats"][0]["tickets"] == []


# -- messages -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (None, "not a move"),
        ({"do": "move"}, "not a move"),
        ({"do": "move", "step": 1, "line": 5}, "not a move"),
        ({"do": "move", "step": "1", "line": "draw"}, "not a move"),
        ({"do": "move", "step": 1, "line": "x" * 10_000}, "not a move"),
        ({"do": "move", "step": 9, "line": "keep all"}, "the game has moved on"),
        ({"do": "move", "step": 1, "line": "draw"}, "P0 must choose its opening tickets now"),
        ({"do": "move", "step": 1, "line": "keep 0"}, "must keep at least 2 tickets"),
        ({"do": "move", "step": 1, "line": "P1: keep all"}, "P0 acts now, not P1"),
        ({"do": "move", "step": 1, "line": "keep Oslo-Nowhere"}, "expected a ticket"),
        ({"do": "move", "step": 1, "line": "keep Bergen-Narvik"}, "not offered"),
    ],
)
def test_wrong_messages_are_answered_and_change_nothing(human_game: HumanGame, message: object, problem: str) -> None:
    before = human_game.record
    assert problem in human_game.act(message)
    assert human_game.record == before


def test_a_move_out_of_turn_is_refused(human_game: HumanGame) -> None:
    human_game.move("keep all")
    assert human_game.act({"do": "move", "step": 2, "line": "draw"}) == "it is not your turn: P1 Greedy is to move"


def test_the_page_is_told_which_slots_of_the_market_changed(human_game: HumanGame) -> None:
    human_game.move("keep all")
    let_others_play(human_game)
    human_game.move("take white/4")  # slot 2 has white, too
    assert human_game.frame()["slots"] == (4, 4)
    human_game.move("draw")
    assert human_game.frame()["slots"] == ()


def test_why_a_route_cannot_be_claimed_is_said(human_game: HumanGame) -> None:
    assert "must choose its opening tickets" in human_game.why({"route": "Bergen-Oslo/0"})
    human_game.move("keep all")
    human_game.let_play()
    assert human_game.why({"route": "Lieksa-Murmansk/0"}).endswith("got 4: at least 8 more cards are needed")
    assert human_game.why({"route": "no such route"}) == ""
    claimable, claim = next(iter(human_game.frame()["options"]["claims"].items()))
    assert human_game.why({"route": claimable}) == ""
    human_game.move(claim["payments"][0]["line"])
    let_others_play(human_game)
    assert f"is taken by {PERSON}" in human_game.why({"route": claimable})


def test_a_station_is_offered_wherever_one_may_stand_with_the_cheapest_payment_first() -> None:
    human_game = HumanGame(Game("europe"), [Greedy()], seed=7, name="Ida")
    human_game.move("keep all")
    human_game.let_play()
    give(human_game, 1, 3, 0, 0, 0, 2, 0, 0, 1)
    station = human_game.frame()["options"]["station"]
    assert len(station["cities"]) == 47
    assert [payment["line"] for payment in station["payments"]] == ["blue 1", "yellow 1", "purple 1", "locomotive 1"]
    human_game.move("station Wien yellow")
    let_others_play(human_game)

    frame = human_game.frame()
    assert "Wien" not in frame["options"]["station"]["cities"]
    assert frame["options"]["station"]["payments"][0] == {"line": "blue 2", "cards": {"blue": 2}, "sets": {}}
    own = frame["moment"]["seats"][0]
    assert (frame["moment"]["stations"], own["stations"], own["built"]) == ({"Wien": 0}, 2, ["Wien"])
    assert human_game.why({"city": "Wien"}) == "Ida has a station in Wien"
    assert human_game.why({"city": "Paris"}) == human_game.why({"city": "no such city"}) == ""
    give(human_game, 1, 0, 0, 0, 0, 1, 0, 0, 0)
    assert human_game.frame()["options"]["station"] is None
    assert human_game.why({"city": "Paris"}) == "Ida does not hold 2 cards of one color"


def test_payments_are_offered_with_the_cheapest_first(human_game: HumanGame) -> None:
    """By cards, then locomotives, then what most are held of: the first payment wastes nothing."""
    human_game.move("keep all")
    human_game.let_play()
    give(human_game, 2, 3, 1, 1, 1, 2, 1, 1, 2)
    claim = human_game.frame()["options"]["claims"]["Helsinki-Stockholm/0"]
    assert len(claim["payments"]) > 20
    assert claim["payments"][0] == {
        "line": "Helsinki-Stockholm/0 blue 2, locomotive 2",
        "cards": {"blue": 2, "locomotive": 2},
        "sets": {},
    }
    assert claim["sets"] == "Cards in parentheses: any 3 stand for one card."
    assert {sum(one["cards"].values()) + sum(one["sets"].values()) for one in claim["payments"][:3]} == {4}


@pytest.mark.parametrize(
    ("route", "words"),
    [
        ("Helsinki-Stockholm/0", "You can pay with 4 cards: 2 blue and 2 locomotives."),
        ("Lieksa-Murmansk/0", "any 4 cards for one: 27 points. 4 cards missing; blue is the closest."),
        ("Bergen-Oslo/1", "tunnel: 7 points. 1 card missing; red is the closest."),
        ("no such route", ""),
    ],
)
def test_what_a_route_costs_is_said(human_game: HumanGame, route: str, words: str) -> None:
    give(human_game, 2, 3, 1, 1, 1, 2, 1, 1, 2)
    assert words in human_game.options.about(route)


# -- policies -----------------------------------------------------------------------------


class Moody:
    """Plays the first legal action, but for one moment in which it fails, or cheats."""

    def __init__(self, mood: str) -> None:
        self.mood = mood

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
        if self.mood == "fails":
            message = "no idea"
            raise ValueError(message)
        if self.mood == "interrupted":
            raise KeyboardInterrupt
        return Pass() if self.mood == "cheats" else actions[0]


@pytest.mark.parametrize(
    ("mood", "problem"),
    [
        ("fails", "P1 Moody failed: ValueError"),
        ("cheats", "P1 Moody chose an illegal action"),
        ("interrupted", "P1 Moody was interrupted"),
    ],
)
def test_a_policy_that_fails_is_shown_and_the_game_kept(nordic: GameMap, mood: str, problem: str) -> None:
    policy = Moody(mood)
    table = GameTable(nordic, [policy], seed=7)
    table.play("keep all")
    assert table.problem["text"] == problem
    assert table.problem["can_retry"]
    assert table.busy == ""
    assert table.now["step"] == 2
    policy.mood = "plays"
    table._handle({"do": "go_on"})
    assert table.problem["text"] == ""
    assert table.now["moment"]["acting"] == 0


def test_a_table_is_never_left_busy(nordic: GameMap, monkeypatch: pytest.MonkeyPatch) -> None:
    table = GameTable(nordic, [Greedy()], seed=7)

    def interrupted(_: HumanGame) -> Options:
        raise KeyboardInterrupt

    monkeypatch.setattr(HumanGame, "frame", interrupted)
    with pytest.raises(KeyboardInterrupt):
        table.play("keep all")
    assert table.busy == ""


def test_another_policy_takes_over(nordic: GameMap) -> None:
    table = GameTable(nordic, [Moody("fails")], seed=7)
    table.play("keep all")
    with pytest.raises(GameError, match=r"expected a seat of a policy \(1\), got 0"):
        table.replace_policy(0, Greedy())
    table.replace_policy(1, Greedy())
    assert table.record.header.policies == (PERSON, "Moody, then Greedy")
    assert table.now["options"] is not None


def test_a_record_names_all_who_played_a_seat(nordic: GameMap) -> None:
    table = GameTable(nordic, [Greedy()], seed=7)
    table.replace_policy(1, Greedy())
    assert table.record.header.policies == (PERSON, "Greedy")
    for _ in range(40):
        table.replace_policy(1, Random())
        table.replace_policy(1, Greedy())
    record = table.record
    assert record.header.policies[1].startswith("Greedy, then Random, then Greedy")
    assert GameRecord.loads(record.dumps(), nordic) == record
    thinking: list[str] = []
    table.observe(lambda change: thinking.append(change["new"]), "busy")
    table.play("keep all")
    assert thinking == ["P1 Greedy is thinking", ""]


def test_why_a_move_is_illegal_is_a_secret_of_its_seat(nordic: GameMap) -> None:
    policy = Moody("cheats")
    table = GameTable(nordic, [policy], seed=7)
    table.play("keep all")
    assert str(table.failure).startswith("Moody at P1 in turn 1 chose an illegal action: P1 ")
    assert "opening tickets" not in json.dumps(table.problem)
    policy.mood = "plays"
    table._handle({"do": "go_on"})
    assert table.failure is None


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"policies": []}, "2 to 3 players|players"),
        ({"policies": [Greedy()], "n_players": 3}, "3 players need 2 policies besides the person, got 1"),
        ({"policies": [Greedy], "seat": 0}, r"write Greedy\(\)"),
        ({"policies": [7]}, "by a policy, an object with a method `choose`, got 7"),
        ({"policies": [Greedy()], "seat": 2}, "expected a seat from 0 to 1, got 2"),
    ],
)
def test_wrong_arguments_are_refused(nordic: GameMap, arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(GameError, match=reason):
        GameTable(nordic, **arguments)


def test_one_policy_is_no_plural(nordic: GameMap) -> None:
    with pytest.raises(GameError, match="a game of 2 players needs 1 policy besides the person, got 2"):
        HumanGame(Game(nordic, 2), [Greedy(), Greedy()])


# -- the widget ---------------------------------------------------------------------------


def test_one_policy_plays_all_other_seats(nordic: GameMap) -> None:
    table = GameTable(nordic, Greedy(), n_players=3, seed=1)
    assert table.record.header.policies == (PERSON, "Greedy", "Greedy")
    assert repr(table) == "<GameTable nordic: P0 Person, P1 Greedy, P2 Greedy; P0 chooses its opening tickets>"


def test_a_built_in_policy_is_known_by_its_name(nordic: GameMap) -> None:
    assert GameTable(nordic, "Greedy", seed=1).record.header.policies == (PERSON, "Greedy")
    assert GameTable(nordic, ["random", "Greedy"], seed=1).record.header.policies == (PERSON, "Random", "Greedy")
    with pytest.raises(UnknownNameError, match="no policy 'Plannr'; did you mean Planner"):
        GameTable(nordic, "Plannr")


def test_the_person_has_one_name(nordic: GameMap) -> None:
    table = GameTable(nordic, "Greedy", seed=1, name="Ida")
    assert table.facts["names"] == ["Ida", "Greedy"]
    assert table.record.header.policies == ("Ida", "Greedy")


def test_moves_are_taken_back_where_one_practices(nordic: GameMap) -> None:
    table = GameTable(nordic, "Greedy", seed=7, practice=True)
    table.play("keep all")
    before, now = table.record, table.now
    for line in ("draw", "take purple"):
        table.play(line)
    for n_left in (2, 1):
        assert table.now["undo"], n_left
        table._handle({"do": "undo", "step": table.now["step"]})
    assert (table.record, table.now) == (before, now)
    table.play("draw")
    assert GameRecord.loads(table.record.dumps(), nordic) == table.record


def test_tickets_are_judged_anew_after_a_move_was_taken_back(nordic: GameMap) -> None:
    table = GameTable(nordic, "Greedy", seed=7, practice=True)
    table.play("keep all")
    one, other = sorted(table.now["options"]["claims"])[:2]
    moments = []
    for route in (one, other):
        table.play(table.now["options"]["claims"][route]["payments"][0]["line"])
        moments.append(table._human_game._moments.seen_from(view_of(table), table._human_game.state))
        fresh = Moments(table._human_game.game).seen_from(view_of(table), table._human_game.state)
        assert moments[-1] == fresh
        table.undo()


def view_of(table: GameTable) -> SeatView:
    """Return what the person sees."""
    return table._human_game.game.view(table._human_game.state, 0)


def test_no_move_is_taken_back_in_earnest(nordic: GameMap) -> None:
    table = GameTable(nordic, "Greedy", seed=7)
    table._handle({"do": "undo", "step": table.now["step"]})
    assert table.problem["text"] == "moves can be taken back only at a table with practice=True"
    with pytest.raises(GameError, match="no move to take back"):
        GameTable(nordic, "Greedy", seed=7, practice=True).undo()


def test_another_game_is_begun_at_the_same_table(nordic: GameMap) -> None:
    table = GameTable(nordic, ["Greedy", "Random"], seed=7)
    table.play("keep all")
    table._handle({"do": "new", "players": 2, "seat": 1, "seed": 5})
    assert table.facts["names"] == ["Greedy", PERSON]
    assert (table.record.header.seed, table.facts["seat"]) == (5, 1)
    assert table.now["options"]["keep"]
    table.new_game(n_players=3)
    assert table.facts["names"] == ["Greedy", PERSON, "Random"]
    table._handle({"do": "new", "players": 9, "seat": 0, "seed": None})
    assert "players" in str(table.problem["text"])
    assert len(table.facts["names"]) == 3


def test_the_widget_plays_and_then_steps_through(nordic: GameMap) -> None:
    table = GameTable(nordic, [Greedy()], seed=7)
    said: list[str] = []
    table.observe(lambda change: said.append(change["new"]), "busy")
    usable: list[bool] = []  # at each change: either it is busy, or something can be done
    table.observe(lambda _: usable.append(bool(table.busy or table.now["options"] or table.is_over)), ["busy", "now"])
    rng = random.Random(4)  # noqa: S311
    table._handle({"do": "stepper"})
    assert table.stepping is None
    assert table.stepper().record.header.seed is None  # of a game that is not over, what the seat saw
    while not table.is_over:
        step = table.now["step"]
        table._handle({"do": "move", "step": step, "line": some_line(table.now["options"], rng)})
        assert table.problem["text"] == ""
    assert set(said) == {"P1 Greedy is thinking", ""}
    assert all(usable)
    table._handle({"do": "stepper"})
    stepper = table.stepping
    assert getattr(stepper, "record", None) == table.record
    table._handle({"do": "stepper"})
    assert table.stepping is stepper  # one is enough
    table._handle({"do": "about", "route": "Bergen-Oslo/0"})
    assert str(table.about["words"]).startswith("Bergen – Oslo, 4 blue, tunnel: 7 points")
    json.dumps([table.facts, table.now, table.problem, table.about])
    assert len(json.dumps(table.now)) < 30_000


def test_a_wrong_move_is_answered_each_time(nordic: GameMap) -> None:
    table = GameTable(nordic, [Greedy()], seed=7)
    answers = []
    table.observe(lambda change: answers.append(change["new"]["text"]), "problem")
    for _ in range(2):
        table._handle({"do": "move", "step": 1, "line": "draw"})
    table._handle({"do": "why", "route": "Bergen-Oslo/0"})
    assert len(answers) == 3
    assert all("opening tickets" in answer for answer in answers)


def test_the_page_is_told_of_a_fault_of_the_package(nordic: GameMap, monkeypatch: pytest.MonkeyPatch) -> None:
    table = GameTable(nordic, "random", seed=1)

    with monkeypatch.context() as broken:
        broken.setattr(HumanGame, "act", fail)
        with pytest.raises(IndexError):
            table._on_message(table, {"do": "draw"}, [])
    assert str(table.problem["text"]).endswith(FAULT)
    assert table.problem["can_retry"]


@pytest.mark.parametrize("game_map", EVERY_MAP)
def test_a_game_is_played_on_from_any_of_its_moments(game_map: str) -> None:
    record = Game(load(game_map)).play([Greedy(), Random()], seed=7)
    table = GameTable(load(game_map), "Greedy", seed=1, name="Ida")
    for step in (0, 1, len(record.steps) // 2, len(record.steps) - 2):
        table.play_from(record, step, seat=0, seed=5)
        again = table.record
        assert again.steps[: step + 1] == record.steps[: step + 1]
        assert GameRecord.loads(again.dumps(), again.map) == again
        assert (again.header.seed, again.header.policies[0]) == (None, "Greedy, then Ida")
        begun = table.now
        if not table.is_over:
            table.play(some_line(table.now["options"], None))
            table._handle({"do": "undo", "step": table.now["step"]})
            assert table.now["moment"] == begun["moment"]
    assert len(table.now["log"]) == min(100, table.now["step"])


def test_a_moment_that_cannot_be_played_on_is_refused(nordic: GameMap) -> None:
    record = Game(nordic).play([Greedy(), Random()], seed=7)
    table = GameTable(nordic, "Greedy", seed=1)
    before = table.record
    with pytest.raises(GameError, match="choose an earlier step"):
        table.play_from(record)
    with pytest.raises(GameError, match="unknown"):
        table.play_from(record.watched_from(0), 10)
    with pytest.raises(IndexError, match="the record has steps"):
        table.play_from(record, 10_000)
    assert table.record == before


def test_who_plays_on_is_told_what_the_seat_saw(nordic: GameMap) -> None:
    record = Game(nordic).play(["Planner", "Planner"], seed=7)
    table = GameTable(nordic, "Planner", seed=1)
    table.play_from(record, 60, seat=1)
    assert [0, "draws an unknown card", None] in table.now["log"]
    assert table.now["moment"]["seats"][0]["hand"][-1] > 0


def test_the_stepper_of_a_table_leads_back_to_it(nordic: GameMap) -> None:
    table = GameTable(nordic, "Greedy", seed=7)
    while not table.is_over:
        table.play(some_line(table.now["options"], None))
    table._handle({"do": "stepper"})
    assert table.stepping.can_play
    table.stepping._handle_custom_msg({"do": "play", "step": len(table.record.steps) - 1}, [])
    assert "choose an earlier step" in str(table.problem["text"])
    table.stepping._handle_custom_msg({"do": "play", "step": 20}, [])
    assert (table.n_games, table.stepping, table.is_over) == (2, None, False)
    assert table.facts["practice"]
    table.new_game()
    assert not table.facts["practice"]


def test_a_game_is_continued_with_the_same_cards_to_come() -> None:
    table = GameTable(load("invented"), ["Greedy"], seed=7, practice=True)
    for _ in range(6):
        table.play(some_line(table.now["options"], None))
    saved = GameRecord.loads(table.record.dumps(), table.record.map)

    other = GameTable.from_record(saved, practice=True)

    assert (other.now, other.facts, other.record) == (table.now, table.facts, table.record)
    for one in (table, other):
        one.undo()
        one.play(some_line(one.now["options"], None))
        one.play(some_line(one.now["options"], None))
    assert other.record == table.record
    with pytest.raises(GameError, match="its seed now gives different cards"):
        GameTable.from_record(replace(saved, header=replace(saved.header, seed=8)))


def test_a_game_that_was_played_on_from_another_is_continued() -> None:
    table = GameTable(load("invented"), ["Greedy"], seed=7)
    table.play_from(Game(load("invented")).play(["Greedy", "Greedy"], seed=7), step=5, seat=0)
    table.play(some_line(table.now["options"], None))

    other = GameTable.from_record(table.record)

    assert other.now["moment"] == table.now["moment"]


@pytest.mark.compiled_only
def test_a_tunnel_that_cannot_be_paid_offers_the_one_way() -> None:
    human_game = HumanGame(Game(load("nordic")), ["Greedy"], seed=0)
    options = human_game.frame()["options"]
    while options["pays"] or human_game.state.pending is None:
        tunnels = [route for route in options["claims"] if human_game.game.game_map.route(route).tunnel]
        lines = [options["claims"][route]["payments"][0]["line"] for route in tunnels]
        human_game.move([*lines, *[pay["line"] for pay in options["pays"]], some_line(options, None)][0])
        let_others_play(human_game)
        options = human_game.frame()["options"]

    assert options["task"].startswith("take your cards back, since you cannot pay the ")
    assert [move["words"] for move in options["moves"]] == ["Take the cards back"]
    human_game.move(options["moves"][0]["line"])
    assert human_game.narration[-1].text.startswith("takes the cards back from ")


# -- advice --------------------------------------------------------------------------------------------------------


@pytest.mark.compiled_only
def test_hints_and_costs_are_told_from_what_the_seat_can_see(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttr_analysis.widgets.table._HINT_SECONDS", 0.05)
    table = GameTable(load("invented"), ["Planner"], seed=7)
    with pytest.raises(GameError, match="you have not moved yet"):
        table.last_cost(0.05)

    advice = table.hint(0.05)
    table._on_message(None, {"do": "hint"}, None)

    assert advice.view.seat == 0
    assert str(table.advised["words"]).startswith("Best: ")
    assert table.advised["step"] == table.now["step"]
    table.play(advice.table["move"].iloc[-1])
    table._on_message(None, {"do": "cost"}, None)
    assert re.search("move|cost", str(table.advised["words"]))
    assert table.busy == ""
    table._on_message(None, {"do": "review"}, None)
    assert table.problem["text"] == "the game is not over yet, so it cannot be reviewed"


@pytest.mark.compiled_only
def test_a_game_that_is_over_is_reviewed_and_gives_no_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttr_analysis.widgets.table._REVIEW_SECONDS", 0.5)
    table = GameTable(load("invented"), ["Planner"], seed=7)
    while not table.is_over:
        claims = table.now["options"]["claims"].values()
        lines = [claim["payments"][0]["line"] for claim in claims]
        table.play(lines[0] if lines else some_line(table.now["options"], None))

    table._on_message(None, {"do": "review"}, None)

    assert table.stepping.data["review"]
    assert table.advised["words"]
    with pytest.raises(GameError, match="not your turn"):
        table.hint()
