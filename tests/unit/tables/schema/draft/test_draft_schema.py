"""The whole draft: decisions, words for missing, and a text that can be used."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from paretonym.base.errors import InputError
from paretonym.tables.schema.draft.column_profile import profile
from paretonym.tables.schema.draft.draft_schema import draft_schema
from paretonym.tables.schema.schema_binding import bind
from paretonym.tables.schema.schema_file import schema_from_text
from paretonym.tables.source.table_counts import Counts


def no_file(name: str) -> str:
    raise AssertionError(name)


def test_the_head_says_what_is_to_be_decided(table: Callable[..., Counts]) -> None:
    drafted = draft_schema(
        table(
            visit_id=["p1", "p2", "p1", "p3"] * 10,
            sex=["f", "m", "NA", None] * 10,
            thing=["a", "b", "?", "b"] * 5 + ["b", "a", "?", "b"] * 5,
        )
    )
    assert drafted.noticed == ()
    assert drafted.decisions == (
        'thing: "quasi" if others may know it about a person, "sensitive" if nobody should learn it, '
        '"other" to release '
        'it unchanged, "drop" to remove it',
        "missing: drop rows with missing values, or keep them",
        "rows: are they people, although visit_id repeats?",
    )
    assert drafted.text.startswith(
        """\
# Drafted by paretonym init from people.csv: 40 rows, 3 columns. These are guesses; check each one.
# Confidential like the table: this file contains values and counts of it.
# quasi: others may know it about a person, so it is generalized.
# sensitive: nobody should learn it about a person. It is published exactly unless release_level says at which
# level of its hierarchy; level only says at which level l and t are measured.
# identifier, drop: not released. class, other: released unchanged. undecided: a person must decide.
# 3 things are left to decide: search for DECIDE.

# Words that seem to mean a missing value ("NA" in 10 cells, "?" in 10 cells). Remove those that are real
# values.
null = ["?", "NA"]

# DECIDE: 20 of 40 rows lack a value that matters (sex 20, thing 10). Uncomment one line:
# missing = "drop"   # drop these rows
# missing = "value"  # keep them: treat missing as a value

# DECIDE: is every row a person? visit_id has 3 values in 40 rows. If such a column says which person a row
# belongs to, set its role to "person"; then k counts persons. If rows are events and no column says that,
# uncomment the line; then k counts rows, not people. Otherwise give one row per person, or another role.
# rows = "events"

[columns.visit_id]
# 3 different values. Guessed: the name suggests a number that belongs to one person.
role = "identifier"

[columns.sex]
# 2 different values, 20 of 40 rows have none. Guessed: the name suggests sex.
role = "quasi"
# missing = "value"  # keeps the many rows without a value, whatever the setting above
hierarchy.flat = true
"""
    )


def test_a_number_that_may_mean_missing_shapes_no_hierarchy(table: Callable[..., Counts]) -> None:
    ages = [str(20 + place % 70) for place in range(280)] + ["999"] * 5
    answers = [str(1 + place % 5) for place in range(280)] + ["99"] * 5
    drafted = draft_schema(table(age=ages, q1=answers, q2=answers))
    assert "hierarchy.intervals = [5, 10, 20, 40]" in drafted.text
    assert drafted.text.count("hierarchy.intervals") == 1
    asked = {one.question: one.columns for one in drafted.undecided if one.once}
    assert asked == {"is 999 missing, or a value?": ("age",), "is 99 missing, or a value?": ("q1", "q2")}
    assert not any("age below 0" in sentence for sentence in drafted.noticed)


def test_values_that_nobody_means_are_noticed(table: Callable[..., Counts]) -> None:
    drafted = draft_schema(
        table(
            alter=["34", "-1", "150", "122", "0", "60"] * 10,
            sex=["f", "m", "m", "m", "f ", "m"] * 10,
            city=["Rom ", "Bonn", "Rom ", "Bonn", "Ulm", "Ulm"] * 10,
        )
    )
    assert drafted.noticed[:2] == (
        "10 rows have an age below 0 or above 122 in 'alter': correct them, or leave them empty",
        "10 rows have a value of 'sex' that differs from another one only by blanks at its ends: it counts "
        "as a different value, so people seem rarer than they are; remove such blanks from the data",
    )
    assert not any("city" in sentence and "blanks" in sentence for sentence in drafted.noticed)


def test_nothing_is_explored_before_it_is_decided(table: Callable[..., Counts]) -> None:
    people = table(visit_id=["p1", "p1", "p2"] * 9, sex=["f", "m", None] * 9, thing=["a", "b", "c"] * 9)
    schema = schema_from_text(draft_schema(people).text, "people.toml", no_file)
    with pytest.raises(InputError) as caught:
        bind(schema, people)
    assert [(str(problem.place), problem.wrong) for problem in caught.value.problems] == [
        ("people.toml, column 'thing'", "its role is undecided"),
        (
            "people.toml, column 'sex'",
            "9 of 27 rows have no value, but the schema does not say what to do with them",
        ),
        (
            "people.toml, column 'visit_id'",
            "this identifier repeats: 2 values are in 27 rows",
        ),
    ]


def test_one_person_one_weight_and_one_household_are_proposed(table: Callable[..., Counts]) -> None:
    people = table(
        patient_id=[f"p{n % 30}" for n in range(90)],
        pweight=[str(1 + n % 7 / 4) for n in range(30)] * 3,
        hhwt=["2.5", "3", "1"] * 30,
        hhid=[f"h{n % 15}" for n in range(90)],
        sex=["f", "m"] * 45,
    )
    drafted = draft_schema(people)
    roles = {one.name: one.role for one in drafted.suggestions}
    assert roles == {
        "patient_id": "person", "pweight": "weight", "hhwt": "drop", "hhid": "household", "sex": "quasi",
    }  # fmt: skip
    assert drafted.decisions == ()
    assert drafted.suggestions[0].reason == (
        "the name suggests a number that belongs to one person, and it repeats: then k counts persons, and "
        "it is not released"
    )
    schema = schema_from_text(drafted.text, "people.toml", no_file)
    assert bind(schema, people).weight is not None


def test_the_tree_is_valid_once_its_marks_are_taken_away(table: Callable[..., Counts]) -> None:
    cities = [f'city "{number}" \\ ü' for number in range(37)]
    people = table(**{"home town, city": cities * 2})
    text = draft_schema(people).text
    head, tree = text.split("hierarchy.flat = true\n")
    tree, _, _ = tree.partition("# What a release is for")
    lines = [line.removeprefix("# ") for line in tree.splitlines()]
    start = next(index for index, line in enumerate(lines) if line.startswith("[columns."))
    schema = schema_from_text(head + "\n".join(lines[start:]), "people.toml", no_file)
    bind(schema, people)


def test_no_value_of_a_sensitive_or_identifying_column_is_written(table: Callable[..., Counts]) -> None:
    people = table(
        name=[f"sëcret{number}" for number in range(40)],
        diagnosis=["sëcret1", "sëcret2"] * 20,
        thing=["sëcret3", "sëcret4"] * 20,
        income=["12345"] * 39 + ["sëcret"],
        note=[f"sëcret {number} words that are not for you" for number in range(40)],
    )
    drafted = draft_schema(people)
    assert "sëcret" not in drafted.text
    assert "sëcret" not in "".join(drafted.decisions)
    assert "12345" not in drafted.text


def test_how_a_sensitive_column_is_published_is_offered_and_may_be_taken(
    table: Callable[..., Counts],
) -> None:
    """`release_level` comes first; what is offered in comments is valid as soon as the marks are removed."""
    people = table(
        age=[str(20 + n % 40) for n in range(200)],
        diagnosis=[f"{'JKC'[n % 3]}{10 + n % 40}.{n % 4}" for n in range(200)],
        sick_days=[str(n % 30) for n in range(200)],
        wage=[str(2000 + 7 * n) for n in range(200)],
    )
    drafted = draft_schema(people)
    assert drafted.decisions == (
        "wage: publish it in intervals (release_level = 1) or exactly (level = 1, by which it is only "
        "measured in intervals)",
    )
    with pytest.raises(InputError, match="and no level") as caught:
        bind(schema_from_text(drafted.text, "people.toml", no_file), people)
    assert [problem.field for problem in caught.value.problems] == ["release_level"]
    taken = re.sub(r"^# (type = |hierarchy\.|release_level = )", r"\1", drafted.text, flags=re.MULTILINE)
    schema = schema_from_text(taken, "people.toml", no_file)
    bind(schema, people)
    published = {column.name: column.release_level for column in schema.with_role("sensitive")}
    assert published == {"diagnosis": 1, "sick_days": 1, "wage": 1}
    assert drafted.text.index("# release_level = 1  # publish") < drafted.text.index("# level = 1  # publish")


def test_a_number_apart_from_all_others_is_asked_about(table: Callable[..., Counts]) -> None:
    ages = [*map(str, range(18, 80)), "99", "99", "-1"]
    drafted = draft_schema(table(age=ages, income=[*map(str, range(1, 64)), "999", "999"]))
    assert "# DECIDE: are -1, 99 missing, or a value?" in drafted.text
    assert '# null = ["-1", "99"]' in drafted.text
    # A code is no secret; a value that must be replaced would be obeyed, and 999 stay an income.
    assert '# null = ["999"]' in drafted.text.split("[columns.income]")[1]
    assert "…" not in drafted.text
    assert [one.columns for one in drafted.undecided[-2:]] == [("age",), ("income",)]
    plain = draft_schema(table(age=list(map(str, range(18, 100)))))
    assert "missing, or a value" not in plain.text


def test_items_with_the_same_codes_are_one_question(table: Callable[..., Counts]) -> None:
    items = {f"item{n}": [("-1", "1", "2", "9")[(place + n) % 4] for place in range(60)] for n in range(57)}
    drafted = draft_schema(table(**items), choices={"sensitive": ["item*"]})
    assert [len(one.columns) for one in drafted.undecided] == [57]
    assert drafted.decisions[0].endswith("and 49 more: are -1, 9 missing, or a value?")
    assert drafted.text.count("DECIDE:") == 1
    assert "# 1 thing is left to decide: search for DECIDE." in drafted.text
    assert drafted.text.count('# null = ["-1", "9"]') == 57
    assert drafted.text.count("# asked at item0") == 56


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ("-1 0 1", ()),
        ("-2 -1 0 1 2", ()),
        ("-1 1", ()),
        ("0 3 6 9", ()),
        ("1 2 3 4 5 6 7 8 9", ()),
        ("-1 1 2", ("-1",)),
        ("-9 1 2 3", ("-9",)),
        ("-2 -1 1 2 3", ("-2", "-1")),
        ("1 2 3 4 9", ("9",)),
        ("0 1 99", ("99",)),
    ],
)
def test_codes_of_few_values(table: Callable[..., Counts], values: str, codes: tuple[str, ...]) -> None:
    assert profile(table(item=values.split() * 20).column("item")).end_codes == codes


def test_numbers_of_states_are_categories(table: Callable[..., Counts]) -> None:
    """Steps of four of the numbers 1 to 16 are no regions."""
    states = [str(1 + place % 16) for place in range(320)]
    drafted = draft_schema(table(state=states, marital_status=states), choices={"quasi": ["state"]})
    assert "intervals" not in drafted.text
    assert drafted.text.count("\nhierarchy.flat = true") == 2


def test_an_answer_is_one_by_its_values(table: Callable[..., Counts]) -> None:
    drafted = draft_schema(table(q1=[str(10**8 + 7919 * n) for n in range(100)], q2=["1", "2"] * 50))
    assert [one.role for one in drafted.suggestions] == ["undecided", "sensitive"]
    assert "100 values in 100 rows may identify people" in drafted.suggestions[0].reason


def test_a_column_that_numbers_the_rows_is_dropped(table: Callable[..., Counts]) -> None:
    counting, other = [str(n) for n in range(1, 31)], [str(7 * n) for n in range(30)]
    assert draft_schema(table(row=counting, row_2=other)).suggestions[0].role == "drop"
    assert draft_schema(table(row=other, x=counting)).suggestions[0].role != "drop"
