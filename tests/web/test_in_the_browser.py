"""The ways that a person takes, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

import paretonym as pn
from tests.web.conftest import TABLES, Server, Tab, serving

Opened = Callable[..., Tab]

ATTACK = "<img src=x onerror=\"document.title='hacked'\">"


@pytest.fixture
def page(tab: Opened, server: Server) -> Any:
    """The page of the run, drawn."""
    opened = tab(server)
    opened.page.wait_for_selector("#shortlist")
    yield opened.page
    assert opened.faults == []
    assert opened.elsewhere(server) == []


def limited(page: Any, measure: str, value: str) -> None:
    page.locator(f".limit:has(#limit-{measure}) input[type=number]").fill(value)
    page.keyboard.press("Tab")


def test_opening_leaves_no_token_in_the_address(page: Any, server: Server) -> None:
    assert page.url.rstrip("/#") == server.origin
    assert page.title() == "paretonym"
    assert "Frontier of" in page.inner_text("main")


def test_what_lies_behind_is_counted_in_words(page: Any, made_run: Path) -> None:
    page.wait_for_selector("#behind:has-text('Grey: ')")
    size = pn.load(made_run).search.size
    assert f"of all {size:,} nodes" in page.inner_text("#behind")


def test_limit_and_answer(page: Any, made_run: Path) -> None:
    limited(page, "loss", "60")
    best = pn.load(made_run).ask(best="k", at_most={"loss": 0.6})
    page.wait_for_selector(f"text=release {best.id} (proven)")
    page.click("#show-answer")
    page.wait_for_selector("#words")
    assert page.inner_text("#words") == str(best.describe())
    within = [s for s in pn.load(made_run) if s["loss"] <= 0.6]
    assert f"{len(within)} releases, page 1 of 1" in page.inner_text("main")
    page.click("text=No limits")
    page.wait_for_selector("#shortlist")


def test_a_slider_does_the_same(page: Any) -> None:
    slider = page.locator("#limit-k")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("PageUp")
    page.wait_for_selector("text=releases satisfy this")
    assert int(slider.input_value()) > 0
    assert page.locator(".limit:has(#limit-k) input[type=number]").input_value() != ""


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
    page.click("#rows summary")
    page.wait_for_selector("#rows tr.before")
    assert page.locator("#rows tr.before").count() == 10
    assert "never written to a file" in page.inner_text("#rows")


def taken(page: Any) -> None:
    """The release made; other tests may have made another one of the same run before."""
    page.click("#take-csv")
    page.wait_for_selector("#audited, #also")
    if page.locator("#also").count():
        page.click("#also")
    page.wait_for_selector("#audited:has-text('checks hold')")


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


def test_upload_decide_run_and_cancel(tab: Opened, start: Callable[..., Server]) -> None:
    """From nothing but a file; the page leads on."""
    server = start()
    opened = tab(server)
    page = opened.page
    page.set_input_files("#file", TABLES / "survey.csv")
    page.wait_for_selector("#verdict:has-text('undecided')", timeout=60_000)
    assert page.locator("#run").is_disabled()
    page.select_option("#column-interview_mode", "other")
    page.select_option("#whole-missing", "value")
    page.wait_for_selector("#verdict:has-text('No problem found')")
    levels = page.locator(".column:has(#column-age) table tr")
    assert levels.count() == 7
    area = page.get_by_label("Hierarchy of age", exact=True)
    area.fill("10, 40")
    page.wait_for_function(
        "() => document.querySelectorAll('.column:has(#column-age) table tr').length === 5"
    )
    page.click("#run")
    page.click("#cancel")
    page.wait_for_selector("#cancelled")
    page.click("#run")
    page.wait_for_selector("#shortlist", timeout=60_000)
    assert "survey.csv (k, loss): Frontier of" in page.inner_text("main")
    page.locator("#shortlist button").first.click()
    page.click("#take-csv")
    page.wait_for_selector("#audited:has-text('checks hold')")
    assert opened.faults == []
    assert opened.elsewhere(server) == []


def field(page: Any, column: str, key: str) -> Any:
    """The boxes of one field of a column."""
    return page.locator(f".column:has(#column-{column}) [data-field={key}]")


def more(page: Any, column: str) -> None:
    """Opened, unless it is: a draft that says more of a column shows it at once."""
    details = page.locator(f".column:has(#column-{column}) details.more")
    if details.get_attribute("open") is None:
        details.locator("summary").click()


@pytest.fixture(scope="module")
def drafting(chromium: Any) -> Iterator[Server]:
    """A server to which the survey was uploaded."""
    server = serving()
    tab = Tab(chromium, server)
    tab.page.set_input_files("#file", TABLES / "survey.csv")
    tab.page.wait_for_selector("#verdict:has-text('undecided')", timeout=60_000)
    tab.context.close()
    yield server
    server.stop()
    server.process.communicate()


@pytest.fixture
def drafted(tab: Opened, drafting: Server) -> Any:
    """Its draft as it was made, with everything decided."""
    opened = tab(drafting)
    page = opened.page
    page.click("#to-start")
    page.select_option("#column-interview_mode", "drop")
    page.select_option("#whole-missing", "value")
    page.wait_for_selector("#verdict:has-text('No problem found')")
    yield page
    expected = "the server responded with a status of 409"
    assert [fault for fault in opened.faults if expected not in fault] == []


def test_more_about_a_column(drafted: Any) -> None:
    """Every field that can be edited: wrong, with the reason beside it, then right."""
    page = drafted
    more(page, "age")
    wrong = {"top": "old", "bottom": "?", "importance": "-1"}
    for key, text in wrong.items():
        field(page, "age", key).locator("input").fill(text)
        page.wait_for_selector(f".column:has(#column-age) [data-field={key}] .wrong:has-text('{key} is')")
        assert page.locator("#run").is_disabled()
    assert field(page, "age", "top").locator("input").get_attribute("aria-invalid") == "true"
    for key, text in {"top": "80", "bottom": "25", "importance": "2.5"}.items():
        field(page, "age", key).locator("input").fill(text)
    page.wait_for_selector(".column:has(#column-age) td:has-text('<25')")
    lowest, highest = field(page, "age", "levels").locator("input").all()
    highest.fill("9")
    page.wait_for_selector("[data-field=levels] .wrong:has-text('levels goes up to 9')")
    highest.fill("")
    lowest.fill("2")
    page.wait_for_selector(".column:has(#column-age) tr.lit-not:has-text('(not used)')")
    page.wait_for_selector("#verdict:has-text('No problem found')")
    assert page.locator(".column:has(#column-age) tr.lit-not").count() == 2
    assert serious(page) == []


def test_an_order_begins_with_the_values(drafted: Any) -> None:
    page = drafted
    more(page, "education")
    page.click(".column:has(#column-education) [data-field=order] button")
    page.wait_for_selector("#verdict:has-text('No problem found')")
    box = field(page, "education", "order").locator("textarea")
    values = box.input_value().split("\n")
    assert "master" in values
    box.fill("\n".join(values[1:]))
    page.wait_for_selector("[data-field=order] .wrong:has-text('without a place in order')")
    box.fill("\n".join([*values[1:], values[0]]))
    page.wait_for_selector("#verdict:has-text('No problem found')")
    # Of a column with more values than may be shown none is offered, and of a sensitive one neither.
    assert page.locator(".column:has(#column-religion) [data-field=order] button").count() == 0
    assert page.locator(".column:has(#column-household_income) [data-field=order] button").count() == 0


def test_nothing_is_lost_by_looking_elsewhere(drafted: Any) -> None:
    page = drafted
    more(page, "age")
    field(page, "age", "importance").locator("input").fill("7")
    page.evaluate("location.hash = '#explore'")
    page.wait_for_function("document.querySelector('h1')")
    page.click("#to-start")
    page.wait_for_selector("#draft .column")
    assert field(page, "age", "importance").locator("input").input_value() == "7"


def test_a_role_that_comes_back_brings_its_fields(drafted: Any) -> None:
    page = drafted
    more(page, "age")
    field(page, "age", "importance").locator("input").fill("3")
    page.select_option("#column-age", "sensitive")
    field(page, "age", "level").locator("input").fill("1")
    page.wait_for_selector("#verdict:has-text('No problem found')")
    assert field(page, "age", "importance").is_hidden()
    page.select_option("#column-age", "quasi")
    page.wait_for_selector("#verdict:has-text('No problem found')")
    assert field(page, "age", "importance").locator("input").input_value() == "3"
    assert field(page, "age", "level").is_hidden()


def test_requirements_and_time(drafted: Any) -> None:
    """Asked as the command does, with its words for what is wrong; then a search that is stopped at once."""
    page = drafted
    page.click("#require")
    page.locator(".requirement input").fill("five")
    page.fill("#time", "soon")
    page.click("#run")
    page.wait_for_selector("#wrong-time:has-text(\"'soon' is not a length of time\")")
    assert "'k=five' is not a number" in page.inner_text("#wrong-required")
    page.locator(".requirement input").fill("5")
    page.fill("#time", "1ms")
    page.click("#run")
    page.wait_for_selector("#shortlist", timeout=60_000)
    said = page.inner_text("main")
    assert "Every release here has k at least 5." in said
    assert re.search(r"Not proven complete: the search was not finished: [\d,]+ nodes are left", said)
    page.locator("#shortlist button").first.click()
    page.wait_for_selector("#rival")
    assert re.search(r"[\d,]+ nodes not looked at might\. At best: k ", page.inner_text("#rival"))
    assert page.locator(".trade-off svg .reach").count() == 1
    assert "--at-least k=5" in page.locator("pre").first.text_content()
    assert serious(page) == []


def test_more_is_required_than_there_is(drafted: Any) -> None:
    page = drafted
    page.click("#require")
    page.locator(".requirement input").fill("801")
    page.click("#run")
    page.wait_for_selector(".trouble:has-text('No release of this table has k>=801')", timeout=60_000)


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The same table with three objectives and with two."""
    folder = tmp_path_factory.mktemp("two")
    study = pn.Study(TABLES / "school.csv", TABLES / "school.toml")
    study.explore("k", "gl", "sl", suppress="5%").save(folder / "three")
    study.explore("k", "gl", suppress="0").save(folder / "two")
    return [folder / "three", folder / "two"]


def test_several_runs_and_many_objectives(
    tab: Opened, start: Callable[..., Server], two_runs: list[Path]
) -> None:
    server = start(*map(str, two_runs))
    opened = tab(server)
    page = opened.page
    page.wait_for_selector("#shortlist")
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


def everything_shown(page: Any, solutions: list[pn.Solution]) -> None:
    """All of these opened and pinned, rows before and after, two side by side."""
    for solution in solutions:
        page.click(f"button[data-release='{solution.id}']")
        page.wait_for_selector(f"#point-title:has-text('{solution.id}')")
        page.wait_for_selector("#take-csv")
        page.click("#pin")
    page.click("#rows summary")
    page.wait_for_selector("#rows tr.before")
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
    pn.Study(folder / "x.csv", schema).explore("k", "loss", suppress="5%").save(folder / "run")
    return folder / "run"


def test_markup_in_data_stays_text(tab: Opened, start: Callable[..., Server], tmp_path: Path) -> None:
    run = hostile(tmp_path)
    server = start(str(run))
    opened = tab(server)
    page = opened.page
    page.wait_for_selector("#shortlist")
    everything_shown(page, list(pn.load(run)))
    assert ATTACK in page.inner_text("#rows")
    page.click("#to-start")
    page.set_input_files("#file", tmp_path / "x.csv")
    page.wait_for_selector("#schema-title", timeout=60_000)
    page.wait_for_selector("#verdict p")
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
    page = opened.page
    page.wait_for_selector("#shortlist")
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


def serious(page: Any) -> list[str]:
    found = json.loads(json.dumps(Axe().run(page).response))
    return [
        f"{v['id']}: {[n['target'] for n in v['nodes']][:5]}"
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
    ]
