"""Machine code is linked with what it calls outside of itself."""

import ctypes
import os

from ttr_analysis._compile import build
from ttr_analysis._compile.types import NONE

TEXT = """
declare i32 @getpid()
define i64 @entry(ptr %frame) {
    %number = call i32 @getpid()
    %whole = sext i32 %number to i64
    ret i64 %whole
}
@exported = alias i64 (ptr), ptr @entry
"""


def test_a_function_of_the_c_library_is_called() -> None:
    machine = build._load(build._machine_code(TEXT, build._QUICK), NONE, [], ())

    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(machine.entry)(None) == os.getpid()
