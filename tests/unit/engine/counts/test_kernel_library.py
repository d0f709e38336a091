"""The door to the kernels: what is declared is what C has, and nothing wrong comes through."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from paretonym.base.errors import Bug
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.counts.kernel_declarations import Array, Structure

KERNELS = Path(library.__file__).parent / "kernels"
TYPES = {
    "int64": "int64_t",
    "int32": "int32_t",
    "uint64": "uint64_t",
    "uint32": "uint32_t",
    "float64": "double",
}
TYPES |= {"uint8": "uint8_t", "bool": "uint8_t"}


def c_structures() -> dict[str, list[tuple[str, str]]]:
    """The fields of every structure in the header, with their types."""
    text = re.sub(r"/\*.*?\*/", "", (KERNELS / "kernels.h").read_text(encoding="utf-8"), flags=re.S)
    found = {}
    for body, name in re.findall(r"typedef struct \{(.*?)\} (\w+);", text, flags=re.S):
        fields = []
        for line in body.split(";"):
            if line.strip():
                kind, names = re.fullmatch(r"\s*((?:const )?\w+) (.*)", line.strip(), flags=re.S).groups()  # type: ignore[union-attr]
                fields += [
                    (each.strip().lstrip("*"), kind + " *" * each.count("*")) for each in names.split(",")
                ]
        found[name] = fields
    return found


def declared(structure: type[Structure]) -> list[tuple[str, str]]:
    fields = []
    for name in structure._names:
        array = structure._arrays.get(name)
        kind = "int64_t"
        if array is not None:
            kind = ("" if array.writable else "const ") + TYPES[array.dtype.name] + " *"
        fields.append((name, kind))
    return fields


STRUCTURES = [each for each in Structure.__subclasses__() if each.__module__ == interface.__name__]


@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda s: s.__name__)
def test_structures_are_those_of_the_header(structure: type[Structure]) -> None:
    assert declared(structure) == c_structures()[structure.__name__]


def test_every_exported_function_is_declared() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in KERNELS.glob("*.c"))
    exported = dict(re.findall(r"EXPORT int64_t paretonym_(\w+)\((.*?)\)", text, flags=re.S))
    assert exported.keys() == interface.FUNCTIONS.keys()
    for name, function in interface.FUNCTIONS.items():
        kinds = [" ".join(each.split()[:-1]) for each in exported[name].split(",")]
        assert len(kinds) == len(function.parameters), name
        for (label, kind), c_kind in zip(function.parameters.items(), kinds, strict=True):
            if isinstance(kind, Array):
                const = "" if kind.writable else "const "
                assert c_kind == const + TYPES[kind.dtype.name], (name, label)
            else:
                wanted = "int64_t" if isinstance(kind, str) else f"const {kind.__name__}"
                assert c_kind == wanted, (name, label)


@pytest.mark.parametrize("name", interface.FUNCTIONS)
def test_sizes_come_before_what_has_them(name: str) -> None:
    """Arguments are checked one after the other, and sizes must be right when an array is looked at."""
    passed: list[str] = []
    for label, kind in interface.FUNCTIONS[name].parameters.items():
        sizes = [size for size in (kind.shape if isinstance(kind, Array) else ()) if isinstance(size, str)]
        assert {size.partition(".")[0] for size in sizes} <= set(passed), label
        passed.append(label)


def test_sizes_follow_from_arrays_and_the_rest_is_made() -> None:
    made = interface.Best.made(vectors=np.ones((2, 3)))
    assert (made.length, made.objectives, made.ideal.tolist()) == (2, 3, [0.0] * 3)
    with pytest.raises(Bug, match="Best is made of objectives, ideal, stair"):
        interface.Best.made(objectives=3)
    with pytest.raises(Bug, match=r"Best.vectors has 6 elements, not length × objectives = 9"):
        interface.Best.made(length=3, vectors=np.ones((2, 3)))


def table(size: int = 16) -> interface.Table:
    return interface.Table(size=size, slots=np.zeros(size, dtype=np.uint32))


@pytest.mark.parametrize(
    ("slots", "said"),
    [
        (np.zeros(16, dtype=np.int64), "Table.slots is an array of int64, not an array of uint32"),
        ([0] * 16, "Table.slots is 'list', not an array of uint32"),
        (np.zeros(32, dtype=np.uint32)[::2], "Table.slots is not contiguous in memory"),
        (np.zeros(15, dtype=np.uint32), "Table.slots has 15 elements, not size = 16"),
        (np.frombuffer(bytes(64), dtype=np.uint32), "Table.slots cannot be written to"),
        (np.frombuffer(bytearray(65), dtype=np.uint8)[1:].view(np.uint32), "Table.slots is not contiguous"),
    ],
)
def test_arrays_that_do_not_come_through(slots: object, said: str) -> None:
    with pytest.raises(Bug, match=re.escape(said)):
        interface.Table(size=16, slots=slots)


@pytest.mark.parametrize(
    ("size", "said"),
    [(1.0, "is 'float', not an integer"), (True, "not an integer"), (2**63, "does not fit into 64 bits")],
)
def test_sizes_that_do_not_come_through(size: object, said: str) -> None:
    with pytest.raises(Bug, match=said):
        interface.Table(size=size, slots=np.zeros(1, dtype=np.uint32))


def test_fields_must_be_all_there() -> None:
    with pytest.raises(Bug, match="Table is made of size"):
        interface.Table(size=1)


def test_calls_that_do_not_come_through() -> None:
    levels, places = np.zeros((2, 3), dtype=np.int64), np.zeros(2, dtype=np.int64)
    library.call("first_above", 2, 2, 3, levels, levels, places)
    for arguments, said in (
        ((2, 2, 3, levels, levels), "takes 6 arguments, not 5"),
        ((2, 2, 2, levels, levels, places), "levels has 6 elements, not count × positions = 4"),
        ((2, 2, 3.0, levels, levels, places), "positions is 'float'"),
        ((-2, 2, 3, levels, levels, places), "levels has impossible sizes: -2 × 3"),
    ):
        with pytest.raises(Bug, match=re.escape(said)):
            library.call("first_above", *arguments)
    with pytest.raises(Bug, match="group: layout is no Layout"):
        library.call("group", table(), *[None] * 7)
