"""The syntax tree of a function, and the error that says what in it cannot be compiled."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ttr_analysis._compile.types import Type, cell_from_annotation, from_annotation, hints_of, parameters_of


class SubsetError(Exception):
    """
    A construct that the compiler does not take.

    Parameters
    ----------
    place
        File and line.
    what
        The construct.
    instead
        What to write instead.
    """

    def __init__(self, place: str, what: str, instead: str) -> None:
        super().__init__(f"{place}: {what}; {instead}")


_INSTEAD: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "define a compiled function"),
    ast.ListComp: ("a list comprehension", "fill an array in a loop"),
    ast.SetComp: ("a set comprehension", "mark members in an array of flags"),
    ast.DictComp: ("a dict comprehension", "fill an array in a loop"),
    ast.GeneratorExp: ("a generator", "write a loop"),
    ast.List: ("a list", "write a tuple, or an array by np.zeros(n, dtype=np.int64)"),
    ast.Dict: ("a dict", "use an array, or a record with named fields"),
    ast.Set: ("a set", "write a tuple, or mark members in an array of flags"),
    ast.JoinedStr: ("text", "return a number, and say it in words where it is called from"),
    ast.Await: ("await", "compiled code never waits"),
    ast.Yield: ("yield", "fill an array, and return how many"),
    ast.YieldFrom: ("yield from", "fill an array, and return how many"),
    ast.NamedExpr: ("an assignment inside an expression", "assign on a line of its own"),
    ast.Starred: ("a starred expression", "name the items one by one"),
    ast.Try: ("try", "return a code that says what went wrong"),
    ast.TryStar: ("try", "return a code that says what went wrong"),
    ast.Raise: ("raise", "return a code that says what went wrong, and raise where it is called from"),
    ast.Assert: ("assert", "check where it is called from"),
    ast.With: ("with", "do that where it is called from"),
    ast.Match: ("match", "write if and elif"),
    ast.Delete: ("del", "leave it out"),
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


@dataclass(frozen=True, eq=False)
class Source:
    """
    A function to be compiled.

    Parameters
    ----------
    function
        The Python function.
    """

    function: Callable[..., Any]

    @cached_property
    def name(self) -> str:
        """Module and name."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    @cached_property
    def file(self) -> str:
        """The file in which it stands."""
        return self.function.__code__.co_filename

    @cached_property
    def text(self) -> str:
        """The source itself, without the indentation of its place."""
        try:
            return textwrap.dedent(inspect.getsource(self.function))
        except (OSError, TypeError) as error:
            raise SubsetError(
                self.name, "a function without source text", "define it in a file or a notebook cell"
            ) from error

    @cached_property
    def tree(self) -> ast.FunctionDef:
        """The syntax tree, with the line numbers of the file."""
        tree = ast.parse(self.text).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise SubsetError(self.name, "something other than a function", "define it with def")
        decorators = [*tree.decorator_list, tree]
        ast.increment_lineno(tree, self.function.__code__.co_firstlineno - min(node.lineno for node in decorators))
        arguments = tree.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            raise self.refuse(tree, "parameters with * or after it", "take each argument by its position")
        return tree

    @cached_property
    def names(self) -> dict[str, object]:
        """What the names mean that the function does not assign."""
        cells = zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True)
        return {**vars(builtins), **self.function.__globals__, **{name: cell.cell_contents for name, cell in cells}}

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return parameters_of(self.function)

    @cached_property
    def hints(self) -> dict[str, object]:
        """Annotations by parameter, and `return`."""
        return hints_of(self.function)

    def declared(self, name: str) -> Type | None:
        """Return the type that a parameter, or `return`, is declared with; None if the call decides."""
        return from_annotation(self.hints[name]) if name in self.hints else None

    def declared_cell(self, name: str) -> object:
        """Return what an array is declared to hold, None if it is not said."""
        return cell_from_annotation(self.hints.get(name))

    def refuse(self, node: ast.AST, what: str, instead: str) -> SubsetError:
        """Return the error that a construct cannot be compiled."""
        line = getattr(node, "lineno", self.function.__code__.co_firstlineno)
        return SubsetError(f"{self.file}:{line}: {self.function.__name__}", what, instead)

    def refuse_node(self, node: ast.AST) -> SubsetError:
        """Return the error for a kind of syntax that is outside the subset."""
        usual = (f"{type(node).__name__} in compiled code", "see docs/compiler.md for what there is")
        what, instead = _INSTEAD.get(type(node), usual)
        return self.refuse(node, what, instead)
