"""Reports: everything is escaped, nothing comes from elsewhere, the public one says nothing below its k."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from random import Random
from typing import Any

import pyarrow
import pytest

from paretonym.base.errors import InputError
from paretonym.engine.frontier.queries.query import Question
from paretonym.report.pages.officer_report import officer_page
from paretonym.report.pages.public_report import public_page
from paretonym.report.report_facts import Story, tell
from paretonym.research.exams.random_tables import random_table
from paretonym.study import SpaceName
from paretonym.study.explored_run import Run
from paretonym.study.study import Study

EVIL = "<script>alert(1)</script>"
SECRET = "Zyxomatosis"


def people(rows: int = 300, seed: int = 1) -> Study:
    """Made-up people with rare ages, a missing sex here and there, and names that are no good for a page."""
    draw = Random(seed)
    columns = {
        "name": [f"Person {i}" for i in range(rows)],
        EVIL: [str(draw.choice([23, 23, 31, 31, 47, 58, 58, 90 + i % 5])) for i in range(rows)],
        "sex": [draw.choice("fm") if i % 97 else "" for i in range(rows)],
        "region": [draw.choice(["N", "N", "S", "S", "E"]) for _ in range(rows)],
        "illness": [draw.choice(["flu", "none", SECRET]) for _ in range(rows)],
    }
    tree = {'"><img src=x onerror=alert(1)>': ["N", "S"], "&amp;": ["E"]}
    schema = {
        "missing": "drop",
        "columns": {
            "name": {"role": "identifier"},
            EVIL: {"role": "quasi", "hierarchy": {"intervals": [10, 50]}},
            "sex": {"role": "quasi", "hierarchy": {"flat": True}},
            "region": {"role": "quasi", "hierarchy": {"tree": tree}},
            "illness": {"role": "sensitive"},
        },
    }
    return Study(pyarrow.table(columns), schema)


@pytest.fixture(scope="module")
def front() -> Run:
    return people().explore("k", "loss", space="lattice")


class Reader(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._inside.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        self._inside.append("")

    def handle_data(self, data: str) -> None:
        if self._inside[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).replace("\u00a0", " ").split())


def pages(story: Story) -> list[str]:
    return [officer_page(story), *([public_page(story, story.chosen)] if story.chosen else [])]


def test_names_and_labels_cannot_break_out(front: Run) -> None:
    story = tell(front, front.data, front[2].id)
    for page in pages(story):
        reader = Reader(page)
        assert not {"script", "img", "iframe", "link", "object"} & set(reader.tags)
        assert not [name for name, _ in reader.attributes if name.startswith("on")]
        assert EVIL in reader.text


def test_nothing_comes_from_elsewhere(front: Run) -> None:
    for page in pages(tell(front, front.data, front[2].id)):
        links = [v for name, v in Reader(page).attributes if name in ("src", "href", "xlink:href")]
        assert all(link.startswith(("#", "data:image/png;base64,")) for link in links)
        assert "url(http" not in page
        assert "@import" not in page
        assert len(page) < 300_000


def test_the_officers_page_has_every_part(front: Run) -> None:
    solution = front.ask(best="k", at_most={"loss": 0.4})
    story = tell(front, front.data, None, Question.of(at_most={"loss": 0.4}, best="k"))
    text = Reader(officer_page(story)).text
    for title in (
        "Confidential", "The question", "The data", "Where the risk comes from", "The frontier",
        "Worth a look", "The chosen release",
        "Published thresholds", "What relaxing a limit would give", "What it protects against, and what not",
        "Singling out", "Linking", "Inference", "Method and versions", "Glossary", "Decision",
    ):  # fmt: skip
        assert title in text
    assert f"Chosen: release {solution.id}" in text
    assert f"{front.table.rows:,}" in text
    assert "With loss at most 40 %, the best k is" in text
    assert "journalist risk is assumed to be the same" in text
    assert "El Emam 2013" in text
    assert "Opinion 05/2014" in text
    for choice in story.shortlist:
        assert choice.solution.id in text


def test_only_the_officer_sees_where_the_risk_comes_from(front: Run) -> None:
    """What describes the table itself is confidential: none of it is on the public page."""
    story = tell(front, front.data, front[2].id)
    assert front.data is not None
    found = front.data.table_risk()
    text, public = (Reader(page).text for page in pages(story))
    assert f"before any release. {found}" in text
    assert "Quasi-identifiers, the riskiest first" in text
    for column in found.columns:
        assert f"{column.name} {column.values:,} {column.alone:,}" in text
    for words in ("Where the risk comes from", "unique alone", "unique without it", "share of score"):
        assert words in text
        assert words not in public


def test_only_a_proven_frontier_has_a_better_side_without_releases(front: Run) -> None:
    claim = "None of the releases with one level per column lies on the better side of the line."
    assert claim in Reader(officer_page(tell(front, front.data, None))).text
    stopped = replace(front, methods=(replace(front.search, complete=False, open=3),))
    assert claim not in Reader(officer_page(tell(stopped, front.data, None))).text


def test_without_a_choice(front: Run) -> None:
    text = Reader(officer_page(tell(front, front.data, None))).text
    assert "No release is chosen yet" in text
    assert "The chosen release" not in text


def test_no_sensitive_value_and_no_name_of_a_person(front: Run) -> None:
    for page in pages(tell(front, front.data, front[2].id)):
        assert SECRET not in page
        assert "Person 1" not in page


def integers(text: str) -> list[tuple[int, str]]:
    """Whole numbers, and what follows each."""
    return [
        (int(found[1].replace(",", "")), text[found.end() : found.end() + 12])
        for found in re.finditer(r"(?<![\d.,/])(\d[\d,]*)(?![\d.]*\d)", text)
    ]


# Numbers of the page that are about no data: the number of the opinion and its year, and "1 in k".
STATIC = {29, 5, 2014, 216, 1}


@pytest.mark.parametrize("seed", range(12))
def test_the_public_page_says_nothing_below_k(seed: int) -> None:
    """Every whole number is k or more, a share, or a setting of the schema, on many releases."""
    study = people(rows=200 + 37 * seed, seed=seed)
    front = study.explore("k", "loss", suppress="any:0.2", space="lattice")
    settings = {10, 50, 2}
    for solution in [s for s in front if s["k"] >= 5][:6]:
        story = tell(front, front.data, solution.id)
        assert story.chosen is not None
        # The glossary is about words and papers, not about this table.
        text = Reader(public_page(story, story.chosen)).text.split(" Glossary ")[0]
        for number, after in integers(text):
            if after.lstrip().startswith("%") or number in STATIC | settings:
                continue
            assert number >= solution["k"], f"{number}{after}"
        shares = [int(share) for share in re.findall(r"or more (\d+) %", text)]
        assert shares[0] == 100
        assert all(share * story.chosen.risk.rows / 100 >= solution["k"] * 0.9 for share in shares)


def said(count: int, k: int) -> str:
    """How a number of rows is published."""
    low = count // k * k
    if k == 1:
        return {0: "none", 1: "one row"}.get(count, f"{count:,} rows")
    if low:
        return f"{low:,} to {low + k - 1:,} rows"
    return "at most one row, perhaps none" if k == 2 else f"fewer than {k:,} rows, perhaps none"


@pytest.mark.parametrize("seed", range(12))
def test_the_public_page_does_not_tell_how_few_are_left_out(seed: int) -> None:
    front = people(rows=200 + 37 * seed, seed=seed).explore("k", "loss", suppress="any:0.2", space="lattice")
    for solution in front:
        story = tell(front, front.data, solution.id)
        assert story.chosen is not None
        text = Reader(public_page(story, story.chosen)).text
        k = int(solution["k"])
        assert f"their equivalence class was too small: {said(solution.suppressed, k)}." in text


def public_text(study: Study, *objectives: str, **further: Any) -> str:
    """The public page of the least costly release that protects anybody."""
    front = study.explore(*objectives, **{"space": "lattice", **further})
    story = tell(front, front.data, next(s for s in reversed(front) if s["k"] > 1).id)
    assert story.chosen is not None
    return Reader(public_page(story, story.chosen)).text


def clinic(missing: int, schema: dict[str, Any] | None = None) -> Study:
    """5,000 people, some without an age; one town has one illness alone."""
    draw = Random(3)
    town = [draw.choice("ABCDEFGH") for _ in range(5000)]
    columns = {
        "age": ["" if i < missing else str(draw.randint(20, 69)) for i in range(5000)],
        "town": town,
        "illness": [SECRET if t == "A" else draw.choice(["flu", "none", SECRET]) for t in town],
    }
    described = {
        "missing": "drop",
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50]}},
            "town": {"role": "quasi", "hierarchy": {"flat": True}},
            "illness": {"role": "sensitive"},
        },
    }
    return Study(pyarrow.table(columns), {**described, **(schema or {})})


def test_public_pages_of_one_table_do_not_tell_how_many_rows_were_dropped() -> None:
    """Blocks of k of the same number, one for each release, had one number in common."""

    def about_missing(missing: int) -> set[str]:
        front = clinic(missing).explore("k", "loss", suppress=0, space="lattice")
        stories = [tell(front, front.data, solution.id) for solution in front]
        pages = [
            Reader(public_page(story, story.chosen)).text for story in stories if story.chosen is not None
        ]
        assert len(pages) > 3
        return {sentence for page in pages for sentence in re.findall(r"[^.]*lack a value[^.]*\.", page)}

    assert about_missing(2) == about_missing(516)
    assert len(about_missing(516)) == 1
    kept = clinic(0, {"missing": "value"})
    assert "lack a value" not in public_text(kept, "k", "loss", suppress=0)


def test_the_public_page_says_why_rows_were_left_out() -> None:
    by_size = public_text(people(), "k", "loss", suppress="any:0.2")
    assert "because their equivalence class was too small:" in by_size
    varied = public_text(clinic(0), "l-distinct", "loss", suppress="any:0.2", at_least={"l-distinct": 2})
    assert "because their equivalence class had sensitive values that were too similar:" in varied
    assert "too small" not in varied.split(" Glossary ")[0]
    near = public_text(clinic(0), "t", "loss", suppress="any:0.2", at_most={"t": 0.4})
    assert (
        "because their equivalence class had sensitive values too different from those of the whole table:"
        in near
    )


def test_what_was_asked_of_sensitive_values_is_said() -> None:
    nothing = "No protection was requested: a sensitive value that all rows of a class share is disclosed."
    assert nothing in public_text(clinic(0), "k", "loss", suppress=0)
    asked = public_text(clinic(0), "k", "t", "loss", suppress=0)
    assert nothing not in asked
    assert (
        "Optimized or limited: t (how far is a class's sensitive distribution from the whole table's). The "
        "value is not published: together with the table it could reveal suppressed rows." in asked
    )
    required = public_text(clinic(0), "k", "loss", suppress="any:0.2", at_least={"l": 1.5})
    assert "Required of every equivalence class or bucket: l at least 1.5" in required
    # A release with l at most 3 has one class with so little, others may have more.
    worse = public_text(clinic(0), "k", "loss", suppress="any:0.2", at_most={"l": 3})
    assert "Required of every equivalence class or bucket" not in worse
    # A bound against the input's own distribution is not published either.
    bounded = public_text(clinic(0), "k", "loss", suppress="any:0.2", at_most={"t": 0.4321})
    assert "Optimized or limited: t " in bounded
    assert "0.4321" not in bounded
    # What estimates how useful a release is protects nobody.
    useful = public_text(clinic(0), "k", "utility-loss", suppress=0)
    assert nothing in useful


def test_known_secrets_are_said_on_both_pages() -> None:
    front = clinic(0).explore("k", "loss", suppress=0, space="lattice")
    story = tell(front, front.data, next(s for s in reversed(front) if s["k"] > 1).id)
    assert story.chosen is not None
    certain = story.chosen.disclosures[0].known.certain
    assert certain > 100
    official, public = (Reader(page).text for page in pages(story))
    warning = f"Warning: The value of 'illness' is certain for {certain:,} people"
    assert warning in official
    assert "Attribute disclosure: what is learned about sensitive values" in official
    head = (
        "sensitive column ℓ α t people whose value is certain people whose value is known with more than "
        "90 % confidence"
    )
    assert f"{head} illness 1 100.0 % " in official.replace("\u00a0", " ")
    assert "For some people the value of illness is certain: all who look the same have it." in public
    assert f"{certain:,}" not in public
    assert SECRET not in official + public


def test_pages_about_events_speak_of_rows() -> None:
    front = clinic(0, {"rows": "events"}).explore("k", "loss", suppress=0, space="lattice")
    story = tell(front, front.data, next(s for s in reversed(front) if s["k"] > 1).id)
    official, public = (Reader(page).text for page in pages(story))
    for text in (official, public):
        assert "Warning: k counts rows, not people" in text
        assert "no group that looks the same has fewer than" in text
        assert "The re-identification risk is unknown" in text
        assert "prosecutor" not in text
        assert "How many rows look the same, at least?" in text
        assert not re.search(r"[\d,]+ people", text)
    assert "They count people. Here k counts rows, so it is unknown whether any is reached." in official
    assert "rows in the class classes rows share" in official


def test_the_public_page_tells_nothing_of_the_run(front: Run) -> None:
    story = tell(front, front.data, front[2].id)
    assert story.chosen is not None
    page = public_page(story, story.chosen)
    assert front.record is not None
    for secret in (
        front.record.fingerprint, front.record.schema.digest(), "frontier", "Confidential", "fingerprint",
        *(s.id for s in front if s.id != front[2].id),
    ):  # fmt: skip
        assert secret not in page


def test_a_public_page_shows_only_measures_that_the_file_shows() -> None:
    table = random_table(Random(11), rows=(60, 60), quasi=(3, 4), sensitive=1)
    names = ("k", "l", "t", "discernibility", "weighted-k", "loss")
    front = table.study().explore(*names, suppress="20%", space="lattice")
    solution = next(s for s in front if s["k"] > 4)
    story = tell(front, front.data, solution.id)
    assert story.chosen is not None
    terms = re.findall(r"<dt>(.*?)</dt>", public_page(story, story.chosen))
    assert {"k", "l"} <= set(terms)
    assert not {"t", "discernibility", "weighted-k", "gl", "sl"} & set(terms)


def test_a_public_page_does_not_promise_what_is_not_there() -> None:
    front = people().explore("k", "loss", suppress=0, space="lattice")
    solution = front.ask(best="loss")
    assert solution["k"] == 1
    story = tell(front, front.data, solution.id)
    assert story.chosen is not None
    text = Reader(public_page(story, story.chosen)).text
    assert "Some people in it look like nobody else." in text
    assert "Nothing: some people are unique by their quasi-identifiers." in text


def told_in_public(front: Run, place: int = 0) -> str:
    story = tell(front, front.data, front[place].id)
    assert story.chosen is not None
    return Reader(public_page(story, story.chosen)).text


@pytest.mark.parametrize(
    ("space", "method"), [("mondrian", "Mondrian, a local recoding"), ("buckets", "Bucketization")]
)
def test_the_method_is_that_of_the_space(space: SpaceName, method: str) -> None:
    """Not full-domain generalization, as reports of every space once said."""
    front = people().explore("k", "loss", space=space, sweep="l=2")
    text = Reader(officer_page(tell(front, front.data, None))).text
    assert f"{method}: the " in text
    assert "Full-domain" not in text


@pytest.mark.parametrize("space", ["mondrian", "buckets"])
def test_what_parts_keep_was_asked_for(space: SpaceName) -> None:
    text = told_in_public(people().explore("k", "loss", space=space, sweep="l=2"))
    assert "No protection was requested" not in text
    assert "Required of every equivalence class or bucket: l at least 2" in text
    text = told_in_public(people().explore("k", "loss", space="mondrian", sweep="k=5"))
    assert "No protection was requested" in text


@pytest.mark.parametrize(
    ("alike", "who", "said"),
    [
        (1, "all", "No two people in it look the same by their quasi-identifiers."),
        (2, "some", "Some people in it look like nobody else."),
    ],
)
def test_whether_all_people_or_some_are_alone(alike: int, who: str, said: str) -> None:
    """Everybody has an age of their own, or all but two have."""
    ages = [str(max(i, alike - 1)) for i in range(40)]
    table = pyarrow.table({"age": ages, "illness": ["flu", "gout"] * 20})
    columns = {"age": {"role": "quasi", "hierarchy": {"flat": True}}, "illness": {"role": "sensitive"}}
    text = told_in_public(
        Study(table, {"columns": columns}).explore("k", "loss", space="buckets", sweep="l=2")
    )
    assert said in text
    assert f"Nothing: {who} people are unique by their quasi-identifiers." in text


@pytest.mark.parametrize("space", ["lattice", "cuts", "mondrian"])
def test_the_public_page_says_which_columns_are_as_they_are(space: SpaceName) -> None:
    sweep = ["k=2"] if space == "mondrian" else []
    front = people().explore("k", "loss", space=space, sweep=sweep)
    for solution in front[:5]:
        story = tell(front, front.data, solution.id)
        assert story.chosen is not None
        text = Reader(public_page(story, story.chosen)).text.split("What is gone")[0]
        for column in story.chosen.described.columns:
            whole = column.words.words == "unchanged"
            assert (f"{column.name} unchanged" in text) == whole, solution.describe()


def test_two_ways_to_choose_are_one_too_many(front: Run) -> None:
    with pytest.raises(InputError) as error:
        tell(front, front.data, front[0].id, Question.of(best="k"))
    assert str(error.value) == "pick: given together with best=; give only one of the two"


def test_in_notebooks(front: Run) -> None:
    whole, one = front._repr_html_(), front[2]._repr_html_()
    assert "<svg" in whole
    assert front[0].id in whole
    assert front[2].id in one
    for page in (whole, one):
        assert "<script" not in page


def test_every_column_is_in_the_officers_report() -> None:
    """Columns of the roles household and required-k were missing."""
    roles = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "illness": {"role": "sensitive"},
        "pay": {"role": "class"},
        "visits": {"role": "other", "kept": "yes"},
        "full_name": {"role": "identifier"},
        "patient": {"role": "person"},
        "stands_for": {"role": "weight"},
        "flat": {"role": "household"},
        "wish": {"role": "required-k"},
        "remark": {"role": "drop"},
    }
    table = {name: ["1"] * 40 for name in roles} | {
        "age": [str(20 + place % 20) for place in range(40)],
        "patient": [f"p{place}" for place in range(40)],
        "full_name": [f"Person {place}" for place in range(40)],
        "flat": [f"f{place // 2}" for place in range(40)],
        "illness": ["flu", "none"] * 20,
        "wish": ["2"] * 40,
    }
    run = Study(pyarrow.table(table), {"columns": roles}).explore("k", "loss", space="lattice")
    page = run.report(pick=run[0].id).html
    facts = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", page))
    named = " ".join(facts[words] for words, columns in run.record.schema.by_role if columns)  # type: ignore[union-attr]
    assert all(re.search(rf"\b{name}\b", named) for name in roles)
    assert facts["says who lives together, not released"] == "flat"
    assert facts["says how large a group each person wants to be in, not released"] == "wish"
    assert "Removed: full_name, patient, stands_for, flat, wish, remark." in page
