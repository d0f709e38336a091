"""How an exam says no."""

from __future__ import annotations


class ExamFailed(AssertionError):
    """A thing does not do what its card declares; the text names the rule and the case."""


def require(holds: bool, rule: str) -> None:
    """Fail the exam unless the rule holds."""
    if not holds:
        raise ExamFailed(rule)
