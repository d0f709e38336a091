"""Pages as PDF: the same bytes again, nothing in them about this machine, and nothing from elsewhere."""

from __future__ import annotations

import getpass
import stat
import sys
import tempfile
from pathlib import Path

import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.report import printed

TABLES = Path(__file__).parents[3] / "examples" / "tables"
PAGE = '<!DOCTYPE html><html lang="de"><title>Übersicht</title><p>Äquivalenzklasse</p></html>'


def test_a_page_as_pdf() -> None:
    content = printed(PAGE, "--out")
    assert content.startswith(b"%PDF-")
    for secret in (tempfile.gettempdir(), str(Path.home()), getpass.getuser(), "file:", "Date"):
        for encoding in ("utf-8", "utf-16-be"):
            assert secret == "root" or secret.encode(encoding) not in content, secret
    assert printed(PAGE, "--out") == content


def test_nothing_is_fetched(tmp_path: Path) -> None:
    """A picture on this machine is left out, as if it were not there."""
    picture = tmp_path / "x.svg"
    picture.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9"/></svg>'
    )
    with_picture = PAGE.replace("<p>", f'<img src="{picture.as_uri()}"><p>')
    absent = PAGE.replace("<p>", f'<img src="{(tmp_path / "none.svg").as_uri()}"><p>')
    assert printed(with_picture, "--out") == printed(absent, "--out")


def test_a_report_is_saved_as_pdf(tmp_path: Path) -> None:
    front = pn.Study(TABLES / "school.csv", TABLES / "school.toml").explore(
        "k", "loss", suppress="5%", space="lattice"
    )
    path = front.report(front[1].id, "public", language="de").save(tmp_path / "bericht.pdf")
    assert path.read_bytes().startswith(b"%PDF-")
    front.report(front[2].id, language="de").save(path, force=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_weasyprint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(InputError) as refused:
        printed(PAGE, "--out")
    assert str(refused.value) == (
        "--out: a PDF needs WeasyPrint, which is not installed; install it with: pip install "
        "'paretonym[pdf]', or write the page as HTML and print it from your browser"
    )


def test_without_pango(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """WeasyPrint refuses to be imported where its libraries are missing."""
    (tmp_path / "weasyprint.py").write_text("raise OSError('cannot load library')")
    monkeypatch.delitem(sys.modules, "weasyprint", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        InputError, match=r"WeasyPrint does not find Pango.*libpango-1.0-0.*print it from your"
    ):
        printed(PAGE, "--out")
