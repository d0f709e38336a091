"""Boundaries of cuts that disclose suppressed rows are warned of."""

from __future__ import annotations

import pyarrow as pa
import pytest

from paretonym.frontier.release_facts import ReleaseFacts
from paretonym.run.study import Study

SCHEMA = {"columns": {"age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [100]}}}}
OTHERS = [20 + 10 * (i % 14) for i in range(28)]


@pytest.mark.parametrize(("space", "told"), [("cuts", True), ("lattice", False)])
def test_outliers_that_are_suppressed(space: str, told: bool) -> None:
    """[0, 100) instead of <100 says that somebody was below 0."""
    front = Study(pa.table({"age": [*OTHERS, -371, -371]}), SCHEMA).explore(
        "k", "loss", space=space, suppress="10%", at_least={"k": 5}
    )
    suppressed = [each for each in front if each.suppressed]
    assert suppressed
    for each in suppressed:
        assert any("The labels of age disclose" in text for text in each.warnings()) == told
        facts = ReleaseFacts.of(front.data.realized(each.recoding), front.data.schema)  # type: ignore[union-attr]
        assert ReleaseFacts.from_json(facts.as_json()).edges == (("age",) if told else ())


def test_nothing_is_said_where_nothing_is_suppressed() -> None:
    front = Study(pa.table({"age": OTHERS}), SCHEMA).explore("k", "loss", space="cuts", suppress=0)
    assert not any("disclose" in text for each in front for text in each.warnings())
