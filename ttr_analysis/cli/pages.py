"""Commands that open a page in the browser."""

from __future__ import annotations

import glob
import sys
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ttr_analysis._errors import FaultsError, GameError, UnknownNameError
from ttr_analysis._words import counted
from ttr_analysis.cli.common import (
    FAULTS,
    FILE,
    NATURAL,
    Interrupt,
    Stopped,
    Time,
    as_file_name,
    commands,
    complete_map,
    map_argument,
    number,
    refused,
    split_names,
    writing,
)

if TYPE_CHECKING:
    from anywidget import AnyWidget

    from ttr_analysis.maps.model import GameMap
    from ttr_analysis.records.record import GameRecord
    from ttr_analysis.studies import Puzzle


@commands.command(epilog="Example: ttr-analysis play nordic --seats Planner,Ida,Greedy")
@map_argument
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@click.option(
    "--players", type=NATURAL, metavar="N", help="Number of players; the others are all Planner.  [default: 2]"
)
@click.option("--seats", metavar="NAMES", help="Your name and the policies by seat, separated by commas.")
@click.option("--seed", type=NATURAL, metavar="N", help="Random seed of the cards.  [default: random]")
@click.option("--practice", is_flag=True, help="Allow taking back moves.")
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
) -> None:
    """
    Play on a map in the browser.

    MAP is a built-in map (see the maps command) or a map folder. You play against
    policies on a page that only this machine can open. Press Ctrl-C to stop. Each game
    is saved to its own file after every move, so you can resume it at any time with
    --continue, even after a crash.
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
    from ttr_analysis.widgets.table import GameFiles, GameTable, seats_of

    first = save or Path("games") / f"{as_file_name(game_map.name) or 'map'}.jsonl"
    last = None if continued or is_new else _last_game(first, game_map)
    record = _saved_game(continued, game_map) if continued else None
    names = split_names(seats) if seats else []
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
        if last:
            path, saved = last
            table.offer(saved, lambda game: files.keep(game, path))
        table.observe(lambda _: save_game(table), "now")  # each move is saved before the next decision
        return table

    try:
        _open(make, game_map.title, "your moves are saved", no_browser=no_browser)
    except KeyboardInterrupt:
        print("\n".join(map(str, ["", *files.paths])) if files.paths else "\nnothing was played")


def _open(make: Callable[[], AnyWidget], title: str, comfort: str, *, no_browser: bool) -> None:
    """Serve a widget on a page, and open it, until interrupted."""
    from ttr_analysis.widgets.server import serve

    def on_ready(address: str) -> None:
        print(f"{address}\nPress Ctrl-C to stop; {comfort}.", flush=True)
        if not no_browser:  # some browsers block until they are closed
            Thread(target=webbrowser.open, args=[address], daemon=True).start()

    serve(make, title=title, on_ready=on_ready)


def _saved_game(path: Path, game_map: GameMap) -> GameRecord:
    """Return the game in a file, to be continued."""
    from ttr_analysis.records.record import GameRecord

    record = GameRecord.load(path, game_map)
    if record.is_complete:
        raise Stopped(f"the game in {path} is over; step through it with the review command")
    return record


def _last_game(first: Path, game_map: GameMap) -> tuple[Path, GameRecord] | None:
    """Return the file and game of the latest unfinished game; print how to continue it."""
    saved = [first, *first.parent.glob(f"{glob.escape(first.stem)}-[0-9]*{first.suffix}")]
    for last in sorted(filter(Path.is_file, saved), key=lambda path: path.stat().st_mtime, reverse=True):
        with suppress(OSError, Stopped, GameError, FaultsError, UnknownNameError):
            record = _saved_game(last, game_map)
            print(f"There is an unfinished game: continue it on the page, or with --continue {last}", file=sys.stderr)
            return last, record
    return None


@commands.command(epilog="Example: ttr-analysis train my-games --player Ann")
@click.argument("folder", required=False, type=FILE)
@click.option("--player", metavar="NAME", help="Name of the player in FOLDER.")
@click.option("--map", "map_", metavar="MAP", shell_complete=complete_map, help="Only positions on this map.")
@number("--minutes", type=Time(0, 1_440, min_open=True), default=8.0, help="Time limit for reviews and search.")
@number(
    "--puzzles", "n", type=click.IntRange(1, 1_000), default=20, help="Maximum number of positions to find in FOLDER."
)
@click.option("--results", type=FILE, help="File for your answers.  [default: games/training.json]")
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
def train(folder: Path | None, player: str | None, results: Path | None, *, no_browser: bool, **how: Any) -> None:  # noqa: ANN401 - of several types
    """
    Practice finding the best move, in the browser.

    Without FOLDER, you get the positions that come with the maps. FOLDER holds records
    (.jsonl) and Board Game Arena logs (.txt) of your own games: then you get the positions
    that cost you the most. The first search takes a while; its result is reused until
    you add a game, or ask for more with --minutes or --puzzles. If you interrupt the
    search, run the same command to resume.

    Your answers are saved, and positions that you missed come back.
    """
    if bool(folder) != bool(player):
        raise click.UsageError("Give both FOLDER and --player, or neither.")
    from ttr_analysis.maps.loading import load_map
    from ttr_analysis.studies import load_puzzles

    wanted = load_map(how["map_"]).name if how["map_"] else None  # refused before minutes of reviews
    if folder and player:
        found = _own_puzzles(folder, player, how["minutes"], how["n"])
        found = tuple(puzzle for puzzle in found if wanted in (None, puzzle.record.map.name))
    else:
        found = load_puzzles(how["map_"])
    if not found:
        raise Stopped("there is no position in which one move is clearly the best", FAULTS)
    from ttr_analysis.widgets.trainer import Trainer

    results = results or (
        _beside(folder, player, "training.json") if folder and player else Path("games/training.json")
    )
    try:
        with writing(str(results)):
            _open(lambda: Trainer(found, results=results), "Train", "your answers are saved", no_browser=no_browser)
    except KeyboardInterrupt:
        print(f"\n{results}" if results.exists() else "\nnothing was answered")


def _beside(folder: Path, player: str, what: str) -> Path:
    """Return a player's file of saved work, beside the games."""
    return folder / f"{as_file_name(player)}.{what}"


def _own_puzzles(folder: Path, player: str, minutes: float, n: int) -> tuple[Puzzle, ...]:
    """Return a player's puzzles, saved until a game is added or more are requested, also across versions."""
    from ttr_analysis.studies import insights, puzzles, save_puzzles

    kept, search = (_beside(folder, player, what) for what in ("puzzles", "search"))
    with refused(FAULTS), Interrupt(": the positions found so far are saved; rerun to resume"):
        if found := _kept_puzzles(kept, folder, n):
            return found
        time = counted(f"{minutes:g}", "minute")
        print(f"reviewing games of {player}, then looking for puzzles, for at most {time}", flush=True)
        end = perf_counter() + 60 * minutes
        reviews = insights(folder, player, minutes=minutes / 2).reviews.values()
        seconds = max(30 * minutes, end - perf_counter())
        if found := puzzles(reviews, n=n, seconds=seconds, path=search):
            save_puzzles(found, kept)
    return found


def _kept_puzzles(kept: Path, folder: Path, n: int) -> tuple[Puzzle, ...]:
    """Return the puzzles found before; none if a game was added since, or more are requested."""
    from ttr_analysis.studies import load_puzzles

    games = [path for path in folder.iterdir() if path.suffix in (".jsonl", ".txt")]
    if not kept.exists() or any(path.stat().st_mtime >= kept.stat().st_mtime for path in games):
        return ()
    found, is_asked = load_puzzles(kept), click.get_current_context().get_parameter_source
    n_is_asked = is_asked("n") is ParameterSource.COMMANDLINE
    if len(found) < n and (n_is_asked or is_asked("minutes") is ParameterSource.COMMANDLINE):
        return ()
    print(
        f"{counted(len(found), 'puzzle')} found before; to look for more, give a larger --puzzles, or --minutes",
        file=sys.stderr,
    )
    return found[:n] if n_is_asked else found
