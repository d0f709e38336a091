"""Count once: the distinct tuples of the quasi-identifiers, their roll-up, and the compiled kernels."""

from __future__ import annotations

from paretonym.counts import kernel_interface, kernel_library
from paretonym.counts.class_statistics import Kind, Link, Statistic, margins_for, requests_for
from paretonym.counts.cube import Axis, Cube, Margin, Memory
from paretonym.counts.genome_counts import Rule, genome_counter
from paretonym.counts.kernel_interface import Best, Bounds, Waiting
from paretonym.counts.node_counts import Counted, joined, room
from paretonym.counts.numpy_rollup import cells_at, node_facts
from paretonym.counts.numpy_statistics import (
    class_values,
    combined,
    exact_values,
    input_shares,
    linked,
    over_staying,
)
from paretonym.counts.pruning import (
    best_costs,
    enter_stairs,
    first_above,
    nobody,
    open_nodes,
    scratch,
    settle,
    waiting_nodes,
    with_witnesses,
)
from paretonym.counts.rollup import Visits
from paretonym.counts.tuple_counts import count_tuples
from paretonym.counts.tuple_layout import Plan, jumping_order, lay_out, most_thresholds, walking_order

__all__ = [
    "Axis",
    "Best",
    "Bounds",
    "Counted",
    "Cube",
    "Kind",
    "Link",
    "Margin",
    "Memory",
    "Plan",
    "Rule",
    "Statistic",
    "Visits",
    "Waiting",
    "best_costs",
    "cells_at",
    "class_values",
    "combined",
    "count_tuples",
    "enter_stairs",
    "exact_values",
    "first_above",
    "genome_counter",
    "input_shares",
    "joined",
    "jumping_order",
    "kernel_interface",
    "kernel_library",
    "lay_out",
    "linked",
    "margins_for",
    "most_thresholds",
    "nobody",
    "node_facts",
    "open_nodes",
    "over_staying",
    "requests_for",
    "room",
    "scratch",
    "settle",
    "waiting_nodes",
    "walking_order",
    "with_witnesses",
]
