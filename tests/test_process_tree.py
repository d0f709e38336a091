"""What the benchmarks say about memory: a process that holds too much is ended, and its line says so."""

from __future__ import annotations

import os
import sys

import pytest

from benchmarks import process_tree
from benchmarks.scale import Lines, Target
from benchmarks.scale_setting import Setting, Took

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read in /proc")

HOLDS = "import time; held = bytearray(b'x' * 200_000_000); print('held', flush=True); time.sleep({})"


def test_a_limit_ends_what_holds_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_tree, "limited_by", lambda: "a watchdog on the resident memory")
    ended = process_tree.run([sys.executable, "-c", HOLDS.format(60)], limit=100)
    assert ended.failure.startswith("killed at ")
    assert process_tree.run([sys.executable, "-c", HOLDS.format(0)], limit=2000) == ("held\n", "", 0.0)
    assert process_tree.run([sys.executable, "-c", "raise SystemExit(3)"]).failure == "ended with 3"


def test_memory_and_cpu_of_processes_beside() -> None:
    started = [sys.executable, "-c", HOLDS.format(1)]
    ended = process_tree.run([sys.executable, "-c", f"import subprocess; subprocess.run({started!r})"])
    assert ended.beside > 150
    assert process_tree.cpu_seconds([os.getpid()]) > 0
    assert process_tree.megabytes(os.getpid(), "VmHWM") >= process_tree.megabytes(os.getpid()) > 10


def test_a_missed_target_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines(Setting("", ""), None, 3)
    base, slow, large = Took(2, 2, 100), Took(4, 2, 100), Took(2, 2, 2000)
    lines._show("fine", [base], [base], Target(1.5, 1000))
    assert not lines.missed
    lines._show("slow", [slow, base, slow], [base] * 3, Target(1.5))
    lines._show("large", [large], [base], Target(None, 1000))
    lines._show("ended", ["killed at 1,001 MB"], [base], Target(None, 1000))
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("at most 1.5 times, at most 1,000 MB: holds")
    assert said[1].endswith("at most 1.5 times: FAILED")
    assert said[2].endswith("at most 1,000 MB: FAILED")
    assert said[3].endswith("FAILED: killed at 1,001 MB")
    assert lines.missed == ["slow at 0 rows", "large at 0 rows", "ended at 0 rows"]
