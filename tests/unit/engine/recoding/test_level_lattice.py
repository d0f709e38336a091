"""Numbers of nodes, and names of recodings."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from paretonym.engine.recoding.equivalence_classes import digest, shortened
from paretonym.engine.recoding.level_lattice import Lattice
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding

LATTICES = [
    Lattice(("a",), (0,), (3,)),
    Lattice(("a", "b", "c"), (0, 1, 2), (2, 1, 4)),
    Lattice(("a", "b", "c", "d"), (1, 0, 0, 3), (3, 1, 0, 5)),
]


@pytest.mark.parametrize("lattice", LATTICES)
def test_nodes_are_numbered_in_dictionary_order(lattice: Lattice) -> None:
    spans = [range(low, high + 1) for low, high in zip(lattice.lowest, lattice.highest, strict=True)]
    nodes = list(product(*spans))
    assert list(lattice) == nodes
    assert lattice.size == len(nodes)
    assert [lattice.number(levels) for levels in nodes] == list(range(len(nodes)))
    assert lattice.level_table(np.arange(len(nodes))).tolist() == [list(levels) for levels in nodes]
    above = np.array(nodes) - np.array(lattice.lowest)
    assert (above @ np.array(lattice.weights)).tolist() == list(range(len(nodes)))


def test_levels_have_names() -> None:
    assert LATTICES[1].named((0, 1, 2)) == {"a": 0, "b": 1, "c": 2}


def test_a_digest_is_of_what_is_done_and_nothing_else() -> None:
    one = LatticeRecoding.of({"age": 1, "sex": 0}, {"k": ">=5"})
    assert digest(one) == digest(LatticeRecoding.of({"sex": 0, "age": 1}, {"k": ">=5"}))
    others = [
        LatticeRecoding.of({"age": 1, "sex": 1}, {"k": ">=5"}),
        LatticeRecoding.of({"age": 1, "sex": 0}, {"k": ">=6"}),
        LatticeRecoding.of({"age": 1, "zip": 0}, {"k": ">=5"}),
    ]
    assert len({digest(one), *(digest(other) for other in others)}) == 4
    # The same in every version, since ids are kept in files: the sha256 of
    # {"keep":{"k":">=5"},"levels":{"age":1,"sex":0}}
    assert digest(one).startswith("f9a954561124")


def test_short_ids_are_longer_only_where_they_clash() -> None:
    digests = ["aaaaaa11" + "0" * 56, "aaaaaa22" + "0" * 56, "bbbbbb" + "0" * 58]
    assert shortened(digests) == ["aaaaaa11", "aaaaaa22", "bbbbbb"]
    deep = ["cccccccccc1" + "0" * 53, "cccccccccc2" + "0" * 53]
    assert shortened(deep) == ["cccccccccc10", "cccccccccc20"]
    assert shortened([]) == []
