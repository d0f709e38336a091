"""The pictures in docs/pictures: python scripts/take_pictures.py.

Needs Chromium. Every picture of the explorer shows the same moment: a limit was set, its answer opened. Those
of the tutorial are taken after doing what its page says, so that they show the same releases.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import paretonym as pn
from paretonym.tables.source.example_data import example_path, write_adult_csv

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
TUTORIAL = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(console|diff)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
PARETONYM = [sys.executable, "-m", "paretonym"]
# Name, width, height, colours.
PICTURES = (
    ("explorer", 1440, 1000, "light"),
    ("explorer-dark", 1440, 1000, "dark"),
    ("explorer-phone", 390, 1000, "light"),
    ("explorer-phone-dark", 390, 1000, "dark"),
)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, browser() as opened:
        os.environ["PARETONYM_STATE"] = str(Path(name) / "state")
        tasks = {"survey": take_columns, "payroll": take_tutorial, "adult": take_census}
        for title, task in tasks.items():
            folder = Path(name) / title
            folder.mkdir()
            task(opened, folder)


@contextmanager
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield opened
        opened.close()


@contextmanager
def served(*runs: Path) -> Iterator[str]:
    """The address of the explorer of a run, or of none."""
    command = [*PARETONYM, "serve", *map(str, runs), "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        said = ""
        while server.stdout is not None and not said.rstrip().endswith("}"):
            said += server.stdout.readline()
        yield json.loads(said)["url"]
    finally:
        server.terminate()
        server.wait()


def take_census(opened: Any, folder: Path) -> None:
    write_adult_csv(folder / "adult.csv")
    study = pn.Study(folder / "adult.csv", example_path("adult.toml"))
    study.explore("k", "loss").save(folder / "run")
    with served(folder / "run") as url:
        for name, width, height, scheme in PICTURES:
            page = opened.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto(url)
            answer(page, "loss", "40")
            shoot(page, name)


def take_columns(opened: Any, folder: Path) -> None:
    """All columns of a drafted schema, some of them selected by a pattern, one of them open."""
    with served() as url:
        page = opened.new_page(viewport={"width": 1440, "height": 1000})
        page.goto(url)
        page.set_input_files("#file", ROOT / "examples" / "tables" / "survey.csv")
        page.wait_for_selector("#verdict p", timeout=120_000)
        page.fill("#pick", "*_id, interview_*")
        page.click("tr[data-column=age] th button")
        page.wait_for_selector(".column table")
        page.evaluate("document.querySelector('.bulk').scrollIntoView()")
        shoot(page, "explorer-columns")


def take_tutorial(opened: Any, folder: Path) -> None:
    """Do what the page says, then look at the run and at the report."""
    shutil.copy(ROOT / "examples" / "tables" / "payroll.csv", folder)
    for kind, content in BLOCK.findall(TUTORIAL.read_text(encoding="utf-8")):
        if kind == "diff":
            change(folder / "payroll.toml", content)
        else:
            for line in content.splitlines():
                subprocess.run([*PARETONYM, *shlex.split(line)[1:], "--quiet"], cwd=folder, check=True)
    with served(folder / "run") as url:
        page = opened.new_page(viewport={"width": 1440, "height": 900})
        page.goto(url)
        answer(page, "k", "5")
        shoot(page, "tutorial-explorer")
    page = opened.new_page(viewport={"width": 1000, "height": 900})
    page.goto((folder / "report.html").as_uri())
    page.evaluate(
        "[...document.querySelectorAll('h2')].find((h) => h.innerText == 'The frontier').scrollIntoView()"
    )
    shoot(page, "tutorial-report")


def change(schema: Path, content: str) -> None:
    """Replace the lines that begin with a minus by those that begin with a plus."""
    lines = content.splitlines()
    before, after = ("".join(f"\n{line[1:]}" for line in lines if line[0] == sign) for sign in "-+")
    schema.write_text(schema.read_text(encoding="utf-8").replace(before, after, 1), encoding="utf-8")


def answer(page: Any, measure: str, limit: str) -> None:
    """Set a limit, and open the release that answers it."""
    page.locator(f".limit:has(#limit-{measure}) input[type=number]").fill(limit)
    page.keyboard.press("Tab")
    page.click("#show-answer")
    page.wait_for_selector("#take-csv")
    # What lies behind the frontier comes a little later.
    page.wait_for_timeout(4000)
    page.evaluate("scrollTo(0, 0)")


def shoot(page: Any, name: str) -> None:
    path = FOLDER / f"{name}.png"
    page.screenshot(path=path)
    print(name, path.stat().st_size)


if __name__ == "__main__":
    main()
