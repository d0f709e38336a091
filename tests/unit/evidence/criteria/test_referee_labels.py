"""Labels of our own releases are read whole, in every space: dates, decimals and texts, cut anywhere."""

from __future__ import annotations

from random import Random
from typing import Any

import pandas as pd
import pytest

import paretonym as pn
from paretonym.evidence.criteria.class_guarantee import ClassGuarantee
from paretonym.evidence.criteria.referee import Referee

SCHEMA: dict[str, Any] = {
    "columns": {
        "day": {
            "role": "quasi", "type": "date", "format": "%d.%m.%Y", "hierarchy": {"date": ["month", "year"]},
        },
        "height": {"role": "quasi", "type": "decimal", "hierarchy": {"intervals": [5, 20]}, "top": 190},
        "town": {"role": "quasi", "order": list("abcdef"), "hierarchy": {"flat": True}},
        "illness": {"role": "sensitive"},
    }
}  # fmt: skip


def people(number: int, seed: int) -> pd.DataFrame:
    draw = Random(seed)
    rows = [
        (
            f"{draw.randint(1, 28):02d}.{draw.randint(1, 12):02d}.2025",
            f"{draw.gauss(170, 12):.1f}",
            draw.choice("abcdef"),
            draw.choice("xyz"),
        )
        for _ in range(number)
    ]
    return pd.DataFrame(rows, columns=list(SCHEMA["columns"]))


@pytest.mark.parametrize(
    ("space", "how"),
    [
        ("lattice", {}),
        ("local", {}),
        ("cuts", {"evaluations": 300}),
        ("mondrian", {"sweep": "k=4,12"}),
        ("mondrian", {"sweep": "k=4,12", "search": "improve"}),
    ],
)
def test_every_label_is_read_and_k_is_that_of_the_release(space: Any, how: dict[str, Any]) -> None:
    table, control = people(150, 1), people(60, 2)
    referee = Referee.of(table, control, SCHEMA)
    for solution in pn.Study(table, SCHEMA).explore("k", "loss", space=space, **how):
        read = referee.read(solution.release())
        assert read.unread == {}, solution
        guarantee = ClassGuarantee.of(read)
        assert (guarantee.strange, guarantee.k) == (0, solution["k"]), solution


def test_one_label_is_one() -> None:
    """'1 labels of …'."""
    table = pd.DataFrame({"age": [str(age) for age in range(20, 60)] * 2, "sex": ["m", "f"] * 40})
    age = {"role": "quasi", "hierarchy": {"intervals": [10]}}
    schema = {"columns": {"age": age, "sex": {"role": "quasi", "hierarchy": {"flat": True}}}}
    referee = Referee.of(table, table, schema)
    remarks = referee.read(table.replace({"age": {"20": "younger than most"}})).remarks
    (remark,) = (remark for remark in remarks if "label" in remark)
    assert remark.startswith("1 label of 'age' can be read neither as a value nor as a set; each counts as")
