"""Commands that open a page in the browser."""

from __future__ import annotations

import glob
import sys
import webbrowser
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from ttr_analysis._errors import FaultsError, GameError, UnknownNameError
from ttr_analysis.cli.common import DONE, FILE, NATURAL, Stopped, commands, map_argument

if TYPE_CHECKING:
    from ttr_analysis.maps.model import GameMap
    from ttr_analysis.records.record import GameRecord


@commands.command(epilog="Example: ttr-analysis play nordic --seats Planner,Ida,Greedy")
@map_argument
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@click.option("--players", type=NATURAL, metavar="N", help="Number of players; the others are Planner.  [default: 2]")
@click.option("--seats", metavar="NAMES", help="Your name and the policies, seat by seat, separated by commas.")
@click.option("--seed", type=NATURAL, metavar="N", help="Random seed of the cards.  [default: random]")
@click.option("--practice", is_flag=True, help="Let you take moves back.")
@click.option("--save", type=FILE, help="New file for the record.  [default: games/<map>.jsonl, numbered]")
@click.option("--continue", "continued", type=FILE, help="Continue the game in this file.")
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
def play(  # the other options are those of the table
    map_: str,
    players: int | None,
    seats: str | None,
    save: Path | None,
    continued: Path | None,
    *,
    no_browser: bool,
    practice: bool,
    **options: Any,  # noqa: ANN401 - of several types
) -> int:
    """
    Play on a map in the browser.

    MAP is a map of the package (see the maps command) or a map folder. You play
    against policies on a page that only this machine can open. Press Ctrl-C to stop.
    Each game has its own file, which is saved after each move. Continue it whenever
    you like with --continue, even if the machine stopped.
    """
    from ttr_analysis.maps.loading import load_map

    if seats and players is not None:
        raise click.UsageError("Give either --players or --seats, not both.")
    is_new = any(value is not None for value in (players, seats, save, *options.values()))
    if continued and is_new:
        raise click.UsageError("With --continue, players, seats, seed, variant and file are those of the game.")
    game_map = load_map(map_)
    if save and save.exists():
        raise Stopped(f"the file {save} already exists; to continue the game in it, give --continue {save}")
    from ttr_analysis.widgets.human_game import PERSON
    from ttr_analysis.widgets.server import serve
    from ttr_analysis.widgets.table import GameFiles, GameTable, seats_of

    first = save or Path("games") / f"{game_map.name or 'map'}.jsonl"
    continued = continued or (None if is_new else _offer_to_continue(first, game_map))
    record = _saved_game(continued, game_map) if continued else None
    names = [name.strip() for name in seats.split(",")] if seats else []
    seat, name, policies = seats_of(names or [PERSON, *["Planner"] * ((2 if players is None else players) - 1)])
    files = GameFiles(continued or first, continued=continued is not None)

    def save_game(table: GameTable) -> None:
        try:
            files.update(table)
        except OSError as error:
            print(f"ttr-analysis: the game was not saved: {error}", file=sys.stderr)

    def make() -> GameTable:
        table = (
            GameTable.from_record(record, practice=practice)
            if record
            else GameTable(game_map, policies, seat, name=name, practice=practice, **options)
        )
        table.observe(lambda _: save_game(table), "now")  # each move is saved, before the next is thought about
        return table

    def on_ready(address: str) -> None:
        print(f"{address}\nPress Ctrl-C to stop; your moves are saved.", flush=True)
        if not no_browser:
            Thread(
                target=webbrowser.open, args=[address], daemon=True
            ).start()  # some browsers block until they are closed

    try:
        serve(make, title=game_map.title, on_ready=on_ready)
    except KeyboardInterrupt:
        print("\n".join(map(str, ["", *files.paths])) if files.paths else "\nnothing was played")
    return DONE


def _saved_game(path: Path, game_map: GameMap) -> GameRecord:
    """Return the game in a file, to be continued."""
    from ttr_analysis.records.record import GameRecord

    try:
        record = GameRecord.load(path, game_map)
    except OSError as error:
        raise Stopped.by(error, str(path)) from None
    if record.is_complete:
        raise Stopped(f"the game in {path} is over; to step through it, see the review command")
    return record


def _offer_to_continue(first: Path, game_map: GameMap) -> Path | None:
    """Return the file of the last game, if that is not over and the person likes to continue it."""
    from ttr_analysis._words import counted

    saved = [first, *first.parent.glob(f"{glob.escape(first.stem)}-[0-9]*{first.suffix}")]
    last = max(filter(Path.is_file, saved), key=lambda path: path.stat().st_mtime, default=None)
    if last is None:
        return None
    try:
        record = _saved_game(last, game_map)
    except (Stopped, GameError, FaultsError, UnknownNameError):
        return None
    found = f"Your last game, {last}, is not over: {counted(len(record.moves), 'move')} so far."
    if sys.stdin.isatty():
        return last if click.confirm(f"{found} Continue it?", default=True) else None
    print(f"{found} To continue it, add --continue {last}", file=sys.stderr)
    return None
