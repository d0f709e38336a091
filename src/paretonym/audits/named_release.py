"""What somebody gives to be audited: a file, a folder, or a table of a database; and its manifest."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from paretonym.audits.database_table import open_table
from paretonym.audits.manifest_reader import Manifest, manifest_path, read_manifest
from paretonym.audits.sql_engine import Engine
from paretonym.audits.table_file import TableFile, open_file
from paretonym.data_address import DataAddress
from paretonym.errors import Field, InputError


@dataclass(frozen=True, slots=True)
class NamedRelease:
    """The finished table that somebody names: a path, or a database and the name of a table in it."""

    path: Path
    place: str
    address: DataAddress | None = None
    table: str | None = None

    @classmethod
    def of(cls, path: str | os.PathLike[str], table: str | None) -> NamedRelease:
        address = DataAddress.of(path)
        if address is not None:
            return cls(address.file or Path(), address.shown, address, table)
        if table is not None:
            raise InputError.of(
                Field("table", table), "only a database has tables", "leave it out for a file or a folder"
            )
        return cls(Path(path), str(path))

    def manifest(self, given: str | os.PathLike[str] | None) -> Manifest | None:
        """The manifest that is given, or else the one beside the file or the database."""
        if given is not None and not Path(given).is_file():
            raise InputError.of(Field("manifest", str(given)), "this file does not exist", "check the path")
        if self.address is None:
            return read_manifest(self.path, None if given is None else Path(given))
        if given is None and self.table is None:
            return None
        beside = Path(given) if given else manifest_path(self._called(str(self.table)))
        return read_manifest(self.path, beside, unchanged_names=True)

    def _called(self, table: str) -> Path:
        """What the manifest is named after: it is beside the file, or in the working folder if the table is
        on a server."""
        beside_server = self.address is not None and self.address.file is None
        return Path(table) if beside_server else self.path.with_name(f"{self.path.name}.{table}")

    def opened(self, database: Engine) -> TableFile:
        if self.address is None:
            return open_file(database, self.path)
        return open_table(database, self.address, self.table)

    @property
    def of_buckets(self) -> Path:
        if self.address is None:
            return self.path
        wrong = "this is the manifest of a release in buckets, which consists of three files"
        raise InputError.of(self.place, wrong, "audit the files")
