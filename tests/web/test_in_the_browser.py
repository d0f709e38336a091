"""The ways that a person takes, in a real browser."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import paretonym as pn
from tests.web.conftest import TABLES, Server, Tab, column, drawn, reviewed, serious

Opened = Callable[..., Tab]

ATTACK = "<img src=x onerror=\"document.title='hacked'\">"


@pytest.fixture
def page(tab: Opened, server: Server) -> Any:
    opened = tab(server)
    yield drawn(opened.page)
    assert opened.faults == []
    assert opened.elsewhere(server) == []


def limited(page: Any, measure: str, value: str) -> None:
    page.locator(f".limit:has(#limit-{measure}) input[type=number]").fill(value)
    page.keyboard.press("Tab")


def test_opening_leaves_no_token_in_the_address(page: Any, server: Server) -> None:
    assert page.url.rstrip("/#") == server.origin
    assert page.title() == "paretonym"
    assert "Frontier of" in page.inner_text("main")


def test_limit_and_answer(page: Any, made_run: Path) -> None:
    limited(page, "loss", "60")
    best = pn.load(made_run).ask(best="k", at_most={"loss": 0.6})
    page.wait_for_selector(f"text=release {best.id} (proven among releases with one level per column)")
    page.click("#show-answer")
    page.wait_for_selector("#words")
    assert page.inner_text("#words").replace("\u00a0", " ") == str(best.describe())
    within = [s for s in pn.load(made_run) if s["loss"] <= 0.6]
    assert f"{len(within)} releases, page 1 of 1" in page.inner_text("main")
    page.click("text=No limits")
    page.wait_for_selector("#shortlist")


def test_a_slider_does_the_same(page: Any) -> None:
    slider = page.locator("#limit-k")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("PageUp")
    page.wait_for_selector("text=releases meet these limits")
    assert int(slider.input_value()) > 0
    assert page.locator(".limit:has(#limit-k) input[type=number]").input_value() != ""


def test_what_is_limited_is_not_optimized_unless_chosen(page: Any, made_run: Path) -> None:
    """At least k = 3: of what is left the least loss is asked for, not the most k; a choice stays."""
    limited(page, "k", "3")
    best = pn.load(made_run).ask(best="loss", at_least={"k": 3})
    page.wait_for_selector(f"text=release {best.id} (proven among releases with one level per column)")
    assert page.input_value("#best") == "loss"
    page.select_option("#best", "k")
    most = pn.load(made_run).ask(best="k", at_least={"k": 3})
    page.wait_for_selector(f"text=release {most.id} (proven among releases with one level per column)")
    limited(page, "k", "2")
    assert page.input_value("#best") == "k"


def test_nothing_is_left(page: Any) -> None:
    """Limits that nothing meets: said in words, in the table too, with what comes nearest."""
    limited(page, "loss", "1")
    limited(page, "k", "300")
    page.wait_for_selector(
        "#answer:has-text('No release of this run has loss at most 1 % and k at least 300')"
    )
    page.wait_for_selector("text=No release meets all limits.")
    page.locator("#answer button").first.click()
    page.wait_for_selector("#take-csv")


def test_the_tab_key_goes_as_the_eye_does(page: Any) -> None:
    """Axes, chart, limits, answers, and only then the many buttons of the table."""
    passed = []
    for _ in range(40):
        page.keyboard.press("Tab")
        passed.append(page.evaluate("document.activeElement.closest('section')?.className ?? ''"))
    order = [name for name in dict.fromkeys(passed) if name.startswith("card")]
    assert order[:3] == ["card trade-off", "card limits", "card"]


def test_a_click_picks_the_nearest(page: Any, made_run: Path) -> None:
    """In the middle of the chart, where no point is."""
    page.locator(".trade-off svg[role=img]").first.click()
    page.wait_for_selector("#take-csv")
    name = re.search(r"Release (\w+)", page.inner_text("#point-title"))
    assert name
    assert name[1] in [s.id for s in pn.load(made_run)]


def test_the_keyboard_alone(page: Any) -> None:
    """Along the chart, into the release, pinned, and let go."""
    page.locator(".chart[tabindex='0']").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#take-csv")
    first = page.inner_text("#point-title")
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("old => document.getElementById('point-title').innerText !== old", arg=first)
    page.keyboard.press("p")
    page.wait_for_selector("#pins .differs")
    assert first.removeprefix("Release ") in page.inner_text("#pins")
    page.wait_for_selector("#take-csv")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "point"


def test_pin_two_and_compare(page: Any, made_run: Path) -> None:
    front = pn.load(made_run)
    for solution in (front[3], front[6]):
        page.click(f"button[data-release='{solution.id}']")
        page.wait_for_selector(f"#point-title:has-text('{solution.id}')")
        page.click("#pin")
    page.wait_for_selector("#pins th:has-text('B:')")
    row = page.inner_text("#pins tr:has(th:text-is('k'))")
    assert f"{front[3]['k']:,.0f} (better)" in row
    assert f"{front[6]['k']:,.0f} (worse)" in row


def test_rows_are_shown_when_asked_for(page: Any, made_run: Path) -> None:
    front = pn.load(made_run)
    page.click(f"button[data-release='{front[4].id}']")
    page.wait_for_selector("#take-csv")
    assert page.locator("#rows td").count() == 0
    page.press("#rows summary", "Enter")
    page.wait_for_selector("#rows tbody tr")
    assert page.locator("#rows tbody tr").count() >= 20
    assert "never written to a file" in page.inner_text("#rows")


def taken(page: Any) -> None:
    """The release made; other tests may have made another one of the same run before."""
    page.click("#take-csv")
    page.wait_for_selector(".audited, .also")
    if page.locator(".also").count():
        page.click(".also")
    page.wait_for_selector(".audited:has-text('checks hold')")


def test_download_and_audit(page: Any, made_run: Path, tmp_path: Path) -> None:
    solution = pn.load(made_run)[4]
    page.click(f"button[data-release='{solution.id}']")
    taken(page)
    for link in page.locator("#made a").all():
        with page.expect_download() as waiting:
            link.click()
        waiting.value.save_as(tmp_path / waiting.value.suggested_filename)
    file = next(tmp_path.glob("*.csv"))
    assert pn.audit(file, require=[f"k>={solution['k']:.0f}"]).passed


# Where Python finds it, a job does not begin as long as a file is there.
HELD = """
import os, sys, time
while "--multiprocessing-fork" in sys.orig_argv and os.path.exists({!r}):
    time.sleep(0.05)
"""


def test_upload_decide_run_and_cancel(
    tab: Opened, start: Callable[..., Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From nothing but a file; the page leads on."""
    held = tmp_path / "held"
    (tmp_path / "sitecustomize.py").write_text(HELD.format(str(held)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    server = start()
    opened = tab(server)
    page = opened.page
    # There is none to choose yet, so the start stays; the first search leads there all the same.
    page.click("#to-explore")
    page.set_input_files("#file", TABLES / "survey.csv")
    page.wait_for_selector("#verdict:has-text('undecided')")
    assert page.locator("#run").is_disabled()
    page.select_option("#column-interview_mode", "other")
    page.select_option("#whole-missing", "value")
    # How incomes are published is a choice of its own, the better one first.
    page.wait_for_selector("div.undecided li:has-text('household_income')")
    asked = page.locator("tr[data-column=household_income] .why button")
    assert asked.all_inner_texts() == ["Publish intervals", "Publish exact numbers"]
    asked.first.click()
    page.wait_for_selector("#verdict:has-text('The schema fits the table')")
    assert page.locator(".undecided:visible").count() == 0
    levels = column(page, "age").locator("table tr")
    page.wait_for_selector(".column[data-column=age] table")
    assert levels.count() == 7
    area = page.get_by_label("Hierarchy of age", exact=True)
    area.fill("10, 40")
    page.wait_for_function(
        "() => document.querySelectorAll('.column[data-column=age] table tr').length === 5"
    )
    held.touch()
    page.click("#run")
    page.click("#cancel")
    page.wait_for_selector("#cancelled")
    held.unlink()
    page.click("#run")
    drawn(opened.page)
    assert "survey.csv (k, loss): Frontier of" in page.inner_text("main")
    page.locator("#shortlist button").first.click()
    page.click("#take-csv")
    page.wait_for_selector(".audited:has-text('checks hold')")
    # Then another file, of the other kind.
    pyarrow.parquet.write_table(pyarrow.table({"age": [30, 40] * 50}), tmp_path / "people.parquet")
    page.click("#to-start")
    page.set_input_files("#file", tmp_path / "people.parquet")
    page.wait_for_selector("#schema-title:has-text('people.parquet: 100 rows')")
    column(page, "age")
    page.wait_for_selector(".column[data-column=age] table")
    page.wait_for_selector("#verdict:has-text('No problem found.')")
    assert opened.faults == []
    assert opened.elsewhere(server) == []


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The same table with three objectives and with two."""
    folder = tmp_path_factory.mktemp("two")
    study = pn.Study(TABLES / "school.csv", TABLES / "school.toml")
    study.explore("k", "gl", "sl", suppress="5%", space="lattice").save(folder / "three")
    study.explore("k", "gl", suppress="0", space="lattice").save(folder / "two")
    return [folder / "three", folder / "two"]


LOCAL = {"space": "local", "suppress": "5%", "evaluations": 40}
IMPROVED = {"space": "mondrian", "search": "improve", "sweep": "k=5,20"}


@pytest.mark.parametrize("options", [LOCAL, IMPROVED])
def test_rows_of_mixed_levels_and_of_parts(
    tab: Opened, start: Callable[..., Server], tmp_path: Path, options: dict[str, Any]
) -> None:
    """A release of local recoding, and one of an improved partition: rows before and after, and the file."""
    study = pn.Study(TABLES / "school.csv", TABLES / "school.toml")
    front = study.explore("k", "loss", **{"space": "lattice", **options})
    front.save(tmp_path / "run")
    solution = front[len(front) // 2]
    opened = tab(start(str(tmp_path / "run")))
    page = drawn(opened.page)
    page.click(f"button[data-release='{solution.id}']")
    page.wait_for_selector("#words")
    assert page.inner_text("#words").replace("\u00a0", " ") == str(solution.describe())
    page.press("#rows summary", "Enter")
    page.wait_for_selector("#rows tbody tr")
    taken(page)
    assert opened.faults == []


def test_several_runs_and_many_objectives(
    tab: Opened, start: Callable[..., Server], two_runs: list[Path]
) -> None:
    server = start(*map(str, two_runs))
    opened = tab(server)
    page = drawn(opened.page)
    counts = [len(pn.load(run)) for run in two_runs]
    assert f"{sum(counts)} releases, page 1" in page.inner_text(".pages")
    # A stretch of the first axis is brushed, and let go again.
    handle = page.locator(".beside .handle").first
    handle.scroll_into_view_if_needed()
    axis = handle.bounding_box()
    x, y = axis["x"] + axis["width"] / 2, axis["y"]
    page.mouse.move(x, y + axis["height"] * 0.1)
    page.mouse.down()
    page.mouse.move(x, y + axis["height"] * 0.5, steps=4)
    page.mouse.up()
    page.wait_for_selector(".beside .brush")
    page.wait_for_selector(f".pages:not(:has-text('{sum(counts)} releases'))")
    page.mouse.click(x, y + axis["height"] * 0.9)
    page.wait_for_selector(f".pages:has-text('{sum(counts)} releases')")
    # One of the runs is left out.
    page.locator("main .row input[type=checkbox]").nth(1).click()
    page.wait_for_selector(f".pages:has-text('{counts[0]} releases')")
    page.select_option("#across", "sl")
    page.locator(".trade-off svg[role=img]").first.click()
    page.wait_for_selector("#take-csv")
    assert opened.faults == []


# Whether a canvas shows anything at all.
DRAWN = """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
    .data.some((value) => value > 0)"""


def test_runs_with_different_objectives(tab: Opened, start: Callable[..., Server], tmp_path: Path) -> None:
    """Each run has lines between the axes that it measured, also when a release is selected."""
    study = pn.Study(TABLES / "school.csv", TABLES / "school.toml")
    study.explore("k", "l", "loss", suppress="5%", space="lattice").save(tmp_path / "with-l")
    study.explore("k", "uniques", "loss", suppress="5%", space="lattice").save(tmp_path / "without-l")
    opened = tab(start(str(tmp_path / "with-l"), str(tmp_path / "without-l")))
    page = opened.page
    page.wait_for_selector("#shortlist")
    page.locator("#shortlist button").first.click()
    page.wait_for_selector("#take-csv")
    page.locator(".beside").scroll_into_view_if_needed()
    assert page.locator(".beside .name").all_text_contents() == ["k", "l", "loss", "uniques"]
    assert page.locator(".beside canvas").evaluate(DRAWN)
    assert opened.faults == []


def everything_shown(page: Any, solutions: list[pn.Solution]) -> None:
    """All of these opened and pinned, rows before and after, two side by side."""
    for solution in solutions:
        page.click(f"button[data-release='{solution.id}']")
        page.wait_for_selector(f"#point-title:has-text('{solution.id}')")
        page.wait_for_selector("#take-csv")
        page.click("#pin")
    page.press("#rows summary", "Enter")
    page.wait_for_selector("#rows tbody tr")
    page.wait_for_selector("#pins th:has-text('B:')")


def hostile(folder: Path) -> Path:
    """A run whose column names, values and labels are markup."""
    names = [f"a{ATTACK}", "b</script><script>document.title='hacked'</script>"]
    rows = [f'"{ATTACK.replace(chr(34), chr(34) * 2)} {i % 3}","<b>{i % 4}</b>"' for i in range(60)]
    heading = ",".join(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in names)
    (folder / "x.csv").write_text("\n".join([heading, *rows]) + "\n")
    tree = {f"<svg onload=alert(1)>{ATTACK}": [f"{ATTACK} 0", f"{ATTACK} 1"], "z": [f"{ATTACK} 2"]}
    schema = {
        "columns": {
            names[0]: {"role": "quasi", "hierarchy": {"tree": tree}},
            names[1]: {"role": "quasi", "hierarchy": {"flat": True}},
        }
    }
    pn.Study(folder / "x.csv", schema).explore("k", "loss", suppress="5%", space="lattice").save(
        folder / "run"
    )
    return folder / "run"


def test_markup_in_data_stays_text(tab: Opened, start: Callable[..., Server], tmp_path: Path) -> None:
    run = hostile(tmp_path)
    server = start(str(run))
    opened = tab(server)
    page = drawn(opened.page)
    everything_shown(page, list(pn.load(run).solutions))
    assert ATTACK in page.inner_text("#rows")
    page.click("#to-start")
    page.set_input_files("#file", tmp_path / "x.csv")
    reviewed(page)
    assert ATTACK in page.inner_text("#draft")
    assert page.title() == "paretonym"
    assert page.locator("main img, main script, main b").count() == 0
    assert opened.faults == []
    assert opened.elsewhere(server) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_everybody_can_use_it(tab: Opened, server: Server, made_run: Path, scheme: str, width: int) -> None:
    """No serious finding of axe, nothing wider than the screen."""
    opened = tab(server, viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = drawn(opened.page)
    limited(page, "loss", "70")
    front = pn.load(made_run)
    everything_shown(page, [s for s in front if s["loss"] <= 0.7][:2])
    taken(page)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#to-start")
    page.wait_for_selector("#file")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
