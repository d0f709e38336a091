"""What anonymeter measures: runs in an environment of its own, knows nothing of paretonym.

`python scripts/peers/anonymeter_answers.py FOLDER OUT.json TABLE…`: FOLDER has folders with `original.csv`,
`control.csv` and `columns.json` (quasi-identifiers and secrets), beside the tables that were made of the
original. Neighbours for linkability are sought in every other column.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from anonymeter.evaluators import (  # type: ignore[import-not-found]
    InferenceEvaluator,
    LinkabilityEvaluator,
    SinglingOutEvaluator,
)
from anonymeter.evaluators.singling_out_evaluator import (  # type: ignore[import-not-found]
    multivariate_singling_out_queries,
    univariate_singling_out_queries,
)
from anonymeter.stats.confidence import success_rate  # type: ignore[import-not-found]

ATTACKS = 2000
# Conjunctions that are tried to find those that one row of a table satisfies.
ATTEMPTS = 200_000
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


def answer(criterion: str, subject: str, risk: float, interval: tuple[float, float]) -> dict[str, Any]:
    return {"criterion": criterion, "subject": subject, "risk": risk, "interval": list(interval)}


def singling_out(
    original: pd.DataFrame, table: pd.DataFrame, control: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    """How many of its predicates single somebody out in the original and in the control as it is; its risk.

    The evaluator divides successes by the number of predicates that were asked for, found or not: here that
    is the number that it finds. They are drawn first, half of them at most about one column.
    """
    people, rows, others = (
        pl.DataFrame(one).unique(maintain_order=True) for one in (original, table, control)
    )
    queries = univariate_singling_out_queries(rows, ATTACKS // 2, np.random.default_rng(SEED))
    queries += multivariate_singling_out_queries(
        rows, ATTACKS - len(queries), 3, ATTEMPTS, np.random.default_rng(SEED)
    )
    for subject, one in (("original", people), ("control", others)):
        counts = one.select(query.sum().alias(str(i)) for i, query in enumerate(queries)).row(0)
        rate = success_rate(len(queries), sum(count == 1 for count in counts), 0.95)
        yield answer("singling-out", subject, rate.value, (rate.value - rate.error, rate.value + rate.error))
    found = len(multivariate_singling_out_queries(rows, ATTACKS, 3, ATTEMPTS, np.random.default_rng(SEED)))
    evaluator = SinglingOutEvaluator(original, table, found, 3, control, ATTEMPTS, SEED).evaluate()
    yield answer("singling-out", "risk", evaluator.risk().value, evaluator.risk().ci)


def risks(folder: Path, name: str) -> list[dict[str, Any]]:
    """Each criterion with its interval."""
    original, table, control = frames(folder, name)
    described = json.loads((folder / "columns.json").read_text(encoding="utf-8"))
    attacks = min(ATTACKS, len(control))
    np.random.seed(SEED)
    answers = list(singling_out(original, table, control))
    halves = (list(table.columns[::2]), list(table.columns[1::2]))
    linked = LinkabilityEvaluator(original, table, halves, attacks, 5, control)
    linked.evaluate(n_jobs=1)
    for n in (1, 5):
        risk = linked.risk(n_neighbors=n)
        answers.append(answer("linkability", f"{n} nearest", risk.value, risk.ci))
    for secret in described["secrets"]:
        inferred = InferenceEvaluator(
            original, table, described["quasi"], secret, table[secret].dtype == float, attacks, control
        )
        inferred.evaluate(n_jobs=1)
        answers.append(answer("inference", secret, inferred.risk().value, inferred.risk().ci))
    return answers


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
