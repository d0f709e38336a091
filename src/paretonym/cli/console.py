"""What goes to a person's terminal: results to stdout, everything else to stderr."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paretonym.budget import Progress, silent
from paretonym.cli.option_flags import in_shell
from paretonym.errors import phrased, printable

if TYPE_CHECKING:
    from rich.console import Console


def output() -> Console:
    from rich.console import Console

    watched = sys.stdout.isatty()
    # A file or a pipe has no window width.
    return Console(
        highlight=False, emoji=False, markup=False, soft_wrap=not watched, width=None if watched else 160
    )


# Control characters, except line ends and tabs.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def harmless(text: str) -> str:
    r"""The text with its control characters escaped: names and paths may come from anybody.

    >>> print(harmless("a\x1b[31m"))
    a\x1b[31m
    """
    return CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def note(text: str, quiet: bool = False) -> None:
    """Print a remark for the person at the terminal; it is never part of the result."""
    if not quiet:
        sys.stderr.write(harmless(phrased(text, in_shell)) + "\n")
        sys.stderr.flush()


def warn(*texts: str) -> None:
    """Print warnings on stderr, with --quiet and --json too."""
    for text in texts:
        note(f"Warning: {printable(text)}")


def write_anyway() -> None:
    """Let a terminal or pipe show a question mark for each character that it cannot encode."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def print_json(document: Mapping[str, Any]) -> None:
    """Print one document; characters that stdout cannot encode are escaped, so that no value changes."""
    escaped = sys.stdout.encoding.lower() not in ("utf-8", "utf8")
    text = json.dumps(document, indent=1, ensure_ascii=escaped, allow_nan=False)
    # JSON itself escapes only those below 0x20.
    sys.stdout.write(CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


@dataclass(frozen=True)
class Watched:
    """Receives what a search reports while it runs: its progress, and in a few words its quality."""

    progress: Progress = silent
    state: Callable[[str], None] = lambda text: None

    def __call__(self, done: int, total: int) -> None:
        self.progress(done, total)


@contextmanager
def live_progress(what: str, quiet: bool) -> Iterator[Watched]:
    """Show a progress line with rate and time left if stderr is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield Watched()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[nodes]}"),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("elapsed,"),
        TimeRemainingColumn(),
        TextColumn("left"),
        TextColumn("{task.fields[state]}"),
    )
    with Progress(*columns, console=Console(stderr=True, highlight=False), transient=True) as bar:
        task = bar.add_task(what, total=None, nodes="", rate="", state="")

        def report(done: int, total: int) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:,.0f}/s" if speed else ""
            bar.update(task, completed=done, total=total, nodes=f"{done:,} of {total:,} nodes", rate=rate)

        yield Watched(report, lambda text: bar.update(task, state=text))
