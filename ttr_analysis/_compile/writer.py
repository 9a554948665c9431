"""The LLVM text of one function: blocks, instructions, memory, and checks."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from ttr_analysis._compile.types import BOOL, FLOAT, INT, Array, Cell, Type, parts_of


class Fault(Enum):
    """The run-time errors: Python's exception, and its message."""

    INDEX = (IndexError, "index out of range")
    SLICE = (IndexError, "slice out of range")
    SIZES = (ValueError, "arrays of different sizes")
    RECORD = (ValueError, "record on an array of another size")
    OVERFLOW = (OverflowError, "integer overflow")
    NARROW = (OverflowError, "integer does not fit the array")
    SHIFT = (ValueError, "shift by less than 0 or more than 63 bits")
    NAN = (ValueError, "cannot convert float NaN to integer")
    NEGATIVE = (ValueError, "negative dimensions are not allowed")
    UNBOUND = (UnboundLocalError, "variable without a value")
    DIVISION = (ZeroDivisionError, "division by zero")
    MEMORY = (MemoryError, "scratch memory is used up")


@dataclass(frozen=True, slots=True)
class Value:
    """A value in LLVM: its type, a register or constant for each part, and whatever is known about it."""

    kind: Type
    parts: tuple[str, ...]
    const: int | float | bool | None = None
    origin: frozenset[str] = frozenset()

    @property
    def one(self) -> str:
        (part,) = self.parts
        return part


@dataclass(frozen=True, slots=True)
class Place:
    """The address of one number in memory, and the variables whose memory it is part of."""

    cell: Cell
    address: str
    origin: frozenset[str]


@dataclass(slots=True)
class Block:
    """Instructions with a branch only at the end."""

    label: str
    lines: list[str] = field(default_factory=list)
    is_done: bool = False
    is_reached: bool = False


# Cells of the context that every function receives, by number.
SCRATCH_TOP = 0
SCRATCH_END = 1
ERROR = 2
CONTEXT_CELLS = 3

MISMATCH = -1
"""Returned to Python in place of an error number if machine code does not fit the arguments."""
PYTHON_FUNCTIONS = {
    "PyObject_GetBuffer": "i32 @{}(ptr, ptr, i32)",
    "PyBuffer_Release": "void @{}(ptr)",
    "PyErr_Clear": "void @{}()",
    "PyEval_SaveThread": "ptr @{}()",
    "PyEval_RestoreThread": "void @{}(ptr)",
}
"""Functions of Python's stable C API that machine code calls, with their types."""
SMALL_ARRAY = 1024
"""Largest array of known size, in bytes, that goes on the stack."""
MOST_ITEMS = 1 << 30
"""Maximum number of items in an array made by compiled code, so that products of sizes stay below 2**63."""
_ALIGNMENT = 64


def number(value: float) -> str:
    """Return a constant in LLVM's notation."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return f"0x{struct.pack('>d', value).hex().upper()}"


def constant(value: float) -> Value:
    kind = BOOL if isinstance(value, bool) else INT if isinstance(value, int) else FLOAT
    return Value(kind, (number(value),), value)


class Writer:
    """Writes the instructions of one function. Division and sizes in memory are always checked, others on request."""

    def __init__(self, *, is_checked: bool) -> None:
        self.is_checked = is_checked
        self.may_fail = False
        self.uses_scratch = False
        self.line = 0
        self.entry: list[str] = []
        self.block = Block("entry", is_reached=True)
        self.blocks = [self.block]
        self.exit = Block("exit")
        self._n_names = 0
        self.faults: dict[tuple[Fault, int], Block] = {}

    # -- blocks -----------------------------------------------------------------

    def name(self, hint: str = "t") -> str:
        self._n_names += 1
        return f"{hint}.{self._n_names}"

    def new_block(self, hint: str) -> Block:
        """Return a block, to be placed by `start`."""
        return Block(self.name(hint))

    def start(self, block: Block) -> None:
        self.blocks.append(block)
        self.block = block

    def end(self, text: str, *targets: Block) -> None:
        """End the block with a branch; anything written after it never runs."""
        if not self.block.is_done:
            self.block.lines.append(text)
            self.block.is_done = True
            if self.block.is_reached:
                for target in targets:
                    target.is_reached = True

    def jump(self, target: Block) -> None:
        self.end(f"br label %{target.label}", target)

    def branch(self, condition: str, yes: Block, no: Block) -> None:
        if condition in ("true", "false"):
            self.jump(yes if condition == "true" else no)
        else:
            self.end(f"br i1 {condition}, label %{yes.label}, label %{no.label}", yes, no)

    def text(self, header: str) -> str:
        """Return the function; memory for its variables is reserved first."""
        first, *others = self.blocks
        lines = [header, f"{first.label}:", *self.entry, *first.lines]
        for block in others:
            lines += [f"{block.label}:", *block.lines, *([] if block.is_done else ["unreachable"])]
        return "\n".join([*lines, "}"])

    # -- instructions -----------------------------------------------------------

    def do(self, text: str) -> None:
        """Write an instruction without a result."""
        if not self.block.is_done:
            self.block.lines.append(text)

    def get(self, text: str) -> str:
        """Write an instruction; return the register of its result."""
        register = f"%{self.name()}"
        self.do(f"{register} = {text}")
        return register

    def slot(self, llvm: str) -> str:
        """Return the address of a new variable, initially 0."""
        address = f"%{self.name('v')}"
        self.entry.append(f"{address} = alloca {llvm}")
        self.entry.append(f"store {llvm} {'null' if llvm == 'ptr' else 'zeroinitializer'}, ptr {address}")
        return address

    def phi(self, llvm: str, incoming: list[tuple[str, Block]]) -> str:
        """Return a register whose value depends on the previous block."""
        return self.get(f"phi {llvm} {', '.join(f'[{part}, %{block.label}]' for part, block in incoming)}")

    def address(self, base: str, index: str, llvm: str) -> str:
        return base if index == "0" else self.get(f"getelementptr inbounds {llvm}, ptr {base}, i64 {index}")

    def context(self, cell: int) -> str:
        return self.address("%context", str(cell), "i64")

    # -- integers ---------------------------------------------------------------

    def arithmetic(self, operation: str, a: str, b: str, llvm: str = "i64") -> str:
        """Add, subtract or multiply; overflow is an error if checked."""
        if not self.is_checked:
            return self.get(f"{operation} {llvm} {a}, {b}")
        pair = self.get(f"call {{{llvm}, i1}} @llvm.s{operation}.with.overflow.{llvm}({llvm} {a}, {llvm} {b})")
        self.fail_if(self.get(f"extractvalue {{{llvm}, i1}} {pair}, 1"), Fault.OVERFLOW)
        return self.get(f"extractvalue {{{llvm}, i1}} {pair}, 0")

    def times(self, a: str, b: str) -> str:
        """Multiply sizes, which never overflows."""
        if a.isdigit() and b.isdigit():
            return str(int(a) * int(b))
        if "0" in (a, b):
            return "0"
        return a if b == "1" else b if a == "1" else self.get(f"mul nsw i64 {a}, {b}")

    def plus(self, a: str, b: str) -> str:
        """Add sizes, which never overflows."""
        if a.isdigit() and b.isdigit():
            return str(int(a) + int(b))
        return a if b == "0" else b if a == "0" else self.get(f"add nsw i64 {a}, {b}")

    # -- errors -----------------------------------------------------------------

    def fail_if(self, condition: str, fault: Fault) -> None:
        """End the call with an error if a condition holds."""
        key = (fault, self.line)
        if key not in self.faults:
            self.faults[key] = self.new_block("fault")
            self.may_fail = True
        onward = self.new_block("good")
        self.branch(condition, self.faults[key], onward)
        self.start(onward)

    def fail_after_call(self) -> None:
        """End the call if the one that just returned failed."""
        self.may_fail = True
        error = self.get(f"load i64, ptr {self.context(ERROR)}")
        onward = self.new_block("good")
        self.branch(self.get(f"icmp ne i64 {error}, 0"), self.exit, onward)
        self.start(onward)

    # -- memory -----------------------------------------------------------------

    def new_array(self, kind: Array, sizes: tuple[Value, ...], *, on_stack: bool, fill: str | None) -> Value:
        """Make an array in scratch memory or, if small, on the stack; with `fill` None it is uninitialized."""
        cell = kind.cell
        n = "1"
        for size in sizes:
            if size.const is None:
                self.fail_if(self.get(f"icmp slt i64 {size.one}, 0"), Fault.NEGATIVE)
                self.fail_if(self.get(f"icmp ugt i64 {size.one}, {MOST_ITEMS}"), Fault.MEMORY)
            n = self.times(n, size.one)
            if not n.isdigit() and n != size.one:
                self.fail_if(self.get(f"icmp ugt i64 {n}, {MOST_ITEMS}"), Fault.MEMORY)
        n_bytes = self.times(n, str(cell.size))
        if on_stack and n_bytes.isdigit() and int(n_bytes) <= SMALL_ARRAY:
            address = f"%{self.name('a')}"
            self.entry.append(f"{address} = alloca [{n} x {cell.llvm}], align {_ALIGNMENT}")
        else:
            address = self._scratch(n_bytes)
        array = Value(kind, (address, *(size.one for size in sizes)))
        if fill in ("0", number(0.0)):
            self.do(f"call void @llvm.memset.p0.i64(ptr align 8 {address}, i8 0, i64 {n_bytes}, i1 false)")
        elif fill is not None:
            self.fill(address, n, cell.llvm, fill)
        return array

    def _scratch(self, n_bytes: str) -> str:
        """Return the address of scratch memory, released when the function returns."""
        self.uses_scratch = True
        top_cell = self.context(SCRATCH_TOP)
        top = self.get(f"load i64, ptr {top_cell}")
        rounded = self.get(f"and i64 {self.plus(n_bytes, str(_ALIGNMENT - 1))}, {-_ALIGNMENT}")
        new_top = self.get(f"add i64 {top}, {rounded}")
        end = self.get(f"load i64, ptr {self.context(SCRATCH_END)}")
        self.fail_if(self.get(f"icmp ugt i64 {new_top}, {end}"), Fault.MEMORY)
        self.do(f"store i64 {new_top}, ptr {top_cell}")
        return self.get(f"inttoptr i64 {top} to ptr")

    def fill(self, address: str, n: str, llvm: str, part: str) -> None:
        """Fill `n` items with one number."""
        self.count("0", n, lambda i, *_: self.do(f"store {llvm} {part}, ptr {self.address(address, i, llvm)}"))

    def count(self, first: str, last: str, body: Callable[[str, Block, Block], None], step: int = 1) -> None:
        """Compile a loop like one over a `range`; the body gets a counter, and the blocks of `continue` and `break`."""
        counter = self.slot("i64")
        self.do(f"store i64 {first}, ptr {counter}")
        head, inside, onward, after = (self.new_block(hint) for hint in ("for", "loop", "next", "after"))
        self.jump(head)
        self.start(head)
        i = self.get(f"load i64, ptr {counter}")
        self.branch(self.get(f"icmp {'slt' if step > 0 else 'sgt'} i64 {i}, {last}"), inside, after)
        self.start(inside)
        body(i, onward, after)
        self.jump(onward)
        self.start(onward)
        old = self.get(f"load i64, ptr {counter}")
        if step in (1, -1):  # steps of 1 below the limit never exceed 64 bits
            self.do(f"store i64 {self.get(f'add nsw i64 {old}, {step}')}, ptr {counter}")
            self.jump(head)
        else:
            pair = self.get(f"call {{i64, i1}} @llvm.sadd.with.overflow.i64(i64 {old}, i64 {step})")
            self.do(f"store i64 {self.get(f'extractvalue {{i64, i1}} {pair}, 0')}, ptr {counter}")
            self.branch(self.get(f"extractvalue {{i64, i1}} {pair}, 1"), after, head)
        self.start(after)

    def size_of(self, array: Value) -> str:
        n = "1"
        for size in array.parts[1:]:
            n = self.times(n, size)
        return n

    def load(self, kind: Type, slots: tuple[str, ...], origin: frozenset[str] = frozenset()) -> Value:
        parts = zip(parts_of(kind), slots, strict=True)
        return Value(kind, tuple(self.get(f"load {llvm}, ptr {slot}") for llvm, slot in parts), origin=origin)

    def store(self, value: Value, slots: tuple[str, ...]) -> None:
        for llvm, part, slot in zip(parts_of(value.kind), value.parts, slots, strict=True):
            self.do(f"store {llvm} {part}, ptr {slot}")
