"""The command `ttr-analysis`: study a map, play on one, check a map folder, import, review or score a game."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import click

from ttr_analysis._errors import FaultsError, GameError, UnknownNameError
from ttr_analysis.cli import games, maps  # noqa: F401 - each adds its commands
from ttr_analysis.cli.common import DONE, FAULTS, INTERRUPTED, USAGE, Stopped, commands
from ttr_analysis.teaching.editions import editions

__all__ = ["DONE", "FAULTS", "INTERRUPTED", "USAGE", "main"]

commands.add_command(editions)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with `arguments`, by default those of the process, and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # Windows consoles and pipes cannot encode all city names
            stream.reconfigure(errors="replace")
    try:
        return int(commands.main(arguments, "ttr-analysis", standalone_mode=False) or DONE)
    except click.Abort:
        message, code = "interrupted", INTERRUPTED
    except Stopped as error:
        message, code = error.message, error.code
    except click.ClickException as error:
        error.show()
        return USAGE
    except FaultsError as error:
        print(error, file=sys.stderr)
        return FAULTS
    except (GameError, UnknownNameError) as error:
        message, code = str(error), USAGE
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        message, code = f"{file}{error.strerror or error}", USAGE
    print(f"ttr-analysis: {message}", file=sys.stderr)
    return code
