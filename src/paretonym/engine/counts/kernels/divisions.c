/* The best division of one axis of a box into groups, by dynamic programming over its places. A group may have no
 * boundary that labels may not show: one beside which no row stays, or one made of a value that fewer rows have than the
 * smallest class. Two single atoms side by side show none. Twin: tests/naive/cut_relaxation.py. */
#include "relaxation.h"

/* How often a multiplier of the suppression limit is improved. Any multiplier gives a bound. */
enum { IMPROVEMENTS = 6 };
static const double LARGEST_MULTIPLIER = 64.0;

/* The largest size with which labels may show the boundary in front of a place; -1 if they never do. */
static inline int64_t boundary_at(const Asked *asked, int64_t axis, int64_t places, int64_t place) {
    if (place == 0 || place == places) return -1;
    return asked->table->boundary[asked->table->atom_starts[axis] + asked->space->edges[place]];
}

/* Groups of several atoms show the boundaries beside them. If all their rows are lost, they must have none. */
static inline int must_keep_rows(const Asked *asked, int64_t axis, int64_t places, int64_t first, int64_t after) {
    return boundary_at(asked, axis, places, first) >= 0 || boundary_at(asked, axis, places, after) >= 0;
}

/* End a division at a place, of which `least` and `gone` hold the best whose last group has several atoms: what may come
 * before a group of several atoms is left there, and what may come before a single one, which may be lost, beside it. */
static void end_groups(const Asked *asked, int64_t axis, int64_t places, int64_t after, const double *multiplier) {
    const CutSpace *space = asked->space;
    const int64_t length = asked->length, bound = boundary_at(asked, axis, places, after);
    const double unit = cost_at(asked->table, axis, space->edges[after - 1], space->edges[after]);
    const int alone = space->edges[after] - space->edges[after - 1] == 1 && unit < INFINITY;
    const double rows = (double)(space->rows_before[after] - space->rows_before[after - 1]);
    const double most = asked->table->most[axis];
    const uint32_t *lost = space->lost + ((after - 1) * (places + 1) + after) * length;
    double *least = space->least + after * length, *gone = space->gone + after * length;
    for (int64_t a = 0; a < length; a++) {
        const double here = alone ? (double)(int32_t)lost[a] : 0.0;
        const int all_lost = here == rows, shown = asked->sizes[a] <= bound;
        const double before = all_lost ? space->before_lost[a] : space->before_one[a];
        const double gone_one = here + (all_lost ? space->gone_before_lost[a] : space->gone_before_one[a]);
        const double one = alone ? before + unit * rows + (most - unit + multiplier[a]) * here : INFINITY;
        const int better = one < least[a];
        const double best = better ? one : least[a], best_gone = better ? gone_one : gone[a];
        const int free = bound < 0;
        space->before_lost[a] = free ? best : one;
        space->gone_before_lost[a] = free ? best_gone : gone_one;
        space->before_one[a] = free || shown ? best : one;
        space->gone_before_one[a] = free || shown ? best_gone : gone_one;
        if (!free && !shown) {
            least[a] = INFINITY;
        } else if (free || !all_lost) {
            least[a] = best;
            gone[a] = best_gone;
        }
    }
}

/* The best division of an axis for every size, where a lost row costs a multiplier more than its maximum: what it costs
 * and the rows that it loses. */
static void divide(const Asked *asked, int64_t axis, int64_t places, const double *multiplier) {
    const CutSpace *space = asked->space;
    const int64_t wide = places + 1, length = asked->length;
    const double most = asked->table->most[axis];
    for (int64_t a = 0; a < length; a++) {
        space->least[a] = space->gone[a] = space->before_one[a] = space->before_lost[a] = 0.0;
        space->gone_before_one[a] = space->gone_before_lost[a] = 0.0;
    }
    for (int64_t after = 1; after <= places; after++) {
        double *least = space->least + after * length, *gone = space->gone + after * length;
        for (int64_t a = 0; a < length; a++) {
            least[a] = INFINITY;
            gone[a] = 0.0;
        }
        for (int64_t first = space->run_first[after - 1]; first < after; first++) {
            const double unit = cost_at(asked->table, axis, space->edges[first], space->edges[after]);
            if (unit == INFINITY || space->edges[after] - space->edges[first] == 1) continue;
            const double every = (double)(space->rows_before[after] - space->rows_before[first]), all = unit * every;
            const double too_many = must_keep_rows(asked, axis, places, first, after) ? every : INFINITY;
            const uint32_t *lost = space->lost + (first * wide + after) * length;
            const double *before = space->least + first * length, *gone_before = space->gone + first * length;
            for (int64_t a = 0; a < length; a++) {
                const double rows = (double)(int32_t)lost[a];
                const double cost = before[a] + all + (most - unit + multiplier[a]) * rows;
                const int better = cost < least[a] && rows < too_many;
                least[a] = better ? cost : least[a];
                gone[a] = better ? gone_before[a] + rows : gone[a];
            }
        }
        end_groups(asked, axis, places, after, multiplier);
    }
}

void relax(const Asked *asked, int64_t axis, int64_t places, double *result) {
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
        many_gone[a] = least[a] == INFINITY ? 0.0 : gone[a];
        /* So large that fewer lost rows come before any cost. */
        space->tried[a] = many_gone[a] > limit ? 2.0 * most * (double)asked->table->rows : 0.0;
        open |= many_gone[a] > limit;
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

/* What a group costs at one size; INFINITY if it may not be shown. */
static double group_cost(const Asked *asked, int64_t axis, int64_t places, int64_t first, int64_t after,
                         double before) {
    const CutSpace *space = asked->space;
    const double unit = cost_at(asked->table, axis, space->edges[first], space->edges[after]);
    if (unit == INFINITY) return INFINITY;
    const double every = (double)(space->rows_before[after] - space->rows_before[first]);
    const double rows = (double)(int32_t)space->lost[first * (places + 1) + after];
    if (space->edges[after] - space->edges[first] > 1 && rows == every &&
        must_keep_rows(asked, axis, places, first, after))
        return INFINITY;
    return before + unit * every + (asked->table->most[axis] - unit + space->multiplier[0]) * rows;
}

/* What stands beside a boundary: several atoms, one, or one whose rows are all lost. */
typedef enum { SEVERAL, ONE, ONE_LOST } Kind;

static Kind kind_of(const Asked *asked, int64_t places, int64_t first, int64_t after) {
    const CutSpace *space = asked->space;
    if (space->edges[after] - space->edges[first] > 1) return SEVERAL;
    const int64_t rows = space->rows_before[after] - space->rows_before[first];
    return space->lost[first * (places + 1) + after] == rows ? ONE_LOST : ONE;
}

/* Whether two groups may meet at a place, at one size: two single atoms show no boundary. */
static int may_meet(const Asked *asked, int64_t axis, int64_t places, int64_t place, Kind before, Kind after) {
    const int64_t bound = boundary_at(asked, axis, places, place);
    if (bound < 0 || (before != SEVERAL && after != SEVERAL)) return 1;
    return asked->sizes[0] <= bound && before != ONE_LOST && after != ONE_LOST;
}

/* The best division before a place that a group of some kind may follow; `chosen` becomes where its last group begins. */
static double best_before(const Asked *asked, int64_t axis, int64_t places, int64_t place, Kind kind, int64_t *chosen) {
    const CutSpace *space = asked->space;
    double best = INFINITY;
    *chosen = 0;
    if (place == 0) return 0.0;
    if (may_meet(asked, axis, places, place, SEVERAL, kind)) {
        best = space->several_before[place];
        *chosen = space->chosen[place];
    }
    if (space->one_before[place] < best &&
        may_meet(asked, axis, places, place, kind_of(asked, places, place - 1, place), kind)) {
        best = space->one_before[place];
        *chosen = place - 1;
    }
    return best;
}

/* The best division behind a place that may follow a group of some kind. */
static double best_after(const Asked *asked, int64_t axis, int64_t places, int64_t place, Kind kind) {
    const CutSpace *space = asked->space;
    if (place == places) return 0.0;
    const int several = may_meet(asked, axis, places, place, kind, SEVERAL);
    const int one = may_meet(asked, axis, places, place, kind, kind_of(asked, places, place, place + 1));
    const double first = several ? space->several_after[place] : INFINITY;
    const double second = one ? space->one_after[place] : INFINITY;
    return first < second ? first : second;
}

/* The best division of an axis at one size, from its beginning and from its end; it goes into `cuts`, one for each gap of
 * the axis. */
static double divide_both_ways(const Asked *asked, int64_t axis, int64_t places) {
    const CutSpace *space = asked->space;
    const int64_t gaps = asked->table->atom_starts[axis + 1] - asked->table->atom_starts[axis] - 1;
    int64_t chosen;
    for (int64_t after = 1; after <= places; after++) {
        space->several_before[after] = space->one_before[after] = INFINITY;
        space->chosen[after] = 0;
        for (int64_t first = space->run_first[after - 1]; first < after; first++) {
            const Kind kind = kind_of(asked, places, first, after);
            const double before = best_before(asked, axis, places, first, kind, &chosen);
            const double cost = group_cost(asked, axis, places, first, after, before);
            if (kind != SEVERAL) {
                space->one_before[after] = cost;
            } else if (cost < space->several_before[after]) {
                space->several_before[after] = cost;
                space->chosen[after] = first;
            }
        }
    }
    for (int64_t gap = 0; gap <= places; gap++) space->without[gap] = INFINITY;
    for (int64_t first = places - 1; first >= 0; first--) {
        const double before = best_before(asked, axis, places, first, SEVERAL, &chosen);
        space->several_after[first] = space->one_after[first] = INFINITY;
        for (int64_t after = first + 1; after <= space->run_after[first]; after++) {
            const Kind kind = kind_of(asked, places, first, after);
            const double cost = group_cost(asked, axis, places, first, after, 0.0);
            const double rest = cost + best_after(asked, axis, places, after, kind);
            if (kind != SEVERAL) {
                space->one_after[first] = rest;
                continue;
            }
            if (rest < space->several_after[first]) space->several_after[first] = rest;
            for (int64_t gap = first + 1; gap < after; gap++)
                if (before + rest < space->without[gap]) space->without[gap] = before + rest;
        }
    }
    memset(space->cuts, 0, (size_t)gaps);
    Kind kind = SEVERAL;
    const double total = best_before(asked, axis, places, places, kind, &chosen);
    for (int64_t after = places; chosen > 0;) {
        kind = kind_of(asked, places, chosen, after);
        after = chosen;
        space->cuts[space->edges[after] - 1] = 1;
        best_before(asked, axis, places, after, kind, &chosen);
    }
    return total;
}

int64_t best_gap(const Asked *asked, int64_t axis, int64_t places, double *gain, double *saved) {
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
