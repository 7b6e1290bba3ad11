"""
The command ``evenfold``: from words on a command line to the rooms and back; no statistics.

One file per command; what they share is beside them: :mod:`~evenfold.cli.estimators` and
:mod:`~evenfold.cli.designs` read what is written on the line, :mod:`~evenfold.cli.data` reads files,
:mod:`~evenfold.cli.output` says and writes results, :mod:`~evenfold.cli.options` holds the options.
"""

from evenfold.cli.app import app, main

__all__ = ["app", "main"]
