"""A published file as an attacker sees it: the roles of its columns, classes of rows that look the same, and
tables of counts.

A release is one table of counts: for each class, how often it shows each combination of the unchanged
columns. A release in buckets is two: for the rows of each bucket with the same quasi-identifiers, what else
they show; and for each bucket, how often it contains each combination of sensitive values.

A manifest of any version is read, tolerantly and only for roles and recoding. None of its claims is trusted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from paretonym.arrays import Integers
from paretonym.audits import (
    EVENTS,
    LEFT_OUT,
    PERSONS,
    Engine,
    NamedRelease,
    SchemaLike,
    StatedRecoding,
    TableFile,
    meant,
    schema_of,
    schema_roles,
)
from paretonym.errors import Field, InputError, shown

FAMILY = "paretonym.manifest/"
BUCKET = "bucket"


@dataclass(frozen=True, eq=False)
class Description:
    """The roles of a file's columns, in their order, and what its manifest says about the recoding."""

    release: NamedRelease
    roles: Mapping[str, str]
    recoding: StatedRecoding
    # Whether schema or manifest say that one person may be several rows; the file never says which.
    events: bool = False
    # Whether its rows were added to an older release.
    added: bool = False
    # What was suppressed with a row, if not it alone: the others of its person or household.
    suppressed_with: str | None = None

    @property
    def bucket(self) -> str | None:
        """The column with the number of the bucket, of a release in buckets."""
        return self.recoding.bucket

    def named(self, *roles: str) -> list[str]:
        return [name for name, role in self.roles.items() if role in roles]

    @property
    def kept(self) -> list[str]:
        """The columns that are unchanged."""
        return [name for name, role in self.roles.items() if role not in ("quasi", BUCKET)]

    @property
    def recoding_for_rows(self) -> StatedRecoding:
        """How original rows are recoded: by levels, or else by reading labels, which may overlap. A chain
        says where a row is shown only if all rows of the release are known, and not only added ones."""
        said = self.recoding.of_added_rows if self.added else self.recoding
        known = said.levels is not None or said.in_groups or said.chain
        return said if known else StatedRecoding.by_labels()


def describe(
    release: NamedRelease, names: Sequence[str], parquet: bool, schema: SchemaLike | None
) -> Description:
    """What manifest and schema say about a file; if they differ, the roles of the schema count."""
    manifest = _manifest(release, parquet)
    if manifest is None and schema is None:
        raise InputError.of(
            release.place,
            f"there is no {release.described.name} beside it, and no schema is given",
            f"put its manifest there, or give a schema with {Field('schema')}",
        )
    said, recoding, events, added, together = manifest or ({}, StatedRecoding(), False, False, None)
    bucket = recoding.bucket
    if bucket is not None and bucket not in names:
        raise _odd(release, f"the column '{bucket}' of the manifest is not in the file")
    if schema is None:
        roles = _by_manifest(release, names, said, bucket)
        return Description(release, roles, recoding, events, added, together)
    roles = schema_roles(schema, [name for name in names if name != bucket], release.place)
    stray = [name for name, role in roles.items() if role in LEFT_OUT]
    if stray:
        wrong = f"its columns are not those that the schema releases: {shown(stray)}"
        raise InputError.of(release.place, wrong, "give its own schema")
    named = {n: BUCKET if n == bucket else roles[n] for n in names}
    described = schema_of(schema)
    may_repeat = events or described.rows == "events" or described.person is not None
    return Description(release, named, recoding, may_repeat, added, together)


def _by_manifest(
    release: NamedRelease, names: Sequence[str], said: Mapping[str, str], bucket: str | None
) -> dict[str, str]:
    differ = sorted(set(names) ^ set(said))
    if differ:
        raise _odd(release, f"columns are not in both the file and the manifest: {shown(differ)}")
    return {name: BUCKET if name == bucket else said[name] for name in names}


def _manifest(
    release: NamedRelease, parquet: bool
) -> tuple[dict[str, str], StatedRecoding, bool, bool, str | None] | None:
    """Roles and recoding, by the names that the columns had before they were made harmless for CSV; whether
    one person may be several rows, whether rows were added to an older release, and what was suppressed
    together."""
    beside = release.described
    if not beside.exists():
        return None
    try:
        document = json.loads(beside.read_text(encoding="utf-8"))
        if not (str(document["format"]).startswith(FAMILY) and isinstance(document["recoding"], dict)):
            raise ValueError(FAMILY)
        named = str if parquet else meant
        roles = {named(str(name)): str(role) for name, role in document["roles"].items()}
        recoding = StatedRecoding.of(document["recoding"], named)
        together = dict(document.get("suppress", {})).get("unit")
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise _odd(release, "this is not the manifest of a release") from None
    repeated = document.get("rows") in (EVENTS, PERSONS)
    return roles, recoding, repeated, "applied" in document, together


def _odd(release: NamedRelease, wrong: str) -> InputError:
    return InputError.of(
        str(release.described),
        wrong,
        f"get the manifest again from the publisher, or move it away and give {Field('schema')}",
    )


class Codebook:
    """Numbers for the texts of each column, the same in every file."""

    def __init__(self) -> None:
        self.texts: dict[str, dict[str, int]] = {}

    @property
    def columns(self) -> list[str]:
        return list(self.texts)

    def codes(self, column: str, texts: Sequence[str]) -> Integers:
        known = self.texts.setdefault(column, {})
        return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Tally:
    """A table of counts: `n` rows of the group `group` show `cells` in the `columns`. `group_of` gives the
    group of each class. `hides` is false for a table whose rows show nothing but unchanged quasi-identifiers:
    finding a row there discloses nothing else."""

    columns: tuple[str, ...]
    group_of: Integers
    group: Integers
    cells: Integers
    n: Integers
    hides: bool = True


@dataclass(frozen=True, eq=False)
class Published:
    """A file with its classes: the labels of each, as `classes`, and how many rows it has. In buckets a class
    is a bucket's rows with the same quasi-identifiers; several classes may show the same labels."""

    description: Description
    file: TableFile
    classes: tuple[tuple[str, ...], ...]
    sizes: Integers
    tallies: tuple[Tally, ...]
    places: dict[tuple[str, ...], tuple[int, ...]] = field(repr=False)
    apart: TableFile | None = None

    @property
    def files(self) -> list[TableFile]:
        """All its tables: sensitive values may lie apart."""
        return [self.file] if self.apart is None else [self.file, self.apart]

    @property
    def place(self) -> str:
        """How messages name it."""
        return self.description.release.place

    @property
    def name(self) -> str:
        return self.description.release.name

    @property
    def quasi(self) -> list[str]:
        return self.description.named("quasi")


def open_published(
    database: Engine, release: NamedRelease, view: str, schema: SchemaLike | None, book: Codebook
) -> Published:
    """Read a release."""
    main, apart = _files(database, release, view)
    names = [*main.names, *(name for name in apart.names if name not in main.names)] if apart else main.names
    description = describe(release, names, main.parquet, schema)
    if not description.named("quasi"):
        raise InputError.of(
            release.place, "no column is a quasi-identifier", f"give the schema with {Field('schema')}"
        )
    null = schema_of(schema).null if schema is not None else ()
    with database.reading(release.place):
        if description.bucket is not None:
            return _bucketed(main, apart or main, description, null, book)
        return _plain(main, description, null, book)


def _files(database: Engine, release: NamedRelease, view: str) -> tuple[TableFile, TableFile | None]:
    """The file or table; of a release in buckets without its mixed table, the two others."""
    path = release.path
    if release.address is not None or path.exists():
        return release.opened(database, view, release.form).as_meant(), None
    pair = [path.with_name(f"{path.stem}.{part}{path.suffix}") for part in ("qit", "st")]
    if all(each.is_file() for each in pair):
        first, second = (
            replace(release, path=each).opened(database, f"{view}_{part}", release.form).as_meant()
            for each, part in zip(pair, ("qit", "st"), strict=True)
        )
        return first, second
    return release.opened(database, view, release.form).as_meant(), None


def _plain(file: TableFile, description: Description, null: Sequence[str], book: Codebook) -> Published:
    quasi, kept = description.named("quasi"), description.kept
    rows = _counted(file, quasi, kept, null)
    if not rows:
        raise InputError.of(file.place, "it has no rows", "give a release with rows")
    classes, group, places = _classes([row[: len(quasi)] for row in rows])
    n = np.array([row[-1] for row in rows], dtype=np.int64)
    cells = _cells(book, kept, [row[len(quasi) : -1] for row in rows])
    tally = Tally(tuple(kept), np.arange(len(classes)), group, cells, n)
    sizes = np.bincount(group, n, len(classes)).astype(np.int64)
    return Published(description, file, classes, sizes, (tally,), places)


def _bucketed(
    main: TableFile, apart: TableFile, description: Description, null: Sequence[str], book: Codebook
) -> Published:
    bucket = str(description.bucket)
    quasi, secret = description.named("quasi"), description.named("sensitive")
    others = [name for name in description.kept if name not in secret]
    if lacking := [name for name in (*secret, bucket) if name not in apart.names]:
        raise InputError.of(apart.place, f"columns are missing: {shown(lacking)}", "give all its files")
    rows = _counted(main, [*quasi, bucket], others, null)
    values = _counted(apart, [bucket], secret, null)
    if not rows or not values:
        raise InputError.of(main.place, "it has no rows", "give a release with rows")
    keys, group, _ = _classes([row[: len(quasi) + 1] for row in rows])
    _, of_value, number = _classes([row[:1] for row in values])
    if unknown := {key[-1:] for key in keys} - set(number):
        raise InputError.of(
            main.place, f"{len(unknown)} buckets have no sensitive values", "give all its files"
        )
    n = np.array([row[-1] for row in rows], dtype=np.int64)
    looks = Tally(
        tuple(others),
        np.arange(len(keys)),
        group,
        _cells(book, others, [row[len(quasi) + 1 : -1] for row in rows]),
        n,
        hides=bool(others),
    )
    secrets = Tally(
        tuple(secret),
        np.array([number[key[-1:]][0] for key in keys], dtype=np.int64),
        of_value,
        _cells(book, secret, [row[1:-1] for row in values]),
        np.array([row[-1] for row in values], dtype=np.int64),
    )
    classes = tuple(key[:-1] for key in keys)
    places: dict[tuple[str, ...], tuple[int, ...]] = {}
    for place, labels in enumerate(classes):
        places[labels] = (*places.get(labels, ()), place)
    sizes = np.bincount(group, n, len(keys)).astype(np.int64)
    return Published(description, main, classes, sizes, (looks, secrets), places, apart)


def _counted(
    file: TableFile, keys: Sequence[str], kept: Sequence[str], null: Sequence[str]
) -> list[tuple[Any, ...]]:
    """The distinct rows, with their keys unchanged, and how often each occurs; in a fixed order."""
    places = [file.column(name) for name in kept]
    columns = [file.column(name) for name in keys] + [file.plain(each, each, null) for each in places]
    named = ", ".join(f"{column} as k{place}" for place, column in enumerate(columns))
    return sorted(file.engine.rows(f"select {named}, count(*) from {file.view} group by all"))


def _classes(
    keys: Sequence[tuple[str, ...]],
) -> tuple[tuple[tuple[str, ...], ...], Integers, dict[tuple[str, ...], tuple[int, ...]]]:
    """The distinct keys, the number of each, and where each occurs."""
    number: dict[tuple[str, ...], int] = {}
    group = np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)
    return tuple(number), group, {key: (place,) for key, place in number.items()}


def _cells(book: Codebook, columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Integers:
    if not columns:
        return np.empty((len(rows), 0), dtype=np.int64)
    return np.stack(
        [book.codes(name, [row[j] for row in rows]) for j, name in enumerate(columns)],
        axis=1,
    )


def same_rows(first: Published, second: Published) -> bool:
    """Whether two files contain the same rows, in any order."""
    return (
        first.classes == second.classes
        and len(first.tallies) == len(second.tallies)
        and all(
            one.columns == other.columns
            and all(
                np.array_equal(getattr(one, part), getattr(other, part))
                for part in ("group_of", "group", "cells", "n")
            )
            for one, other in zip(first.tallies, second.tallies, strict=True)
        )
    )
