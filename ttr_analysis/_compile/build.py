"""From a module's text to machine code, and the folder in which that is kept."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import hashlib
import os
import pickle
import platform
import shutil
import struct
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

if TYPE_CHECKING:
    from ttr_analysis._compile.arithmetic import Instance
    from ttr_analysis._compile.program import Program

LOCK = threading.RLock()
"""One thread builds at a time."""


class _Effort(NamedTuple):
    """
    How hard LLVM tries.

    Parameters
    ----------
    speed
        The level of its passes and of what writes machine code.
    inlined
        The size up to which functions are copied into their callers.
    vectorizes
        Whether loops over arrays use the processor's vectors.
    """

    speed: int
    inlined: int
    vectorizes: bool


_GAMES = _Effort(1, 40, vectorizes=True)
"""
For games. On LLVM's second level compiling takes a seventh longer, with functions up to a size of
100 copied or short loops written out up to two thirds, and nothing is faster. Without vectors
planners play a third of the games.
"""
_CHECKED = _Effort(1, 50, vectorizes=False)
"""With checks: for who looks for a fault, or tests, waiting for LLVM costs more than games."""
_QUICK = _Effort(0, 0, vectorizes=False)
"""
For what Python calls move by move, and `quickly_compiled` marks: ready in a quarter of the time, and three
times slower, which is little beside what Python does between two moves.
"""


@dataclass(frozen=True, slots=True)
class Machine:
    """
    A root as machine code.

    Parameters
    ----------
    entry, exported
        Addresses: of what Python calls, and of what compiled code calls.
    result
        What it returns.
    places
        For each error number, from 1: the fault, file, line and function.
    stores
        Numbers of the parameters into whose memory it may store.
    engine
        What keeps the code in memory.
    """

    entry: int
    exported: int
    result: Type
    places: list[tuple[str, str, int, str]]
    stores: tuple[int, ...]
    engine: Any


def is_checked() -> bool:
    """Return whether indices and overflow are to be checked: `TTR_CHECKS=1`."""
    return os.environ.get("TTR_CHECKS", "") not in ("", "0")


def _effort(*, is_quick: bool) -> _Effort:
    if is_quick:
        return _QUICK
    return _CHECKED if is_checked() else _GAMES


# -- the folder -----------------------------------------------------------------------------------


@cache
def cache_folder() -> Path:
    """
    Return the folder of compiled code, made if need be.

    It is `TTR_CACHE_DIR`, else `ttr_analysis` in the user's cache folder
    (`XDG_CACHE_HOME`, else `~/.cache`). If that cannot be written, it is a
    temporary folder, removed when Python ends.
    """
    try:
        folder = _chosen_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        folder = Path(tempfile.mkdtemp(prefix="ttr_analysis-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _chosen_folder() -> Path:
    if chosen := os.environ.get("TTR_CACHE_DIR"):
        return Path(chosen).expanduser()
    users = os.environ.get("XDG_CACHE_HOME")
    return (Path(users) if users else Path.home() / ".cache") / "ttr_analysis"


def file_of(source: Source, kinds: tuple[Type, ...], effort: _Effort) -> Path:
    """Return the file in which the machine code of a root is kept."""
    made = f"{'; '.join(map(str, kinds))} {is_checked()} {effort}"
    name = f"{source.file} {source.name} {source.line} {made} {_environment()}"
    short = source.name.removeprefix("ttr_analysis.")
    return cache_folder() / f"{short}-{hashlib.blake2b(name.encode(), digest_size=8).hexdigest()}.bin"


@cache
def _environment() -> str:
    """Return what machine code depends on besides its sources: compiler, LLVM, processor, Python and numpy."""
    import llvmlite
    import llvmlite.binding as llvm

    compiler = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        compiler.update(path.read_bytes())
    features = llvm.get_host_cpu_features().flatten()
    python = f"{sys.version} {object.__basicsize__} {np.__version__}"
    processor = f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {features}"
    return f"{compiler.hexdigest()} {llvmlite.__version__} {processor} {python}"


def load_kept(file: Path) -> Machine | None:
    """Return machine code from a file; None if there is none, or it is torn, or of other sources."""
    try:
        digest, content = file.read_bytes().split(b"\n", 1)
        if digest != _digest(content):
            return None
        kept = pickle.loads(content)  # noqa: S301 - as trusted as the machine code in it
        if any(Text.known[path].digest != digest for path, digest in kept["files"].items()):
            return None
        if any(describe(_now(where)) != text for where, text in kept["notes"].items()):
            return None
    except (OSError, ValueError, KeyError, AttributeError, ImportError, pickle.UnpicklingError):
        return None
    return _load(kept["code"], kept["result"], kept["places"], kept["stores"])


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).hexdigest().encode()


def _now(where: str) -> object:
    """Return what a global name, or a dotted one, stands for now."""
    module, path = where.split(":")
    first, *rest = path.split(".")
    names = vars(sys.modules[module])
    return reduce(getattr, rest, names[first] if first in names else getattr(builtins, first))


def keep(file: Path, program: Program, root: Instance, code: bytes) -> None:
    """Write machine code to its file: to a temporary name first, for another process may do the same."""
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
        Path(temporary).replace(file)
    except (OSError, pickle.PicklingError, AttributeError):
        return  # a full disk, or a class inside a function, costs the next process some seconds and this one nothing


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Let one process compile a root while others wait for it; where there are no locks, all compile it."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            lock = held.enter_context((file.parent / "lock").open("w"))
            # One file for all roots: each has a byte of it.
            fcntl.lockf(lock, fcntl.LOCK_EX, 1, int.from_bytes(_digest(file.name.encode())[:4]))
        yield


# -- LLVM -----------------------------------------------------------------------------------------


def build(source: Source, kinds: tuple[Type, ...], *, is_quick: bool = False) -> Machine:
    """
    Return the machine code of a root, from its file or compiled now.

    Parameters
    ----------
    source, kinds
        The root, and the types of its arguments.
    is_quick
        Whether code that is ready soon will do; the better is taken if it is
        kept.
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
    """Compile a root; keep its machine code in a file if all its sources are files."""
    from ttr_analysis._compile.program import Program  # the front end, which kept machine code does without

    program = Program(is_checked=is_checked())
    text, root = program.text(source, kinds)
    if effort != _QUICK:
        announce(source.name.removeprefix("ttr_analysis."), text)
    code = _machine_code(text, effort)
    if file is not None and all(used.is_kept for used in program.sources):
        keep(file, program, root, code)
    return _load(code, root.result, program.places, root.stores)


def _target(effort: _Effort, *, is_near: bool = True) -> Any:  # noqa: ANN401 - of llvmlite
    """Return a description of this processor: a new one, for each engine destroys its own."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    # All of an object lies together in memory, so that calls and constants are near: a fifth more games a second.
    model = {"reloc": "pic", "codemodel": "small"} if is_near and _is_near() else _FAR
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=effort.speed,
        jit=True,
        **model,
    )


_FAR = {"reloc": "default", "codemodel": "jitdefault"}


@cache
def _is_near() -> bool:
    """
    Return whether machine code may take for granted that its parts are near each other: where that was tried.

    The memory manager of llvmlite then puts all of an object into one block; an
    object that calls something outside would not fit there.
    """
    return sys.platform == "linux" and platform.machine() == "x86_64"


# What fills and copies memory, where nothing outside an object may be called: see `_is_near`.
_NEAR_MEMORY = """
define ptr @memset(ptr %to, i32 %byte, i64 %n) nounwind "no-builtins" {
    %low = trunc i32 %byte to i8
    call {ptr, i64} asm sideeffect "rep stosb", "={di},={cx},{al},0,1,~{memory}"(i8 %low, ptr %to, i64 %n)
    ret ptr %to
}
define ptr @memcpy(ptr %to, ptr %from, i64 %n) nounwind "no-builtins" {
    call {ptr, ptr, i64} asm sideeffect "rep movsb", "={di},={si},={cx},0,1,2,~{memory}"(ptr %to, ptr %from, i64 %n)
    ret ptr %to
}
define ptr @memmove(ptr %to, ptr %from, i64 %n) nounwind "no-builtins" {
    %a = ptrtoint ptr %to to i64
    %b = ptrtoint ptr %from to i64
    %apart = sub i64 %a, %b
    %safe = icmp uge i64 %apart, %n
    br i1 %safe, label %forward, label %back
forward:
    call ptr @memcpy(ptr %to, ptr %from, i64 %n)
    ret ptr %to
back:
    %left = phi i64 [%n, %0], [%at, %step]
    %done = icmp eq i64 %left, 0
    br i1 %done, label %end, label %step
step:
    %at = sub i64 %left, 1
    %from.at = getelementptr i8, ptr %from, i64 %at
    %to.at = getelementptr i8, ptr %to, i64 %at
    %byte = load i8, ptr %from.at
    store i8 %byte, ptr %to.at
    br label %back
end:
    ret ptr %to
}
"""


def _machine_code(text: str, effort: _Effort) -> bytes:
    """Return the object code of a module; what must call something outside takes nothing near for granted."""
    if _is_near():
        code = _optimized(text + _NEAR_MEMORY, effort, _target(effort))
        if not _calls_outside(code):
            return code
    return _optimized(text, effort, _target(effort, is_near=False))


def _optimized(text: str, effort: _Effort, machine: Any) -> bytes:  # noqa: ANN401 - of llvmlite
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(text)
    module.verify()
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=effort.speed)
    options.inlining_threshold = effort.inlined
    options.slp_vectorization = options.loop_vectorization = options.loop_interleaving = effort.vectorizes
    options.loop_unrolling = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    code: bytes = machine.emit_object(module)
    return code


def _calls_outside(code: bytes) -> bool:
    """Return whether an object for Linux has symbols that are not defined in it."""
    (sections,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    for at in range(sections, sections + size * count, size):
        (kind,) = struct.unpack_from("<I", code, at + 4)
        if kind == _SYMBOLS:
            first, length = struct.unpack_from("<QQ", code, at + 0x18)
            places = range(first + _SYMBOL_SIZE, first + length, _SYMBOL_SIZE)  # the first symbol stands for none
            return any(struct.unpack_from("<H", code, place + 6)[0] == 0 for place in places)
    return False


_SYMBOLS = 2
"""The kind of section of an ELF file that lists its symbols, each of this size:"""
_SYMBOL_SIZE = 24


def _load(code: bytes, result: Type, places: list[tuple[str, str, int, str]], stores: tuple[int, ...]) -> Machine:
    import llvmlite.binding as llvm

    is_near = _is_near() and not _calls_outside(code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(_QUICK), use_lmm=True if is_near else None)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    entry, exported = map(engine.get_function_address, ("entry", "exported"))
    return Machine(entry, exported, result, places, stores, engine)


# -- a line for those who wait while a large function is compiled --------------------------------------------------

_LINES_PER_SECOND = 8_000
"""Lines of LLVM text that a core of some years ago compiles in a second."""
_LEAST_SECONDS = 2.0


def announce(name: str, text: str) -> None:
    """
    Say how long compiling will take, if that is long and somebody watches.

    That is one line on standard error, on a terminal or in IPython; a script
    whose output goes elsewhere stays silent.

    Parameters
    ----------
    name
        What is compiled.
    text
        The module in LLVM's language.
    """
    seconds = text.count("\n") / _LINES_PER_SECOND
    if seconds >= _LEAST_SECONDS and is_watched():
        line = f"ttr_analysis: compiling {name}, about {seconds:.0f} s; it is kept for later"
        bars: Any = sys.modules.get("tqdm")
        with bars.tqdm.external_write_mode(file=sys.stderr) if bars else contextlib.nullcontext():  # not into a bar
            print(line, file=sys.stderr, flush=True)  # noqa: T201


def is_watched() -> bool:
    """Return whether standard error is a terminal, or this is IPython, whose notebooks show it."""
    shell: Any = sys.modules.get("IPython")
    return sys.stderr.isatty() or (shell is not None and shell.get_ipython() is not None)
