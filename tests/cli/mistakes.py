"""Mistakes that people make, and what is said about each, word for word."""

from __future__ import annotations

from dataclasses import dataclass

from paretonym.base.errors import did_you_mean
from paretonym.engine.measures.registry import MEASURES
from paretonym.engine.spaces.lattice.lattice_space import LATTICE

ROWS = b"age,sex,illness\n" + b"".join(
    b"%d,%s,%s\n" % (20 + n, b"fm"[n % 2 :][:1], b"xyz"[n % 3 :][:1]) for n in range(30)
)
AGE = '[columns.age]\nrole = "quasi"\nhierarchy.intervals = [10, 20]\n'
SEX = '[columns.sex]\nrole = "quasi"\nhierarchy.flat = true\n'
ILLNESS = '[columns.illness]\nrole = "sensitive"\n'
SCHEMA = AGE + SEX + ILLNESS
CHOICES = "identifier, quasi, sensitive, class, other, drop, person, weight, household, required-k"
SAME_WIDTH = "give every line as many fields as the header, and quote values that contain the separator"
NAMES = "give every column a different name; if the first line of a file is data, add a header above it"
CONVERT = "convert the file to UTF-8, or name its encoding (--encoding cp1252)"
ZERO = (
    "there is a NUL byte, so this is not text, or it is UTF-16 without a byte order mark; give a CSV or "
    "Parquet file, or "
    "name the encoding (--encoding utf-16-le)"
)


@dataclass(frozen=True)
class Case:
    """A mistake in the data, the schema or the options, and what is said about it."""

    said: str
    data: bytes = ROWS
    schema: str = SCHEMA
    options: tuple[str, ...] = ()


DATA = {
    "empty file": Case("people.csv: the file is empty; give a file with a header line and rows", b""),
    "header only": Case("people.csv: there are no rows; give a table with rows", b"age,sex,illness\n"),
    "ragged rows": Case(
        f"people.csv, line 3: the header has 3 fields, this line has 2 fields; {SAME_WIDTH}",
        b"age,sex,illness\n20,f,x\n21,m\n",
    ),
    "duplicate column names": Case(
        f"people.csv, header: columns 1 and 3 have the same name; {NAMES}", b"age,sex,age\n20,f,x\n"
    ),
    "empty column name": Case(
        f"people.csv, header: column 2 has no name; {NAMES}", b"age,,illness\n20,f,x\n"
    ),
    "binary": Case(f"people.csv, line 1: {ZERO}", bytes(range(256)) * 9),
    "a workbook": Case(
        "people.csv: the workbook is damaged, or of a kind that cannot be read; "
        "save it again as .xlsx, or save the sheet as CSV",
        b"PK\x03\x04 secret",
    ),
    "a NUL byte": Case(f"people.csv, line 2: {ZERO}", b"age,sex,illness\n20,f\0,x\n"),
    "wrong encoding": Case(
        f"people.csv, line 2: some bytes are not valid UTF-8; {CONVERT}",
        "age,sex,illness\n20,f,Krämpfe\n".encode("cp1252"),
    ),
}

SCHEMAS = {
    "unknown encoding": Case(
        "people.csv: unknown encoding 'cp9999'; use a name such as utf-8, cp1252 or latin-1",
        schema='encoding = "cp9999"\n' + SCHEMA,
    ),
    "impossible separator": Case(
        "separator: '||' cannot be a separator; give one character, such as ',', ';', '|' or a tab",
        schema='separator = "||"\n' + SCHEMA,
    ),
    "broken TOML": Case(
        "people.toml, line 2, column 8: not valid TOML: Invalid value; fix this line; strings need quotes",
        schema="[columns.age]\nrole = quasi\n",
    ),
    "TOML that ends too early": Case(
        "people.toml, line 2, column 14: not valid TOML: Unterminated string; fix this line; strings need "
        "quotes",
        schema='[columns.age]\nrole = "quasi',
    ),
    "unknown key": Case(
        "people.toml, column 'sex': the key 'importanse' is unknown; did you mean 'importance'?",
        schema=AGE + SEX + "importanse = 2\n" + ILLNESS,
    ),
    "unknown role": Case(
        "people.toml, column 'illness': the role 'sensitiv' is unknown; did you mean 'sensitive'?",
        schema=AGE + SEX + '[columns.illness]\nrole = "sensitiv"\n',
    ),
    "a weight that is text": Case(
        "people.toml, column 'illness': 30 of 30 rows have a weight that is not a number; write numbers such "
        'as 12.5, or give the column the role "drop"',
        schema=AGE + SEX + '[columns.illness]\nrole = "weight"\n',
    ),
    "release for another role": Case(
        "people.toml, column 'illness': release has no meaning for the role drop; omit it: only a weight is "
        "released or not as it says",
        schema=AGE + SEX + '[columns.illness]\nrole = "drop"\nrelease = true\n',
    ),
    "undecided": Case(
        f"people.toml, column 'illness': its role is undecided; decide on one of {CHOICES}",
        schema=AGE + SEX + '[columns.illness]\nrole = "undecided"\n',
    ),
    "forgotten column": Case(
        "people.toml, column 'illness': the table people.csv has this column, but the schema gives it no "
        "role; "
        f"add it with one of the roles {CHOICES}",
        schema=AGE + SEX,
    ),
    "a role for a column that is not there": Case(
        "people.toml, column 'illnes': the table people.csv does not have this column; did you mean "
        "'illness'?",
        schema=SCHEMA + '[columns.illnes]\nrole = "drop"\n',
    ),
    "no quasi-identifier": Case(
        'people.toml: no column has the role quasi; set role = "quasi" for the columns by which a person '
        "could be "
        "recognized",
        schema="".join(f'[columns.{name}]\nrole = "drop"\n' for name in ("age", "sex", "illness")),
    ),
    "a value missing from its hierarchy": Case(
        "people.toml, column 'age': not in the tree: 28 values ('22', '23', '24', '25', "
        "'26', '27', '28', "
        "'29', '30', '31', '32', '33', '34', '35', '36', '37', '38', '39', '40', '41' and 8 more); add "
        'them, or set unknown = "top"',
        schema='[columns.age]\nrole = "quasi"\nhierarchy.tree.Young = ["20", "21"]\n' + SEX + ILLNESS,
    ),
    "a sensitive value missing from its hierarchy": Case(
        "people.toml, column 'illness': not in the tree: 2 values; add them, or set unknown = \"top\"",
        schema=AGE + SEX + ILLNESS + 'hierarchy.tree.Bad = ["x"]\n',
    ),
    "breaks that are not nested": Case(
        "people.toml, column 'age', hierarchy.breaks: the break 25 is not among those of the level "
        "before it, so the "
        "levels would not nest; let each level drop breaks of the one before and add none",
        schema='[columns.age]\nrole = "quasi"\nhierarchy.breaks = [[30, 40], [25]]\n' + SEX + ILLNESS,
    ),
    "a file that is not nested": Case(
        "people.toml, column 'sex', sex.csv, line 2: not nested: 'one' is in 'B', but in line 1 it is "
        "in 'A'; put a set into one set of the next level",
        schema=AGE + '[columns.sex]\nrole = "quasi"\nhierarchy.file = "sex.csv"\n' + ILLNESS,
    ),
    "no hierarchy file": Case(
        "people.toml, column 'sex', none.csv: this file does not exist; check the path none.csv",
        schema=AGE + '[columns.sex]\nrole = "quasi"\nhierarchy.file = "none.csv"\n' + ILLNESS,
    ),
    "a negative width": Case(
        "people.toml, column 'age', hierarchy.intervals: the width -5 is not positive; give widths above 0",
        schema=SCHEMA.replace("[10, 20]", "[-5, 10]"),
    ),
    "falling widths": Case(
        "people.toml, column 'age', hierarchy.intervals: the width 10 is not a multiple of 20 before it, "
        "so the levels "
        "would not nest; give increasing widths, each a multiple of the one before",
        schema=SCHEMA.replace("[10, 20]", "[20, 10]"),
    ),
    "widths that are not multiples": Case(
        "people.toml, column 'age', hierarchy.intervals: the width 15 is not a multiple of 10 before it, "
        "so the levels "
        "would not nest; give increasing widths, each a multiple of the one before",
        schema=SCHEMA.replace("[10, 20]", "[10, 15]"),
    ),
    "text where a number is needed": Case(
        "people.toml, column 'sex': not numbers: 2 values ('f', 'm'); fix them, or set unknown = "
        '"top", or list them '
        "in null if they mean missing",
        schema=AGE + '[columns.sex]\nrole = "quasi"\nhierarchy.intervals = [2]\n' + ILLNESS,
    ),
    "dates that can be read two ways": Case(
        "people.toml, column 'age': could be read as day and month or as month and day: 1 value "
        "('03/04/2020'); set "
        'format = "%d/%m/%Y" or format = "%m/%d/%Y"',
        data=b"age,sex,illness\n03/04/2020,f,x\n2020-01-31,m,y\n",
        schema='[columns.age]\nrole = "quasi"\nhierarchy.date = ["month", "year"]\n' + SEX + ILLNESS,
    ),
    "missing values without a word about them": Case(
        "people.toml, column 'sex': 1 of 2 rows have no value, but the schema does not say what to do "
        "with them; set "
        'missing = "drop" to drop such rows, or missing = "value", for all columns or for this one',
        data=b"age,sex,illness\n20,,x\n21,m,y\n",
    ),
    "an identifier that repeats": Case(
        "people.toml, column 'illness': this identifier repeats: 3 values are in 30 rows; give one row "
        'per person; set role = "person" if the column says which person a row belongs to; or set rows = '
        '"events" if rows are not people',
        schema=SCHEMA.replace("sensitive", "identifier"),
    ),
    "a near-unique column that would be released": Case(
        "people.toml, column 'age': 30 distinct values in 30 rows would be released unchanged and "
        'could identify people; set role = "drop", or kept = "yes" if the column is harmless',
        schema='[columns.age]\nrole = "other"\n' + SEX + ILLNESS,
    ),
    "many sensitive numbers without a level": Case(
        "people.toml, column 'illness': a sensitive column of numbers has 60 values and no level: "
        "neighbouring numbers would count as different values, and l and t would look better than they are; "
        "give a hierarchy and the level to publish, such as hierarchy.intervals = [1000] and release_level = "
        "1 (level = 1 only measures intervals: the exact numbers are published), or "
        'set type = "text" if the numbers are codes',
        data=b"age,sex,illness\n" + b"".join(b"%d,f,%d\n" % (number, number) for number in range(60)),
    ),
}

NOTHING_STAYS = "no row need stay; give a share below 100 %, or --suppress any:1, which tries every threshold"
NO_FRACTION = "is not a fraction from 0 to below 1; use, for example, 0.01, 1%, any or any:0.1"
NO_NUMBER = "is not a number; give a decimal such as 0.01 or a percentage such as 1%"
OPTIONS = {
    "unknown measure": Case(
        f"--objectives: unknown measure 'lost'; {did_you_mean('lost', MEASURES)}",
        options=("--objectives", "k,lost"),
    ),
    "unknown space": Case(
        "--space: unknown space 'latice'; did you mean 'lattice'?",
        options=("--space", "latice"),
    ),
    "unknown search": Case(
        f"--search: the space lattice has no search 'exhaust'; {did_you_mean('exhaust', LATTICE.searches)}",
        options=("--search", "exhaust"),
    ),
    "an objective twice": Case(
        "--objectives: 'k' is given twice; give each objective once", options=("--objectives", "k,loss,k")
    ),
    "suppression of everything": Case(f"--suppress: with '1' {NOTHING_STAYS}", options=("--suppress", "1")),
    "suppression of 100 %": Case(f"--suppress: with '100%' {NOTHING_STAYS}", options=("--suppress", "100%")),
    "suppression below 0": Case(f"--suppress: '-0.1' {NO_FRACTION}", options=("--suppress=-0.1",)),
    "suppression that is no number": Case(f"--suppress: 'few' {NO_NUMBER}", options=("--suppress", "few")),
    "suppression that is not finite": Case(f"--suppress: 'nan' {NO_NUMBER}", options=("--suppress", "nan")),
    "suppression beyond writing": Case(
        f"--suppress: '1e999999999' {NO_NUMBER}", options=("--suppress", "1e999999999")
    ),
    "an output that exists": Case(
        "--out people.csv: this is people.csv, which the command reads; give another name",
        options=("-o", "people.csv"),
    ),
}
