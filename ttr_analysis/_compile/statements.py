"""What a function does: assignments, choices, loops, and its return."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import cast

from ttr_analysis._compile.arithmetic import Module, Static
from ttr_analysis._compile.expressions import Expressions, Variable, returned_type
from ttr_analysis._compile.source import Source
from ttr_analysis._compile.types import FLOAT, INT, NONE, Array, Tuple, Type, has_memory, parts_of
from ttr_analysis._compile.writer import ATTRIBUTES, ERROR, SCRATCH_TOP, Block, Place, Value, constant


class Statements(Expressions):
    """Write what the statements of a function do."""

    def __init__(self, program: Module, source: Source) -> None:
        super().__init__(program, source)
        self._loop: tuple[Block, Block] | None = None
        """Where `break` and `continue` go."""
        self._result_slots: tuple[str, ...] = ()
        self._flows: dict[str, frozenset[str]] = {}
        """For each variable, the variables whose memory it may be."""

    def write(self, kinds: tuple[Type, ...], symbol: str) -> str:
        """
        Write the whole function.

        Parameters
        ----------
        kinds
            Types of its arguments.
        symbol
            Its name in the module.
        """
        tree = self.source.tree
        self.line = tree.lineno
        header = ["ptr %context"]
        for i, (name, kind) in enumerate(zip(self.source.parameters, kinds, strict=True)):
            parts = tuple(f"%p{i}.{j}" for j in range(len(parts_of(kind))))
            header += [f"{llvm} {part}" for llvm, part in zip(parts_of(kind), parts, strict=True)]
            self.declare(name, Value(kind, parts), tree, is_parameter=True)
        if self.result is not None:
            self._result_slots = tuple(map(self.slot, parts_of(self.result)))
        body = self.block = Block("body", is_reached=True)
        self.blocks.append(body)
        self.run(tree.body)
        if self.block.is_reached and not self.block.is_done:
            if self.result not in (None, NONE):
                raise self.source.refuse(
                    tree, f"{tree.name} ends without a return on some way", "return a value on each"
                )
            self.result = NONE
        self.result = self.result or NONE
        self.jump(self.exit)
        self._report_faults()
        return self._text(header, symbol)

    def run(self, statements: list[ast.stmt]) -> None:
        """Write statements one after the other."""
        for statement in statements:
            self.line = statement.lineno
            method = getattr(self, f"do_{type(statement).__name__.lower()}", None)
            if method is None:
                raise self.source.refuse_node(statement)
            method(statement)
            if self.block.is_done:  # what follows is never run, but must be compiled all the same
                self.start(self.new_block("never"))

    def _report_faults(self) -> None:
        for fault, line, block in self.faults():
            self.start(block)
            where = self.program.place(fault, self.source, line)
            self.do(f"store i64 {where}, ptr {self.context(ERROR)}")
            self.jump(self.exit)

    def _text(self, header: list[str], symbol: str) -> str:
        """Return the function in LLVM's language."""
        result = cast("Type", self.result)
        entry = list(self.entry)
        self.start(self.exit)
        if self.uses_scratch and not has_memory(result):  # what is returned may lie there
            top = "%scratch.top"
            entry += [f"%scratch.cell = getelementptr inbounds i64, ptr %context, i64 {SCRATCH_TOP}"]
            entry += [f"{top} = load i64, ptr %scratch.cell"]
            self.do(f"store i64 {top}, ptr %scratch.cell")
        llvm = returned_type(result)
        if llvm == "void":
            self.do("ret void")
        else:
            found = self.load(result, self._result_slots)
            if len(found.parts) == 1:
                self.do(f"ret {llvm} {found.one}")
            else:
                whole = "undef"
                for i, (kind, part) in enumerate(zip(parts_of(result), found.parts, strict=True)):
                    whole = self.get(f"insertvalue {llvm} {whole}, {kind} {part}, {i}")
                self.do(f"ret {llvm} {whole}")
        lines = [f"define internal fastcc {llvm} @{symbol}({', '.join(header)}) {ATTRIBUTES} {{", "entry:"]
        lines += entry
        lines += self.blocks[0].lines
        lines.append("br label %body")
        for block in self.blocks[1:]:
            lines.append(f"{block.label}:")
            lines += block.lines
            if not block.is_done and block is not self.exit:
                lines.append("unreachable")
        lines.append("}")
        return "\n".join(lines)

    # -- variables ------------------------------------------------------------------------

    def stores(self) -> tuple[int, ...]:
        """Return the numbers of the parameters into whose memory the function may store."""
        reached, waiting = set[str](), list(self.stored)
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += self._flows.get(name, ())
        return tuple(i for i, name in enumerate(self.source.parameters) if name in reached)

    def declare(self, name: str, value: Value, node: ast.AST, *, is_parameter: bool = False) -> None:
        """Set a variable, and make it if it is new: its first value decides its type."""
        variable = self.variables.get(name)
        if variable is None:
            kind = value.kind
            if kind is NONE:
                raise self.source.refuse(node, f"{name} = None", "use a number that stands for nothing, such as -1")
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
        """Set what stands at the left of an assignment."""
        match target:
            case ast.Name():
                self.declare(target.id, value, target)
            case ast.Tuple() if isinstance(value.kind, Tuple) and len(value.kind.items) == len(target.elts):
                for part, item in zip(target.elts, self.items_of(value), strict=True):
                    self.assign(part, item)
            case ast.Tuple() | ast.List() | ast.Starred():
                raise self.source.refuse(target, f"an assignment of {value.kind} to {ast.unparse(target)}", "name each")
            case _:
                place = self.place(target)
                if isinstance(place, Place):
                    self.put(target, place, value)
                else:
                    self.fill_array(target, place, value)

    # -- statements -----------------------------------------------------------------------

    def do_assign(self, node: ast.Assign) -> None:
        """Write `a = b = value`."""
        value = self.value(node.value)
        for target in node.targets:
            self.line = node.lineno
            self.assign(target, value)

    def do_annassign(self, node: ast.AnnAssign) -> None:
        """Write `a: type = value`."""
        if node.value is None:
            raise self.source.refuse(node, "a declaration without a value", "give it one")
        value = self.value(node.value)
        if isinstance(node.annotation, ast.Name) and node.annotation.id == "float":
            value = self.convert(node, value, FLOAT, ast.unparse(node.target))
        self.assign(node.target, value)

    def do_augassign(self, node: ast.AugAssign) -> None:
        """Write `a += value`: the place is found once."""
        if isinstance(node.target, ast.Name):
            old = self.value(node.target)
            self.declare(node.target.id, self.binary(node, node.op, old, self.value(node.value)), node)
            return
        place = self.place(node.target)
        if not isinstance(place, Place):
            raise self.source.refuse(node, "arithmetic of a whole array", "write a loop over its items")
        old = self.read(place)
        value = self.value(node.value)
        self.line = node.lineno
        self.put(node, place, self.binary(node, node.op, old, value))

    def do_expr(self, node: ast.Expr) -> None:
        """Write an expression for what it does; text is a comment."""
        if not isinstance(node.value, ast.Constant):
            self.evaluate(node.value)
            if not isinstance(node.value, ast.Call):
                raise self.source.refuse(node, "an expression that does nothing", "leave it out")

    def do_pass(self, node: ast.Pass) -> None:
        """Write nothing."""

    def do_return(self, node: ast.Return) -> None:
        """Write the end of the function; the first return decides its type if no annotation does."""
        value = self.value(node.value) if node.value else Value(NONE, ())
        if self.result is None:
            self.result = value.kind
            self._result_slots = tuple(map(self.slot, parts_of(value.kind)))
        value = self.convert(node, value, self.result, "what is returned")
        self.store(value, self._result_slots)
        self.jump(self.exit)

    def do_if(self, node: ast.If) -> None:
        """Write a choice."""
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
        """Write a loop with a condition."""
        self._no_else(node)
        head, body, after = (self.new_block(hint) for hint in ("while", "loop", "after"))
        self.jump(head)
        self.start(head)
        self.branch(self.condition(node.test), body, after)
        self._loop_body(node.body, body, head, after)
        self.jump(head)
        self.start(after)

    def _no_else(self, node: ast.While | ast.For) -> None:
        if node.orelse:
            raise self.source.refuse(node.orelse[0], "else after a loop", "set a flag before break")

    def _loop_body(self, statements: list[ast.stmt], body: Block, onward: Block, after: Block) -> None:
        outer, self._loop = self._loop, (after, onward)
        self.loop_depth += 1
        self.start(body)
        self.run(statements)
        self.loop_depth -= 1
        self._loop = outer

    def do_break(self, _node: ast.Break) -> None:
        """Write the end of a loop."""
        self.jump(cast("tuple[Block, Block]", self._loop)[0])

    def do_continue(self, _node: ast.Continue) -> None:
        """Write the end of one turn of a loop."""
        self.jump(cast("tuple[Block, Block]", self._loop)[1])

    def do_for(self, node: ast.For) -> None:
        """Write a loop over a range, an array, or the items of a tuple."""
        self._no_else(node)
        if isinstance(node.iter, ast.Call):
            callee = self.evaluate(node.iter.func) if isinstance(node.iter.func, (ast.Name, ast.Attribute)) else None
            if isinstance(callee, Static) and callee.thing is range:
                self._for_range(node, node.iter)
                return
            if isinstance(callee, Static) and callee.thing in (enumerate, zip, reversed, sorted, map, filter):
                raise self.source.refuse(
                    node.iter, f"a loop over {ast.unparse(node.iter)}", "loop over range(n) and index"
                )
        over = self.value(node.iter)
        if isinstance(over.kind, Tuple):
            self._for_items(node, over)
        elif isinstance(over.kind, Array):
            self._for_array(node, over)
        else:
            raise self.source.refuse(node.iter, f"a loop over {over.kind}", "loop over a range, an array or a tuple")

    def _for_range(self, node: ast.For, call: ast.Call) -> None:
        if call.keywords or not 1 <= len(call.args) <= 3:  # noqa: PLR2004 - start, stop, step
            raise self.source.refuse(call, "range with other arguments", "write range(start, stop, step)")
        bounds = [self.integer(argument) for argument in call.args]
        step = bounds[2] if len(bounds) == 3 else constant(1)  # noqa: PLR2004
        if step.const is None or step.const == 0:
            raise self.source.refuse(call, "a step that is not known while compiling", "loop with while")
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
        """Write a loop with a hidden counter, so that the body may change the variable."""
        counter = self.slot("i64")
        self.do(f"store i64 {first}, ptr {counter}")
        head, body, onward, after = (self.new_block(hint) for hint in ("for", "loop", "next", "after"))
        self.jump(head)
        self.start(head)
        i = self.get(f"load i64, ptr {counter}")
        self.branch(self.get(f"icmp {'slt' if step > 0 else 'sgt'} i64 {i}, {last}"), body, after)
        first_lines = self.new_block("item")
        self.start(body)
        self.assign(node.target, item(i))
        self.jump(first_lines)
        self._loop_body(node.body, first_lines, onward, after)
        self.jump(onward)
        self.start(onward)
        old = self.get(f"load i64, ptr {counter}")
        if step in (1, -1):  # below the last one by one: never beyond 64 bits
            self.do(f"store i64 {self.get(f'add nsw i64 {old}, {step}')}, ptr {counter}")
            self.jump(head)
        else:
            pair = self.get(f"call {{i64, i1}} @llvm.sadd.with.overflow.i64(i64 {old}, i64 {step})")
            self.do(f"store i64 {self.get(f'extractvalue {{i64, i1}} {pair}, 0')}, ptr {counter}")
            self.branch(self.get(f"extractvalue {{i64, i1}} {pair}, 1"), after, head)
        self.start(after)

    def _for_items(self, node: ast.For, over: Value) -> None:
        """Write the body once for each item of a tuple."""
        after = self.new_block("after")
        for value in self.items_of(over):
            body, onward = self.new_block("loop"), self.new_block("next")
            self.assign(node.target, value)
            self.jump(body)
            self._loop_body(node.body, body, onward, after)
            self.jump(onward)
            self.start(onward)
        self.jump(after)
        self.start(after)
