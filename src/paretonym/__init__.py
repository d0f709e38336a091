"""paretonym: the whole trade-off between privacy and utility when a table about people is published.

>>> import paretonym as pn
>>> study = pn.example("adult")
>>> front = study.explore("k", "loss", suppress=0.01, space="lattice")
>>> len(front), str(front.search)
(50, 'proven complete among releases with one level per column')
"""

from __future__ import annotations

from paretonym.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paretonym.audit import audit
    from paretonym.base.errors import (
        Bug,
        InputError,
        MissingExtra,
        NoSolution,
        ParetonymError,
        ParetonymWarning,
        UnknownName,
    )
    from paretonym.engine.measures import measures
    from paretonym.evidence.attacks import attack
    from paretonym.study import (
        Column,
        Run,
        Schema,
        Solution,
        Study,
        assert_k,
        compare,
        draft,
        example,
        k_anonymity,
        load,
    )

__all__ = [
    "Bug",
    "Column",
    "InputError",
    "MissingExtra",
    "NoSolution",
    "ParetonymError",
    "ParetonymWarning",
    "Run",
    "Schema",
    "Solution",
    "Study",
    "UnknownName",
    "__version__",
    "assert_k",
    "attack",
    "audit",
    "compare",
    "draft",
    "example",
    "k_anonymity",
    "load",
    "measures",
]

# Loaded when first used, so that `import paretonym` and `paretonym --help` stay quick, and Ctrl-C is watched
# for as soon as the command begins.
_LATER = {
    "Bug": "paretonym.base.errors",
    "InputError": "paretonym.base.errors",
    "MissingExtra": "paretonym.base.errors",
    "NoSolution": "paretonym.base.errors",
    "ParetonymError": "paretonym.base.errors",
    "ParetonymWarning": "paretonym.base.errors",
    "UnknownName": "paretonym.base.errors",
    "Column": "paretonym.study.python_schema",
    "Schema": "paretonym.study.python_schema",
    "assert_k": "paretonym.study.class_size_check",
    "k_anonymity": "paretonym.study.class_size_check",
    "Study": "paretonym.study.study",
    "compare": "paretonym.study.run_comparison",
    "load": "paretonym.study.explored_run",
    "Run": "paretonym.study.explored_run",
    "Solution": "paretonym.study.explored_run",
    "draft": "paretonym.study.notebook_tables",
    "example": "paretonym.study.study",
    "measures": "paretonym.engine.measures.measure_table",
    "audit": "paretonym.audit.audit",
    "attack": "paretonym.evidence.attacks.attack",
}


# Type checkers read the imports above, and know no other names.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _LATER:
            raise AttributeError(f"module 'paretonym' has no attribute '{name}'")
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
