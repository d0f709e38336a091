"""Local recoding, repeated for an audit: from the chain of nodes that a manifest states, the node at which
every original row is shown, counted by SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from paretonym.arrays import Integers
from paretonym.audits.original_rows import Original, QuasiMeaning
from paretonym.audits.sql_engine import Engine, listed
from paretonym.audits.sql_measures import NotMeasurable
from paretonym.audits.stated_recoding import StatedRecoding


class MixedLabels(NamedTuple):
    """The labels of several levels of one column, each once with its run of leaves, and the place of each
    label of each level."""

    runs: Mapping[str, tuple[int, int]]
    places: Mapping[int, Integers]


def smallest_class(recoding: StatedRecoding) -> int:
    """The k that decides which rows are shown at a node."""
    text = str(recoding.keep.get("k", ""))
    if not re.fullmatch(r">=[0-9]{1,15}", text):
        raise NotMeasurable("the manifest states no class size, so nothing says at which node a row is shown")
    return int(text[2:])


def nodes_of_entries(
    engine: Engine, original: Original, chain: Sequence[Mapping[str, int]], k: int
) -> Integers:
    """The place in the chain of the node at which each entry of the original is shown. Rows that reach k at
    no node were suppressed; they stand at the last one, in classes that are too small."""
    used = sorted({(j, node[column.name]) for node in chain for j, column in enumerate(original.quasi)})
    codes: dict[str, Any] = {
        f"c{j}_{level}": original.quasi[j].levels[level].sets[original.quasi[j].leaves] for j, level in used
    }
    entries = np.arange(original.entries, dtype=np.int64)
    weights = np.ones_like(entries) if original.weights is None else original.weights
    if original.persons is not None:
        codes["person"] = original.persons
    size = "sum(weight)" if original.persons is None else "count(distinct person)"
    engine.keep("chain_rows", {"r": entries, "node": np.full_like(entries, -1), "weight": weights, **codes})
    for place, node in enumerate(chain):
        own = [f"c{j}_{node[column.name]}" for j, column in enumerate(original.quasi)]
        same = " and ".join(f"chain_rows.{each} = large.{each}" for each in own)
        large = (
            f"select {listed(own)} from chain_rows where node < 0 group by {listed(own)} having {size} >= {k}"
        )
        engine.run(f"update chain_rows set node = {place} from ({large}) as large where node < 0 and {same}")
    found = engine.numbers(
        "select if(node < 0, ?, node) as node from chain_rows order by r", [len(chain) - 1]
    )
    engine.run("drop table chain_rows")
    return found


def mixed_labels(column: QuasiMeaning, levels: Sequence[int]) -> MixedLabels:
    """The labels of several levels. A label means one set; only the top label also means values outside the
    hierarchy, which are shown by it at every level."""
    runs: dict[str, tuple[int, int]] = {}
    for number in levels:
        level = column.levels[number]
        ends = np.searchsorted(level.sets, np.arange(len(level.labels) + 1)).tolist()
        for place, label in enumerate(level.labels):
            run = (ends[place], ends[place + 1])
            if runs.get(label, run) != run and label != column.levels[-1].labels[0]:
                raise NotMeasurable(f"a label of column '{column.name}' means different sets at two levels")
            runs[label] = run
    number_of = {label: place for place, label in enumerate(runs)}
    places = {
        number: np.array([number_of[label] for label in column.levels[number].labels], dtype=np.int64)
        for number in levels
    }
    return MixedLabels(runs, places)
