"""The small files of the command line's tests serve the readers, too."""

from tests.cli.conftest import numbers, table

__all__ = ["numbers", "table"]
