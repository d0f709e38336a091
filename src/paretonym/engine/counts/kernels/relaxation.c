/* A lower bound of what all cuts of a box cost, for many sizes of the smallest class at once: one column at a
 * time is cut as well as it can be, while all others show only the cuts that every genome of the box has.
 * Twin: tests/naive/cut_relaxation.py.
 *
 * A box holds the genomes with all forced cuts and no cut that is not allowed. `places` of an axis are the groups of
 * its atoms under the allowed cuts; a group of a genome is a run of places between two forced cuts. A context is a
 * class of the forced cuts of all other axes. A row is lost if its context has fewer rows within its group than the
 * smallest class must have: adding cuts to other axes never brings it back. docs/explanation/how-far-from-optimal.md
 * has the proof. */
#include "relaxation.h"

/* The group of each atom within its axis. */
static void number_groups(const CutTable *table, const uint8_t *bits, int32_t *group_of) {
    for (int64_t axis = 0; axis < table->axes; axis++) {
        const int64_t start = table->atom_starts[axis], after = table->atom_starts[axis + 1];
        group_of[start] = 0;
        for (int64_t atom = start + 1; atom < after; atom++)
            group_of[atom] = group_of[atom - 1] + bits[atom - 1 - axis];
    }
}

/* The places of an axis: where each begins, the rows before it, and the run between forced cuts that it lies in. */
static int64_t lay_places(const CutTable *table, const CutSpace *space, int64_t axis) {
    const int64_t start = table->atom_starts[axis], atoms = table->atom_starts[axis + 1] - start;
    int64_t places = 0, rows = 0, first = 0;
    for (int64_t atom = 0; atom < atoms; atom++) {
        if (atom == 0 || space->allowed_group[start + atom] != space->allowed_group[start + atom - 1]) {
            if (atom && space->forced_group[start + atom] != space->forced_group[start + atom - 1]) first = places;
            space->edges[places] = atom;
            space->rows_before[places] = rows;
            space->run_first[places++] = first;
        }
        rows += table->atom_rows[start + atom];
    }
    space->edges[places] = atoms;
    space->rows_before[places] = rows;
    for (int64_t place = places - 1, after = places; place >= 0; place--) {
        space->run_after[place] = after;
        if (space->run_first[place] == place) after = place;
    }
    return places;
}

/* Whether every tuple has the groups of the tuple that it is shown by: equal codes are no proof of that. */
static int are_alike(const CutTable *table, const CutSpace *space) {
    for (int64_t t = 0; t < table->tuples; t++) {
        const int32_t *own = table->tuple_atoms + t * table->axes;
        const int32_t *shown = table->tuple_atoms + space->shown_by[space->target[t]];
        for (int64_t axis = 0; axis < table->axes; axis++) {
            const int32_t *groups = space->allowed_group + table->atom_starts[axis];
            if (groups[own[axis]] != groups[shown[axis]]) return 0;
        }
    }
    return 1;
}

/* Tuples that no genome of the box distinguishes, together: `merged` of them, each shown by one tuple. */
static void merge_tuples(const CutTable *table, const CutSpace *space, const Table *slots) {
    const int64_t tuples = table->tuples;
    const Classes source = {tuples, 1, 0, NULL, (int64_t *)table->counts, NULL};
    const Classes classes = {tuples, 1, 0, space->keys, space->merged_counts, NULL};
    memset(space->codes, 0, (size_t)tuples * sizeof *space->codes);
    for (int64_t axis = 0; axis < table->axes; axis++) {
        const int64_t start = table->atom_starts[axis];
        for (int64_t atom = start; atom < table->atom_starts[axis + 1]; atom++)
            space->atom_mark[atom - start] = mark_of(axis, space->allowed_group[atom]);
        for (int64_t t = 0; t < tuples; t++)
            space->codes[t] += space->atom_mark[table->tuple_atoms[t * table->axes + axis]];
    }
    space->merged[0] = group(slots, space->codes, &source, &classes, space->target);
    for (int64_t t = 0, found = 0; t < tuples; t++)
        if (space->target[t] == found) space->shown_by[found++] = t * table->axes;
    if (are_alike(table, space)) return;
    for (int64_t t = 0; t < tuples; t++) {
        space->merged_counts[t] = table->counts[t];
        space->shown_by[t] = t * table->axes;
    }
    space->merged[0] = tuples;
}

/* Whether an axis is divided by `relax`: undecided, and not too long. */
static int is_open(const CutTable *table, const CutSpace *space, int64_t axis) {
    const int64_t last = table->atom_starts[axis + 1] - 1;
    const int64_t places = (int64_t)space->allowed_group[last] + 1;
    return space->forced_group[last] != space->allowed_group[last] && places < space->places;
}

/* Up to which size the labels of an axis without undecided cuts may show its boundaries, given the classes of the
 * forced cuts: a group beside a boundary keeps rows as long as its largest class does. */
static int64_t shown_up_to(const CutTable *table, const CutSpace *space, int64_t axis) {
    const int64_t start = table->atom_starts[axis], after = table->atom_starts[axis + 1];
    const int32_t *group_of = space->forced_group;
    int64_t result = INT64_MAX;
    memset(space->largest, 0, (size_t)table->atoms * sizeof *space->largest);
    for (int64_t i = 0; i < space->merged[0]; i++) {
        int64_t *largest = space->largest + group_of[start + table->tuple_atoms[space->shown_by[i] + axis]];
        const int64_t rows = space->counts[space->target[i]];
        if (rows > *largest) *largest = rows;
    }
    for (int64_t atom = start + 1; atom < after; atom++) {
        if (group_of[atom] == group_of[atom - 1] || table->boundary[atom] < 0) continue;
        const int alone = (atom - 1 == start || group_of[atom - 2] != group_of[atom - 1]) &&
                          (atom + 1 == after || group_of[atom + 1] != group_of[atom]);
        if (alone) continue;
        if (table->boundary[atom] < result) result = table->boundary[atom];
        if (space->largest[group_of[atom - 1]] < result) result = space->largest[group_of[atom - 1]];
        if (space->largest[group_of[atom]] < result) result = space->largest[group_of[atom]];
    }
    return result;
}

/* The classes of the forced cuts: what all other axes cost with all allowed cuts, and how many sizes are possible. */
static int64_t add_decided(const Asked *asked, double *result) {
    const CutTable *table = asked->table;
    const CutSpace *space = asked->space;
    const int64_t merged = space->merged[0], length = asked->length;
    const Classes source = {merged, 1, 0, NULL, space->merged_counts, NULL};
    const Classes classes = {merged, 1, 0, space->keys, space->counts, NULL};
    double most = 0.0, all = 0.0;
    int64_t lost = 0, largest = INT64_MAX;
    memset(space->codes, 0, (size_t)merged * sizeof *space->codes);
    memset(space->row_cost, 0, (size_t)merged * sizeof *space->row_cost);
    for (int64_t axis = 0; axis < table->axes; axis++) {
        const int64_t start = table->atom_starts[axis], atoms = table->atom_starts[axis + 1] - start;
        const int open = is_open(table, space, axis);
        most += open ? 0.0 : table->most[axis];
        for (int64_t first = 0, after; first < atoms; first = after) {
            for (after = first + 1; after < atoms; after++)
                if (space->allowed_group[start + after] != space->allowed_group[start + first]) break;
            const double unit = cost_at(table, axis, first, after);
            for (int64_t atom = first; atom < after; atom++) {
                space->atom_cost[atom] = open ? 0.0 : unit;
                space->atom_mark[atom] = mark_of(axis, space->forced_group[start + atom]);
            }
        }
        for (int64_t i = 0; i < merged; i++) {
            const int32_t atom = table->tuple_atoms[space->shown_by[i] + axis];
            space->codes[i] += space->atom_mark[atom];
            space->row_cost[i] += space->atom_cost[atom];
        }
    }
    group(asked->slots, space->codes, &source, &classes, space->target);
    for (int64_t axis = 0; axis < table->axes; axis++) {
        const int64_t last = table->atom_starts[axis + 1] - 1;
        if (space->forced_group[last] != space->allowed_group[last]) continue;
        const int64_t most_shown = shown_up_to(table, space, axis);
        if (most_shown < largest) largest = most_shown;
    }
    for (int64_t a = 0; a <= length; a++) space->steps[a] = space->step_rows[a] = 0.0;
    for (int64_t i = 0; i < merged; i++) {
        const double rows = (double)space->merged_counts[i];
        const int64_t size = sizes_up_to(asked->sizes, length, space->counts[space->target[i]]);
        all += rows * space->row_cost[i];
        space->steps[size] += rows * (most - space->row_cost[i]);
        space->step_rows[size] += rows;
    }
    for (int64_t a = 0; a < length; a++) {
        all += space->steps[a];
        lost += (int64_t)space->step_rows[a];
        if (lost > asked->suppressible || asked->sizes[a] > largest) return a;
        result[a] = all;
    }
    return length;
}

/* What an axis costs with all allowed cuts. */
static double finest_cost(const CutTable *table, const CutSpace *space, int64_t axis) {
    const int64_t places = lay_places(table, space, axis);
    double result = 0.0;
    for (int64_t place = 0; place < places; place++)
        result += cost_at(table, axis, space->edges[place], space->edges[place + 1]) *
                  (double)(space->rows_before[place + 1] - space->rows_before[place]);
    return result;
}

/* The middle gap of the run with most undecided ones, in an axis that is too long to be divided. */
static int64_t middle_gap(const CutTable *table, const CutSpace *space, int64_t axis) {
    const int64_t start = table->atom_starts[axis], last = table->atom_starts[axis + 1] - 1;
    int64_t most = 0, longest = -1;
    for (int64_t atom = start, found = 0; atom < last; atom++) {
        if (atom > start && space->forced_group[atom] != space->forced_group[atom - 1]) found = 0;
        if (space->forced_group[atom] != space->forced_group[atom + 1]) continue;
        found += space->allowed_group[atom] != space->allowed_group[atom + 1];
        if (found > most) {
            most = found;
            longest = space->forced_group[atom];
        }
    }
    for (int64_t atom = start, found = 0; atom < last; atom++) {
        if (space->forced_group[atom] != longest || space->forced_group[atom + 1] != longest) continue;
        found += space->allowed_group[atom] != space->allowed_group[atom + 1];
        if (found > most / 2) return atom - start;
    }
    return -1;
}

/* Where to divide a box, by what matters most at one size, and a genome of it. */
static int64_t branch(const Asked *asked, const uint8_t *forced, uint8_t *genome) {
    const CutTable *table = asked->table;
    const CutSpace *space = asked->space;
    const int64_t gaps = table->atoms - table->axes;
    int64_t result = -1;
    double best = -1.0, most_saved = -INFINITY;
    memcpy(genome, forced, (size_t)gaps);
    for (int64_t axis = 0; axis < table->axes; axis++) {
        const int64_t begin = table->atom_starts[axis] - axis, end = table->atom_starts[axis + 1] - axis - 1;
        double gain = 0.0, saved = 0.0;
        if (!is_open(table, space, axis)) continue;
        const int64_t places = lay_places(table, space, axis);
        count_lost(asked, axis, places);
        relax(asked, axis, places, space->own);
        const int64_t gap = best_gap(asked, axis, places, &gain, &saved);
        if (gap >= 0 && gain > best) {
            best = gain;
            result = begin + gap;
        }
        if (saved > most_saved) {
            most_saved = saved;
            memcpy(genome, forced, (size_t)gaps);
            memcpy(genome + begin, space->cuts, (size_t)(end - begin));
        }
    }
    for (int64_t axis = 0; axis < table->axes && result < 0; axis++) {
        const int64_t gap = middle_gap(table, space, axis);
        if (gap >= 0) result = table->atom_starts[axis] - axis + gap;
    }
    return result;
}

/* The bounds of one box for the sizes from low up to but excluding high; `least` of other sizes stays. Returns the gap at
 * which to divide it, by what matters most where its own gap is widest, or -1 if it holds a single genome or nothing
 * better than what is known; `genome` becomes one of the box. */
static int64_t bound_box(const CutTable *table, const CutSpace *space, const Table *slots, int64_t low, int64_t high,
                         const int64_t *sizes, const double *known, int64_t suppressible, const uint8_t *forced,
                         const uint8_t *allowed, double *least, uint8_t *genome) {
    double floors = 0.0;
    number_groups(table, forced, space->forced_group);
    number_groups(table, allowed, space->allowed_group);
    merge_tuples(table, space, slots);
    Asked asked = {table, space, slots, sizes + low, high - low, suppressible};
    const int64_t possible = low + add_decided(&asked, space->bound + low);
    for (int64_t a = possible; a < high; a++) least[a] = INFINITY;
    high = possible;
    for (int64_t axis = 0; axis < table->axes; axis++)
        if (is_open(table, space, axis)) floors += finest_cost(table, space, axis);
    for (int64_t a = low; a < high; a++) space->bound[a] += floors;
    for (int64_t axis = 0; axis <= table->axes; axis++) {
        for (int64_t a = low; a < high; a++)
            if (space->bound[a] > least[a]) least[a] = space->bound[a];
        while (low < high && least[low] >= known[low]) low++;
        while (low < high && least[high - 1] >= known[high - 1]) high--;
        if (low == high) return -1;
        if (axis == table->axes || !is_open(table, space, axis)) continue;
        const double floor_here = finest_cost(table, space, axis);
        const int64_t places = lay_places(table, space, axis);
        asked.sizes = sizes + low;
        asked.length = high - low;
        count_lost(&asked, axis, places);
        relax(&asked, axis, places, space->own);
        for (int64_t a = low; a < high; a++) space->bound[a] += space->own[a - low] - floor_here;
    }
    int64_t widest = low;
    for (int64_t a = low + 1; a < high; a++)
        if (known[a] - least[a] > known[widest] - least[widest]) widest = a;
    asked.sizes = sizes + widest;
    asked.length = 1;
    return branch(&asked, forced, genome);
}

/* For every box, a cost that none of its genomes is below for each size of the smallest class (raised in `least`), the
 * gap at which to divide it, and a genome of it. */
EXPORT int64_t paretonym_bound_cuts(const CutTable *table, const CutSpace *space, const Table *slots,
                                    const int64_t *smallest, const double *known, int64_t suppressible,
                                    int64_t boxes, int64_t gaps, const uint8_t *forced, const uint8_t *allowed,
                                    const int64_t *low, const int64_t *high, double *least, int64_t *gap,
                                    uint8_t *genomes) {
    const int64_t sizes = space->sizes;
    if (gaps != table->atoms - table->axes || !has_room(slots, table->tuples) || sizes < 1) return REFUSED;
    for (int64_t box = 0; box < boxes; box++) {
        if (low[box] < 0 || high[box] > sizes || low[box] >= high[box]) return REFUSED;
        gap[box] = bound_box(table, space, slots, low[box], high[box], smallest, known, suppressible,
                             forced + box * gaps, allowed + box * gaps, least + box * sizes, genomes + box * gaps);
    }
    return boxes;
}
