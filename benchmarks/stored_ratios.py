"""Ratios to numpy's evaluation of a node, stored in `ratios.json`: is something 1.5 times worse than it was?

Seconds depend on the machine; ratios to work of the same kind in the same run depend on it much less. A row
that is marked as noisy, with the reason, is shown and never fails. `python -m benchmarks.run --renew` stores
the ratios of this run; marks stay.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STORED = Path(__file__).with_name("ratios.json")
WORST = 1.5


class Ratios:
    """The ratios of one run beside those stored."""

    def __init__(self, path: Path = STORED) -> None:
        self._path = path
        self._stored: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.is_file() else {}
        self._found: dict[str, float] = {}

    def beside_stored(self, name: str, ratio: float) -> str:
        """Note a ratio; a text that compares it with the stored one."""
        self._found[name] = ratio
        entry = self._stored.get(name)
        if entry is None:
            return f"{'new':>10}"
        mark = " noisy" if "noisy" in entry else " WORSE" if self._is_worse(name) else ""
        return f"{entry['ratio']:>10.1f}{mark}"

    def _is_worse(self, name: str) -> bool:
        entry = self._stored.get(name, {})
        return "noisy" not in entry and self._found[name] > WORST * float(entry.get("ratio", float("inf")))

    @property
    def worse(self) -> list[str]:
        """The rows that fail."""
        return [name for name in self._found if self._is_worse(name)]

    def renew(self) -> None:
        """Store the ratios of this run; rows that are no longer there go."""
        renewed = {
            name: {**self._stored.get(name, {}), "ratio": round(ratio, 2)}
            for name, ratio in self._found.items()
        }
        self._path.write_text(json.dumps(renewed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
