"""Shared by all commands: the group, options, fatal messages and interrupts."""

from __future__ import annotations

import math
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

import click
from click.shell_completion import CompletionItem

from ttr_analysis import __version__

DONE, FAULTS, USAGE, INTERRUPTED = 0, 1, 2, 130


class Stopped(click.ClickException):
    """A message that ends the command."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


_RESERVED = re.compile(r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³]) *(?:\.|$)", re.IGNORECASE)
"""Names that Windows reserves for devices, with any extension."""


def as_file_name(name: str) -> str:
    """Return the name of a person or a map as a file name that every system accepts."""
    accepted = re.sub(r'[\x00-\x1f<>:"/\\|?*]|[. ]+$', "-", name)
    return f"-{accepted}" if _RESERVED.match(accepted) else accepted


class Duration(click.FloatRange):
    """A duration. Unlike `FloatRange`, it rejects "nan"."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        """Return the duration as a number."""
        duration = float(super().convert(value, param, ctx))
        if math.isnan(duration):
            self.fail(f"{value} is not a number.", param, ctx)
        return duration


def complete_map(_ctx: click.Context, _param: click.Parameter, begin: str) -> list[CompletionItem]:
    """Return the built-in maps that complete a word, and folders."""
    from ttr_analysis.maps.loading import map_names

    maps = [CompletionItem(name) for name in map_names() if name.startswith(begin)]
    return [*maps, CompletionItem(begin, type="dir")]


def split_names(text: str) -> list[str]:
    """Split names at commas."""
    return [name.strip() for name in text.split(",")]


NATURAL, SEATS = click.IntRange(min=0), click.IntRange(2, 6)
FILE = click.Path(path_type=Path)
map_argument = click.argument("map_", metavar="MAP", shell_complete=complete_map)
number = partial(click.option, metavar="N", show_default=True)
no_progress = click.option("--no-progress", is_flag=True, help="Hide the progress bar.")


@click.group(
    epilog=(
        "Exit codes: 0 success, 1 faults in the map or game, 2 a wrong argument or a file that cannot be read or "
        "written, 130 interrupted.\n\n"
        "\b\nFor completion in bash, add this line to ~/.bashrc (zsh and fish are similar):\n"
        '  eval "$(_TTR_ANALYSIS_COMPLETE=bash_source ttr-analysis)"'
    )
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def commands() -> None:
    """Play, review and analyze Ticket to Ride games and maps. Unofficial, not affiliated with the publisher."""


class Interrupt:
    """
    A context in which Ctrl-C ends the command with a message, or with the message that a function returns.

    LLVM and solvers call back into Python: an interrupt inside a callback is lost, or turns
    into another error. This context recognizes such errors, and `check` detects lost
    interrupts.
    """

    def __init__(self, message: str | Callable[[], str]) -> None:
        self._message = message
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
        """Raise a KeyboardInterrupt if Ctrl-C was pressed."""
        if self._seen:
            raise KeyboardInterrupt

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: object) -> None:
        signal.signal(signal.SIGINT, self._before)
        sys.unraisablehook = self._hook
        if isinstance(fault, KeyboardInterrupt) or (self._seen and isinstance(fault, Exception)):
            message = self._message if isinstance(self._message, str) else self._message()
            raise Stopped(f"interrupted{message}", INTERRUPTED) from None


@contextmanager
def writing(what: str) -> Iterator[None]:
    """End the command with `what` and the reason if the operating system reports an error."""
    try:
        yield
    except OSError as error:
        raise Stopped(f"{what}: {error.strerror or error}") from None


@contextmanager
def errors_as(code: int) -> Iterator[None]:
    """End the command with the message of a ValueError: as a usage error, or with another exit code."""
    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) if code == USAGE else Stopped(str(error), code) from None
