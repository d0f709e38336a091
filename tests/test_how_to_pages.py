"""Pages that show commands: these are run in order, changes are made, and what is shown is what comes out.

`console` holds commands; `text` lines of what the last one said, `…` for lines left out; `diff` a change of
the schema; `toml` a part of it; `json` keys of the saved frontier; `python` a session as in a docstring.
"""

from __future__ import annotations

import doctest
import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paretonym.interfaces.cli.commands import STEPS, command
from paretonym.interfaces.cli.main import run
from tests.spark_session import NEEDS_JAVA, ONE_SPARK, spark

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "examples" / "tables"
PAGES = {
    "README.md": "survey",
    "docs/tutorial.md": "payroll",
    "docs/how-to/describe-your-table.md": "hospital",
    "docs/how-to/survey.md": "survey",
    "docs/how-to/explore-a-table.md": "school",
    "docs/how-to/larger-than-memory.md": "school",
    "docs/how-to/table-in-spark.md": "school",
    "docs/how-to/table-in-a-database.md": "school",
    "docs/how-to/compare-methods.md": "hospital",
    "docs/how-to/cut-anywhere.md": "school",
    "docs/how-to/which-k.md": "school",
    "docs/how-to/in-a-notebook.md": "school",
    "docs/how-to/from-an-excel-workbook.md": "school",
    "docs/how-to/what-analysts-can-do.md": "school",
    "docs/how-to/convince-the-data-protection-officer.md": "school",
    "docs/how-to/report-in-german.md": "school",
    "docs/how-to/does-my-finding-survive.md": "school",
    "docs/how-to/permit-in-an-hour.md": "hospital",
    "docs/how-to/add-a-language.md": "school",
    "docs/how-to/publish-a-release.md": "school",
    "docs/how-to/add-new-rows.md": "school",
    "docs/how-to/several-rows-per-patient.md": "school",
    "docs/how-to/check-a-release.md": "school",
    "docs/how-to/reproduce-the-papers.md": "school",
    "docs/explanation/what-the-lattice-papers-teach.md": "school",
    "docs/how-to/attack-a-release.md": "school",
    "docs/explanation/how-the-frontier-is-found.md": "school",
    "docs/explanation/how-far-from-optimal.md": "survey",
    "docs/explanation/local-recoding.md": "survey",
    "docs/explanation/which-space-loses-least.md": "survey",
    "docs/explanation/what-the-measures-say.md": "school",
    "docs/reference/run-folder.md": "school",
}
DOCUMENTS = sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/**/*.md"))
ALL_PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", *DOCUMENTS)
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(page: str, *kinds: str) -> Iterator[tuple[str, str]]:
    for kind, content in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        if kind in kinds:
            yield kind, content


class Reader:
    """Somebody who does what a page says, in an empty folder with one example table."""

    def __init__(
        self, table: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.schema = Path(f"{table}.toml")
        self.monkeypatch, self.capsys = monkeypatch, capsys
        self.said = ""

    def console(self, content: str) -> None:
        for line in content.splitlines():
            assert self.run(line) == 0, line
        caught = self.capsys.readouterr()
        self.said = caught.out + caught.err

    def run(self, line: str) -> int:
        self.monkeypatch.setattr(sys, "argv", shlex.split(line))
        return run()

    def text(self, content: str) -> None:
        missing = [line for line in content.splitlines() if line != "…" and line not in self.said]
        assert missing == [], self.said

    def toml(self, content: str) -> None:
        assert content in self.schema.read_text(encoding="utf-8")

    def diff(self, content: str) -> None:
        """The lines that begin with a minus are replaced by those that begin with a plus."""
        lines = content.splitlines()
        before, after = (
            "".join(f"\n{line[1:]}" for line in lines if line[0] == sign) + "\n" for sign in "-+"
        )
        text = self.schema.read_text(encoding="utf-8")
        assert before in text
        self.schema.write_text(text.replace(before, after, 1), encoding="utf-8")

    def json(self, content: str) -> None:
        saved = json.loads(Path("run/frontier.json").read_text(encoding="utf-8"))
        assert _fits(json.loads(content), saved), content

    def python(self, content: str) -> None:
        test = doctest.DocTestParser().get_doctest(content, {}, "page", None, 0)
        assert test.examples
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
        assert runner.run(test).failed == 0, self.capsys.readouterr().out


def _fits(shown: Any, saved: Any) -> bool:
    """Whether all that is shown is there; a list is shown by its first entries."""
    if isinstance(shown, dict):
        return isinstance(saved, dict) and all(k in saved and _fits(v, saved[k]) for k, v in shown.items())
    if isinstance(shown, list):
        return isinstance(saved, list) and all(map(_fits, shown, saved[: len(shown)]))
    return bool(shown == saved)


IN_SPARK = "docs/how-to/table-in-spark.md"
SHOWN = [pytest.param(page, marks=[NEEDS_JAVA, ONE_SPARK] if page == IN_SPARK else []) for page in PAGES]


@pytest.mark.parametrize("page", SHOWN)
def test_what_a_page_shows_is_what_happens(
    page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    if page == IN_SPARK:
        spark()
    table = PAGES[page]
    shutil.copy(TABLES / f"{table}.csv", tmp_path)
    if not any("paretonym init" in content for _, content in blocks(page, "console")):
        shutil.copy(TABLES / f"{table}.toml", tmp_path)
    reader = Reader(table, monkeypatch, capsys)
    for kind, content in blocks(page, "console", "text", "toml", "diff", "json", "python"):
        getattr(reader, kind)(content)


@pytest.mark.parametrize("page", ALL_PAGES)
def test_the_links_of_a_page_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert ((ROOT / page).parent / link).exists(), link


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in ROOT.glob("docs/*/*.md"):
        name = page.relative_to(ROOT / "docs").as_posix()
        assert f"]({name})" in index or "decisions/" in name, name


def test_the_readme_names_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    shown = "".join(content for _, content in blocks("README.md", "sh"))
    named = re.findall(r"^make (\w+)", shown, re.MULTILINE)
    assert named == ["demo", "test"]
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in named)


def _options() -> Iterator[tuple[str, str]]:
    for name in STEPS:
        for parameter in command(name).params:
            yield from ((name, option) for option in parameter.opts if option.startswith("--"))


def test_the_page_of_commands_has_every_option_and_no_other() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    shared = set(re.findall(r"^\| `(--[a-z-]+)", page.split("\n## ")[1], re.MULTILINE))
    told = {section.split("\n", 1)[0]: section for section in page.split("\n## ")[2:]}
    for name, section in ((n, told[f"`{n}`"]) for n in dict.fromkeys(name for name, _ in _options())):
        own = set(re.findall(r"^\| `(--[a-z-]+)", section, re.MULTILINE))
        there = {option for owner, option in _options() if owner == name} - {"--help"}
        assert own <= there, name
        assert there - own <= shared, name
