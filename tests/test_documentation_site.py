"""The documentation as a site: it can be built, links lead somewhere, nothing is loaded from elsewhere."""

from __future__ import annotations

import html
import inspect
import re
from pathlib import Path

import pytest

import paretonym as pn
from paretonym.engine.measures.registry import MEASURES
from scripts import build_docs


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("zensical", reason="the site needs zensical: make setup installs it")
    folder = tmp_path_factory.mktemp("build")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build_docs, "PAGES", folder / "docs")
        patch.setattr(build_docs, "SITE", folder / "site")
        patch.setattr(build_docs, "SETTINGS", folder / "mkdocs.yml")
        build_docs.build()
    return folder / "site"


def test_it_is_built_without_faults(site: Path) -> None:
    """Building fails on any fault."""
    assert (site / "index.html").exists()
    python = (site / "reference/python.html").read_text(encoding="utf-8")
    assert "Run.ask" in python
    assert "--at-most" in (site / "reference/help.html").read_text(encoding="utf-8")


def test_every_measure_has_its_page_with_a_value(site: Path) -> None:
    for name, card in MEASURES.items():
        page = (site / f"reference/measures/{name}.html").read_text(encoding="utf-8")
        assert "its value is <strong>" in page, name
        assert "none here" not in page, f"{name} has no value in the example of scripts/measure_pages.py"
        assert html.escape(card.reference, quote=False) in page, name


def test_every_public_name_is_in_the_reference_with_its_types(site: Path) -> None:
    """Parameters and what comes back, of functions and methods, as NumPy's documentation shows them."""
    text = (site.parent / "docs" / build_docs.PYTHON).read_text(encoding="utf-8")
    sections = dict(re.findall(r"^#+ `([\w.]+)`\n(.*?)(?=^#+ `|\Z)", text, re.MULTILINE | re.DOTALL))
    for name in pn.__all__:
        if name != "__version__":
            thing, section = getattr(pn, name), sections[f"pn.{name}"]
            check_types(name, thing, section)
            if inspect.isclass(thing) and not issubclass(thing, BaseException):
                for member, value in build_docs.public_members(thing):
                    check_types(f"{name}.{member}", value, sections[f"{name}.{member}"])
    assert {"Run.ask", "Run.floor", "Study.explore", "Solution.release", "Schema.toml"} <= set(sections)


def check_types(name: str, thing: object, section: str) -> None:
    if inspect.isfunction(thing):
        found = inspect.signature(thing)
        for parameter in found.parameters.values():
            if parameter.name not in ("self", "cls"):
                assert f"{parameter.name}`: `{parameter.annotation}`" in section, name
        assert found.return_annotation == "None" or f"- `{found.return_annotation}`" in section, name


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ('<a href="nowhere.html">x</a>', "extra.html refers to nowhere.html, which does not exist"),
        ('<a href="index.html#no">x</a>', "extra.html refers to index.html#no: there is no such heading"),
        ('<img src="https://elsewhere.example/x.png">', "extra.html loads https://elsewhere.example/x.png"),
    ],
)
def test_faults_are_found(tmp_path: Path, part: str, fault: str) -> None:
    (tmp_path / "index.html").write_text("<h1 id='yes'>x</h1>")
    (tmp_path / "extra.html").write_text(f"<a href='index.html#yes'>x</a>{part}")
    assert list(build_docs.faults(tmp_path)) == [fault]


def test_a_page_that_refers_outside_the_site_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/page.md").write_text("[x](../secret.txt)")
    monkeypatch.setattr(build_docs, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match=r"refers to \.\./secret\.txt, which is not part of the site"):
        build_docs.with_links("docs/page.md", {"docs/page.md": "page.md"})
