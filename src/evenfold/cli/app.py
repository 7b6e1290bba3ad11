"""The application: its commands, and one line on standard error for every mistake."""

import os
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote
from signal import SIGINT
from tempfile import TemporaryDirectory
from textwrap import shorten
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from evenfold.cli.commands.compare import across, compare, demo
from evenfold.cli.commands.design import design
from evenfold.cli.commands.doctor import doctor
from evenfold.cli.commands.judge import judge
from evenfold.cli.commands.methods import methods
from evenfold.cli.commands.plan import plan
from evenfold.cli.commands.report import report, runs
from evenfold.cli.gate import UNDECIDED
from evenfold.cli.loading import interruption_message
from evenfold.cli.output import BAD_USAGE, FAILED, note, refuse_overwriting, say
from evenfold.cli.signals import (
    SIGNALS,
    Ended,
    ending_signal,
    ignore_signals,
    is_answered,
    listen,
    open_closed_streams,
)
from evenfold.core.checks import ELLIPSIS, GONE, SYNONYMS, Advice, python_spelling
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.processes import follow
from evenfold.core.registry import announced
from evenfold.core.versions import version_line
from evenfold.core.words import one_line

# A gate is asked in a process of its own, so that only an answer passes.
#
# Own code that runs inside the process can end it at once, with exit code 0 (`os._exit(0)`, or a
# library that crashes politely). So the process tells its parent the exit code when it has come to
# its end, through a pipe, or in a file where nothing can be forked; without that word nothing was
# decided. Code that wants to deceive can still do so: this is against accidents.
#
# Signals to the parent are passed on, whoever sent them; the child keeps what is finished and says
# so. One that is deaf to them, in native code, is ended after a while.


# to write what is finished, before those who started us lose their own patience
_GRACE_SECONDS = 20
_TELL = "EVENFOLD_TELL"  # the file in which a process that was not forked tells its code


def run_in_child(run: Callable[[], Any]) -> None:
    """Call ``run``, which exits, in a child process and exit with the code that it tells."""
    if hasattr(os, "fork"):
        _fork(run)
    elif _TELL in os.environ:
        file = Path(os.environ.pop(_TELL))  # which is not for those whom we start
        _run_and_tell(run, os.getppid(), file.write_bytes)
    else:
        _start_again()


def _start_again() -> NoReturn:
    """Run the same command in a new process, which finds in its variables where to tell."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "code"
        command = [sys.executable, *sys.orig_argv[1:]]
        child = subprocess.Popen(command, env={**os.environ, _TELL: str(file)})
        ignore_signals()  # a console sends Ctrl-C to both; the child says what is kept
        status = child.wait()
        reported = file.read_bytes() if file.exists() else b""
    sys.exit(_code_of_child(status, reported))


def _fork(run: Callable[[], Any]) -> None:
    reading, writing = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until both know what to do with them
    parent = os.getpid()
    child = os.fork()
    if child:
        os.close(writing)
        sys.exit(_ChildProcess(child).code(reading))
    os.close(reading)
    _run_and_tell(run, parent, lambda code: os.write(writing, code))


def _run_and_tell(run: Callable[[], Any], parent: int, tell: Callable[[bytes], Any]) -> None:
    follow(parent, lambda: os.kill(os.getpid(), signal.SIGTERM))
    try:
        run()  # which listens to signals again
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else FAILED
        with suppress(OSError):  # the parent was killed
            tell(bytes([code]))
        raise


def _code_of_child(status: int, reported: bytes) -> int:
    """Return the exit code of a process that told it; otherwise say that there is no answer."""
    if reported and reported[0] == status:
        return status
    how = f"ended by itself with code {status}"
    if status < 0:
        how = f"was ended by signal {-status}"
    say(f"the process {how} before it had an answer; nothing was decided")
    return FAILED


class _ChildProcess:
    """The child process, and the signal that it was asked to end by."""

    def __init__(self, child: int) -> None:
        self._child = child
        self._asked: int | None = None
        for signal_ in SIGNALS:
            signal.signal(signal_, self._pass_on)
        signal.signal(signal.SIGALRM, lambda *_: self._send(signal.SIGKILL))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def _pass_on(self, signum: int, frame: FrameType | None) -> None:  # noqa: ARG002  (as above)
        self._asked = signum
        self._send(signum)
        signal.alarm(_GRACE_SECONDS)

    def _send(self, signum: int) -> None:
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(self._child, signum)

    def code(self, reading: int) -> int:
        """Wait for the child; return what it told, if it ended so and nobody asked it to end."""
        status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        ignore_signals()
        os.set_blocking(reading, False)  # a grandchild may hold the other end
        try:
            reported = os.read(reading, 1)
        except BlockingIOError:
            reported = b""
        if status == UNDECIDED and reported == bytes([UNDECIDED]):
            return UNDECIDED  # an interrupted run may have an answer so far, which passes no gate
        if self._asked is not None:
            return self._code_of_signal(said=status > 128 and reported == bytes([status]))
        return _code_of_child(status, reported)

    def _code_of_signal(self, *, said: bool) -> int:
        """Return the code of the signal, whatever the child came to in the meantime."""
        if not said:
            note(interruption_message())
        return 128 + (self._asked or 0)


# What Python calls parameters, the command line calls options: an error that is about one names the
# other.


_ALSO = {
    "columns": "column",
    "random_state": "seed",
    "n_jobs": "jobs",
    "higher_is_better": "higher",
}
_ANOTHER = "balance"  # of a design, where --balance takes columns of a file


def options_of(command: Any) -> dict[str, Any]:
    """
    Return the options of a command, and of any below it, by the names that Python calls them.

    Examples
    --------
    >>> from typer.main import get_command
    >>> from evenfold.cli.app import app
    >>> known = options_of(get_command(app))
    >>> [known[name].opts[0] for name in ("margin", "random_state", "higher_is_better")]
    ['--margin', '--seed', '--higher-is-better']
    """
    options = {
        parameter.name: parameter
        for parameter in command.params
        if parameter.opts[0].startswith("--")
    }
    options.pop(_ANOTHER, None)
    for below in getattr(command, "commands", {}).values():
        options |= options_of(below)
    return options | {name: options[of] for name, of in _ALSO.items() if of in options}


def spell_error(error: EvenfoldError, options: Mapping[str, Any]) -> str:
    """
    Return the text of an error, with the option of the parameter in front.

    Examples
    --------
    >>> from typer.main import get_command
    >>> from evenfold.cli.app import app
    >>> options = options_of(get_command(app))
    >>> spell_error(InvalidInput("margin must be ≥ 0 but got -1.", parameter="margin"), options)
    '--margin: margin must be ≥ 0 but got -1.'
    """
    if not isinstance(error, InvalidInput):
        return one_line(error)
    remedy = error.remedy
    if isinstance(remedy, Advice):
        remedy = spell_advice(remedy, options)
    message = one_line(f"{error.message} {remedy}")
    option = options.get(error.parameter or "")
    if option is None:
        return message
    return f"{option.opts[0]}: {message}"


def spell_advice(advice: Advice, options: Mapping[str, Any]) -> str:
    """
    Return advice with options in the place of parameters; what is no option stays as it is.

    Examples
    --------
    >>> from typer.main import get_command
    >>> from evenfold.cli.app import app
    >>> options = options_of(get_command(app))
    >>> spell_advice(Advice("pass ", {"columns": {"example": "my id", "value": ELLIPSIS}}), options)
    "pass --column 'example=my id' --column value=…"
    >>> spell_advice(Advice("pass ", {"higher_is_better": (True, False)}), options)
    'pass --higher-is-better or --lower-is-better'
    """

    def spell(name: str, value: object) -> str:
        if name in options:
            return _spell_option(options[name], value)
        return python_spelling(name, value)

    return advice.spelled(spell)


def _spell_option(option: Any, value: Any) -> str:
    name = option.opts[0]
    if value == ELLIPSIS:
        return str(name)
    if isinstance(value, Mapping):
        return " ".join(f"{name} {_quote_entry(key, choice)}" for key, choice in value.items())
    choices = value if isinstance(value, tuple) else (value,)
    if isinstance(choices[0], bool):
        return " or ".join(
            (option.opts if choice else option.secondary_opts)[0] for choice in choices
        )
    return f"{name} {' or '.join(quote(str(choice)) for choice in choices)}"


def _quote_entry(key: str, value: str) -> str:
    entry = f"{key}={value}"
    return entry if value == ELLIPSIS else quote(entry)


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
                if is_answered():
                    code = code or 128 + SIGINT  # whoever waits for the end is told of Ctrl-C
                elif ending_signal() is not None:  # and somebody swallowed it
                    raise Ended(ending_signal() or SIGINT)
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
            # the reader has seen enough, as ``head`` does
            if isinstance(error.__context__, BrokenPipeError):
                return FAILED
            # commands never raise it: an algorithm did, and that is no answer
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
    """A command that does not write on what it reads."""

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
        """Put a negative number that is no option's value behind all options."""
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
for command in (
    compare,
    judge,
    across,
    demo,
    report,
    runs,
    design,
    methods,
    plan,
    doctor,
):
    app.command(cls=_Negative if command is plan else _Careful)(command)


def _version(asked: bool) -> None:
    if asked:
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
            help="Show versions and exit.",
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
    if any(word.startswith("--fail-unless") for word in sys.argv):
        run_in_child(_run)
    _run()


def _run() -> None:
    """Run the application; from the first signal to the exit there is no place for a second one."""
    try:
        listen()
        try:
            app(prog_name="evenfold")
        finally:
            ignore_signals()
    except Ended as ended:  # between two lines of our own
        note(interruption_message())
        sys.exit(ended.code)
