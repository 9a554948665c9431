"""Commands on games: import, review or score finished ones, and play or train on a page in the browser."""

from __future__ import annotations

import codecs
import glob
import sys
import warnings
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

import ttr_analysis as ttr
from ttr_analysis._errors import FaultsError, GameError, UnknownNameError
from ttr_analysis._words import counted
from ttr_analysis.cli import common

if TYPE_CHECKING:
    from anywidget import AnyWidget

    from ttr_analysis.maps.model import GameMap
    from ttr_analysis.records.record import GameRecord
    from ttr_analysis.studies import Puzzle

_RECORD: Final = '{"format":"ttr-game"'
_MAX_POSITION: Final = 1_000_000
"""Largest position file, in characters."""


@common.commands.command("import", epilog="Example: ttr-analysis import table.txt --out my-game.jsonl")
@click.argument("log", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--map", "map_", shell_complete=common.complete_map, help="The map.  [default: detected from the log]")
@click.option("--variant", metavar="NAME", help="Variant of the rules, if the log does not show it; needs --map.")
@click.option("--tickets", type=common.FILE, help="JSON file with the ticket offers that you noted; see above.")
@click.option("--seat", metavar="NAME", help='The player that the log calls "You".')
@click.option("--title", default="", help="A title for the game.")
@click.option("--date", metavar="DAY", default="", help="Date of the game, such as 2026-03-14.")
@click.option("--out", type=common.FILE, help="File for the saved game.  [default: LOG with .jsonl]")
def import_(
    log: Path,
    map_: str | None,
    variant: str | None,
    tickets: Path | None,
    out: Path | None,
    **options: Any,  # noqa: ANN401
) -> None:
    """
    Convert a Board Game Arena log into a saved game.

    LOG is a text file with the log of a game.

    The file for --tickets lists the tickets offered and the tickets kept, in order, for
    each player: {"Ann": [[["Denver - El Paso", "Boston - Miami", "Dallas - New York"],
    ["Boston - Miami", "Dallas - New York"]]]}
    """
    from ttr_analysis.notation.bga import read_bga, read_notes

    if variant and not map_:
        raise click.UsageError("--variant needs --map.")
    game_map = ttr.load_map(map_, variant=variant) if map_ else None
    out = out or log.with_suffix(".jsonl")
    if out.resolve() == log.resolve():
        raise click.UsageError(f"The record would replace the log {log}: choose another file with --out.")
    record = read_bga(_text_of(log), tickets=read_notes(tickets) if tickets else None, game_map=game_map, **options)
    if record.report is None or record.report.steps.empty:
        raise common.Stopped(
            f"no move was understood in {log}, so no record was written\n{record.report}", common.FAULTS
        )
    record.save(out)
    print(f"{record!r}\n{record.report}\n{out}")


def _text_of(log: Path) -> str:
    """Return the text of a file from any editor: UTF-8, UTF-16 with its mark, or the encoding of old Windows."""
    content = log.read_bytes()
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


@common.commands.command(epilog="Example: ttr-analysis review my-game.jsonl --minutes 3")
@click.argument("game", type=common.FILE)
@click.option("--seat", help="Review only this seat, by number or name.  [default: all seats]")
@common.number(
    "--minutes", type=common.Duration(0, 1_440, min_open=True), default=3.0, help="Time limit; all cores are used."
)
@click.option("--map", "map_", shell_complete=common.complete_map, help="Map folder, if the game is on your own map.")
@click.option("--open-cards", is_flag=True, help="Add the win curve with all hands visible; takes a few seconds.")
@click.option("--out", type=common.FILE, help="File for the page.  [default: GAME with .html]")
@common.no_progress
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

    GAME is a saved game; to review a Board Game Arena log, import it first. The result is a
    self-contained HTML page that shows the best move for each decision, and how much was luck.
    If you interrupt a review, run the same command to resume.
    """
    from ttr_analysis.records.record import GameRecord

    out = out or game.with_suffix(".html")
    kept = out.with_name(f"{out.name}.part")
    record = GameRecord.load(game, ttr.load_map(map_) if map_ else None)
    number = None if seat is None else _seat(seat, record.header.players, record.header.n_players)
    from ttr_analysis import studies
    from ttr_analysis.report.played import write_review

    print(f"{record!r}\nreviewing for at most {counted(f'{minutes:g}', 'minute')}", flush=True)
    more = f": {kept} has the moves judged so far; run the same command to resume"
    with (
        common.errors_as(common.FAULTS),
        common.Interrupt(lambda: more if kept.exists() else ""),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error", studies.Interrupted)
        found = studies.review(record, number, seconds=60 * minutes, path=kept, progress=not no_progress)
        curve = studies.win_curve(record, progress=not no_progress) if open_cards else None
        write_review(found, out, open_cards=curve)
    kept.unlink(missing_ok=True)
    print(f"{found!r}\n{out}")


@common.commands.command(epilog="Example: ttr-analysis insights my-games --player Ann")
@click.argument("folder", type=common.FILE)
@click.option("--player", metavar="NAME", required=True, help="Name of the player.")
@common.number("--minutes", type=common.Duration(0, 1_440), default=8.0, help="Time limit for reviews; 0 skips them.")
@click.option("--out", type=common.FILE, help="Folder for report.html and tables/.  [default: FOLDER/insights-NAME]")
@common.no_progress
def insights(folder: Path, player: str, minutes: float, out: Path | None, *, no_progress: bool) -> None:
    """
    Summarize a player's games.

    FOLDER contains saved games (.jsonl) and Board Game Arena logs (.txt), on any maps. The
    result is a self-contained HTML page. Reviews are saved in FOLDER; after an interruption, run
    the same command to resume.
    """
    from ttr_analysis import studies
    from ttr_analysis.report.played import write_insights
    from ttr_analysis.report.study import PAGE

    out = out or folder / f"insights-{common.as_file_name(player)}"
    with common.errors_as(common.FAULTS), common.Interrupt(f": {folder} has the reviews so far; rerun to resume"):
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
    raise common.Stopped(f"no seat {text!r}; choose one of {', '.join([*map(str, range(n_players)), *players])}")


@common.commands.command(
    epilog=(
        'Example of a position: {"map": "usa", "players": ["Ann", "Bo"], "owners": {"Boston-New York/0": "Ann"}, '
        '"tickets": {"Ann": ["Boston-Miami"], "Bo": []}}'
    )
)
@click.argument("file", type=common.FILE)
def score(file: Path) -> None:
    """
    Show the scores and the winner.

    FILE is a saved game, or a position: a JSON object with map, players, owners of routes
    and tickets. All tickets in the file count. A saved game contains the tickets of all seats:
    if you are still playing it, this reveals the other players' tickets.
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
        print("The game is not over: these would be the scores if it ended now, with all tickets in the file.")
    elif not record.winners:
        print("Who won depends on unknown tickets.")
    elif scores.tie:
        print(f"{scores.tie}.")


# -- pages in the browser -------------------------------------------------------------------------------------------


@common.commands.command(epilog="Example: ttr-analysis play nordic --seats Planner,Ida,Greedy")
@common.map_argument
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@click.option(
    "--players", type=common.SEATS, metavar="N", help="Number of players; the others are all Planner.  [default: 2]"
)
@click.option("--seats", metavar="NAMES", help="Your name and the other players by seat, separated by commas.")
@click.option("--seed", type=common.NATURAL, metavar="N", help="Random seed for the cards.  [default: random]")
@click.option("--practice", is_flag=True, help="Allow taking back moves.")
@click.option("--save", type=common.FILE, help="New file for the game.  [default: games/<map>.jsonl, numbered]")
@click.option("--continue", "continued", type=common.FILE, help="Continue the game in this file.")
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
def play(  # the other options are passed to the table
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
    Play against the computer in the browser.

    MAP is a built-in map (see the maps command) or a map folder. Only this machine can
    open the page. Press Ctrl-C to stop. Each game is saved to its own file after every
    move, so you can resume it at any time with --continue, even after a crash.
    """
    if seats and players is not None:
        raise click.UsageError("Give either --players or --seats, not both.")
    is_new = any(value is not None for value in (players, seats, save, *options.values()))
    if continued and is_new:
        raise click.UsageError("With --continue, players, seats, seed, variant and file are those of the saved game.")
    game_map = ttr.load_map(map_)
    if save and save.exists():
        raise common.Stopped(f"the file {save} already exists; to continue the game in it, use --continue {save}")
    from ttr_analysis.widgets.human_game import PERSON
    from ttr_analysis.widgets.table import GameFiles, GameTable, seats_of

    first = save or Path("games") / f"{common.as_file_name(game_map.name) or 'map'}.jsonl"
    last = None if continued or is_new else _last_game(first, game_map)
    record = _saved_game(continued, game_map) if continued else None
    names = common.split_names(seats) if seats else []
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


def _open(make: Callable[[], AnyWidget], title: str, note: str, *, no_browser: bool) -> None:
    """Serve a widget on a page, and open it, until interrupted."""
    from ttr_analysis.widgets.server import serve

    def on_ready(address: str) -> None:
        print(f"{address}\nPress Ctrl-C to stop; {note}.", flush=True)
        if not no_browser:  # some browsers block until they are closed
            Thread(target=webbrowser.open, args=[address], daemon=True).start()

    serve(make, title=title, on_ready=on_ready)


def _saved_game(path: Path, game_map: GameMap) -> GameRecord:
    """Return the game in a file, to be continued."""
    from ttr_analysis.records.record import GameRecord

    record = GameRecord.load(path, game_map)
    if record.is_complete:
        raise common.Stopped(f"the game in {path} is over; step through it with the review command")
    return record


def _last_game(first: Path, game_map: GameMap) -> tuple[Path, GameRecord] | None:
    """Return the file and game of the latest unfinished game; print how to continue it."""
    saved = [first, *first.parent.glob(f"{glob.escape(first.stem)}-[0-9]*{first.suffix}")]
    for last in sorted(filter(Path.is_file, saved), key=lambda path: path.stat().st_mtime, reverse=True):
        with suppress(OSError, common.Stopped, GameError, FaultsError, UnknownNameError):
            record = _saved_game(last, game_map)
            print(f"There is an unfinished game: continue it on the page, or with --continue {last}", file=sys.stderr)
            return last, record
    return None


@common.commands.command(epilog="Example: ttr-analysis train my-games --player Ann")
@click.argument("folder", required=False, type=common.FILE)
@click.option("--player", metavar="NAME", help="Name of the player in FOLDER.")
@click.option("--map", "map_", metavar="MAP", shell_complete=common.complete_map, help="Only positions on this map.")
@common.number(
    "--minutes", type=common.Duration(0, 1_440, min_open=True), default=8.0, help="Time limit for reviews and search."
)
@common.number(
    "--puzzles", "n", type=click.IntRange(1, 1_000), default=20, help="Maximum number of positions to find in FOLDER."
)
@click.option("--results", type=common.FILE, help="File for your answers.  [default: in FOLDER or games/training.json]")
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
def train(folder: Path | None, player: str | None, results: Path | None, *, no_browser: bool, **how: Any) -> None:  # noqa: ANN401 - of several types
    """
    Practice finding the best move, in the browser.

    Without FOLDER, you get the positions that come with the maps. With a FOLDER of your
    own saved games (.jsonl) and Board Game Arena logs (.txt), you get the decisions that
    cost you the most. The first search takes a while; its result is reused until you add
    a game, or ask for more with --minutes or --puzzles. If you interrupt the search, run
    the same command to resume.

    Your answers are saved, and positions that you missed come back.
    """
    if bool(folder) != bool(player):
        raise click.UsageError("Give both FOLDER and --player, or neither.")
    from ttr_analysis.studies import load_puzzles

    wanted = ttr.load_map(how["map_"]).name if how["map_"] else None  # checked before minutes of reviews
    if folder and player:
        found = _own_puzzles(folder, player, how["minutes"], how["n"])
        found = tuple(puzzle for puzzle in found if wanted in (None, puzzle.record.map.name))
    else:
        found = load_puzzles(how["map_"])
    if not found:
        raise common.Stopped("there is no position in which one move is clearly the best", common.FAULTS)
    from ttr_analysis.widgets.trainer import Trainer

    results = results or (
        _beside(folder, player, "training.json") if folder and player else Path("games/training.json")
    )
    try:
        with common.writing(str(results)):
            _open(lambda: Trainer(found, results=results), "Train", "your answers are saved", no_browser=no_browser)
    except KeyboardInterrupt:
        print(f"\n{results}" if results.exists() else "\nnothing was answered")


def _beside(folder: Path, player: str, what: str) -> Path:
    """Return a player's file of saved work, beside the games."""
    return folder / f"{common.as_file_name(player)}.{what}"


def _own_puzzles(folder: Path, player: str, minutes: float, n: int) -> tuple[Puzzle, ...]:
    """Return a player's puzzles; saved ones, even from another version, until a game is added or more are requested."""
    from ttr_analysis.studies import insights, puzzles, save_puzzles

    kept, search = (_beside(folder, player, what) for what in ("puzzles", "search"))
    with common.errors_as(common.FAULTS), common.Interrupt(": the positions found so far are saved; rerun to resume"):
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
    found, source_of = load_puzzles(kept), click.get_current_context().get_parameter_source
    is_n_given = source_of("n") is ParameterSource.COMMANDLINE
    if len(found) < n and (is_n_given or source_of("minutes") is ParameterSource.COMMANDLINE):
        return ()
    print(
        f"{counted(len(found), 'puzzle')} found before; to look for more, give a larger --puzzles, or --minutes",
        file=sys.stderr,
    )
    return found[:n] if is_n_given else found
