"""The C interface of `kernels/*.c`, declared once as data: structures, functions and their arguments.

`kernel_declarations.py` says how a declaration is read.
"""

from __future__ import annotations

from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.engine.counts.kernel_declarations import Structure, functions_of

Words: TypeAlias = npt.NDArray[np.uint64]
Small: TypeAlias = npt.NDArray[np.int32]
Unsigned: TypeAlias = npt.NDArray[np.uint32]


class Layout(Structure):
    """Layout of keys, and what levels do to them: see `tuple_layout.py`."""

    fields = """
        positions words widest mapped costs united
        const int64: word[positions] shift[positions] bits[positions] steps[positions]
            single[positions widest] starts[positions widest widest] unit_starts[positions widest]
        const uint64: mappings[mapped]
        const int64: units[costs united]
    """


class Classes(Structure):
    """Classes: their keys, rows, and the counts of the further columns' values."""

    fields = """
        length words width
        uint64: keys[length words]
        int64: counts[length]
        int32: cells[length width]
    """


class Table(Structure):
    """A hash table."""

    fields = """
        size
        uint32: slots[size]
    """

    @classmethod
    def for_classes(cls, classes: int) -> Self:
        """Memory to distinguish this many classes."""
        return cls.made(size=max(16, 1 << (2 * classes - 1).bit_length()))


class Requests(Structure):
    """Which statistics of classes are wanted: see `class_statistics.py`."""

    fields = """
        statistics values branches persons
        const int64: kinds[statistics] combines[statistics] starts[statistics] widths[statistics]
            released[statistics] tree_starts[statistics] tree_levels[statistics] wholes[statistics]
            totals[values] tree[branches]
        const float64: parameters[statistics] shares[values]
    """


class Walk(Structure):
    """Memory of one thread for visiting nodes: see `rollup.py`."""

    fields = """
        positions tuples words width depth room rows prefixes costed blocks lasts last_words
        uint64: keys[room words] codes[tuples words] block_keys[blocks] taken[last_words]
        int64: counts[room] begins[rows] lengths[rows] levels[positions] holder[positions] kept[prefixes]
            used[2] source[positions] block_begins[blocks] block_sizes[blocks] block_target[blocks]
            block_head[blocks] dense[lasts]
        int32: cells[room width]
        int64: class_costs[costed]
    """


class Entries(Structure):
    """Counts of values within classes, where most are 0: class `owner[i]` has `count[i]` rows of value
    `value[i]`. Ascending by value, each class once for a value."""

    fields = """
        length
        int32: value[length] owner[length] count[length]
    """


class EntryRows(Structure):
    """Memory of one thread for the entries of a walk's rows; `tuples` is 0 without entries."""

    fields = """
        rows room tuples
        int32: value[room] owner[room] count[room] last[tuples]
        int64: begins[rows] lengths[rows] target[tuples] used[1]
    """


class Holders(Structure):
    """Who has what, where a person may be in several classes: the value of an entry is then the number of a
    holder. Person `person[h]` has value `value[h]` (-1: is there); with person -1, rows have it. Ascending by
    person. Then memory of one thread for the classes of a node."""

    fields = """
        holders classes width
        const int32: person[holders] value[holders]
        int64: counts[classes]
        int32: met[classes] cells[classes width]
    """


class Counted(Structure):
    """Where candidates go."""

    fields = """
        room facts costs statistics
        int64: node[room] fact[room facts] cost[room costs]
        float64: statistic[room statistics]
    """


class Thresholds(Structure):
    """Scratch memory for thresholds on classes: see `rollup.py`."""

    fields = """
        classes ranked limit most statistics costs values listed lists sums branches counted
        int64: persons[counted] rows[counted] histogram[limit] sizes[most] gone[most] small[classes]
            rank[ranked] order[ranked] spare[ranked] rank_rows[ranked] rank_classes[ranked]
            rank_squares[ranked] rank_unique[ranked] rank_people[ranked] rank_row_squares[ranked]
            rank_smallest[ranked] totals[values] sorting[values] starts[lists]
            rank_costs[ranked costs] gone_costs[costs]
        int32: listed_value[listed] listed_count[listed]
        float64: measured[statistics classes] goodness[2 ranked] rank_measured[ranked statistics]
            shares[values] running[sums] set_shares[branches]
    """

    @classmethod
    def for_classes(
        cls,
        classes: int,
        requests: Requests,
        costs: int,
        suppressible: int | None,
        entries: int = 0,
        persons: bool = False,
    ) -> Self:
        """Memory for thresholds on class size if the number of rows that may be suppressed is given,
        otherwise on pairs; with `entries`, for so many counts of values that are listed. `persons`: sizes are
        numbers of persons."""
        return cls.made(
            classes=classes,
            ranked=classes if suppressible is None else 0,
            limit=1 if suppressible is None else suppressible + 1,
            most=cls.most_of(suppressible or 0),
            statistics=requests.statistics,
            costs=costs,
            values=requests.values,
            listed=entries,
            lists=classes + 1 if entries else 0,
            sums=2 * (requests.values + 1) if entries else 0,
            branches=requests.branches if entries else 0,
            counted=classes if persons else 0,
        )

    @staticmethod
    def most_of(suppressible: int) -> int:
        """The most thresholds a node can have when at most this many rows may be suppressed.

        Distinct sizes 1 + 2 + … + d of suppressed classes must not exceed the limit; one more size stays.
        """
        return int((1 + 8 * suppressible) ** 0.5) // 2 + 2


class Bounds(Structure):
    """The bounds of all nodes before they are evaluated: `known[node]` holds the best that the objectives at
    `place` can be (as costs), `staircase[node]` the fewest rows that must be suppressed for each of `sizes`;
    `size_place` is the place of k, -1 without it; `required` is the worst that objectives may be. `tops` are
    the highest levels, `weights` say how far apart the numbers of neighbours are. What is `conditional` holds
    only at nodes that are `whole`: nothing is suppressed there."""

    fields = """
        nodes places stairs objectives positions size_place suppressible
        float64: known[nodes places]
        int32: staircase[nodes stairs]
        const int64: sizes[stairs] place[places] tops[positions] weights[positions]
        int64: above[positions] conditional[places]
        uint8: whole[nodes]
        const float64: required[objectives]
    """


class Waiting(Structure):
    """Nodes to be tested, with their levels and the floors of their objectives as costs."""

    fields = """
        count positions objectives
        const int64: node[count] levels[count positions]
        const float64: least[count objectives] per_row[count objectives]
    """


class Best(Structure):
    """The frontier so far as costs, and room for two vectors."""

    fields = """
        length objectives
        float64: vectors[length objectives] ideal[objectives] stair[objectives]
    """


class Witnesses(Structure):
    """Witnesses of several nodes, one after another, class by class: tuples with their rows, and their keys
    at the node. Those of holder h, a node at `levels[h]`, begin at `starts[h]`."""

    fields = """
        room holders positions words begins width
        uint64: keys[room words] shown[room words]
        int64: rows[room]
        int32: cells[room width]
        const int64: starts[begins] levels[holders positions]
    """


class Tally(Structure):
    """Scratch memory for witnesses: rows in classes of each size up to `limit`."""

    fields = """
        tuples words limit sized positions width
        uint64: codes[tuples words] keys[tuples words] shared_keys[tuples words]
        int64: counts[tuples] shared_counts[tuples] target[tuples] members[tuples] by_size[sized]
            lowest[positions]
        int32: cells[tuples width] shared_cells[tuples width]
    """


class Genomes(Structure):
    """Tuples laid out for counting under many cuts: see `engine/spaces/cuts/genome_counts.py`."""

    fields = """
        axes parts atoms costs costed tuples combined listed entries rows named axes_after parts_after
            tuples_after
        const int64: atom_starts[axes_after] cost_starts[axes] atom_rows[atoms] axis[axes]
            part_axes[parts_after] combination_starts[parts_after] listed_starts[parts_after] counts[tuples]
            value_starts[tuples_after] line_atoms[axes] set_starts[axes_after]
        const uint32: combinations[listed] part[parts tuples]
        const int32: tuple_atoms[tuples axes] values[entries] value_counts[entries] edge_ranks[atoms]
            round_ranks[atoms] set_first[named] set_after[named]
        const bool: whole[atoms] followed[atoms] always[atoms]
        const int64: cost[costs costed]
    """


class GenomeSpace(Structure):
    """Memory of one thread for counting genomes."""

    fields = """
        axes atoms costs tuples combined dense_size limit width
        uint64: codes[tuples] part_codes[combined] keys[tuples]
        int64: groups[axes] touched[combined] class_of[tuples] histogram[limit] counts[tuples]
            staying[atoms]
        int32: group_of[atoms] dense[dense_size] cells[tuples width]
        uint32: weighted[atoms]
        int64: class_costs[tuples costs]
    """


class CutTable(Structure):
    """Tuples and costs for bounds over boxes of cuts: see `engine/spaces/cuts/cut_relaxation.py`."""

    fields = """
        axes atoms costed tuples axes_after rows
        const int64: atom_starts[axes_after] cost_starts[axes] counts[tuples] atom_rows[atoms]
            boundary[atoms]
        const int32: tuple_atoms[tuples axes]
        const float64: cost[costed] most[axes] whole[1]
    """


class CutSpace(Structure):
    """Memory of one thread for bounds over boxes of cuts."""

    fields = """
        tuples tuples_after atoms places sizes sizes_after
        uint64: codes[tuples] others[tuples] keys[tuples] atom_mark[atoms]
        int64: counts[tuples] merged_counts[tuples] target[tuples] shown_by[tuples] by_place[tuples]
            starts[tuples_after] stops[tuples] cell_rows[tuples] edges[places] run_first[places]
            run_after[places] rows_before[places] place_starts[places] chosen[places] largest[atoms]
            merged[1]
        int32: cell_place[tuples] forced_group[atoms] allowed_group[atoms]
        uint32: lost[places places sizes]
        bool: cuts[atoms]
        float64: least[places sizes] gone[places sizes] multiplier[sizes] tried[sizes] few[sizes]
            few_gone[sizes] many[sizes] many_gone[sizes] bound[sizes] own[sizes] steps[sizes_after]
            step_rows[sizes_after] row_cost[tuples] atom_cost[atoms] before_one[sizes]
            before_lost[sizes] gone_before_one[sizes] gone_before_lost[sizes] several_before[places]
            one_before[places] several_after[places] one_after[places] without[places]
    """


class LocalTable(Structure):
    """Tuples at every level of every column: see `engine/spaces/local/local_table.py`."""

    fields = """
        tuples columns places units words most
        const int32: prices[tuples places]
        const int64: first[columns] rows[tuples] sizes[tuples] costs[units] place[words 64] column[words 64]
        const uint64: keys[tuples words] below[words 64] above[words 64]
    """


class LocalSpace(Structure):
    """Memory of one thread for classes of tuples."""

    fields = """
        tuples columns words
        int32: shown_by[tuples] members[tuples] class[tuples]
        uint64: shared[tuples words]
        int64: units[tuples columns] sizes[tuples] rows[tuples] costs[tuples] bounds[tuples]
    """


class Neighbours(Structure):
    """Tuples at every level but the last of every column: see `engine/search/floor.py`."""

    fields = """
        tuples places
        const int32: groups[places tuples] steps[places tuples]
        const int64: sizes[tuples]
    """


class NeighbourSpace(Structure):
    """Memory of one thread for the nearest tuples of a row."""

    fields = """
        tuples bytes nearest depths room ranges
        int32: costs[tuples] table[bytes 256]
        uint8: differ[nearest bytes] joined[depths bytes]
        int64: sizes[nearest] lists[room] buckets[ranges]
    """


class PopulationSearch(Structure):
    """Tuples and predicates, and what is left of the tuples at each depth of a search for populations."""

    fields = """
        axes tuples predicates units depths
        const int32: groups[tuples axes]
        const int64: counts[tuples] axis[predicates] first[predicates] after[predicates] starts[depths]
        int32: active[depths tuples]
        int64: lengths[depths] cursor[depths] supports[depths predicates] before[units]
    """


class Splits(Structure):
    """Where quasi-identifiers may be split: see `engine/spaces/mondrian/splits.py`."""

    fields = """
        axes nodes axes_after units_after binary
        const int64: roots[axes_after] first[nodes] after[nodes] child[nodes] child_after[nodes]
            leaves_before[axes units_after] domains[axes] sizes[axes units_after] whole[axes]
        const int32: edge_ranks[axes units_after] round_ranks[axes units_after]
        const bool: line[nodes] followed[axes units_after]
    """


class Conditions(Structure):
    """The requirements on every part: see `engine/spaces/mondrian/partition_requirement.py`."""

    fields = """
        conditions values tuples_after entries members_after members held persons holders
        const int64: which[conditions] links[conditions] at_least[conditions] begins[tuples_after]
            value[entries] counts[entries] member_begins[members_after] member[members] holder[held]
        int64: met_person[persons] met_holder[holders] clock[1]
        int32: person_first[persons] person_last[persons]
        const float64: bounds[conditions]
    """


class Partition(Structure):
    """The tuples of a table in parts, and scratch memory for splitting them."""

    fields = """
        tuples axes units pieces pieces_after values
        const int32: groups[tuples axes]
        const int64: counts[tuples]
        int64: order[tuples] starts[tuples] stops[tuples] of_tuple[tuples] unit_rows[units] piece_rows[pieces]
            sorted[tuples] nodes[axes] ends[pieces_after] sorting[values]
        int32: cells[pieces values] low[tuples axes] high[tuples axes] unit_piece[units] piece_low[pieces]
            piece_high[pieces] piece[tuples] own_low[axes] own_high[axes]
        float64: spans[axes]
    """


class Improvement(Structure):
    """Costs of showing more, and scratch memory for splits that are tried out:
    see `engine/spaces/mondrian/partition.py`."""

    fields = """
        tuples axes pieces pieces_after units_after seed most
        const int64: prices[axes]
        int64: starts[tuples] stops[tuples] rules[tuples] rows[tuples] places[tuples] gains[tuples]
            ends[pieces_after] piece_rule[pieces] best_rule[pieces] arriving[units_after]
            leaving[units_after]
        int32: low[tuples axes] high[tuples axes] unit[tuples] part_low[axes] part_high[axes]
            piece_low[pieces] piece_high[pieces]
    """


FUNCTIONS = dict(
    functions_of("""
    group(Layout layout, Table table, const int64 low[layout.positions], const int64 high[layout.positions],
        Classes tuples, Classes out, uint64 codes[tuples.length tuples.words], int64 target[tuples.length])
        where layout.words = tuples.words = out.words, tuples.length = out.length, tuples.width = out.width;
    class_statistics(Requests requests, int64 which, Classes tuples, int64 sorting[requests.values],
        float64 out[tuples.length]) where requests.values = tuples.width;
    visit(Layout layout, Requests requests, Classes tuples, Entries entries, Holders holders, Walk walk,
        EntryRows kept, Table table, Thresholds space, Bounds bounds, int64 columns,
        const int64 thresholds[2 columns], int64 suppressible, int64 every, int64 nodes,
        const int64 numbers[nodes], const int64 levels[nodes layout.positions], Counted out, int64 written[1])
        where layout.words = tuples.words = walk.words, layout.positions = walk.positions,
        tuples.length = walk.tuples = space.classes, tuples.width = walk.width,
        requests.values = space.values, layout.costs = space.costs = out.costs,
        requests.statistics = space.statistics = out.statistics;
    open(Bounds bounds, Waiting waiting, Best best, int64 first, int64 length,
        const bool evaluated[bounds.nodes], int64 places[length])
        where bounds.objectives = waiting.objectives = best.objectives, bounds.positions = waiting.positions;
    improve(Bounds bounds, Waiting waiting, Best best, int64 tested, const int64 places[tested],
        bool open[tested])
        where bounds.objectives = waiting.objectives = best.objectives;
    first_above(int64 count, int64 others, int64 positions, const int64 levels[count positions],
        const int64 other_levels[others positions], int64 places[count]);
    settle(Layout layout, Requests requests, Witnesses witnesses, Table table, Tally tally, Bounds bounds,
        Waiting waiting, Best best, int64 asked, const int64 places[asked], const int64 holders[asked],
        int64 sorting[requests.values], bool open[asked], float64 worst[asked requests.statistics])
        where witnesses.width = tally.width, layout.words = witnesses.words = tally.words,
        layout.positions = witnesses.positions = waiting.positions = tally.positions,
        bounds.objectives = waiting.objectives = best.objectives;
    call(Layout layout, Classes tuples, Table table, Tally tally, Witnesses witnesses, int64 nodes,
        const int64 levels[nodes layout.positions], int64 wanted, int64 most, int64 first, int64 ends[nodes])
        where layout.words = tuples.words = tally.words = witnesses.words, tuples.length = tally.tuples,
        layout.positions = tally.positions;
    count_genomes(Genomes genomes, Requests requests, Table table, GenomeSpace own, Thresholds space,
        int64 columns, const int64 thresholds[2 columns], int64 rule, int64 whole, int64 suppressible,
        int64 count, int64 gaps, const bool bits[count gaps], Counted out, int64 written[1])
        where genomes.axes = own.axes, genomes.atoms = own.atoms,
        genomes.tuples = own.tuples = space.classes = space.ranked, genomes.combined = own.combined,
        genomes.costs = own.costs = space.costs = out.costs, requests.values = own.width = space.values,
        requests.statistics = space.statistics = out.statistics;
    bound_cuts(CutTable table, CutSpace space, Table slots, const int64 smallest[space.sizes],
        const float64 known[space.sizes], int64 suppressible, int64 boxes, int64 gaps,
        const bool forced[boxes gaps], const bool allowed[boxes gaps], const int64 low[boxes],
        const int64 high[boxes], float64 least[boxes space.sizes], int64 gap[boxes], bool genomes[boxes gaps])
        where table.tuples = space.tuples, table.atoms = space.atoms;
    find_populations(PopulationSearch search, int64 least, int64 room, int64 depths[room],
        int64 chosen[room]);
    estimate(int64 entries, int64 axes, int64 classes, int64 predicates, int64 values,
        const int64 depths[entries], const int64 chosen[entries], const int64 axis[predicates],
        const int64 first[predicates], const int64 after[predicates], const int64 low[axes classes],
        const int64 high[axes classes], const float64 cells[classes values], int64 levels,
        int32 active[levels classes], float64 weights[levels classes], int64 lengths[levels],
        float64 result[entries values]);
    mean_divergence(int64 entries, int64 values, int64 start, int64 stop, const float64 truth[entries values],
        const float64 guess[entries values], float64 result[1]);
    answer(int64 queries, int64 axes, int64 classes, int64 leaves, int64 values,
        const bool involved[queries axes], const int32 running[queries leaves], const int64 starts[axes],
        const bool marks[queries values], const int64 low[axes classes], const int64 high[axes classes],
        const float64 cells[classes values], float64 result[queries]);
    partition(Splits splits, Requests requests, Conditions asked, Partition own, int64 waiting,
        const int64 k[2])
        where splits.axes = own.axes, splits.units_after = own.units,
        requests.values = asked.values = own.values;
    improved_partition(Splits splits, Requests requests, Conditions asked, Partition own, Improvement more,
        int64 waiting, const int64 k[2])
        where splits.axes = own.axes = more.axes, splits.units_after = own.units = more.units_after,
        own.tuples = more.tuples, own.pieces = more.pieces, requests.values = asked.values = own.values;
    divide(LocalTable table, LocalSpace space, int64 blocks, const int64 ends[blocks],
        const int64 slack[blocks], int64 k, int64 allowed, int32 members[table.tuples],
        int32 class[table.tuples]) where table.tuples = space.tuples, table.columns = space.columns,
        table.words = space.words;
    least_unions(Neighbours table, NeighbourSpace space, int64 rows, const int64 row[rows], int64 sizes,
        const int64 size[sizes], int64 evaluations, int32 result[rows sizes])
        where table.tuples = space.tuples;
    minimal_uniques(int64 tuples, int64 columns, const int32 codes[columns tuples],
        const int64 counts[tuples], int64 size, int64 subsets, const int64 members[subsets size],
        const int64 parents[subsets size], int64 bytes, int64 previous, const uint8 known[previous bytes],
        Table table, uint8 shared[tuples], uint8 unique[subsets bytes], int64 found[subsets],
        int64 per_tuple[tuples]);
    """)
)
