"""Requirements on a table, and the outcome of an audit: what was stated, what was measured, and whether they
agree."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from paretonym.audit.sql_formulas import line_of
from paretonym.base.errors import Field, InputError, NoSolution, Phrase, in_python, phrased
from paretonym.base.notebook_view import NotebookView, one_line

COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
FORMAT = "paretonym.audit/1"
# Every value is rounded once, to so many significant digits, but never finer than so many decimals.
DIGITS, FINEST = 10, 12
# Sums that should cancel leave at most this much behind.
NOTHING = 1e-11
WHOLE = 2**53
# The check that the file shows the rows of its original: as long as it is not decided, nothing else counts.
ROWS = "rows of the original"
_FORM = re.compile(r"\s*([a-z][a-z-]*(?:@.+?)?)\s*(>=|<=|>|<|==?)\s*([^<>=]+?)\s*")


def rounded(value: float) -> float:
    """A number with the digits that count. Halves go up even if a sum of floats is a little less.

    >>> rounded(0.1 + 0.2) == 0.3, rounded(1 / 3), rounded(205 / 2048)
    (True, 0.3333333333, 0.1000976563)
    """
    if not math.isfinite(value) or value == int(value):
        return value
    scale = float(f"1e{min(DIGITS - 1 - math.floor(math.log10(abs(value))), FINEST)}")
    return math.copysign(math.floor(abs(value) * scale + 0.50001) / scale, value)


def same(stated: float, measured: float) -> bool:
    """True if two numbers are equal: counts exactly, others up to one unit of the last digit that counts.

    >>> same(5, 5), same(5, 6), same(0.3, 0.1 + 0.2), same(0.3, 0.31), same(0.3333333333, 0.3333333334)
    (True, False, True, False, True)
    """
    first, second = rounded(stated), rounded(measured)
    if first == second or not (math.isfinite(first) and math.isfinite(second)):
        return first == second
    if first == int(first) and second == int(second):
        return False
    unit = 10.0 ** max(math.floor(math.log10(max(abs(first), abs(second)))) + 1 - DIGITS, -FINEST)
    return abs(first - second) <= 1.01 * unit


def same_rounded(stated: float, measured: float, units: int = 1) -> bool:
    """True if a number is another one rounded to three decimals, or the sum of several such numbers.

    >>> same_rounded(0.289, 0.28934), same_rounded(0.29, 0.28934)
    (True, False)
    """
    if math.isinf(stated) or math.isinf(measured):
        return stated == measured
    return abs(stated - measured) <= units * 0.0005 * (1 + 1e-9) + NOTHING


@dataclass(frozen=True, slots=True)
class Requirement:
    """A measure, how it is compared, and with what."""

    measure: str
    comparison: str
    bound: float

    def holds(self, value: float) -> bool:
        return COMPARISONS[self.comparison](rounded(value), rounded(self.bound))

    def __str__(self) -> str:
        return f"{self.measure}{self.comparison}{self.bound:.12g}"


def parse_requirement(text: str) -> Requirement:
    """Read a requirement.

    >>> str(parse_requirement("alpha <= 50%"))
    'alpha<=0.5'
    """
    match = _FORM.fullmatch(text)
    if match is None:
        wrong = "this does not compare a measure with a number"
        remedy = 'use, for example, "k>=5", "l-distinct@diagnosis>=2" or "alpha<=50%"'
        raise InputError.of(Field("require", text), wrong, remedy)
    number = match[3]
    try:
        bound = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        bound = math.nan
    if math.isnan(bound):
        remedy = "give a number such as 5, 0.25 or 25%"
        raise InputError.of(Field("require", text), f"'{number}' is not a number", remedy)
    return Requirement(match[1], "=" if match[2] == "==" else match[2], rounded(bound))


def checked_requirement(text: str) -> Requirement:
    """Read a person's requirement; refuse bounds that the measure cannot have.

    >>> checked_requirement("alpha<=50")
    Traceback (most recent call last):
    paretonym.base.errors.InputError: require='alpha<=50': alpha lies between 0 and 1; did you mean 50%?
    """
    requirement, percent, place = parse_requirement(text), text.rstrip().endswith("%"), Field("require", text)
    name, bound, line = requirement.measure, requirement.bound, line_of(requirement.measure)
    share, count = line is not None and line.is_share, line is not None and line.is_count
    if percent and count:
        raise InputError.of(place, f"{name} is a count, not a percentage", "give a number such as 5")
    if percent and not share:
        wrong = f"{name} is not a share, but a percentage is given"
        raise InputError.of(place, wrong, f"did you mean {bound:g}?")
    if count and bound < 1:
        raise InputError.of(place, f"{name} is at least 1", "give 1 or more")
    if bound < 0 or (share and bound > 1):
        likely = 1 < bound <= 100 and not percent
        remedy = f"did you mean {bound:g}%?" if likely else "give a number in that range"
        raise InputError.of(place, f"{name} {'lies between 0 and 1' if share else 'is at least 0'}", remedy)
    return requirement


Kind: TypeAlias = Literal["file", "claim", "requirement", "original", "statement", "measure"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `holds` is None if nothing was stated about what was measured (`found`), or if it cannot be
    decided; `reason` says in words what is wrong, or why it cannot be decided."""

    kind: Kind
    name: str
    said: float | str | None = None
    found: float | str | None = None
    holds: bool | None = None
    reason: str = ""

    @property
    def why(self) -> str:
        """The reason as Python says it."""
        return phrased(self.reason)

    def to_dict(self, phrase: Phrase = in_python) -> dict[str, Any]:
        """The check as files in JSON hold it."""
        stated, measured = _plain(self.said), _plain(self.found)
        return {
            "kind": self.kind,
            "name": self.name,
            "said": stated,
            "found": measured,
            "holds": self.holds,
            "why": phrased(self.reason, phrase),
        }


def passes(kind: Kind, name: str, reason: str = "") -> Check:
    """A check that holds unless there is a reason against it."""
    return Check(kind, name, holds=not reason, reason=reason)


def counts_none(kind: Kind, name: str, number: int, reason: str) -> Check:
    """A check that holds if there is nothing of what is counted."""
    return Check(kind, name, 0, number, number == 0, reason if number else "")


class AuditFailed(NoSolution):
    """A finished table is not what it claims to be, or not what is required of it."""


@dataclass(frozen=True, repr=False)
class Audit:
    """The outcome of an audit; false if a check fails. Keep `sha256` and `manifest_sha256` where nobody who
    can change the files can write: an audit cannot detect that both were forged together."""

    path: str
    sha256: str | None
    manifest_sha256: str | None
    rows: int
    roles: Mapping[str, str]
    checks: tuple[Check, ...]
    warnings: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True if no check failed."""
        return not self.failed

    def __bool__(self) -> bool:
        return self.passed

    def check(self) -> Audit:
        """This audit, if no check failed; otherwise an error that names those that did."""
        if not self.passed:
            reasons = [f"{check.name}: {check.why}" for check in self.failed if check.why]
            raise AuditFailed("\n".join([str(self), *reasons]))
        return self

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.holds is False)

    @property
    def undecided(self) -> tuple[Check, ...]:
        """The checks that could not be decided."""
        return tuple(check for check in self.checks if check.holds is None and check.reason)

    def __getitem__(self, name: str) -> float | str | None:
        """The value measured under a name."""
        return {check.name: check.found for check in self.checks}[name]

    def __str__(self) -> str:
        judged = [check for check in self.checks if check.holds is not None]
        if not judged:
            return f"{self.path}: {_several(self.rows, 'row')} measured, but there is nothing to compare with"
        if self.passed:
            names = ", ".join(dict.fromkeys(check.name for check in self.undecided))
            if any(check.name == ROWS for check in self.undecided):
                return f"{self.path}: not decided: {names}; the other {len(judged)} checks hold"
            hold = "the only check holds" if len(judged) == 1 else f"all {len(judged)} checks hold"
            further = f", {len(self.undecided)} cannot be decided: {names}" if names else ""
            return f"{self.path}: {hold}{further}"
        names = ", ".join(check.name for check in self.failed)
        fail = "fails" if len(self.failed) == 1 else "fail"
        return f"{self.path}: {len(self.failed)} of {_several(len(judged), 'check')} {fail}: {names}"

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        verdicts = {True: "holds", False: "fails", None: "not compared"}
        rows = [
            (check.kind, check.name, check.said, check.found, verdicts[check.holds]) for check in self.checks
        ]
        heads = ("", "check", "stated", "measured", "")
        lines = [f"{self}.", *(f"{check.name}: {check.why}" for check in self.failed if check.why)]
        return NotebookView(lines, heads, rows, self.warnings).html()

    def to_dict(self, phrase: Phrase = in_python) -> dict[str, Any]:
        """The outcome as files in JSON hold it."""
        return {
            "format": FORMAT,
            "file": self.path,
            "passed": self.passed,
            "failed": [check.name for check in self.failed],
            "undecided": [check.name for check in self.undecided],
            "sha256": self.sha256,
            "manifest_sha256": self.manifest_sha256,
            "rows": self.rows,
            "roles": dict(self.roles),
            "checks": [check.to_dict(phrase) for check in self.checks],
            "warnings": list(self.warnings),
        }


def _several(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _plain(value: float | str | None) -> float | int | str | None:
    """Counts as whole numbers; infinite and "no number" as words, which JSON has no numbers for."""
    if value is None or isinstance(value, str):
        return value
    if not math.isfinite(value):
        return str(value)
    return int(value) if value == int(value) and abs(value) < WHOLE else float(value)
