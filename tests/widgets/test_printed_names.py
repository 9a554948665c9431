"""All names that widgets hand to their pages are names that the map reads."""

from __future__ import annotations

import json

from tests.browser.samples import MAPS
from tests.printed import text_of, unread_names
from ttr_analysis import GameMap, GameRecord, widgets

EXPLORERS = (widgets.TunnelOdds, widgets.RouteCosts, widgets.TicketExplorer)
TABLES = (widgets.GameTable, widgets.GameRecorder)


def test_names_in_widgets_are_read_back(any_map: GameMap) -> None:
    stepper = widgets.GameStepper(GameRecord.load(MAPS[any_map.name], any_map))

    for widget in (stepper, *(kind(any_map) for kind in (*EXPLORERS, *TABLES))):
        shown = [key for key in widget.keys if not key.startswith("_") and key != "layout"]
        text = text_of(json.dumps(widget.get_state(shown), ensure_ascii=False))
        n_names, unread = unread_names(text, [any_map])

        assert unread == [], type(widget).__name__
        assert n_names > len(any_map.tickets) or isinstance(widget, EXPLORERS[:2])  # which have some routes only


def test_cities_on_boards_of_widgets_are_read_back(any_map: GameMap) -> None:
    for city in widgets.GameTable(any_map).facts["sheet"]["cities"]:
        assert any_map.city(city["id"]) is any_map.city(city["words"])
