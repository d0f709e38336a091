"""The public names: which there are, that each is documented, and that their types are exact.

`public_names.txt` is what `import paretonym` promises. A name is added or removed on purpose: there, and in
the change log. `PARETONYM_PUBLIC_NAMES=write pytest tests/test_public_names.py` writes the file anew.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import paretonym as pn
from paretonym.audit import Audit
from paretonym.engine.frontier import Description
from paretonym.engine.frontier.queries import Answer
from paretonym.engine.risk import Risk, TableRisk
from paretonym.evidence.attacks import Attack
from paretonym.release import CombinedRelease
from paretonym.report import Comparison
from paretonym.study.notebook_tables import ReportPage, SchemaDraft, SchemaReview
from paretonym.study.run_comparison import TableComparison

LIST = Path(__file__).parent / "reference" / "data" / "public_names.txt"
# What public functions return, besides what they are called by.
RETURNED = (
    Answer,
    Attack,
    Audit,
    Comparison,
    Description,
    ReportPage,
    Risk,
    SchemaDraft,
    SchemaReview,
    TableComparison,
    TableRisk,
    CombinedRelease,
)


def classes() -> dict[str, type]:
    offered = {name: getattr(pn, name) for name in pn.__all__}
    own = {name: each for name, each in offered.items() if inspect.isclass(each)}
    return {**own, **{each.__name__: each for each in RETURNED}}


def members(owner: type) -> Iterator[tuple[str, object]]:
    """What somebody finds behind the dot; what dict, tuple and exceptions have of their own is theirs."""
    for name in dir(owner):
        home = next((each for each in owner.__mro__ if name in vars(each)), None)
        if not name.startswith("_") and home is not None and home.__module__.startswith("paretonym"):
            yield name, inspect.getattr_static(owner, name)
    if dataclasses.is_dataclass(owner):
        known = set(dir(owner))
        yield from ((each.name, None) for each in dataclasses.fields(owner) if each.name not in known)


def names() -> list[str]:
    found = [name for name in pn.__all__ if not inspect.isclass(getattr(pn, name))]
    for name, owner in sorted(classes().items()):
        found += [name, *sorted(f"{name}.{member}" for member, _ in members(owner))]
    return found


def test_the_public_names_are_those_of_the_list() -> None:
    text = "\n".join(names()) + "\n"
    if os.environ.get("PARETONYM_PUBLIC_NAMES") == "write":
        LIST.write_text(text, encoding="utf-8")
    assert text.splitlines() == LIST.read_text(encoding="utf-8").splitlines()


def test_everything_public_is_documented() -> None:
    """By a docstring; a field of a dataclass in that of its class, or by a name that says all: `path`."""
    missing = [name for name in pn.__all__ if name != "__version__" and not getattr(pn, name).__doc__]
    for name, owner in classes().items():
        for member, value in members(owner):
            called = isinstance(value, property | cached_property) or inspect.isroutine(value)
            if called and not inspect.getdoc(value):
                missing.append(f"{name}.{member}")
    assert missing == []


def signatures() -> Iterator[tuple[str, inspect.Signature]]:
    for name in pn.__all__:
        if inspect.isfunction(thing := getattr(pn, name)):
            yield name, inspect.signature(thing)
    for owner in (pn.Study, pn.Run, pn.Solution):
        for name, value in vars(owner).items():
            if inspect.isfunction(value) and (name == "__init__" or not name.startswith("_")):
                yield f"{owner.__name__}.{name}", inspect.signature(value)


def test_no_type_is_left_open() -> None:
    """`Any` switches a type checker off; rows in the caller's own kind of dataframe have a name of theirs."""
    for name, found in signatures():
        given = [str(each.annotation) for each in found.parameters.values() if each.name != "self"]
        types = (*given, str(found.return_annotation))
        assert [text for text in types if re.search(r"\bAny\b", text)] == [], name
