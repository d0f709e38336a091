"""Marks of the files that this program wrote: by them, and by manifests, force knows what it may replace.

JSON has its `format`, a release its manifest. Everything else gets a comment of its kind: a line of a schema,
a comment of a page or a picture in SVG, a text chunk in PNG, a last line in PDF.
"""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path
from typing import Any

from paretonym.base.files.atomic_files import digest_of, read_regular_file

MANIFEST = ".manifest.json"
LARGEST_JSON = 64 << 20
WORDS = b"Written by paretonym"
PNG, PDF = b"\x89PNG\r\n\x1a\n", b"%PDF-"
# A PNG begins with its signature and a header of 25 bytes.
PNG_HEAD = len(PNG) + 25
CHUNK = b"tEXtComment\0" + WORDS
# So many bytes are looked at, at either end.
REACH = 1 << 11
_MARK = re.compile(rb"^(?:# |% |<!-- )(?:Written|Drafted) by paretonym\b", re.MULTILINE)


def marked(content: bytes) -> bytes:
    """The content of a file with the mark; JSON as it is.

    >>> marked(b"missing = 'drop'"), marked(b'{"format": "paretonym.risk/1"}')
    (b"# Written by paretonym\\nmissing = 'drop'", b'{"format": "paretonym.risk/1"}')
    """
    if content.startswith(b"{") or _is_marked(content[:REACH]):
        return content
    if content.startswith(PNG):
        chunk = (len(CHUNK) - 4).to_bytes(4) + CHUNK + zlib.crc32(CHUNK).to_bytes(4)
        return content[:PNG_HEAD] + chunk + content[PNG_HEAD:]
    if content.startswith(PDF):
        return content.rstrip(b"\n") + b"\n% " + WORDS + b"\n"
    if content.startswith(b"<"):
        first, _, rest = content.partition(b"\n")
        return first + b"\n<!-- " + WORDS + b" -->\n" + rest
    return b"# " + WORDS + b"\n" + content


def _is_marked(ends: bytes) -> bool:
    return _MARK.search(ends) is not None or CHUNK in ends


def has_mark(path: Path) -> bool:
    """True if a file is empty, or has the mark of this program, or one of its formats."""
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.read(REACH)
        file.seek(max(0, size - REACH))
        ends = first + b"\n" + file.read(REACH)
    return not size or _is_marked(ends) or (first.startswith(b"{") and _has_format(read_json(path), ""))


def is_companion(path: Path) -> bool:
    """True if a file is a manifest of ours, or one that a manifest of ours beside it describes."""
    return _is_manifest(read_json(path)) if path.name.endswith(MANIFEST) else is_described(path)


def is_described(path: Path) -> bool:
    """True if a manifest of ours beside a file describes it, as it is; also a manifest that a process which
    was killed left under a hidden name."""
    digests = set[Any]()
    for manifest in path.parent.iterdir():
        entry = read_json(manifest) if MANIFEST in manifest.name else {}
        output = entry.get("output")
        if _is_manifest(entry) and isinstance(output, dict):
            files = output.get("files")
            digests |= {output.get("sha256"), *(files.values() if isinstance(files, dict) else ())}
    return bool(digests) and digest_of(path) in digests


def _has_format(entry: dict[str, Any], kind: str) -> bool:
    return str(entry.get("format")).startswith(f"paretonym.{kind}")


def _is_manifest(entry: dict[str, Any]) -> bool:
    return _has_format(entry, "manifest/")


def read_json(path: Path) -> dict[str, Any]:
    """The object in a small JSON file; an empty one for everything else."""
    try:
        if path.lstat().st_size > LARGEST_JSON:
            return {}
        entry = json.loads(read_regular_file(path))
    except (OSError, ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}
