"""No label of cuts says that rows beyond it were suppressed."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from paretonym.study.study import Study


def labels(ages: Sequence[int], hierarchy: dict[str, object]) -> dict[int, list[str]]:
    """What the releases of cuts show, by k."""
    table = pa.table({"age": list(ages)})
    schema = {"columns": {"age": {"role": "quasi", "type": "integer", "hierarchy": hierarchy}}}
    front = Study(table, schema).explore("k", "loss", space="cuts", suppress="10%", at_least={"k": 5})
    return {int(each["k"]): sorted(set(each.release()["age"].to_pylist())) for each in front}


@pytest.mark.parametrize("hierarchy", [{"intervals": [100]}, {"breaks": [[0, 100]]}])
@pytest.mark.parametrize("outliers", [(-371, -371), (-371,), (905, 907), (-371, 905)])
def test_outliers_that_are_suppressed_change_no_label(
    outliers: tuple[int, ...], hierarchy: dict[str, object]
) -> None:
    """Their boundary is not shown: they are in the group beside it, which is open."""
    others = [20 + 10 * (i % 14) for i in range(28)]
    for shown in labels([*others, *outliers], hierarchy).values():
        assert not {"[0, 100)", "0+", "[100, 200)", "<0", "900+"} & set(shown), shown


def test_a_suppressed_row_between_two_groups_leaves_no_gap() -> None:
    """A gap between two labels would say that somebody is in it."""
    ages = [*range(10, 40, 2), 250, *range(410, 440, 2)]
    found = labels(ages, {"intervals": [100]})
    assert len(found) > 1
    for shown in found.values():
        assert set(shown) in ({"*"}, {"<200", "200+"}, {"<300", "300+"}, {"<400", "400+"}), shown


@pytest.mark.parametrize("steps", [{"granularity": 5}, {"levels": [1, 3]}])
def test_a_suppressed_outlier_may_lie_anywhere_beyond(steps: dict[str, object]) -> None:
    """The interval that it lies in is not where the last group ends."""

    def shown(*outliers: int) -> list[list[str]]:
        ages = [20 + i % 30 for i in range(80)]
        table = pa.table({"age": [*ages, *outliers], "zip": [*"ab" * 40, *"c" * len(outliers)]})
        age = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10, 20]}, **steps}
        columns = {"age": age, "zip": {"role": "quasi", "hierarchy": {"flat": True}}}
        front = Study(table, {"columns": columns}).explore(
            "k", "loss", space="cuts", suppress="5%", evaluations=400
        )
        return [sorted(set(each.release()["age"].to_pylist())) for each in front]

    one = shown(97)
    assert len(one) > 1
    assert one == shown(87) == shown(62)
