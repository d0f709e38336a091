"""What a shared library is, read from its own bytes: ELF (Linux), Mach-O (macOS) and PE (Windows).

Only what wheels are checked for: the processor, what it exports, what it needs of the system, and from which
version of the system on. 64 bits and little-endian alone.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path

ELF_MACHINES = {62: "x86_64", 183: "arm64"}
MACHO_MACHINES = {0x01000007: "x86_64", 0x0100000C: "arm64"}
PE_MACHINES = {0x8664: "x86_64", 0xAA64: "arm64"}


@dataclass(frozen=True)
class LibraryFile:
    """`least` is the oldest system that it loads on, as far as the file says so: of glibc, or of macOS."""

    form: str
    machine: str
    exports: frozenset[str]
    needs: frozenset[str]
    least: tuple[int, int]
    signed: bool = False


def read_library(path: Path) -> LibraryFile:
    data = path.read_bytes()
    if data[:6] == b"\x7fELF\x02\x01":
        return _elf(data)
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return _macho(data)
    if data[:2] == b"MZ":
        return _pe(data)
    raise ValueError(f"{path}: no library that is known here")


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode()


def _elf(data: bytes) -> LibraryFile:
    (machine,) = struct.unpack_from("<H", data, 18)
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + size * i) for i in range(count)]
    exports: set[str] = set()
    needs: set[str] = set()
    versions = [(0, 0)]
    for _, kind, _, _, start, length, link, _, _, each in sections:
        if kind not in (6, 11, 0x6FFFFFFE):
            continue
        names = sections[link][4]
        if kind == 11:  # the dynamic symbols; a function or data of ours has a section and is global
            for place in range(start, start + length, each):
                name, information, _, section = struct.unpack_from("<IBBH", data, place)
                if section and information >> 4 == 1:
                    exports.add(_text(data, names + name))
        elif kind == 6:  # the dynamic section: 1 is a library that is needed
            for place in range(start, start + length, 16):
                tag, value = struct.unpack_from("<QQ", data, place)
                if tag == 1:
                    needs.add(_text(data, names + value))
        else:  # the versions of symbols that are needed
            strings = data[names : names + sections[link][5]]
            for major, minor in re.findall(rb"GLIBC_(\d+)\.(\d+)", strings):
                versions.append((int(major), int(minor)))
    return LibraryFile("ELF", ELF_MACHINES[machine], frozenset(exports), frozenset(needs), max(versions))


def _macho(data: bytes) -> LibraryFile:
    _, machine, _, _, commands = struct.unpack_from("<IIIII", data, 0)
    exports: set[str] = set()
    needs: set[str] = set()
    least, signed, place = (0, 0), False, 32
    for _ in range(commands):
        command, size = struct.unpack_from("<II", data, place)
        if command == 2:  # symbols: external and defined in a section
            symbols, count, strings, _ = struct.unpack_from("<IIII", data, place + 8)
            for i in range(count):
                name, kind = struct.unpack_from("<IB", data, symbols + 16 * i)
                if kind & 0x1F == 0x0F and not _text(data, strings + name).startswith("__"):
                    exports.add(_text(data, strings + name).removeprefix("_"))
        elif command == 0xC:  # a library that is needed
            needs.add(_text(data, place + struct.unpack_from("<I", data, place + 8)[0]))
        elif command in (0x32, 0x24):  # the oldest version
            (version,) = struct.unpack_from("<I", data, place + (12 if command == 0x32 else 8))
            least = (version >> 16, version >> 8 & 0xFF)
        elif command == 0x1D:
            signed = True
        place += size
    return LibraryFile("Mach-O", MACHO_MACHINES[machine], frozenset(exports), frozenset(needs), least, signed)


def _pe(data: bytes) -> LibraryFile:
    (start,) = struct.unpack_from("<I", data, 60)
    machine, count = struct.unpack_from("<HH", data, start + 4)
    (optional,) = struct.unpack_from("<H", data, start + 20)
    sections = [struct.unpack_from("<8sIIII", data, start + 24 + optional + 40 * i) for i in range(count)]

    def at(address: int) -> int:
        for _, size, begin, _, offset in sections:
            if begin <= address < begin + size:
                return int(offset + address - begin)
        raise ValueError("an address lies in no section")

    exported, _, imported, _ = struct.unpack_from("<IIII", data, start + 24 + 112)
    (names,) = struct.unpack_from("<I", data, at(exported) + 32)
    (number,) = struct.unpack_from("<I", data, at(exported) + 24)
    addresses = struct.unpack_from(f"<{number}I", data, at(names))
    exports = frozenset(_text(data, at(address)) for address in addresses)
    needs, place = set(), at(imported)
    while name := struct.unpack_from("<I", data, place + 12)[0]:
        needs.add(_text(data, at(name)).lower())
        place += 20
    return LibraryFile("PE", PE_MACHINES[machine], exports, frozenset(needs), (0, 0))
