"""
The compiler of this package: from plain Python on numbers to machine code.

A function marked `compiled` is ordinary Python and runs as such with
`TTR_PLAIN=1`. Otherwise its first call reads its source, and that of every
compiled function it calls, types them, writes one LLVM module, and keeps the
machine code on disk. What the subset has, and how each part works, is told in
docs/compiler.md.

=============  ================================================================
types          records, numbers, arrays, and the LLVM values each is made of
source         the syntax tree of a function, and what is refused in it
writer         LLVM text: blocks, instructions, checks
arithmetic     values, what makes one type of another, operators and comparisons
expressions    arrays, records, names, choices, tuples and calls
program        what functions do, and all that a root needs as one module
build          machine code, and the folder in which it is kept
calls          from Python arguments to machine code and back
=============  ================================================================
"""

from ttr_analysis._compile.calls import Compiled, Functions, compiled, quickly_compiled, short
from ttr_analysis._compile.source import SubsetError
from ttr_analysis._compile.types import Record, block, cell, float_block, float_cell

__all__ = [
    "Compiled",
    "Functions",
    "Record",
    "SubsetError",
    "block",
    "cell",
    "compiled",
    "float_block",
    "float_cell",
    "quickly_compiled",
    "short",
]
