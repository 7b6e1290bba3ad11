"""``python -m evenfold`` is the command ``evenfold``."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # ``-m`` puts the current folder first, but files beside data are no modules unless they are
    # named
    here = str(Path.cwd())
    if sys.path and sys.path[0] == here and here != str(Path(__file__).parent.parent):
        del sys.path[0]

    from evenfold.cli import main

    main()
