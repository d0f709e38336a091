"""The exam of an engine: wherever the same values lie, the frontier, the release and its manifest are, byte
for byte, those of the table in memory.

Every kind of value has its spelling in `KINDS`: the canon. An engine gives a function that stores an Arrow
table in it and makes a study of it. Kinds that it does not have are named with the reason, and nothing else
is left out.
"""

from __future__ import annotations

import datetime as dt
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import nan
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import pyarrow as pa

from paretonym.base.errors import InputError
from paretonym.engine.recoding import Recoding
from paretonym.release import append_to_file
from paretonym.research.exams.candidates import require
from paretonym.study import Study
from paretonym.tables.source import Counts
from paretonym.tables.source.engines import shared_values

Schema: TypeAlias = Mapping[str, Any]
Row: TypeAlias = tuple[str | None, ...]

FLAT = {"hierarchy": {"flat": True}}
NUMBERS = {"type": "decimal", "hierarchy": {"breaks": [[0, 1, 5], [1]]}}
DATES = {"type": "date", "hierarchy": {"date": ["month", "year"]}}


@dataclass(frozen=True)
class Kind:
    """Values of one Arrow type, how each is spelled (None is a missing value), and what a schema says of a
    quasi-identifier that has them."""

    type: Any
    cells: Sequence[Any]
    texts: Row
    quasi: Mapping[str, Any] = field(default_factory=lambda: FLAT)


def _texts(*texts: str | None) -> Kind:
    return Kind(pa.string(), texts, tuple(text or None for text in texts))


NOON = dt.datetime(2024, 7, 1, 12, 30)
NOON_UTC = NOON.replace(tzinfo=dt.UTC)
BERLIN = "Europe/Berlin"
KINDS: Mapping[str, Kind] = {
    "booleans": Kind(pa.bool_(), [True, None, False], ("true", None, "false")),
    "integers": Kind(pa.int32(), [7, -3, None, 0], ("7", "-3", None, "0"), NUMBERS),
    "integers beyond 2^53": Kind(
        pa.int64(),
        [2**53, 2**53 + 1, None, -(2**63) + 1],
        ("9007199254740992", "9007199254740993", None, "-9223372036854775807"),
    ),
    "doubles": Kind(
        pa.float64(),
        [0.1, -0.0, nan, 0.0, None, 1e-7, 2.5, -1234567.125],
        ("0.1", "0", None, "0", None, "0.0000001", "2.5", "-1234567.125"),
        NUMBERS,
    ),
    "whole doubles": Kind(pa.float64(), [1.0, -0.0, nan, 0.0, None], ("1", "0", None, "0", None), NUMBERS),
    "decimals": Kind(
        pa.decimal128(20, 2),
        [Decimal("1.50"), Decimal("0.00"), None, Decimal("-123456789012345678.91")],
        ("1.50", "0.00", None, "-123456789012345678.91"),
        NUMBERS,
    ),
    "dates": Kind(
        pa.date32(),
        [dt.date(2024, 2, 29), None, dt.date(1969, 12, 31), dt.date(1899, 1, 1)],
        ("2024-02-29", None, "1969-12-31", "1899-01-01"),
        DATES,
    ),
    "midnights": Kind(
        pa.timestamp("us"),
        [dt.datetime(2024, 2, 29), None, dt.datetime(1969, 12, 31)],
        ("2024-02-29", None, "1969-12-31"),
        DATES,
    ),
    "timestamps": Kind(
        pa.timestamp("us"),
        [NOON, None, dt.datetime(1969, 12, 31)],
        ("2024-07-01T12:30:00", None, "1969-12-31"),
    ),
    "timestamps with fractions": Kind(
        pa.timestamp("us"),
        [NOON.replace(second=5, microsecond=120_000), None, dt.datetime(1969, 12, 31, 23, 59, 59)],
        ("2024-07-01T12:30:05.120", None, "1969-12-31T23:59:59"),
    ),
    "timestamps in UTC": Kind(
        pa.timestamp("us", "UTC"),
        [NOON_UTC, None, dt.datetime(1969, 12, 31, 23, tzinfo=dt.UTC)],
        ("2024-07-01T12:30:00Z", None, "1969-12-31T23:00:00Z"),
    ),
    "timestamps in a zone": Kind(
        pa.timestamp("us", BERLIN),
        [NOON_UTC, None, dt.datetime(2024, 1, 1, 11, tzinfo=dt.UTC)],
        ("2024-07-01T14:30:00+0200", None, "2024-01-01T12:00:00+0100"),
    ),
    "midnights in a zone": Kind(
        pa.timestamp("us", BERLIN),
        [dt.datetime(2024, 6, 30, 22, tzinfo=dt.UTC), None],
        ("2024-07-01", None),
        DATES,
    ),
    "text": _texts("a", "a ", "", None, " a", "A", "ä", "a\u0308", "a  "),
    "text with marks": _texts('"', "it's", "a,b", "a;b", "a\nb", "a\tb", "\\", "\\N", "%s", "😀"),
    "text like other things": _texts("007", "7", "7.0", "1e3", "-0", "NaN", "NULL", "null", "true", "None"),
    "categories": Kind(
        pa.dictionary(pa.int32(), pa.string()), ["x", None, "y ", "", "x"], ("x", None, "y ", None, "x")
    ),
    "nothing": Kind(pa.string(), [None], (None,)),
    "names that differ in case": _texts("x", "y", None),
}
# Columns with these names, of text; the pair that differs in case is a kind, since some engines have none.
NAMES = (
    "n",
    "c0",
    "c1",
    "select",
    'a "b"',
    "it's",
    "a b ",
    "a,b",
    "a.b",
    "a;--",
    "`a`",
    "[a]",
    "%(a)s",
    "{a}",
    "ä",
)
CASES = ("Case", "case")
ROLES = ("quasi", "sensitive", "other")
ROWS, COPIES = 50, 3
OBJECTIVES = ("k", "l", "loss")


@dataclass(frozen=True)
class Engine:
    """How rows come into an engine, and a study of them; and the kinds of values that it `lacks`, each with
    the reason."""

    study: Callable[[Any, Schema], Study]
    lacks: Mapping[str, str] = field(default_factory=dict)

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(kind for kind in KINDS if kind not in self.lacks)


def sit_engine_exam(engine: Engine) -> None:
    """Every check; raises `ExamFailed` at the first that does not hold."""
    for check in ENGINE_CHECKS.values():
        check(engine)


def exam_table(kinds: Sequence[str], canon: bool = False) -> Any:
    """Rows with a column for each of these kinds, in Arrow; in the `canon`, all are texts in their
    spellings."""
    generator = Random("engine exam")
    columns = {}
    for name, kind in _columns(kinds).items():
        # Every value occurs; the others are drawn.
        places = [number % len(kind.cells) for number in range(len(kind.cells))]
        places += [generator.randrange(len(kind.cells)) for _ in range(ROWS - len(places))]
        cells, form = (kind.texts, pa.string()) if canon else (kind.cells, kind.type)
        columns[name] = pa.array([cells[place] for place in places] * COPIES, form)
    return pa.table(columns)


def exam_schema(kinds: Sequence[str], turn: int) -> dict[str, Any]:
    """A schema in which every column has one of the three roles; with the three turns, each of them. In the
    last, rows with missing text are dropped."""
    columns: dict[str, Any] = {}
    for place, (name, kind) in enumerate(_columns(kinds).items()):
        role = ROLES[(place + turn) % len(ROLES)] if name in kinds else ROLES[2]
        typed = {"type": kind.quasi["type"]} if "type" in kind.quasi else {}
        columns[name] = {"role": role, "missing": "value", **(kind.quasi if role == "quasi" else typed)}
        if role == "other":
            columns[name] = {"role": role}
        elif turn == len(ROLES) - 1 and name == "text":
            columns[name]["missing"] = "drop"
    columns[NAMES[0]] = {"role": "quasi", "missing": "value", **FLAT}
    return {"columns": columns}


def check_lacks(engine: Engine) -> None:
    """What is left out is a kind of value, and a reason is given."""
    for kind, reason in engine.lacks.items():
        require(kind in KINDS, f"'{kind}' is not a kind of values")
        require(len(reason.split()) > 2, f"no reason is given why there are no {kind}")


def check_spellings(engine: Engine) -> None:
    """Every value is spelled as the canon says, and every row is counted."""
    table = exam_table(engine.kinds)
    expected = exam_table(engine.kinds, canon=True)
    source = engine.study(table, exam_schema(engine.kinds, 0)).source
    require(source.names == tuple(table.column_names), f"the columns are {source.names}")
    for name in expected.column_names:
        counts = Counter(rows_of(source, [name]))
        cells = Counter((cell,) for cell in expected.column(name).to_pylist())
        require(counts == cells, f"'{name}' are spelled {dict(counts)} instead of {dict(cells)}")
    rows = Counter(zip(*expected.to_pydict().values(), strict=True))
    require(Counter(rows_of(source, expected.column_names)) == rows, "the rows are not those that were given")


def check_frontiers(engine: Engine) -> None:
    """The frontier, a release and its manifest are those of the table in memory, in every role."""
    table = exam_table(engine.kinds)
    for turn in range(len(ROLES)):
        schema = exam_schema(engine.kinds, turn)
        answers, expected = (_answers(make(table, schema)) for make in (engine.study, Study))
        for what, content in expected.items():
            require(
                answers[what] == content, f"{what} differs from that of the table in memory (turn {turn})"
            )


def check_new_rows(engine: Engine) -> None:
    """New rows are recoded as those in memory are, whether or not the old rows are there too."""
    table, schema = exam_table(engine.kinds), exam_schema(engine.kinds, 0)
    old, later = Study(table, schema), table.slice(0, ROWS)
    front = old.explore(*OBJECTIVES, suppress="any:0.1", space="lattice")
    recoding = front[len(front) // 2].recoding
    expected = _added(old, recoding, Study(later, schema))
    added = engine.study(later, schema)
    for beside, study in (("memory", old), ("the engine", engine.study(table, schema))):
        for what, content in _added(study, recoding, added).items():
            require(content == expected[what], f"{what} beside old rows in {beside} differs")


def _added(old: Study, recoding: Recoding, new: Study) -> dict[str, Any]:
    """The file of new rows, its manifest, and what both give together."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.csv"
        union, _ = append_to_file(old, recoding, new.source, path, allow_second_release=True)
        manifest = path.with_name(f"{path.name}.manifest.json")
        return {
            "the file of new rows": path.read_bytes(),
            "its manifest": manifest.read_bytes(),
            "the union": union,
        }


def check_identifiers(engine: Engine) -> None:
    """An identifier that stands in two rows is found, and one that stands in one is not taken for it."""
    names = [f"person {number}" for number in range(30)]
    for given, repeats in (
        (names, False),
        ([*names[:-1], names[0]], True),
        ([*names[:-2], None, None], False),
    ):
        table = pa.table({"name": pa.array(given, pa.string()), "sex": ["m", "f"] * 15})
        schema = {"columns": {"name": {"role": "identifier"}, "sex": {"role": "quasi", **FLAT}}}
        refusal, expected = (_refusal(make, table, schema) for make in (engine.study, Study))
        require(refusal == expected, f"{refusal} instead of {expected} is said of an identifier")
        require(bool(refusal) == repeats, f"{refusal} is said of an identifier")


def check_people(engine: Engine) -> None:
    """People who are in old and in new rows are found, wherever the old rows are."""
    numbers = range(10**6, 10**6 + 30)
    table = pa.table({"name": pa.array([*numbers[:-1], None], pa.int64()), "sex": ["m", "f"] * 15})
    schema = {"columns": {"name": {"role": "identifier"}, "sex": {"role": "quasi", **FLAT}}}
    new = pa.table({"name": [*map(str, numbers[20:]), "", "2"], "sex": ["m", "f"] * 6})
    shared = shared_values(engine.study(table, schema).source, Study(new, schema).source, "name")
    expected = set(map(str, numbers[20:-1]))
    require(set(shared) == expected, f"{shared} are said to be in both, instead of {expected}")


Check: TypeAlias = Callable[[Engine], None]
ENGINE_CHECKS: Mapping[str, Check] = {
    "lacks": check_lacks,
    "spellings": check_spellings,
    "frontiers": check_frontiers,
    "new rows": check_new_rows,
    "identifiers": check_identifiers,
    "people": check_people,
}


def rows_of(source: Counts, names: Sequence[str]) -> list[Row]:
    """Every row of some columns in its spellings, as often as it occurs."""
    columns = [source.column(name) for name in names]
    cells = [[(*column.texts, None)[code] for code in column.codes.tolist()] for column in columns]
    weights = [1] * source.entries if source.weights is None else source.weights.tolist()
    return [row for row, weight in zip(zip(*cells, strict=True), weights, strict=True) for _ in range(weight)]


def _columns(kinds: Sequence[str]) -> dict[str, Kind]:
    plain = _texts("x", "y", None)
    cases = dict.fromkeys(CASES, plain) if "names that differ in case" in kinds else {}
    return {**{kind: KINDS[kind] for kind in kinds}, **dict.fromkeys(NAMES, plain), **cases}


def _answers(study: Study) -> dict[str, Any]:
    """What must be the same, byte for byte."""
    front = study.explore(*OBJECTIVES, suppress="any:0.1", space="lattice")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.csv"
        front[len(front) // 2].release(path, allow_second_release=True)
        return {
            "the frontier": json.dumps(front.as_json()),
            "the digest of the counts": study.cube.digest,
            "the release": path.read_bytes(),
            "the manifest": path.with_name(f"{path.name}.manifest.json").read_bytes(),
        }


def _refusal(make: Callable[[Any, Schema], Study], table: Any, schema: Schema) -> list[str]:
    """What is wrong with data; where differs from engine to engine."""
    try:
        make(table, schema).explore("k", "loss", space="lattice")
    except InputError as error:
        return [problem.wrong for problem in error.problems]
    return []
