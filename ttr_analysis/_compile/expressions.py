"""What has a value besides operators and arrays: names, choices, tuples and calls."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, cast

from ttr_analysis._compile.arithmetic import Module, Static
from ttr_analysis._compile.arrays import Arrays, call_builtin, call_method
from ttr_analysis._compile.records import Record
from ttr_analysis._compile.source import Marked, Source, is_functions, marked
from ttr_analysis._compile.types import (
    FLOAT,
    INT,
    Array,
    Named,
    Pointers,
    Tuple,
    Type,
    has_memory,
    parts_of,
)
from ttr_analysis._compile.writer import Block, Fault, Place, Value, constant, number


class Variable:
    """A local variable: its type, where it lies, the line that made it, and the flag that it has a value."""

    __slots__ = ("flag", "kind", "line", "slots")

    def __init__(self, kind: Type, slots: tuple[str, ...], line: int, flag: str | None) -> None:
        self.kind = kind
        self.slots = slots
        self.line = line
        self.flag = flag


class Expressions(Arrays):
    """Write what expressions compute."""

    def __init__(self, program: Module, source: Source) -> None:
        super().__init__(program, source)
        self.variables: dict[str, Variable] = {}

    # -- names and constants --------------------------------------------------------

    def value_of_constant(self, node: ast.Constant) -> Value:
        """Write a number, or True, False or None."""
        if isinstance(node.value, (str, bytes, complex)) or node.value is ...:
            raise self.source.refuse(node, f"the constant {node.value!r}", "use numbers")
        return self.static_value(node, node.value)

    def value_of_name(self, node: ast.Name) -> Value | Static:
        """Write the value of a variable, or find what a global name stands for."""
        variable = self.variables.get(node.id)
        if variable is not None:
            if variable.flag is not None:
                self.fail_if(self.negated(self.get(f"load i1, ptr {variable.flag}")), Fault.UNBOUND)
            return self.load(variable.kind, variable.slots, frozenset((node.id,)))
        if node.id in self.source.local_names:
            raise self.source.refuse(node, f"{node.id!r} before it has a value", "set it first, on every way")
        if node.id not in self.source.names:
            raise self.source.refuse(node, f"the unknown name {node.id!r}", "define it at the top of the module")
        thing = self.source.names[node.id]
        self.program.note(self.source, node.id, thing)
        return Static(thing)

    def value_of_attribute(self, node: ast.Attribute) -> Value | Static:
        """Write a field of a record, an item of a NamedTuple, or the size or shape of an array."""
        base = self.evaluate(node.value)
        if isinstance(base, Static):
            if not hasattr(base.thing, node.attr):
                raise self.source.refuse(node, f"the unknown name {ast.unparse(node)!r}", "see what there is")
            thing = getattr(base.thing, node.attr)
            self.program.note(self.source, ast.unparse(node), thing)
            return Static(thing)
        match base.kind:
            case Array() if node.attr == "size":
                return Value(INT, (self.size_of(base),))
            case Array() if node.attr == "shape":
                return self.tuple_of([Value(INT, (size,)) for size in base.parts[1:]])
            case Tuple() if (place := base.kind.place(node.attr)) is not None:
                return self.items_of(base)[place]
            case Named():
                field = self.field(node, base, base.kind)
                return self.read(field) if isinstance(field, Place) else field
        raise self.source.refuse(node, f"{base.kind} has no {node.attr!r} in compiled code", "see docs/compiler.md")

    def value_of_tuple(self, node: ast.Tuple) -> Value:
        """Write `(a, b)`."""
        return self.tuple_of([self.value(item) for item in node.elts])

    # -- choices ------------------------------------------------------------------------

    def value_of_boolop(self, node: ast.BoolOp) -> Value:
        """Write what `and` and `or` give: the last operand that was looked at."""
        after = self.new_block("either")
        found = []
        for operand in node.values[:-1]:
            value = self.value(operand)
            stay, onward = self.new_block("stay"), self.new_block("more")
            part = self.truth(operand, value)
            self.branch(part, *((stay, onward) if isinstance(node.op, ast.Or) else (onward, stay)))
            self.start(stay)
            found.append((value, self.block))
            self.start(onward)
        found.append((self.value(node.values[-1]), self.block))
        return self._joined(node, found, after)

    def value_of_ifexp(self, node: ast.IfExp) -> Value:
        """Write `a if condition else b`; of a condition that is known, only one of them."""
        yes, no, after = (self.new_block(hint) for hint in ("yes", "no", "chosen"))
        part = self.condition(node.test)
        if part in ("true", "false"):
            return self.value(node.body if part == "true" else node.orelse)
        self.branch(part, yes, no)
        self.start(yes)
        first = self.value(node.body), self.block
        self.start(no)
        second = self.value(node.orelse), self.block
        return self._joined(node, [first, second], after)

    def _joined(self, node: ast.AST, found: list[tuple[Value, Block]], after: Block) -> Value:
        """Go on from several blocks in one, with the value of the block it is reached from."""
        kind = self.common_type(node, [value for value, _ in found])
        values = []
        for value, block in found:
            self.block = block  # a conversion belongs to the block of its value
            values.append(self.convert(node, value, kind, "one of the values"))
            self.jump(after)
        self.start(after)
        parts = []
        for i, llvm in enumerate(parts_of(kind)):
            ways = [(value.parts[i], block) for value, (_, block) in zip(values, found, strict=True)]
            parts.append(self.phi(llvm, ways))
        return Value(kind, tuple(parts), origin=frozenset[str]().union(*(value.origin for value in values)))

    # -- calls --------------------------------------------------------------------------

    def value_of_call(self, node: ast.Call) -> Value:
        """Write a call of a compiled function, a class, a method of an array, or one of Python's functions."""
        if isinstance(node.func, ast.Subscript):
            return self._call_by_number(node, node.func)
        if isinstance(node.func, ast.Attribute):
            base = self.evaluate(node.func.value)
            if isinstance(base, Value):
                if isinstance(base.kind, Array):
                    return call_method(self, node, base, node.func.attr)
                what = f"the method {node.func.attr!r} of {base.kind}"
                raise self.source.refuse(node, what, "write a compiled function that is given it")
        callee = self.evaluate(node.func)
        if isinstance(callee, Value):
            raise self.source.refuse(node, f"a call of {callee.kind}", "call a compiled function by its name")
        thing = callee.thing
        if (function := marked(thing)) is not None:
            return self._call_compiled(node, function.source)
        if isinstance(thing, type) and issubclass(thing, Record):
            return self._lay_record(node, thing)
        if isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields"):
            made_by = cast("Any", thing)
            items = self._arguments(node, made_by._fields, thing.__name__, made_by._field_defaults)
            return self.tuple_of(items, thing)
        return call_builtin(self, node, thing)

    def _arguments(self, node: ast.Call, names: Sequence[str], what: str, defaults: dict[str, object]) -> list[Value]:
        """Return the arguments of a call in the order of the parameters; they are computed in the order written."""
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            raise self.source.refuse(node, "a call with * or **", "pass the arguments one by one")
        given = [*zip(names, node.args, strict=False), *((str(k.arg), k.value) for k in node.keywords)]
        if len(node.args) > len(names) or {name for name, _ in given} - set(names):
            raise self.source.refuse(node, f"too many arguments for {what}", f"it takes {', '.join(names) or 'none'}")
        found = {name: self.value(argument) for name, argument in given}
        if len(found) < len(given):
            raise self.source.refuse(node, f"an argument of {what} that is given twice", "give it once")
        missing = [name for name in names if name not in found and name not in defaults]
        if missing:
            raise self.source.refuse(node, f"{what} without {', '.join(missing)}", "pass it")
        return [found[name] if name in found else self.static_value(node, defaults[name]) for name in names]

    def _call_compiled(self, node: ast.Call, source: Source) -> Value:
        arguments = self._arguments(node, source.parameters, source.function.__name__, source.defaults)
        self.line = node.lineno
        return self._call_with(node, source, arguments)

    def _call_with(self, node: ast.Call, source: Source, values: list[Value]) -> Value:
        """Call a compiled function with values for all its parameters."""
        arguments = []
        for name, value in zip(source.parameters, values, strict=True):
            declared = source.declared(name)
            role = f"{name} of {source.function.__name__}"
            arguments.append(value if declared is None else self.convert(node, value, declared, role))
        instance = self.program.instance(source, tuple(value.kind for value in arguments), caller=(self.source, node))
        for i in instance.stores:
            self.stored |= arguments[i].origin
        target = f"fastcc {{}} @{instance.symbol}"
        return self._invoke(target, arguments, instance.result, may_fail=instance.may_fail)

    def _invoke(self, target: str, arguments: list[Value], result: Type, *, may_fail: bool) -> Value:
        """Call a function, and return its result; `target` has a place for the type of that."""
        typed = ["ptr %context"]
        for value in arguments:
            typed += [f"{llvm} {part}" for llvm, part in zip(parts_of(value.kind), value.parts, strict=True)]
        llvm = returned_type(result)
        text = f"call {target.format(llvm)}({', '.join(typed)})"
        parts: tuple[str, ...] = ()
        if llvm == "void":
            self.do(text)
        else:
            whole = self.get(text)
            n = len(parts_of(result))
            parts = (whole,) if n == 1 else tuple(self.get(f"extractvalue {llvm} {whole}, {i}") for i in range(n))
        if may_fail:
            self.fail_after_call()
        if not has_memory(result):
            return Value(result, parts)
        self.uses_scratch = True
        return Value(result, parts, origin=frozenset[str]().union(*(value.origin for value in arguments)))

    def _lay_record(self, node: ast.Call, record: type[Record]) -> Value:
        """Write `State()`, a new record, or `State(cells)`, one over an array."""
        kind = Named(record)
        if not node.args and not node.keywords:
            zero = number(0.0) if kind.cell.read is FLOAT else "0"
            new = self.new_local_array(kind.cell.name, (constant(record.n_cells),), zero)
            return Value(kind, new.parts[:1])
        (array,) = self._arguments(node, ("cells",), record.__name__, {})
        if array.kind != Array(kind.cell, 1):
            raise self.source.refuse(node, f"a {record.__name__} on {array.kind}", f"give an array of {kind.cell}")
        self.fail_if(self.get(f"icmp ne i64 {array.parts[1]}, {record.n_cells}"), Fault.RECORD)
        return Value(kind, array.parts[:1], origin=array.origin)

    def _call_by_number(self, node: ast.Call, where: ast.Subscript) -> Value:
        """Write `functions[i](...)`."""
        named = self.evaluate(where.value)
        if isinstance(named, Static) and is_functions(named.thing):
            return self._call_one_of(node, cast("tuple[Marked, ...]", named.thing), where.slice)
        base = self.static_value(where.value, named.thing) if isinstance(named, Static) else named
        if not isinstance(base.kind, Pointers):
            raise self.source.refuse(node, f"a call of an item of {base.kind}", "pass Functions as an argument")
        kind = base.kind
        index = self.integer(where.slice)
        if node.keywords or len(node.args) != len(kind.arguments):
            raise self.source.refuse(node, "a call by number with other arguments", f"give {len(kind.arguments)}")
        address, n = base.parts
        self.fail_if(self.get(f"icmp uge i64 {index.one}, {n}"), Fault.INDEX)
        function = self.get(f"load ptr, ptr {self.address(address, index.one, 'ptr')}")
        pairs = zip(node.args, kind.arguments, strict=True)
        arguments = [self.convert(arg, self.value(arg), to, "this argument") for arg, to in pairs]
        for value in arguments:
            self.stored |= value.origin
        return self._invoke(f"{{}} {function}", arguments, kind.result, may_fail=True)

    def _call_one_of(self, node: ast.Call, functions: tuple[Marked, ...], number: ast.expr) -> Value:
        """
        Call one of the functions of a tuple at the top of a module, by its number.

        All of them are part of this module: it is a jump, not a call by an
        address, and each may be put in its place.
        """
        index = self.integer(number)
        n_arguments = {len(function.source.parameters) for function in functions}
        if node.keywords or n_arguments != {len(node.args)}:
            take = " or ".join(map(str, sorted(n_arguments)))
            raise self.source.refuse(node, "a call by number with other arguments", f"give {take}, without names")
        arguments = [self.value(argument) for argument in node.args]
        self.line = node.lineno
        self.fail_if(self.get(f"icmp uge i64 {index.one}, {len(functions)}"), Fault.INDEX)
        blocks = [self.new_block("case") for _ in functions]
        nowhere, after = self.new_block("nowhere"), self.new_block("called")
        cases = " ".join(f"i64 {i}, label %{block.label}" for i, block in enumerate(blocks))
        self.end(f"switch i64 {index.one}, label %{nowhere.label} [{cases}]", nowhere, *blocks)
        self.start(nowhere)
        self.end("unreachable")
        found = []
        for function, block in zip(functions, blocks, strict=True):
            self.start(block)
            found.append((self._call_with(node, function.source, arguments), self.block))
        return self._joined(node, found, after)


def returned_type(result: Type) -> str:
    """
    Return the LLVM type that a function returns.

    Examples
    --------
    >>> returned_type(INT), returned_type(Tuple((INT, FLOAT)))
    ('i64', '{i64, double}')
    """
    parts = parts_of(result)
    return "void" if not parts else parts[0] if len(parts) == 1 else f"{{{', '.join(parts)}}}"
