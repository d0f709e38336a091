"""Ctrl-C: seen once, it decides how the command ends, whatever a library makes of it."""

from __future__ import annotations

import signal

# Whether it was pressed since `watch`; a list, so that the handler can write to it.
_pressed: list[bool] = []


def watch() -> None:
    """Note that Ctrl-C was pressed, besides raising `KeyboardInterrupt`: libraries turn that into errors of
    their own, or lose it."""
    _pressed.clear()
    # A shell lets what runs in the background ignore it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def pressed() -> bool:
    return bool(_pressed)


def forgive() -> None:
    """It was how the command is meant to be ended."""
    _pressed.clear()


def ignore() -> None:
    """Let it do nothing any more, not even while Python takes itself apart."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupt(number: int, frame: object) -> None:
    _pressed.append(True)
    raise KeyboardInterrupt
