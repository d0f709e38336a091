"""List the texts of reports and page that a language lacks; drop from its catalogue what nobody uses.

    python scripts/catalogues.py

A catalogue is `src/paretonym/base/locale/LANGUAGE.json`: the translation of each English text, or a pair for
its singular and plural. "English" stands for the language's own name ("Deutsch"), and "1,234.5" for that
number as it is written there ("1.234,5"). How texts are marked: see src/paretonym/base/language.py.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from paretonym.engine.measures import MEASURES
from paretonym.interfaces.web.page_language import page_texts
from paretonym.tables.schema.hierarchies import ready_words

SOURCES = Path(__file__).parents[1] / "src" / "paretonym"
MARKS = {"_", "N_", "ngettext"}
# `t("…")` and `tn("…", "…"` of the page's scripts; the plural goes with its singular.
SCRIPT = re.compile(r"""\btn?\(\s*("(?:[^"\\]|\\.)*")""")


def texts() -> Iterator[tuple[str, str]]:
    """Every text with the file that it is in, by its singular."""
    for path in sorted(SOURCES.rglob("*.py")):
        yield from ((text, path.name) for text in _of_module(path))
    for path in sorted((SOURCES / "interfaces" / "web" / "static").glob("*.js")):
        yield from ((json.loads(text), path.name) for text in SCRIPT.findall(path.read_text("utf-8")))
    page = SOURCES / "interfaces" / "web" / "static" / "index.html"
    yield from ((text, page.name) for text in page_texts(page.read_text("utf-8")))
    for card in MEASURES.values():
        yield from ((text, "registry.py") for text in (card.question, card.shortfall) if text)
    yield from ((text, "ready_codes.toml") for words in ready_words().values() for text in words)


def _of_module(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def main() -> None:
    places = dict(texts())
    # Of this tree, whichever paretonym is installed.
    for path in sorted((SOURCES / "base" / "locale").glob("*.json")):
        translations = json.loads(path.read_text("utf-8"))
        used = {text: translations[text] for text in sorted(places) if text in translations}
        path.write_text(json.dumps(used, ensure_ascii=False, indent=1) + "\n", "utf-8")
        missing = sorted((place, text) for text, place in places.items() if text not in used)
        print(f"{path.stem}: {len(used)} texts, {len(missing)} without a translation")
        for place, text in missing:
            print(f"  {place}: {text!r}")


if __name__ == "__main__":
    main()
