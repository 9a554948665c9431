"""The syntax tree of a function, and the error for constructs that cannot be compiled."""

from __future__ import annotations

import ast
import builtins
import hashlib
import inspect
import linecache
from collections.abc import Callable
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from ttr_analysis._compile.types import Record, Type, cell_from_annotation, from_annotation, hints_of, parameters_of


class SubsetError(Exception):
    """A construct that the compiler does not support: place, description, and alternative."""

    def __init__(self, place: str, what: str, instead: str) -> None:
        super().__init__(f"{place}: {what}; {instead}")


_INSTEAD: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "define a compiled function"),
    ast.ListComp: ("a list comprehension", "fill an array in a loop"),
    ast.SetComp: ("a set comprehension", "mark members in an array of flags"),
    ast.DictComp: ("a dict comprehension", "fill an array in a loop"),
    ast.GeneratorExp: ("a generator", "write a loop"),
    ast.List: ("a list", "write a tuple, or an array with np.zeros(n, dtype=np.int64)"),
    ast.Dict: ("a dict", "use an array, or a record with named fields"),
    ast.Set: ("a set", "write a tuple, or mark members in an array of flags"),
    ast.JoinedStr: ("an f-string", "return a number, and format it in the caller"),
    ast.Await: ("await", "compiled code never waits"),
    ast.Yield: ("yield", "fill an array, and return the number of items"),
    ast.YieldFrom: ("yield from", "fill an array, and return the number of items"),
    ast.NamedExpr: ("an assignment inside an expression", "assign on a separate line"),
    ast.Starred: ("a starred expression", "write the items one by one"),
    ast.Try: ("try", "return an error code"),
    ast.TryStar: ("try", "return an error code"),
    ast.Raise: ("raise", "return an error code, and raise in the caller"),
    ast.Assert: ("assert", "check in the caller"),
    ast.With: ("with", "use it in the caller"),
    ast.Match: ("match", "write if and elif"),
    ast.Delete: ("del", "remove it"),
    ast.Global: ("global", "pass the value as an argument and return it"),
    ast.Nonlocal: ("nonlocal", "pass the value as an argument and return it"),
    ast.Import: ("an import", "import at the top of the module"),
    ast.ImportFrom: ("an import", "import at the top of the module"),
    ast.FunctionDef: ("a function in a function", "define it at the top of the module, compiled too"),
    ast.AsyncFunctionDef: ("an async function", "compiled code never waits"),
    ast.ClassDef: ("a class in a function", "define it at the top of the module"),
    ast.AsyncFor: ("async for", "compiled code never waits"),
    ast.AsyncWith: ("async with", "compiled code never waits"),
}


class Text:
    """The text of a file or notebook cell at the time when its functions were defined."""

    known: ClassVar[dict[str, Text]] = {}
    """The text of the running code, by file."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    @staticmethod
    def of(file: str, names: dict[str, Any]) -> Text:
        """Return the text of a file, rereading it only if the file has changed."""
        linecache.checkcache(file)
        lines = linecache.getlines(file, names)
        text = Text.known.get(file)
        if text is None or text.lines is not lines:
            text = Text.known[file] = Text(lines)
        return text

    @cached_property
    def digest(self) -> str:
        """A hash of the text."""
        return hashlib.blake2b("".join(self.lines).encode(), digest_size=16).hexdigest()

    @cached_property
    def functions(self) -> dict[tuple[str, int], ast.AST]:
        """Syntax trees by name and first line, decorators included."""
        found: dict[tuple[str, int], ast.AST] = {}
        to_see: list[ast.AST] = [ast.parse("".join(self.lines))]
        while to_see:
            node = to_see.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found[node.name, min(part.lineno for part in [*node.decorator_list, node])] = node
            to_see += (part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.expr))
        return found


class Source:
    """A function to compile; by default its text is read from its file."""

    def __init__(self, function: Callable[..., Any], text: Text | None = None) -> None:
        self.function = function
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.file = function.__code__.co_filename
        self.line = function.__code__.co_firstlineno
        self.text = text or Text.of(self.file, function.__globals__)

    @cached_property
    def tree(self) -> ast.FunctionDef:
        """The syntax tree, with the line numbers of the file."""
        if not self.text.lines:
            raise SubsetError(self.name, "a function without source text", "define it in a file or a notebook cell")
        tree = self.text.functions.get((self.function.__name__, self.line))
        if not isinstance(tree, ast.FunctionDef):
            what = "an async function" if tree else "something other than a function"
            raise SubsetError(f"{self.file}:{self.line}: {self.function.__name__}", what, "define it with def")
        return tree

    @cached_property
    def local_names(self) -> frozenset[str]:
        code = self.function.__code__
        return frozenset(code.co_varnames + code.co_cellvars)

    @cached_property
    def defaults(self) -> dict[str, object]:
        """Default values by parameter."""
        values = self.function.__defaults__ or ()
        return dict(zip(self.parameters[len(self.parameters) - len(values) :], values, strict=True))

    @cached_property
    def names(self) -> dict[str, object]:
        """Global names, and variables of an enclosing function."""
        cells = zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True)
        return {**vars(builtins), **self.function.__globals__, **{name: cell.cell_contents for name, cell in cells}}

    @property
    def is_kept(self) -> bool:
        """Whether its machine code may be cached on disk: it is in a file, and not a closure."""
        return not self.function.__closure__ and Path(self.file).is_file()

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        code = self.function.__code__
        if code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
            raise self.error(None, "* or keyword-only parameters", "make all parameters positional")
        return parameters_of(self.function)

    @cached_property
    def hints(self) -> dict[str, object]:
        return hints_of(self.function)

    def declared(self, name: str) -> Type | None:
        """Return the type of a parameter, or of `return`; None without an annotation."""
        return from_annotation(self.hints[name]) if name in self.hints else None

    def declared_cell(self, name: str) -> object:
        """Return the declared dtype of an array, or None."""
        return cell_from_annotation(self.hints.get(name))

    def error(self, node: ast.AST | None, what: str, instead: str) -> SubsetError:
        line = getattr(node, "lineno", self.line)
        return SubsetError(f"{self.file}:{line}: {self.function.__name__}", what, instead)

    def error_for(self, node: ast.AST) -> SubsetError:
        usual = (f"{type(node).__name__} in compiled code", "see docs/compiler.md for what is supported")
        what, instead = _INSTEAD.get(type(node), usual)
        return self.error(node, what, instead)


class Marked:
    """A function marked as compiled, as seen by the compiler. `Compiled` can also be called."""

    source: Source


def marked(thing: object) -> Marked | None:
    """Return the marked function of a Python object, or None."""
    thing = getattr(thing, "__compiled__", thing)
    return thing if isinstance(thing, Marked) else None


def is_functions(thing: object) -> bool:
    return isinstance(thing, tuple) and bool(thing) and all(isinstance(item, Marked) for item in thing)


def describe(thing: object) -> str:
    """
    Return a string that changes whenever the object that a name refers to changes.

    >>> describe(3), describe((1, 2.5)), describe(len)
    ('3', '(1, 2.5)', 'builtins.len')
    """
    if isinstance(thing, tuple) and any(isinstance(item, Marked) for item in thing):
        return ", ".join(map(describe, thing))
    if isinstance(thing, (bool, int, float, tuple, np.generic, Enum)):
        return repr(thing)
    function = marked(thing)
    if function is not None:
        thing = function.source
    if isinstance(thing, Source):
        declared = {name: str(thing.declared(name)) for name in thing.hints}
        return f"{thing.name} {thing.line} {thing.defaults} {declared}"
    home = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', type(thing).__name__)}"
    if isinstance(thing, type) and issubclass(thing, Record):
        layout = [(name, field.offset, field.shape) for name, field in thing.fields.items()]
        return f"{home} {thing.dtype} {layout}"
    if isinstance(thing, type) and issubclass(thing, Enum):
        return f"{home} {[(member.name, member.value) for member in thing]}"
    if isinstance(thing, type) and hasattr(thing, "_fields"):
        return f"{home} {thing._fields} {getattr(thing, '_field_defaults', '')}"
    return getattr(thing, "__name__", home) if isinstance(thing, ModuleType) else home
