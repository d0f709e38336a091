"""Is a file written as releases are: rows sorted, and no byte but those that its cells need?

The order of rows, an unneeded quote, a byte behind the last row or metadata that no reader shows can carry
what the cells do not.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

from paretonym.audits.checks import Check
from paretonym.audits.parquet_form import FormVerdict, parquet_verdict
from paretonym.audits.sql_engine import quoted
from paretonym.audits.table_file import TableFile, listed

# A cell that holds one of these, or begins or ends with a blank, is quoted.
QUOTED = '[",;|\\t\\r\\n]|^[\\t\\n\\f\\r ]|[\\t\\n\\f\\r ]$'
ORDER, BYTES = "rows sorted", "bytes of the file"


def check_form(file: TableFile, name: str = "") -> list[Check]:
    """The checks of one file; `name` tells several files of one release apart."""
    of = f" of {name}" if name else ""
    return [_order(file, f"{ORDER}{of}"), _bytes(file, f"{BYTES}{of}")]


def _order(file: TableFile, name: str) -> Check:
    """Rows rise from the first column to the last: texts by code points or numbers by size, empty cells
    last. Of what type a column was, a CSV file does not say."""
    meant = file.as_meant()
    places = [file.column(each) for each in file.names]
    before = listed([f"lag({place}) over () as before_{place}" for place in places])
    source = f"(select {listed(places)}, {before}, row_number() over () as place from {meant.view})"
    counts = []
    for number, place in enumerate(places):
        equal = "".join(f" and {other} = before_{other}" for other in places[:number])
        counts += [
            f"count(*) filter (place > 1{equal} and {falls})"
            for falls in (_falls(place), _number_falls(place))
        ]
    with file.engine.in_order():
        found = file.engine.row(f"select {listed(counts)} from {source}")
    wrong = [
        file.names[number] for number in range(len(places)) if found[2 * number] and found[2 * number + 1]
    ]
    why = (
        f"rows are not sorted by all columns, so that their order may tell something: '{wrong[0]}'"
        if wrong
        else ""
    )
    return Check("file", name, None, None, not wrong, why)


def _falls(place: str) -> str:
    """An empty cell comes last."""
    return f"({place} <> '' and (before_{place} = '' or {place} < before_{place}))"


def _number_falls(place: str) -> str:
    """The same of numbers; a text that is none falls."""
    now, before = (f"try_cast({each} as double)" for each in (place, f"before_{place}"))
    less = f"({now} is null or {before} is null or {now} < {before})"
    return f"({place} <> '' and (before_{place} = '' or {less}))"


def _bytes(file: TableFile, name: str) -> Check:
    verdict = parquet_verdict(file.path) if file.parquet else _csv_verdict(file)
    return Check("file", name, None, None, verdict.holds, verdict.why)


def _csv_verdict(file: TableFile) -> FormVerdict:
    """The cells written again, line by line, beside the bytes of the file."""
    cells = [_cell(file.column(name), alone=len(file.names) == 1) for name in file.names]
    line = " || ',' || ".join(cells)
    with file.path.open("rb") as content, file.engine.in_order():
        header = _header_again(file.path)
        same = content.read(len(header)) == header
        for block in file.engine.texts(f"select {line} || chr(10) from {file.view}") if same else ():
            same = content.read(len(block)) == block
            if not same:
                break
        same = same and content.read(1) == b""
    why = "it holds more than its cells need: quotes, separators, line ends, a mark or text beside the rows"
    return FormVerdict(same, "" if same else why)


def _cell(place: str, alone: bool) -> str:
    """A cell as releases write it; an empty one that is alone in its line is quoted."""
    needed = f"regexp_matches({place}, {quoted(QUOTED)})" + (f" or {place} = ''" if alone else "")
    within = f"chr(34) || replace({place}, chr(34), chr(34) || chr(34)) || chr(34)"
    return f"if({needed}, {within}, {place})"


def _header_again(path: Path) -> bytes:
    with path.open(encoding="utf-8-sig", newline="") as file:
        names = next(csv.reader(file), [])
    cells = [f'"{name.replace(chr(34), chr(34) * 2)}"' if re.search(QUOTED, name) else name for name in names]
    return (",".join(cells) + "\n").encode()
