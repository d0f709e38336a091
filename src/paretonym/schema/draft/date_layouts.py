"""Which date formats fit the values of a column."""

from __future__ import annotations

import re
from typing import NamedTuple

from paretonym.schema.hierarchies.date_line import read_days

MOST_TRIED = 20_000
MOST_SAMPLED = 100
DIGITS = re.compile(r"[0-9]")
DAYS = (
    None, "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y.%m.%d", "%Y%m%d",
    "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y",
)  # fmt: skip
MOMENTS = tuple(f"{day} {clock}" for day in DAYS[1:9] for clock in ("%H:%M", "%H:%M:%S"))
FIRST_YEAR, LAST_YEAR = 1850, 2100


class Layouts(NamedTuple):
    """`common`: the formats that fit every value; `several`: those needed together, if none fits all."""

    common: tuple[str | None, ...] = ()
    several: tuple[str | None, ...] = ()


def find_layouts(texts: tuple[str, ...]) -> Layouts:
    """The formats in which every one of these texts is a date of our times (None is ISO).

    >>> find_layouts(("31.01.2020", "01.02.2020")).common, find_layouts(("01/02/2020",)).common
    (('%d.%m.%Y',), ('%d/%m/%Y', '%m/%d/%Y'))
    """
    tried = texts[:: max(1, len(texts) // MOST_TRIED)]
    if not all(map(_may_be_date, tried)):
        return Layouts()
    sample = tried[:: max(1, len(tried) // MOST_SAMPLED)]
    likely = [layout for layout in (*DAYS, *MOMENTS) if _fitting(sample, layout)]
    fits = {layout: _fitting(tried, layout) for layout in likely}
    common = tuple(layout for layout, found in fits.items() if len(found) == len(tried))
    if common:
        return Layouts(common=common)
    covered = frozenset().union(*fits.values())
    return Layouts(several=tuple(fits)) if len(covered) == len(tried) else Layouts()


def _may_be_date(text: str) -> bool:
    """A quick look before formats are tried: five digits at least, and not too long."""
    return 6 <= len(text.strip()) <= 32 and len(DIGITS.findall(text)) >= 5


def _fitting(texts: tuple[str, ...], layout: str | None) -> frozenset[int]:
    """The places of the texts that are dates of this format."""
    # Without separators, strptime would also read 2020112.
    if layout == "%Y%m%d" and any(len(text.strip()) != 8 for text in texts):
        return frozenset()
    days = read_days(texts, layout)
    first, last = FIRST_YEAR * 365.2425, (LAST_YEAR + 1) * 365.2425
    return frozenset(place for place, day in enumerate(days.tolist()) if first <= day <= last)
