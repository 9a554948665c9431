"""
The compiler of this package: from plain numeric Python to machine code.

A function marked `compiled` is ordinary Python, and runs as such with `TTR_PLAIN=1`.
Otherwise its first call reads its source and that of every compiled function it calls,
infers their types, writes one LLVM module, and caches the machine code on disk. See
docs/compiler.md.
"""

from ttr_analysis._compile.calls import Compiled, Functions, compiled, quickly_compiled, short
from ttr_analysis._compile.source import SubsetError
from ttr_analysis._compile.types import (
    Flags,
    Floats,
    Ints,
    Narrow,
    Record,
    Singles,
    block,
    cell,
    float_block,
    float_cell,
)

__all__ = [
    "Compiled",
    "Flags",
    "Floats",
    "Functions",
    "Ints",
    "Narrow",
    "Record",
    "Singles",
    "SubsetError",
    "block",
    "cell",
    "compiled",
    "float_block",
    "float_cell",
    "quickly_compiled",
    "short",
]
