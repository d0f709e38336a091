"""Our criteria beside those of anonymeter: `python -m scripts.peers.beside_anonymeter FOLDER ANSWERS.json`.

Prints both intervals of every attack, and says which do not overlap; ANSWERS.json comes from
`anonymeter_answers.py`. Our intervals are added to it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from paretonym.criteria import Criterion, Referee, measure_criteria


def main() -> None:
    folder, path = Path(sys.argv[1]), Path(sys.argv[2])
    answers: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    apart = 0
    for part in sorted(one.parent for one in folder.glob("*/columns.json")):
        referee = Referee.of(part / "original.csv", part / "control.csv", part / "schema.toml")
        for name, risks in answers.get(part.name, {}).items():
            measured = measure_criteria(referee.read(part / f"{name}.csv")).criteria
            for risk in risks:
                apart += beside(f"{part.name} {name}", risk, measured)
    path.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")
    print(f"{apart} do not overlap")


def beside(table: str, risk: dict[str, Any], measured: tuple[Criterion, ...]) -> bool:
    """Print both intervals of one attack, and say whether they are apart."""
    (ours,) = (one for one in measured if (one.name, one.subject) == (risk["criterion"], risk["subject"]))
    risk["ours"] = [round(ours.lower, 6), round(ours.upper, 6)]
    low, high = risk["interval"]
    apart = bool(ours.lower > high or low > ours.upper)
    print(
        f"{table:20} {ours.name:12} {ours.subject:18} anonymeter {low:6.1%} … {high:6.1%}   "
        f"ours {ours.lower:6.1%} … {ours.upper:6.1%}{'   apart' if apart else ''}"
    )
    return apart


if __name__ == "__main__":
    main()
