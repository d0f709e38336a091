"""Two releases of one table in the hands of somebody who has nothing else: which rows can be the same one?

A row of one file and a row of the other may be one person's if they agree in every column that both show as
it is, and if the sets that they show of every quasi-identifier overlap.
"""

from __future__ import annotations

from pathlib import Path

from paretonym.errors import InputError
from paretonym.release.attack.findings import RowLinkage
from paretonym.release.attack.labels import same_level
from paretonym.release.attack.overlaps import overlap
from paretonym.release.audit.engine import Engine
from paretonym.release.audit.manifest import Manifest
from paretonym.release.audit.meaning import SchemaLike, schema_of, schema_roles
from paretonym.release.audit.tablefile import TableFile, listed, open_file

MARKS = ("a", "b")


def match(
    database: Engine, paths: tuple[Path, Path], manifests: tuple[Manifest, Manifest], schema: SchemaLike
) -> RowLinkage:
    """Match the rows of two releases."""
    first, second = (
        _opened(database, path, mark, manifest, schema)
        for path, mark, manifest in zip(paths, MARKS, manifests, strict=True)
    )
    k = min(int(manifest.claims["k"]) for manifest in manifests)
    names = str(paths[0]), str(paths[1])
    rows = manifests[0].rows, manifests[1].rows
    if _same_rows(first, second):
        # Whoever has one file twice learns nothing, however few rows fit a row of the other copy.
        return RowLinkage(names, rows, k, (0, 0), (0, 0), (k, k), (), same=True)
    both = [name for name in first.names if name in second.names]
    if all("levels" in manifest.recoding for manifest in manifests):
        compared = _match_levels(first, second, manifests, schema, both)
    else:
        found = overlap({"a": first, "b": second}, both, schema)
        compared = [*found.equal, *found.overlapping]
    of_first, of_second = _counted(database, k, "a"), _counted(database, k, "b")
    narrowed, alone, smallest = zip(of_first, of_second, strict=True)
    return RowLinkage(
        names, rows, k, narrowed, alone, smallest, tuple(name for name in both if name not in compared)
    )


def _opened(database: Engine, path: Path, mark: str, manifest: Manifest, schema: SchemaLike) -> TableFile:
    file = open_file(database, path, f"release_{mark}").as_meant()
    if (
        list(schema_roles(schema, file.names, str(path))) != list(manifest.roles)
        or "k" not in manifest.claims
    ):
        raise InputError.of(str(path), "it is not what its manifest describes", "audit it first")
    return file


def _same_rows(first: TableFile, second: TableFile) -> bool:
    """Whether two files hold the same rows, in whatever order."""
    if list(first.names) != list(second.names):
        return False
    shown = [
        f"select {listed([file.column(n) for n in file.names])} from {file.view}" for file in (first, second)
    ]
    others = [f"({one} except all {other})" for one, other in (shown, shown[::-1])]
    return all(first.engine.row(f"select count(*) from {other}")[0] == 0 for other in others)


def _match_levels(
    first: TableFile,
    second: TableFile,
    manifests: tuple[Manifest, Manifest],
    schema: SchemaLike,
    both: list[str],
) -> list[str]:
    """Make the tables `matched_a` and `matched_b`; which columns were compared. Levels are nested: brought to
    the coarser one of both, labels overlap if they are equal."""
    compared = [name for name in both if _bring_together(first, second, manifests, schema, name)]
    sides = {"a": _grouped(first, "a", compared), "b": _grouped(second, "b", compared)}
    for own, other in (("a", "b"), ("b", "a")):
        first.engine.run(
            f"create or replace temp table matched_{own} as select own.n as own, "
            f"coalesce(other.n, 0) as other from {sides[own]} as own left join {sides[other]} as other "
            f"on {_equal(len(compared))}"
        )
    return compared


def _counted(database: Engine, k: int, mark: str) -> tuple[int, int, int]:
    """Of the rows of a file how many are narrowed, how many fit none, and the least number that fits."""
    narrowed, alone, smallest = database.row(
        f"select sum(own) filter (other between 1 and {k - 1}), sum(own) filter (other = 0), "
        f"min(other) filter (other > 0) from matched_{mark}"
    )
    return int(narrowed or 0), int(alone or 0), int(smallest or 0)


def _bring_together(
    first: TableFile, second: TableFile, manifests: tuple[Manifest, Manifest], schema: SchemaLike, name: str
) -> bool:
    """Make look-ups `a_name`, `b_name` from cells to what is compared; False if a column cannot be."""
    cells = [_cells(file, name) for file in (first, second)]
    levels = [manifest.recoding["levels"].get(name, 0) for manifest in manifests]
    looked = same_level(schema_of(schema).column(name), (cells[0], cells[1]), (levels[0], levels[1]))
    if looked is None:
        return False
    for file, mark, of in zip((first, second), ("a", "b"), looked, strict=True):
        file.engine.run(
            f"create or replace temp table {mark}_{file.column(name)} as "
            "select unnest(?::varchar[]) as cell, unnest(?::varchar[]) as shown",
            [list(of), list(of.values())],
        )
    return True


def _cells(file: TableFile, name: str) -> list[str]:
    return [text for (text,) in file.engine.rows(f"select distinct {file.column(name)} from {file.view}")]


def _grouped(file: TableFile, mark: str, names: list[str]) -> str:
    """A query for the different rows as they are compared, and how often each occurs."""
    places = [file.column(name) for name in names]
    shown = listed(
        [f"of_{place}.shown as v{number}" for number, place in enumerate(places)] + ["count(*) as n"]
    )
    joins = " ".join(f"join {mark}_{place} as of_{place} on of_{place}.cell = {place}" for place in places)
    return f"(select {shown} from {file.view} {joins} group by all)"


def _equal(columns: int) -> str:
    return " and ".join(f"own.v{number} = other.v{number}" for number in range(columns)) or "true"
