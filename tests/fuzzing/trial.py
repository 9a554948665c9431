"""One mutant tried: read, refused as documented, or a find; and the smallest files that show a find."""

from __future__ import annotations

import resource
import shutil
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.fuzzing.mutations import Files
from tests.fuzzing.subjects import RefusedError, Subject
from ttr_analysis import RecordWarning

MOST_SECONDS = 1.0
"""Of the processor."""
MOST_MEGABYTES = 300.0
"""By which the most memory that the process ever had may grow."""

_SHRINKING_SECONDS = 60.0
_KB = 1024 if sys.platform == "darwin" else 1
"""In how many of these `ru_maxrss` counts a kilobyte."""


class Outcome(NamedTuple):
    """
    What came of a mutant.

    Parameters
    ----------
    find
        What is wrong, in a few words that are the same for the same fault; ""
        if nothing is.
    was_read
        Whether it was taken for right.
    seconds, megabytes
        What it took.
    told
        The traceback of a find.
    """

    find: str
    was_read: bool
    seconds: float
    megabytes: float
    told: str = ""


def tried(subject: Subject, files: Files, folder: Path, number: int = 0) -> Outcome:
    """
    Return what comes of files.

    Parameters
    ----------
    subject
        Who reads them.
    files
        The files.
    folder
        Where they are written; what is there is removed.
    number
        The number of the mutant, which says what is done with it.
    """
    write_files(folder, files)
    before, start = _peak(), time.process_time()
    find, told, was_read = "", "", True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", RecordWarning)
            subject.use(folder, number)
    except RefusedError:
        was_read = False
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        find, told = f"{type(error).__name__} {_place(error)}", traceback.format_exc()
    seconds, megabytes = time.process_time() - start, _peak() - before
    if not find and seconds > MOST_SECONDS:
        find, told = "slow", f"{seconds:.1f} s"
    if not find and megabytes > MOST_MEGABYTES:
        find, told = "large", f"{megabytes:.0f} MB"
    return Outcome(find, was_read and not find, seconds, megabytes, told)


def write_files(folder: Path, files: Files) -> None:
    """Write files into a folder, and remove what else is there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in files.items():
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        elif not path.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _peak() -> float:
    """Return the most megabytes that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KB / 1024


def _place(error: Exception) -> str:
    """Return the function of the package in which an error came up."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "ttr_analysis" in Path(frame.filename).parts] or frames
    return f"in {Path(ours[-1].filename).name}, {ours[-1].name}"


# -- the smallest files ----------------------------------------------------------------------------------------------


def shrunk(files: Files, right: Sequence[Files], is_find: Callable[[Files], bool]) -> Files:
    """
    Return files that still show a find, with as little in them as was found in a minute.

    Parameters
    ----------
    files
        The files.
    right
        Right ones: a file that does not matter is one of these.
    is_find
        Whether files show the find.
    """
    end = time.monotonic() + _SHRINKING_SECONDS
    for name in sorted(files):
        for other in right:
            repaired = {**files, name: other.get(name, b"")}
            if files[name] != repaired[name] and is_find(repaired):
                files = repaired
                break
        else:
            files = {**files, name: _smallest(files, name, is_find, end)}
    return files


def _smallest(files: Files, name: str, is_find: Callable[[Files], bool], end: float) -> bytes:
    """Return a file with fewer lines, then with fewer bytes, as far as time allows (delta debugging)."""
    parts = files[name].splitlines(keepends=True)
    for _ in range(2):
        size = len(parts) // 2
        while size and time.monotonic() < end:
            at = 0
            while at < len(parts) and time.monotonic() < end:
                fewer = parts[:at] + parts[at + size :]
                if is_find({**files, name: b"".join(fewer)}):
                    parts = fewer
                else:
                    at += size
            size //= 2
        content = b"".join(parts)
        parts = [content[i : i + 1] for i in range(len(content))]
    return b"".join(parts)
