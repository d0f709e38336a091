"""What anonymeter measures: runs in an environment of its own, knows nothing of paretonym.

`python scripts/peers/anonymeter_answers.py FOLDER OUT.json TABLE…`: FOLDER has folders with `original.csv`,
`control.csv` and `columns.json` (quasi-identifiers and secrets), beside the tables that were made of the
original. Neighbours for linkability are sought in every other column.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from anonymeter.evaluators import (  # type: ignore[import-not-found]
    InferenceEvaluator,
    LinkabilityEvaluator,
    SinglingOutEvaluator,
)

ATTACKS = 2000
# Fewer predicates to single people out: it counts those that it could not find as failures. Its correction
# for the size of the control is fitted on 1,000 rows and more: with fewer it is not measured.
PREDICATES, FEWEST = 500, 1000
SEED = 20_261_119
# A column with more distinct numbers is a number.
CATEGORIES = 20


def frames(folder: Path, name: str) -> list[pd.DataFrame]:
    """The original, a table and the control, with numbers as numbers."""
    paths = [folder / f"{one}.csv" for one in ("original", name, "control")]
    texts = [pd.read_csv(path, dtype=str, keep_default_na=False) for path in paths]
    for column in texts[0].columns:
        numbers = [pd.to_numeric(table[column].replace("", None), errors="coerce") for table in texts]
        filled = [(table[column] != "").sum() for table in texts]
        are_numbers = [number.notna().sum() for number in numbers] == filled
        if texts[0][column].nunique() > CATEGORIES and are_numbers:
            for table, number in zip(texts, numbers, strict=True):
                table[column] = number.astype(float)
    return texts


def risks(folder: Path, name: str) -> list[dict[str, Any]]:
    """Each criterion with its interval."""
    original, table, control = frames(folder, name)
    described = json.loads((folder / "columns.json").read_text(encoding="utf-8"))
    attacks = min(ATTACKS, len(control))
    np.random.seed(SEED)
    answers = []
    if len(control) >= FEWEST:
        singling = SinglingOutEvaluator(original, table, PREDICATES, 3, control, seed=SEED)
        singling.evaluate(mode="multivariate")
        answers.append(("singling-out", "3 columns", singling.risk()))
    halves = (list(table.columns[::2]), list(table.columns[1::2]))
    linked = LinkabilityEvaluator(original, table, halves, attacks, 5, control)
    linked.evaluate(n_jobs=1)
    answers += [("linkability", f"{n} nearest", linked.risk(n_neighbors=n)) for n in (1, 5)]
    for secret in described["secrets"]:
        inferred = InferenceEvaluator(
            original, table, described["quasi"], secret, table[secret].dtype == float, attacks, control
        )
        inferred.evaluate(n_jobs=1)
        answers.append(("inference", secret, inferred.risk()))
    return [
        {"criterion": criterion, "subject": subject, "risk": risk.value, "interval": list(risk.ci)}
        for criterion, subject, risk in answers
    ]


def main() -> None:
    folder, out, names = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    document: dict[str, Any] = {"made by": "scripts/peers (make peers)", "anonymeter": version("anonymeter")}
    for part in sorted(path.parent for path in folder.glob("*/columns.json")):
        document[part.name] = {}
        for name in names:
            document[part.name][name] = risks(part, name)
            out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
