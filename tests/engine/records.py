"""Records of whole games for the tests: of every map, variant and number of players, played in several moods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pytest

from tests.engine.conformance import Combination, by_variant, some_combinations
from tests.fixtures import load
from ttr_analysis import Game, GameRecord, GameState, SeatView
from ttr_analysis._compile import Ints
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.events import Chance, Move
from ttr_analysis.records.file import fingerprint

EVEN: Mapping[str, float] = {}
HOARDING: Mapping[str, float] = {"ClaimRoute": 0.005, "DrawTickets": 0.05}
"""Cards are drawn until there are none left."""
CURIOUS: Mapping[str, float] = {"DrawTickets": 20.0}
"""Tickets are drawn until there are none left."""
MOODS = {"even": EVEN, "hoarding": HOARDING, "curious": CURIOUS}


class Whim:
    """Chooses at random, each kind of action as often as it likes it."""

    def __init__(self, likes: Mapping[str, float]) -> None:
        self.likes = likes

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
        weights = np.array([self.likes.get(type(action).__name__, 1.0) for action in actions])
        return actions[int(rng.choice(len(actions), p=weights / weights.sum()))]


Table = Combination
TABLES = some_combinations()
"""Every map and variant, with every other number of players."""
EACH_VARIANT = [tables[i % len(tables)] for i, tables in enumerate(by_variant())]
"""Every map and variant once, with fewer or more players in turn."""

each_variant = pytest.mark.parametrize(
    "table",
    [
        pytest.param(table, id=str(table), marks=() if i % 5 == 0 else pytest.mark.compiled_only)
        for i, table in enumerate(EACH_VARIANT)
    ],
)
"""For a test that needs each of them compiled, and some as plain Python, which `test_plain` compares with it."""

TABLES_AND_MOODS = [(table, list(MOODS)[i % len(MOODS)]) for i, table in enumerate(TABLES)]
"""Every table in one mood, and every map in several."""


@cache
def played(table: Table, mood: str = "even", seed: int = 7) -> GameRecord:
    """Return the record of a game."""
    game = Game(table.game_map, table.n_players)
    return game.play([Whim(MOODS[mood])] * table.n_players, seed=seed)


# -- a short record by hand -------------------------------------------------------

_EVENTS = """
{"event":"card_dealt","seat":0,"card":"purple"}
{"event":"card_dealt","seat":0,"card":"purple"}
{"event":"card_dealt","seat":0,"card":"purple"}
{"event":"card_dealt","seat":0,"card":"orange"}
{"event":"card_dealt","seat":1,"card":"blue"}
{"event":"card_dealt","seat":1,"card":"locomotive"}
{"event":"card_dealt","seat":1,"card":"white"}
{"event":"card_dealt","seat":1,"card":"red"}
{"event":"market_card","slot":0,"card":"green"}
{"event":"market_card","slot":1,"card":"orange"}
{"event":"market_card","slot":2,"card":"locomotive"}
{"event":"market_card","slot":3,"card":"white"}
{"event":"market_card","slot":4,"card":"black"}
{"event":"ticket_offered","seat":0,"ticket":"Bergen-Narvik"}
{"event":"ticket_offered","seat":0,"ticket":"Oslo-Stockholm"}
{"event":"ticket_offered","seat":0,"ticket":"Oslo-Vaasa"}
{"event":"ticket_offered","seat":0,"ticket":"Tampere-Boden"}
{"event":"ticket_offered","seat":0,"ticket":"Turku-Trondheim"}
{"event":"ticket_offered","seat":1,"ticket":"Aalborg-Umeå"}
{"event":"ticket_offered","seat":1,"ticket":"Göteborg-Oulu"}
{"event":"ticket_offered","seat":1,"ticket":"Helsinki-Kirkenes"}
{"event":"ticket_offered","seat":1,"ticket":"Narvik-Tallinn"}
{"event":"ticket_offered","seat":1,"ticket":"Örebro-Kuopio"}
{"event":"keep_tickets","seat":0,"tickets":["Oslo-Stockholm","Oslo-Vaasa"]}
{"event":"keep_tickets","seat":1,"tickets":["Aalborg-Umeå","Göteborg-Oulu","Narvik-Tallinn"]}
{"event":"claim_route","seat":0,"route":"Lillehammer-Oslo/0","cards":{"purple":2}}
{"event":"card_revealed","card":"purple"}
{"event":"card_revealed","card":"red"}
{"event":"card_revealed","card":"white"}
{"event":"pay_tunnel","seat":0,"cards":{"purple":1}}
{"event":"draw_face_up","seat":1,"slot":2}
{"event":"market_card","slot":2,"card":"yellow"}
{"event":"draw_card","seat":1}
{"event":"card_drawn","seat":1,"card":"blue"}
{"event":"draw_tickets","seat":0}
{"event":"ticket_offered","seat":0,"ticket":"Bergen-Tornio"}
{"event":"ticket_offered","seat":0,"ticket":"Helsinki-Lieksa"}
{"event":"ticket_offered","seat":0,"ticket":"Stockholm-Umeå"}
{"event":"keep_tickets","seat":0,"tickets":["Stockholm-Umeå"]}
{"event":"claim_route","seat":1,"route":"Kajaani-Lieksa/0","cards":{"blue":1}}
{"event":"draw_card","seat":0}
{"event":"card_drawn","seat":0,"card":"green"}
"""


def short_text() -> str:
    """Return a short record in the words of its file: set-up, a tunnel, draws of cards and tickets, a claim."""
    facts = fingerprint(load("nordic"))
    header = (
        f'{{"format":"ttr-game","version":1,"map":"nordic","variant":"","n_players":2,"facts":"{facts}","policies":[]}}'
    )
    return header + _EVENTS


def changed(line: int, text: str | None) -> str:
    """Return the short record with another text on one line, or without that line."""
    lines = short_text().splitlines()
    lines[line - 1 : line] = [] if text is None else text.split("\n")
    return "\n".join(lines) + "\n"


# -- the same record, followed by the facade ------------------------------------------


def cells_by_facade(record: GameRecord) -> list[Ints]:
    """Return the packed state after each step of a record as `Game.step` makes it, but for the random numbers."""
    game = Game(record.map, record.header.n_players)
    states: list[GameState] = []
    for events in record.steps:
        chance = [event for event in events if isinstance(event, Chance)]
        match events[0]:
            case Move(seat, action):
                assert states[-1].acting == seat
                states.append(game.step(states[-1], action, chance)[0])
            case Chance():
                states.append(game.deal(outcomes=chance)[0])
            case _:  # tickets shown: no step of a game
                states.append(states[-1])
    return [without_stream(state) for state in states]


def without_stream(state: GameState) -> Ints:
    """Return the cells of a state without its random numbers."""
    packed = state.packed
    packed.stream[:] = 0
    return packed.cells
