"""Output for a person in a terminal: the answer first, then one line for each kind of warning, then the next
command; everything behind the answer with `--details`. Answers go to stdout, all else to stderr."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paretonym.base.budget import Progress, silent
from paretonym.base.errors import phrased, printable
from paretonym.base.notice import in_brief
from paretonym.interfaces.cli.option_flags import in_shell

__all__ = ["PLAIN", "Screen", "columns", "note", "output", "print_json"]

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table


@dataclass(frozen=True)
class View:
    """One answer: the `document` that `--json` prints, or the `lines` and the `hint` (what to do next) that
    people read; `details` makes what stands behind it."""

    document: Mapping[str, Any]
    lines: Sequence[str] = ()
    warnings: Sequence[str] = ()
    hint: str = ""
    details: Callable[[], Iterable[RenderableType]] | None = None


@dataclass(frozen=True)
class Screen:
    """Form in which an answer is printed: as JSON, or for people."""

    as_json: bool = False
    quiet: bool = False

    @property
    def detailed(self) -> bool:
        return False

    @property
    def hushed(self) -> bool:
        return self.quiet or self.as_json

    def note(self, text: str) -> None:
        """Print a remark for the person at the terminal; it is never part of the result."""
        if not self.hushed:
            note(text)

    def warn(self, *texts: str) -> None:
        """Print warnings on stderr, with --quiet and --json too."""
        for text in texts if self.detailed else in_brief(texts):
            note(f"Warning: {printable(text)}")

    def show(self, view: View) -> None:
        """Print an answer."""
        if self.as_json:
            print_json(view.document)
        else:
            for line in view.lines:
                output().print(harmless(line))
            if self.detailed and view.details is not None:
                output().print(*view.details(), sep="\n")
        sys.stdout.flush()
        if view.warnings:
            self.warn(*view.warnings)
        if view.hint:
            self.note(view.hint)

    @contextmanager
    def progress(self, what: str) -> Iterator[Progress]:
        """Show a progress line with rate and time left if stderr is a terminal."""
        if self.hushed or not sys.stderr.isatty():
            yield silent
            return
        with _bar(what) as watched:
            yield watched


@dataclass(frozen=True)
class DetailedScreen(Screen):
    """Form in which commands with `--details` print."""

    details: bool = False

    @property
    def detailed(self) -> bool:
        return self.details


# Defaults of commands.
PLAIN, DETAILED = Screen(), DetailedScreen()


def output() -> Console:
    from rich.console import Console

    watched = sys.stdout.isatty()
    # A file or a pipe has no window width.
    return Console(
        highlight=False, emoji=False, markup=False, soft_wrap=not watched, width=None if watched else 160
    )


def columns(*headings: str, title: str | None = None, rows: Iterable[Sequence[object]] = ()) -> Table:
    """A table; a heading that begins with ">" stands over numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left", title_style="bold")
    for heading in headings:
        number = heading.startswith(">")
        table.add_column(
            heading.removeprefix(">"),
            justify="right" if number else "left",
            no_wrap=number,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(printable(str(cell)) for cell in row))
    return table


# Control characters, except line ends and tabs.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def harmless(text: str) -> str:
    r"""The text with its control characters escaped: names and paths may come from anybody.

    >>> print(harmless("a\x1b[31m"))
    a\x1b[31m
    """
    return CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def note(text: str) -> None:
    """Print a remark on stderr."""
    sys.stderr.write(harmless(phrased(text, in_shell)) + "\n")
    sys.stderr.flush()


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
    sys.stdout.write(CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n")


@contextmanager
def _bar(what: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as ProgressBar

    bar_columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[nodes]}"),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("elapsed,"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with ProgressBar(*bar_columns, console=Console(stderr=True, highlight=False), transient=True) as bar:
        task = bar.add_task(what, total=None, nodes="", rate="")

        def report(done: int, total: int) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:,.0f}/s" if speed else ""
            bar.update(task, completed=done, total=total, nodes=f"{done:,} of {total:,} nodes", rate=rate)

        yield report
