"""A fingerprint tells whether data is the same as before: of a file's bytes, or of a dataframe's content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from paretonym.source.table import Column


def file_fingerprint(path: Path) -> str:
    """The SHA-256 of the file as it lies there, packed or not."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def content_fingerprint(columns: Iterable[Column]) -> str:
    """The SHA-256 of names, types, texts and codes: the same in whichever dataframe the content lay.

    It relies on values standing in the order of their first appearance.
    """
    digest = hashlib.sha256(b"paretonym.table/1")
    for column in columns:
        described = json.dumps([column.name, column.type, len(column.codes), column.texts])
        digest.update(described.encode())
        digest.update(column.codes.astype("<i4", copy=False).tobytes())
    return f"sha256:{digest.hexdigest()}"
