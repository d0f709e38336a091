"""The findings of an attack, in numbers of people: verdicts by absolute rules, and estimates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypeAlias

from paretonym.errors import Field, InputError
from paretonym.number_text import parse_fraction

FORMAT = "paretonym.attack/2"
Outcome: TypeAlias = Literal["broken", "resisted", "undecided"]


@dataclass(frozen=True, slots=True)
class Rules:
    """When an attack counts as a success, whatever a release claims: somebody has fewer than `rows` candidate
    rows, or more than the share `certain` of them show the same sensitive value."""

    rows: int = 2
    certain: float = 0.9

    @classmethod
    def of(cls, given: Rules | Mapping[str, float | str] | None) -> Rules:
        """Rules as Python gives them; a share may be a text.

        >>> Rules.of({"certain": "80%"})
        Rules(rows=2, certain=0.8)
        """
        if isinstance(given, Rules):
            return given
        entries = {} if given is None else given
        known = [each.name for each in fields(cls)]
        for name in entries if isinstance(entries, Mapping) else ("",):
            if name not in known:
                wrong = f"unknown rule '{name}'" if name else "it is not a mapping"
                raise InputError.of(Field("rules"), wrong, 'use, for example, {"rows": 3, "certain": "80%"}')
        rows, certain = entries.get("rows", 2), entries.get("certain", 0.9)
        if not isinstance(rows, int):
            raise InputError.of(Field("rows"), f"it is {rows!r}", "give a whole number")
        return cls(rows, float(parse_fraction(str(certain), Field("certain"))))

    def __post_init__(self) -> None:
        if self.rows < 2:
            raise InputError.of(
                Field("rows"), f"it is {self.rows}", "give at least 2: everybody has at least one row"
            )
        if not 0 < self.certain <= 1:
            raise InputError.of(
                Field("certain"), f"it is {self.certain:g}", "give a share above 0, up to 100%"
            )


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one kind of attack; `column` is the sensitive column of attribute disclosure. `found`
    people were disclosed; for `undecided` people neither disclosure nor its absence could be shown. An
    outcome is also undecided if rows are not people, and if files and original do not match."""

    attack: Literal["re-identification", "attribute disclosure"]
    column: str | None
    outcome: Outcome
    found: int
    undecided: int = 0


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What an attacker learns about a sensitive column.

    `known` people can have only one value; `likely` ones have one in more than the share `certain` of their
    candidate rows. `pinned` are known from all files together and from none alone. `blind` is the share of
    people in the release whose value is the most frequent one of all, `informed` the share whose value is the
    most frequent one among their candidate rows: each guess is compared with the truth, which needs the
    original. `surest` is the largest share that a value has for anybody, `gain` its largest rise from the
    whole release to a class.
    """

    column: str
    known: int
    likely: int
    pinned: int
    undecided: int
    blind: float | None
    informed: float | None
    gain: float | None
    surest: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate: the result of an attack that guesses, beside its baseline. It decides no verdict.

    `name` is the attack, `assumption` what it assumes, `value` its result in terms of `what`, and `baseline`
    the result without it: shares if `share`, otherwise numbers of people.
    """

    name: str
    file: str | None
    column: str | None
    assumption: str
    what: str
    value: float
    baseline: float
    share: bool
    reference: str


@dataclass(frozen=True, slots=True)
class Matching:
    """Two files matched row by row, without the original; each pair of numbers is about the rows of the first
    file and of the second.

    `single` rows fit exactly one row of the other file, `alone` ones none; `smallest` is the smallest number
    that fits a row with a partner. `narrowed` rows have fewer candidates than the rules require, whichever
    partner is theirs, and `difference` rows are what one file has and the other lacks, where that many follow
    from subtracting. Columns in `not_compared` were ignored, because the schema does not say which of their
    labels overlap. If both files contain the `same` rows, the second shows nothing new, and nothing is
    matched. `nested`: of two overlapping classes one contains the other, so that all differences were
    examined.
    """

    files: tuple[str, str]
    rows: tuple[int, int]
    single: tuple[int, int]
    alone: tuple[int, int]
    smallest: tuple[int, int]
    narrowed: tuple[int, int]
    difference: tuple[int, int]
    not_compared: tuple[str, ...]
    same: bool = False
    nested: bool = False


@dataclass(frozen=True, slots=True)
class Attack:
    """All findings about one release, or about several of one table together.

    `people` were searched for; `unit` says what a row is, people or rows, or that a person may have several
    and persons were searched for: then candidates are persons with rows in a class, not rows. `everywhere` of
    them are in all files, `partly` in some and not in others, `absent` in none. `reidentified` people have
    fewer candidate rows than the rules require. `smallest` is the smallest number of candidate rows of
    anybody, according to the bounds, and `at_least` the number that everybody is proven to have; `shared` is
    the smallest number of people whom nothing published distinguishes. `strangers` counts rows that cannot
    belong to anybody in this original, and `consistent` is false if the releases cannot come from it: then
    the findings may be wrong. `alone` people are unique by quasi-identifiers that a release in buckets shows
    unchanged.
    """

    files: tuple[str, ...]
    original: bool
    unit: Literal["people", "rows", "persons"]
    rules: Rules
    people: int
    everywhere: int
    partly: int
    absent: int
    reidentified: int
    undecided: int
    smallest: int
    at_least: int
    shared: int
    strangers: int
    alone: int
    disclosures: tuple[Disclosure, ...]
    matchings: tuple[Matching, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    consistent: bool = True
    knows: tuple[str, ...] = ()

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """One for re-identification, one for each sensitive column."""
        found = [
            Verdict(
                "re-identification",
                None,
                self._outcome(self.reidentified, self.undecided),
                self.reidentified,
                self.undecided,
            )
        ]
        for one in self.disclosures:
            number = one.known + one.likely
            outcome = self._outcome(number, one.undecided)
            found.append(Verdict("attribute disclosure", one.column, outcome, number, one.undecided))
        return tuple(found)

    def _outcome(self, found: int, undecided: int) -> Outcome:
        """The outcome. If rows are not people, that no row is singled out says nothing about people."""
        if found:
            return "broken"
        return "undecided" if undecided or self.unit == "rows" or not self.matches else "resisted"

    @property
    def matches(self) -> bool:
        """Whether the releases can come from this original."""
        return self.strangers == 0 and self.consistent

    @property
    def withstood(self) -> bool:
        """Whether no attack succeeded, and the releases match the original; some may be undecided."""
        return self.matches and all(verdict.outcome != "broken" for verdict in self.verdicts)

    def __str__(self) -> str:
        """Every verdict in a few words."""
        named = [
            (f"{one.attack} of '{one.column}'" if one.column else one.attack, one) for one in self.verdicts
        ]
        words = "; ".join(f"{name}: {one.outcome}" for name, one in named)
        doubt = "" if self.matches else " (but the files and the original do not belong together)"
        return f"{', '.join(self.files)}: {words}{doubt}"

    def as_json(self) -> dict[str, Any]:
        """As JSON, the way files hold it."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "withstood": self.withstood,
            "verdicts": [asdict(verdict) for verdict in self.verdicts],
            **asdict(self),
        }
        if len(self.files) == 1:
            document["file"] = self.files[0]
        return document
