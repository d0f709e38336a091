"""Declared analyses: what a release is for. `[[purpose]]` in a schema file, one table for each analysis;
those of one name are one purpose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Any, Literal, TypeAlias, get_args

from paretonym.base.errors import Field, InputError, Problem, did_you_mean
from paretonym.tables.schema.hierarchies.number_line import plain_number
from paretonym.tables.schema.roles import ROLE_RULES, Role
from paretonym.tables.schema.toml_section import Section, all_of, described, leaf, number, text

Kind: TypeAlias = Literal["regression", "table", "mean", "quantile"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# What is compared of each kind of analysis, and the largest limit that makes sense.
MEASURED: Mapping[Kind, Mapping[str, Decimal | None]] = {
    "regression": {"ci-overlap": Decimal(1), "sign-kept": Decimal(1)},
    "table": {"table-error": Decimal(1)},
    "mean": {"mean-error": None},
    "quantile": {"quantile-error": None},
}
KEYS = ("name", *KINDS, "by", "tolerance")
EXAMPLE = 'regression = "income ~ age + sex"'
_NAME = re.compile(r"`([^`]+)`|([^`~+:*]+)")


@dataclass(frozen=True, slots=True)
class Analysis:
    """One analysis of a purpose. `columns` are those of a table, or the one that is explained or summarized;
    `terms` the products of columns on the right of a formula; `by` are the groups of a mean or a quantile,
    and `share` is which quantile. `tolerance` holds a limit for each value that is compared.

    >>> print(Analysis("pay", "regression", ("income",), (("age",), ("age", "sex")), tolerance=()))
    income ~ age + age:sex
    """

    purpose: str
    kind: Kind
    columns: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...] = ()
    by: tuple[str, ...] = ()
    share: Decimal = Decimal("0.5")
    tolerance: tuple[tuple[str, Decimal], ...] = ()

    @staticmethod
    def kinds() -> dict[Kind, tuple[str, ...]]:
        """The measures that are compared of each kind of analysis."""
        return {kind: tuple(measures) for kind, measures in MEASURED.items()}

    @classmethod
    def of_formula(cls, formula: str, roles: Mapping[str, Role]) -> Analysis:
        """The analysis of a formula that no purpose declares."""
        entry = {"name": "regression", "regression": formula, "tolerance": {"ci-overlap": 0}}
        section = Section(Field("regression"), entry, [])
        analysis = _read(section)
        if analysis is not None:
            _check_columns(section, analysis, roles)
        if analysis is None or section.problems:
            raise InputError(section.problems)
        return analysis

    @property
    def outcome(self) -> str:
        """The column that is explained or summarized."""
        return self.columns[0]

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that are compared of it."""
        return tuple(MEASURED[self.kind])

    @property
    def used(self) -> tuple[str, ...]:
        """Every column that it needs, each once."""
        return tuple(
            dict.fromkeys((*self.columns, *(name for term in self.terms for name in term), *self.by))
        )

    def __str__(self) -> str:
        if self.kind == "regression":
            return f"{_quoted(self.outcome)} ~ {' + '.join(':'.join(map(_quoted, t)) for t in self.terms)}"
        of = " × ".join(self.columns)
        which = {"table": "shares of", "mean": "mean of", "quantile": f"{self.share:f} quantile of"}[
            self.kind
        ]
        return f"{which} {of}{' by ' + ' × '.join(self.by) if self.by else ''}"

    def as_mapping(self) -> dict[str, Any]:
        """As a schema file says it."""
        declared: Any = list(self.columns)
        if self.kind == "regression":
            declared = str(self)
        elif self.kind == "mean":
            declared = self.outcome
        elif self.kind == "quantile":
            declared = [self.outcome, plain_number(self.share)]
        limits = {name: plain_number(limit) for name, limit in self.tolerance}
        by = {"by": list(self.by)} if self.by else {}
        return {"name": self.purpose, self.kind: declared, **by, "tolerance": limits}


def read_purposes(section: Section, roles: Mapping[str, Role], name: str) -> tuple[Analysis, ...]:
    """The analyses under the key `purpose`; what is wrong goes to the problems of the section."""
    entries = section.mapping.get("purpose", ())
    if not isinstance(entries, list | tuple):
        section.complain(
            f"purpose is {described(entries)}", "begin each analysis with [[purpose]]", "purpose"
        )
        return ()
    analyses: list[Analysis] = []
    for place, entry in enumerate(entries, 1):
        where = f"{name}, purpose {place}"
        if not isinstance(entry, Mapping):
            section.problems.append(Problem(where, f"it is {described(entry)}", "make it a table"))
            continue
        inner = Section(where, entry, section.problems)
        before = len(section.problems)
        analysis = _read(inner)
        if analysis is not None:
            _check_columns(inner, analysis, roles)
            if analysis in analyses:
                inner.complain("this analysis is declared twice", "declare it once")
            if len(section.problems) == before:
                analyses.append(analysis)
    return tuple(analyses)


def _read(section: Section) -> Analysis | None:
    """One analysis, if enough of it is right to look further."""
    section.refuse_unknown(KEYS)
    purpose = section.text("name")
    if not (purpose or "").strip():
        if "name" not in section.mapping or purpose is not None:
            section.complain("it has no name", 'give one, such as name = "income gap"', "name")
        purpose = None
    kinds = [kind for kind in KINDS if kind in section.mapping]
    if len(kinds) != 1:
        wrong = "it declares no analysis" if not kinds else f"it declares {' and '.join(kinds)}"
        section.complain(wrong, f"give one of {', '.join(KINDS)}, such as {EXAMPLE}")
        return None
    kind = kinds[0]
    tolerance = tuple(_tolerance(section, kind))
    by = section.texts("by") or ()
    if by and kind not in ("mean", "quantile"):
        section.complain(
            f"by has no meaning for a {kind}", "omit it, or add the columns to the analysis", "by"
        )
    columns: tuple[str, ...] = ()
    terms: tuple[tuple[str, ...], ...] = ()
    share = Decimal("0.5")
    if kind == "regression":
        expected = f"a formula such as {EXAMPLE.partition('=')[2].strip()}"
        columns, terms = section.read(kind, _formula, expected) or ((), ())
    elif kind == "table":
        columns = section.read(kind, all_of(leaf), 'a list of columns such as ["region", "age"]') or ()
    elif kind == "mean":
        columns = tuple(filter(None, [section.text(kind)]))
    else:
        columns, share = section.read(kind, _quantile, 'a column and a share such as ["stay", 0.5]') or (
            (),
            share,
        )
    if section.mapping[kind] in ([], (), ""):
        section.complain(f"the {kind} is of no column", "name a column that is released", kind)
    return Analysis(purpose or "", kind, columns, terms, by, share, tolerance) if columns else None


def _formula(value: object) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None:
    """The outcome and the terms of a formula: names are joined by `+`, products written `age:sex`, and
    `age*sex` stands for both columns and their product. A name with one of `~+:*` in it stands in backquotes.

    >>> _formula("income ~ age*sex + `a+b`")
    (('income',), (('age',), ('sex',), ('age', 'sex'), ('a+b',)))
    """
    sides = _split(value, "~") if isinstance(value, str) else []
    outcome = _name(sides[0]) if len(sides) == 2 else None
    if outcome is None:
        return None
    terms: list[tuple[str, ...]] = []
    for part in _split(sides[1], "+"):
        crossed = [[_name(name) for name in _split(factor, ":")] for factor in _split(part, "*")]
        if not all(all(factor) for factor in crossed):
            return None
        choices = (some for size in range(1, len(crossed) + 1) for some in combinations(crossed, size))
        terms += [
            tuple(dict.fromkeys(name for factor in some for name in factor if name)) for some in choices
        ]
    return ((outcome,), tuple(dict.fromkeys(terms))) if terms else None


def _split(value: str, mark: str) -> list[str]:
    """The parts of a text between marks that do not stand in backquotes."""
    return re.findall(rf"(?:`[^`]*`|[^`{re.escape(mark)}])+", value)


def _name(value: str) -> str | None:
    match = _NAME.fullmatch(value.strip())
    return None if match is None else (match[1] or match[2]).strip() or None


def _quoted(name: str) -> str:
    return f"`{name}`" if re.search("[~+:*]", name) or name != name.strip() else name


def _quantile(value: object) -> tuple[tuple[str, ...], Decimal] | None:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    column, share = text(value[0]), number(value[1])
    return ((column,), share) if column and share is not None and 0 < share < 1 else None


def _tolerance(section: Section, kind: Kind) -> Iterator[tuple[str, Decimal]]:
    inner = section.inner("tolerance", f"{section.place}, tolerance")
    usual = " and ".join(MEASURED[kind])
    if inner is None or not inner.mapping:
        if inner is not None or "tolerance" not in section.mapping:
            remedy = f"say how far it may change: a limit for {usual}"
            section.complain("it has no tolerance", remedy, "tolerance")
        return
    inner.refuse_unknown(MEASURED[kind])
    for name, most in MEASURED[kind].items():
        limit = inner.number(name)
        if limit is None:
            continue
        if limit < 0 or (most is not None and limit > most):
            bounds = f"from 0 to {most}" if most is not None else "of at least 0"
            inner.complain(f"no release can have {name} = {limit}", f"give a number {bounds}", name)
            continue
        yield name, limit


def _check_columns(section: Section, analysis: Analysis, roles: Mapping[str, Role]) -> None:
    """Complain of columns that the schema does not have or no release shows, and of those named twice."""
    released = [name for name, role in roles.items() if ROLE_RULES[role].released]
    for name in analysis.used:
        if name not in roles:
            section.complain(f"there is no column '{name}'", did_you_mean(name, released), analysis.kind)
        elif name not in released and roles[name] != "undecided":
            wrong = f"column '{name}' has the role {roles[name]}, so no release shows it"
            section.complain(wrong, "use a column that is released", analysis.kind)
    explained = {name for term in analysis.terms for name in term} | {*analysis.by}
    twice = [*_repeated(analysis.columns), *_repeated(analysis.by), *({*analysis.columns} & explained)]
    for name in dict.fromkeys(twice):
        section.complain(f"it names column '{name}' twice", "name it once", analysis.kind)


def _repeated(names: Iterable[str]) -> list[str]:
    every = list(names)
    return [name for name in dict.fromkeys(every) if every.count(name) > 1]
