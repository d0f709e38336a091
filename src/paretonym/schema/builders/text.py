"""Hierarchies of characters: masked from the right, or kept from the left. Values stay text throughout, so
leading zeros stay too."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from paretonym.schema.builders.values import Draft, Shown, Values, as_is, runs
from paretonym.schema.kinds import Keep, Mask

ORIGIN = "the distinct values that occur"


def build_mask(kind: Mask, values: Values) -> Draft:
    """Level i masks the last i characters: 1234, 123*, 12**, …

    A label says how long its values are, so 12* and 12** stay apart and no two sets share one; only values
    with no character left are one set at their level, whatever their length.
    """
    texts = pa.array(values.texts, type=pa.large_string())
    order = _sorted(pc.utf8_length(texts), texts)
    leaves = texts.take(pa.array(order))
    lengths = pc.utf8_length(leaves).to_numpy(zero_copy_only=False)
    levels = [_masked(leaves, lengths, stars) for stars in range(1, kind.characters + 1)]
    return _draft(leaves, order, levels)


def build_keep(kind: Keep, values: Values) -> Draft:
    """Level i shows the first n characters: 12345, 123*, 1*. A value that is no longer is shown as it is; 123
    itself belongs to 123*."""
    texts = pa.array(values.texts, type=pa.large_string())
    order = _sorted(texts)
    leaves = texts.take(pa.array(order))
    return _draft(leaves, order, [_kept(leaves, count) for count in kind.characters])


def _draft(leaves: Any, order: npt.NDArray[np.int64], levels: list[Shown]) -> Draft:
    codes = np.empty(len(order), dtype=np.int32)
    codes[order] = np.arange(len(order), dtype=np.int32)
    texts = tuple(leaves.to_pylist())
    return Draft(texts, (as_is(texts), *levels), codes, ORIGIN)


def _masked(leaves: Any, lengths: npt.NDArray[Any], stars: int) -> Shown:
    kept = pc.utf8_slice_codeunits(leaves, 0, -stars)
    longer = lengths[1:] > stars
    groups, first = runs(longer & (_differences(kept) | (lengths[1:] != lengths[:-1])), len(leaves))
    hidden = "*" * min(stars, int(lengths.max(initial=0)))
    return Shown(groups, tuple(f"{text}{hidden}" for text in kept.take(pa.array(first)).to_pylist()))


def _kept(leaves: Any, count: int) -> Shown:
    kept = pc.utf8_slice_codeunits(leaves, 0, count)
    groups, first = runs(_differences(kept), len(leaves))
    shown = kept.take(pa.array(first)).to_pylist()
    return Shown(groups, tuple(text if len(text) < count else f"{text}*" for text in shown))


def _sorted(*keys: Any) -> npt.NDArray[np.int64]:
    """The order by the keys, the first one first."""
    names = [f"key{number}" for number in range(len(keys))]
    table = pa.table(dict(zip(names, keys, strict=True)))
    order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in names])
    return np.asarray(order.to_numpy(), dtype=np.int64)


def _differences(texts: Any) -> npt.NDArray[np.bool_]:
    if len(texts) < 2:
        return np.zeros(0, dtype=np.bool_)
    different = pc.not_equal(texts.slice(1), texts.slice(0, len(texts) - 1))
    return np.asarray(different.to_numpy(zero_copy_only=False), dtype=np.bool_)
