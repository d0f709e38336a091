"""Ctrl-C: once pressed, it decides how the command ends, whatever a library makes of it. A request to end
(SIGTERM) is treated like it, so that nothing half-written stays; then the process ends by that signal."""

from __future__ import annotations

import os
import signal

# Whether it was pressed since `watch`; a list, so that the handler can write to it.
_pressed: list[bool] = []
_asked_to_end: list[bool] = []


def watch() -> None:
    """Record that Ctrl-C was pressed, besides raising `KeyboardInterrupt`: libraries may turn that into their
    own errors, or lose it."""
    _pressed.clear()
    # A shell makes background jobs ignore it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end)


def pressed() -> bool:
    return bool(_pressed)


def forgive() -> None:
    """Forget that it was pressed: it was the normal way to stop the command."""
    _pressed.clear()


def ignore() -> None:
    """Ignore it from now on, also while Python shuts down; a request to end needs nothing of us any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if signal.getsignal(signal.SIGTERM) is _end:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def end_if_asked() -> None:
    """End by the signal that asked for it, if one did: whoever sent it sees that."""
    if _asked_to_end:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)


def _end(number: int, frame: object) -> None:
    _asked_to_end.append(True)
    # A second one ends the process at once.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _interrupt(number, frame)


def _interrupt(number: int, frame: object) -> None:
    _pressed.append(True)
    raise KeyboardInterrupt
