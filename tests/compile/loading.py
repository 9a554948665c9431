"""Functions from text, compiled and plain, and scripts in a fresh interpreter."""

import importlib.util
import itertools
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

HEAD = """
from typing import NamedTuple
import numpy as np
from ttr_analysis._compile import Functions, Record, block, cell, compiled, float_block, float_cell
"""
_NUMBERS = itertools.count()


def load(folder: Path, text: str, *, is_plain: bool = False, name: str = "") -> ModuleType:
    """Import a module of this text; plain, its functions are not compiled."""
    name = name or f"compiled_{os.getpid()}_{next(_NUMBERS)}"
    file = folder / f"{name}.py"
    decorator = "def compiled(function):\n    return function\n" if is_plain else ""
    file.write_text(HEAD + decorator + text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def write(folder: Path, text: str) -> Path:
    """Write a script, and return it; what runs must not be written again."""
    script = folder / "script.py"
    script.write_text(HEAD + text, encoding="utf-8")
    return script


def start(script: Path, **environment: str) -> subprocess.Popen[str]:
    """Start a script in a fresh interpreter, with its cache beside it."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TTR_")}
    return subprocess.Popen(
        [sys.executable, str(script)],
        env={**inherited, "TTR_CACHE_DIR": str(script.parent / "cache"), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(folder: Path, text: str, **environment: str) -> tuple[str, str]:
    """Return what a script in a fresh interpreter says, and what it complains about."""
    process = start(write(folder, text), **environment)
    said, complained = process.communicate(timeout=120)
    assert process.returncode == 0, complained
    return said, complained
