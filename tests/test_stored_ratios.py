"""Stored ratios: what is 1.5 times worse fails, except for rows that are marked as noisy."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.stored_ratios import STORED, WORST, Ratios


def test_only_what_is_much_worse_fails(tmp_path: Path) -> None:
    stored = tmp_path / "ratios.json"
    stored.write_text(json.dumps({
        "same": {"ratio": 10}, "worse": {"ratio": 10}, "wild": {"ratio": 10, "noisy": "two threads"},
        "gone": {"ratio": 1},
    }))  # fmt: skip
    ratios = Ratios(stored)
    assert ratios.beside_stored("same", 10 * WORST).split() == ["10.0"]
    assert ratios.beside_stored("worse", 10 * WORST + 0.1).split() == ["10.0", "WORSE"]
    assert ratios.beside_stored("wild", 99.0).split() == ["10.0", "noisy"]
    assert ratios.beside_stored("another", 3.0).split() == ["new"]
    assert ratios.worse == ["worse"]
    ratios.renew()
    assert json.loads(stored.read_text()) == {
        "same": {"ratio": 15.0},
        "worse": {"ratio": 15.1},
        "wild": {"ratio": 99.0, "noisy": "two threads"},
        "another": {"ratio": 3.0},
    }


def test_the_stored_file_can_be_read() -> None:
    entries = json.loads(STORED.read_text(encoding="utf-8"))
    assert entries
    for name, entry in entries.items():
        assert entry["ratio"] > 0, name
        assert entry.keys() <= {"ratio", "noisy"}, name
        assert entry.get("noisy", "a reason"), name
