"""The command `paretonym`: where errors become exit codes.

Nothing else is imported before Ctrl-C is watched for, so that an early Ctrl-C ends in the same way.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from paretonym.interfaces.cli import interruption

TYPE_CHECKING = False
if TYPE_CHECKING:
    from click import Command

NO, USAGE, OURS, INTERRUPTED = 1, 2, 70, 130
COMPLETION = "_PARETONYM_COMPLETE"


def main() -> None:
    """Run the command as a process of its own."""
    interruption.watch()
    try:
        code = run()
    except KeyboardInterrupt:
        code = INTERRUPTED
    # From here on there is nothing left to interrupt.
    interruption.ignore()
    _flush()
    interruption.end_if_asked()
    if code == INTERRUPTED:
        # At once: do not wait for threads that still compute, or for libraries to be unloaded under them.
        os._exit(code)
    sys.exit(code)


def run() -> int:
    """Run the command and return its exit code. A user's mistake is one message; a bug of ours is reported
    without data. Any error after Ctrl-C counts as its consequence."""
    try:
        code = _ended()
    except BaseException as error:
        if interruption.pressed() or isinstance(error, KeyboardInterrupt):
            return _interrupted()
        if not isinstance(error, Exception):
            raise
        return _said(error)
    return INTERRUPTED if interruption.pressed() else code


def _interrupted() -> int:
    """Say so, where no command has said more. Nothing is imported for it: that was perhaps interrupted."""
    # Whoever reads it was perhaps interrupted, too.
    with suppress(OSError):
        sys.stderr.write("\nInterrupted.\n")
    return INTERRUPTED


def _ended() -> int:
    from click import ClickException
    from click.exceptions import Exit

    from paretonym.interfaces.cli.commands import program
    from paretonym.interfaces.cli.screen import write_anyway

    write_anyway()
    try:
        if instruction := os.environ.get(COMPLETION):
            code = _completed(program, instruction)
        else:
            # Not program.main, which would report Ctrl-C and closed pipes in its own way.
            code = 0
            with program.make_context("paretonym", sys.argv[1:]) as context:
                program.invoke(context)
    except Exit as stop:
        code = stop.exit_code
    except ClickException as error:
        error.show()
        code = error.exit_code
    except SystemExit as stop:
        # The reader of the pipe has closed it; rich exits with 1, which is our answer "no".
        if isinstance(stop.__context__, BrokenPipeError):
            return _nobody_reads()
        raise
    # Flush here and not when Python ends: a full disk is an error of the command.
    sys.stdout.flush()
    return code


def _completed(program: Command, asked: str) -> int:
    """Answer a shell that asks for its script, or what could come next."""
    from click.shell_completion import shell_complete

    what, _, shell = asked.partition("_")
    # What we call "source_bash" is "bash_source" for click.
    instruction = f"{shell}_{what}" if what in ("source", "complete") else asked
    return shell_complete(program, {}, "paretonym", COMPLETION, instruction)


def _nobody_reads() -> int:
    """Discard what is left to flush at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def _said(error: Exception) -> int:
    """Print what went wrong and return the exit code."""
    from paretonym.base.errors import InputError, NoSolution
    from paretonym.base.files import REFUSALS
    from paretonym.interfaces.cli.option_flags import in_shell

    if isinstance(error, InputError):
        return _say(f"error: {error.said(in_shell)}", USAGE)
    if isinstance(error, NoSolution):
        return _say(error.said(in_shell), NO)
    if isinstance(error, MemoryError):
        return _say("error: out of memory; use fewer quasi-identifiers or coarser lowest levels", USAGE)
    if isinstance(error, BrokenPipeError):
        return _nobody_reads()
    if isinstance(error, OSError) and error.errno in REFUSALS:
        return _say(_refused(error), USAGE)
    if os.environ.get("PARETONYM_DEBUG"):
        raise error
    return _say(_report(error), OURS)


def _refused(error: OSError) -> str:
    """A message about a disk, a folder or a limit. The text of a library could contain data: only the path
    and the system's own words are shown."""
    named = isinstance(error.filename, str | bytes) and error.filename
    place = os.fsdecode(error.filename) if named else "writing failed"
    if not _output_flows():
        place = "writing to standard output failed"
    return f"error: {place}: {os.strerror(error.errno or 0)}; check the disk, its free space and permissions"


def _output_flows() -> bool:
    """True if stdout can be written; if not, it is not tried again when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return False
    return True


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue


def _say(text: str, code: int) -> int:
    from paretonym.interfaces.cli.screen import harmless

    sys.stderr.write(harmless(text) + "\n")
    return code


def _report(error: Exception) -> str:
    """A message that says where it happened, without any text that could contain data."""
    from paretonym.version import __version__

    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "unknown"
    if trace is not None:
        code = trace.tb_frame.f_code
        place = f"{os.path.basename(code.co_filename)}, line {trace.tb_lineno}, in {code.co_name}"  # noqa: PTH119
    return (
        f"bug: this is a mistake in paretonym {__version__}, not yours: {type(error).__name__} at {place}.\n"
        "Please report it with this line and the command you ran, without any data. "
        "PARETONYM_DEBUG=1 shows the whole traceback; it may contain values of your table."
    )
