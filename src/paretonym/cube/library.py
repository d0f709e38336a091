"""The door to the compiled kernels: every structure and function of `kernels/*.c`, declared once as data.

Whatever goes to C is checked here: the type, order, alignment and size of every array, and that what belongs
together has the same sizes. A mistake raises `Bug` and never reaches C. Without a library, or with
`PARETONYM_KERNELS=numpy` in the environment, everything is counted by numpy instead.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, dataclass_transform

import numpy as np
import numpy.typing as npt

from paretonym.errors import Bug

Integers: TypeAlias = npt.NDArray[np.int64]
Words: TypeAlias = npt.NDArray[np.uint64]
Small: TypeAlias = npt.NDArray[np.int32]
Unsigned: TypeAlias = npt.NDArray[np.uint32]
Floats: TypeAlias = npt.NDArray[np.float64]
Marks: TypeAlias = npt.NDArray[np.uint8]
Mask: TypeAlias = npt.NDArray[np.bool_]

FOLDER = Path(__file__).parent
NAMES = ("_kernels.so", "_kernels.dylib", "_kernels.dll")
SWITCH = "PARETONYM_KERNELS"
# Counts of values within a class have 32 bits, and squared counts of rows must fit into 63.
MOST_ROWS = 2**31 - 1
REFUSED = -2
_NUMBER = {"int64": ctypes.c_int64, "float64": ctypes.c_double}


@dataclass(frozen=True, slots=True)
class Array:
    """An array that C reads or writes: as many elements as the product of `shape`, whose names are sizes."""

    dtype: str
    shape: tuple[str | int, ...]
    writable: bool

    def check(self, name: str, given: object, sizes: dict[str, int]) -> None:
        if not isinstance(given, np.ndarray) or given.dtype != np.dtype(self.dtype):
            raise Bug(f"kernels: {name} is {_described(given)}, not an array of {self.dtype}")
        if not (given.flags.c_contiguous and given.flags.aligned):
            raise Bug(f"kernels: {name} is not contiguous in memory")
        if self.writable and not given.flags.writeable:
            raise Bug(f"kernels: {name} cannot be written to")
        wanted = math.prod(n if isinstance(n, int) else sizes[n] for n in self.shape)
        if given.size != wanted:
            shape = " × ".join(str(n) for n in self.shape)
            raise Bug(f"kernels: {name} has {given.size} elements, not {shape} = {wanted}")


def _described(given: object) -> str:
    return f"an array of {given.dtype}" if isinstance(given, np.ndarray) else repr(type(given).__name__)


def reads(dtype: str, *shape: str | int) -> Any:
    """A field that C only reads."""
    return Array(dtype, shape, False)


def writes(dtype: str, *shape: str | int) -> Any:
    """A field that C writes to."""
    return Array(dtype, shape, True)


def check_integer(name: str, value: object) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise Bug(f"kernels: {name} is {_described(value)}, not an integer")
    if not -(2**63) <= int(value) < 2**63:
        raise Bug(f"kernels: {name} = {value} does not fit into 64 bits")
    return int(value)


@dataclass_transform(kw_only_default=True, field_specifiers=(reads, writes))
class Structure:
    """A structure of `kernels.h`. Fields without a value are sizes and other integers, in the order of C; the
    others are arrays. It holds what it points to."""

    _arrays: dict[str, Array]
    _integers: tuple[str, ...]
    _layout: type[ctypes.Structure]

    def __init_subclass__(cls) -> None:
        names = list(cls.__annotations__)
        cls._arrays = {name: getattr(cls, name) for name in names if hasattr(cls, name)}
        cls._integers = tuple(name for name in names if name not in cls._arrays)
        fields = [(n, ctypes.c_void_p if n in cls._arrays else ctypes.c_int64) for n in names]
        cls._layout = type(cls.__name__, (ctypes.Structure,), {"_fields_": fields})

    def __init__(self, **given: Any) -> None:
        if given.keys() != {*self._integers, *self._arrays}:
            raise Bug(f"kernels: {type(self).__name__} is made of {', '.join(given)}")
        self.integers = {name: check_integer(name, given[name]) for name in self._integers}
        for name, array in self._arrays.items():
            array.check(f"{type(self).__name__}.{name}", given[name], self.integers)
        self.__dict__.update(given)
        pointers = {name: given[name].ctypes.data for name in self._arrays}
        self.raw = self._layout(**self.integers, **pointers)

    def replaced(self, **changes: Any) -> Any:
        """The same with some fields changed."""
        fields = {name: getattr(self, name) for name in (*self._integers, *self._arrays)}
        return type(self)(**(fields | changes))


class Layout(Structure):
    """How keys are laid out, and what levels do to them: see `layout.py`."""

    positions: int
    words: int
    widest: int
    mapped: int
    costs: int
    united: int
    word: Integers = reads("int64", "positions")
    shift: Integers = reads("int64", "positions")
    bits: Integers = reads("int64", "positions")
    steps: Integers = reads("int64", "positions")
    starts: Integers = reads("int64", "positions", "widest", "widest")
    unit_starts: Integers = reads("int64", "positions", "widest")
    mappings: Words = reads("uint64", "mapped")
    units: Floats = reads("float64", "costs", "united")


class Classes(Structure):
    """Classes: their keys, rows, and the counts of the further columns' values."""

    length: int
    words: int
    width: int
    keys: Words = writes("uint64", "length", "words")
    counts: Integers = writes("int64", "length")
    cells: Small = writes("int32", "length", "width")


class Table(Structure):
    """A hash table."""

    size: int
    slots: Words = writes("uint64", "size")
    epoch: Integers = writes("int64", 1)


class Requests(Structure):
    """Which statistics of classes are wanted: see `requests.py`."""

    statistics: int
    values: int
    branches: int
    whole: int
    kinds: Integers = reads("int64", "statistics")
    combines: Integers = reads("int64", "statistics")
    starts: Integers = reads("int64", "statistics")
    widths: Integers = reads("int64", "statistics")
    released: Integers = reads("int64", "statistics")
    tree_starts: Integers = reads("int64", "statistics")
    tree_levels: Integers = reads("int64", "statistics")
    totals: Integers = reads("int64", "values")
    tree: Integers = reads("int64", "branches")
    parameters: Floats = reads("float64", "statistics")
    shares: Floats = reads("float64", "values")


class Walk(Structure):
    """Memory of one thread for visiting nodes: see `visits.py`."""

    positions: int
    tuples: int
    words: int
    width: int
    depth: int
    room: int
    rows: int
    prefixes: int
    costed: int
    keys: Words = writes("uint64", "room", "words")
    codes: Words = writes("uint64", "tuples", "words")
    counts: Integers = writes("int64", "room")
    begins: Integers = writes("int64", "rows")
    lengths: Integers = writes("int64", "rows")
    levels: Integers = writes("int64", "positions")
    holder: Integers = writes("int64", "positions")
    kept: Integers = writes("int64", "prefixes")
    used: Integers = writes("int64", 2)
    source: Integers = writes("int64", "positions")
    cells: Small = writes("int32", "room", "width")
    class_costs: Floats = writes("float64", "costed")


class Counted(Structure):
    """Where candidates go."""

    room: int
    facts: int
    costs: int
    statistics: int
    node: Integers = writes("int64", "room")
    fact: Integers = writes("int64", "room", "facts")
    cost: Floats = writes("float64", "room", "costs")
    statistic: Floats = writes("float64", "room", "statistics")


class Thresholds(Structure):
    """Scratch memory for thresholds on classes: see `visits.py`."""

    classes: int
    ranked: int
    limit: int
    most: int
    statistics: int
    costs: int
    values: int
    histogram: Integers = writes("int64", "limit")
    sizes: Integers = writes("int64", "most")
    gone: Integers = writes("int64", "most")
    rank: Integers = writes("int64", "ranked")
    order: Integers = writes("int64", "ranked")
    spare: Integers = writes("int64", "ranked")
    rank_rows: Integers = writes("int64", "ranked")
    rank_classes: Integers = writes("int64", "ranked")
    rank_squares: Integers = writes("int64", "ranked")
    rank_unique: Integers = writes("int64", "ranked")
    rank_smallest: Integers = writes("int64", "ranked")
    totals: Integers = writes("int64", "values")
    sorting: Integers = writes("int64", "values")
    measured: Floats = writes("float64", "statistics", "classes")
    goodness: Floats = writes("float64", 2, "ranked")
    rank_costs: Floats = writes("float64", "ranked", "costs")
    gone_costs: Floats = writes("float64", "costs")
    rank_measured: Floats = writes("float64", "ranked", "statistics")
    shares: Floats = writes("float64", "values")


class Bounds(Structure):
    """What is known of all nodes before they are evaluated, and how to read it: `known[node]` holds the best
    that the objectives at `place` can be (as costs), `staircase[node]` the rows that go at least for each of
    `sizes`; `size_place` is the place of k, -1 without it; `required` is what objectives must be at worst."""

    nodes: int
    places: int
    stairs: int
    objectives: int
    size_place: int
    suppressible: int
    known: Floats = writes("float64", "nodes", "places")
    staircase: Small = writes("int32", "nodes", "stairs")
    sizes: Integers = reads("int64", "stairs")
    place: Integers = reads("int64", "places")
    required: Floats = reads("float64", "objectives")


class Waiting(Structure):
    """Nodes to be tested, with the floors of their objectives as costs; `open` says which stay."""

    count: int
    positions: int
    objectives: int
    node: Integers = reads("int64", "count")
    levels: Integers = reads("int64", "count", "positions")
    least: Floats = reads("float64", "count", "objectives")
    per_row: Floats = reads("float64", "count", "objectives")
    open: Marks = writes("uint8", "count")


class Best(Structure):
    """The frontier so far as costs, and room for two vectors."""

    length: int
    objectives: int
    vectors: Floats = writes("float64", "length", "objectives")
    ideal: Floats = writes("float64", "objectives")
    stair: Floats = writes("float64", "objectives")


class Witnesses(Structure):
    """Witnesses of several nodes behind one another, class by class: tuples with their rows; `opens` is 1
    where a class begins. Those of holder h, which stands at `levels[h]`, lie from `starts[h]` on."""

    room: int
    holders: int
    positions: int
    words: int
    begins: int
    keys: Words = writes("uint64", "room", "words")
    rows: Integers = writes("int64", "room")
    starts: Integers = reads("int64", "begins")
    levels: Integers = reads("int64", "holders", "positions")
    opens: Marks = writes("uint8", "room")


class Tally(Structure):
    """Scratch memory for witnesses: rows in classes of each size up to `limit`."""

    tuples: int
    words: int
    limit: int
    sized: int
    codes: Words = writes("uint64", "tuples", "words")
    keys: Words = writes("uint64", "tuples", "words")
    counts: Integers = writes("int64", "tuples")
    target: Integers = writes("int64", "tuples")
    members: Integers = writes("int64", "tuples")
    by_size: Integers = writes("int64", "sized")


class Genomes(Structure):
    """Tuples laid out for counting under many cuts: see `genomes.py`."""

    axes: int
    parts: int
    atoms: int
    costs: int
    costed: int
    tuples: int
    combined: int
    listed: int
    entries: int
    rows: int
    axes_after: int
    parts_after: int
    tuples_after: int
    atom_starts: Integers = reads("int64", "axes_after")
    cost_starts: Integers = reads("int64", "axes")
    atom_rows: Integers = reads("int64", "atoms")
    axis: Integers = reads("int64", "axes")
    part_axes: Integers = reads("int64", "parts_after")
    combination_starts: Integers = reads("int64", "parts_after")
    listed_starts: Integers = reads("int64", "parts_after")
    counts: Integers = reads("int64", "tuples")
    value_starts: Integers = reads("int64", "tuples_after")
    combinations: Unsigned = reads("uint32", "listed")
    part: Unsigned = reads("uint32", "parts", "tuples")
    tuple_atoms: Small = reads("int32", "tuples", "axes")
    values: Small = reads("int32", "entries")
    value_counts: Small = reads("int32", "entries")
    cost: Floats = reads("float64", "costs", "costed")


class GenomeSpace(Structure):
    """Memory of one thread for counting genomes."""

    axes: int
    atoms: int
    costs: int
    tuples: int
    combined: int
    dense_size: int
    limit: int
    width: int
    codes: Words = writes("uint64", "tuples")
    part_codes: Words = writes("uint64", "combined")
    keys: Words = writes("uint64", "tuples")
    groups: Integers = writes("int64", "axes")
    touched: Integers = writes("int64", "combined")
    class_of: Integers = writes("int64", "tuples")
    shown_by: Integers = writes("int64", "tuples")
    histogram: Integers = writes("int64", "limit")
    counts: Integers = writes("int64", "tuples")
    group_of: Small = writes("int32", "atoms")
    dense: Small = writes("int32", "dense_size")
    cells: Small = writes("int32", "tuples", "width")
    weighted: Unsigned = writes("uint32", "atoms")
    unit: Floats = writes("float64", "costs", "atoms")
    totals: Floats = writes("float64", "costs")
    class_costs: Floats = writes("float64", "tuples", "costs")


class PopulationSearch(Structure):
    """Tuples and predicates, and what is left of the tuples at each depth of a search for populations."""

    axes: int
    tuples: int
    predicates: int
    units: int
    depths: int
    groups: Small = reads("int32", "tuples", "axes")
    counts: Integers = reads("int64", "tuples")
    axis: Integers = reads("int64", "predicates")
    first: Integers = reads("int64", "predicates")
    after: Integers = reads("int64", "predicates")
    starts: Integers = reads("int64", "depths")
    active: Small = writes("int32", "depths", "tuples")
    lengths: Integers = writes("int64", "depths")
    cursor: Integers = writes("int64", "depths")
    supports: Integers = writes("int64", "depths", "predicates")
    before: Integers = writes("int64", "units")


class Splits(Structure):
    """Where quasi-identifiers may be split: see `recoding/mondrian/splits.py`."""

    axes: int
    nodes: int
    axes_after: int
    units_after: int
    roots: Integers = reads("int64", "axes_after")
    first: Integers = reads("int64", "nodes")
    after: Integers = reads("int64", "nodes")
    child: Integers = reads("int64", "nodes")
    child_after: Integers = reads("int64", "nodes")
    leaves_before: Integers = reads("int64", "axes", "units_after")
    domains: Integers = reads("int64", "axes")
    line: Mask = reads("bool", "nodes")
    cuttable: Mask = reads("bool", "axes", "units_after")


class Conditions(Structure):
    """What is required of every part: see `recoding/mondrian/requirement.py`."""

    conditions: int
    values: int
    tuples_after: int
    entries: int
    rules: Integers = reads("int64", "conditions")
    starts: Integers = reads("int64", "conditions")
    stops: Integers = reads("int64", "conditions")
    begins: Integers = reads("int64", "tuples_after")
    value: Integers = reads("int64", "entries")
    counts: Integers = reads("int64", "entries")
    bounds: Floats = reads("float64", "conditions")
    reference: Floats = reads("float64", "values")


class Partition(Structure):
    """The tuples of a table in parts, and scratch memory for splitting them."""

    tuples: int
    axes: int
    units: int
    pieces: int
    pieces_after: int
    values: int
    groups: Small = reads("int32", "tuples", "axes")
    counts: Integers = reads("int64", "tuples")
    order: Integers = writes("int64", "tuples")
    starts: Integers = writes("int64", "tuples")
    stops: Integers = writes("int64", "tuples")
    of_tuple: Integers = writes("int64", "tuples")
    unit_rows: Integers = writes("int64", "units")
    piece_rows: Integers = writes("int64", "pieces")
    cells: Integers = writes("int64", "pieces", "values")
    sorted: Integers = writes("int64", "tuples")
    nodes: Integers = writes("int64", "axes")
    ends: Integers = writes("int64", "pieces_after")
    low: Small = writes("int32", "tuples", "axes")
    high: Small = writes("int32", "tuples", "axes")
    unit_piece: Small = writes("int32", "units")
    piece_low: Small = writes("int32", "pieces")
    piece_high: Small = writes("int32", "pieces")
    piece: Small = writes("int32", "tuples")
    own_low: Small = writes("int32", "axes")
    own_high: Small = writes("int32", "axes")
    spans: Floats = writes("float64", "axes")


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the library. Parameters are structures, `int64`, `float64`, or arrays; `alike` lists
    what must be equal, for example `walk.positions` and `layout.positions`."""

    parameters: dict[str, type[Structure] | Array | str]
    alike: tuple[tuple[str, ...], ...] = ()


_LAYOUT_AND_TUPLES = ("layout.words", "tuples.words")
FUNCTIONS: dict[str, Function] = {
    "group": Function(
        {
            "layout": Layout,
            "table": Table,
            "low": reads("int64", "layout.positions"),
            "high": reads("int64", "layout.positions"),
            "tuples": Classes,
            "out": Classes,
            "codes": writes("uint64", "tuples.length", "tuples.words"),
            "target": writes("int64", "tuples.length"),
        },
        (
            (*_LAYOUT_AND_TUPLES, "out.words"),
            ("tuples.length", "out.length"),
            ("tuples.width", "out.width"),
        ),
    ),
    "class_statistics": Function(
        {
            "requests": Requests,
            "which": "int64",
            "tuples": Classes,
            "sorting": writes("int64", "requests.values"),
            "out": writes("float64", "tuples.length"),
        },
        (("requests.values", "tuples.width"),),
    ),
    "visit": Function(
        {
            "layout": Layout,
            "requests": Requests,
            "tuples": Classes,
            "walk": Walk,
            "table": Table,
            "space": Thresholds,
            "columns": "int64",
            "thresholds": reads("int64", 2, "columns"),
            "suppressible": "int64",
            "every": "int64",
            "nodes": "int64",
            "numbers": reads("int64", "nodes"),
            "levels": reads("int64", "nodes", "layout.positions"),
            "out": Counted,
            "written": writes("int64", 1),
        },
        (
            (*_LAYOUT_AND_TUPLES, "walk.words"),
            ("layout.positions", "walk.positions"),
            ("tuples.length", "walk.tuples", "space.classes"),
            ("tuples.width", "walk.width", "requests.values", "space.values"),
            ("layout.costs", "space.costs", "out.costs"),
            ("requests.statistics", "space.statistics", "out.statistics"),
        ),
    ),
    "open": Function(
        {
            "bounds": Bounds,
            "waiting": Waiting,
            "best": Best,
            "tops": reads("int64", "waiting.positions"),
            "weights": reads("int64", "waiting.positions"),
        },
        (("bounds.objectives", "waiting.objectives", "best.objectives"),),
    ),
    "first_above": Function(
        {
            "count": "int64",
            "others": "int64",
            "positions": "int64",
            "levels": reads("int64", "count", "positions"),
            "other_levels": reads("int64", "others", "positions"),
            "places": writes("int64", "count"),
        }
    ),
    "settle": Function(
        {
            "layout": Layout,
            "witnesses": Witnesses,
            "table": Table,
            "tally": Tally,
            "bounds": Bounds,
            "waiting": Waiting,
            "best": Best,
            "holders": reads("int64", "waiting.count"),
        },
        (
            ("layout.words", "witnesses.words", "tally.words"),
            ("layout.positions", "witnesses.positions", "waiting.positions"),
            ("bounds.objectives", "waiting.objectives", "best.objectives"),
        ),
    ),
    "call": Function(
        {
            "layout": Layout,
            "tuples": Classes,
            "table": Table,
            "tally": Tally,
            "witnesses": Witnesses,
            "levels": reads("int64", "layout.positions"),
            "wanted": "int64",
            "first": "int64",
        },
        (
            (*_LAYOUT_AND_TUPLES, "tally.words", "witnesses.words"),
            ("tuples.length", "tally.tuples"),
        ),
    ),
    "count_genomes": Function(
        {
            "genomes": Genomes,
            "requests": Requests,
            "table": Table,
            "own": GenomeSpace,
            "space": Thresholds,
            "columns": "int64",
            "thresholds": reads("int64", 2, "columns"),
            "rule": "int64",
            "whole": "int64",
            "suppressible": "int64",
            "count": "int64",
            "gaps": "int64",
            "bits": reads("bool", "count", "gaps"),
            "out": Counted,
            "written": writes("int64", 1),
        },
        (
            ("genomes.axes", "own.axes"),
            ("genomes.atoms", "own.atoms"),
            ("genomes.tuples", "own.tuples", "space.classes", "space.ranked"),
            ("genomes.combined", "own.combined"),
            ("genomes.costs", "own.costs", "space.costs", "out.costs"),
            ("requests.values", "own.width", "space.values"),
            ("requests.statistics", "space.statistics", "out.statistics"),
        ),
    ),
    "find_populations": Function(
        {
            "search": PopulationSearch,
            "least": "int64",
            "room": "int64",
            "depths": writes("int64", "room"),
            "chosen": writes("int64", "room"),
        }
    ),
    "estimate": Function(
        {
            "entries": "int64",
            "axes": "int64",
            "classes": "int64",
            "predicates": "int64",
            "values": "int64",
            "depths": reads("int64", "entries"),
            "chosen": reads("int64", "entries"),
            "axis": reads("int64", "predicates"),
            "first": reads("int64", "predicates"),
            "after": reads("int64", "predicates"),
            "low": reads("int64", "axes", "classes"),
            "high": reads("int64", "axes", "classes"),
            "cells": reads("float64", "classes", "values"),
            "levels": "int64",
            "active": writes("int32", "levels", "classes"),
            "weights": writes("float64", "levels", "classes"),
            "lengths": writes("int64", "levels"),
            "result": writes("float64", "entries", "values"),
        }
    ),
    "mean_divergence": Function(
        {
            "entries": "int64",
            "values": "int64",
            "start": "int64",
            "stop": "int64",
            "truth": reads("float64", "entries", "values"),
            "guess": reads("float64", "entries", "values"),
            "result": writes("float64", 1),
        }
    ),
    "answer": Function(
        {
            "queries": "int64",
            "axes": "int64",
            "classes": "int64",
            "leaves": "int64",
            "values": "int64",
            "involved": reads("bool", "queries", "axes"),
            "running": reads("int32", "queries", "leaves"),
            "starts": reads("int64", "axes"),
            "marks": reads("bool", "queries", "values"),
            "low": reads("int64", "axes", "classes"),
            "high": reads("int64", "axes", "classes"),
            "cells": reads("float64", "classes", "values"),
            "result": writes("float64", "queries"),
        }
    ),
    "count_short": Function(
        {
            "asked": Conditions,
            "parts": "int64",
            "cells": reads("int64", "parts", "asked.values"),
            "rows": reads("int64", "parts"),
        }
    ),
    "partition": Function(
        {"splits": Splits, "asked": Conditions, "own": Partition, "waiting": "int64", "relaxed": "int64"},
        (("splits.axes", "own.axes"), ("splits.units_after", "own.units"), ("asked.values", "own.values")),
    ),
}


def call(name: str, *given: Any) -> int:
    """Call a kernel with what it declares. C answers with a number of its own."""
    function, library = FUNCTIONS[name], _library()
    if library is None:
        raise Bug(f"kernels: {name} was called, and there is no library")
    return int(getattr(library, f"paretonym_{name}")(*_arguments(name, function, given)))


def checked(answer: int, name: str) -> int:
    """What C answered, unless it found an argument out of bounds."""
    if answer == REFUSED:
        raise Bug(f"kernels: {name} was given something out of bounds")
    return answer


def _arguments(name: str, function: Function, given: Sequence[Any]) -> list[Any]:
    """The arguments as C takes them, everything checked."""
    if len(given) != len(function.parameters):
        raise Bug(f"kernels: {name} takes {len(function.parameters)} arguments, not {len(given)}")
    sizes: dict[str, int] = {}
    for (label, kind), value in zip(function.parameters.items(), given, strict=True):
        if kind == "int64":
            sizes[label] = check_integer(f"{name}: {label}", value)
        elif isinstance(kind, type):
            if not isinstance(value, kind):
                raise Bug(f"kernels: {name}: {label} is no {kind.__name__}")
            sizes.update((f"{label}.{field}", size) for field, size in value.integers.items())
    for equal in function.alike:
        if len({sizes[label] for label in equal}) > 1:
            found = ", ".join(f"{label} = {sizes[label]}" for label in equal)
            raise Bug(f"kernels: {name}: these must be the same: {found}")
    return [
        _argument(f"{name}: {label}", kind, value, sizes)
        for (label, kind), value in zip(function.parameters.items(), given, strict=True)
    ]


def _argument(label: str, kind: type[Structure] | Array | str, value: Any, sizes: dict[str, int]) -> Any:
    if isinstance(kind, Array):
        kind.check(label, value, sizes)
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(kind, str):
        return _NUMBER[kind](value)
    return ctypes.byref(value.raw)


# --- whether there is a library ----------------------------------------------------------------------------


def available() -> bool:
    """Whether the compiled kernels can be used."""
    return _library() is not None


def missing() -> str | None:
    """What to say where the compiled kernels should be there and are not; None if all is well."""
    if available() or os.environ.get(SWITCH) == "numpy":
        return None
    return (
        "The compiled kernels are not there, so numpy counts: several times slower, with the same results. "
        f"({_problem()})"
    )


def digest(folder: Path) -> str:
    """A digest of the C sources in a folder; empty without any."""
    sources = sorted(path for path in folder.glob("*.[ch]"))
    found = hashlib.sha256()
    for source in sources:
        found.update(source.read_bytes())
    return found.hexdigest()[:16] if sources else ""


@cache
def _library() -> ctypes.CDLL | None:
    if os.environ.get(SWITCH) == "numpy" or _problem():
        return None
    return _loaded()[0]


@cache
def _problem() -> str:
    """Why there is no library; empty if there is one."""
    library, why = _loaded()
    if library is None:
        return why
    built_from = ctypes.c_char_p.in_dll(library, "paretonym_digest").value or b""
    sources = digest(FOLDER / "kernels")
    if sources and built_from.decode() != sources:
        return "they were built from other sources: install again with pip install ."
    for name in FUNCTIONS:
        getattr(library, f"paretonym_{name}").restype = ctypes.c_int64
    return ""


@cache
def _loaded() -> tuple[ctypes.CDLL | None, str]:
    why = "they were not built: install again with a C compiler on the PATH"
    for name in NAMES:
        if (FOLDER / name).is_file():
            try:
                return ctypes.CDLL(str(FOLDER / name)), ""
            except OSError as error:
                why = f"{name} cannot be loaded: {error}"
    return None, why
