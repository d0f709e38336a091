"""How long a search may take: what is read, what is refused, what is said before a long one."""

from __future__ import annotations

import time

import pytest

from paretonym.base.budget import Limits, duration, parse_time
from paretonym.base.errors import InputError, phrased


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("60s", 60.0),
        ("60", 60.0),
        (60, 60.0),
        (0.25, 0.25),
        ("500ms", 0.5),
        ("5m", 300.0),
        ("5min", 300.0),
        ("1.5h", 5400.0),
        (".5s", 0.5),
        (" 2 h ", 7200.0),
        (None, None),
    ],
)
def test_time_is_read(text: str | float | None, seconds: float | None) -> None:
    assert parse_time(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "s", "soon", "0", "0s", "-5s", "5 days", "1e3s", "inf", "nan", "5s5", -1]
)
def test_what_is_no_time_is_refused(text: str | float) -> None:
    with pytest.raises(InputError) as error:
        parse_time(text)
    said = f"time: '{text}' is not a length of time; use, for example, 60s, 5m or 1h"
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 seconds"), (89, "89 seconds"), (90, "2 minutes"), (5399, "90 minutes"), (5400, "1.5 hours")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_clock() -> None:
    begun = time.monotonic() - 10
    assert not Limits(started=begun).over
    assert not Limits(seconds=60.0, started=begun).over
    assert Limits(seconds=5.0, started=begun).over
    assert Limits(started=begun).elapsed >= 10


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("paretonym.base.budget.time", clock)
    return clock


def remarks(clock: Clock, steps: list[tuple[float, int]], total: int) -> list[str]:
    """What is said if so many nodes were evaluated at such times."""
    said: list[str] = []
    limits = Limits(remark=said.append)
    for now, evaluated in steps:
        clock.now = now
        limits.estimate(evaluated, total)
    return said


def test_an_estimate_before_a_long_search(clock: Clock) -> None:
    """A hundred nodes a second; the ten seconds before the first call do not count."""
    (said,) = remarks(clock, [(10.0, 100), (10.2, 120), (11.0, 200), (12.0, 300)], 60_200)
    assert phrased(said) == (
        "60,200 nodes; evaluating all of them takes about 10 minutes. "
        "time='60s' stops after a minute with what was found."
    )


@pytest.mark.parametrize(
    "steps",
    [
        [(0.0, 0), (0.1, 1)],
        [(0.0, 0), (1.0, 0), (2.0, 0)],
        [(0.0, 0), (1.0, 10_000), (2.0, 20_000)],
    ],
    ids=["too early", "nothing done", "short"],
)
def test_nothing_is_said_before_a_short_search(clock: Clock, steps: list[tuple[float, int]]) -> None:
    assert remarks(clock, steps, 60_000) == []
