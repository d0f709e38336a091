"""The door to the compiled kernels: every function of `kernels/*.c`, declared once as data.

Whatever goes to C is checked here and in `structures.py`: the type, order, alignment and size of every array,
and that what belongs together has the same sizes. A mistake raises `Bug` and never reaches C. Without a
library, or with `PARETONYM_KERNELS=numpy` in the environment, everything is counted by numpy instead. The
variable may also hold the path of another library.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.counts.kernel_structures import (
    Array,
    Best,
    Bounds,
    Classes,
    Conditions,
    Counted,
    Genomes,
    GenomeSpace,
    Layout,
    Partition,
    PopulationSearch,
    Requests,
    Splits,
    Structure,
    Table,
    Tally,
    Thresholds,
    Waiting,
    Walk,
    Witnesses,
    check_integer,
    reads,
    writes,
)
from paretonym.errors import Bug

FOLDER = Path(__file__).parent
NAMES = ("_kernels.so", "_kernels.dylib", "_kernels.dll")
SWITCH = "PARETONYM_KERNELS"
# Counts of values within a class have 32 bits, and squared counts of rows must fit into 63.
MOST_ROWS = 2**31 - 1
REFUSED = -2
INTEGER = "int64"
# A size: an argument by its place, or a field of that argument.
Size: TypeAlias = tuple[int, str | None]


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the library. Parameters are structures, integers, or arrays; `alike` lists what must be
    equal, for example `walk.positions` and `layout.positions`."""

    parameters: dict[str, type[Structure] | Array | str]
    alike: tuple[tuple[str, ...], ...] = ()

    def size(self, name: str) -> Size:
        """Where a size is found: `nodes`, or `layout.positions`."""
        argument, _, field = name.partition(".")
        return list(self.parameters).index(argument), field or None


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
            "which": INTEGER,
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
            "columns": INTEGER,
            "thresholds": reads("int64", 2, "columns"),
            "suppressible": INTEGER,
            "every": INTEGER,
            "nodes": INTEGER,
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
            "count": INTEGER,
            "others": INTEGER,
            "positions": INTEGER,
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
            "nodes": INTEGER,
            "levels": reads("int64", "nodes", "layout.positions"),
            "wanted": INTEGER,
            "most": INTEGER,
            "first": INTEGER,
            "ends": writes("int64", "nodes"),
        },
        (
            (*_LAYOUT_AND_TUPLES, "tally.words", "witnesses.words"),
            ("tuples.length", "tally.tuples"),
            ("layout.positions", "tally.positions"),
        ),
    ),
    "count_genomes": Function(
        {
            "genomes": Genomes,
            "requests": Requests,
            "table": Table,
            "own": GenomeSpace,
            "space": Thresholds,
            "columns": INTEGER,
            "thresholds": reads("int64", 2, "columns"),
            "rule": INTEGER,
            "whole": INTEGER,
            "suppressible": INTEGER,
            "count": INTEGER,
            "gaps": INTEGER,
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
            "least": INTEGER,
            "room": INTEGER,
            "depths": writes("int64", "room"),
            "chosen": writes("int64", "room"),
        }
    ),
    "estimate": Function(
        {
            "entries": INTEGER,
            "axes": INTEGER,
            "classes": INTEGER,
            "predicates": INTEGER,
            "values": INTEGER,
            "depths": reads("int64", "entries"),
            "chosen": reads("int64", "entries"),
            "axis": reads("int64", "predicates"),
            "first": reads("int64", "predicates"),
            "after": reads("int64", "predicates"),
            "low": reads("int64", "axes", "classes"),
            "high": reads("int64", "axes", "classes"),
            "cells": reads("float64", "classes", "values"),
            "levels": INTEGER,
            "active": writes("int32", "levels", "classes"),
            "weights": writes("float64", "levels", "classes"),
            "lengths": writes("int64", "levels"),
            "result": writes("float64", "entries", "values"),
        }
    ),
    "mean_divergence": Function(
        {
            "entries": INTEGER,
            "values": INTEGER,
            "start": INTEGER,
            "stop": INTEGER,
            "truth": reads("float64", "entries", "values"),
            "guess": reads("float64", "entries", "values"),
            "result": writes("float64", 1),
        }
    ),
    "answer": Function(
        {
            "queries": INTEGER,
            "axes": INTEGER,
            "classes": INTEGER,
            "leaves": INTEGER,
            "values": INTEGER,
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
            "requests": Requests,
            "asked": Conditions,
            "parts": INTEGER,
            "cells": reads("int32", "parts", "asked.values"),
            "rows": reads("int64", "parts"),
            "sorting": writes("int64", "asked.values"),
        },
        (("requests.values", "asked.values"),),
    ),
    "partition": Function(
        {
            "splits": Splits,
            "requests": Requests,
            "asked": Conditions,
            "own": Partition,
            "waiting": INTEGER,
            "relaxed": INTEGER,
        },
        (
            ("splits.axes", "own.axes"),
            ("splits.units_after", "own.units"),
            ("requests.values", "asked.values", "own.values"),
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class _Binding:
    """A function with the places of all its sizes worked out."""

    name: str
    parameters: tuple[tuple[str, Any, tuple[int | Size, ...]], ...]
    alike: tuple[tuple[Size, ...], ...]
    function: Any


@cache
def _binding(name: str) -> _Binding:
    declared, library = FUNCTIONS[name], _library()
    if library is None:
        raise Bug(f"kernels: {name} was called, and there is no library")
    parameters = []
    for label, kind in declared.parameters.items():
        shape = kind.shape if isinstance(kind, Array) else ()
        places = tuple(n if isinstance(n, int) else declared.size(n) for n in shape)
        parameters.append((f"{name}: {label}", kind, places))
    alike = tuple(tuple(declared.size(n) for n in equal) for equal in declared.alike)
    function = getattr(library, f"paretonym_{name}")
    function.restype = ctypes.c_int64
    kinds = declared.parameters.values()
    function.argtypes = [ctypes.c_int64 if kind is INTEGER else ctypes.c_void_p for kind in kinds]
    return _Binding(name, tuple(parameters), alike, function)


def call(name: str, *given: Any) -> int:
    """Call a kernel with what it declares, everything checked. C answers with a number of its own; that an
    argument is out of bounds is a bug."""
    binding = _binding(name)
    if len(given) != len(binding.parameters):
        raise Bug(f"kernels: {name} takes {len(binding.parameters)} arguments, not {len(given)}")
    for value, (label, kind, _) in zip(given, binding.parameters, strict=True):
        if kind is INTEGER:
            check_integer(label, value)
        elif type(kind) is type and type(value) is not kind:
            raise Bug(f"kernels: {label} is no {kind.__name__}")
    for first, *others in binding.alike:
        size = _size(given, first)
        if any(_size(given, place) != size for place in others):
            found = ", ".join(str(_size(given, place)) for place in (first, *others))
            raise Bug(f"kernels: {name}: sizes that must be the same are {found}")
    pairs = zip(given, binding.parameters, strict=True)
    arguments = [_argument(given, value, *parameter) for value, parameter in pairs]
    answer: int = binding.function(*arguments)
    if answer == REFUSED:
        raise Bug(f"kernels: {name} was given something out of bounds")
    return answer


def _size(given: tuple[Any, ...], place: Size) -> int:
    argument, field = place
    size: int = given[argument] if field is None else getattr(given[argument], field)
    return size


def _argument(
    given: tuple[Any, ...], value: Any, label: str, kind: Any, places: tuple[int | Size, ...]
) -> int:
    """An integer as it is, or where a structure or an array begins."""
    if kind is INTEGER:
        return int(value)
    if type(kind) is not Array:
        address: int = value.address
        return address
    sizes = [place if isinstance(place, int) else _size(given, place) for place in places]
    return kind.address(label, value, sizes)


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
    sources = digest(FOLDER / "kernels")
    try:
        built_from = ctypes.c_char_p.in_dll(library, "paretonym_digest").value or b""
        complete = all(hasattr(library, f"paretonym_{name}") for name in FUNCTIONS)
    except ValueError:
        return "what is there is another library: install again with pip install ."
    if not complete or (sources and built_from != sources.encode()):
        return "they were built from other sources: install again with pip install ."
    return ""


@cache
def _loaded() -> tuple[ctypes.CDLL | None, str]:
    why = "they were not built: install again with a C compiler on the PATH"
    named = os.environ.get(SWITCH)
    for path in [Path(named)] if named else [FOLDER / name for name in NAMES]:
        if named or path.is_file():
            try:
                if _is_cut(path):
                    raise OSError("the file is cut off")
                return ctypes.CDLL(str(path.absolute())), ""
            except OSError as error:
                why = f"{path.name} cannot be loaded: {error}"
    return None, why


def _is_cut(path: Path) -> bool:
    """Whether a library of Linux ends before its table of sections does: to load it would end the process."""
    with path.open("rb") as file:
        head = file.read(64)
    if len(head) < 64 or not head.startswith(b"\x7fELF\x02"):
        return False
    (table,) = struct.unpack_from("=Q", head, 40)
    size, count = struct.unpack_from("=HH", head, 58)
    return path.stat().st_size < int(table + size * count)
