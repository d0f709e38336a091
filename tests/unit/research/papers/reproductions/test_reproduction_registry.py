"""The registry of reproductions, and the numbers that the papers print."""

from __future__ import annotations

from pathlib import Path

import pytest

from paretonym.base.errors import InputError
from paretonym.research.papers.reproductions.panels import draw
from paretonym.research.papers.reproductions.printed_numbers import (
    PBG_TABLE_1B,
    PBG_TABLE_2A,
    PBG_TABLE_2B,
    POKA_TABLE_3,
    POKA_TRUE_OPTIMA,
)
from paretonym.research.papers.reproductions.reproduction import Fact, Panel, Result, Series
from paretonym.research.papers.reproductions.reproduction_registry import _ALL, ALL, chosen


def test_names() -> None:
    assert [each.name for each in chosen("poka-table-3")] == ["poka-table-3"]
    assert [each.name for each in chosen(ALL)] == [each.name for each in _ALL], "two have the same name"
    assert all(each.what.startswith(("Table", "Figure", "Section")) for each in chosen(ALL))


def test_unknown_name() -> None:
    with pytest.raises(InputError, match="unknown reproduction 'poka-table-4'; did you mean 'poka-table-3'"):
        chosen("poka-table-4")


def test_printed_numbers_agree_with_themselves() -> None:
    """The percentages beside the counts in POkA's Table 3 and PBG's Table 2(b)."""
    shares = [round(100 * line.evaluated / 17_920, 1) for line in POKA_TABLE_3.values()]
    assert shares == [2.8, 10.9, 22.5, 36.5, 51.4, 65.6]
    found = [line.optima / POKA_TRUE_OPTIMA for line in POKA_TABLE_3.values()]
    assert found == pytest.approx([0.488, 0.911, 1, 1, 1, 1], abs=1e-3)
    nodes = [8960 if "classification-error" in names else 17_920 for names in PBG_TABLE_2B]
    printed = [100 * count / size for count, size in zip(PBG_TABLE_2B.values(), nodes, strict=True)]
    assert printed == pytest.approx([5.1, 5.3, 6.3, 6.7, 11.9], abs=0.1)
    assert set(PBG_TABLE_1B) < set(PBG_TABLE_2B)
    assert [len(sides) for sides in PBG_TABLE_2A] == [2, 2, 2, 3, 3, 3]


def test_a_fact_is_found_by_row_and_column() -> None:
    result = Result((Fact("depth 1", "optima", 3, 4), Fact("depth 2", "optima", 5)))
    assert result.measured("depth 2", "optima") == 5
    assert result.facts[0].as_json() == {"row": "depth 1", "column": "optima", "measured": 3, "printed": 4}


def test_the_same_facts_give_the_same_picture(tmp_path: Path) -> None:
    crowd = Series("all", tuple(range(1, 1500)), tuple(range(1, 1500)))
    rings = Series("found", (2.0, 3.0), (4.0, 9.0), "rings")
    panels = [
        Panel("one", ("k", "loss"), (crowd, rings), (True, True)),
        Panel("two", ("k", "l"), (rings,)),
    ] * 2
    for name in ("a", "b"):
        draw(panels, "A figure", [tmp_path / f"{name}.png"])
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
