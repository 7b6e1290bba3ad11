"""``python -m evenfold`` is the command ``evenfold``."""

from evenfold.cli import main

if __name__ == "__main__":
    main()
