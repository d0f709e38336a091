"""What is published about rows left out says of no count below k that it is there."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretonym
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.release.publication import release_cost
from paretonym.release.small_counts import Cost, block, published_costs
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study
from tests.strategies import generators


def consistent(published: dict[str, float], spent: float, stay: int, k: int, most: int) -> set[int]:
    """Every number of suppressed rows that somebody who knows the file, and what its rows lose, cannot rule
    out: the one who publishes would have published the same."""
    return {gone for gone in range(most) if published_costs(Cost(gone, spent), stay, k) == published}


@given(generators)
def test_every_count_of_a_block_is_possible(generator: Random) -> None:
    k = generator.randint(1, 12)
    stay = generator.randint(k, 400)
    spent = generator.random() * stay
    gone = generator.randint(0, 3 * k)
    published = published_costs(Cost(gone, spent), stay, k)
    possible = consistent(published, spent, stay, k, most=6 * k)
    low = gone // k * k
    assert set(range(low, low + k)) <= possible
    if gone < k:
        assert published["sl"] == 0
        assert published["loss"] == published["gl"]


@given(k=st.integers(2, 9), stay=st.integers(20, 90), blocks=st.integers(0, 3))
def test_no_digits_help(k: int, stay: int, blocks: int) -> None:
    """What is published takes nothing from the count but its block: not by more digits either."""
    first = blocks * k
    texts = {str(block(gone, k)) for gone in range(first, first + k)}
    shares = {tuple(published_costs(Cost(gone, 7.25), stay, k).values()) for gone in range(first, first + k)}
    assert (len(texts), len(shares)) == (1, 1)


@settings(max_examples=200)
@given(stay=st.integers(1, 3_000), gone=st.integers(0, 900), loss=st.floats(0, 1), k=st.integers(1, 30))
def test_the_parts_sum_up(stay: int, gone: int, loss: float, k: int) -> None:
    found = published_costs(Cost(gone, loss * stay), stay, k)
    assert found["sl"] == pytest.approx(found["loss"] - found["gl"], abs=1e-12)
    assert all(value == round(value, 3) for value in found.values())


def test_one_row_is_never_said_by_ruling_out_none() -> None:
    """ "Fewer than 2" beside "none" would be one."""
    assert str(block(1, 2)) == str(block(0, 2)) == "at most one row, perhaps none"
    assert str(block(3, 4)) == str(block(0, 4)) == "fewer than 4 rows, perhaps none"
    assert str(block(1_234, 10)) == "1,230 to 1,239 rows"


@pytest.mark.parametrize("more", [0, 3, 40])
def test_rows_of_a_suppressed_person_do_not_change_the_block(more: int, tmp_path: Path) -> None:
    """Twelve persons have one row or two; how many somebody has who is alone in a class is not published."""
    rows = [(str(who), "30", "x") for who in range(12) for _ in range(1 + who % 2)]
    rows += [(f"child {who}", "5", "x") for who in range(2)] * 10 + [("odd", "77", "y")] * more
    table = pa.table(dict(zip(("who", "age", "ill"), map(list, zip(*rows, strict=True)), strict=True)))
    schema = {
        "columns": {
            "who": {"role": "person"},
            "age": {"role": "quasi", "hierarchy": {"flat": True}},
            "ill": {"role": "sensitive"},
        }
    }
    study = Study(table, schema)
    chosen = LatticeRecoding.of({"age": 0}, {"k": ">=3"})
    cost = release_cost(study, chosen)
    assert (cost.suppressed, cost.persons, cost.most_rows) == (20 + more, 12, 2)
    assert cost.block_size(18) == 36
    study.publish(Solution("", {}, cost.suppressed, chosen), tmp_path / "r.csv", allow_second_release=True)
    audited = paretonym.audit(tmp_path / "r.csv", original=table, schema=schema)
    assert audited.passed, audited.failed
    stated = {check.name: check.found for check in audited.checks if check.kind == "statement"}
    assert stated["sl"] == (36 / 54 if more == 40 else 0)
