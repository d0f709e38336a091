"""Nothing wrong reaches C: every function and structure is given every kind of wrong argument.

All cases are made from the declarations, so a new kernel is covered as soon as it is declared. No library is
needed: in its place stands a function that counts its calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from paretonym.base.errors import Bug
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.counts.kernel_declarations import Array, Structure

ROOT = Path(__file__).parents[4]

SIZE = 2
STRUCTURES = [each for each in Structure.__subclasses__() if each.__module__ == interface.__name__]
NO_INTEGERS = (None, 2.0, True, np.True_, "2", 2**63, -(2**63) - 1, np.array([2]), np.float64(2))
IMPOSSIBLE = (-1, -SIZE, SIZE - 1, SIZE + 1, 2**31, 2**62, 2**63 - 1)


def array_for(array: Array, sizes: dict[str, int]) -> Any:
    shape = [n if isinstance(n, int) else sizes.get(n, SIZE) for n in array.shape]
    return np.zeros(prod(shape), dtype=array.dtype)


def fields_of(structure: type[Structure], **sizes: int) -> dict[str, Any]:
    """What a structure is made of if all sizes are the same, but for some."""
    return {
        name: array_for(structure._arrays[name], sizes)
        if name in structure._arrays
        else sizes.get(name, SIZE)
        for name in structure._names
    }


def arguments_of(name: str) -> dict[str, Any]:
    """Arguments that come through: all sizes are the same."""
    made: dict[str, Any] = {}
    for label, kind in interface.FUNCTIONS[name].parameters.items():
        if isinstance(kind, Array):
            made[label] = array_for(kind, {})
        else:
            made[label] = SIZE if isinstance(kind, str) else kind(**fields_of(kind))
    return made


def wrong_arrays(array: Array, good: Any) -> Iterator[tuple[str, Any]]:
    """An array in every way in which it may be wrong."""
    dtype, count = array.dtype, good.size
    for other in ("int8", "uint8", "bool", "int32", "uint32", "int64", "uint64", "float32", "float64"):
        if np.dtype(other) != dtype:
            yield f"of {other}", np.zeros(count, dtype=other)
    for other in ("complex128", "datetime64[s]", "O", "S8"):
        yield f"of {other}", np.zeros(count, dtype=other)
    if dtype.itemsize > 1:
        yield "of the other byte order", good.astype(dtype.newbyteorder())
        room = np.zeros((count + 1) * dtype.itemsize, dtype=np.uint8)
        yield "not aligned", room[1 : 1 + count * dtype.itemsize].view(dtype)
    if count > 1:
        yield "strided", np.zeros(2 * count, dtype=dtype)[::2]
        yield "backwards", good[::-1]
        yield "one value for all", np.broadcast_to(np.zeros((), dtype=dtype), (count,))
        yield "too short", good[:-1]
    yield "too long", np.zeros(count + 1, dtype=dtype)
    yield "empty", np.zeros(0, dtype=dtype)
    yield "huge", np.broadcast_to(np.zeros((), dtype=dtype), (2**40,))
    yield "without a dimension", np.zeros((), dtype=dtype)
    yield "a subclass", np.ma.masked_array(good)
    for no_array in (None, 0, [0] * count, memoryview(good), good.tobytes()):
        yield type(no_array).__name__, no_array
    if array.writable:
        closed = good.copy()
        closed.flags.writeable = False
        yield "read-only", closed


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[Any, ...]]]:
    """What reached the library."""
    reached: list[tuple[Any, ...]] = []

    def kernel(*given: Any) -> int:
        reached.append(given)
        return 0

    names = {f"paretonym_{name}": kernel for name in interface.FUNCTIONS}
    monkeypatch.setattr(library, "_library", lambda: SimpleNamespace(**names))
    library._binding.cache_clear()
    yield reached
    library._binding.cache_clear()


def refused(name: str, arguments: dict[str, Any], **changes: Any) -> None:
    with pytest.raises(Bug, match=r"^kernels: "):
        library.call(name, *(arguments | changes).values())


@pytest.mark.parametrize("name", interface.FUNCTIONS)
def test_what_is_right_comes_through(name: str, calls: list[tuple[Any, ...]]) -> None:
    arguments = arguments_of(name)
    library.call(name, *arguments.values())
    assert len(calls) == 1
    assert len(calls[0]) == len(arguments)


@pytest.mark.parametrize("name", interface.FUNCTIONS)
def test_nothing_wrong_comes_through(name: str, calls: list[tuple[Any, ...]]) -> None:
    arguments, declared = arguments_of(name), interface.FUNCTIONS[name]
    for label, kind in declared.parameters.items():
        if isinstance(kind, Array):
            for _, array in wrong_arrays(kind, arguments[label]):
                refused(name, arguments, **{label: array})
        elif isinstance(kind, str):
            for value in NO_INTEGERS:
                refused(name, arguments, **{label: value})
        else:
            others = [each(**fields_of(each)) for each in STRUCTURES if each is not kind]
            alike = SimpleNamespace(**vars(arguments[label]))
            for other in (*others, None, 0, arguments[label].address, alike):
                refused(name, arguments, **{label: other})
    with pytest.raises(Bug, match="arguments, not"):
        library.call(name, *list(arguments.values())[:-1])
    assert calls == []


@pytest.mark.parametrize("name", interface.FUNCTIONS)
def test_sizes_that_do_not_fit_do_not_come_through(name: str, calls: list[tuple[Any, ...]]) -> None:
    arguments, declared = arguments_of(name), interface.FUNCTIONS[name]
    shapes = [kind.shape for kind in declared.parameters.values() if isinstance(kind, Array)]
    sizes = {size for shape in shapes for size in shape if isinstance(size, str)}
    for size in sizes & arguments.keys():
        for value in IMPOSSIBLE:
            refused(name, arguments, **{size: value})
    for size in {size for equal in declared.alike for size in equal}:
        argument, _, field = size.partition(".")
        structure = type(arguments[argument])
        refused(name, arguments, **{argument: structure(**fields_of(structure, **{field: SIZE + 1}))})
    assert calls == []


def test_two_negative_sizes_are_no_product(calls: list[tuple[Any, ...]]) -> None:
    values, result = np.zeros(6), np.zeros(1)
    with pytest.raises(Bug, match="mean_divergence: truth has impossible sizes: -2 × -3"):
        library.call("mean_divergence", -2, -3, 0, 0, values, values, result)
    with pytest.raises(Bug, match="mean_divergence: truth has impossible sizes: 0 × 4611686018427387904"):
        library.call("mean_divergence", 0, 2**62, 0, 0, values[:0], values[:0], result)
    assert calls == []


@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda each: each.__name__)
def test_no_structure_is_made_of_anything_wrong(structure: type[Structure]) -> None:
    good = fields_of(structure)
    made = structure(**good)
    for name in structure._names:
        array = structure._arrays.get(name)
        wrong = NO_INTEGERS if array is None else [each for _, each in wrong_arrays(array, good[name])]
        for value in wrong:
            with pytest.raises(Bug, match=rf"^kernels: {structure.__name__}\.{name} "):
                structure(**good | {name: value})
        with pytest.raises(Bug, match=f"{structure.__name__}.{name} cannot be replaced"):
            setattr(made, name, good[name])
        with pytest.raises(Bug, match="is made of"):
            structure(**{other: value for other, value in good.items() if other != name})


@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda each: each.__name__)
def test_no_structure_has_sizes_that_do_not_fit(structure: type[Structure]) -> None:
    shapes = {size for array in structure._arrays.values() for size in array.shape if isinstance(size, str)}
    for size in shapes:
        for value in IMPOSSIBLE:
            with pytest.raises(Bug, match=f"^kernels: {structure.__name__}"):
                structure(**fields_of(structure) | {size: value})


def test_every_file_of_c_names_its_twin() -> None:
    kernels = Path(interface.__file__).parent / "kernels"
    sources = sorted(kernels.glob("*.c"))
    assert sources
    for source in sources:
        head = source.read_text(encoding="utf-8").partition("*/")[0].replace("\n *", " ")
        twin = re.search(r"Twin:\s+([\w/]+\.py)", head)
        assert twin, source.name
        folder = ROOT if twin[1].startswith("tests/") else kernels.parents[2]
        assert (folder / twin[1]).is_file(), f"{source.name}: {twin[1]}"
