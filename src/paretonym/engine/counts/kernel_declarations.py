"""The C interface of the kernels as declared: structures, functions, and the checks that follow.

Declarations read as in C, with the sizes of every array in brackets: bare words are integers, `const int64:`
is the type of the arrays after it. The layout in memory and every check follow from the declarations: the
type, order, alignment and size of an array are checked before C sees it. A mistake raises `Bug`.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from paretonym.base.errors import Bug

# No array has more: products of its sizes, and offsets in bytes, fit into 63 bits.
MOST_ELEMENTS = 2**58
INTEGER = "int64"
_at, _addressed = ctypes.c_char.from_buffer, ctypes.addressof


class Array:
    """An array that C reads or writes: as many elements as the product of `shape`, whose names are sizes."""

    def __init__(self, dtype: str, shape: str, writable: bool) -> None:
        self.dtype, self.writable = np.dtype(dtype), writable
        self.shape = tuple(int(n) if n.isdigit() else n for n in shape.split())

    def address(self, label: str, given: Any, sizes: Sequence[int]) -> int:
        """The address of an array, after checking it."""
        # Another size may hide one below 0, and 0 may hide a huge one; C multiplies some of them.
        if min(sizes) < 1 and (min(sizes) < 0 or prod(max(size, 1) for size in sizes) > MOST_ELEMENTS):
            raise Bug(f"kernels: {label} has impossible sizes: {' × '.join(str(size) for size in sizes)}")
        wanted = prod(sizes)
        # One check for nearly all: contiguous, aligned and writable.
        if _is_array(given, self.dtype) and given.flags.carray and given.ndim and given.size == wanted:
            if wanted:
                return _addressed(_at(given))
        else:
            self._check(label, given, wanted)
        address: int = given.__array_interface__["data"][0]
        return address

    def _check(self, label: str, given: Any, wanted: int) -> None:
        """Say what is wrong with an array, if anything is."""
        if not _is_array(given, self.dtype):
            raise Bug(f"kernels: {label} is {_described(given)}, not an array of {self.dtype}")
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


def _described(given: object) -> str:
    return f"an array of {given.dtype}" if isinstance(given, np.ndarray) else repr(type(given).__name__)


def check_integer(label: str, value: object) -> int:
    """An integer that fits into 64 bits."""
    if type(value) is int and -(2**63) <= value < 2**63:
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise Bug(f"kernels: {label} is {_described(value)}, not an integer")
    if not -(2**63) <= int(value) < 2**63:
        raise Bug(f"kernels: {label} = {value} does not fit into 64 bits")
    return int(value)


def _declared(text: str) -> Iterator[tuple[str, Array | None]]:
    """The fields of a structure in the order of C; None for integers."""
    dtype, writable = "", True
    for const, name, mark, shape in re.findall(r"(const )?(\w+)(?:(:)|\[(.*?)\])?", text):
        if mark:
            dtype, writable = name, not const
        else:
            yield name, Array(dtype, shape, writable) if shape else None


class Structure:
    """A structure of `kernels.h`: sizes and other integers, then arrays. It keeps its arrays alive."""

    fields = ""
    _arrays: dict[str, Array]
    _names: tuple[str, ...]
    _expected: frozenset[str]
    # The name of each field and, if it is an array, its declaration.
    _labelled: tuple[tuple[str, str, Array | None], ...]
    _layout: type[ctypes.Structure]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __init_subclass__(cls) -> None:
        declared = dict(_declared(cls.fields))
        cls._names, cls._expected = tuple(declared), frozenset(declared)
        cls._arrays = {name: array for name, array in declared.items() if array is not None}
        cls._labelled = tuple((n, f"{cls.__name__}.{n}", array) for n, array in declared.items())
        kinds = [(n, ctypes.c_void_p if n in cls._arrays else ctypes.c_int64) for n in declared]
        cls._layout = type(cls.__name__, (ctypes.Structure,), {"_fields_": kinds})

    def __init__(self, **given: Any) -> None:
        if given.keys() != self._expected:
            raise Bug(f"kernels: {type(self).__name__} is made of {', '.join(given)}")
        numbers: dict[str, int] = {}
        for name, label, array in self._labelled:
            if array is None:
                numbers[name] = check_integer(label, given[name])
            else:
                sizes = [size if isinstance(size, int) else numbers[size] for size in array.shape]
                numbers[name] = array.address(label, given[name], sizes)
        raw = self._layout(*numbers.values())
        self.__dict__.update(given, _raw=raw, address=ctypes.addressof(raw))

    @classmethod
    def made(cls, **given: Any) -> Self:
        """A structure with the sizes of its arrays; arrays that C writes to are zeros unless they are
        given."""
        for name, array in cls._arrays.items():
            if name in given:
                for size, length in zip(array.shape, np.shape(given[name]), strict=False):
                    given.setdefault(str(size), length)
        for name, array in cls._arrays.items():
            shape = [size if isinstance(size, int) else given.get(size) for size in array.shape]
            if array.writable and name not in given and None not in shape:
                given[name] = np.zeros(shape, dtype=array.dtype)
        return cls(**{name: given[name] for name in cls._names if name in given})

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: C would continue to use the old array, which nothing keeps alive any more."""
        raise Bug(f"kernels: {type(self).__name__}.{name} cannot be replaced")

    def replaced(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return type(self)(**({name: getattr(self, name) for name in self._names} | changes))


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the library. Parameters are structures, integers, or arrays; `alike` lists what must be
    equal, for example `walk.positions` and `layout.positions`. Sizes come before what has them."""

    parameters: dict[str, type[Structure] | Array | str]
    alike: tuple[tuple[str, ...], ...]


def functions_of(text: str) -> Iterator[tuple[str, Function]]:
    """The functions that a text declares, by name; their structures were declared before."""
    kinds = {structure.__name__: structure for structure in Structure.__subclasses__()}
    for name, declared, alike in re.findall(r"(\w+)\((.*?)\)(?:\s+where\s+(.*?))?;", text, flags=re.S):
        parameters: dict[str, type[Structure] | Array | str] = {}
        for const, kind, label, shape in re.findall(r"(const )?(\w+) (\w+)(?:\[(.*?)\])?", declared):
            parameters[label] = Array(kind, shape, not const) if shape else kinds.get(kind, INTEGER)
        equal = (tuple(re.split(r"\s+=\s+", sizes)) for sizes in re.split(r",\s+", alike) if sizes)
        yield name, Function(parameters, tuple(equal))
