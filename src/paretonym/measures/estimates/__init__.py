"""What a reader of a release would estimate, compared with the truth: populations and counting queries."""

from __future__ import annotations

from paretonym.measures.estimates.released_regions import Seen

__all__ = [
    "Seen",
]
