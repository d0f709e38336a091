"""Our criteria beside those of anonymeter: `python -m scripts.peers.beside_anonymeter FOLDER ANSWERS.json`.

Prints both intervals of every attack, and says which do not overlap; ANSWERS.json comes from
`anonymeter_answers.py`. Our intervals are added to it.

Of singling out, success is compared in the original and in the control as it is, since both draw predicates
in the same way. The risks are printed too, but differ: anonymeter scales the control to the size of the
original by a curve with one likelihood, fitted to 1,000 rows and more.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.evidence.criteria import Referee, measure_criteria
from paretonym.evidence.criteria.measured_criteria import TARGETS
from paretonym.evidence.criteria.referee import ReadTable
from paretonym.evidence.criteria.singling_out import drawn_predicates, satisfying_rows
from paretonym.evidence.criteria.success_rate import SuccessRate

Interval = tuple[float, float]


def main() -> None:
    folder, path = Path(sys.argv[1]), Path(sys.argv[2])
    answers: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    apart = 0
    for part in sorted(one.parent for one in folder.glob("*/columns.json")):
        referee = Referee.of(part / "original.csv", part / "control.csv", part / "schema.toml")
        for name, risks in answers.get(part.name, {}).items():
            intervals = ours(referee.read(part / f"{name}.csv"))
            for risk in risks:
                apart += beside(f"{part.name} {name}", risk, intervals[risk["criterion"], risk["subject"]])
    path.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")
    print(f"{apart} do not overlap")


def ours(table: ReadTable) -> dict[tuple[str, str], Interval]:
    """Our interval of every attack."""
    intervals = {}
    for one in measure_criteria(table).criteria:
        subject = "risk" if one.name == "singling-out" else one.subject
        intervals[one.name, subject] = (one.lower, one.upper)
    predicates = drawn_predicates(table.rows, TARGETS, np.random.default_rng(0))
    for subject, people in (("original", table.rows.original), ("control", table.rows.control)):
        singled = satisfying_rows(predicates, np.unique(people, axis=0)) == 1
        rate = SuccessRate(int(singled.sum()), len(predicates))
        intervals["singling-out", subject] = (rate.center - rate.half_width, rate.center + rate.half_width)
    return intervals


def beside(table: str, risk: dict[str, Any], interval: Interval) -> bool:
    """Print both intervals of one attack, and say whether they are apart."""
    risk["ours"] = [round(end, 6) for end in interval]
    low, high = risk["interval"]
    apart = bool(interval[0] > high or low > interval[1])
    print(
        f"{table:20} {risk['criterion']:12} {risk['subject']:18} anonymeter {low:6.1%} … {high:6.1%}   "
        f"ours {interval[0]:6.1%} … {interval[1]:6.1%}{'   apart' if apart else ''}"
    )
    return apart


if __name__ == "__main__":
    main()
