"""Commands on played games: import, review or score one, and summarize many."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from ttr_analysis._words import counted
from ttr_analysis.cli.common import (
    FAULTS,
    FILE,
    Interrupt,
    Stopped,
    Time,
    as_file_name,
    commands,
    complete_map,
    no_progress,
    number,
    refused,
)

_RECORD: Final = '{"format":"ttr-game"'
_MAX_POSITION: Final = 1_000_000
"""Largest position file, in characters."""


@commands.command("import", epilog="Example: ttr-analysis import table.txt --out my-game.jsonl")
@click.argument("log", type=FILE)
@click.option("--map", "map_", shell_complete=complete_map, help="The map.  [default: found from the log]")
@click.option("--tickets", type=FILE, help="JSON file with the ticket offers you noted; see above.")
@click.option("--seat", metavar="NAME", help='The player that the log calls "You".')
@click.option("--title", default="", help="A title for the record.")
@click.option("--date", metavar="DAY", default="", help="Date of the game, such as 2026-03-14.")
@click.option("--out", type=FILE, help="File for the record.  [default: LOG with .jsonl]")
def import_(log: Path, map_: str, tickets: Path | None, out: Path | None, **options: Any) -> None:  # noqa: ANN401
    """
    Convert a game log into a record.

    LOG is a text file with the Board Game Arena log of a game.

    The file for --tickets lists the tickets offered and those kept, in order, for each
    player: {"Ann": [[["Denver - El Paso", "Boston - Miami", "Dallas - New York"],
    ["Boston - Miami", "Dallas - New York"]]]}
    """
    from ttr_analysis.notation.bga import read_bga, read_notes

    out = out or log.with_suffix(".jsonl")
    text = log.read_text("utf-8", errors="replace")
    record = read_bga(text, tickets=read_notes(tickets) if tickets else None, game_map=map_, **options)
    if record.report is None or record.report.steps.empty:
        raise Stopped(f"no move was understood in {log}, so no record was written\n{record.report}", FAULTS)
    record.save(out)
    print(f"{record!r}\n{record.report}\n{out}")


@commands.command(epilog="Example: ttr-analysis review my-game.jsonl --minutes 3")
@click.argument("game", type=FILE)
@click.option("--seat", help="Review only this seat, by number or name.  [default: all seats]")
@number("--minutes", type=Time(0, 1_440, min_open=True), default=3.0, help="Time limit; all cores are used.")
@click.option("--map", "map_", shell_complete=complete_map, help="Map folder, if the game is on your own map.")
@click.option("--open-cards", is_flag=True, help="Add the win curve with all hands visible; takes a few seconds.")
@click.option("--out", type=FILE, help="File for the page.  [default: GAME with .html]")
@no_progress
def review(
    game: Path,
    seat: str | None,
    minutes: float,
    map_: str | None,
    out: Path | None,
    *,
    open_cards: bool,
    no_progress: bool,
) -> None:
    """
    Review the moves of a game.

    GAME is a record. The page shows the best move for each decision, and how much was luck;
    it is self-contained. If you interrupt a review, run the same command to resume. The
    import command reads Board Game Arena games.
    """
    from ttr_analysis.maps.loading import load_map
    from ttr_analysis.records.record import GameRecord

    out = out or game.with_suffix(".html")
    kept = out.with_name(f"{out.name}.part")
    record = GameRecord.load(game, load_map(map_) if map_ else None)
    number = None if seat is None else _seat(seat, record.header.players, record.header.n_players)
    from ttr_analysis import studies
    from ttr_analysis.report.review import write_review

    print(f"{record!r}\nreviewing for at most {counted(f'{minutes:g}', 'minute')}", flush=True)
    more = f": {kept} has the moves judged so far; run the same command to resume"
    with refused(FAULTS), Interrupt(lambda: more if kept.exists() else ""), warnings.catch_warnings():
        warnings.simplefilter("error", studies.Interrupted)
        found = studies.review(record, number, seconds=60 * minutes, path=kept, progress=not no_progress)
        curve = studies.win_curve(record, progress=not no_progress) if open_cards else None
        write_review(found, out, open_cards=curve)
    kept.unlink(missing_ok=True)
    print(f"{found!r}\n{out}")


@commands.command(epilog="Example: ttr-analysis insights my-games --player Ann")
@click.argument("folder", type=FILE)
@click.option("--player", metavar="NAME", required=True, help="Name of the player.")
@number("--minutes", type=Time(0, 1_440), default=8.0, help="Time limit for reviews; 0 skips them.")
@click.option("--out", type=FILE, help="Folder for report.html and tables/.  [default: FOLDER/insights-NAME]")
@no_progress
def insights(folder: Path, player: str, minutes: float, out: Path | None, *, no_progress: bool) -> None:
    """
    Summarize a player's games.

    FOLDER holds records (.jsonl) and Board Game Arena logs (.txt), on any maps. The page is
    self-contained. Reviews are saved in FOLDER; after an interruption, run the same command
    to resume.
    """
    from ttr_analysis import studies
    from ttr_analysis.report.insights import write_insights
    from ttr_analysis.report.study import PAGE

    out = out or folder / f"insights-{as_file_name(player)}"
    with refused(FAULTS), Interrupt(f": {folder} has the reviews so far; rerun to resume"):
        found = studies.insights(folder, player, minutes=minutes, progress=not no_progress)
        write_insights(found, out)
    for file, why in found.left_out.items():
        print(f"not used: {file}: {why}", file=sys.stderr)
    print(f"{found!r}\n{out / PAGE}")


def _seat(text: str, players: Sequence[str], n_players: int) -> int:
    """Return a seat by its number or by the name of its player."""
    if text in players:
        return players.index(text)
    number = text.removeprefix("P")
    if number in map(str, range(n_players)):
        return int(number)
    raise Stopped(f"no seat {text!r}; they are 0 to {n_players - 1}{''.join(f', {name}' for name in players)}")


@commands.command(
    epilog=(
        'Example: {"map": "usa", "players": ["Ann", "Bo"], "owners": {"Boston-New York/0": "Ann"}, '
        '"tickets": {"Ann": ["Boston-Miami"], "Bo": []}}'
    )
)
@click.argument("file", type=FILE)
def score(file: Path) -> None:
    """
    Show the scores and the winner.

    FILE is a record, or a position as a JSON object with map, players, owners of routes
    and tickets. All tickets in it count. A saved game has the tickets of all seats: if you
    are still playing it, this reveals what the others hold.
    """
    from ttr_analysis.records.positions import read_position
    from ttr_analysis.records.record import GameRecord

    with file.open(encoding="utf-8", errors="replace") as opened:
        begin = opened.read(_MAX_POSITION)
    if begin.lstrip().startswith(_RECORD):
        record = GameRecord.load(file)
    else:
        state, names = read_position(begin, file.name)
        record = GameRecord.from_position(state, players=names)
    scores, header = record.score(), record.header
    names = header.players or header.policies or ("",) * header.n_players
    for points, name in zip(scores, names, strict=True):
        who = f"P{points.seat} {name}".strip()
        print(f"{who}{' (won)' if points.seat in record.winners else ''}: {str(points)[1:-1].partition(': ')[2]}")
    if not record.is_complete:
        print("The game is not over: these are the points if it ended now, with all tickets in the file.")
    elif not record.winners:
        print("Who won depends on unknown tickets.")
    elif scores.tie:
        print(f"{scores.tie}.")
