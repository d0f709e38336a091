"""A release that is attacked, made ready: what its rows show, and how a person would look in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paretonym.release.audit.engine import Engine
from paretonym.release.audit.meaning import Original
from paretonym.release.audit.recoded import plain_texts
from paretonym.release.audit.shownsets import NOWHERE, Shown
from paretonym.release.audit.tablefile import TableFile, listed


@dataclass(frozen=True, eq=False)
class Target:
    """`mark` tells the tables of several targets apart; `claimed` is the k that the manifest claims."""

    file: TableFile
    look: Shown
    claimed: int | None
    mark: str

    @property
    def engine(self) -> Engine:
        return self.file.engine

    def quasi(self, original: Original) -> list[str]:
        return [self.file.column(column.name) for column in original.quasi]

    def looks(self) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
        """How each person looks here: the label of every quasi-identifier, as codes and texts by place."""
        codes, texts = {}, {}
        for column in self.look.columns:
            place = f"{self.mark}_{self.file.column(column.name)}"
            codes[place] = column.codes
            texts[place] = (*column.labels, NOWHERE)
        return codes, texts

    def show(self, original: Original) -> str:
        """Make a table of the release's different rows, how often each occurs (`n`) and how many look alike
        (`size`); its columns are marked. Its name."""
        name = f"shown_{self.mark}"
        labels = listed([f"{self.mark}_{place}" for place in self.quasi(original)])
        rows = f"select {listed(self.marked(original))}, count(*) as n from {self.file.view} group by all"
        self.engine.run(
            f"create or replace temp table {name} as "
            f"select *, sum(n) over (partition by {labels})::bigint as size from ({rows})"
        )
        return name

    def marked(self, original: Original) -> list[str]:
        """The file's columns for comparing, each with the mark. Labels of quasi-identifiers are compared as
        they stand: a missing one has a label of its own."""
        quasi = set(self.quasi(original))
        columns = zip(map(self.file.column, self.file.names), plain_texts(self.file, original), strict=True)
        return [f"{place if place in quasi else plain} as {self.mark}_{place}" for place, plain in columns]

    def k(self, shown: str) -> int:
        """What is claimed, else what is there."""
        if self.claimed is not None:
            return self.claimed
        return self.engine.count(f"select min(size) from {shown}")
