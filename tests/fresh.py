"""A compiled function in a fresh interpreter, with a cache of its own."""

import os
import subprocess
import sys
from pathlib import Path

KERNEL = """
import numpy as np
from ttr_analysis._jit import cache_folder, compiled

@compiled
def read(values, index):
    return values[index]
"""


def run_kernel(folder: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the kernel and some code in a fresh interpreter, with its cache in `folder`."""
    script = folder / "script.py"
    script.write_text(KERNEL + code, encoding="utf-8")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "TTR_"))}
    return subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        check=False,
        env={**inherited, "TTR_CACHE_DIR": str(folder / "cache"), **environment},
        text=True,
    )
