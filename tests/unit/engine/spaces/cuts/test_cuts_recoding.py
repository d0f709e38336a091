"""The space of cuts: atoms, gaps, valid choices, labels, and recodings that can be written down."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow
import pytest

from paretonym.base.errors import InputError
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.recoding.level_lattice import Lattice
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.cuts.genome_space import MOST_ATOMS, GenomeSpace
from paretonym.engine.spaces.cuts.hybrid import every_genome
from paretonym.engine.spaces.cuts.lattice_start import atoms_cube
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.study.study import Study
from tests.naive.genomes import genome_of

MARITAL = {
    "Not married": [{"Once married": ["Divorced", "Widowed"]}, "Never"],
    "Married": ["Absent", "Present"],
}


def study(columns: dict[str, Any], **cells: list[str | None]) -> Study:
    arrays = {name: pyarrow.array(values, pyarrow.string()) for name, values in cells.items()}
    return Study(pyarrow.table(arrays), {"missing": "value", "columns": columns})


def one(entry: dict[str, Any], *values: str | None) -> Study:
    return study({"x": {"role": "quasi", **entry}}, x=list(values))


def labels(made: Study, *bits: int) -> tuple[str, ...]:
    """What the only column shows with these cuts."""
    space = GenomeSpace.of(made.cube)
    genome = np.array(bits, dtype=bool)
    assert space.valid(genome)
    return CutsRecoding.of(space, genome, parse_keep({"k": ">=1"})).classes(made.cube).sets[0].labels


def test_a_column_with_a_tree_shows_its_nodes() -> None:
    made = one({"hierarchy": {"tree": MARITAL}}, "Divorced", "Never", "Present")
    space = GenomeSpace.of(made.cube)
    # The whole; or both halves: {Once married or its two leaves} + Never, or one set; Married or its two.
    assert space.size == len(every_genome(space)) == 1 + (1 + 2) * 2
    assert labels(made, 0, 1, 1, 0) == ("Once married", "Never", "Married")
    assert labels(made, 0, 0, 0, 0) == ("*",)
    assert not space.valid(np.array([1, 0, 1, 0], dtype=bool))


def test_numbers_are_cut_anywhere_and_shown_as_intervals() -> None:
    made = one({"type": "integer", "hierarchy": {"flat": True}}, "17", *2 * ["18"], "25", *2 * ["40"], "90")
    assert GenomeSpace.of(made.cube).size == 2**4
    assert labels(made, 0, 1, 0, 1) == ("<20", "[20, 50)", "50+")
    assert labels(made, 1, 1, 0, 0) == ("<18", "[18, 20)", "20+")


def test_coded_ends_stay_ends() -> None:
    entry = {"hierarchy": {"intervals": [10]}, "bottom": 18, "top": 90}
    made = one(entry, "3", "17", "18", "25", "40", "95")
    assert labels(made, 0, 0, 1, 0) == ("<30", "30+")
    assert labels(made, 1, 0, 1, 0) == ("<18", "[18, 30)", "30+")


def test_granules_are_the_least_that_is_told_apart_and_count_as_one_value() -> None:
    entry = {"hierarchy": {"intervals": [10, 20]}, "granularity": 5}
    made = one(entry, "15", "16", "21", "33", "34", "36")
    axis = GenomeSpace.of(made.cube).axes[0]
    assert axis.edges.tolist() == [0, 2, 3, 5, 6]
    assert (axis.domain, axis.sizes.tolist()) == (4, [1, 1, 1, 1])
    assert labels(made, 0, 1, 0) == ("<30", "30+")
    recoding = CutsRecoding.of(
        GenomeSpace.of(made.cube), np.array([0, 1, 0], dtype=bool), parse_keep({"k": ">=1"})
    )
    assert recoding.groups == (("x", (("15", "16", "21"), ("33", "34", "36"))),)
    # Every cell shows two granules of four.
    assert Realized.of(recoding, made.cube).measure("gl")["gl"] == pytest.approx(1 / 3)


def test_granules_never_part_what_the_lowest_level_joins() -> None:
    entry = {"hierarchy": {"intervals": [10]}, "granularity": 5, "levels": [1, 2]}
    made = one(entry, "15", "16", "21", "33", "36")
    assert GenomeSpace.of(made.cube).axes[0].edges.tolist() == [0, 2, 3, 5]


def test_ordered_values_are_a_range_and_others_stand_alone() -> None:
    ordered = one({"order": ["low", "middle", "high"]}, "low", "high")
    assert labels(ordered, 0, 1) == ("low … middle", "high")
    free = one({"hierarchy": {"flat": True}}, "c", "a", "b")
    assert GenomeSpace.of(free.cube).size == 2
    assert labels(free, 1, 1) == ("a", "b", "c")
    assert labels(free, 0, 0) == ("*",)


def test_a_cut_names_only_numbers_that_enough_rows_have() -> None:
    """18 and 40 are had by three rows, all others by one: between two of these nothing can be cut."""
    entry = {"type": "integer", "hierarchy": {"flat": True}}
    made = one(entry, "17", *3 * ["18"], "25", "31", *3 * ["40"], "90")
    space = GenomeSpace.of(made.cube)
    # 20 is the roundest number behind 18, up to 25, and so is what 18 and 40 would show.
    assert space.shown_up_to.tolist() == [3, 3, 1, 3, 3]

    def shown(k: int, *bits: int) -> tuple[str, ...]:
        recoding = CutsRecoding.of(space, np.array(bits, dtype=bool), parse_keep({"k": f">={k}"}))
        return recoding.classes(made.cube).sets[0].labels

    assert shown(2, 0, 1, 0, 1, 0) == ("<19", "[19, 40)", "40+")
    # Where all others go, 18 and 40 stay, and 20 is the roundest number between them.
    assert shown(3, 1, 1, 0, 1, 1) == ("<20", "20+")
    with pytest.raises(InputError, match="the recoding: a cut would show a value of fewer people than"):
        shown(3, 0, 0, 1, 0, 0)


def test_dates_are_shown_by_where_the_next_group_begins() -> None:
    """So that nobody's own date is shown at the ends."""
    days = ("1921-05-19", "1969-04-12", *2 * ["1969-04-26"], "2018-12-01")
    made = one({"type": "date", "hierarchy": {"flat": True}}, *days)
    assert labels(made, 0, 1, 0) == ("before 1969-04-26", "from 1969-04-26")
    assert labels(made, 1, 0, 1) == ("before 1922-01-01", "1922-01-01 … before 1970-01-01", "from 1970-01-01")


def test_missing_stays_alone_until_all_is_one_set() -> None:
    made = one({"type": "integer", "hierarchy": {"flat": True}}, "1", "2", "3", None)
    space = GenomeSpace.of(made.cube)
    assert space.size == len(every_genome(space)) == 2**2 + 1
    assert labels(made, 0, 1, 1) == ("<3", "3+", "(missing)")
    assert labels(made, 0, 0, 1) == ("any number", "(missing)")
    assert labels(made, 0, 0, 0) == ("*",)
    assert not space.valid(np.array([1, 0, 0], dtype=bool))


def test_the_highest_level_is_never_passed() -> None:
    entry = {"hierarchy": {"intervals": [10, 20]}, "levels": [0, 2]}
    space = GenomeSpace.of(one(entry, "5", "15", "25", "35").cube)
    assert [genome.tolist() for genome in every_genome(space)] == [
        [False, True, False], [False, True, True], [True, True, False], [True, True, True],
    ]  # fmt: skip


def test_a_recoding_is_read_back_as_it_was_written() -> None:
    made = one({"hierarchy": {"tree": MARITAL}}, "Divorced", "Never", "Present")
    recoding = CutsRecoding.of(
        GenomeSpace.of(made.cube), np.array([0, 1, 1, 1], dtype=bool), parse_keep({"k": ">=1"})
    )
    written = json.loads(json.dumps(recoding.as_json()))
    assert written["groups"] == {"x": [["Divorced", "Widowed"], ["Never"], ["Absent"], ["Present"]]}
    assert CutsRecoding.from_json(written) == recoding
    assert recoding.flat() == {"groups of x": 4}


def test_a_recoding_of_other_values_is_refused() -> None:
    made = one({"hierarchy": {"flat": True}}, "a", "b")
    recoding = CutsRecoding.of(GenomeSpace.of(made.cube), np.array([True]), parse_keep({"k": ">=1"}))
    other = one({"hierarchy": {"flat": True}}, "a", "c")
    with pytest.raises(InputError, match="do not consist of the values of this table and schema"):
        recoding.classes(other.cube)


def test_a_column_with_too_many_values_asks_for_granules() -> None:
    values = [str(i) for i in range(MOST_ATOMS + 1)]
    made = one({"type": "integer", "hierarchy": {"flat": True}}, *values)
    with pytest.raises(InputError, match="2,000 places, more than 2,000; give it a granularity"):
        GenomeSpace.of(made.cube)
    days = [str(date(2000, 1, 1) + timedelta(days=i)) for i in range(MOST_ATOMS + 1)]
    made = one({"type": "date", "hierarchy": {"date": ["month", "year"]}}, *days)
    with pytest.raises(InputError, match=r"2,000 places, more than 2,000; give it levels = \[1, 3\], or"):
        GenomeSpace.of(made.cube)


def test_every_node_of_the_lattice_is_a_choice_of_cuts() -> None:
    made = study(
        {
            "m": {"role": "quasi", "hierarchy": {"tree": MARITAL}},
            "n": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
        },
        m=["Divorced", "Never", "Present", "Present", "Widowed"],
        n=["3", "7", "12", "3", "19"],
    )
    space, lattice = GenomeSpace.of(made.cube), Lattice.of(made.cube)
    for levels in lattice:
        genome = genome_of(space, levels)
        assert space.valid(genome)
        cut = Realized.of(CutsRecoding.of(space, genome, parse_keep({"k": ">=1"})), made.cube)
        node = Realized.of(LatticeRecoding.of(lattice.named(levels), {"k": ">=1"}), made.cube)
        assert cut.measure("k", "loss", "entropy-loss") == node.measure("k", "loss", "entropy-loss")


def test_the_cube_of_atoms_has_the_same_rows() -> None:
    entry = {"role": "quasi", "hierarchy": {"intervals": [10, 20]}, "granularity": 5}
    made = study(
        {"x": entry, "s": {"role": "sensitive"}},
        x=["15", "16", "21", "33", "34", "36"],
        s=["a", "b", "a", "a", "a", "b"],
    )
    cube = atoms_cube(made.cube, GenomeSpace.of(made.cube))
    assert cube.counts.tolist() == [2, 1, 2, 1]
    assert cube.axes[0].hierarchy.group_counts == (4, 3, 2, 1)
    assert cube.sensitive[0].counts.tolist() == [1, 1, 1, 2, 1]
