"""Compiled: visit nodes and take statistics of sensitive values and labels too.

Apart from the visits that only count, since these are compiled much faster and serve most questions.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.compiling import compiled
from paretonym.cube.kernels import MergeSpace
from paretonym.cube.requests import Reference
from paretonym.cube.statistics import class_statistics, combined, neutral, of_column
from paretonym.cube.thresholds import RunSpace
from paretonym.cube.visiting import arrive, record

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


class Space(NamedTuple):
    """Scratch memory of one thread."""

    merge: MergeSpace
    runs: RunSpace
    values: Floats
    shares: Floats
    totals: Integers


@compiled
def observe(layout, requests, state, space, numbers, levels, out):
    """Take the counts and statistics of each node and write its candidates to `out`. Returns how many."""
    written = 0
    for i in range(len(numbers)):
        row = arrive(layout, state, space.merge, levels[i])
        found = record(layout, state, row, space.runs, out, written)
        record_statistics(layout, requests, state, row, space, found, out.statistics, written)
        made = found if layout.every_threshold else 1
        out.nodes[written : written + made] = numbers[i]
        written += made
    return written


@compiled
def record_statistics(layout, requests, state, row, space, found, out, written):
    """The statistics of one node, combined over the classes that stay at each of its candidates."""
    first = 0 if layout.every_threshold else found - 1
    for which in range(len(requests.kinds)):
        if requests.released[which]:
            for run in range(first, found):
                place = written + run - first
                out[place, which] = over_staying(requests, which, state, row, space, space.runs.sizes[run])
        else:
            over_runs(requests, which, state, row, space, found, first, out, written)


@compiled
def over_runs(requests, which, state, row, space, found, first, out, written):
    """One statistic against the input's distribution: computed once for each class, then combined from the
    largest classes downwards."""
    counts, length, runs = state.counts[row], state.lengths[row], space.runs
    reference = of_column(requests, which)
    least, most = runs.sizes[first], runs.sizes[found - 1]
    class_statistics(requests, which, state.cells[row], counts, length, least, reference, space.values)
    combine = requests.combines[which]
    for run in range(first, found):
        out[written + run - first, which] = neutral(combine)
        if run < found - 1:
            runs.histogram[runs.sizes[run]] = run - first
    for i in range(length):
        count = counts[i]
        if count >= least:
            place = written + (found - 1 - first if count >= most else runs.histogram[count])
            out[place, which] = combined(combine, out[place, which], space.values[i])
    for run in range(first, found - 1):
        runs.histogram[runs.sizes[run]] = 0
    for place in range(written + found - 2 - first, written - 1, -1):
        out[place, which] = combined(combine, out[place, which], out[place + 1, which])


@compiled
def over_staying(requests, which, state, row, space, least):
    """One statistic against the distribution of the classes with at least `least` rows themselves."""
    counts, length, cells = state.counts[row], state.lengths[row], state.cells[row]
    start, width = requests.starts[which], requests.widths[which]
    shares, totals = space.shares[:width], space.totals[:width]
    totals[:] = 0
    whole = np.int64(0)
    for i in range(length):
        if counts[i] >= least:
            whole += counts[i]
            for value in range(width):
                totals[value] += cells[i, start + value]
    shares[:] = totals / whole
    reference = Reference(shares, totals, whole)
    class_statistics(requests, which, cells, counts, length, least, reference, space.values)
    combine = requests.combines[which]
    result = neutral(combine)
    for i in range(length):
        if counts[i] >= least:
            result = combined(combine, result, space.values[i])
    return result
