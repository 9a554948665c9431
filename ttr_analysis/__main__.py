"""`python -m ttr_analysis`: the command `ttr-analysis`, where its folder is not on the path of the shell."""

import sys

from ttr_analysis.cli import main

if __name__ == "__main__":
    sys.exit(main())
