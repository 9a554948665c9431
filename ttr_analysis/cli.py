"""The command `ttr-analysis`: study a map, play on one, check a map folder, import, review or score a game."""

from __future__ import annotations

import glob
import io
import math
import signal
import sys
import warnings
import webbrowser
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, Self

import click
from click.shell_completion import CompletionItem

from ttr_analysis import __version__
from ttr_analysis._errors import FaultsError, GameError, UnknownNameError
from ttr_analysis.teaching.editions import editions

if TYPE_CHECKING:
    from ttr_analysis.maps.model import GameMap
    from ttr_analysis.records.record import GameRecord

DONE, FAULTS, USAGE, INTERRUPTED = 0, 1, 2, 130

_RECORD: Final = '{"format":"ttr-game"'
_MAX_POSITION: Final = 1_000_000
"""Characters of a position."""


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Run the command.

    Parameters
    ----------
    arguments
        The arguments; those of the process by default.

    Returns
    -------
    code
        The exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a console or pipe on Windows lacks many letters of city names
            stream.reconfigure(errors="replace")
    try:
        return int(_commands.main(arguments, "ttr-analysis", standalone_mode=False) or DONE)
    except _Stopped as error:
        print(f"ttr-analysis: {error.message}", file=sys.stderr)
        return error.code
    except click.ClickException as error:
        error.show()
        return USAGE
    except FaultsError as error:
        print(error, file=sys.stderr)
        return FAULTS
    except (GameError, UnknownNameError) as error:
        print(f"ttr-analysis: {error}", file=sys.stderr)
        return USAGE
    except click.Abort:
        print("ttr-analysis: interrupted", file=sys.stderr)
        return INTERRUPTED


class _Stopped(click.ClickException):
    """A message that ends the command."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code

    @classmethod
    def by(cls, error: OSError, what: str) -> _Stopped:
        return cls(f"{what}: {error.strerror or error}")


class _Time(click.FloatRange):
    """A length of time: `FloatRange` lets "nan" pass."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        time = float(super().convert(value, param, ctx))
        if math.isnan(time):
            self.fail(f"{value} is not a number.", param, ctx)
        return time


def _complete_map(_ctx: click.Context, _param: click.Parameter, begin: str) -> list[CompletionItem]:
    from ttr_analysis.maps.loading import map_names

    maps = [CompletionItem(name) for name in map_names() if name.startswith(begin)]
    return [*maps, CompletionItem(begin, type="dir")]


_NATURAL = click.IntRange(min=0)
_FILE = click.Path(path_type=Path)
_map = click.argument("map_", metavar="MAP", shell_complete=_complete_map)
_number = partial(click.option, metavar="N", show_default=True)
_no_progress = click.option("--no-progress", is_flag=True, help="Show no progress bar.")


@click.group(
    epilog=(
        "Exit codes: 0 done, 1 the map or game has faults, 2 a wrong argument or a file that cannot be read or "
        "written, 130 interrupted.\n\n"
        "\b\nFor completion in bash, add this line to ~/.bashrc (zsh and fish are similar):\n"
        '  eval "$(_TTR_ANALYSIS_COMPLETE=bash_source ttr-analysis)"'
    )
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def _commands() -> None:
    """Analysis of Ticket to Ride maps. Unofficial, not affiliated with the publisher."""


# -- maps ----------------------------------------------------------------------------------------------------------


@_commands.command(epilog="Example: ttr-analysis study nordic --out my-study")
@_map
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@click.option("--out", type=_FILE, help="Folder for report.html and tables/.  [default: studies/<map>]")
@_number("--seed", type=_NATURAL, default=7, help="Random seed.")
@_number("--deals", type=click.IntRange(2, 1_000_000), default=5000, help="Number of random deals.")
@click.option("--quick", is_flag=True, help="Take fewer samples and skip the slowest parts.")
@_number(
    "--best",
    type=_Time(0, 86_400),
    metavar="SECONDS",
    default=35.0,
    help="Time for proving the best network; 0 skips it.",
)
@_number("--games", type=click.IntRange(0, 1_000_000), default=1000, help="Games between planners; 0 skips them.")
@_no_progress
def study(
    map_: str,
    variant: str | None,
    out: Path | None,
    *,
    seed: int,
    deals: int,
    games: int,
    best: float,
    quick: bool,
    no_progress: bool,
) -> int:
    """
    Write the study of a map as an HTML page.

    MAP is a map of the package (see the maps command) or a map folder. The page is
    self-contained; its tables are saved beside it as CSV files.
    """
    from ttr_analysis.maps.loading import find_folder, load_map

    game_map = load_map(map_, variant=variant)
    out = out or Path("studies") / "-".join(filter(None, [game_map.name or "map", variant]))
    # Loading the numeric libraries takes a second: after the checks that need none of them.
    from ttr_analysis.report import Settings, write_study
    from ttr_analysis.report.study import PAGE, TABLES

    settings = Settings(seed=seed, n_deals=deals, quick=quick, best_seconds=best, n_games=games)
    try:
        with _Interrupt() as interrupt:
            written = write_study(
                game_map, out, settings, folder=find_folder(map_), progress=not no_progress, before=interrupt.check
            )
    except OSError as error:
        raise _Stopped.by(error, f"cannot write the study to {out}") from None
    except KeyboardInterrupt:
        kept = f"There is no {PAGE}; the finished tables in {out / TABLES} are complete."
        raise _Stopped(f"interrupted. {kept}", INTERRUPTED) from None
    print(f"{out / PAGE}\n{out / TABLES}: {len(written.tables)} tables")
    return DONE


@_commands.command()
def maps() -> int:
    """List the maps that come with the package."""
    from ttr_analysis.maps.loading import load_map, map_names

    for name in map_names():
        game_map = load_map(name)
        low, high = game_map.rules.players
        print(
            f"{name:<14}{game_map.title}: {low}-{high} players, {len(game_map.cities)} cities, "
            f"{len(game_map.routes)} routes, {len(game_map.tickets)} tickets"
        )
    return DONE


@_commands.command()
@click.argument("folder", shell_complete=_complete_map)
def check(folder: str) -> int:
    """
    Check a map and print its faults.

    FOLDER is a map folder, or a map of the package. Each fault is shown with
    its file, line and field, what was expected and what was found. If there are
    none, you get a summary, with warnings about probable mistakes.
    """
    from ttr_analysis.maps.loading import load_map
    from ttr_analysis.maps.summary import doubts, offers

    game_map = load_map(folder)
    print(f"{game_map!r} has no faults.")
    for line in offers(game_map):
        print(f"  {line}")
    for line in doubts(game_map):
        print(f"warning: {line}")
    return DONE


@_commands.command(epilog="Example: ttr-analysis fit my-map --players 3")
@_map
@click.option("--players", type=_NATURAL, metavar="N", help="Only games of so many players.  [default: all]")
@click.option("--variant", metavar="NAME", help="Only this variant of the rules.  [default: all]")
@_number("--rounds", type=_NATURAL, default=80, help="Rounds of some 8,000 games each.")
@_number("--seed", type=_NATURAL, default=0, help="Random seed.")
@_no_progress
def fit(map_: str, players: int | None, variant: str | None, rounds: int, seed: int, *, no_progress: bool) -> int:
    """
    Fit Planner to a map: find the numbers with which it wins most.

    MAP is a map folder. The numbers are written to planner.toml there, where
    everything that plays the map finds them. It takes some minutes for each number of
    players, on all cores; if you interrupt it, the same command goes on.
    """
    from ttr_analysis.maps.loading import find_folder, load_map

    folder = find_folder(map_)
    game_map = load_map(folder)
    from ttr_analysis.policies.planner.fit_folder import fit_folder, games_of

    games = [game for game in games_of(game_map) if variant in (None, game[0]) and players in (None, game[1])]
    if not games:
        raise click.UsageError(f"{game_map!r} has no such variant, or is not for {players} players.")
    try:
        for found in fit_folder(folder, games, rounds=rounds, seed=seed, progress=not no_progress):
            print(f"{found.variant or game_map.title}, {found.n_players} players: fitted", flush=True)
    except OSError as error:
        raise _Stopped.by(error, f"cannot write to {folder}") from None
    except KeyboardInterrupt:
        raise _Stopped("interrupted. The same command goes on.", INTERRUPTED) from None
    print(folder / "planner.toml")
    return DONE


@_commands.command(epilog="Example: ttr-analysis league nordic --players Planner,Racer,Greedy --games 500")
@_map
@click.option("--players", metavar="NAMES", help="Names of players, separated by commas.  [default: all compiled ones]")
@_number("--games", type=click.IntRange(1, 1_000_000), default=500, help="Games of each set of players that meet.")
@click.option("--reference", default="Planner", show_default=True, help="The player whose rating is 0.")
@_number("--seats", type=_NATURAL, default=2, help="Players in a game.")
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@_number("--seed", type=_NATURAL, default=0, help="Random seed.")
@_no_progress
def league(
    map_: str,
    players: str | None,
    games: int,
    reference: str,
    seats: int,
    variant: str | None,
    seed: int,
    *,
    no_progress: bool,
) -> int:
    """
    Let players play each other, and rate them against one of them.

    MAP is a map of the package (see the maps command) or a map folder. Every two
    players meet on the same deals and change seats. 400 points of rating are odds of
    ten to one.
    """
    from ttr_analysis.maps.loading import load_map

    game_map = load_map(map_, variant=variant)
    from ttr_analysis import studies

    names = None if players is None else [name.strip() for name in players.split(",")]
    try:
        found = studies.league(
            game_map, names, games, seed, reference=reference, n_players=seats, progress=not no_progress
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except KeyboardInterrupt:
        raise _Stopped("interrupted before all had met", INTERRUPTED) from None
    print(f"{game_map.title}, {seats} players a game, {games} games of each {'pair' if seats == 2 else 'set'}\n")  # noqa: PLR2004
    print(found.table.round({"rating": 0, "rating_low": 0, "rating_high": 0, "points": 1}).round(3).to_string())
    print("\nHow often the player of a row came before the player of a column:\n")
    print(found.matrix.round(3).to_string(na_rep="-"))
    return DONE


@_commands.command(epilog="Example: ttr-analysis percentile usa 98 --players 4")
@_map
@click.argument("points", type=int)
@click.option("--players", type=_NATURAL, metavar="N", required=True, help="Players in the game.")
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@click.option("--against", default="Planner", show_default=True, help="Names of policies, separated by commas.")
@_number("--games", type=click.IntRange(2, 1_000_000), default=2_000, help="Games of each policy.")
@_number("--seed", type=_NATURAL, default=7, help="Random seed.")
def percentile(map_: str, points: int, players: int, variant: str | None, against: str, games: int, seed: int) -> int:
    """
    Show how good a score is.

    MAP is a map of the package (see the maps command) or a map folder. POINTS are
    compared with those of policies that play among their equals.
    """
    from ttr_analysis.maps.loading import load_map

    game_map = load_map(map_, variant=variant)
    from ttr_analysis import studies
    from ttr_analysis._words import percent

    names = [name.strip() for name in against.split(",")]
    try:
        found = studies.percentile(game_map, points, players, against=names, n_games=games, seed=seed)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    print(f"{game_map.title}, {players} players: {points} points are")
    for name, row in found.iterrows():
        low, high = percent(row["percentile_low"]), percent(row["percentile_high"])
        print(
            f"  more than {percent(row['percentile'])} of {name} scored ({low} to {high}; {row['games']:,.0f} games); "
            f"they would have won {percent(row['wins'])} of games; median {row['median']:.0f}, "
            f"winners {row['winners']:.0f}"
        )
    return DONE


@_commands.command(epilog="Example: ttr-analysis play-many nordic --players Planner,Searcher:200 --out games")
@_map
@click.option("--players", metavar="NAMES", default="Planner,Planner", show_default=True, help="Players, by name.")
@_number("--games", type=click.IntRange(min=1), default=1000, help="Number of games.")
@click.option("--out", type=_FILE, required=True, help="Folder for the tables.")
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@_number("--seed", type=_NATURAL, default=0, help="Random seed.")
@_no_progress
def play_many(map_: str, out: Path, variant: str | None, *, no_progress: bool, **given: Any) -> int:  # noqa: ANN401
    """
    Play many games, and write games, seats and decisions as Parquet files.

    Searcher may be given its rollouts. The same command resumes after an interruption.
    """
    from concurrent.futures import ThreadPoolExecutor as Threads

    from ttr_analysis.maps.loading import load_map
    from ttr_analysis.studies import simulate

    how: Any = {"out": out, "resume": True, "decisions": True, "progress": not no_progress}
    game_map, players = load_map(map_, variant=variant), given["players"].split(",")
    try:
        with Threads() as pool:  # compiled code runs on all cores
            result = simulate(game_map, players, given["games"], given["seed"], executor=pool, **how)
    except (OSError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    if not result.is_complete:
        raise _Stopped("interrupted. The same command resumes.", INTERRUPTED)
    print(f"{out}: {result.n_games:,} games")
    return DONE


# -- playing -------------------------------------------------------------------------------------------------------


@_commands.command(epilog="Example: ttr-analysis play nordic --seats Planner,Ida,Greedy")
@_map
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@click.option("--players", type=_NATURAL, metavar="N", help="Number of players; the others are Planner.  [default: 2]")
@click.option("--seats", metavar="NAMES", help="Your name and the policies, seat by seat, separated by commas.")
@click.option("--seed", type=_NATURAL, metavar="N", help="Random seed of the cards.  [default: random]")
@click.option("--practice", is_flag=True, help="Let you take moves back.")
@click.option("--save", type=_FILE, help="New file for the record.  [default: games/<map>.jsonl, numbered]")
@click.option("--continue", "continued", type=_FILE, help="Continue the game in this file.")
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
        raise _Stopped(f"the file {save} already exists; to continue the game in it, give --continue {save}")
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
        raise _Stopped.by(error, str(path)) from None
    if record.is_complete:
        raise _Stopped(f"the game in {path} is over; to step through it, see the review command")
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
    except (_Stopped, GameError, FaultsError, UnknownNameError):
        return None
    found = f"Your last game, {last}, is not over: {counted(len(record.moves), 'move')} so far."
    if sys.stdin.isatty():
        return last if click.confirm(f"{found} Continue it?", default=True) else None
    print(f"{found} To continue it, add --continue {last}", file=sys.stderr)
    return None


# -- games that were played ----------------------------------------------------------------------------------------


@_commands.command("import", epilog="Example: ttr-analysis import table.txt --out my-game.jsonl")
@click.argument("log", type=_FILE)
@click.option("--map", "map_", shell_complete=_complete_map, help="The map.  [default: found from the log]")
@click.option("--tickets", type=_FILE, help="JSON file of ticket offers that you noted; see below.")
@click.option("--seat", metavar="NAME", help='The player that the log calls "You".')
@click.option("--title", default="", help="A title for the record.")
@click.option("--date", metavar="DAY", default="", help="The day of the game, such as 2026-03-14.")
@click.option("--out", type=_FILE, help="File for the record.  [default: LOG with .jsonl]")
def import_(log: Path, map_: str, tickets: Path | None, out: Path | None, **options: Any) -> int:  # noqa: ANN401
    """
    Make a record of a game from a log.

    LOG is a text file with the log that Board Game Arena shows beside a table.

    The file of --tickets lists for each player, in order, the tickets offered and
    those kept: {"Ann": [[["Denver - El Paso", "Boston - Miami", "Dallas - New York"],
    ["Boston - Miami", "Dallas - New York"]]]}
    """
    from ttr_analysis.notation.bga import read_bga, read_notes

    out = out or log.with_suffix(".jsonl")
    try:
        text = log.read_text("utf-8", errors="replace")
        record = read_bga(text, tickets=read_notes(tickets) if tickets else None, game_map=map_, **options)
        if record.report is None or record.report.steps.empty:
            raise _Stopped(f"no move was understood in {log}, so no record was written\n{record.report}", FAULTS)
        record.save(out)
    except OSError as error:
        raise _Stopped.by(error, str(error.filename or log)) from None
    print(f"{record!r}\n{record.report}\n{out}")
    return DONE


@_commands.command(epilog="Example: ttr-analysis review my-game.jsonl --minutes 3")
@click.argument("game", type=_FILE)
@click.option("--seat", help="Review only this seat, by number or name.  [default: all seats]")
@_number("--minutes", type=_Time(0, 1_440, min_open=True), default=3.0, help="Time limit; all cores are used.")
@click.option("--map", "map_", shell_complete=_complete_map, help="Map folder, if the game is on your own map.")
@click.option("--open-cards", is_flag=True, help="Add the win curve with all hands seen; it takes some seconds.")
@click.option("--out", type=_FILE, help="File for the page.  [default: GAME with .html]")
@_no_progress
def review(
    game: Path,
    seat: str | None,
    minutes: float,
    map_: str | None,
    out: Path | None,
    *,
    open_cards: bool,
    no_progress: bool,
) -> int:
    """
    Review the moves of a game.

    GAME is a record. The page shows what would have been best in each move, and
    how much was luck; it is self-contained. If you interrupt a review, the same
    command resumes it. The import command reads games of Board Game Arena.
    """
    from ttr_analysis.maps.loading import load_map
    from ttr_analysis.records.record import GameRecord

    out = out or game.with_suffix(".html")
    kept = out.with_name(f"{out.name}.part")
    try:
        record = GameRecord.load(game, load_map(map_) if map_ else None)
    except OSError as error:
        raise _Stopped.by(error, str(game)) from None
    number = None if seat is None else _seat(seat, record.header.players, record.header.n_players)
    from ttr_analysis import studies
    from ttr_analysis.report.review import write_review

    print(f"{record!r}\nreviewing for at most {minutes:g} minutes", flush=True)
    try:
        with _Interrupt(), warnings.catch_warnings():
            warnings.simplefilter("error", studies.Interrupted)
            found = studies.review(record, number, seconds=60 * minutes, path=kept, progress=not no_progress)
            curve = studies.win_curve(record, progress=not no_progress) if open_cards else None
            write_review(found, out, open_cards=curve)
    except (studies.Interrupted, KeyboardInterrupt):
        more = f": {kept} has the moves judged so far, and the same command resumes the review" if kept.exists() else ""
        raise _Stopped(f"interrupted{more}", INTERRUPTED) from None
    except OSError as error:
        raise _Stopped.by(error, f"cannot write {error.filename or out}") from None
    except (GameError, ValueError) as error:
        raise _Stopped(str(error), FAULTS) from None
    kept.unlink(missing_ok=True)
    print(f"{found!r}\n{out}")
    return DONE


@_commands.command(epilog="Example: ttr-analysis insights my-games --player Ann")
@click.argument("folder", type=_FILE)
@click.option("--player", metavar="NAME", required=True, help="Whose games.")
@_number("--minutes", type=_Time(0, 1_440), default=8.0, help="Time limit of reviews; 0 leaves them out.")
@click.option("--out", type=_FILE, help="Folder for report.html and tables/.  [default: FOLDER/insights-NAME]")
@_no_progress
def insights(folder: Path, player: str, minutes: float, out: Path | None, *, no_progress: bool) -> int:
    """
    Show what a player's games say.

    FOLDER holds records (.jsonl) and logs of Board Game Arena (.txt), of any maps.
    The page is self-contained. Reviews are kept in FOLDER: if you interrupt the
    command, the same one resumes them.
    """
    from ttr_analysis import studies
    from ttr_analysis.report.insights import write_insights
    from ttr_analysis.report.study import PAGE

    out = out or folder / f"insights-{player}".replace("/", "-")
    try:
        with _Interrupt():
            found = studies.insights(folder, player, minutes=minutes, progress=not no_progress)
            write_insights(found, out)
    except KeyboardInterrupt:
        raise _Stopped(f"interrupted: {folder} has the reviews so far, the same command resumes", INTERRUPTED) from None
    except OSError as error:
        raise _Stopped.by(error, str(error.filename or folder)) from None
    except ValueError as error:
        raise _Stopped(str(error), FAULTS) from None
    for file, why in found.left_out.items():
        print(f"not used: {file}: {why}", file=sys.stderr)
    print(f"{found!r}\n{out / PAGE}")
    return DONE


def _seat(text: str, players: Sequence[str], n_players: int) -> int:
    """Return a seat by its number or by the name of its player."""
    if text in players:
        return players.index(text)
    number = text.removeprefix("P")
    if number in map(str, range(n_players)):
        return int(number)
    raise _Stopped(f"no seat {text!r}; they are 0 to {n_players - 1}{''.join(f', {name}' for name in players)}")


@_commands.command(
    epilog=(
        'Example: {"map": "usa", "players": ["Ann", "Bo"], "owners": {"Boston-New York/0": "Ann"}, '
        '"tickets": {"Ann": ["Boston-Miami"], "Bo": []}}'
    )
)
@click.argument("file", type=_FILE)
def score(file: Path) -> int:
    """
    Show who won, with how many points.

    FILE is a record, or a position as a JSON object: map, players, owners of
    routes, tickets. All its tickets count. A saved game has the tickets of all
    seats: if you are still playing it, this gives away what the others hold.
    """
    from ttr_analysis.records.positions import read_position
    from ttr_analysis.records.record import GameRecord

    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            begin = opened.read(_MAX_POSITION)
    except OSError as error:
        raise _Stopped.by(error, str(file)) from None
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
        print("The game is not over: these would be the points if it ended now, with all tickets in the file.")
    elif not record.winners:
        print("Who won depends on unknown tickets.")
    elif scores.tie:
        print(f"{scores.tie}.")
    return DONE


_commands.add_command(editions)


class _Interrupt:
    """
    An interrupt that nothing can swallow.

    Compilers run Python functions as callbacks: an interrupt in one of them is
    lost, or comes out as another error. Within this context it stays what it was.
    """

    def __init__(self) -> None:
        self._seen = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._note)
        self._hook, sys.unraisablehook = sys.unraisablehook, self._report
        return self

    def _note(self, *_: object) -> None:
        self._seen = True
        raise KeyboardInterrupt

    def _report(self, lost: sys.UnraisableHookArgs) -> None:
        if not isinstance(lost.exc_value, KeyboardInterrupt):
            self._hook(lost)

    def check(self) -> None:
        """Raise the interrupt if it was seen."""
        if self._seen:
            raise KeyboardInterrupt

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: object) -> None:
        signal.signal(signal.SIGINT, self._before)
        sys.unraisablehook = self._hook
        if isinstance(fault, Exception):
            self.check()
