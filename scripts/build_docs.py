"""Build the documentation as a site: the pages of docs/ with what they refer to, and a reference that is made
from the code.

    .venv/bin/python scripts/build_docs.py          # into build/site; fails on a link that leads nowhere

The pages are gathered in build/docs: those of docs/, README, CHANGELOG, CONTRIBUTING and the like, example
tables and notebooks, `--help` of every command, and the docstrings of what `import paretonym` offers. Links
between them are rewritten to where they lie there. docs/README.md is the start page, and its tables are the
navigation.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).parents[1]))
from scripts import measure_pages

ROOT = Path(__file__).parents[1]
PAGES, SITE, SETTINGS = ROOT / "build/docs", ROOT / "build/site", ROOT / "build/mkdocs.yml"
START = "docs/README.md"
# Files outside docs/ that pages refer to, and where they lie in the site.
OUTSIDE = {
    "README.md": "readme.md",
    "CHANGELOG.md": "changelog.md",
    "changelog.d/README.md": "changelog-fragments.md",
    "RELEASING.md": "releasing.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "benchmarks/README.md": "benchmarks.md",
    "LICENSE": "LICENSE.txt",
    "src/paretonym/tables/source/example_data/ATTRIBUTION.md": "attribution.md",
}
FOLDERS = ("examples/tables", "examples/notebooks", "examples/extension")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
HELP, PYTHON = "reference/help.md", "reference/python.md"
MEASURES = ("Every measure", measure_pages.INDEX)


def places() -> dict[str, str]:
    """Where each file lies in the site."""
    found = {START: "index.md", **{name: place for name, place in OUTSIDE.items() if (ROOT / name).exists()}}
    for path in sorted((ROOT / "docs").rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.is_file() and name != START:
            found[name] = name.removeprefix("docs/")
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).iterdir()):
            if path.is_file():
                found[path.relative_to(ROOT).as_posix()] = path.relative_to(ROOT).as_posix()
    return found


def gather() -> None:
    known = places()
    for name, place in known.items():
        target = PAGES / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if place.endswith(".md"):
            target.write_text(with_links(name, known), encoding="utf-8")
        else:
            shutil.copyfile(ROOT / name, target)
    (PAGES / HELP).write_text(help_page(), encoding="utf-8")
    (PAGES / PYTHON).write_text(python_page(), encoding="utf-8")
    for place, text in measure_pages.pages().items():
        (PAGES / place).parent.mkdir(parents=True, exist_ok=True)
        (PAGES / place).write_text(text, encoding="utf-8")


def with_links(name: str, known: dict[str, str]) -> str:
    """A page whose links lead to where their targets lie in the site."""
    here, there = Path(name).parent, Path(known[name]).parent

    def moved(found: re.Match[str]) -> str:
        target, _, anchor = found[2].partition("#")
        if not target or urlsplit(target).scheme:
            return found[0]
        meant = os.path.normpath(here / target)
        if meant not in known:
            raise SystemExit(f"{name} refers to {target}, which is not part of the site")
        place = os.path.relpath(known[meant], there)
        return f"{found[1]}{place}{'#' + anchor if anchor else ''}{found[3]}"

    return LINK.sub(moved, (ROOT / name).read_text(encoding="utf-8"))


# --- what is made from the code ----------------------------------------------------------------------------


def help_page() -> str:
    """`--help` of every command."""
    from paretonym.interfaces.cli.commands import STEPS

    parts = ["# Help\n\nWhat `paretonym COMMAND --help` prints. [Commands](commands.md) explains more.\n"]
    for name in STEPS:
        command = [sys.executable, "-m", "paretonym", name, "--help"]
        wide = {**os.environ, "COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}
        said = subprocess.run(command, capture_output=True, text=True, check=True, env=wide).stdout
        parts.append(f"## `{name}`\n\n```text\n{said.strip()}\n```\n")
    return "\n".join(parts)


def python_page() -> str:
    """The docstrings of everything that `import paretonym` offers."""
    import paretonym as pn

    parts = ["# Python\n\nWhat `import paretonym as pn` offers, from its docstrings.\n"]
    for name in pn.__all__:
        if not name.startswith("_"):
            parts.extend(described(f"pn.{name}", getattr(pn, name), 2))
    return "\n".join(parts)


def described(name: str, thing: object, depth: int) -> Iterator[str]:
    title = f"{'#' * depth} `{name}`\n"
    if isinstance(thing, property):
        kind = thing.fget.__annotations__.get("return", "") if thing.fget else ""
        yield f"{title}\n{prose(inspect.getdoc(thing))}\n" + (f"\n`{kind}`\n" if kind else "")
        return
    yield f"{title}\n{signature(name, thing)}{prose(inspect.getdoc(thing))}\n{sections(thing)}"
    if inspect.isclass(thing) and not issubclass(thing, BaseException):
        for member, value in public_members(thing):
            yield from described(f"{name.split('.')[-1]}.{member}", value, depth + 1)


def public_members(owner: type) -> Iterator[tuple[str, object]]:
    """What somebody finds behind the dot and may call or read, inherited or not; of a study only what is its
    own, as completion offers it."""
    homes = owner.__mro__[:1] if owner.__name__ == "Study" else owner.__mro__
    for member in sorted(dir(owner)):
        home = next((kind for kind in homes if member in vars(kind)), None)
        if member.startswith("_") or home is None or not home.__module__.startswith("paretonym"):
            continue
        value: Any = vars(home)[member]
        if not inspect.getdoc(value):
            continue
        if isinstance(value, property):
            yield member, value
        elif inspect.isroutine(value):
            # What a class or static method wraps has the signature.
            yield member, getattr(value, "__func__", value)


def signature(name: str, thing: object) -> str:
    if not callable(thing) or (isinstance(thing, type) and issubclass(thing, BaseException)):
        return ""
    try:
        found = inspect.signature(thing)
    except ValueError:
        return ""
    plain = inspect.Parameter.empty
    every = [p for p in found.parameters.values() if p.name not in ("self", "cls")]
    own = [p.replace(annotation=plain) for p in every]
    return f"```python\n{name.removeprefix('pn.')}{inspect.Signature(own)}\n```\n\n"


def sections(thing: object) -> str:
    """The parameters and what comes back, with their types, as NumPy's documentation shows them."""
    if not callable(thing) or (isinstance(thing, type) and issubclass(thing, BaseException)):
        return ""
    try:
        found = inspect.signature(thing)
    except ValueError:
        return ""
    own = [p for p in found.parameters.values() if p.annotation is not p.empty]
    lines = [f"- `{'**' if p.kind is p.VAR_KEYWORD else ''}{p.name}`: {typed(p)}" for p in own]
    if lines:
        lines = ["**Parameters**", "", *lines, ""]
    if found.return_annotation not in (found.empty, "None") and not inspect.isclass(thing):
        lines += ["**Returns**", "", f"- `{found.return_annotation}`", ""]
    return "\n".join(["", *lines])


def typed(parameter: inspect.Parameter) -> str:
    usual = "" if parameter.default is parameter.empty else f", by default `{parameter.default!r}`"
    return f"`{parameter.annotation}`{usual}"


def prose(doc: str | None) -> str:
    """A docstring as Markdown: its sessions become blocks of code."""
    lines: list[str] = []
    inside = False
    for line in (doc or "").splitlines():
        if line.startswith(">>>") and not inside:
            lines += ["", "```pycon"]
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if inside else lines)


# --- the site ----------------------------------------------------------------------------------------------


def navigation() -> list[tuple[str, list[tuple[str, str]]]]:
    """The tables of the start page: the title of each, and its pages, without links to places in them."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in (ROOT / START).read_text(encoding="utf-8").splitlines():
        if header := re.fullmatch(r"\| (to [^|]+|[^|\[]*your table[^|]*) \| \|", line):
            found.append((header[1][0].upper() + header[1][1:], []))
        elif found and (entry := re.match(r"\| \[([^\]]+)\]\(([^)#]+)\)", line)):
            found[-1][1].append((entry[1], entry[2]))
    return found


def settings() -> str:
    """mkdocs.yml with the navigation: the pages of the tables, the rest by its folder."""
    known = places()
    sections = navigation()
    listed = {path for _, pages in sections for _, path in pages}
    lines = [(ROOT / "mkdocs.yml").read_text(encoding="utf-8").rstrip(), "nav:", "  - index.md"]
    for title, pages in sections:
        own = (
            [
                *pages,
                ("Help of every command", HELP),
                ("Python", PYTHON),
                ("Every measure", measure_pages.INDEX),
            ]
            if title == "To look up"
            else pages
        )
        lines.append(f"  - {quoted(title)}:")
        lines += [f"    - {quoted(name)}: {os.path.normpath(path)}" for name, path in own]
    rest = [place for place in known.values() if place.endswith(".md") and place not in {"index.md", *listed}]
    for title, chosen in (
        ("Decisions", [each for each in rest if each.startswith("decisions/")]),
        ("The project", [each for each in rest if "/" not in each]),
    ):
        lines += [f"  - {quoted(title)}:", *(f"    - {place}" for place in chosen)]
    lost = [each for each in rest if "/" in each and not each.startswith("decisions/")]
    if lost:
        raise SystemExit(f"{START} does not list {', '.join(lost)}")
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    return '"' + text.replace('"', "'") + '"'


class Page(HTMLParser):
    """The targets and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        own = dict(attributes)
        self.anchors |= {value for name in ("id", "name") if (value := own.get(name))}
        target = own.get("href") if tag in ("a", "link") else own.get("src")
        if target is not None:
            self.targets.append(target)
            if tag != "a":
                self.loaded.append(target)


def faults(site: Path) -> Iterator[str]:
    """Links that lead nowhere, and what would be loaded from elsewhere."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        name = path.relative_to(site)
        yield from (f"{name} loads {each}" for each in page.loaded if urlsplit(each).netloc)
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            meant = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            meant = meant / "index.html" if meant.is_dir() else meant
            if not meant.exists():
                yield f"{name} refers to {target}, which does not exist"
            elif parts.fragment and meant in pages and parts.fragment not in pages[meant].anchors:
                yield f"{name} refers to {target}: there is no such heading"


def build() -> None:
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.rmtree(SITE, ignore_errors=True)
    gather()
    SETTINGS.write_text(settings(), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", str(SETTINGS)]
    plain = {**os.environ, "NO_COLOR": "1"}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=plain)
    if ended.returncode:
        raise SystemExit(ended.stdout + ended.stderr)
    found = list(faults(SITE))
    if found:
        raise SystemExit("\n".join(found))
    print(f"site: {len(list(SITE.rglob('*.html')))} pages, every link leads somewhere")


if __name__ == "__main__":
    build()
