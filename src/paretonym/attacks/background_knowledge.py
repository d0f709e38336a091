"""Background knowledge: the attacker knows everybody's quasi-identifiers, and therefore which classes
everybody fits.

People who fit the same classes of every release are of one kind: nothing published distinguishes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.attacks.published_file import Codebook, Published
from paretonym.audits import (
    KeptMeaning,
    NotMeasurable,
    Original,
    Shown,
)
from paretonym.errors import InputError, shown

Fitting: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Fits:
    """The classes of one release that people fit: for each person, the number of a set of classes. Of a
    counted original an entry is not one person but as many as `weights` says."""

    of_person: Integers
    sets: tuple[Fitting, ...]
    weights: Integers | None = None


@dataclass(frozen=True, eq=False)
class Kinds:
    """People by the classes they fit: the kind of each person, how many are of each, and for each kind and
    release the classes that fit. `may_lack`: whether the release may lack people of this kind, although they
    fit a class, since it shows fewer rows than people who fit. Of a counted original, an entry of `of_person`
    is not one person but as many, all alike, as `weights` says."""

    of_person: Integers
    people: Integers
    fitting: tuple[tuple[Fitting, ...], ...]
    may_lack: npt.NDArray[np.bool_]
    weights: Integers | None = None

    def number(self, marked: npt.NDArray[np.bool_]) -> int:
        """How many people the marked entries are."""
        return int(marked.sum() if self.weights is None else self.weights[marked].sum())

    def __len__(self) -> int:
        return len(self.people)

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which kinds fit a class of which release."""
        return np.array([[bool(one) for one in kind] for kind in self.fitting], dtype=np.bool_).reshape(
            len(self.fitting), -1
        )


def fits(release: Published, original: Original) -> Fits:
    """Which classes of a release everybody of the original fits."""
    known = _columns_of(release, original)
    look = _look(release, known)
    of_labels: dict[Fitting, int] = {}
    codes = np.stack([column.codes for column in look.columns], axis=1)
    rows, of_person = np.unique(codes, axis=0, return_inverse=True)
    labels = [column.labels for column in look.columns]
    numbers = np.array(
        [of_labels.setdefault(_classes(release, labels, row), len(of_labels)) for row in rows.tolist()],
        dtype=np.int64,
    )
    found = numbers[of_person.reshape(-1)]
    if look.several is not None:
        _place_several(release, look, labels, of_labels, found)
    description, nothing = release.description, of_labels.setdefault((), len(of_labels))
    together = description.suppressed_with
    if description.added:
        # Who stays depends on the older release too. But a row that is not there took its unit's others.
        stay = known.entries_without(found == nothing, together)
    else:
        stay = known.entries_that_stay(of_person.reshape(-1), together, description.recoding.keep)
    if stay is not None:
        # Somebody who knows everybody's rows knows whose were suppressed with others.
        found[~stay] = nothing
    return Fits(found, tuple(of_labels), original.weights)


def _classes(release: Published, labels: Sequence[Sequence[str]], row: Sequence[int]) -> Fitting:
    if any(code >= len(own) for own, code in zip(labels, row, strict=True)):
        return ()
    return release.places.get(tuple(own[code] for own, code in zip(labels, row, strict=True)), ())


def _place_several(
    release: Published,
    look: Shown,
    labels: Sequence[Sequence[str]],
    of_labels: dict[Fitting, int],
    found: Integers,
) -> None:
    """People who fit several classes, each with all of them."""
    if look.several is None:
        return
    rows, places = look.several.entries, look.several.labels
    starts = np.flatnonzero(np.r_[True, np.diff(rows) != 0])
    for first, after in zip(starts.tolist(), [*starts[1:].tolist(), len(rows)], strict=True):
        classes = {c for row in places[first:after].tolist() for c in _classes(release, labels, row)}
        found[rows[first]] = of_labels.setdefault(tuple(sorted(classes)), len(of_labels))


def _columns_of(release: Published, original: Original) -> Original:
    lacking = [column.name for column in original.quasi if column.name not in release.quasi]
    if lacking or not original.quasi:
        raise InputError.of(
            release.place,
            f"its columns are not those that the schema releases: {shown(lacking)}",
            "give its own schema",
        )
    # In the order of the file, as its classes are.
    order = {name: place for place, name in enumerate(release.quasi)}
    return replace(original, quasi=tuple(sorted(original.quasi, key=lambda column: order[column.name])))


def _look(release: Published, original: Original) -> Shown:
    """How the release shows everybody."""
    description = release.description
    if description.bucket is not None:
        return Shown.unchanged(original)
    try:
        return Shown.by(description.recoding_for_rows, release.file, original)
    except NotMeasurable as reason:
        raise InputError.of(release.place, str(reason), "give the schema it was made with") from None


def kinds(releases: Sequence[Published], found: Sequence[Fits]) -> Kinds:
    """Everybody by the classes that fit, in all releases at once."""
    stacked = np.stack([one.of_person for one in found], axis=1)
    rows, of_person = np.unique(stacked, axis=0, return_inverse=True)
    weights = found[0].weights
    people = np.bincount(of_person.reshape(-1), weights, len(rows)).astype(np.int64)
    fitting = tuple(
        tuple(one.sets[place] for one, place in zip(found, row, strict=True)) for row in rows.tolist()
    )
    lacking = [
        _lacking(release, one)[rows[:, place]]
        for place, (release, one) in enumerate(zip(releases, found, strict=True))
    ]
    return Kinds(of_person.reshape(-1), people, fitting, np.stack(lacking, axis=1), weights)


def _lacking(release: Published, found: Fits) -> npt.NDArray[np.bool_]:
    """For each set of classes, whether people who fit it may be suppressed: the classes that share people
    have fewer rows than people, taken together."""
    root, rows, people = classes_together(release, found)
    short = rows < people
    return np.array([bool(one) and short[root[one[0]]] for one in found.sets])


def strangers(release: Published, found: Fits) -> int:
    """Rows of a release that cannot belong to anybody: more than there are people who fit their classes."""
    _, rows, people = classes_together(release, found)
    return int(np.maximum(rows - people, 0).sum())


def classes_together(release: Published, found: Fits) -> tuple[Integers, Integers, Integers]:
    """Classes that share people: the first of those that belong together with each, and by that one how many
    rows they have and how many people fit them."""
    parent = list(range(len(release.classes)))

    def top(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for one in found.sets:
        for other in one[1:]:
            parent[top(other)] = top(one[0])
    root = np.array([top(place) for place in range(len(parent))], dtype=np.int64)
    rows = np.bincount(root, release.sizes, len(parent)).astype(np.int64)
    people = np.zeros(len(parent), dtype=np.int64)
    counts = np.bincount(found.of_person, found.weights, len(found.sets)).astype(np.int64).tolist()
    for one, number in zip(found.sets, counts, strict=True):
        if one:
            people[root[one[0]]] += number
    return root, rows, people


def true_cells(releases: Sequence[Published], original: Original, book: Codebook) -> Integers:
    """Everybody's values in the columns of the code book; -1 for a column that the original does not have."""
    kept = {column.name: column for column in original.kept}
    truth = np.full((original.entries, len(book.columns)), -1, dtype=np.int64)
    for place, name in enumerate(book.columns):
        if name in kept:
            truth[:, place] = _coded(releases, kept[name], original, book)
    return truth


def _coded(
    releases: Sequence[Published], column: KeptMeaning, original: Original, book: Codebook
) -> Integers:
    """Texts of the original as a file that has the column writes them."""
    file = next(each for one in releases for each in one.files if column.name in each.names)
    file.engine.lookup("kept_texts", column.texts)
    expression = file.plain("text", file.column(column.name), original.null)
    rows = file.engine.rows(f"select {expression} from kept_texts order by code")
    return book.codes(column.name, [text for (text,) in rows])[column.codes]


def measured(original: Original | None, book: Codebook, column: str) -> Integers:
    """The measured value of each text of a sensitive column, as a number."""
    texts = book.texts[column]
    places = np.arange(len(texts), dtype=np.int64)
    kept = next((one for one in original.kept if one.name == column), None) if original else None
    if kept is None or not kept.measured:
        return places
    of_text = dict(zip(kept.texts, kept.measured, strict=True))
    first: dict[str, int] = {}
    for text, place in texts.items():
        value = of_text.get(text, text)
        places[place] = first.setdefault(value, place)
    return places
