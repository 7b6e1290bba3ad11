"""``python -m evenfold.cli`` is the command ``evenfold``."""

from evenfold.cli.app import main

if __name__ == "__main__":
    main()
