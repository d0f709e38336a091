"""Boxes of genomes, each between its forced and its allowed cuts, and what is proven about them."""

from __future__ import annotations

from typing import NamedTuple

from paretonym.arrays import Floats, Integers
from paretonym.spaces.cuts.genome_space import Genomes


class Boxes(NamedTuple):
    """Boxes of genomes: the cuts that all have, and those that some may have; bounds are asked for sizes of
    the smallest class from place `low` up to but excluding `high`, and `least` is what is known."""

    forced: Genomes
    allowed: Genomes
    low: Integers
    high: Integers
    least: Floats


class Bounded(NamedTuple):
    """Bounds of boxes, the gap at which to divide each (-1: it needs no division), and a genome of each."""

    least: Floats
    gap: Integers
    genomes: Genomes
