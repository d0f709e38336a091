"""What an attack is about: the files, the people by kinds, and the worlds that are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.attacks.background_knowledge import Kinds
from paretonym.attacks.findings import Rules
from paretonym.attacks.possible_worlds import Worlds
from paretonym.attacks.published_file import Codebook, Published
from paretonym.audits.schema_adapter import Original


@dataclass(frozen=True, eq=False)
class Case:
    """Everything that an attack is about: the files, the people by kinds, and the worlds left."""

    releases: Sequence[Published]
    book: Codebook
    original: Original | None
    kinds: Kinds
    worlds: Worlds
    truth: Integers | None
    rules: Rules
    possible: npt.NDArray[np.bool_] | None = None

    @property
    def sensitive(self) -> list[str]:
        """The sensitive columns that a file shows, in order."""
        names = [name for release in self.releases for name in release.description.named("sensitive")]
        return [name for name in dict.fromkeys(names) if name in self.book.columns]
