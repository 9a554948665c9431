"""Widgets on maps, as cells of a notebook and as values."""

from __future__ import annotations

from pathlib import Path

from tests.fixtures import INVENTED, load
from ttr_analysis import GameRecord

GAMES = Path(__file__).parents[1] / "games"
MAPS = {
    "nordic": GAMES / "nordic" / "3-uniform-40.jsonl",
    "switzerland": GAMES / "switzerland" / "3-uniform-86.jsonl",
    "nederland": GAMES / "nederland" / "neutral-2-greedy-0.jsonl",
    "usa": GAMES / "usa" / "3-builder-1.jsonl",
    "europe": GAMES / "europe" / "3-greedy-0.jsonl",
    "invented": GAMES / "invented" / "2-builder-2.jsonl",
}
"""A game on every map."""

WIDGETS = {
    "stepper": "ttr.widgets.GameStepper(record)",
    "odds": "ttr.widgets.TunnelOdds(game_map)",
    "costs": "ttr.widgets.RouteCosts(game_map)",
    "explorer": "ttr.widgets.TicketExplorer(game_map)",
    "table": "ttr.widgets.GameTable(game_map)",
    "recorder": "ttr.widgets.GameRecorder(game_map)",
}


def cell(widget: str, game_map: str) -> str:
    """Return a cell that shows a widget of `WIDGETS` on a map of `MAPS`."""
    return cell_on(WIDGETS[widget], str(INVENTED) if game_map == "invented" else game_map, MAPS[game_map])


def cell_on(shown: str, game_map: str, record: Path) -> str:
    """Return a cell that ends in an expression, for a map by name or folder and a record of it."""
    lines = ["import ttr_analysis as ttr", f"game_map = ttr.load_map({game_map!r})"]
    if "record" in shown:
        lines += [f"record = ttr.GameRecord.load({str(record)!r}, game_map)"]
    return "\n".join([*lines, shown])


def sample_record(game_map: str) -> GameRecord:
    """Return the game on a map."""
    return GameRecord.load(MAPS[game_map], load(game_map))
