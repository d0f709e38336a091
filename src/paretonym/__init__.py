"""paretonym: the whole trade-off between privacy and utility when a table about people is published.

>>> import paretonym as pn
>>> study = pn.example("adult")
>>> front = study.explore("k", "loss", suppress=0.01)
>>> print(front)
Frontier of 50 releases in (k, loss) over 30,162 rows, proven complete
"""

from __future__ import annotations

from paretonym.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from paretonym.errors import Bug, InputError, NoSolution, ParetonymError
    from paretonym.frontier.frontier import Frontier
    from paretonym.frontier.solution import Solution
    from paretonym.release.attack.attempt import attack, attack_pair, match_rows
    from paretonym.release.audit.auditing import audit
    from paretonym.reopened import load
    from paretonym.report.comparing import compare
    from paretonym.study import Study, example

__all__ = [
    "Bug",
    "Frontier",
    "InputError",
    "NoSolution",
    "ParetonymError",
    "Solution",
    "Study",
    "__version__",
    "attack",
    "attack_pair",
    "audit",
    "compare",
    "example",
    "load",
    "match_rows",
]

# Loaded when first used, so that `import paretonym` and `paretonym --help` stay quick, and Ctrl-C is watched
# for as soon as the command begins.
_LATER = {
    "Bug": "paretonym.errors",
    "InputError": "paretonym.errors",
    "NoSolution": "paretonym.errors",
    "ParetonymError": "paretonym.errors",
    "Study": "paretonym.study",
    "compare": "paretonym.report.comparing",
    "load": "paretonym.reopened",
    "Frontier": "paretonym.frontier.frontier",
    "Solution": "paretonym.frontier.solution",
    "example": "paretonym.study",
    "audit": "paretonym.release.audit.auditing",
    "attack": "paretonym.release.attack.attempt",
    "attack_pair": "paretonym.release.attack.attempt",
    "match_rows": "paretonym.release.attack.attempt",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'paretonym' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
