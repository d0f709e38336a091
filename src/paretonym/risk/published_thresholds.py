"""Smallest classes that are asked for in practice, with their sources. None of them is a law of nature."""

from __future__ import annotations

from typing import NamedTuple


class Threshold(NamedTuple):
    """A smallest class that somebody asks for: who, and where that can be read."""

    k: int
    who: str
    source: str

    @property
    def risk(self) -> float:
        """The risk of one person that it allows at most."""
        return 1 / self.k


THRESHOLDS = (
    Threshold(
        3, "some custodians of health data, for recipients they trust",
        "El Emam 2013, Guide to the De-Identification of Personal Health Information, cell size precedents",
    ),
    Threshold(
        5, "the usual rule of data custodians: no cell below five",
        "El Emam 2013, Guide to the De-Identification of Personal Health Information, cell size precedents",
    ),
    Threshold(
        11, "public release of health data in the United States; a risk of at most 0.09 for clinical reports "
        "in Europe and Canada",
        "El Emam 2013 (as above); EMA 2016, guidance on the implementation of Policy 0070; Health Canada "
        "2019, Public Release of Clinical Information; IPC Ontario 2025, De-Identification Guidelines for "
        "Structured Data (low sensitivity)",
    ),
    Threshold(
        20, "public release of sensitive data: a risk of at most 0.05",
        "El Emam 2013 (as above); IPC Ontario 2025, De-Identification Guidelines for Structured Data (high "
        "sensitivity)",
    ),
)  # fmt: skip


def reached(k: float) -> tuple[Threshold, ...]:
    """The thresholds that a smallest class of k reaches.

    >>> [threshold.k for threshold in reached(11)]
    [3, 5, 11]
    """
    return tuple(threshold for threshold in THRESHOLDS if k >= threshold.k)
