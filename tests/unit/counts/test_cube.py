"""Memory that searches find again."""

from __future__ import annotations

from random import Random

import numpy as np

from paretonym.counts.cube import Memory
from paretonym.testing.random_tables import random_table


def test_memory_is_found_again_where_it_is_large_enough() -> None:
    memory = Memory()
    first = memory.array("keys", (4, 3), np.uint64)
    assert first.shape == (4, 3)
    assert first.flags.carray
    assert np.shares_memory(memory.array("keys", (2, 5), np.uint64), first)
    assert not np.shares_memory(memory.array("counts", (2, 5), np.uint64), first)
    assert not np.shares_memory(memory.array("keys", (5, 5), np.uint64), first)
    assert memory.array("keys", (4, 3), np.int32).dtype == np.int32


def test_two_searches_at_once_never_share_memory() -> None:
    cube = random_table(Random(1), rows=(20, 20)).study().cube
    with cube.lent_memory() as one, cube.lent_memory() as other:
        assert one is not other
    with cube.lent_memory() as again:
        assert again in (one, other)


def test_a_question_does_not_depend_on_what_was_asked_before() -> None:
    study = random_table(Random(2), rows=(200, 200), quasi=(4, 4)).study()
    asked = [("0", ("k", "loss")), ("10%", ("k", "loss")), ("any:0.2", ("k", "sl")), ("5%", ("k", "loss"))]
    before = [study.explore(*names, suppress=limit).vectors().tolist() for limit, names in asked]
    again = [study.explore(*names, suppress=limit).vectors().tolist() for limit, names in reversed(asked)]
    assert again == before[::-1]
