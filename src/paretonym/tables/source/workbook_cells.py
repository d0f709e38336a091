"""Cells of a workbook, read by calamine in a process of its own: a file of a few bytes may claim a sheet of
billions of cells, and a reader that runs out of memory takes its process with it.

This file is also the program of that process. It reads the workbook from its standard input, within limits on
memory and time (where the system has them), and writes the cells to its standard output, pickled. It loads
nothing else of this package.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

EMPTY = ""
# What the process says with its exit code if it cannot read the workbook.
PROTECTED, DAMAGED, TOO_LARGE, TOO_LONG = 3, 4, 5, 6
# Memory and seconds for any workbook, and for each byte and megabyte that it has once unpacked.
MEMORY, MEMORY_PER_BYTE = 1 << 30, 10
SECONDS, SECONDS_PER_MEGABYTE = 30, 0.5
# A machine that does other things as well needs longer than its processor counts.
PATIENCE = 10


class Book(NamedTuple):
    """The names of the sheets, and of the visible ones with cells; how many cells each of these has in rows
    of several, if there are several. The number of its first row and the rows of the sheet that is named, or
    that is the only one."""

    names: list[str]
    filled: list[str]
    cells: dict[str, int]
    sheet: str | None
    rows: list[tuple[int, list[Any]]]


class Unreadable(Exception):
    """The workbook cannot be read; the code says why."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class _Plain(pickle.Unpickler):
    """Reads plain values, dates and times, nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if module != "datetime":
            raise pickle.UnpicklingError(name)
        return super().find_class(module, name)


def memory_for(size: int) -> int:
    """The memory in which a workbook of so many bytes, once unpacked, can be read; at most half of the
    machine's.

    >>> memory_for(0) == MEMORY
    True
    """
    with suppress(AttributeError, ValueError, OSError):
        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        return max(MEMORY, min(MEMORY + MEMORY_PER_BYTE * size, half))
    return MEMORY + MEMORY_PER_BYTE * size


def cells_of(stream: Any, sheet: str | None, size: int) -> Book:
    """The cells in a workbook of so many bytes once unpacked; `Unreadable` if it cannot be read."""
    seconds = int(SECONDS + SECONDS_PER_MEGABYTE * (size >> 20))
    request = [ascii(sheet), str(memory_for(size)), str(seconds)]
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-P", str(Path(__file__)), *request],
        stdin=stream,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    waiting = threading.Timer(PATIENCE * seconds, process.kill)
    waiting.daemon = True
    with process:
        waiting.start()
        try:
            cells = None
            with suppress(EOFError, pickle.UnpicklingError):
                cells = _Plain(process.stdout).load()  # type: ignore[arg-type]
            code = process.wait()
        finally:
            late = not waiting.is_alive()
            waiting.cancel()
            process.kill()
    if code or cells is None:
        raise Unreadable(_reason(code, late))
    return Book(*cells)


def _reason(code: int, late: bool) -> int:
    """The reason for an exit code: its own word, or a signal."""
    import signal

    if code == 1:
        raise RuntimeError("the reader of workbooks did not start")
    if late or code == -getattr(signal, "SIGXCPU", 0):
        return TOO_LONG
    return code if code in (PROTECTED, DAMAGED) else TOO_LARGE


def _main(sheet: str | None, memory: int, seconds: int) -> int:
    """Read the standard input and write what was found; the exit code."""
    import python_calamine

    _bound(memory, seconds)
    try:
        with open(0, "rb", closefd=False) as stream:
            stream.seek(0)
            book = _read(python_calamine.CalamineWorkbook.from_filelike(stream), sheet)
        pickle.dump(tuple(book), sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
        sys.stdout.buffer.flush()
    except python_calamine.PasswordError:
        return PROTECTED
    except MemoryError:
        return TOO_LARGE
    except BaseException:
        # A panic of the library is no Exception. Texts could hold cells.
        return DAMAGED
    return 0


def _bound(memory: int, seconds: int) -> None:
    """Let this process take no more than this, where that can be limited."""
    with suppress(ImportError):
        import resource

        for name, most in (("RLIMIT_AS", memory), ("RLIMIT_CPU", seconds), ("RLIMIT_CORE", 0)):
            with suppress(AttributeError, ValueError, OSError):
                limit = getattr(resource, name)
                _, hard = resource.getrlimit(limit)
                if hard == resource.RLIM_INFINITY or most < hard:
                    resource.setrlimit(limit, (most, hard))


def _read(book: Any, sheet: str | None) -> Book:
    names = list(book.sheet_names)
    visible = [page.name for page in book.sheets_metadata if str(page.visible).endswith(".Visible")]
    filled = [name for name in visible if book.get_sheet_by_name(name).height]
    if sheet is None and len(filled) == 1:
        sheet = filled[0]
    if sheet in names:
        return Book(names, filled, {}, sheet, _rows(book.get_sheet_by_name(sheet)))
    return Book(names, filled, {name: _in_rows_of_several(book, name) for name in filled}, sheet, [])


def _rows(page: Any) -> list[tuple[int, list[Any]]]:
    """The rows that are not blank with their numbers, from 1."""
    first = 1 + (page.start[0] if page.start else 0)
    every = enumerate(page.to_python(skip_empty_area=True), first)
    return [(number, row) for number, row in every if any(cell != EMPTY for cell in row)]


def _in_rows_of_several(book: Any, name: str) -> int:
    widths = (sum(cell != EMPTY for cell in row) for _number, row in _rows(book.get_sheet_by_name(name)))
    return sum(width for width in widths if width > 1)


if __name__ == "__main__":
    from ast import literal_eval

    sys.exit(_main(literal_eval(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
