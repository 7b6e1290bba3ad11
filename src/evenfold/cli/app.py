"""The application: its commands, and one line on standard error for every mistake."""

import os
import sys
import warnings
from importlib.metadata import entry_points
from signal import SIGINT
from textwrap import shorten
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from evenfold.cli.commands.compare import compare
from evenfold.cli.commands.demo import demo
from evenfold.cli.commands.design import design
from evenfold.cli.commands.doctor import doctor
from evenfold.cli.commands.judge import judge
from evenfold.cli.commands.keep import keep
from evenfold.cli.commands.methods import methods
from evenfold.cli.commands.plan import plan
from evenfold.cli.commands.report import report
from evenfold.cli.commands.runs import runs
from evenfold.cli.guard import guarded
from evenfold.cli.output import BAD_USAGE, FAILED, note
from evenfold.cli.signals import INTERRUPTED, Ended, asked_to_end, deafen, listen, open_closed_streams
from evenfold.cli.spelling import options_of, spelled
from evenfold.core.checks import refuse
from evenfold.core.errors import EvenfoldError, in_a_line


class _OneLine(TyperGroup):
    """A group of commands that answers mistakes in one line instead of a traceback."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List our commands and those of other packages."""
        self._plug()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command; other packages are loaded only for one that is not ours."""
        if cmd_name not in self.commands:
            self._plug()
        if cmd_name == "lab" and cmd_name not in self.commands:
            refuse("evenfold lab", "installed", "nothing", "pip install evenfold-lab")
        return super().get_command(ctx, cmd_name)

    def _plug(self) -> None:
        for point in entry_points(group="evenfold.commands"):
            if point.name not in self.commands:
                self.add_command(get_command(point.load()), point.name)

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line and exit with its code."""
        with warnings.catch_warnings():
            warnings.showwarning = _warner()
            try:
                code = self._code(*args, **options)
                if asked_to_end() is not None:  # and somebody swallowed it
                    raise Ended(asked_to_end() or SIGINT)
            except Ended as ended:
                note(INTERRUPTED)
                code = ended.code
            sys.exit(code)

    def _code(self, *args: Any, **options: Any) -> int:
        try:
            code = super().main(*args, **{**options, "standalone_mode": False}) or 0
            if code == 128 + SIGINT:
                raise Ended(SIGINT)
            return int(code)
        except (EvenfoldError, OSError) as error:
            note(f"evenfold: {spelled(in_a_line(error), options_of(self))}")
        except SystemExit as error:
            if isinstance(error.__context__, BrokenPipeError):  # the reader has seen enough, as ``head`` does
                return FAILED
            # commands never raise it: an algorithm did, and that is no answer
            note(f"evenfold: an algorithm ended the program by sys.exit({error.code!r}); nothing was decided")
            return FAILED
        except Exception as error:
            if not hasattr(error, "format_message"):  # what typer raises for bad usage has it
                raise
            note(f"evenfold: {_usage(error)}")
        return BAD_USAGE


def _usage(error: Any) -> str:
    command = getattr(getattr(error, "ctx", None), "command_path", "evenfold")
    return f"{in_a_line(error.format_message()).rstrip('.')}; see {command} --help"


def _warner() -> Any:
    """Return a function that says each warning once, in one line."""
    said: set[str] = set()

    def say(message: Warning | str, *_: Any, **__: Any) -> None:
        text = shorten(str(message), 200, placeholder=" ...")
        if text not in said:
            said.add(text)
            note(f"evenfold: warning: {text}")

    return say


app = typer.Typer(
    cls=_OneLine,
    name="evenfold",
    help="Is algorithm B really better than algorithm A, by how much, and how sure can I be?",
    epilog="Exit codes: 0 done, whatever the verdict; 1 fits failed or files of a folder cannot be used; "
    "2 bad usage; 3 the gate --fail-unless failed, 4 it is undecided.",
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (compare, judge, keep, demo, report, runs, design, methods, plan, doctor):
    app.command()(command)


def _version(asked: bool) -> None:
    if asked:
        from evenfold.cli.installed import version_line

        typer.echo(version_line())
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _front(
    ctx: typer.Context,
    version: Annotated[  # noqa: ARG001  (its callback does the work)
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Say the versions that matter and exit.",
        ),
    ] = False,
) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def main() -> None:
    """Run the command ``evenfold``."""
    open_closed_streams()
    if sys.path and sys.path[0] == "":  # of ``python -c``: the current folder, whatever lies there
        del sys.path[0]
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # nor do worker processes look there
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # real text streams have it
    if hasattr(os, "fork") and any(word.startswith("--fail-unless") for word in sys.argv):
        guarded(_run)
    _run()


def _run() -> None:
    """Run the application; from the first signal to the exit there is no place for a second one."""
    try:
        listen()
        try:
            app(prog_name="evenfold")
        finally:
            deafen()
    except Ended as ended:  # between two lines of our own
        note(INTERRUPTED)
        sys.exit(ended.code)
