"""Machine code that calls something outside of it is built and loaded too, if not as near."""

from __future__ import annotations

import ctypes
import os

import pytest

from ttr_analysis._compile import build
from ttr_analysis._compile.types import NONE

TEXT = """
declare i32 @getpid()
define i64 @entry(ptr %frame) {
    %number = call i32 @getpid()
    %whole = sext i32 %number to i64
    ret i64 %whole
}
define void @exported(ptr %context) {
    ret void
}
"""


@pytest.fixture
def machine() -> build.Machine:
    code = build._machine_code(TEXT, build._QUICK)
    assert build._calls_outside(code)
    return build._load(code, NONE, [], ())


def test_it_is_called(machine: build.Machine) -> None:
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(machine.entry)(None) == os.getpid()


@pytest.mark.skipif(not build._is_near(), reason="only where parts of an object are near each other")
def test_what_calls_nothing_is_near() -> None:
    text = TEXT.replace("call i32 @getpid()", "add i32 40, 2").replace("declare i32 @getpid()", "")
    code = build._machine_code(text, build._QUICK)

    assert not build._calls_outside(code)
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(build._load(code, NONE, [], ()).entry)(None) == 42
