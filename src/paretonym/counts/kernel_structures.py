"""The structures of `kernels/kernels.h`, declared once as data, and the checks that every array must pass.

The type, order, alignment and size of an array are checked before C sees it. A mistake raises `Bug`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias, dataclass_transform

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers, Mask
from paretonym.errors import Bug

Words: TypeAlias = npt.NDArray[np.uint64]
Small: TypeAlias = npt.NDArray[np.int32]
Unsigned: TypeAlias = npt.NDArray[np.uint32]
Marks: TypeAlias = npt.NDArray[np.uint8]


# No array has more: products of its sizes, and offsets in bytes, fit into 63 bits.
MOST_ELEMENTS = 2**58


class Array:
    """An array that C reads or writes: as many elements as the product of `shape`, whose names are sizes."""

    def __init__(self, dtype: str, shape: tuple[str | int, ...], writable: bool) -> None:
        self.dtype, self.shape, self.writable = np.dtype(dtype), shape, writable

    def address(self, label: str, given: Any, sizes: Sequence[int]) -> int:
        """Where an array begins, if it is as it must be."""
        # A size below 0 may hide behind another, and a huge one behind 0; C multiplies some of them.
        if min(sizes) < 1 and (min(sizes) < 0 or prod(max(size, 1) for size in sizes) > MOST_ELEMENTS):
            raise Bug(f"kernels: {label} has impossible sizes: {' × '.join(str(size) for size in sizes)}")
        wanted = prod(sizes)
        # One question for nearly all: contiguous, aligned and writable.
        if not (_is_array(given, self.dtype) and given.flags.carray and given.ndim and given.size == wanted):
            self._check(label, given, wanted)
        address: int = given.__array_interface__["data"][0]
        return address

    def _check(self, label: str, given: Any, wanted: int) -> None:
        """Say what is wrong with an array, if anything is."""
        if not _is_array(given, self.dtype):
            raise Bug(f"kernels: {label} is {described(given)}, not an array of {self.dtype}")
        flags = given.flags
        if not (given.ndim and flags.c_contiguous and flags.aligned):
            raise Bug(f"kernels: {label} is not contiguous in memory")
        if self.writable and not flags.writeable:
            raise Bug(f"kernels: {label} cannot be written to")
        if given.size != wanted:
            shape = " × ".join(str(n) for n in self.shape)
            raise Bug(f"kernels: {label} has {given.size} elements, not {shape} = {wanted}")


def _is_array(given: object, dtype: np.dtype[Any]) -> bool:
    return type(given) is np.ndarray and given.dtype == dtype


def described(given: object) -> str:
    return f"an array of {given.dtype}" if isinstance(given, np.ndarray) else repr(type(given).__name__)


def reads(dtype: str, *shape: str | int) -> Any:
    """An array that C only reads."""
    return Array(dtype, shape, False)


def writes(dtype: str, *shape: str | int) -> Any:
    """An array that C writes to."""
    return Array(dtype, shape, True)


def check_integer(label: str, value: object) -> int:
    if type(value) is int and -(2**63) <= value < 2**63:
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise Bug(f"kernels: {label} is {described(value)}, not an integer")
    if not -(2**63) <= int(value) < 2**63:
        raise Bug(f"kernels: {label} = {value} does not fit into 64 bits")
    return int(value)


@dataclass_transform(kw_only_default=True, field_specifiers=(reads, writes))
class Structure:
    """A structure of `kernels.h`. Fields without a value are sizes and other integers, in the order of C; the
    others are arrays. It holds what it points to."""

    _arrays: dict[str, Array]
    _names: tuple[str, ...]
    _expected: frozenset[str]
    # Of each field what it is called, and where it is an array, what it must be.
    _fields: tuple[tuple[str, str, Array | None], ...]
    _layout: type[ctypes.Structure]

    def __init_subclass__(cls) -> None:
        cls._names = tuple(cls.__annotations__)
        cls._arrays = {name: getattr(cls, name) for name in cls._names if hasattr(cls, name)}
        cls._expected = frozenset(cls._names)
        cls._fields = tuple((n, f"{cls.__name__}.{n}", cls._arrays.get(n)) for n in cls._names)
        fields = [(n, ctypes.c_void_p if n in cls._arrays else ctypes.c_int64) for n in cls._names]
        cls._layout = type(cls.__name__, (ctypes.Structure,), {"_fields_": fields})

    def __init__(self, **given: Any) -> None:
        if given.keys() != self._expected:
            raise Bug(f"kernels: {type(self).__name__} is made of {', '.join(given)}")
        own: dict[str, int] = {}
        for name, label, array in self._fields:
            if array is None:
                own[name] = check_integer(label, given[name])
            else:
                sizes = [size if isinstance(size, int) else own[size] for size in array.shape]
                own[name] = array.address(label, given[name], sizes)
        raw = self._layout(*own.values())
        self.__dict__.update(given, _raw=raw, address=ctypes.addressof(raw))

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: C would go on with what was there, which nothing holds any more."""
        raise Bug(f"kernels: {type(self).__name__}.{name} cannot be replaced")

    def replaced(self, **changes: Any) -> Any:
        """The same with some fields changed."""
        return type(self)(**({name: getattr(self, name) for name in self._names} | changes))


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
    single: Integers = reads("int64", "positions", "widest")
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
    slots: Unsigned = writes("uint32", "size")


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
    blocks: int
    lasts: int
    last_words: int
    keys: Words = writes("uint64", "room", "words")
    codes: Words = writes("uint64", "tuples", "words")
    block_keys: Words = writes("uint64", "blocks")
    taken: Words = writes("uint64", "last_words")
    counts: Integers = writes("int64", "room")
    begins: Integers = writes("int64", "rows")
    lengths: Integers = writes("int64", "rows")
    levels: Integers = writes("int64", "positions")
    holder: Integers = writes("int64", "positions")
    kept: Integers = writes("int64", "prefixes")
    used: Integers = writes("int64", 2)
    source: Integers = writes("int64", "positions")
    block_begins: Integers = writes("int64", "blocks")
    block_sizes: Integers = writes("int64", "blocks")
    block_target: Integers = writes("int64", "blocks")
    block_head: Integers = writes("int64", "blocks")
    dense: Integers = writes("int64", "lasts")
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
    small: Integers = writes("int64", "classes")
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
    """Witnesses of several nodes behind one another, class by class: tuples with their rows, and what they
    show at the node. Those of holder h, which stands at `levels[h]`, lie from `starts[h]` on."""

    room: int
    holders: int
    positions: int
    words: int
    begins: int
    keys: Words = writes("uint64", "room", "words")
    shown: Words = writes("uint64", "room", "words")
    rows: Integers = writes("int64", "room")
    starts: Integers = reads("int64", "begins")
    levels: Integers = reads("int64", "holders", "positions")


class Tally(Structure):
    """Scratch memory for witnesses: rows in classes of each size up to `limit`."""

    tuples: int
    words: int
    limit: int
    sized: int
    positions: int
    codes: Words = writes("uint64", "tuples", "words")
    keys: Words = writes("uint64", "tuples", "words")
    counts: Integers = writes("int64", "tuples")
    target: Integers = writes("int64", "tuples")
    members: Integers = writes("int64", "tuples")
    by_size: Integers = writes("int64", "sized")
    lowest: Integers = writes("int64", "positions")


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
    """What is required of every part: see `spaces/mondrian/partition_requirement.py`."""

    conditions: int
    values: int
    tuples_after: int
    entries: int
    which: Integers = reads("int64", "conditions")
    links: Integers = reads("int64", "conditions")
    at_least: Integers = reads("int64", "conditions")
    begins: Integers = reads("int64", "tuples_after")
    value: Integers = reads("int64", "entries")
    counts: Integers = reads("int64", "entries")
    bounds: Floats = reads("float64", "conditions")


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
    sorted: Integers = writes("int64", "tuples")
    nodes: Integers = writes("int64", "axes")
    ends: Integers = writes("int64", "pieces_after")
    sorting: Integers = writes("int64", "values")
    cells: Small = writes("int32", "pieces", "values")
    low: Small = writes("int32", "tuples", "axes")
    high: Small = writes("int32", "tuples", "axes")
    unit_piece: Small = writes("int32", "units")
    piece_low: Small = writes("int32", "pieces")
    piece_high: Small = writes("int32", "pieces")
    piece: Small = writes("int32", "tuples")
    own_low: Small = writes("int32", "axes")
    own_high: Small = writes("int32", "axes")
    spans: Floats = writes("float64", "axes")
