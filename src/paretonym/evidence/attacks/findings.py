"""The findings of an attack: which attacks were tried, and what each found, for how many people."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from paretonym.base.errors import ParetonymError
from paretonym.base.notebook_view import NotebookView, one_line
from paretonym.base.sentence_parts import listed, percent, several, upper_first
from paretonym.evidence.criteria import LEVEL, MeasuredCriteria

FORMAT = "paretonym.attack/2"
Name: TypeAlias = Literal["linkage", "certain values", "composition", "nearest means"]
# A value that so many of all rows have is no surprise: everybody is expected to have it.
USUAL = 0.9
# No more values than this are named.
MOST_NAMED = 20
NOTHING = "These attacks found nothing."
UNSEARCHED = (
    "Nothing is certain, but whose rows the means are of was not searched for by sums for {number} of "
    "{classes}: that would take too many sums."
)
APART = "The files and the original do not belong together: do not rely on these findings."
APART_MEASURED = (
    "The files and the original do not belong together: do not rely on linkage and certain values. Singling "
    "out, linkability and inference were measured."
)
NOT_CERTAIN = (
    "Nothing is certain: linkage and certain values found nothing. Singling out, linkability and inference "
    "were measured."
)


class AttackSucceeded(ParetonymError):
    """An attack on a release found something."""


@dataclass(frozen=True, slots=True)
class CertainValue:
    """A value that is certain for some people, who have it, and its share of all released rows."""

    value: str
    people: int
    share: float

    @property
    def usual(self) -> bool:
        """True if almost everybody has it anyway."""
        return self.share >= USUAL

    def __str__(self) -> str:
        return f"'{self.value}' for {self.people:,} ({percent(self.share)} of all rows have it)"


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of one attack, in a sensitive `column` or, by linkage, about rows.

    For `certain` people one row or value is possible, which no attack above this one in the list had found,
    and they have it; `added` are those of whom no value of this column was found above. `wrong` people, again
    without those above, lack a value that is the only possible one by the files. For `narrowed` people there
    are several, but fewer than in the whole release; `fewest` is the smallest number of candidates of
    anybody. `surprising` people are those of whom a value that is not usual is certain for the first time:
    only these count as broken. All are numbers of different people, or of rows.
    """

    attack: Name
    column: str | None
    certain: int
    surprising: int
    narrowed: int
    fewest: int | None
    values: tuple[CertainValue, ...] = ()
    added: int = 0
    wrong: int = 0

    def sentence(self, unit: str) -> str:
        """The finding in words."""
        candidates = "candidate values" if self.column else "candidate rows"
        sure, unsure = ("guessed", "guessed") if self.guessed else ("certain", "seems certain")
        parts = [f"{sure} for {people(self.certain, unit)}"] if self.certain else []
        if self.values:
            more = len(self.values) - MOST_NAMED
            parts[0] += f": {'; '.join(map(str, self.values[:MOST_NAMED]))}" + (
                f"; {more:,} more values" if more > 0 else ""
            )
        if self.wrong:
            parts.append(f"{unsure} for {people(self.wrong, unit)} and is wrong")
        if self.narrowed:
            parts.append(
                f"narrowed for {people(self.narrowed, unit)}, to {self.fewest:,} {candidates} or more"
            )
        return f"{self.name}: {'. '.join(map(upper_first, parts)) or 'Nothing'}."

    @property
    def guessed(self) -> bool:
        """True if nothing is certain: whoever is nearest to a mean may be in another class."""
        return self.attack == "nearest means"

    @property
    def name(self) -> str:
        """The attack and the column that it is about."""
        return self.attack.capitalize() + (f" of '{self.column}'" if self.column else "")


def people(number: int, unit: str) -> str:
    """A number of people, or of rows that may belong to fewer people.

    >>> people(1, "people"), people(2000, "rows")
    ('1 person', '2,000 rows')
    """
    return several(number, *(("row", "rows") if unit == "rows" else ("person", "people")))


@dataclass(frozen=True, slots=True, repr=False)
class Attack:
    """All findings about one release, or about several of one table together; false if an attack succeeded.

    `people` were searched for; `unit` says whether they are people, or rows of which several may belong to
    one person. `everywhere` of them are in all files, `partly` in some, `absent` in none. `strangers` counts
    rows that cannot belong to anybody in this original, and `consistent` is false if the releases cannot come
    from it: then the findings may be wrong. `alone` people are unique by quasi-identifiers that a release in
    buckets shows unchanged. `exposed` names columns of other roles that single people out, alone or together:
    whoever knows these finds them. `criteria` are measured beside a control, one for each file: a risk whose
    whole interval lies above `level` is a success. `untried` is the reason if all other attacks were left
    out; `rules` are conditions on sensitive values that manifests publish, from which something follows about
    suppressed people. `unread` says which labels mean no set: rows with them may be anybody's. `searched`
    says in how many classes with means members were searched for by sums, and of how many.
    """

    files: tuple[str, ...]
    unit: Literal["people", "rows"]
    knows: tuple[str, ...]
    people: int
    everywhere: int
    partly: int
    absent: int
    alone: int
    strangers: int
    consistent: bool
    findings: tuple[Finding, ...]
    exposed: tuple[str, ...] = ()
    criteria: tuple[MeasuredCriteria, ...] = ()
    untried: str = ""
    rules: tuple[str, ...] = ()
    level: float = LEVEL
    unread: tuple[str, ...] = ()
    searched: tuple[int, int] = (0, 0)

    @classmethod
    def of_criteria(
        cls, files: tuple[str, ...], criteria: tuple[MeasuredCriteria, ...], level: float, untried: str
    ) -> Attack:
        """The answer about tables that are no releases by the schema: nothing but what was measured."""
        return cls(files, "people", (), 0, 0, 0, 0, 0, 0, True, (), (), criteria, untried, level=level)

    @property
    def matches(self) -> bool:
        """True if the releases can come from this original."""
        return self.strangers == 0 and self.consistent

    @property
    def succeeded(self) -> tuple[Finding, ...]:
        """The findings that break the release."""
        return tuple(finding for finding in self.findings if finding.surprising)

    @property
    def reidentified(self) -> int:
        """Number of people with only one candidate row."""
        return sum(finding.certain for finding in self.findings if finding.column is None)

    @property
    def smallest(self) -> int:
        """The number of candidate rows of the person with the fewest, or of people who have rows in the
        smallest class."""
        rows = self.findings[0]
        return 1 if rows.certain else rows.fewest or 0

    def certain(self, column: str) -> int:
        """Number of people who can have only one value of a column, by all attacks together."""
        return sum(
            finding.added for finding in self.findings if finding.column == column and not finding.guessed
        )

    @property
    def high(self) -> tuple[str, ...]:
        """The criteria whose measured risk lies above the level with its whole interval, each once."""
        criteria = (one for measured in self.criteria for one in measured.criteria)
        return tuple(dict.fromkeys(one.title for one in criteria if one.is_above(self.level)))

    def __bool__(self) -> bool:
        return self.matches and not self.succeeded and not self.high

    def check(self) -> None:
        """Raise `AttackSucceeded` if an attack succeeded, or if files and original do not match."""
        if not self:
            raise AttackSucceeded(self.conclusion)

    @property
    def tried(self) -> str:
        """The attacker, and the attacks that were tried."""
        if self.untried:
            return f"Linkage and certain values were not tried: {self.untried}."
        names = listed(list(dict.fromkeys(finding.attack for finding in self.findings)))
        files = "this file" if len(self.files) == 1 else f"these {len(self.files)} files"
        everybody = "every row" if self.unit == "rows" else "everybody"
        rules = f"what the published rule ({listed(list(self.rules))}) says of suppressed people, "
        return (
            f"Attacks tried: {names}, by somebody who knows {listed(list(self.knows))} of {everybody} in the "
            f"original and has {files}. {upper_first(rules) if self.rules else ''}"
            f"{'other' if self.rules else 'Other'} knowledge and other attacks were not tried."
            f"{self._unsearched}"
        )

    @property
    def _unsearched(self) -> str:
        """Sentences on what was not tried of means; none if there are none."""
        done, classes = self.searched
        if not classes:
            return ""
        rest = f", not for {classes - done:,}" if done < classes else ""
        return (
            f" Members were searched for by sums for {done:,} of {several(classes, 'class', 'classes')} "
            f"with means{rest}. The classes were not made again from the quasi-identifiers."
        )

    @property
    def conclusion(self) -> str:
        """The findings in one sentence or two, or that there are none."""
        if not self.high:
            return self._found
        risks, lie = ("risks", "lie") if len(self.high) > 1 else ("risk", "lies")
        above = f"{lie} above {percent(self.level)} with the whole interval"
        return f"{self._found} The measured {risks} of {listed(list(self.high))} {above}."

    @property
    def _found(self) -> str:
        """Findings of linkage and certain values, or why they say nothing."""
        if self.untried:
            return "Singling out, linkability and inference were measured; no other attack was tried."
        if not self.matches:
            return APART_MEASURED if self.criteria else APART
        if not self.succeeded:
            if self.unread:
                labels = listed(list(self.unread))
                return f"Not decided: {labels} cannot be read. Nothing was found beside them."
            done, classes = self.searched
            if done < classes:
                return UNSEARCHED.format(
                    number=f"{classes - done:,}", classes=several(classes, "class", "classes")
                )
            return NOT_CERTAIN if self.criteria else NOTHING
        return " ".join(filter(None, (self._found_by(guesses) for guesses in (False, True))))

    def _found_by(self, guesses: bool) -> str:
        """The findings of attacks that guess, or of the others; empty if there are none."""
        succeeded = [finding for finding in self.succeeded if finding.guessed == guesses]
        columns = list(dict.fromkeys(finding.column for finding in succeeded))
        parts = []
        for column in columns:
            number = sum(finding.surprising for finding in succeeded if finding.column == column)
            what = "the released row" if column is None else f"the value of '{column}'"
            of_column = (finding for finding in self.findings if finding.column == column)
            mistaken = sum(finding.wrong for finding in of_column if finding.guessed == guesses)
            beside = f" (such guesses are wrong for {people(mistaken, self.unit)})" if mistaken else ""
            parts.append(f"{what} of {people(number, self.unit)}{beside}")
        how = "Guessed rightly by the nearest means" if guesses else "Found for certain"
        return f"{how}: {listed(parts)}." if parts else ""

    def __str__(self) -> str:
        return f"{', '.join(self.files)}: {self.conclusion}"

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        sentences = [finding.sentence(self.unit) for finding in self.findings]
        lines = [f"{self}", *sentences, *(str(one) for one in self.criteria), self.tried]
        return NotebookView(lines).html()

    def as_json(self) -> dict[str, Any]:
        """The findings as JSON."""
        return {
            "format": FORMAT,
            "broken": not self,
            "conclusion": self.conclusion,
            **asdict(replace(self, criteria=())),
            "criteria": [one.as_json() for one in self.criteria],
        }
