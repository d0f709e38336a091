"""What a cube keeps for later questions: made once, and never written to."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from paretonym.research.exams.random_tables import random_table


def test_once() -> None:
    cube = random_table(Random(0)).study().cube
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name

    assert [cube.once(name, lambda name=name: make(name)) for name in ("a", "b", "a")] == ["a", "b", "a"]  # type: ignore[misc]
    assert made == ["a", "b"]


def test_another_cube_makes_its_own() -> None:
    cube = random_table(Random(0)).study().cube
    assert cube.once("a", lambda: 1) == 1
    assert replace(cube, counts=2 * cube.counts).once("a", lambda: 2) == 2


def arrays_in(kept: Any) -> list[Any]:
    if isinstance(kept, np.ndarray):
        return [kept]
    if isinstance(kept, tuple | list):
        return [array for each in kept for array in arrays_in(each)]
    if isinstance(kept, dict):
        return arrays_in(list(kept.values()))
    return arrays_in(list(vars(kept).values())) if hasattr(kept, "__dict__") else []


def test_what_is_kept_is_not_written_to() -> None:
    """A second question finds what the first one did, whatever is asked between."""
    study = random_table(Random(4), rows=(80, 80), sensitive=1).study()
    first = study.explore("k", "l", "loss", suppress="10%", space="lattice").as_json()
    arrays = arrays_in(study.cube._made)
    before = [array.copy() for array in arrays]
    assert len(before) > 5
    study.explore("t", "entropy-loss", "k", suppress="any:0.3", space="lattice")
    assert study.explore("k", "l", "loss", suppress="10%", space="lattice").as_json() == first
    assert all(np.array_equal(*pair) for pair in zip(arrays, before, strict=True))


def test_a_question_does_not_depend_on_what_was_asked_before() -> None:
    study = random_table(Random(2), rows=(200, 200), quasi=(4, 4)).study()
    asked = [("0", ("k", "loss")), ("10%", ("k", "loss")), ("any:0.2", ("k", "sl")), ("5%", ("k", "loss"))]
    before = [
        study.explore(*names, suppress=limit, space="lattice").vectors().tolist() for limit, names in asked
    ]
    again = [
        study.explore(*names, suppress=limit, space="lattice").vectors().tolist()
        for limit, names in reversed(asked)
    ]
    assert again == before[::-1]
