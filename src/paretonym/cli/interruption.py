"""Ctrl-C: once pressed, it decides how the command ends, whatever a library makes of it."""

from __future__ import annotations

import signal

# Whether it was pressed since `watch`; a list, so that the handler can write to it.
_pressed: list[bool] = []


def watch() -> None:
    """Record that Ctrl-C was pressed, besides raising `KeyboardInterrupt`: libraries may turn that into their
    own errors, or lose it."""
    _pressed.clear()
    # A shell makes background jobs ignore it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def pressed() -> bool:
    return bool(_pressed)


def forgive() -> None:
    """Forget that it was pressed: it was the normal way to stop the command."""
    _pressed.clear()


def ignore() -> None:
    """Ignore it from now on, also while Python shuts down."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupt(number: int, frame: object) -> None:
    _pressed.append(True)
    raise KeyboardInterrupt
