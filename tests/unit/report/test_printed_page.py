"""Pages as PDF: complete or not at all, the same bytes again, and nothing in them about this machine."""

from __future__ import annotations

import getpass
import os
import shutil
import stat
import tempfile
from pathlib import Path

import pytest

import paretonym as pn
from paretonym.errors import InputError
from paretonym.report import printed_page
from paretonym.report.printed_page import NAMES, browser, printed

PAGE = '<!DOCTYPE html><html lang="de"><title>Übersicht</title><p>Äquivalenzklasse</p></html>'
needs_chromium = pytest.mark.skipif(
    not any(map(shutil.which, NAMES)), reason="Chromium is not installed (Debian: apt install chromium)"
)


def fake(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is found as the browser."""
    program = folder / "chromium"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


@needs_chromium
def test_a_page_as_pdf() -> None:
    before = set(Path(tempfile.gettempdir()).glob("paretonym-print-*"))
    content = printed(PAGE, "--out")
    assert content.startswith(b"%PDF-")
    assert b"/Creator (paretonym)" in content
    # Chromium writes text outside of streams as UTF-16.
    for secret in (
        tempfile.gettempdir(),
        str(Path.home()),
        getpass.getuser(),
        "file:",
        "HeadlessChrome",
        "Date",
    ):
        for encoding in ("utf-8", "utf-16-be"):
            assert secret == "root" or secret.encode(encoding) not in content, secret
    assert printed(PAGE, "--out") == content
    assert set(Path(tempfile.gettempdir()).glob("paretonym-print-*")) <= before


@needs_chromium
def test_a_report_is_saved_as_pdf(tmp_path: Path) -> None:
    tables = Path(__file__).parents[3] / "examples" / "tables"
    front = pn.Study(tables / "school.csv", tables / "school.toml").explore("k", "loss", suppress="5%")
    path = front.report(front[1].id, "public", language="de").save(tmp_path / "bericht.pdf")
    assert path.read_bytes().startswith(b"%PDF-")
    front.report(front[2].id, language="de").save(path, force=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_bytes(b"%PDF-1.4 of somebody else")
    with pytest.raises(InputError, match="signature"):
        front.report(front[1].id).save(path, force=True)
    assert path.read_bytes() == b"%PDF-1.4 of somebody else"


def test_without_a_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(printed_page, "PLACES", {})
    with pytest.raises(InputError) as refused:
        browser("--out")
    assert str(refused.value) == (
        "--out: a PDF is printed by Chromium, and none was found (looked for chromium, chromium-browser, "
        "google-chrome, google-chrome-stable, chrome, microsoft-edge, msedge); install it (Debian: apt "
        "install chromium), or write a page (.html) and print it from your browser"
    )


HALF = 'for a; do case $a in --print-to-pdf=*) printf "%%PDF-1.4 half" > "${a#*=}";; esac; done'


@pytest.mark.parametrize(
    ("script", "wrong"),
    [
        ("exit 3", "it ended with code 3"),
        ("exit 0", "it wrote no complete PDF"),
        (
            'for a; do case $a in --print-to-pdf=*) printf "%%PDF-1.4 half" > "${a#*=}";; esac; done',
            "complete",
        ),
        ("sleep 60 & sleep 60", "it did not finish within 0.5 seconds"),
    ],
)
def test_a_browser_that_fails(
    script: str, wrong: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake(tmp_path, script, monkeypatch)
    monkeypatch.setattr(printed_page, "SECONDS", 0.5 if "sleep" in script else 60.0)
    with pytest.raises(InputError, match=f"chromium could not print the page: .*{wrong}"):
        printed(PAGE, "--out")


def test_the_browser_has_a_home_of_its_own_and_a_sandbox(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake(tmp_path, f'printf "%s\\n" "$HOME" "$@" > {tmp_path}/said; exit 1', monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(InputError):
        printed(PAGE, "--out")
    home, *arguments = (tmp_path / "said").read_text().splitlines()
    assert "paretonym-print-" in home
    assert "--no-sandbox" not in arguments
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in arguments
    assert any(each.startswith(f"--user-data-dir={home}") for each in arguments)
