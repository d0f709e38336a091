"""One long job at a time, in a process of its own, so that it can be stopped at any moment."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.base.errors import InputError, ParetonymError, Problem
from paretonym.interfaces.web.problem_json import problems_json, without_folder
from paretonym.interfaces.web.worker import main

Result: TypeAlias = dict[str, Any]
PATIENCE = 3.0


@dataclass(frozen=True, slots=True)
class JobState:
    """The progress of a job, in no language before it is shown. `state` is running, done, failed or
    cancelled; "none" before the first job. `reading` is what was found about a file before its rows were
    read."""

    number: int = 0
    kind: str = ""
    state: str = "none"
    done: int = 0
    total: int = 0
    remark: str = ""
    problems: tuple[Problem, ...] = ()
    result: Result | None = None
    reading: Result | None = None
    begun: float = 0.0
    # Where an upload is kept; never shown.
    folder: str = ""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        seconds = time.monotonic() - self.begun if self.state == "running" else self.seconds
        names = ("number", "kind", "state", "done", "total", "remark", "result", "reading")
        return {
            **{name: getattr(self, name) for name in names},
            "problems": without_folder(problems_json(self.problems), self.folder),
            "seconds": round(seconds, 2),
        }


class Jobs:
    """Starts the worker, listens to it, ends it; whoever made it is told when a job has `ended`."""

    def __init__(self, ended: Callable[[JobState], None] = lambda state: None) -> None:
        self._ended = ended
        self._lock = threading.RLock()
        self._state = JobState()
        self._process: Any = None

    @property
    def state(self) -> JobState:
        return self._state

    def start(
        self, kind: str, arguments: Mapping[str, Any], finish: Callable[[Result], Result] = lambda r: r
    ) -> JobState:
        """Start a job; `finish` turns the worker's result into what the page gets."""
        with self._lock:
            if self._state.state == "running":
                raise InputError.of("the job", "another one is running", "wait for it, or cancel it")
            # A new process, not a copy of this one: threads do not survive copying.
            context = multiprocessing.get_context("spawn")
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=main, args=(sender, kind, dict(arguments)), daemon=True)
            with _deaf():
                process.start()
            sender.close()
            self._process = process
            path = arguments.get("path")
            folder = "" if path is None else f"{Path(path).parent}{os.sep}"
            number = self._state.number + 1
            self._state = JobState(number, kind, "running", begun=time.monotonic(), folder=folder)
            listener = threading.Thread(
                target=self._listen, args=(self._state.number, receiver, finish), daemon=True
            )
            listener.start()
            return self._state

    def cancel(self) -> JobState:
        with self._lock:
            if self._state.state == "running":
                self._end("cancelled")
                self._stop()
            return self._state

    def close(self) -> None:
        """End whatever runs; nothing is left behind."""
        with self._lock:
            if self._state.state == "running":
                self._end("cancelled")
            self._stop()

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()

    def _listen(self, number: int, receiver: Any, finish: Callable[[Result], Result]) -> None:
        with receiver:
            try:
                more = True
                while more:
                    word, value = receiver.recv()
                    more = self._heard(number, word, value, finish)
            except (EOFError, OSError):
                self._lost(number)

    def _heard(self, number: int, word: str, value: Any, finish: Callable[[Result], Result]) -> bool:
        """Process a message of the worker; return whether there may be more."""
        with self._lock:
            if self._state.number != number or self._state.state != "running":
                return False
            if word == "progress":
                self._state = replace(self._state, done=value[0], total=value[1])
            elif word == "remark":
                self._state = replace(self._state, remark=value)
            elif word == "reading":
                self._state = replace(self._state, reading=value)
            elif word == "done":
                self._finish(value, finish)
            elif word == "problems":
                self._end("failed", problems=value)
            else:
                self._end("failed", problems=_bug(value))
            return self._state.state == "running"

    def _finish(self, value: Result, finish: Callable[[Result], Result]) -> None:
        try:
            self._end("done", result=finish(value))
        except ParetonymError as error:
            problems = error.problems if isinstance(error, InputError) else ()
            self._end("failed", problems=problems or _bug(type(error).__name__))

    def _lost(self, number: int) -> None:
        with self._lock:
            if self._state.number == number and self._state.state == "running":
                lost = Problem(
                    "the job",
                    "its process ended early, perhaps for lack of memory",
                    "use fewer quasi-identifiers, coarser lowest levels or a smaller table",
                )
                self._end("failed", problems=(lost,))

    def _end(self, state: str, **changes: Any) -> None:
        seconds = time.monotonic() - self._state.begun
        self._state = replace(self._state, state=state, seconds=seconds, **changes)
        self._ended(self._state)


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes started here ignore Ctrl-C from the beginning: otherwise an early one would print a
    traceback."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _bug(name: str) -> tuple[Problem, ...]:
    wrong = f"this is a mistake in paretonym, not yours ({name})"
    return (Problem("the job", wrong, "please report it, without any data"),)
