"""The application: its commands, and one line on standard error for every mistake."""

import os
import re
import sys
import warnings
from signal import SIGINT
from textwrap import shorten
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from evenfold.cli import signals
from evenfold.cli.child import run_in_child
from evenfold.cli.commands.compare import across, compare, demo
from evenfold.cli.commands.design import design
from evenfold.cli.commands.doctor import doctor
from evenfold.cli.commands.judge import judge
from evenfold.cli.commands.methods import methods
from evenfold.cli.commands.plan import plan
from evenfold.cli.commands.report import report, runs
from evenfold.cli.loading import interruption_message
from evenfold.cli.output import BAD_USAGE, FAILED, note, refuse_overwriting
from evenfold.cli.signals import Ended
from evenfold.cli.spelling import options_of, spell_error
from evenfold.core.checks import GONE, SYNONYMS
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.registry import announced
from evenfold.core.versions import version_line
from evenfold.core.words import one_line


class _OneLine(TyperGroup):
    """A group of commands that answers mistakes in one line instead of a traceback."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List our commands and those of other packages."""
        self._plug()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command; other packages are loaded only for one that is not ours."""
        if cmd_name not in self.commands:
            self._plug(cmd_name)
        if cmd_name == "lab" and cmd_name not in self.commands:
            raise InvalidInput(
                "evenfold lab needs a package that is not installed.",
                remedy="Run pip install evenfold-lab.",
            )
        return super().get_command(ctx, cmd_name)

    def _plug(self, only: str | None = None) -> None:
        for point in announced("evenfold.commands"):
            if point.name not in self.commands and only in (None, point.name):
                self.add_command(_announced_command(point.load()), point.name)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what it refuses is said in terms of its options."""
        try:
            return super().invoke(ctx)
        except InvalidInput as error:
            command = self.commands.get(ctx.invoked_subcommand, self)
            note(f"evenfold: {spell_error(error, options_of(command))}")
            ctx.exit(BAD_USAGE)

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line and exit with its code."""
        with warnings.catch_warnings():
            warnings.showwarning = _warner()
            try:
                code = self._code(*args, **options)
                if signals.is_answered():
                    code = code or 128 + SIGINT  # the caller learns of Ctrl-C
                elif signals.ending_signal() is not None:  # some code caught the exception
                    raise Ended(signals.ending_signal() or SIGINT)
            except Ended as ended:
                note(interruption_message())
                code = ended.code
            sys.exit(code)

    def _code(self, *args: Any, **options: Any) -> int:
        try:
            code = super().main(*args, **{**options, "standalone_mode": False}) or 0
            if code == 128 + SIGINT:
                raise Ended(SIGINT)
            return int(code)
        except (EvenfoldError, OSError) as error:
            note(f"evenfold: {one_line(error)}")
        except SystemExit as error:
            # the reader of a pipe has gone, as ``head`` does
            if isinstance(error.__context__, BrokenPipeError):
                return FAILED
            # commands never raise SystemExit, so an algorithm did
            note(
                f"evenfold: an algorithm ended the program by sys.exit({error.code!r}); nothing "
                "was decided"
            )
            return FAILED
        except Exception as error:
            if not hasattr(error, "format_message"):  # what typer raises for bad usage has it
                raise
            note(f"evenfold: {_usage(error)}")
        return BAD_USAGE


def _usage(error: Any) -> str:
    ctx = getattr(error, "ctx", None)
    command = getattr(ctx, "command_path", "evenfold")
    sentence = one_line(error.format_message()).rstrip(".")
    if sentence.startswith("Got unexpected extra argument") and command.endswith(" judge"):
        sentence += "; give one file of each model as --baseline FILE and --candidate FILE"
    typed = getattr(error, "option_name", "").removeprefix("--").replace("-", "_")
    if typed in GONE:
        return f"{error.option_name} is gone: {GONE[typed]}"
    if ctx is not None and typed:
        known = options_of(ctx.command).get(SYNONYMS.get(typed, typed))
        if known is not None and known.opts[0] != error.option_name:
            sentence = f"there is no option {error.option_name}; use {known.opts[0]}"
    return f"{sentence}; see {command} --help"


def _warner() -> Any:
    """Return a function that says each warning once, in one line."""
    shown: set[str] = set()

    def say(message: Warning | str, *_: Any, **__: Any) -> None:
        text = shorten(str(message), 200, placeholder=" ...")
        if text not in shown:
            shown.add(text)
            note(f"evenfold: warning: {text}")

    return say


class _Careful(TyperCommand):
    """A command that refuses to overwrite the files that it reads."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse a file that is both read and written, before anything is done."""
        rest = super().parse_args(ctx, args)
        refuse_overwriting(ctx)
        return rest


def _announced_command(command: Any) -> Any:
    """Return the command that a package announces: an application of its own, or a function."""
    if isinstance(command, typer.Typer):
        return get_command(command)
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(cls=_Careful)(command)
    return get_command(alone)


class _Negative(_Careful):
    """A command whose argument may be a negative number, which looks like an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Move a negative number that is not the value of an option behind all options."""
        for k, word in enumerate(args):
            if re.fullmatch(r"-(\d+\.?\d*|\.\d+)", word) and not (
                k and args[k - 1].startswith("--")
            ):
                return super().parse_args(ctx, [*args[:k], *args[k + 1 :], "--", word])
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_OneLine,
    name="evenfold",
    help="Is algorithm B really better than algorithm A, by how much, and how sure can I be?",
    epilog="Exit codes: 0 done, whatever the verdict; 1 fits failed, or files of a folder cannot "
    "be used; 2 bad usage; 3 the gate --fail-unless failed; 4 the gate is inconclusive.",
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (compare, judge, across, demo, report, runs, design, methods, plan, doctor):
    app.command(cls=_Negative if command is plan else _Careful)(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(version_line())
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _front(
    ctx: typer.Context,
    version: Annotated[  # noqa: ARG001  (its callback does the work)
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show versions and exit."),
    ] = False,
) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def main() -> None:
    """Run the command ``evenfold``."""
    signals.open_closed_streams()
    if sys.path and sys.path[0] == "":  # of ``python -c``: the current folder, whatever lies there
        del sys.path[0]
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # worker processes do not look there either
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # real text streams have it
    if any(word.startswith("--fail-unless") for word in sys.argv):
        run_in_child(_run)
    _run()


def _run() -> None:
    """Run the application. After its end all signals are ignored."""
    try:
        signals.listen()
        try:
            app(prog_name="evenfold")
        finally:
            signals.ignore_signals()
    except Ended as ended:  # the signal came before or after the application
        note(interruption_message())
        sys.exit(ended.code)
