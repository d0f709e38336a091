"""Counting, done once: the distinct tuples of the quasi-identifiers, their roll-up, and the compiled
kernels."""

from __future__ import annotations

from paretonym.engine.counts import kernel_interface, kernel_library
from paretonym.engine.counts.class_statistics import Kind, Link, Statistic, requests_for
from paretonym.engine.counts.cube import Axis, Cube, Margin, Population, Purpose, Sample
from paretonym.engine.counts.person_counts import Households, Persons
from paretonym.engine.counts.population_counts import count_population
from paretonym.engine.counts.purpose_counts import declared_purposes
from paretonym.engine.counts.purpose_rows import AnalysedColumn, AnalysedRows
from paretonym.engine.counts.rollup import Counted, Visits
from paretonym.engine.counts.sampling_weights import Weights
from paretonym.engine.counts.tuple_counts import count_tuples, count_weights
from paretonym.engine.counts.tuple_layout import Plan
from paretonym.engine.counts.unit_rollup import count_units_at

__all__ = [
    "AnalysedColumn",
    "AnalysedRows",
    "Axis",
    "Counted",
    "Cube",
    "Households",
    "Kind",
    "Link",
    "Margin",
    "Persons",
    "Plan",
    "Population",
    "Purpose",
    "Sample",
    "Statistic",
    "Visits",
    "Weights",
    "count_population",
    "count_tuples",
    "count_units_at",
    "count_weights",
    "declared_purposes",
    "kernel_interface",
    "kernel_library",
    "requests_for",
]
