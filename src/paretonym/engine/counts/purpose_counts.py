"""Counting what declared analyses need: one query for each analysis, when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.base.arrays import Codes, Floats, Integers
from paretonym.base.errors import Bug, InputError
from paretonym.base.factorize import distinct_rows
from paretonym.base.number_text import as_number
from paretonym.engine.counts.cube import Cube, Purpose
from paretonym.engine.counts.purpose_rows import AnalysedColumn, AnalysedRows
from paretonym.tables.schema import Analysis, BoundSchema, Schema, missing_texts
from paretonym.tables.source import Counts


def declared_purposes(schema: Schema, source: Counts, bound: BoundSchema) -> tuple[Purpose, ...]:
    """The purposes of a schema; their rows are counted when they are first asked for."""

    def purpose(name: str) -> Purpose:
        analyses = tuple(analysis for analysis in schema.purposes if analysis.purpose == name)
        reader = _Reader(schema, source, bound)
        return Purpose(
            name, analyses, lambda cube: tuple(reader.rows(cube, analysis) for analysis in analyses)
        )

    return tuple(map(purpose, dict.fromkeys(analysis.purpose for analysis in schema.purposes)))


@dataclass(frozen=True, eq=False)
class _Reader:
    schema: Schema
    source: Counts
    bound: BoundSchema

    def rows(self, cube: Cube, analysis: Analysis) -> AnalysedRows:
        """The rows of one analysis; one query for the distinct tuples with the values that it needs."""
        axes = {axis.name: j for j, axis in enumerate(cube.axes)}
        quasi = {column.name: column for column in self.bound.quasi}
        coding: dict[str, Codes] = {}
        for axis in cube.axes:
            column = quasi[axis.name]
            coding[axis.name] = column.lookup if axis.name in analysis.used else column.groups(axis.lowest)
        further = {name: self._codes(name) for name in analysis.used if name not in axes}
        counted = self.source.omitting(self.bound.omitted).tuples({**coding, **further})
        codes = dict(zip([*coding, *further], counted.codes, strict=True))
        present = np.ones(len(counted.counts), dtype=np.bool_)
        for name, coded in further.items():
            present &= codes[name] < len(coded)
        groups = [
            axis.hierarchy.levels[axis.lowest].groups[codes[axis.name]] if axis.name in analysis.used
            else codes[axis.name]
            for axis in cube.axes
        ]  # fmt: skip
        first, tuples, _ = distinct_rows(groups, [axis.groups(axis.lowest) for axis in cube.axes])
        if len(first) != cube.tuples:
            raise Bug("the rows of an analysis have other tuples than the cube")
        columns = tuple(self._column(cube, analysis, name, axes.get(name)) for name in analysis.used)
        return AnalysedRows(
            analysis,
            columns,
            tuples[present],
            tuple(codes[name][present].astype(np.int64) for name in analysis.used),
            counted.counts[present],
            tuple(self._shown(name, codes[name][present]) for name in analysis.used),
        )

    def _codes(self, name: str) -> Codes:
        """The code of each distinct value of a column that is no quasi-identifier and, last, of a null; of
        what is missing, the number of codes."""
        counted = self.source.column(name)
        codes = np.arange(len(counted.texts) + 1, dtype=np.int32)
        codes[:-1][missing_texts(counted, self.schema.null_of(name))] = len(codes)
        codes[-1] = len(codes)
        return codes

    def _shown(self, name: str, codes: Codes) -> Integers | None:
        level = self.bound.published_levels.get(name)
        return None if level is None else level.codes[codes].astype(np.int64)

    def _column(self, cube: Cube, analysis: Analysis, name: str, axis: int | None) -> AnalysedColumn:
        members = None
        if axis is not None:
            hierarchy = cube.axes[axis].hierarchy
            # A missing value is the last leaf, and no value of any set.
            missing = self.bound.quasi[axis].null_code
            labels = hierarchy.leaves[: hierarchy.domain if missing < 0 else min(missing, hierarchy.domain)]
        else:
            labels = self.source.column(name).texts
            level = self.bound.published_levels.get(name)
            if level is not None:
                members = tuple(np.flatnonzero(level.codes == s) for s in range(len(level.labels)))
        numbers = self._numbers(name, labels, axis is not None)
        if analysis.kind in ("mean", "quantile") and name == analysis.outcome and numbers is None:
            raise InputError.of(
                f"{self.schema.name}, purpose '{analysis.purpose}'",
                f"column '{name}' has values that are no numbers, so it has no {analysis.kind}",
                "use a column of numbers, or a table",
                analysis.kind,
            )
        return AnalysedColumn(name, labels, numbers, axis, members)

    def _numbers(self, name: str, labels: tuple[str, ...], quasi: bool) -> Floats | None:
        """The values as numbers if they are to be taken so: the schema or the source says that they are, or,
        of a column that is no quasi-identifier and has no type, they all look so."""
        spec, counted = self.schema.column(name), self.source.column(name)
        plain = spec.type is None and spec.hierarchy is None and spec.order is None
        typed = spec.type is None and counted.type in ("integer", "decimal") and spec.kind.reads != "texts"
        if not (spec.numeric or typed or (plain and not quasi)):
            return None
        mark = "," if name in self.schema.commas and not quasi else "."
        absent = set() if quasi else {*np.flatnonzero(self._codes(name)[:-1] > len(labels)).tolist()}
        texts = (label.replace(mark, ".") for label in labels)
        numbers = [np.nan if place in absent else as_number(text) for place, text in enumerate(texts)]
        return None if None in numbers or not numbers else np.array(numbers, dtype=np.float64)
