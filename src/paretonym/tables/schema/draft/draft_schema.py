"""The whole draft: every column with a guess, and what a person must decide before anything is explored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from paretonym.base.sentence_parts import several
from paretonym.tables.schema.draft.column_profile import NULL_WORDS, Profile, profile
from paretonym.tables.schema.draft.dependencies import dependencies
from paretonym.tables.schema.draft.role_guess import GIVEN, Suggestion, guess, one_of_each, repeating_keys
from paretonym.tables.schema.missing_values import omission
from paretonym.tables.schema.name_vocabulary import meaning_of
from paretonym.tables.schema.role_choices import chosen_roles
from paretonym.tables.schema.roles import Role
from paretonym.tables.schema.schema_summary import SHOWN, blanks_warning
from paretonym.tables.schema.toml_text import comment, header, listed, one_line, quoted, statements
from paretonym.tables.source import ColumnType, Counts, TableForm, header_warning

DECIDE = "DECIDE"
PROTECTED = ("quasi", "sensitive", "undecided")
"""Roles of columns whose missing values matter, and that are published in part."""
# So many columns of a question are named.
MOST_NAMED = 8
# Nobody is older.
OLDEST = 122
MUCH = 0.2
"""Where a larger share of the rows lacks a value, dropping them all is rarely what is wanted."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A question that a person must answer: about columns, or about a key of the schema that holds for the
    whole table. A question that is asked `once` stands at the first of its columns."""

    question: str
    columns: tuple[str, ...] = ()
    key: str | None = None
    once: bool = False

    @property
    def marks(self) -> int:
        """Number of places of the file where it is asked: at every column, or once."""
        return 1 if self.key or self.once else len(self.columns)

    def __str__(self) -> str:
        """The decision to be taken, and the columns or the key that it is about."""
        further = len(self.columns) - MOST_NAMED
        columns = ", ".join(map(one_line, self.columns[:MOST_NAMED]))
        return f"{self.key or columns}{f' and {further} more' if further > 0 else ''}: {self.question}"


FIRST_ROWS = (
    "only the first {rows:,} rows of {name} were read: check the schema with all of them, and add the values "
    "that the others have"
)


@dataclass(frozen=True)
class Draft:
    """The text of a schema file, the guess for each column, and what is left to decide. `noticed` are
    warnings about the table as a whole, a sentence each; `types` what the values of each column were found to
    be."""

    text: str
    suggestions: tuple[Suggestion, ...]
    undecided: tuple[Decision, ...]
    noticed: tuple[str, ...] = ()
    types: tuple[ColumnType, ...] = ()

    @property
    def decisions(self) -> tuple[str, ...]:
        """Decisions that are left to take, a sentence each."""
        return tuple(map(str, self.undecided))


def draft_schema(
    table: Counts,
    decimal: str | None = None,
    form: TableForm | None = None,
    choices: Mapping[Role, Iterable[str]] | None = None,
) -> Draft:
    """A schema for a table that nobody has described yet; its text can be read as a schema. `decimal` is the
    mark of decimals, a point or a comma, if somebody has said which it is, `form` what a reader was told,
    and `choices` the roles that were given to columns by their names or patterns."""
    roles = chosen_roles(choices or {}, table.names, table.name)
    profiles = {name: profile(table.column(name), decimal) for name in table.names}
    suggestions = one_of_each([guess(column, roles.get(column.name)) for column in profiles.values()])
    protected = [profiles[one.name] for one in suggestions if one.role in PROTECTED]
    lacking = {column.name: column.missing for column in protected if column.missing}
    repeating = repeating_keys(profiles, suggestions)
    coded = _patterns(protected)
    undecided = tuple(_decisions(suggestions, protected, lacking, repeating))
    wrong_header = header_warning(table)
    noticed = (
        *([wrong_header] if wrong_header else []),
        *([FIRST_ROWS.format(rows=table.rows, name=table.name)] if table.partial else []),
        *_doubtful_values(profiles, suggestions),
        *dependencies(table, protected),
    )
    parts = [
        _head(table, sum(one.marks for one in undecided)),
        [*comment(f"Read {form}."), *statements(form.as_json())] if form and form.as_json() else [],
        [line for sentence in noticed for line in comment(f"Warning: {sentence}.")],
        _null_lines(profiles),
        _missing_lines(table, lacking),
        _row_lines(profiles, repeating) or _person_lines(suggestions),
        *(column_lines(one, profiles[one.name], coded) for one in suggestions),
        _purpose_lines(suggestions),
    ]
    text = "\n\n".join("\n".join(part) for part in parts if part) + "\n"
    types = tuple(column.type for column in profiles.values())
    return Draft(text, suggestions, undecided, noticed, types)


def _decisions(
    suggestions: Iterable[Suggestion],
    protected: Iterable[Profile],
    lacking: Mapping[str, int],
    repeating: tuple[str, ...],
) -> Iterator[Decision]:
    """The open questions; columns with the same choices are grouped."""
    alike: dict[str, list[str]] = {}
    for one in suggestions:
        if one.decide:
            alike.setdefault(one.decide, []).append(one.name)
    yield from (Decision(question, tuple(names)) for question, names in alike.items())
    for codes, coded in _patterns(protected).items():
        yield Decision(_is_missing(codes), coded, once=True)
    if lacking:
        yield Decision("drop rows with missing values, or keep them", key="missing")
    if repeating:
        yield Decision(f"are they people, although {repeating[0]} repeats?", key="rows")


def _patterns(profiles: Iterable[Profile]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """By the numbers that may mean missing, the columns that have them: one question for all of them."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for column in profiles:
        if column.end_codes:
            alike.setdefault(column.end_codes, []).append(column.name)
    return {codes: tuple(names) for codes, names in alike.items()}


def _is_missing(codes: Sequence[str]) -> str:
    return f"{'is' if len(codes) == 1 else 'are'} {', '.join(codes)} missing, or a value?"


def _doubtful_values(profiles: Mapping[str, Profile], suggestions: Iterable[Suggestion]) -> Iterator[str]:
    """Texts that differ only by blanks, and ages that nobody has."""
    for one in suggestions:
        column, meaning = profiles[one.name], meaning_of(one.name)
        if one.role not in (*SHOWN, "undecided"):
            continue
        if column.type == "text" and (blanks := blanks_warning(one.name, column.texts, column.counts)):
            yield blanks
        if column.numeric and meaning is not None and meaning.form == "age":
            # Numbers that may mean missing are asked about.
            ages = frozenset(column.numbers)
            strange = [age in ages and not 0 <= age <= OLDEST for age in column.parsed]
            if rows := int(column.counts[strange].sum()):
                has = "1 row has" if rows == 1 else f"{rows:,} rows have"
                wrong = f"{has} an age below 0 or above {OLDEST} in '{one.name}'"
                yield f"{wrong}: correct them, or leave them empty"


def column_lines(
    suggestion: Suggestion, profile: Profile, coded: Mapping[tuple[str, ...], tuple[str, ...]] | None = None
) -> list[str]:
    """One column's entry: what it contains, why the role was guessed, and what must be decided. `coded` are
    the columns that have the same numbers which may mean missing."""
    codes = profile.end_codes if suggestion.role in PROTECTED else ()
    counted = f"{profile.distinct:,} different values" if profile.distinct != 1 else "1 value"
    gone = f", {profile.missing:,} of {profile.rows:,} rows have none" if profile.missing else ""
    why = f"Guessed: {one_line(suggestion.reason)}"
    why = f"The role was {GIVEN}" if suggestion.reason == GIVEN else why
    often = profile.missing > MUCH * profile.rows and suggestion.role in PROTECTED
    keep = '# missing = "value"  # keeps the many rows without a value, whatever the setting above'
    return [
        header(suggestion.name),
        *comment(f"{counted}{gone}. {why}."),
        *(comment(f"{DECIDE}: {suggestion.decide}.") if suggestion.decide else []),
        f'role = "{suggestion.role}"',
        *(['decimal = ","'] if profile.commas else []),
        *_end_lines(codes, (coded or {}).get(codes, (profile.name,)), profile.name),
        *([keep] if often else []),
        *suggestion.lines,
    ]


def _end_lines(codes: tuple[str, ...], coded: tuple[str, ...], name: str) -> list[str]:
    """The question about numbers at the ends that may mean missing, asked at the first of the columns that
    have them; codes such as -1 and 99 are no secrets."""
    if not codes:
        return []
    line = f"# null = {listed(codes)}"
    if name != coded[0]:
        return [f"{line}  # asked at {one_line(coded[0])}"]
    number = several(len(coded) - 1, "more column has", "more columns have")
    alike = f" {number} the same numbers: answer there alike." if len(coded) > 1 else ""
    question = f"{DECIDE}: {_is_missing(codes)} If missing, uncomment the line; if a value, delete it.{alike}"
    return [*comment(question), line]


def _head(table: Counts, decisions: int) -> list[str]:
    rows = several(table.rows, "row", "rows")
    number = several(decisions, "thing is", "things are") if decisions else "Nothing is"
    return [
        *comment(
            f"Drafted by paretonym init from {one_line(table.name)}: {rows}, {len(table.names)} "
            "columns. These are guesses; check each one. Confidential like the table: this file "
            "contains values and counts of it."
        ),
        "# quasi: others may know it about a person, so it is generalized.",
        *comment(
            "sensitive: nobody should learn it about a person. It is published exactly unless release_level "
            "says at which level of its hierarchy; level only says at which level l and t are measured."
        ),
        *comment(
            "identifier, drop: not released. class, other: released unchanged. undecided: a person must "
            "decide."
        ),
        f"# {number} left to decide" + (f": search for {DECIDE}." if decisions else "."),
    ]


def _null_lines(profiles: Mapping[str, Profile]) -> list[str]:
    """The words for "missing" that occur."""
    words: Counter[str] = Counter()
    for column in profiles.values():
        words.update(column.words)
    if not words:
        return []
    named = ", ".join(f"{quoted(word)} in {several(count, 'cell', 'cells')}" for word, count in words.items())
    return [
        *comment(f"Words that seem to mean a missing value ({named}). Remove those that are real values."),
        f"null = {listed(word for word in NULL_WORDS if word in words)}",
    ]


def _missing_lines(table: Counts, lacking: Mapping[str, int]) -> list[str]:
    if not lacking:
        return []
    without = table.rows - table.omitting(omission(table, dict.fromkeys(lacking, NULL_WORDS))).rows
    named = ", ".join(f"{one_line(name)} {count:,}" for name, count in lacking.items())
    question = f"{DECIDE}: {without:,} of {table.rows:,} rows lack a value that matters ({named})."
    return [
        *comment(f"{question} Uncomment one line:"),
        '# missing = "drop"   # drop these rows',
        '# missing = "value"  # keep them: treat missing as a value',
    ]


def _row_lines(profiles: Mapping[str, Profile], repeating: tuple[str, ...]) -> list[str]:
    if not repeating:
        return []
    named = ", ".join(
        f"{one_line(name)} has {profiles[name].distinct:,} values in {profiles[name].present:,} rows"
        for name in repeating
    )
    question = (
        f"{DECIDE}: is every row a person? {named}. If such a column says which person a row belongs to, set "
        'its role to "person"; then k counts persons. If rows are events and no column says that, uncomment '
        "the line; then k counts rows, not people. Otherwise give one row per person, or another role."
    )
    return [*comment(question), '# rows = "events"']


def _person_lines(suggestions: Iterable[Suggestion]) -> list[str]:
    """Lines on what k counts where a column is taken to say whose a row is, and how to change that."""
    named = next((one_line(one.name) for one in suggestions if one.role == "person"), None)
    if named is None:
        return []
    taken = (
        f"{named} repeats: it is taken to say which person a row belongs to, and k counts persons. If it "
        'does not, set its role to "identifier" and uncomment the line; then k counts rows, not people.'
    )
    return [*comment(taken), '# rows = "events"']


def _purpose_lines(suggestions: Iterable[Suggestion]) -> list[str]:
    """An example of a purpose, a table of the first two columns that are generalized."""
    names = [one.name for one in suggestions if one.role == "quasi"][:2]
    if not names:
        return []
    purpose = (
        "What a release is for: an analysis, and how far its result may change. A run that is asked for a "
        "purpose by its name says whether that can be had. An analysis is a regression, table, mean or "
        "quantile."
    )
    example = ("[[purpose]]", 'name = "main table"', f"table = {listed(names)}")
    return [*comment(purpose), *(f"# {line}" for line in (*example, "tolerance = { table-error = 0.1 }"))]
