"""Compile source text to machine code with LLVM, and cache the result in a folder."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import ctypes
import hashlib
import itertools
import os
import pickle
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ttr_analysis._compile.source import Source, Text, describe
from ttr_analysis._compile.types import Type
from ttr_analysis._compile.writer import PYTHON_FUNCTIONS

if TYPE_CHECKING:
    from ttr_analysis._compile.arithmetic import Instance
    from ttr_analysis._compile.program import Program

LOCK = threading.RLock()
"""Held while building: one thread builds at a time."""
_IS_WINDOWS = sys.platform == "win32"
"""On Windows llvmlite has no JITLink; the old linker may place constants out of reach of the small code model."""


class _Effort(NamedTuple):
    """How hard LLVM optimizes: pass level, inlining threshold, and whether it vectorizes loops."""

    speed: int
    inlining_threshold: int
    vectorizes: bool


_GAMES = _Effort(1, 40, vectorizes=True)
"""
For games. None of these makes games faster: LLVM's level 2 (compiling takes a seventh longer), an inlining
threshold of 100 or unrolled loops (up to two thirds longer), vectors outside loops (a tenth longer). Without
vectorized loops, planners play only a third as many games.
"""
_CHECKED = _Effort(1, 50, vectorizes=False)
"""With checks, for debugging and tests, where LLVM takes more time than the games do."""
_QUICK = _Effort(0, 0, vectorizes=False)
"""
For functions marked `quickly_compiled`, which Python calls about once per move: they compile in a quarter of the time
and run at a third of the speed, which matters little next to the Python code between two moves.
"""


@dataclass(frozen=True, slots=True)
class Machine:
    """
    The machine code of a root, a function compiled together with all that it calls.

    `entry` and `exported` are its addresses, for calls from Python and from compiled
    code. `places` lists fault, file, line and function for each error number, from 1.
    `stores` lists the parameters whose memory it may change. `library` keeps the code
    in memory.
    """

    entry: int
    exported: int
    result: Type
    places: list[tuple[str, str, int, str]]
    stores: tuple[int, ...]
    library: Any


def is_checked() -> bool:
    """Return whether compiled code checks indices and overflow (`TTR_CHECKS=1`)."""
    return os.environ.get("TTR_CHECKS", "") not in ("", "0")


def _effort(*, is_quick: bool) -> _Effort:
    if is_quick:
        return _QUICK
    return _CHECKED if is_checked() else _GAMES


# -- the folder -----------------------------------------------------------------------------------


@cache
def cache_folder() -> Path:
    """Return the cache folder: `TTR_CACHE_DIR`, else in `XDG_CACHE_HOME` or `~/.cache`; temporary if not writable."""
    try:
        folder = _chosen_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError):  # RuntimeError: no home directory
        folder = Path(tempfile.mkdtemp(prefix="ttr_analysis-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _chosen_folder() -> Path:
    if chosen := os.environ.get("TTR_CACHE_DIR"):
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ttr_analysis"


def file_of(source: Source, kinds: tuple[Type, ...], effort: _Effort) -> Path:
    made = f"{'; '.join(map(str, kinds))} {is_checked()} {effort}"
    name = f"{source.file} {source.name} {source.line} {made} {_environment()}"
    short = source.name.removeprefix("ttr_analysis.")
    return cache_folder() / f"{short}-{hashlib.blake2b(name.encode(), digest_size=8).hexdigest()}.bin"


@cache
def _environment() -> str:
    """Return everything that machine code depends on besides the sources."""
    import llvmlite
    import llvmlite.binding as llvm

    compiler = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        compiler.update(path.read_bytes())
    features = llvm.get_host_cpu_features().flatten()
    python = f"{sys.version} {np.__version__}"
    processor = f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {features}"
    return f"{compiler.hexdigest()} {llvmlite.__version__} {processor} {python}"


def load_kept(file: Path) -> Machine | None:
    """Load cached machine code; None if the file is missing, damaged or out of date."""
    try:
        digest, content = file.read_bytes().split(b"\n", 1)
        if digest != _digest(content):
            return None
        kept = pickle.loads(content)  # noqa: S301 - as trusted as the machine code in it
        if any(Text.known[path].digest != digest for path, digest in kept["files"].items()):
            return None
        if any(describe(_named_object(where)) != text for where, text in kept["notes"].items()):
            return None
    except (OSError, ValueError, KeyError, AttributeError, ImportError, pickle.UnpicklingError):
        return None
    return _load(kept["code"], kept["result"], kept["places"], kept["stores"])


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).hexdigest().encode()


def _named_object(where: str) -> object:
    module, path = where.split(":")
    first, *rest = path.split(".")
    names = vars(sys.modules[module])
    return reduce(getattr, rest, names[first] if first in names else getattr(builtins, first))


def keep(file: Path, program: Program, root: Instance, code: bytes) -> None:
    """Write machine code to its file, with an atomic rename: another process may be doing the same."""
    try:
        content = pickle.dumps(
            {
                "code": code,
                "files": {source.file: source.text.digest for source in program.sources},
                "notes": program.notes,
                "places": program.places,
                "result": root.result,
                "stores": root.stores,
            }
        )
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=file.name)
        with os.fdopen(handle, "wb") as out:
            out.write(_digest(content) + b"\n" + content)
        try:
            Path(temporary).replace(file)
        except OSError:  # on Windows, while another process reads the file
            Path(temporary).unlink()
    except (OSError, pickle.PicklingError, AttributeError):
        return  # a full disk, or a class inside a function: the next process compiles again, which takes seconds


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Let one process compile a root while others wait; without file locks, each compiles it."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            lock = held.enter_context((file.parent / "lock").open("w"))
            # All roots share one lock file; each locks one byte of it.
            fcntl.lockf(lock, fcntl.LOCK_EX, 1, int.from_bytes(_digest(file.name.encode())[:4]))
        yield


# -- LLVM -----------------------------------------------------------------------------------------


def build(source: Source, kinds: tuple[Type, ...], *, is_quick: bool = False) -> Machine:
    """
    Return the machine code of a root, from the cache or compiled now.

    With `is_quick`, compile with little optimization, unless optimized code is cached.
    """
    effort = _effort(is_quick=is_quick)
    if not source.is_kept:
        return _compile(source, kinds, effort, None)
    file = file_of(source, kinds, effort)
    better = load_kept(file_of(source, kinds, _effort(is_quick=False))) if is_quick else None
    found = better or load_kept(file)
    if found is not None:
        return found
    with _alone(file):
        return load_kept(file) or _compile(source, kinds, effort, file)


def _compile(source: Source, kinds: tuple[Type, ...], effort: _Effort, file: Path | None) -> Machine:
    """Compile a root, and cache the machine code if all its sources are files."""
    from ttr_analysis._compile.program import Program  # the front end, not needed for cached code

    program = Program(is_checked=is_checked())
    text, root = program.text(source, kinds)
    file = file if all(used.is_kept for used in program.sources) else None
    if effort != _QUICK:
        announce(source.name.removeprefix("ttr_analysis."), text, is_kept=file is not None)
    code = _machine_code(text, effort)
    if file is not None:
        keep(file, program, root, code)
    return _load(code, root.result, program.places, root.stores)


def _target(effort: _Effort) -> Any:  # noqa: ANN401 - of llvmlite
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=effort.speed,
        jit=True,
        reloc="default" if _IS_WINDOWS else "pic",
        codemodel="jitdefault" if _IS_WINDOWS else "small",
    )


def _machine_code(text: str, effort: _Effort) -> bytes:
    import llvmlite.binding as llvm

    machine = _target(effort)
    module = llvm.parse_assembly(text)
    module.verify()
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=effort.speed)
    options.inlining_threshold = effort.inlining_threshold
    options.loop_vectorization = effort.vectorizes
    options.slp_vectorization = options.loop_interleaving = options.loop_unrolling = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    code: bytes = machine.emit_object(module)
    return code


_LINKED = itertools.count()


@cache
def _linker() -> Any:  # noqa: ANN401 - of llvmlite
    import llvmlite.binding as llvm

    return llvm.create_lljit_compiler(_target(_QUICK), use_jit_link=not _IS_WINDOWS)


def _load(code: bytes, result: Type, places: list[tuple[str, str, int, str]], stores: tuple[int, ...]) -> Machine:
    import llvmlite.binding as llvm

    library = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for name in PYTHON_FUNCTIONS:
        library.import_symbol(name, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value)
    linked = library.export_symbol("entry").export_symbol("exported").link(_linker(), f"library {next(_LINKED)}")
    return Machine(linked["entry"], linked["exported"], result, places, stores, linked)


# -- the message shown while a large function compiles --------------------------------------------------------------

_LINES_PER_SECOND = 8_000
"""Lines of LLVM IR per second, on a core a few years old."""
_LEAST_SECONDS = 2.0


def announce(name: str, text: str, *, is_kept: bool) -> None:
    """Print how long compiling will take, if that is long and someone can see standard error."""
    seconds = text.count("\n") / _LINES_PER_SECOND
    if seconds >= _LEAST_SECONDS and is_watched():
        line = f"ttr_analysis: compiling {name}, about {seconds:.0f} s{'; the result is cached' if is_kept else ''}"
        bars: Any = sys.modules.get("tqdm")
        with bars.tqdm.external_write_mode(file=sys.stderr) if bars else contextlib.nullcontext():  # above a bar
            print(line, file=sys.stderr, flush=True)  # noqa: T201


def is_watched() -> bool:
    """Return whether standard error is a terminal or goes to a notebook."""
    shell: Any = sys.modules.get("IPython")
    return sys.stderr.isatty() or (shell is not None and shell.get_ipython() is not None)
