"""Hierarchies of characters: masked from the right, or kept from the left. Values stay text throughout, so
leading zeros stay too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from paretonym.schema.hierarchies.hierarchy_draft import Draft, Shown, Values, as_is, runs
from paretonym.schema.hierarchies.specifications import Keep, Mask

ORIGIN = "the distinct values that occur"


def build_mask(kind: Mask, values: Values) -> Draft:
    """Level i masks the last i characters: 1234, 123*, 12**, …

    A label says how long its values are, so 12* and 12** stay apart and no two sets share one; only values
    with no character left are one set at their level, whatever their length.
    """
    by_text = _sorted(values.texts)
    lengths = np.fromiter(map(len, values.texts), dtype=np.int64, count=len(values.texts))
    order = by_text[np.argsort(lengths[by_text], kind="stable")]
    longest = int(lengths.max(initial=0))
    labels = [_masked(stars, longest) for stars in range(1, kind.characters + 1)]
    return _draft(values.texts, order, labels)


def build_keep(kind: Keep, values: Values) -> Draft:
    """Level i shows the first n characters: 12345, 123*, 1*. A value that is no longer is shown as it is; 123
    itself belongs to 123*."""
    return _draft(values.texts, _sorted(values.texts), [_kept(count) for count in kind.characters])


def _masked(stars: int, longest: int) -> Callable[[str], str]:
    nothing_left = "*" * min(stars, longest)
    return lambda text: text[:-stars] + "*" * stars if len(text) > stars else nothing_left


def _kept(count: int) -> Callable[[str], str]:
    return lambda text: f"{text[:count]}*" if len(text) >= count else text


def _draft(texts: tuple[str, ...], order: npt.NDArray[np.int64], labels: list[Callable[[str], str]]) -> Draft:
    """Levels that show each leaf by its label, over leaves in an order that keeps equal labels together."""
    leaves = tuple(texts[index] for index in order.tolist())
    codes = np.empty(len(order), dtype=np.int32)
    codes[order] = np.arange(len(order), dtype=np.int32)
    return Draft(leaves, tuple(_levels(leaves, labels)), codes, ORIGIN)


def _levels(leaves: tuple[str, ...], labels: list[Callable[[str], str]]) -> list[Shown]:
    """One level a labelling. Each is made from the first leaf of each set below: the levels nest."""
    levels, firsts = [as_is(leaves)], leaves
    for label in labels:
        shown = np.array([label(text) for text in firsts], dtype=object)
        groups, first = runs(np.asarray(shown[1:] != shown[:-1], dtype=np.bool_), len(shown))
        levels.append(Shown(groups[levels[-1].groups], tuple(shown[first])))
        firsts = tuple(firsts[index] for index in first.tolist())
    return levels


def _sorted(texts: tuple[str, ...]) -> npt.NDArray[np.int64]:
    return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
