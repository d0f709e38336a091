"""Compiled: the classes that one genome makes of the tuples."""

from __future__ import annotations

import numpy as np

from paretonym.cube.compiling import compiled


@compiled
def find_classes(tuples, genome, scratch):
    """Put every tuple into its class: `scratch.class_of`, and the rows of each in `scratch.held.counts[0]`.
    Returns how many classes there are."""
    group_atoms(tuples, genome, scratch)
    slots = number_combinations(tuples, scratch)
    add_parts(tuples, scratch)
    found = by_place(tuples, scratch) if slots <= len(scratch.table) else by_hashing(tuples, scratch)
    scratch.held.lengths[0] = found
    return found


@compiled
def group_atoms(tuples, genome, scratch):
    """The group of every atom, what a row costs there, and what all rows cost."""
    scratch.totals[:] = 0.0
    for axis in range(len(tuples.axes)):
        start, end = tuples.atom_starts[axis], tuples.atom_starts[axis + 1]
        atoms = end - start
        # The bits of an axis begin one place earlier for each axis before it: an axis has one gap less.
        bits = start - axis
        group, first = 0, 0
        for atom in range(atoms):
            if atom == atoms - 1 or genome[bits + atom]:
                place = tuples.cost_starts[axis] + first * (atoms + 1) + atom + 1
                rows = 0
                for member in range(start + first, start + atom + 1):
                    scratch.group_of[member] = group
                    rows += tuples.atom_rows[member]
                for cost in range(len(tuples.costs)):
                    unit = tuples.costs[cost, place]
                    scratch.totals[cost] += unit * rows
                    for member in range(start + first, start + atom + 1):
                        scratch.unit[cost, member] = unit
                group += 1
                first = atom + 1
        scratch.groups[axis] = group


@compiled
def number_combinations(tuples, scratch):
    """A number for each combination of each part, so that equal sums over the parts are equal classes.
    Returns how large such sums can be."""
    stride = 1
    for part in range(len(tuples.part_axes) - 1):
        weigh_groups(tuples, scratch, part)
        width = np.uint64(tuples.part_axes[part + 1] - tuples.part_axes[part])
        place = np.uint64(tuples.atom_places[part])
        found = 0
        for combination in range(tuples.combination_starts[part], tuples.combination_starts[part + 1]):
            code = np.uint32(0)
            for i in range(width):
                code += scratch.weighted[tuples.combinations[place + i]]
            place += width
            number = scratch.dense[code]
            if number < 0:
                number = found
                scratch.dense[code] = number
                scratch.touched[found] = code
                found += 1
            scratch.codes[combination] = number * stride
        for i in range(found):
            scratch.dense[scratch.touched[i]] = -1
        stride *= found
    return stride


@compiled
def weigh_groups(tuples, scratch, part):
    """Multiply the groups of a part's atoms so that their sums tell combinations of groups apart."""
    weight = 1
    for i in range(tuples.part_axes[part], tuples.part_axes[part + 1]):
        axis = tuples.axes[i]
        for atom in range(tuples.atom_starts[axis], tuples.atom_starts[axis + 1]):
            scratch.weighted[atom] = scratch.group_of[atom] * weight
        weight *= scratch.groups[axis]


@compiled
def add_parts(tuples, scratch):
    """The place of each tuple's class: the sum over the parts."""
    codes, slots = scratch.codes, scratch.slots
    first = tuples.parts[0]
    for t in range(np.uint64(len(slots))):
        slots[t] = codes[first[t]]
    for part in range(1, len(tuples.parts)):
        row = tuples.parts[part]
        for t in range(np.uint64(len(slots))):
            slots[t] += codes[row[t]]


@compiled
def by_place(tuples, scratch):
    table, counts, slots, rows = scratch.table, scratch.held.counts[0], scratch.slots, tuples.counts
    found = np.int32(0)
    for t in range(np.uint64(len(rows))):
        slot = np.uint64(slots[t])
        number = table[slot]
        if number < 0:
            number = found
            table[slot] = number
            scratch.touched[found] = slot
            scratch.shown_by[found] = t
            counts[found] = 0
            found += np.int32(1)
        counts[np.uint64(number)] += rows[t]
        scratch.class_of[t] = number
    for i in range(found):
        table[scratch.touched[i]] = -1
    return np.int64(found)


@compiled
def by_hashing(tuples, scratch):
    hashed, keys, counts = scratch.hashed, scratch.keys, scratch.held.counts[0]
    mask = np.uint64(len(hashed) - 1)
    found = 0
    for t in range(len(tuples.counts)):
        slot = scratch.slots[t]
        mixed = np.uint64(slot) * np.uint64(0x9E3779B97F4A7C15)
        place = (mixed ^ (mixed >> np.uint64(32))) & mask
        while hashed[place] >= 0 and keys[place] != slot:
            place = (place + np.uint64(1)) & mask
        number = hashed[place]
        if number < 0:
            number = found
            hashed[place] = number
            keys[place] = slot
            scratch.touched[found] = place
            scratch.shown_by[found] = t
            counts[found] = 0
            found += 1
        counts[number] += tuples.counts[t]
        scratch.class_of[t] = number
    for i in range(found):
        hashed[scratch.touched[i]] = -1
    return found


@compiled
def class_costs(tuples, scratch, which):
    """What one row of a class costs, into `scratch.held.costs`."""
    t = scratch.shown_by[which]
    for cost in range(len(tuples.costs)):
        total = 0.0
        for axis in range(len(tuples.axes)):
            total += scratch.unit[cost, tuples.atoms[t, axis]]
        scratch.held.costs[0, cost, which] = total


@compiled
def count_values(tuples, scratch):
    """How often each value of the further columns occurs in each class."""
    cells = scratch.held.cells[0]
    cells[: scratch.held.lengths[0]] = 0
    for t in range(len(tuples.counts)):
        which = scratch.class_of[t]
        for entry in range(tuples.value_starts[t], tuples.value_starts[t + 1]):
            cells[which, tuples.values[entry]] += tuples.value_counts[entry]
