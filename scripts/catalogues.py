"""Collect the texts of reports and page, bring every catalogue up to date, and compile it.

    python scripts/catalogues.py             # after a change of texts or of a translation
    python scripts/catalogues.py --new fr    # begin another language

The text "English" stands for the language's own name ("Deutsch"), and "1,234.5" for that number as it is
written there ("1.234,5").

New texts get an empty translation, texts that nobody uses are removed. Translations are edited in
`src/paretonym/locale/LANGUAGE/LC_MESSAGES/paretonym.po` with any editor for gettext catalogues;
`paretonym.mo` beside it is what the program reads. How texts are marked: see src/paretonym/language.py.
"""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from paretonym.language import DOMAIN, FOLDER
from paretonym.measures import MEASURES
from paretonym.schema.hierarchies.ready_codes import ready_codes
from paretonym.web.page_language import page_texts

SOURCES = Path(__file__).parents[1] / "src" / "paretonym"
Text: TypeAlias = str | tuple[str, str]
Keywords: TypeAlias = Mapping[str, tuple[int, ...] | None]
# How many texts each function takes.
PYTHON = {"_": 1, "N_": 1, "ngettext": 2}
SCRIPTS: Keywords = {"t": None, "tn": (1, 2)}
WIDTH = 100
# Texts inside `${…}` of a template are found too.
OPTIONS = {"parse_template_string": True}


def texts() -> Iterator[tuple[str, Text]]:
    """Every text with the file that it is in; a pair if it has a singular and a plural."""
    for path in sorted(SOURCES.rglob("*.py")):
        name = path.relative_to(SOURCES).as_posix()
        yield from ((name, message) for message in _calls(path))
    for path in sorted((SOURCES / "web" / "static").glob("*.js")):
        yield from _extracted(path, "javascript", SCRIPTS)
    page = SOURCES / "web" / "static" / "index.html"
    yield from ((page.relative_to(SOURCES).as_posix(), text) for text in page_texts(page.read_text("utf-8")))
    yield from _cards()
    yield from (("schema/hierarchies/ready_codes.toml", words) for words in _ready_words())


def _cards() -> Iterator[tuple[str, str]]:
    """What reports and page show of the cards of measures."""
    for card in MEASURES.values():
        for text in (card.question, card.formula, card.shortfall):
            if text:
                yield "measures/registry.py", text


def _ready_words() -> Iterator[str]:
    """How ready hierarchies name their levels."""
    for entry in ready_codes().values():
        yield from entry["words"]


def _calls(path: Path) -> Iterator[Text]:
    """The texts in calls of our functions; those that are given there as they are."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PYTHON:
            given = [each.value for each in node.args if isinstance(each, ast.Constant)]
            found = [each for each in given[: PYTHON[node.func.id]] if isinstance(each, str)]
            if any(isinstance(part, ast.Constant) for each in node.args for part in _choices(each)):
                raise SystemExit(f"{path}:{node.lineno}: write the texts out, one call for each")
            if len(found) == 2:
                yield found[0], found[1]
            elif found:
                yield found[0]


def _choices(argument: ast.expr) -> tuple[ast.expr, ...]:
    """What an argument may be: a text that is chosen there is not found by whoever collects texts."""
    if isinstance(argument, ast.IfExp):
        return (argument.body, argument.orelse)
    return tuple(argument.values) if isinstance(argument, ast.JoinedStr) else ()


def _extracted(path: Path, method: str, keywords: Keywords) -> Iterator[tuple[str, Text]]:
    name = path.relative_to(SOURCES).as_posix()
    with path.open("rb") as content:
        for _, message, _, _ in extract(method, content, keywords=keywords, options=OPTIONS):
            yield name, (message[0], message[1]) if isinstance(message, tuple) else message


def template() -> Catalog:
    """A catalogue of all texts, without translations."""
    found = Catalog(project=DOMAIN, charset="utf-8")
    for name, message in texts():
        flags = ["python-brace-format"] if "{" in str(message) else []
        found.add(message, locations=[(name, 0)], flags=flags)
    return found


def catalogue_path(language: str) -> Path:
    return FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def read(language: str) -> Catalog:
    with catalogue_path(language).open("rb") as content:
        return read_po(content, locale=language)


def updated(language: str) -> Catalog:
    """A language's catalogue with exactly the texts that there are."""
    found = read(language)
    # No guesses from similar texts: a translation that is nearly right may say something wrong.
    found.update(template(), no_fuzzy_matching=True, update_creation_date=False)
    found.obsolete.clear()
    return found


def po_bytes(found: Catalog) -> bytes:
    content = io.BytesIO()
    write_po(content, found, width=WIDTH, sort_output=True, include_lineno=False, ignore_obsolete=True)
    return content.getvalue()


def mo_bytes(found: Catalog) -> bytes:
    content = io.BytesIO()
    write_mo(content, found)
    return content.getvalue()


def written_languages() -> list[str]:
    return sorted(path.parent.parent.name for path in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def begin(language: str) -> None:
    """An empty catalogue of a new language."""
    path = catalogue_path(language)
    if path.exists():
        raise SystemExit(f"{path} exists already")
    path.parent.mkdir(parents=True)
    new = Catalog(locale=language, project=DOMAIN, charset="utf-8", fuzzy=False)
    with path.open("wb") as content:
        write_po(content, new, width=WIDTH)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--new"] and len(arguments) == 2:
        begin(arguments[1])
    elif arguments:
        raise SystemExit(__doc__)
    for language in written_languages():
        found = updated(language)
        path = catalogue_path(language)
        path.write_bytes(po_bytes(found))
        path.with_suffix(".mo").write_bytes(mo_bytes(found))
        open_texts = sum(1 for each in found if each.id and not all(_forms(each.string)))
        print(f"{language}: {len(found)} texts, {open_texts} without a translation ({path})")


def _forms(string: object) -> tuple[object, ...]:
    return tuple(string) if isinstance(string, (list, tuple)) else (string,)


if __name__ == "__main__":
    main(sys.argv[1:])
