"""The digest of a table's rows, whatever files they lie in: one GROUP BY in SQL.

A folder of a release may be written again by another engine. Its bytes are other ones then, but the digest of
its rows is the same: hashes of rows, with how often each occurs, in the order of the hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from paretonym.audits.checks import Check
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.table_file import TableFile

OF_ROWS = "sha256 of the rows"


def check_content(file: TableFile, manifest: Manifest) -> list[Check]:
    """The digest of the rows beside the one that the manifest states, if it states one."""
    said = manifest.content
    if said is None and not file.in_database:
        return []
    found = content_digest(file)
    why = "" if found == said else "the manifest was written for other rows"
    if said is None:
        why = "the manifest was written for a file and has no digest of its rows, so these may be other ones"
    return [Check("file", OF_ROWS, said, found, not why, why)]


def content_digest(file: TableFile) -> str:
    """The SHA-256 of a line for the names of the columns, with the number of rows, and one for each different
    row, with its count."""
    cells = " || ".join(f"sha256({file.column(name)})" for name in file.names)
    grouped = f"select sha256({cells}) as hash, count(*) as n from {file.view} group by 1"
    rows = file.engine.count(f"select count(*) from {file.view}")
    digest = hashlib.sha256(f"{_hash_of(file.names)} {rows}\n".encode())
    with file.engine.in_order():
        for block in file.engine.texts(f"select hash || ' ' || n || chr(10) from ({grouped}) order by hash"):
            digest.update(block)
    return digest.hexdigest()


def _hash_of(names: Sequence[str]) -> str:
    whole = "".join(hashlib.sha256(name.encode()).hexdigest() for name in names)
    return hashlib.sha256(whole.encode()).hexdigest()
