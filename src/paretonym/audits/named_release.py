"""What somebody gives to be audited: a file, a folder, or a table of a database; and its manifest."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from paretonym.audits.database_table import open_table
from paretonym.audits.manifest_reader import Manifest, manifest_path, read_manifest
from paretonym.audits.sql_engine import Engine
from paretonym.audits.stated_form import UNSTATED, StatedForm
from paretonym.audits.table_file import TableFile, open_file
from paretonym.data_address import DataAddress
from paretonym.errors import Field, InputError


@dataclass(frozen=True, slots=True)
class NamedRelease:
    """The finished table that somebody names: a path, or a database and the name of a table in it; and where
    its manifest is, if that is said."""

    path: Path
    address: DataAddress | None = None
    table: str | None = None
    given: Path | None = None

    @classmethod
    def of(
        cls,
        path: str | os.PathLike[str],
        table: str | None = None,
        manifest: str | os.PathLike[str] | None = None,
    ) -> NamedRelease:
        given = None if manifest is None else Path(manifest)
        if given is not None and not given.is_file():
            raise InputError.of(Field("manifest", str(given)), "this file does not exist", "check the path")
        address = DataAddress.of(path)
        if address is not None:
            return cls(address.file or Path(), address, table, given)
        if table is not None:
            raise InputError.of(
                Field("table", table), "only a database has tables", "leave it out for a file or a folder"
            )
        return cls(Path(path), given=given)

    @property
    def place(self) -> str:
        """How messages name it."""
        if self.address is None:
            return str(self.path)
        return self.address.shown if self.table is None else f"{self.address.shown}, table {self.table}"

    @property
    def name(self) -> str:
        return self.path.name if self.table is None else self.table

    @property
    def described(self) -> Path:
        """Its manifest: the one that is given, or else beside the file or the database; in the working folder
        if the table is on a server."""
        if self.given is not None:
            return self.given
        if self.table is None:
            return manifest_path(self.path)
        return manifest_path(Path(f"{self.path}.{self.table}" if self.path.name else self.table))

    def manifest(self) -> Manifest | None:
        """What its manifest says; None if there is none."""
        if self.address is not None and self.table is None and self.given is None:
            return None
        return read_manifest(self.path, self.described, unchanged_names=self.address is not None)

    def opened(self, database: Engine, view: str = "release", form: StatedForm | None = None) -> TableFile:
        """The table in a database; `form` says how CSV is written, if something says so."""
        if self.address is None:
            return open_file(database, self.path, view, form)
        return open_table(database, self.address, self.table, view)

    @property
    def form(self) -> StatedForm:
        """How its manifest says that a CSV file is written."""
        said = self.manifest()
        return UNSTATED if said is None else said.form

    @property
    def of_buckets(self) -> Path:
        if self.address is None:
            return self.path
        wrong = "this is the manifest of a release in buckets, which consists of three files"
        raise InputError.of(self.place, wrong, "audit the files")
