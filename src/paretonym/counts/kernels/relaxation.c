/* A lower bound of what all cuts of a box cost, for many sizes of the smallest class at once: one column at a
 * time is cut as well as it can be, while all others show only the cuts that every genome of the box has.
 * Twin: spaces/cuts/numpy_relaxation.py.
 *
 * A box holds the genomes with all forced cuts and no cut that is not allowed. `places` of an axis are the groups of
 * its atoms under the allowed cuts; a group of a genome is a run of places between two forced cuts. A context is a
 * class of the forced cuts of all other axes. A row is lost if its context has fewer rows within its group than the
 * smallest class must have: adding cuts to other axes never brings it back. docs/explanation/how-far-from-optimal.md
 * has the proof. */
#include "kernels.h"

/* How often a multiplier of the suppression limit is improved. Any multiplier gives a bound. */
enum { IMPROVEMENTS = 6 };
static const double LARGEST_MULTIPLIER = 64.0;

/* A box in one axis, and the sizes in question. */
typedef struct {
    const CutTable *table;
    const CutSpace *space;
    const Table *slots;
    const int64_t *sizes;
    int64_t length, suppressible;
} Asked;

static inline uint64_t mark_of(int64_t axis, int64_t group) {
    uint64_t word = ((uint64_t)axis << 32) + (uint64_t)group + UINT64_C(0x9E3779B97F4A7C15);
    word = (word ^ (word >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94D049BB133111EB);
    return word ^ (word >> 31);
}

/* The group of each atom within its axis. */
static void number_groups(const CutTable *table, const uint8_t *bits, int32_t *group_of) {
    for (int64_t axis = 0; axis < table->axes; axis++) {
        const int64_t start = table->atom_starts[axis], after = table->atom_starts[axis + 1];
        group_of[start] = 0;
        for (int64_t atom = start + 1; atom < after; atom++)
            group_of[atom] = group_of[atom - 1] + bits[atom - 1 - axis];
    }
}

/* Where a number belongs among ascending sizes: how many are at most as large. */
static inline int64_t sizes_up_to(const int64_t *sizes, int64_t length, int64_t number) {
    int64_t low = 0;
    while (length > 0) {
        const int64_t half = length / 2;
        if (sizes[low + half] <= number) {
            low += half + 1;
            length -= half + 1;
        } else {
            length = half;
        }
    }
    return low;
}

static inline double cost_at(const CutTable *table, int64_t axis, int64_t first, int64_t after) {
    const int64_t atoms = table->atom_starts[axis + 1] - table->atom_starts[axis];
    return table->cost[table->cost_starts[axis] + first * (atoms + 1) + after];
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

/* The rows of every context at every place where it has any, context after context. Returns how many contexts there
 * are; those of context c are from starts[c] up to but excluding stops[c]. */
static int64_t find_cells(const Asked *asked, int64_t axis, int64_t places) {
    const CutTable *table = asked->table;
    const CutSpace *space = asked->space;
    const int64_t merged = space->merged[0], start = table->atom_starts[axis];
    const int32_t *atoms = table->tuple_atoms + axis;
    const Classes source = {merged, 1, 0, NULL, space->merged_counts, NULL};
    const Classes classes = {merged, 1, 0, space->keys, space->counts, NULL};
    for (int64_t atom = start; atom < table->atom_starts[axis + 1]; atom++)
        space->atom_mark[atom - start] = mark_of(axis, space->forced_group[atom]);
    for (int64_t i = 0; i < merged; i++)
        space->others[i] = space->codes[i] - space->atom_mark[atoms[space->shown_by[i]]];
    const int64_t contexts = group(asked->slots, space->others, &source, &classes, space->target);
    for (int64_t c = 0; c <= contexts; c++) space->starts[c] = 0;
    for (int64_t p = 0; p <= places; p++) space->place_starts[p] = 0;
    for (int64_t i = 0; i < merged; i++) {
        space->starts[space->target[i] + 1]++;
        space->place_starts[space->allowed_group[start + atoms[space->shown_by[i]]] + 1]++;
    }
    for (int64_t c = 0; c < contexts; c++) {
        space->starts[c + 1] += space->starts[c];
        space->stops[c] = space->starts[c];
    }
    for (int64_t p = 0; p < places; p++) space->place_starts[p + 1] += space->place_starts[p];
    for (int64_t i = 0; i < merged; i++)
        space->by_place[space->place_starts[space->allowed_group[start + atoms[space->shown_by[i]]]]++] = i;
    for (int64_t n = 0; n < merged; n++) {
        const int64_t i = space->by_place[n], context = space->target[i], stop = space->stops[context];
        const int32_t place = space->allowed_group[start + atoms[space->shown_by[i]]];
        if (stop > space->starts[context] && space->cell_place[stop - 1] == place) {
            space->cell_rows[stop - 1] += space->merged_counts[i];
        } else {
            space->cell_place[stop] = place;
            space->cell_rows[stop] = space->merged_counts[i];
            space->stops[context]++;
        }
    }
    return contexts;
}

/* The corners of every rectangle of runs in which a context has the same number of rows, too few for some size. */
static void mark_corners(const Asked *asked, int64_t contexts, int64_t wide) {
    const CutSpace *space = asked->space;
    const int64_t length = asked->length, largest = asked->sizes[length - 1];
    for (int64_t context = 0; context < contexts; context++) {
        const int64_t begin = space->starts[context], stop = space->stops[context];
        for (int64_t i = begin; i < stop; i++) {
            const int64_t place = space->cell_place[i], after = space->run_after[place];
            int64_t low = space->run_first[place], rows = 0;
            if (i > begin && space->cell_place[i - 1] >= low) low = space->cell_place[i - 1] + 1;
            for (int64_t j = i; j < stop && space->cell_place[j] < after; j++) {
                rows += space->cell_rows[j];
                if (rows >= largest) break;
                int64_t high = after;
                if (j + 1 < stop && space->cell_place[j + 1] < after) high = space->cell_place[j + 1];
                const int64_t size = sizes_up_to(asked->sizes, length, rows), from = space->cell_place[j] + 1;
                const uint32_t lost = (uint32_t)rows;
                space->lost[(low * wide + from) * length + size] += lost;
                if (high < after) space->lost[(low * wide + high + 1) * length + size] -= lost;
                if (place + 1 < after) {
                    space->lost[((place + 1) * wide + from) * length + size] -= lost;
                    if (high < after) space->lost[((place + 1) * wide + high + 1) * length + size] += lost;
                }
            }
        }
    }
}

/* lost[first][after][size]: the rows of every run of places that are lost for every size. */
static void count_lost(const Asked *asked, int64_t axis, int64_t places) {
    const CutSpace *space = asked->space;
    const int64_t wide = places + 1, length = asked->length;
    for (int64_t first = 0; first < places; first++)
        memset(space->lost + (first * wide + first) * length, 0,
               (size_t)((space->run_after[first] - first + 1) * length) * sizeof *space->lost);
    mark_corners(asked, find_cells(asked, axis, places), wide);
    for (int64_t first = 0; first < places; first++) {
        for (int64_t after = first + 1; after <= space->run_after[first]; after++) {
            uint32_t *here = space->lost + (first * wide + after) * length;
            for (int64_t a = 0; a < length; a++) here[a] += here[a - length];
        }
    }
    for (int64_t first = 0; first < places; first++) {
        if (space->run_first[first] == first) continue;
        for (int64_t after = first + 1; after <= space->run_after[first]; after++) {
            uint32_t *here = space->lost + (first * wide + after) * length;
            const uint32_t *before = here - wide * length;
            for (int64_t a = 0; a < length; a++) here[a] += before[a];
        }
    }
    for (int64_t first = 0; first < places; first++) {
        for (int64_t after = first + 1; after <= space->run_after[first]; after++) {
            uint32_t *here = space->lost + (first * wide + after) * length;
            for (int64_t a = 1; a < length; a++) here[a] += here[a - 1];
        }
    }
}

/* The best division of an axis for every size, where a lost row costs a multiplier more than its maximum: what it costs
 * and the rows that it loses. */
static void divide(const Asked *asked, int64_t axis, int64_t places, const double *multiplier) {
    const CutSpace *space = asked->space;
    const int64_t wide = places + 1, length = asked->length;
    const double most = asked->table->most[axis];
    for (int64_t a = 0; a < length; a++) space->least[a] = space->gone[a] = 0.0;
    for (int64_t after = 1; after <= places; after++) {
        double *least = space->least + after * length, *gone = space->gone + after * length;
        for (int64_t a = 0; a < length; a++) {
            least[a] = INFINITY;
            gone[a] = 0.0;
        }
        for (int64_t first = space->run_first[after - 1]; first < after; first++) {
            const double unit = cost_at(asked->table, axis, space->edges[first], space->edges[after]);
            if (unit == INFINITY) continue;
            const double all = unit * (double)(space->rows_before[after] - space->rows_before[first]);
            const uint32_t *lost = space->lost + (first * wide + after) * length;
            const double *before = space->least + first * length, *gone_before = space->gone + first * length;
            for (int64_t a = 0; a < length; a++) {
                const double rows = (double)(int32_t)lost[a];
                const double cost = before[a] + all + (most - unit + multiplier[a]) * rows;
                const int better = cost < least[a];
                least[a] = better ? cost : least[a];
                gone[a] = better ? gone_before[a] + rows : gone[a];
            }
        }
    }
}

/* What the best division costs at least if no more rows are lost than may be: INFINITY where that is impossible. The
 * multiplier of each size that shows it is left in `multiplier`. */
static void relax(const Asked *asked, int64_t axis, int64_t places, double *result) {
    const CutSpace *space = asked->space;
    const int64_t length = asked->length;
    const double most = asked->table->whole[0], limit = (double)asked->suppressible;
    double *least = space->least + places * length, *gone = space->gone + places * length;
    double *few = space->few, *few_gone = space->few_gone, *many = space->many, *many_gone = space->many_gone;
    int open = 0;
    for (int64_t a = 0; a < length; a++) space->multiplier[a] = space->tried[a] = 0.0;
    divide(asked, axis, places, space->tried);
    for (int64_t a = 0; a < length; a++) {
        result[a] = many[a] = least[a];
        many_gone[a] = gone[a];
        /* So large that fewer lost rows come before any cost. */
        space->tried[a] = gone[a] > limit ? 2.0 * most * (double)asked->table->rows : 0.0;
        open |= gone[a] > limit;
    }
    if (!open) return;
    divide(asked, axis, places, space->tried);
    for (int64_t a = 0; a < length; a++) {
        few[a] = least[a] - space->tried[a] * gone[a];
        few_gone[a] = gone[a];
        if (space->tried[a] > 0.0 && gone[a] > limit) result[a] = INFINITY;
    }
    for (int round = 0; round < IMPROVEMENTS && open; round++) {
        open = 0;
        for (int64_t a = 0; a < length; a++) {
            space->tried[a] = 0.0;
            if (result[a] == INFINITY || many_gone[a] <= limit || many_gone[a] <= few_gone[a]) continue;
            const double slope = floor((few[a] - many[a]) / (many_gone[a] - few_gone[a]));
            space->tried[a] = slope < LARGEST_MULTIPLIER * most ? slope : LARGEST_MULTIPLIER * most;
            if (!(space->tried[a] > 0.0)) space->tried[a] = 0.0;
            open |= space->tried[a] > 0.0;
        }
        if (!open) return;
        divide(asked, axis, places, space->tried);
        for (int64_t a = 0; a < length; a++) {
            const double multiplier = space->tried[a];
            if (!(multiplier > 0.0)) continue;
            if (least[a] - multiplier * limit > result[a]) {
                result[a] = least[a] - multiplier * limit;
                space->multiplier[a] = multiplier;
            }
            double *line = gone[a] > limit ? many : few, *line_gone = gone[a] > limit ? many_gone : few_gone;
            /* The same division again: nothing is left to improve. */
            if (line_gone[a] == gone[a]) many_gone[a] = 0.0;
            line[a] = least[a] - multiplier * gone[a];
            if (many_gone[a] > 0.0) line_gone[a] = gone[a];
        }
    }
}

/* Whether an axis is divided by `relax`: undecided, and not too long. */
static int is_open(const CutTable *table, const CutSpace *space, int64_t axis) {
    const int64_t last = table->atom_starts[axis + 1] - 1;
    const int64_t places = (int64_t)space->allowed_group[last] + 1;
    return space->forced_group[last] != space->allowed_group[last] && places < space->places;
}

/* The classes of the forced cuts: what all other axes cost with all allowed cuts, and how many sizes are possible. */
static int64_t add_decided(const Asked *asked, double *result) {
    const CutTable *table = asked->table;
    const CutSpace *space = asked->space;
    const int64_t merged = space->merged[0], length = asked->length;
    const Classes source = {merged, 1, 0, NULL, space->merged_counts, NULL};
    const Classes classes = {merged, 1, 0, space->keys, space->counts, NULL};
    double most = 0.0, all = 0.0;
    int64_t lost = 0;
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
        if (lost > asked->suppressible) return a;
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

/* What a group costs at one size. */
static inline double group_cost(const Asked *asked, int64_t axis, int64_t places, int64_t first, int64_t after,
                                double before) {
    const CutSpace *space = asked->space;
    const double unit = cost_at(asked->table, axis, space->edges[first], space->edges[after]);
    if (unit == INFINITY) return INFINITY;
    const double all = unit * (double)(space->rows_before[after] - space->rows_before[first]);
    const double rows = (double)(int32_t)space->lost[first * (places + 1) + after];
    return before + all + (asked->table->most[axis] - unit + space->multiplier[0]) * rows;
}

/* The best division of an axis at one size, from its beginning and from its end; it goes into `cuts`, one for each gap of
 * the axis. */
static double divide_both_ways(const Asked *asked, int64_t axis, int64_t places) {
    const CutSpace *space = asked->space;
    const int64_t gaps = asked->table->atom_starts[axis + 1] - asked->table->atom_starts[axis] - 1;
    space->forth[0] = space->back[places] = 0.0;
    for (int64_t after = 1; after <= places; after++) {
        space->forth[after] = INFINITY;
        space->chosen[after] = 0;
        for (int64_t first = space->run_first[after - 1]; first < after; first++) {
            const double cost = group_cost(asked, axis, places, first, after, space->forth[first]);
            if (cost < space->forth[after]) {
                space->forth[after] = cost;
                space->chosen[after] = first;
            }
        }
    }
    for (int64_t gap = 0; gap <= places; gap++) space->without[gap] = INFINITY;
    for (int64_t first = places - 1; first >= 0; first--) {
        space->back[first] = INFINITY;
        for (int64_t after = first + 1; after <= space->run_after[first]; after++) {
            const double cost = group_cost(asked, axis, places, first, after, 0.0);
            const double whole = space->forth[first] + cost + space->back[after];
            if (cost + space->back[after] < space->back[first]) space->back[first] = cost + space->back[after];
            for (int64_t gap = first + 1; gap < after; gap++)
                if (whole < space->without[gap]) space->without[gap] = whole;
        }
    }
    memset(space->cuts, 0, (size_t)gaps);
    for (int64_t after = space->chosen[places]; after > 0; after = space->chosen[after])
        space->cuts[space->edges[after] - 1] = 1;
    return space->forth[places];
}

/* The gap of an axis whose cut saves most at one size: excluding it costs at least `gain` more. `saved` is how much less
 * the best division costs than the forced cuts alone. */
static int64_t best_gap(const Asked *asked, int64_t axis, int64_t places, double *gain, double *saved) {
    const CutTable *table = asked->table;
    const CutSpace *space = asked->space;
    const double total = divide_both_ways(asked, axis, places);
    int64_t best = -1;
    for (int64_t gap = 1; gap < places; gap++) {
        if (space->run_first[gap] == gap) continue;
        const double more = space->without[gap] - total;
        if (best < 0 || more > *gain) {
            *gain = more;
            best = space->edges[gap] - 1;
        }
    }
    *saved = -total;
    for (int64_t first = 0; first < places; first = space->run_after[first]) {
        const double unit = cost_at(table, axis, space->edges[first], space->edges[space->run_after[first]]);
        const double rows = (double)(space->rows_before[space->run_after[first]] - space->rows_before[first]);
        *saved += (unit == INFINITY ? table->most[axis] : unit) * rows;
    }
    return best;
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
