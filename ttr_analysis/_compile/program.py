"""Compile statements, and collect all functions that a root needs in one LLVM module."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from typing import cast

import numpy as np

from ttr_analysis._compile.arithmetic import Instance, Module, Static
from ttr_analysis._compile.expressions import Expressions, Variable, returned_type
from ttr_analysis._compile.source import Source, describe, marked
from ttr_analysis._compile.types import (
    CELLS,
    FLOAT,
    INT,
    NONE,
    Array,
    Named,
    Pointers,
    Scalar,
    Tuple,
    Type,
    classes_of,
    has_memory,
    parts_of,
)
from ttr_analysis._compile.writer import (
    ERROR,
    MISMATCH,
    PYTHON_FUNCTIONS,
    SCRATCH_TOP,
    Block,
    Fault,
    Place,
    Value,
    Writer,
    constant,
)


class Statements(Expressions):
    def __init__(self, program: Module, source: Source) -> None:
        super().__init__(program, source)
        self._loop: tuple[Block, Block] | None = None
        """Targets of `break` and `continue`."""
        self._result_slots: tuple[str, ...] = ()
        self._flows: dict[str, frozenset[str]] = {}
        """For each variable, the variables whose memory it may share."""

    def write(self, kinds: tuple[Type, ...], symbol: str) -> str:
        tree = self.source.tree
        self.line = tree.lineno
        header = ["ptr %context"]
        for i, (name, kind) in enumerate(zip(self.source.parameters, kinds, strict=True)):
            parts = tuple(f"%p{i}.{j}" for j in range(len(parts_of(kind))))
            header += [f"{llvm} {part}" for llvm, part in zip(parts_of(kind), parts, strict=True)]
            self.declare(name, Value(kind, parts), tree, is_parameter=True)
        if self.result is not None:
            self._result_slots = tuple(map(self.slot, parts_of(self.result)))
        body = Block("body")
        self.jump(body)
        self.start(body)
        self.run(tree.body)
        if self.block.is_reached and not self.block.is_done:
            if self.result not in (None, NONE):
                raise self.source.error(
                    tree, f"{tree.name} has a path without a return", "return a value on every path"
                )
            self.result = NONE
        self.result = self.result or NONE
        self.jump(self.exit)
        self._report_faults()
        return self._text(header, symbol)

    def run(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.line = statement.lineno
            method = getattr(self, f"do_{type(statement).__name__.lower()}", None)
            if method is None:
                raise self.source.error_for(statement)
            method(statement)
            if self.block.is_done:  # the rest never runs, but must still compile
                self.start(self.new_block("never"))

    def _report_faults(self) -> None:
        for (fault, line), block in self.faults.items():
            self.start(block)
            where = self.program.place(fault, self.source, line)
            self.do(f"store i64 {where}, ptr {self.context(ERROR)}")
            self.jump(self.exit)

    def _text(self, header: list[str], symbol: str) -> str:
        result = cast("Type", self.result)
        self.start(self.exit)
        if self.uses_scratch and not has_memory(result):  # the result may be in scratch memory
            top = "%scratch.top"
            self.entry.append(f"%scratch.cell = getelementptr inbounds i64, ptr %context, i64 {SCRATCH_TOP}")
            self.entry.append(f"{top} = load i64, ptr %scratch.cell")
            self.do(f"store i64 {top}, ptr %scratch.cell")
        llvm, whole = returned_type(result), "poison"
        found = self.load(result, self._result_slots)
        for i, (kind, part) in enumerate(zip(parts_of(result), found.parts, strict=True)):
            whole = self.get(f"insertvalue {llvm} {whole}, {kind} {part}, {i}")
        self.end(f"ret {llvm} {whole}")
        return self.text(f"define internal fastcc {llvm} @{symbol}({', '.join(header)}) nounwind {{")

    # -- variables ------------------------------------------------------------------------

    def stores(self) -> tuple[int, ...]:
        """Return the numbers of the parameters whose memory the function may change."""
        reached, waiting = set[str](), list(self.stored)
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += self._flows.get(name, ())
        return tuple(i for i, name in enumerate(self.source.parameters) if name in reached)

    def declare(self, name: str, value: Value, node: ast.AST, *, is_parameter: bool = False) -> None:
        """Set a variable. Its first value determines its type."""
        variable = self.variables.get(name)
        if variable is None:
            kind = value.kind
            if kind is NONE:
                raise self.source.error(node, f"{name} = None", "use a sentinel such as -1")
            flag = self.slot("i1") if self.is_checked and not is_parameter else None
            slots = tuple(map(self.slot, parts_of(kind)))
            variable = Variable(kind, slots, getattr(node, "lineno", self.line), flag)
            self.variables[name] = variable
        elif value.kind != variable.kind:
            role = f"{name!r}, first set in line {variable.line},"
            value = self.convert(node, value, variable.kind, role)
        self.store(value, variable.slots)
        self._flows[name] = self._flows.get(name, frozenset()) | value.origin
        if variable.flag is not None:
            self.do(f"store i1 true, ptr {variable.flag}")

    def assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name():
                self.declare(target.id, value, target)
            case ast.Tuple() if isinstance(value.kind, Tuple) and len(value.kind.items) == len(target.elts):
                for part, item in zip(target.elts, self.items_of(value), strict=True):
                    self.assign(part, item)
            case ast.Tuple() | ast.List() | ast.Starred():
                raise self.source.error(
                    target, f"an assignment of {value.kind} to {ast.unparse(target)}", "name each item"
                )
            case _:
                place = self.place(target)
                if isinstance(place, Place):
                    self.put(target, place, value)
                else:
                    self.fill_array(target, place, value)

    # -- statements -----------------------------------------------------------------------

    def do_assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.line = node.lineno
            if isinstance(target, ast.Tuple) and not isinstance(value.kind, Tuple):
                self._blame_callee(target, node.value, value)
            self.assign(target, value)

    def _blame_callee(self, target: ast.Tuple, call: ast.expr, value: Value) -> None:
        """Reject a called function that returns no tuple where one is needed, reporting it in its own file."""
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            callee = marked(getattr(self.evaluate(call.func), "thing", None))
            if callee is not None:
                what = f"a result of {value.kind}, where {self.source.function.__name__} needs {ast.unparse(target)}"
                raise callee.source.error(None, what, f"return a tuple of {len(target.elts)}")

    def do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            raise self.source.error(node, "a declaration without a value", "assign a value")
        value = self.value(node.value)
        if isinstance(node.annotation, ast.Name) and node.annotation.id == "float":
            value = self.convert(node, value, FLOAT, ast.unparse(node.target))
        self.assign(node.target, value)

    def do_augassign(self, node: ast.AugAssign) -> None:
        """Compile `a += value`; the place of `a` is computed only once."""
        if isinstance(node.target, ast.Name):
            old = self.value(node.target)
            self.declare(node.target.id, self.binary(node, node.op, old, self.value(node.value)), node)
            return
        place = self.place(node.target)
        if not isinstance(place, Place):
            raise self.source.error(node, "arithmetic on a whole array", "write a loop over its items")
        old = self.read(place)
        value = self.value(node.value)
        self.line = node.lineno
        self.put(node, place, self.binary(node, node.op, old, value))

    def do_expr(self, node: ast.Expr) -> None:
        """Compile a call for its effect; a string is a comment."""
        if not isinstance(node.value, ast.Constant):
            self.evaluate(node.value)
            if not isinstance(node.value, ast.Call):
                raise self.source.error(node, "an expression that does nothing", "remove it")

    def do_pass(self, node: ast.Pass) -> None:
        """Compile nothing."""

    def do_return(self, node: ast.Return) -> None:
        """Compile a return; the first one determines the type of the result if no annotation does."""
        value = self.value(node.value) if node.value else Value(NONE, ())
        if self.result is None:
            self.result = value.kind
            self._result_slots = tuple(map(self.slot, parts_of(value.kind)))
        value = self.convert(node, value, self.result, "the return value")
        self.store(value, self._result_slots)
        self.jump(self.exit)

    def do_if(self, node: ast.If) -> None:
        yes, no, after = (self.new_block(hint) for hint in ("then", "else", "after"))
        self.branch(self.condition(node.test), yes, no if node.orelse else after)
        self.start(yes)
        self.run(node.body)
        self.jump(after)
        if node.orelse:
            self.start(no)
            self.run(node.orelse)
            self.jump(after)
        self.start(after)

    def do_while(self, node: ast.While) -> None:
        self._no_else(node)
        head, body, after = (self.new_block(hint) for hint in ("while", "loop", "after"))
        self.jump(head)
        self.start(head)
        self.branch(self.condition(node.test), body, after)
        self.start(body)
        self._loop_body(node.body, head, after)
        self.jump(head)
        self.start(after)

    def _no_else(self, node: ast.While | ast.For) -> None:
        if node.orelse:
            raise self.source.error(node.orelse[0], "else after a loop", "set a flag before break")

    def _loop_body(self, statements: list[ast.stmt], onward: Block, after: Block) -> None:
        outer, self._loop = self._loop, (after, onward)
        self.loop_depth += 1
        self.run(statements)
        self.loop_depth -= 1
        self._loop = outer

    def do_break(self, _node: ast.Break) -> None:
        self.jump(cast("tuple[Block, Block]", self._loop)[0])

    def do_continue(self, _node: ast.Continue) -> None:
        self.jump(cast("tuple[Block, Block]", self._loop)[1])

    def do_for(self, node: ast.For) -> None:
        self._no_else(node)
        if isinstance(node.iter, ast.Call):
            callee = self.evaluate(node.iter.func) if isinstance(node.iter.func, (ast.Name, ast.Attribute)) else None
            if isinstance(callee, Static) and callee.thing is range:
                self._for_range(node, node.iter)
                return
            if isinstance(callee, Static) and callee.thing in (enumerate, zip, reversed, sorted, map, filter):
                raise self.source.error(
                    node.iter, f"a loop over {ast.unparse(node.iter)}", "loop over range(n) and index"
                )
        over = self.value(node.iter)
        if isinstance(over.kind, Tuple):
            self._for_items(node, over)
        elif isinstance(over.kind, Array):
            self._for_array(node, over)
        else:
            raise self.source.error(node.iter, f"a loop over {over.kind}", "loop over a range, an array or a tuple")

    def _for_range(self, node: ast.For, call: ast.Call) -> None:
        if call.keywords or not 1 <= len(call.args) <= 3:  # noqa: PLR2004 - start, stop, step
            raise self.source.error(call, "range with these arguments", "write range(start, stop, step)")
        bounds = [self.integer(argument) for argument in call.args]
        step = bounds[2] if len(bounds) == 3 else constant(1)  # noqa: PLR2004
        if step.const is None or step.const == 0:
            raise self.source.error(call, "a step that is not a constant", "loop with while")
        first, last = (constant(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        self._counted(node, first.one, last.one, int(step.const), lambda i: Value(INT, (i,)))

    def _for_array(self, node: ast.For, over: Value) -> None:
        kind = cast("Array", over.kind)
        address, n, *others = over.parts
        row = self.size_of(Value(kind, (address, *others)))

        def item(i: str) -> Value:
            place = self.address(address, self.times(i, row), kind.cell.llvm)
            if others:
                return Value(Array(kind.cell, len(others)), (place, *others), origin=over.origin)
            return self.read(Place(kind.cell, place, over.origin))

        self._counted(node, "0", n, 1, item)

    def _counted(self, node: ast.For, first: str, last: str, step: int, item: Callable[[str], Value]) -> None:
        """Compile a loop that sets its variable to the next item in each iteration; the body may change it."""

        def body(i: str, onward: Block, after: Block) -> None:
            self.assign(node.target, item(i))
            self._loop_body(node.body, onward, after)

        self.count(first, last, body, step)

    def _for_items(self, node: ast.For, over: Value) -> None:
        """Compile the body once for each item of a tuple."""
        after = self.new_block("after")
        for value in self.items_of(over):
            onward = self.new_block("next")
            self.assign(node.target, value)
            self._loop_body(node.body, onward, after)
            self.jump(onward)
            self.start(onward)
        self.jump(after)
        self.start(after)


# -- all functions of a root ---------------------------------------------------------------------------------------


class Program:
    """The LLVM module of a root function and everything it calls."""

    def __init__(self, *, is_checked: bool) -> None:
        self.is_checked = is_checked
        self.places: list[tuple[str, str, int, str]] = []
        """For each error: the fault, with file, line and function."""
        self.notes: dict[str, str] = {}
        """For each global name that the functions use, a text that changes if its object does."""
        self.sources: dict[Source, None] = {}
        """All functions of the module."""
        self._texts: list[str] = []
        self._instances: dict[tuple[Source, tuple[Type, ...]], Instance | None] = {}

    def instance(
        self, source: Source, kinds: tuple[Type, ...], caller: tuple[Source, ast.AST] | None = None
    ) -> Instance:
        """Return a function for some types, compiling it if it is not in the module yet."""
        key = (source, kinds)
        if key in self._instances:
            known = self._instances[key]
            if known is None:
                where, node = caller or (source, source.tree)
                raise where.error(node, f"{source.function.__name__} calls itself", "write a loop")
            return known
        self._instances[key] = None
        self.sources[source] = None
        writer = Statements(self, source)
        name = re.sub(r"[^0-9A-Za-z_]", "_", source.function.__name__)
        symbol = f"f{len(self._instances)}.{name}"
        self._texts.append(writer.write(kinds, symbol))
        made = Instance(symbol, cast("Type", writer.result), writer.may_fail, writer.stores())
        self._instances[key] = made
        self.notes[f"{source.function.__module__}:{source.function.__qualname__}"] = describe(source)
        for made_of in (*kinds, made.result):
            for used in classes_of(made_of):
                self.notes[f"{used.__module__}:{used.__qualname__}"] = describe(used)
        return made

    def place(self, fault: Fault, source: Source, line: int) -> int:
        """Return the number that reports an error at a line."""
        self.places.append((fault.name, source.file, line, source.function.__qualname__))
        return len(self.places)

    def table(self, symbols: list[str]) -> str:
        name = f"@functions{len(self._texts)}"
        self._texts.append(
            f"{name} = internal constant [{len(symbols)} x ptr] [{', '.join(f'ptr @{s}' for s in symbols)}]"
        )
        return name

    def note(self, source: Source, name: str, thing: object) -> None:
        """Note the object of a name; if it changes, the module is compiled again."""
        self.notes[f"{source.function.__module__}:{name}"] = describe(thing)

    def text(self, source: Source, kinds: tuple[Type, ...]) -> tuple[str, Instance]:
        """Return the text of the module with the entry point for Python, and its root."""
        root = self.instance(source, kinds)
        if not _can_leave(root.result):
            what = f"a {root.result} returned to Python"
            raise source.error(source.tree, what, "return numbers, arrays or tuples of them")
        declared = [f"declare {text.format(name)}" for name, text in PYTHON_FUNCTIONS.items()]
        parts = [*declared, _TAKE, *self._texts, _entry(root, kinds), _exported(root, kinds)]
        return "\n\n".join(parts), root


def _can_leave(kind: Type) -> bool:
    if isinstance(kind, Tuple):
        return all(map(_can_leave, kind.items))
    return isinstance(kind, (Scalar, Array))


# -- the entry point for Python ---------------------------------------------------------------

_WITH_FORMAT_AND_SHAPE = 0x4 | 0x8
"""Flags of a contiguous buffer; add 1 for a writable one."""
_SHAPE = 7
_FORMATS = {name: int.from_bytes(f"{np.empty(0, name).data.format}\0".encode(), sys.byteorder) for name in CELLS}
"""The format of a buffer as a two-byte number; formats of misaligned or byte-swapped arrays are longer."""

_TAKE = """
%Py_buffer = type {ptr, ptr, i64, i64, i32, i32, ptr, ptr, ptr, ptr, ptr}

define internal i1 @take(ptr %object, ptr %view, i32 %flags, i32 %ndim, i16 %format) nounwind {
%status = call i32 @PyObject_GetBuffer(ptr %object, ptr %view, i32 %flags)
%is.taken = icmp eq i32 %status, 0
br i1 %is.taken, label %taken, label %refused
taken:
%ndim.at = getelementptr %Py_buffer, ptr %view, i64 0, i32 5
%ndim.had = load i32, ptr %ndim.at
%has.ndim = icmp eq i32 %ndim.had, %ndim
%format.at = getelementptr %Py_buffer, ptr %view, i64 0, i32 6
%text = load ptr, ptr %format.at
%format.had = load i16, ptr %text, align 1
%has.format = icmp eq i16 %format.had, %format
%is.good = and i1 %has.ndim, %has.format
ret i1 %is.good
refused:
ret i1 false
}
"""


class _Entry(Writer):
    """Writes the function that Python calls: it reads a frame (context, arguments, results) and calls the root."""

    def __init__(self) -> None:
        super().__init__(is_checked=False)
        self.arguments: list[str] = []
        self.views: list[str] = []
        self.n_cells = 0
        self.mismatch = self.new_block("mismatch")

    def read(self, base: str, offset: int, llvm: str) -> str:
        return self.get(f"load {llvm}, ptr {self.get(f'getelementptr inbounds i8, ptr {base}, i64 {offset}')}")

    def cell(self, llvm: str) -> str:
        self.n_cells += 1
        return self.read("%frame", 8 * (self.n_cells - 1), llvm)

    def need(self, condition: str) -> None:
        onward = self.new_block("go")
        self.branch(condition, onward, self.mismatch)
        self.start(onward)

    def argument(self, kind: Type, *, is_stored: bool) -> None:
        match kind:
            case Tuple():
                for item in kind.items:
                    self.argument(item, is_stored=is_stored)
            case Array():
                self.arguments += self.array(kind.cell.name, kind.ndim, is_stored=is_stored)
            case Named():
                data, size = self.array(kind.cell.name, 1, is_stored=is_stored)
                self.need(self.get(f"icmp eq {size}, {kind.record.n_cells}"))
                self.arguments.append(data)
            case Pointers():
                self.arguments += self.array("int64", 1, is_stored=False)
            case _:
                self.arguments.append(f"{kind.llvm} {self.cell(kind.llvm)}")

    def array(self, cell: str, ndim: int, *, is_stored: bool) -> list[str]:
        """Take the buffer of a contiguous array of this dtype and number of dimensions."""
        view = self.slot("%Py_buffer")
        self.views.append(view)
        flags = _WITH_FORMAT_AND_SHAPE | is_stored
        taken = f"call i1 @take(ptr {self.cell('ptr')}, ptr {view}, i32 {flags}, i32 {ndim}, i16 {_FORMATS[cell]})"
        self.need(self.get(taken))
        found = [f"ptr {self.get(f'load ptr, ptr {view}')}"]
        sizes = self.get(f"load ptr, ptr {self.get(f'getelementptr %Py_buffer, ptr {view}, i64 0, i32 {_SHAPE}')}")
        return found + [f"i64 {self.read(sizes, 8 * i, 'i64')}" for i in range(ndim)]


def _entry(root: Instance, kinds: tuple[Type, ...]) -> str:
    writer = _Entry()
    context = writer.cell("ptr")
    for i, kind in enumerate(kinds):
        writer.argument(kind, is_stored=i in root.stores)
    error = writer.get(f"getelementptr inbounds i64, ptr {context}, i64 {ERROR}")
    writer.do(f"store i64 0, ptr {error}")
    thread = writer.get("call ptr @PyEval_SaveThread()")
    llvm = returned_type(root.result)
    given = ", ".join([f"ptr {context}", *writer.arguments])
    whole = writer.get(f"call fastcc {llvm} @{root.symbol}({given})")
    writer.do(f"call void @PyEval_RestoreThread(ptr {thread})")
    for i, part in enumerate(parts_of(root.result)):
        one = writer.get(f"extractvalue {llvm} {whole}, {i}")
        to = writer.get(f"getelementptr inbounds i64, ptr %frame, i64 {writer.n_cells + i}")
        writer.do(f"store {part} {one}, ptr {to}")
    incoming = [(writer.get(f"load i64, ptr {error}"), writer.block), (str(MISMATCH), writer.mismatch)]
    writer.jump(writer.exit)
    writer.start(writer.mismatch)
    writer.do("call void @PyErr_Clear()")
    writer.jump(writer.exit)
    writer.start(writer.exit)
    status = writer.phi("i64", incoming)
    for view in writer.views:
        writer.do(f"call void @PyBuffer_Release(ptr {view})")
    writer.end(f"ret i64 {status}")
    return writer.text("define i64 @entry(ptr %frame) nounwind {")


def _exported(root: Instance, kinds: tuple[Type, ...]) -> str:
    """Return an alias of the root, by which other modules find it."""
    types = ["ptr", *(part for kind in kinds for part in parts_of(kind))]
    return f"@exported = alias {returned_type(root.result)} ({', '.join(types)}), ptr @{root.symbol}"
