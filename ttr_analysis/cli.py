"""
The command `ttr-analysis`: study a map, play on one, check a map folder, import, review or score a game.

Exit codes: 0 done, 1 a map or game has faults, 2 a wrong argument or a folder that
cannot be written, 130 interrupted.
"""

from __future__ import annotations

import argparse
import signal
import sys
import warnings
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from typing import Self, TypeAlias

from ttr_analysis import __version__
from ttr_analysis._errors import FaultsError, GameError, UnknownNameError

DONE, FAULTS, USAGE, INTERRUPTED = 0, 1, 2, 130

_AddParser: TypeAlias = Callable[..., argparse.ArgumentParser]


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
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except FaultsError as error:
        print(error, file=sys.stderr)
        return FAULTS
    except (GameError, UnknownNameError) as error:
        print(f"ttr-analysis: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("ttr-analysis: interrupted", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ttr-analysis",
        description="Analysis of Ticket to Ride maps. Unofficial, not affiliated with the publisher.",
        epilog=(
            "Exit codes: 0 done, 1 the map or game has faults, 2 a wrong argument or a file that cannot be read or "
            "written, 130 interrupted."
        ),
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    for add in (_add_study, _add_play, _add_maps, _add_check, _add_import, _add_review, _add_score):
        add(commands.add_parser)
    return parser


def _add_study(add_parser: _AddParser) -> None:
    parser = add_parser(
        "study",
        help="write the study of a map: one HTML page, and its tables as CSV",
        description="Write the study of a map: one self-contained HTML page, and its tables as CSV files beside it.",
        epilog="Example: ttr-analysis study nordic --out my-study",
    )
    _add_map(parser)
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for report.html and tables/ (default: studies/<map>)"
    )
    parser.add_argument(
        "--seed", type=_natural, default=7, metavar="N", help="seed of everything drawn at random (default: 7)"
    )
    parser.add_argument(
        "--deals", type=_deals, default=5000, metavar="N", help="random deals of tickets (default: 5000)"
    )
    parser.add_argument("--quick", action="store_true", help="fewer samples, and without what takes longest")
    parser.add_argument(
        "--best",
        type=_seconds,
        default=35.0,
        metavar="SECONDS",
        help="time limit for proving the best network; 0 leaves it out (default: 35)",
    )
    parser.add_argument(
        "--games",
        type=_games,
        default=1000,
        metavar="N",
        help="games that planners play against each other; 0 leaves them out (default: 1000)",
    )
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    parser.set_defaults(run=_study)


def _add_play(add_parser: _AddParser) -> None:
    parser = add_parser(
        "play",
        help="play on a map, in the browser",
        description=(
            "Play against policies in a page of the browser, which this machine alone can open. Ctrl-C ends it. Each "
            "game is saved after every move of yours, in a new file."
        ),
        epilog="Example: ttr-analysis play nordic --seats Planner,Ida,Greedy",
    )
    _add_map(parser)
    parser.add_argument("--variant", metavar="NAME", help="a variant of the rules (default: the map's own)")
    players = parser.add_mutually_exclusive_group()
    players.add_argument(
        "--players",
        type=_natural,
        default=2,
        metavar="N",
        help="number of players; the others are planners (default: 2)",
    )
    players.add_argument(
        "--seats", type=_names, metavar="NAMES", help="who sits where: your name, and those of policies, with commas"
    )
    parser.add_argument("--seed", type=_natural, metavar="N", help="what chance does (default: nobody knows)")
    parser.add_argument("--practice", action="store_true", help="moves can be taken back")
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help="the record, a new file (default: games/<map>.jsonl, numbered)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only say the address of the page")
    parser.set_defaults(run=_play)


def _add_maps(add_parser: _AddParser) -> None:
    parser = add_parser("maps", help="list the maps that come with the package")
    parser.set_defaults(run=_maps)


def _add_check(add_parser: _AddParser) -> None:
    parser = add_parser(
        "check",
        help="check a map folder",
        description=(
            "Check a map folder and print its faults: file, line, field, what was expected and what is there. A map "
            "without faults is summed up, with a warning of what is allowed but probably a mistake."
        ),
    )
    parser.add_argument("folder", metavar="FOLDER", help="a map folder, or the name of a map of the package")
    parser.set_defaults(run=_check)


def _add_import(add_parser: _AddParser) -> None:
    parser = add_parser(
        "import",
        help="make a record of a game from the log of Board Game Arena",
        description="Read the log that Board Game Arena shows beside a table, pasted into a file, and save the record.",
        epilog="Example: ttr-analysis import table.txt --out my-game.jsonl",
    )
    parser.add_argument("log", type=Path, metavar="LOG", help="the log, as text")
    parser.add_argument("--map", default="usa", metavar="MAP", help="the map (default: usa)")
    parser.add_argument("--tickets", type=Path, metavar="FILE", help="offers of tickets that were noted, as JSON")
    parser.add_argument("--seat", metavar="NAME", help='the player whom the log calls "You"')
    parser.add_argument("--title", default="", metavar="TEXT", help="a title for the record")
    parser.add_argument("--date", default="", metavar="DAY", help="the day of the game, such as 2026-03-14")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the record (default: LOG with .jsonl)")
    parser.set_defaults(run=_import)


def _add_review(add_parser: _AddParser) -> None:
    parser = add_parser(
        "review",
        help="write what was best in each move of a game, and what was luck: one HTML page",
        description=(
            "Write what was best in each move of a game, and what was luck, as one self-contained page. An interrupted "
            "review goes on when the command is given again."
        ),
        epilog="Example: ttr-analysis review my-game.jsonl --minutes 3. See 'import' for games of Board Game Arena.",
    )
    parser.add_argument("game", type=Path, metavar="GAME", help="the record of a game")
    parser.add_argument("--seat", metavar="SEAT", help="whose moves, by number or name (default: those of all)")
    parser.add_argument(
        "--minutes", type=_minutes, default=3.0, metavar="N", help="time that it may take, on all cores (default: 3)"
    )
    parser.add_argument("--map", metavar="MAP", help="the map folder, for a game on a map of your own")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the page (default: GAME with .html)")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    parser.set_defaults(run=_review)


def _add_score(add_parser: _AddParser) -> None:
    parser = add_parser(
        "score",
        help="say who won, with how many points",
        description=(
            "Say who won, with how many points: of a record, or of a JSON object that tells what lies on the table: "
            "map, players, owners of routes and tickets. All that the file tells is counted, and a saved game tells "
            "the tickets of all seats: of a game that you play on, that gives away what the others hold."
        ),
        epilog=(
            'Example: {"map": "usa", "players": ["Ann", "Bo"], "owners": {"Boston-New York/0": "Ann"}, '
            '"tickets": {"Ann": ["Boston-Miami"], "Bo": []}}'
        ),
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a record, or a position as JSON")
    parser.set_defaults(run=_score)


def _add_map(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "map", metavar="MAP", help="a map that comes with the package (see 'maps'), or a map folder of your own"
    )


# -- commands ------------------------------------------------------------------------


def _study(options: argparse.Namespace) -> int:
    from ttr_analysis.maps.loading import find_folder, load_map

    game_map = load_map(options.map)
    out = options.out or Path("studies") / (game_map.name or "map")
    # Loading the numeric libraries takes a second: after the checks that need none of them.
    from ttr_analysis.report import Settings, write_study
    from ttr_analysis.report.study import PAGE, TABLES

    settings = Settings(
        seed=options.seed,
        n_deals=options.deals,
        quick=options.quick,
        best_seconds=options.best,
        n_games=options.games,
    )
    folder, progress = find_folder(options.map), not options.no_progress
    try:
        with _Interrupt() as interrupt:
            study = write_study(game_map, out, settings, folder=folder, progress=progress, before=interrupt.check)
    except OSError as error:
        print(f"ttr-analysis: cannot write the study to {out}: {error.strerror or error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print(
            f"ttr-analysis: interrupted. There is no {PAGE}; the tables in {out / TABLES} that were done are whole.",
            file=sys.stderr,
        )
        return INTERRUPTED
    print(f"{out / PAGE}\n{out / TABLES}: {len(study.tables)} tables")
    return DONE


def _play(options: argparse.Namespace) -> int:
    from ttr_analysis.maps.loading import load_map

    game_map = load_map(options.map)
    if options.save and options.save.exists():
        print(f"ttr-analysis: there is a file {options.save} already", file=sys.stderr)
        return USAGE
    from ttr_analysis.widgets import GameTable
    from ttr_analysis.widgets.human_game import PERSON
    from ttr_analysis.widgets.play import GameFiles, seats_of
    from ttr_analysis.widgets.server import serve

    seat, name, policies = seats_of(options.seats or [PERSON, *["Planner"] * (options.players - 1)])
    files = GameFiles(options.save or Path("games") / f"{game_map.name or 'map'}.jsonl")

    def make() -> GameTable:
        rules = {"variant": options.variant, "seed": options.seed}
        return GameTable(game_map, policies, seat, name=name, practice=options.practice, **rules)

    def on_ready(address: str) -> None:
        print(f"{address}\nCtrl-C ends it; what was played is saved.", flush=True)
        if not options.no_browser:
            Thread(target=webbrowser.open, args=[address], daemon=True).start()  # some browsers are waited for

    def on_change(table: GameTable) -> None:
        try:
            files.update(table)
        except OSError as error:
            print(f"ttr-analysis: the game is not saved: {error}", file=sys.stderr)

    try:
        serve(make, title=game_map.title, on_ready=on_ready, on_change=on_change)
    except KeyboardInterrupt:
        print("\n".join(map(str, ["", *files.paths])) if files.paths else "\nnothing was played")
    return DONE


class _Interrupt:
    """
    An interrupt that nothing can swallow.

    Compilers run Python functions as callbacks: an interrupt that falls into
    one is lost there, or comes out as an error of theirs. Within this context
    either one ends as the interrupt that it was, without a traceback.
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


def _maps(_: argparse.Namespace) -> int:
    from ttr_analysis.maps.loading import data_folder, load_map

    names = sorted(path.name for path in data_folder().iterdir() if (path / "rules.toml").is_file())
    for name in names:
        game_map = load_map(name)
        low, high = game_map.rules.players
        print(
            f"{name:<14}{game_map.title}: {low}-{high} players, {len(game_map.cities)} cities, "
            f"{len(game_map.routes)} routes, {len(game_map.tickets)} tickets"
        )
    return DONE


def _check(options: argparse.Namespace) -> int:
    from ttr_analysis.maps.loading import load_map
    from ttr_analysis.maps.summary import doubts, offers

    game_map = load_map(options.folder)
    print(f"{game_map!r} has no faults.")
    for line in offers(game_map):
        print(f"  {line}")
    for line in doubts(game_map):
        print(f"warning: {line}")
    return DONE


def _import(options: argparse.Namespace) -> int:
    from ttr_analysis.notation.bga import read_bga, read_notes

    out = options.out or options.log.with_suffix(".jsonl")
    try:
        text = options.log.read_text("utf-8", errors="replace")
        tickets = read_notes(options.tickets) if options.tickets else None
        about = {"title": options.title, "date": options.date}
        record = read_bga(text, tickets=tickets, seat=options.seat, game_map=options.map, **about)
        record.save(out)
    except OSError as error:
        print(f"ttr-analysis: {error.filename or options.log}: {error.strerror or error}", file=sys.stderr)
        return USAGE
    print(f"{record!r}\n{record.report}\n{out}")
    return DONE


def _review(options: argparse.Namespace) -> int:
    from ttr_analysis.maps.loading import load_map
    from ttr_analysis.records.record import GameRecord

    out = options.out or options.game.with_suffix(".html")
    kept = out.with_name(f"{out.name}.part")
    try:
        record = GameRecord.load(options.game, load_map(options.map) if options.map else None)
        seat = None if options.seat is None else _seat(options.seat, record.header.players, record.header.n_players)
    except OSError as error:
        print(f"ttr-analysis: {options.game}: {error.strerror or error}", file=sys.stderr)
        return USAGE
    except LookupError as error:
        print(f"ttr-analysis: {error.args[0]}", file=sys.stderr)
        return USAGE
    from ttr_analysis.report.review import write_review
    from ttr_analysis.studies import Interrupted, review

    progress = not options.no_progress
    print(f"{record!r}\nreviewed in {options.minutes:g} minutes at most", flush=True)
    try:
        with _Interrupt(), warnings.catch_warnings():
            warnings.simplefilter("error", Interrupted)
            found = review(record, seat, seconds=60 * options.minutes, path=kept, progress=progress)
            write_review(found, out)
    except (Interrupted, KeyboardInterrupt):
        more = f": {kept} keeps what was judged, and the same command goes on" if kept.exists() else ""
        print(f"ttr-analysis: interrupted{more}", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        print(f"ttr-analysis: cannot write {error.filename or out}: {error.strerror or error}", file=sys.stderr)
        return USAGE
    except (GameError, ValueError) as error:
        print(f"ttr-analysis: {error}", file=sys.stderr)
        return FAULTS
    kept.unlink(missing_ok=True)
    print(f"{found!r}\n{out}")
    return DONE


def _seat(text: str, players: Sequence[str], n_players: int) -> int:
    """Return a seat by its number or by the name of its player; a `LookupError` says that there is none."""
    if text in players:
        return players.index(text)
    number = text.removeprefix("P")
    if number in map(str, range(n_players)):
        return int(number)
    raise LookupError(f"no seat {text!r}; they are 0 to {n_players - 1}{''.join(f', {name}' for name in players)}")


def _score(options: argparse.Namespace) -> int:
    from ttr_analysis.records.positions import read_position
    from ttr_analysis.records.record import GameRecord

    try:
        with options.file.open(encoding="utf-8", errors="replace") as file:
            begin = file.read(_MOST_OF_A_POSITION)
    except OSError as error:
        print(f"ttr-analysis: {options.file}: {error.strerror or error}", file=sys.stderr)
        return USAGE
    if begin.lstrip().startswith(_RECORD):
        record = GameRecord.load(options.file)
    else:
        state, names = read_position(begin, options.file.name)
        record = GameRecord.from_position(state, players=names)
    scores, header = record.score(), record.header
    names = header.players or header.policies or ("",) * header.n_players
    for score, name in zip(scores, names, strict=True):
        who = f"P{score.seat} {name}".strip()
        print(f"{who}{' (won)' if score.seat in record.winners else ''}: {str(score)[1:-1].partition(': ')[2]}")
    if not record.is_complete:
        print("The game is not over: points as if it ended here, by all tickets that the file tells.")
    elif not record.winners:
        print("Who won depends on tickets that are not known.")
    elif scores.tie:
        print(f"{scores.tie}.")
    return DONE


# -- arguments -------------------------------------------------------------------------


def _natural(text: str) -> int:
    """Return a whole number of 0 or more."""
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        msg = f"expected a whole number of 0 or more, got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _names(text: str) -> list[str]:
    """Return names, as many as seats."""
    return [name.strip() for name in text.split(",")]


def _deals(text: str) -> int:
    """Return a number of deals: a mean with a standard error needs two."""
    n = _natural(text)
    if not 2 <= n <= _MAX_DEALS:  # noqa: PLR2004
        msg = f"expected a number from 2 to {_MAX_DEALS}, got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return n


def _games(text: str) -> int:
    """Return a number of games."""
    n = _natural(text)
    if n > _MAX_GAMES:
        msg = f"expected a number from 0 to {_MAX_GAMES}, got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return n


def _seconds(text: str) -> float:
    """Return a time of 0 or more seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _MAX_SECONDS:
        msg = f"expected seconds from 0 to {_MAX_SECONDS}, got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return seconds


def _minutes(text: str) -> float:
    """Return a time above 0 in minutes."""
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes <= _MAX_MINUTES:
        msg = f"expected minutes above 0, at most {_MAX_MINUTES}, got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return minutes


_MAX_MINUTES = 1_440
_RECORD = '{"format":"ttr-game"'
_MOST_OF_A_POSITION = 1_000_000
_MAX_DIGITS = 18
_MAX_DEALS = 1_000_000
_MAX_GAMES = 1_000_000
_MAX_SECONDS = 86_400


if __name__ == "__main__":
    sys.exit(main())
