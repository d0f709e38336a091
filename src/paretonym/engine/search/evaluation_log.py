"""The log of a walk: what it has evaluated, so that a walk that goes on need not evaluate it again.

The walk is repeated from its beginning, with the same decisions, and takes from the log what was evaluated
before: so it ends as if it had not been stopped, however it decides what to evaluate. The log holds what was
counted for each node, such as k and the share of suppressed rows; no rows, and no values of any column.
"""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.budget import SearchState
from paretonym.base.errors import Field, InputError
from paretonym.engine.counts import Counted

# The kind of state that this search keeps.
WALK = "walk"
# Candidates beyond this many are not kept: they are evaluated again.
_MOST = 2_000_000


class Evaluation(NamedTuple):
    """Some nodes that were evaluated: their staircases, one row for each node; and their candidates, with
    what was counted, which of them meet the requirements, their objectives, and what bounds
    specializations."""

    nodes: Integers
    stairs: npt.NDArray[np.int32]
    counted: Counted
    admitted: Mask
    values: Floats
    best: Floats

    def arrays(self) -> tuple[npt.NDArray[np.generic], ...]:
        return (self.nodes, self.stairs, *self.counted, self.admitted, self.values, self.best)

    @classmethod
    def of_arrays(cls, arrays: list[npt.NDArray[np.generic]]) -> Evaluation:
        nodes, stairs, *counted, admitted, values, best = arrays
        evaluation = cls(nodes, stairs, Counted(*counted), admitted, values, best)  # type: ignore[arg-type]
        if len(nodes) != len(stairs) or len({len(array) for array in (*counted, admitted, values, best)}) > 1:
            raise ValueError
        return evaluation


class EvaluationLog:
    """The evaluations of a walk so far, and those of the walk that it repeats."""

    def __init__(self, kept: SearchState | None = None) -> None:
        self._parts: list[Evaluation] = []
        self._candidates = 0
        self._earlier: dict[int, int] = {}  # the part of each node that was evaluated earlier
        if kept is not None:
            self.add(_unpacked(kept["evaluations"]))
            self._earlier = dict.fromkeys(self._parts[0].nodes.tolist(), 0)

    def add(self, evaluation: Evaluation) -> None:
        if self._candidates <= _MOST:
            self._parts.append(evaluation)
            self._candidates += len(evaluation.admitted)

    def new(self, nodes: Integers) -> Integers:
        """Those of some nodes that were not evaluated earlier."""
        return nodes[[node not in self._earlier for node in nodes.tolist()]] if self._earlier else nodes

    def earlier(self, nodes: Integers) -> Iterator[Evaluation]:
        """Earlier evaluations of some nodes."""
        if not self._earlier:
            return
        part = self._parts[0]
        of_nodes, candidates = (np.isin(array, nodes) for array in (part.nodes, part.counted.nodes))
        if of_nodes.any():
            counted = part.counted.take(np.flatnonzero(candidates))
            yield Evaluation(
                part.nodes[of_nodes], part.stairs[of_nodes], counted, part.admitted[candidates],
                part.values[candidates], part.best[candidates],
            )  # fmt: skip

    def state(self) -> SearchState:
        """The log as text: one compressed array for each kind of number."""
        if len(self._parts) > 1:
            columns = zip(*(part.arrays() for part in self._parts), strict=True)
            self._parts = [Evaluation.of_arrays([np.concatenate(column) for column in columns])]
        file = io.BytesIO()
        np.savez_compressed(file, *self._parts[0].arrays())
        return {"kind": WALK, "evaluations": base64.b64encode(file.getvalue()).decode()}


def _unpacked(text: str) -> Evaluation:
    try:
        with np.load(io.BytesIO(base64.b64decode(text, validate=True)), allow_pickle=False) as arrays:
            return Evaluation.of_arrays([arrays[name] for name in arrays.files])
    except (ValueError, TypeError, OSError, EOFError, zipfile.BadZipFile, KeyError):
        wrong = "the evaluations that it keeps cannot be read"
        raise InputError.of(Field("resume"), wrong, "start again in a new folder") from None
