"""``python -m evenfold`` is the command ``evenfold``."""

import os
import sys

if __name__ == "__main__":
    # ``-m`` puts the current folder first, but files beside data are no modules unless they are
    # named. Without pathlib, which takes long to load: see evenfold.cli.loading.
    here = os.getcwd()  # noqa: PTH109
    home = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
    if sys.path and sys.path[0] == here and here != home:
        del sys.path[0]

    from evenfold.cli import main

    main()
