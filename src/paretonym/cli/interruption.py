"""Ctrl-C, or SIGTERM: once there, it decides how the command ends, whatever a library makes of it."""

from __future__ import annotations

import signal

# The signals that came since `watch`; a list, so that the handler can write to it.
_pressed: list[int] = []


def watch() -> None:
    """Record that Ctrl-C was pressed, besides raising `KeyboardInterrupt`: libraries may turn that into their
    own errors, or lose it."""
    _pressed.clear()
    # A shell makes background jobs ignore it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    # What is ended by another program, as at shutdown, must leave as little behind.
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)


def pressed() -> bool:
    return bool(_pressed)


def exit_code() -> int:
    """128 and the number of the signal, as a shell counts: 130 for Ctrl-C."""
    return 128 + (_pressed[0] if _pressed else signal.SIGINT)


def forgive() -> None:
    """Forget that it was pressed: it was the normal way to stop the command."""
    _pressed.clear()


def ignore() -> None:
    """Ignore it from now on, also while Python shuts down."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _interrupt(number: int, frame: object) -> None:
    _pressed.append(number)
    raise KeyboardInterrupt
