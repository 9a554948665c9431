"""`python -m ttr_analysis`: the command `ttr-analysis`, for shells that do not find it."""

import sys

from ttr_analysis.cli import main

if __name__ == "__main__":
    sys.exit(main())
