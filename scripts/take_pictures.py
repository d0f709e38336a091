"""The pictures of the explorer in docs/pictures, taken from the example: python scripts/take_pictures.py.

Needs Chromium. Every picture shows the same moment: a limit was set, its answer opened.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import paretonym as pn
from paretonym.source.example_data import example_path, write_adult_csv

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
# Name, width, height, colours.
PICTURES = (
    ("explorer", 1440, 1000, "light"),
    ("explorer-dark", 1440, 1000, "dark"),
    ("explorer-phone", 390, 1000, "light"),
    ("explorer-phone-dark", 390, 1000, "dark"),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "adult"
        folder.mkdir()
        write_adult_csv(folder / "adult.csv")
        study = pn.Study(folder / "adult.csv", example_path("adult.toml"))
        study.explore("k", "loss", suppress=0.01).save(folder / "run")
        program = "from paretonym.cli.main import main; main()"
        command = [sys.executable, "-c", program, "serve", str(folder / "run"), "--json"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            take(json.loads(_document(server)))
        finally:
            server.terminate()
            server.wait()


def _document(server: subprocess.Popen[str]) -> str:
    said = ""
    while server.stdout is not None and not said.rstrip().endswith("}"):
        said += server.stdout.readline()
    return said


def take(served: dict[str, Any]) -> None:
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, width, height, scheme in PICTURES:
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(served["url"])
            page.locator(".limit:has(#limit-loss) input[type=number]").fill("40")
            page.keyboard.press("Tab")
            page.click("#show-answer")
            page.wait_for_selector("#take-csv")
            # What lies behind the frontier comes a little later.
            page.wait_for_timeout(4000)
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=FOLDER / f"{name}.png")
            print(name, (FOLDER / f"{name}.png").stat().st_size)
        browser.close()


if __name__ == "__main__":
    main()
