"""How soon the explorer answers a person: the first picture on Adult, a slider over 10,000 candidates.

Run: python -m benchmarks.explorer. Needs Chromium. Times are of the browser's own clock, the best of five.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import paretonym as pn

CANDIDATES = 10_000
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
# From the start of the navigation to the moment that the chart has been drawn and put on the screen.
FIRST_PICTURE = """async () => {
  const frame = () => new Promise((go) => requestAnimationFrame(go));
  while (!document.querySelector('.trade-off svg path.axis')) await frame();
  await frame();
  await frame();
  return performance.now();
}"""
# From moving the slider to the next frame, drawn; and to the server's answer.
SLIDER = """async (place) => {
  const slider = document.getElementById('limit-k');
  const begin = performance.now();
  slider.value = place;
  slider.dispatchEvent(new Event('input'));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go, 0)));
  const lit = performance.now() - begin;
  const shown = () => document.getElementById('answer').firstChild;
  const before = shown();
  while (shown() === before) await new Promise((go) => setTimeout(go, 2));
  return [lit, performance.now() - begin];
}"""

# The server's answer alone, with two limits: from asking to having read it.
ASK = """async (bound) => {
  const limits = [
    { measure: 'k', sense: 'at-least', bound },
    { measure: 'loss', sense: 'at-most', bound: 0.9 },
  ];
  const headers = { 'content-type': 'application/json' };
  const begin = performance.now();
  const body = JSON.stringify({ limits, best: 'k' });
  await (await fetch('/api/runs/1/ask', { method: 'POST', headers, body })).json();
  return performance.now() - begin;
}"""


def main() -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        adult, many = Path(folder) / "adult", Path(folder) / "many"
        pn.example("adult").explore("k", "loss", suppress=0.01).save(adult)
        grown(adult, many)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        with served(adult) as url:
            firsts = [opened(browser, url)[1] for _ in range(5)]
        print(f"first picture, Adult: {min(firsts):.0f} ms (all: {', '.join(f'{t:.0f}' for t in firsts)})")
        with served(many) as url:
            page, first = opened(browser, url)
            page.wait_for_selector("#shortlist")
            moves = [page.evaluate(SLIDER, 300 + 60 * n) for n in range(5)]
            page.wait_for_timeout(500)
            asks = [page.evaluate(ASK, 300 + 60 * n) for n in range(5)]
        print(f"first picture, {CANDIDATES:,} candidates: {first:.0f} ms")
        print(f"slider, {CANDIDATES:,} candidates: lit in {min(m[0] for m in moves):.0f} ms", end="")
        print(f" (worst {max(m[0] for m in moves):.0f}), answered in {min(m[1] for m in moves):.0f} ms")
        print(f"the server's answer alone, two limits: {min(asks):.0f} ms (worst {max(asks):.0f})")
        browser.close()


@contextmanager
def served(run: Path) -> Iterator[str]:
    command = [
        sys.executable,
        "-c",
        "from paretonym.interfaces.cli.main import main; main()",
        "serve",
        str(run),
        "--json",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    said = ""
    while process.stdout is not None and not said.rstrip().endswith("}"):
        said += process.stdout.readline()
    try:
        yield json.loads(said)["url"]
    finally:
        process.terminate()
        process.wait()


def opened(browser: Any, url: str) -> tuple[Any, float]:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(url, wait_until="commit")
    return page, page.evaluate(FIRST_PICTURE)


def grown(run: Path, many: Path) -> None:
    """A run with this many made-up solutions: three objectives, so that all of them are on the frontier."""
    shutil.copytree(run, many)
    front = json.loads((many / "frontier.json").read_text())
    front["objectives"] = [*front["objectives"], {"name": "gl", "direction": "min"}]
    kind = front["solutions"][3]
    front["solutions"] = [
        {
            **kind,
            "id": f"{n:06x}",
            "values": {
                "k": 1 + n,
                "loss": n / CANDIDATES,
                "gl": 0.5 + 0.4 * math.sin(n),
                "sl": 0.01,
            },
            "recoding": {**kind["recoding"], "keep": {"k": f">={n + 1}"}},
        }
        for n in range(CANDIDATES)
    ]
    (many / "frontier.json").write_text(json.dumps(front))


if __name__ == "__main__":
    main()
