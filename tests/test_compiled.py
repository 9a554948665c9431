"""Compiled functions keep to what numba does well."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ttr_analysis

PACKAGE = Path(ttr_analysis.__file__).parent


def is_compiled(function: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id in {"compiled", "lean", "inlined"} for d in function.decorator_list)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_compiled_function_calls_itself(path: Path) -> None:
    # One that came from the cache on disk crashed the process.
    functions = [
        node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)
    ]
    recursive = [
        function.name
        for function in functions
        if is_compiled(function)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == function.name
    ]
    assert recursive == []
