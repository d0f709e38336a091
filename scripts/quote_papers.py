"""Quote what the reproductions measured in the docs.

    python scripts/quote_papers.py            write the blocks of the pages again, from the stored numbers
    python scripts/quote_papers.py measure    run every reproduction first, and store its numbers; or only
                                              those that are named after it

A block stands between two comments. The first says what is quoted: `facts NAME`, with `columns=…` and
`rows=…` if not all of them, or `sentences NAME NAME …`, or `summary`. tests/test_paper_pages.py compares
pages and store.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paretonym.research.papers.reproductions import ALL, chosen, summary
from paretonym.research.reproduce_command import number

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / "tests" / "reference" / "data" / "papers.json"
BLOCK = re.compile(r"(<!-- paper: (?P<wanted>[^\n]*) -->\n).*?(<!-- end of paper -->)", re.DOTALL)
Stored = Mapping[str, Mapping[str, Any]]


def pages() -> list[Path]:
    """The pages with a block."""
    return [page for page in sorted((ROOT / "docs").rglob("*.md")) if BLOCK.search(page.read_text("utf-8"))]


def stored() -> Stored:
    return {entry["name"]: entry for entry in json.loads(STORE.read_text("utf-8"))}


def measure(names: list[str]) -> None:
    before = stored() if names else {}
    entries = []
    for reproduction in chosen(ALL):
        if names and reproduction.name not in names:
            entries.append(before[reproduction.name])
            continue
        document = reproduction.as_json(reproduction.run())
        entries.append({key: document[key] for key in ("name", "what", "facts", "sentences")})
        print(reproduction.name, file=sys.stderr)
    STORE.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", "utf-8")


def quoted(page: str, numbers: Stored) -> str:
    """The page with its blocks written again."""
    return BLOCK.sub(lambda found: f"{found[1]}\n{block(found['wanted'], numbers)}\n\n{found[3]}", page)


def block(wanted: str, numbers: Stored) -> str:
    kind, *words = re.findall(r"\w+=\"[^\"]*\"|\S+", wanted)
    if kind == "summary":
        return summary(numbers.values())
    if kind == "sentences":
        return "\n".join(f"- {sentence}" for name in words for sentence in numbers[name]["sentences"])
    name, *options = words
    limits = {key: text.strip('"') for key, _, text in (option.partition("=") for option in options)}
    return facts(numbers[name]["facts"], limits.get("columns"), limits.get("rows"))


def facts(every: Sequence[Mapping[str, Any]], columns: str | None, rows: str | None) -> str:
    """A table of measured and printed numbers; some columns by name, some rows by a pattern."""
    picked = [fact for fact in every if rows is None or re.search(rows, fact["row"])]
    names = columns.split("|") if columns else list(dict.fromkeys(fact["column"] for fact in picked))
    printed = {fact["column"] for fact in picked if fact["printed"] is not None}
    heads = [head for name in names for head in ((name, "printed") if name in printed else (name,))]
    lines = [f"| | {' | '.join(heads)} |", f"| --- |{' --- |' * len(heads)}"]
    for row in dict.fromkeys(fact["row"] for fact in picked):
        cells = {fact["column"]: fact for fact in picked if fact["row"] == row}
        if not cells.keys() & set(names):
            continue
        texts = [text for name in names for text in _cells(cells.get(name), name, name in printed)]
        lines.append(f"| {row} | {' | '.join(texts)} |")
    return "\n".join(lines)


def _cells(fact: Mapping[str, Any] | None, name: str, compared: bool) -> list[str]:
    values = [None, None] if fact is None else [fact["measured"], fact["printed"]]
    texts = ["" if value is None else number(name, value) for value in values]
    return texts if compared else texts[:1]


def main() -> None:
    command, *names = sys.argv[1:] or [""]
    if command == "measure":
        measure(names)
    numbers = stored()
    for page in pages():
        page.write_text(quoted(page.read_text("utf-8"), numbers), "utf-8")


if __name__ == "__main__":
    main()
