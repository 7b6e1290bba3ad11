"""
The command ``evenfold``: from words on a command line to the packages and back; no statistics.

One file per command in :mod:`~evenfold.cli.commands`; what they share is beside them:
:mod:`~evenfold.cli.options` holds the options, :mod:`~evenfold.cli.output` says and writes results,
:mod:`~evenfold.cli.texts` makes tagged texts ready. Files and algorithms are read in
:mod:`evenfold.read`.
"""

from evenfold.cli.loading import listen_while_loading

listen_while_loading()  # all that takes time is loaded below

from evenfold.cli.app import app, main  # noqa: E402

__all__ = ["app", "main"]
