"""The public functions as a type checker sees them: this file must pass mypy in strict mode, and runs."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import pandas
import polars

import paretonym as pn
from paretonym.audit import Audit
from paretonym.evidence.attacks import Attack


def test_types_are_exact(tmp_path: Path) -> None:
    table = pandas.DataFrame({"age": [str(20 + i % 9) for i in range(60)], "ill": ["yes", "no"] * 30})
    schema: dict[str, object] = {
        "columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [3]}}, "ill": {"role": "sensitive"}}
    }
    study = pn.Study(table, schema)
    pn.Study(polars.DataFrame({"age": table["age"].tolist(), "ill": table["ill"].tolist()}), schema)
    front = assert_type(
        study.explore(
            "k",
            "loss",
            suppress="10%",
            at_most={"loss": "90%"},
            settings={"query-error": {"sel": "5%"}},
            box={"loss": "1%"},
            space="lattice",
        ),
        pn.Run,
    )
    chosen = assert_type(front.best("k", loss="90%"), pn.Solution)
    assert_type(chosen.k, int)
    assert_type([each.loss for each in front], list[float])
    assert_type(front.to_pandas(), pandas.DataFrame)
    assert_type(front.to_polars(), polars.DataFrame)
    rows: pandas.DataFrame = chosen.release()
    written = assert_type(chosen.release(tmp_path / "public.csv"), Path)
    assert_type(pn.audit(written), Audit)
    found = assert_type(pn.attack(rows, original=table, schema=schema), Attack)
    assert found.files == ("the dataframe",)
