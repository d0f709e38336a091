"""Adding rows to a release: new rows recoded as the old release shows them."""

from __future__ import annotations

from paretonym.release.append.appended_release import Union

__all__ = [
    "Union",
]
