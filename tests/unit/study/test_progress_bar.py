"""A bar in a notebook, for searches that take a while; nothing anywhere else."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from paretonym.base.budget import silent
from paretonym.study import progress_bar
from paretonym.study.progress_bar import ProgressBar, in_notebook, shown_progress


class Notebook:
    """What IPython offers, as far as a bar needs it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kernel: object = "kernel") -> None:
        self.shown: list[str] = []
        shell = SimpleNamespace(kernel=kernel)
        page = SimpleNamespace(display=self.display, HTML=SimpleNamespace)
        page.HTML = lambda text: SimpleNamespace(_repr_html_=lambda: text)
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
        monkeypatch.setitem(sys.modules, "IPython.display", page)
        monkeypatch.setattr(progress_bar, "SOON", 0.0)
        monkeypatch.setattr(progress_bar, "PAUSE", 0.0)

    def display(self, shown: ProgressBar, display_id: bool) -> Notebook:
        assert display_id
        self.update(shown)
        return self

    def update(self, shown: ProgressBar) -> None:
        self.shown.append(shown._repr_html_())


def test_nothing_is_shown_in_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert not in_notebook()
    with shown_progress(None) as told:
        assert told is silent
    assert capsys.readouterr() == ("", "")


def test_a_notebook_shows_a_bar_that_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Notebook(monkeypatch)
    with shown_progress(None) as told:
        told(250, 1000)
        told(1000, 1000)
    assert page.shown == [
        '<progress value="0.250" max="1" aria-label="progress"></progress> 250 of 1,000 (25%)',
        '<progress value="1.000" max="1" aria-label="progress"></progress> 1,000 of 1,000 (100%)',
        "",
    ]


def test_the_bar_goes_when_a_search_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Notebook(monkeypatch)

    def stopped() -> None:
        with shown_progress(None) as told:
            told(1, 3)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert page.shown[-1] == ""


def test_an_explored_table_tells_the_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas

    import paretonym as pn

    page = Notebook(monkeypatch)
    table = pandas.DataFrame({"age": [str(20 + i % 7) for i in range(40)]})
    study = pn.Study(table, {"columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}}}})
    study.explore("k", "loss", search="exhaustive")
    assert "(100%)" in page.shown[-2]
    page.shown.clear()
    study.explore("k", "loss", progress=lambda done, total: None, space="lattice")
    assert page.shown == []


def test_a_terminal_of_ipython_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    Notebook(monkeypatch, kernel=None)
    assert not in_notebook()


def test_a_short_search_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Notebook(monkeypatch)
    monkeypatch.setattr(progress_bar, "SOON", 60.0)
    with shown_progress(None) as told:
        told(1, 3)
    assert page.shown == []
