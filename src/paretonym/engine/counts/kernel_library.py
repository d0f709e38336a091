"""The library of compiled kernels: one function that calls any of them.

All arguments are checked against `kernel_interface.py`: the type, order, alignment and size of every array,
and that related arrays have matching sizes. A mistake raises `Bug` and never reaches C. Without a library the
first call raises an error that says what is wrong with it and what to do. `PARETONYM_KERNELS` in the
environment may hold the path of another library, for example one with sanitizers.
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

from paretonym.base.errors import Bug, InputError
from paretonym.engine.counts.kernel_declarations import INTEGER, Array, check_integer
from paretonym.engine.counts.kernel_interface import FUNCTIONS

FOLDER = Path(__file__).parent
NAMES = ("_kernels.so", "_kernels.dylib", "_kernels.dll")
SWITCH = "PARETONYM_KERNELS"
# Counts of values within a class have 32 bits, and squared counts of rows must fit into 63.
MOST_ROWS = 2**31 - 1
REFUSED = -2
# A size: an argument by its place, or a field of that argument.
Size: TypeAlias = tuple[int, str]


@dataclass(frozen=True, slots=True)
class _Binding:
    """A function with the places of all its sizes resolved."""

    parameters: tuple[tuple[str, Any, tuple[int | Size, ...]], ...]
    alike: tuple[tuple[Size, ...], ...]
    function: Any


@cache
def _binding(name: str) -> _Binding:
    declared, library = FUNCTIONS[name], _library()
    labels = list(declared.parameters)

    def place(size: str) -> Size:
        """Where a size is found: `nodes`, or `layout.positions`."""
        argument, _, field = size.partition(".")
        return labels.index(argument), field

    parameters = []
    for label, kind in declared.parameters.items():
        shape = kind.shape if isinstance(kind, Array) else ()
        places = tuple(n if isinstance(n, int) else place(n) for n in shape)
        parameters.append((f"{name}: {label}", kind, places))
    function = getattr(library, f"paretonym_{name}")
    function.restype = ctypes.c_int64
    kinds = declared.parameters.values()
    function.argtypes = [ctypes.c_int64 if kind == INTEGER else ctypes.c_void_p for kind in kinds]
    alike = tuple(tuple(place(size) for size in equal) for equal in declared.alike)
    return _Binding(tuple(parameters), alike, function)


def call(name: str, *given: Any) -> int:
    """Call a kernel after checking all arguments. Returns the number that C returns; an argument that is out
    of bounds is a bug."""
    binding = _binding(name)
    if len(given) != len(binding.parameters):
        raise Bug(f"kernels: {name} takes {len(binding.parameters)} arguments, not {len(given)}")
    arguments = []
    for value, (label, kind, places) in zip(given, binding.parameters, strict=True):
        if kind is INTEGER:
            arguments.append(check_integer(label, value))
        elif type(kind) is Array:
            # Sizes come before what has them: these are checked.
            sizes = [place if isinstance(place, int) else _size(given, place) for place in places]
            arguments.append(kind.address(label, value, sizes))
        elif type(value) is kind:
            arguments.append(value.address)
        else:
            raise Bug(f"kernels: {label} is no {kind.__name__}")
    for first, *others in binding.alike:
        size = _size(given, first)
        if any(_size(given, place) != size for place in others):
            sizes_in_words = ", ".join(str(_size(given, place)) for place in (first, *others))
            raise Bug(f"kernels: {name}: sizes that must be the same are {sizes_in_words}")
    answer: int = binding.function(*arguments)
    if answer == REFUSED:
        raise Bug(f"kernels: {name} was given something out of bounds")
    return answer


def _size(given: tuple[Any, ...], place: Size) -> int:
    argument, field = place
    size: int = getattr(given[argument], field) if field else given[argument]
    return size


# --- the library -------------------------------------------------------------------------------------------


def digest(folder: Path) -> str:
    """A digest of the C sources in a folder; empty without any."""
    sources = sorted(path for path in folder.glob("*.[ch]"))
    sha256 = hashlib.sha256()
    for source in sources:
        sha256.update(source.read_bytes())
    return sha256.hexdigest()[:16] if sources else ""


@cache
def _library() -> ctypes.CDLL:
    library, _ = _loaded()
    if library is None or _problem():
        raise InputError.of(
            "paretonym",
            f"its compiled kernels cannot be used: {_problem()}",
            "install it again: pip install .",
        )
    return library


@cache
def _problem() -> str:
    """The reason why the library cannot be used; empty if it can."""
    library, reason = _loaded()
    if library is None:
        return reason
    sources = digest(FOLDER / "kernels")
    try:
        built_from = ctypes.c_char_p.in_dll(library, "paretonym_digest").value or b""
        complete = all(hasattr(library, f"paretonym_{name}") for name in FUNCTIONS)
    except ValueError:
        return "the file is another library"
    if not complete or (sources and built_from != sources.encode()):
        return "they were built from other sources"
    return ""


@cache
def _loaded() -> tuple[ctypes.CDLL | None, str]:
    reason = "they were not built"
    named = os.environ.get(SWITCH)
    for path in [Path(named)] if named else [FOLDER / name for name in NAMES]:
        if named or path.is_file():
            try:
                if _is_cut(path):
                    raise OSError("the file is cut off")
                return ctypes.CDLL(str(path.absolute())), ""
            except OSError as error:
                reason = f"{path.name} cannot be loaded: {error}"
    return None, reason


def _is_cut(path: Path) -> bool:
    """True if a Linux library file is truncated: loading it would crash the process."""
    with path.open("rb") as file:
        head = file.read(64)
    if len(head) < 64 or not head.startswith(b"\x7fELF\x02"):
        return False
    (table,) = struct.unpack_from("=Q", head, 40)
    size, count = struct.unpack_from("=HH", head, 58)
    return path.stat().st_size < int(table + size * count)
