"""Fifty questions over ten tables, asked of two versions: every frontier must be the same.

    python scripts/compare_versions.py OLD/src NEW/src

Each version answers in a process of its own, with the Python that runs this. Vectors must be equal to the
last digit; ids may differ only where vectors are equal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SWEEP = ["k=2,5", "l=2", "t-js=0.3"]
# Objectives, suppression, and further options of `Study.explore`; each is asked of every second table.
QUESTIONS: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...] = (
    (("k", "loss"), "1%", {}),
    (("k", "loss"), "0", {"search": "exhaustive"}),
    (("k", "loss"), "any:0.1", {}),
    (("k", "gl", "sl", "discernibility"), "5%", {}),
    (("k", "l", "t", "loss"), "2%", {}),
    (("l-distinct", "t-js", "precision-loss"), "any:0.05", {}),
    (("k", "l-entropy", "delta", "loss"), "any:0.05", {}),
    (("k", "loss"), "5%", {"space": "cuts", "tuning": {"evaluations": 600}}),
    (("k", "l", "loss"), "any:0.05", {"space": "cuts", "tuning": {"evaluations": 300}}),
    (
        ("k", "t", "utility-loss", "query-error"),
        "0",
        {"space": "mondrian", "sweep": ["k=2,5", "l=2", "t-js=0.3"]},
    ),
)
TABLES = 10

ANSWER = """
import json, sys
from random import Random
from paretonym.errors import ParetonymError
from paretonym.run.study import example
from paretonym.testing.random_tables import random_table

def table(number):
    if number == 0:
        return example("adult")
    rows = (40 * 2 ** (number % 6), 60 * 2 ** (number % 6))
    return random_table(Random(f"versions {number}"), quasi=(2, 5), rows=rows, sensitive=1).study()

def asked(study, objectives, suppress, options):
    space = options.get("space", "lattice")
    extra = {} if space == "mondrian" else {"suppress": suppress}
    try:
        found = study.explore(*objectives, **extra, **options)
    except ParetonymError as error:
        return [type(error).__name__, str(error)]
    solutions = found.as_json()["solutions"]
    return [[s["values"], s["suppressed"], s["id"]] for s in solutions]

questions, tables = json.loads(sys.argv[1]), int(sys.argv[2])
answers = {}
for number in range(tables):
    study = table(number)
    for place, (objectives, suppress, options) in enumerate(questions):
        if (number + place) % 2 == 0:
            answers[f"table {number}, {' '.join(objectives)}, {suppress}, {options}"] = asked(
                study, objectives, suppress, options
            )
print(json.dumps(answers))
"""


def answers(source: str) -> dict[str, Any]:
    """What a version answers."""
    environment = {**os.environ, "PYTHONPATH": str(Path(source).resolve())}
    start = time.process_time()
    made = subprocess.run(
        [sys.executable, "-c", ANSWER, json.dumps(QUESTIONS), str(TABLES)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    print(f"{source}: answered ({time.process_time() - start:.0f} s here)", file=sys.stderr)
    found: dict[str, Any] = json.loads(made.stdout)
    return found


def difference(old: Any, new: Any) -> str | None:
    """In what two frontiers differ; None if they are the same."""
    vectors = [sorted(json.dumps(solution[:2], sort_keys=True) for solution in each) for each in (old, new)]
    if vectors[0] != vectors[1]:
        lost, won = (set(vectors[0]) - set(vectors[1])), (set(vectors[1]) - set(vectors[0]))
        examples = f"{min(lost, default='')} {min(won, default='')}"
        return f"{len(lost)} of {len(old)} vectors lost, {len(won)} new: {examples}"
    return None


def main() -> None:
    old, new = (answers(source) for source in sys.argv[1:3])
    failed = renamed = refused = 0
    for question, before in old.items():
        after, found = new[question], None
        refused += isinstance(before[0], str)
        if before != after:
            errors = isinstance(before[0], str) or isinstance(after[0], str)
            found = f"{before[:2]} became {after[:2]}" if errors else difference(before, after)
        if found:
            failed += 1
            print(f"{question}: {found}")
        renamed += before != after and not found
    print(
        f"{len(old)} questions, {refused} of them refused: {failed} with another answer, "
        f"{renamed} with other ids of equal vectors"
    )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
