"""How this program recognizes its own files: by what it wrote into them, never by their names.

A page, a figure and a draft of a schema end with a signature, the digest of everything else in them: one that
somebody has edited since is that person's work. A release is recognized by the manifest beside it; a
manifest, a comparison and a run by their format; and a folder by its index, which lists its files with their
digests.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from paretonym.errors import printable

MANIFEST = ".manifest.json"
INDEX = ".paretonym.json"
INDEX_FORMAT = "paretonym.folder/1"
# What opens and closes a comment, by the kind of file.
REMARKS: Mapping[str, tuple[bytes, bytes]] = {
    ".toml": (b"# ", b""),
    ".html": (b"<!-- ", b" -->"),
    ".svg": (b"<!-- ", b" -->"),
    ".pdf": (b"%", b""),
}
SIGNED = b"written by paretonym, sha256 "
SIGNATURE = re.compile(rb"written by paretonym, sha256 ([0-9a-f]{64})")
PNG_END = b"\0\0\0\0IEND\xaeB`\x82"
LARGEST_INDEX = 64 << 20
CHECKPOINT_FILE = "checkpoint.json"
RUN_FILES = frozenset({"frontier.json", "schema.toml", "key"})


class Foreign(Exception):
    """Something that this program did not write, or that was changed since; the text says why."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of output: its name, and how an existing one is recognized. `known` says in words what is there,
    or raises `Foreign`."""

    noun: str
    known: Callable[[Path], str]
    folder: bool = False
    # Of a folder: the file by which it is known, and whether others may read it.
    index: str = INDEX
    public: bool = False


def signed(content: bytes, form: str) -> bytes:
    """The content of a text, page or picture with our signature at its end; `form` is its suffix, such as
    ".html".

    >>> signed(b"a = 1\\n", ".toml").splitlines()[0]
    b'a = 1'
    """
    mark = SIGNED + hashlib.sha256(content).hexdigest().encode()
    if form == ".png":
        return content.removesuffix(PNG_END) + _png_text(mark) + PNG_END
    before, after = REMARKS[form]
    return content + before + mark + after + b"\n"


def is_signed(content: bytes) -> bool:
    """Whether the content ends with our signature and was not changed since.

    >>> is_signed(signed(b"a = 1\\n", ".toml")), is_signed(signed(b"a = 1\\n", ".toml") + b"b = 2\\n")
    (True, False)
    """
    found = SIGNATURE.findall(content[-200:])
    if not found:
        return False
    mark = SIGNED + found[-1]
    ends = {before + mark + after + b"\n": b"" for before, after in REMARKS.values()}
    ends[_png_text(mark) + PNG_END] = PNG_END
    return any(
        content.endswith(end) and _is_digest(content.removesuffix(end) + rest, found[-1])
        for end, rest in ends.items()
    )


def _is_digest(content: bytes, digest: bytes) -> bool:
    return hashlib.sha256(content).hexdigest().encode() == digest


def _png_text(text: bytes) -> bytes:
    chunk = b"tEXtSoftware\0" + text
    return struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))


def digest_of(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def index_of(folder: Path, what: str) -> dict[str, Any]:
    """The index of a finished folder: what it is, its files with their digests, and the folders in it."""
    entries = sorted(folder.iterdir())
    return {
        "format": INDEX_FORMAT,
        "what": what,
        "files": {entry.name: digest_of(entry) for entry in entries if not entry.is_dir()},
        "folders": [entry.name for entry in entries if entry.is_dir()],
    }


def _signed_file(path: Path) -> str:
    if not is_signed(path.read_bytes()):
        raise Foreign("it does not have paretonym's signature, or was edited since")
    return f"written on {_day(path)}"


def _formatted(name: str) -> Callable[[Path], str]:
    def known(path: Path) -> str:
        _format(_read_json(path), name, path.name)
        return f"written on {_day(path)}"

    return known


def _release(path: Path) -> str:
    """A table is a release that this program wrote if a manifest beside it contains its digest. One that a
    killed command left under the name of a draft counts too."""
    digest = None
    for manifest in _manifests(path):
        try:
            entry = _format(_read_json(manifest), "manifest", manifest.name)
        except Foreign:
            continue
        digest = digest or digest_of(path)
        output = entry.get("output")
        if isinstance(output, dict) and digest in _digests(output, path.name):
            return f"a release of {_day(path)}"
    raise Foreign("no manifest beside it contains its sha256")


def _parts(folder: Path) -> str:
    """A folder that is handed over as it is holds nothing by which it could be known."""
    raise Foreign("a folder of a release is never replaced")


def _database(path: Path) -> str:
    """Its other tables are somebody's."""
    raise Foreign("a database is never replaced")


def _manifests(path: Path) -> Iterator[Path]:
    """Where the manifest of a table may be: that of `x.qit.csv` and `x.st.csv` belongs to `x.csv`."""
    names = {path.name, *(f"{path.stem.removesuffix(end)}{path.suffix}" for end in (".qit", ".st"))}
    for name in sorted(names):
        yield path.with_name(name + MANIFEST)
        yield from path.parent.glob(f".{_escaped(name + MANIFEST)}-*")


def _escaped(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)


def _digests(output: Mapping[str, Any], name: str) -> tuple[Any, ...]:
    files = output.get("files")
    if isinstance(files, dict):
        return (files.get(name),)
    return (output.get("sha256"),)


def is_unfinished(folder: Path) -> bool:
    """Whether a folder holds the state of a search that has not ended, and nothing else."""
    try:
        alone = not folder.is_symlink() and [entry.name for entry in folder.iterdir()] == [CHECKPOINT_FILE]
        return alone and bool(_format(_read_json(folder / CHECKPOINT_FILE), "checkpoint", CHECKPOINT_FILE))
    except (OSError, Foreign):
        return False


def _run(folder: Path) -> str:
    """A run: what its record lists, unchanged, and nothing else; or the state of one that has not ended."""
    if is_unfinished(folder):
        return f"an unfinished run of {_day(folder / CHECKPOINT_FILE)}"
    record = _format(_read_json(folder / "run.json"), "run", "run.json")
    files = record.get("files")
    if not isinstance(files, dict):
        # Older runs have no digests; their schema names the other files.
        _format(_read_json(folder / "frontier.json"), "frontier", "frontier.json")
        files = dict.fromkeys(_hierarchy_files(folder / "schema.toml"))
    for entry in _entries(folder):
        if entry.name == "run.json":
            continue
        _check_listed(entry, {**dict.fromkeys(RUN_FILES), **files})
    releases = record.get("releases")
    made = len(releases) if isinstance(releases, list) else 0
    recorded = "" if not made else f" with {made} release{'s' if made > 1 else ''} recorded"
    made_on = folder / "frontier.json"
    return f"a run of {_day(made_on if made_on.exists() else folder / 'run.json')}{recorded}"


def _collection(noun: str) -> Callable[[Path], str]:
    def known(folder: Path) -> str:
        """A folder with an index: what it lists, unchanged, runs in it, and nothing else."""
        index = _format(_read_json(folder / INDEX), "folder", INDEX)
        files, folders = index.get("files"), index.get("folders")
        if index.get("what") != noun or not isinstance(files, dict) or not isinstance(folders, list):
            raise Foreign(f"its '{INDEX}' belongs to something else")
        for entry in _entries(folder):
            if entry.name in folders and entry.is_dir() and not entry.is_symlink():
                _check_run(entry)
            elif entry.name != INDEX:
                _check_listed(entry, files)
        return f"{noun} of {_day(folder / INDEX)}"

    return known


def _check_run(folder: Path) -> None:
    try:
        _run(folder)
    except Foreign as reason:
        raise Foreign(f"'{printable(folder.name)}' in it is not a run as it was: {reason}") from None


def _check_listed(entry: Path, files: Mapping[str, Any]) -> None:
    """Refuse what the index does not list, and what was changed since. A file without a digest is not
    checked."""
    name = printable(entry.name)
    if entry.name not in files or not stat.S_ISREG(entry.lstat().st_mode):
        raise Foreign(f"'{name}' in it was not written by paretonym")
    if files[entry.name] not in (None, digest_of(entry)):
        raise Foreign(f"'{name}' in it has changed since")


def _hierarchy_files(path: Path) -> Iterator[str]:
    # Here, since only older runs need it.
    import tomllib

    try:
        columns = tomllib.loads(path.read_text(encoding="utf-8")).get("columns", {})
    except (OSError, ValueError):
        raise Foreign(f"'{path.name}' in it cannot be read") from None
    for column in columns.values() if isinstance(columns, dict) else ():
        hierarchy = column.get("hierarchy") if isinstance(column, dict) else None
        if isinstance(hierarchy, dict) and isinstance(hierarchy.get("file"), str):
            yield hierarchy["file"]


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        raise Foreign("it cannot be read") from None


def _read_json(path: Path) -> Any:
    try:
        if not stat.S_ISREG(path.lstat().st_mode) or path.stat().st_size > LARGEST_INDEX:
            raise Foreign(f"'{path.name}' was not written by paretonym")
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        raise Foreign(f"there is no '{path.name}' written by paretonym") from None


def _format(entry: Any, name: str, file: str) -> dict[str, Any]:
    if isinstance(entry, dict) and re.fullmatch(rf"paretonym\.{name}/\d+", str(entry.get("format"))):
        return entry
    raise Foreign(f"'{printable(file)}' does not have paretonym's format")


def _day(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime).date().isoformat()


RUN = Kind("a run", _run, folder=True, index="run.json")
FIGURES, DEMO, REPRODUCTIONS = (
    Kind(noun, _collection(noun), folder=True) for noun in ("figures", "a demo", "reproductions")
)
RELEASE = Kind("a release", _release)
RELEASE_PARTS = Kind("a release", _parts, folder=True, index="", public=True)
DATABASE = Kind("a database", _database)
RELEASE_MANIFEST = Kind("a manifest", _formatted("manifest"))
COMPARISON = Kind("a comparison", _formatted("comparison"))
SCHEMA = Kind("a draft of a schema", _signed_file)
PAGE = Kind("a page", _signed_file)
FIGURE = Kind("a figure", _signed_file)
