"""Requirements on a table, and the outcome of an audit: what was stated, what was found, and whether they
agree.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from paretonym.audits.sql_formulas import line_of
from paretonym.errors import Field, InputError, Phrase, in_python, phrased

COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
# Sums of shares are compared to this many digits: 0.30000000000000004 meets a limit of 0.3.
DIGITS = 9
_FORM = re.compile(r"\s*([a-z][a-z-]*(?:@.+?)?)\s*(>=|<=|>|<|==?)\s*([^<>=]+?)\s*")


@dataclass(frozen=True, slots=True)
class Requirement:
    """A measure, how it is compared, and with what."""

    measure: str
    comparison: str
    bound: float

    def holds(self, found: float) -> bool:
        return COMPARISONS[self.comparison](significant(found), significant(self.bound))

    def is_above(self, most: float) -> bool:
        """Whether nothing up to a number meets it.

        >>> [parse_requirement(text).is_above(10) for text in ("k>=11", "k=10", "k<=5", "k>10")]
        [True, False, False, True]
        """
        return self.comparison in (">=", ">", "=") and self.bound >= most and not self.holds(most)

    def __str__(self) -> str:
        return f"{self.measure}{self.comparison}{self.bound:.12g}"


def parse_requirement(text: str) -> Requirement:
    """Read a requirement.

    >>> str(parse_requirement("alpha <= 50%"))
    'alpha<=0.5'
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise InputError.of(
            Field("require", text),
            "this does not compare a measure with a number",
            'use, for example, "k>=5", "l-distinct@diagnosis>=2" or "alpha<=50%"',
        )
    comparison = "=" if match[2] == "==" else match[2]
    return Requirement(match[1], comparison, _bound(match[3], text))


def asked_requirement(text: str) -> Requirement:
    """Read a person's requirement; refuse bounds that the measure cannot have.

    >>> asked_requirement("alpha<=50")
    Traceback (most recent call last):
    paretonym.errors.InputError: require='alpha<=50': alpha lies between 0 and 1; did you mean 50%?
    """
    asked = parse_requirement(text)
    line, percent = line_of(asked.measure), text.rstrip().endswith("%")
    share, count = line is not None and line.is_share, line is not None and line.is_count
    place = Field("require", text)
    if percent and count:
        raise InputError.of(place, f"{asked.measure} is a count, not a percentage", "give a number such as 5")
    if percent and not share:
        advice = f"did you mean {asked.bound:g}?"
        raise InputError.of(place, f"{asked.measure} is not a share, but a percentage is given", advice)
    if count and asked.bound < 1:
        raise InputError.of(place, f"{asked.measure} is at least 1", "give 1 or more")
    if asked.bound < 0 or (share and asked.bound > 1):
        meant = 1 < asked.bound <= 100 and not percent
        advice = f"did you mean {asked.bound:g}%?" if meant else "give a number in that range"
        between = "lies between 0 and 1" if share else "is at least 0"
        raise InputError.of(place, f"{asked.measure} {between}", advice)
    return asked


def _bound(number: str, text: str) -> float:
    try:
        value = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise InputError.of(
            Field("require", text), f"'{number}' is not a number", "give a number such as 5, 0.25 or 25%"
        )
    return value


def significant(value: float) -> float:
    """A number with the digits that count.

    >>> significant(0.1 + 0.2) == 0.3
    True
    """
    return float(f"{value:.{DIGITS}g}") if abs(value) < 1e9 and value != int(value) else value


Kind: TypeAlias = Literal["file", "claim", "requirement", "original", "statement", "estimate", "measure"]

FORMAT = "paretonym.audit/1"
OLD_MANIFEST = (
    "the manifest has version 1: its statements about the input, and its rule for which classes stay, "
    "can reveal sensitive values of suppressed rows; write the release and its manifest again with "
    "this version"
)
EVENTS = (
    "rows are events here, and several may belong to one person: k counts rows, not people, and no "
    "claim gives a person's re-identification risk or says how well a person's sensitive values are "
    "hidden"
)
PERSONS = (
    "a person may have several rows here, and the file does not say which rows are the same person's: the "
    "claims count rows; k-persons, and whatever else is said of persons, can be verified with the original "
    "only"
)
PERSONS_OF_BOTH = (
    "a person may have several rows here, and may be in the older release too: the claims count rows of this "
    "file; k-persons counts the persons of both releases and was not verified"
)
# How the reason of a check begins that has no meaning for this table.
NOT_APPLICABLE = "not applicable"
# Sums that should cancel leave at most this much behind.
NOTHING = 1e-11
# Statements are rounded to three decimals.
ROUNDING = 0.0005
WHOLE = 2**53


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `holds` is None if nothing was stated about what was found, or if it cannot be decided;
    `reason` says in words what is wrong, or why it cannot be decided."""

    kind: Kind
    name: str
    said: float | str | None
    found: float | str | None
    holds: bool | None
    reason: str = ""

    @property
    def why(self) -> str:
        """The reason as Python says it."""
        return phrased(self.reason)

    def as_json(self, phrase: Phrase = in_python) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": self.name,
            "said": _plain(self.said),
            "found": _plain(self.found),
            "holds": self.holds,
            "why": phrased(self.reason, phrase),
        }


@dataclass(frozen=True)
class Audit:
    """The outcome of an audit. Keep `sha256` and `manifest_sha256` where nobody who can change the files can
    write: an audit cannot detect that both were forged together."""

    path: str
    sha256: str
    manifest_sha256: str | None
    rows: int
    roles: Mapping[str, str]
    checks: tuple[Check, ...]
    warnings: tuple[str, ...] = ()
    # What `sha256` is the digest of: a file or folder, or the rows of a table in a database.
    digest_of: Literal["file", "rows"] = "file"

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.holds is False)

    def __getitem__(self, name: str) -> float | str | None:
        """What was found under a name."""
        return {check.name: check.found for check in self.checks}[name]

    def __str__(self) -> str:
        judged = [check for check in self.checks if check.holds is not None]
        if not judged:
            return f"{self.path}: {_several(self.rows, 'row')} measured, but there is nothing to compare with"
        if self.passed:
            open_ = [check.why for check in self.checks if check.holds is None and check.why]
            beside = sum(why.startswith(NOT_APPLICABLE) for why in open_)
            further = f", {len(open_) - beside} cannot be decided" if len(open_) > beside else ""
            further += f", {beside} {'is' if beside == 1 else 'are'} {NOT_APPLICABLE}" if beside else ""
            hold = "the only check holds" if len(judged) == 1 else f"all {len(judged)} checks hold"
            return f"{self.path}: {hold}{further}"
        names = ", ".join(check.name for check in self.failed)
        fail = "fails" if len(self.failed) == 1 else "fail"
        return f"{self.path}: {len(self.failed)} of {_several(len(judged), 'check')} {fail}: {names}"

    def as_json(self, phrase: Phrase = in_python) -> dict[str, Any]:
        """As JSON, the way files hold it."""
        return {
            "format": FORMAT,
            "file": self.path,
            "passed": self.passed,
            "failed": [check.name for check in self.failed],
            "sha256": self.sha256,
            "manifest_sha256": self.manifest_sha256,
            "rows": self.rows,
            "roles": dict(self.roles),
            "checks": [check.as_json(phrase) for check in self.checks],
            "warnings": list(self.warnings),
        }


def audit_warnings(version: int | None, events: bool, persons: bool, added: bool) -> tuple[str, ...]:
    """What to say of a manifest of that version, and of rows that are events or belong to persons; `added`
    if they were added to those of an older release."""
    of_persons = PERSONS_OF_BOTH if added else PERSONS
    found = ((OLD_MANIFEST, version == 1), (EVENTS, events), (of_persons, persons))
    return tuple(text for text, there in found if there)


def _several(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def same(said: float, found: float) -> bool:
    """Whether two numbers are equal: counts exactly, others to the significant digits.

    >>> same(5, 5), same(5, 6), same(0.3, 0.1 + 0.2), same(0.3, 0.31)
    (True, False, True, False)
    """
    if math.isnan(said) or math.isnan(found):
        return False
    near = not math.isinf(said) and not math.isinf(found) and abs(said - found) <= NOTHING
    return near or significant(said) == significant(found)


def same_rounded(said: float, found: float, units: int = 1) -> bool:
    """Whether a number is another one rounded to three decimals, or the sum of several such numbers.

    >>> same_rounded(0.289, 0.28934), same_rounded(0.29, 0.28934)
    (True, False)
    """
    if math.isinf(said) or math.isinf(found):
        return said == found
    return abs(said - found) <= units * ROUNDING * (1 + 1e-9) + NOTHING


def _plain(value: float | str | None) -> float | int | str | None:
    """Counts as whole numbers; infinite and "no number" as words, which JSON has no numbers for."""
    if value is None or isinstance(value, str):
        return value
    if math.isinf(value) or math.isnan(value):
        return str(value)
    return int(value) if value == int(value) and abs(value) < WHOLE else float(value)
