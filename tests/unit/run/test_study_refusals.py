"""Questions that nothing can answer: what to do is said, and it helps."""

from __future__ import annotations

import pandas
import pytest

import paretonym as pn


def test_more_than_all_rows_is_no_matter_of_suppression() -> None:
    people = pandas.DataFrame({"age": [20 + i % 40 for i in range(300)]})
    study = pn.Study(people, {"columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10]}}}})
    with pytest.raises(pn.NoSolution) as refused:
        study.explore("k", "loss", at_least={"k": 1000})
    assert str(refused.value) == (
        "No release of this table has k>=1000: it has only 300 rows. Require k of at most 300."
    )
    assert study.explore("k", "loss", at_least={"k": 300})[0]["k"] == 300
