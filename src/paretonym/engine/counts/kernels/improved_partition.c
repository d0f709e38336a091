/* Split the rows recursively so that little detail is lost: every split is tried out to its end before it is made.
 * Twin: tests/naive/improved_partition.py. All costs are whole numbers. */
#include "kernels.h"
#include <stdlib.h>

/* A split of a part along an axis: at the boundary `middle`, or, where that is -1, into the children of a node;
 * and by how much the rows of the part then lose less. */
typedef struct {
    int64_t axis, middle, node, gain;
} Cut;

/* How the split of a part is chosen when one is tried out: the most gain, or the most of a gain that is multiplied by
 * a drawn number. */
enum rule { GAIN, DRAWN, RULES };

/* The most splits that are tried on one axis. */
#define TRIED 3

/* Everything that a part is split with; `least` rows, or persons, are required of every part, and no more than that if
 * `sizes_only`. */
typedef struct {
    const Splits *splits;
    const Requests *requests;
    const Conditions *asked;
    const Partition *own;
    const Improvement *more;
    const int64_t *k;
    int64_t least, sizes_only;
} Question;

static int64_t larger(int64_t one, int64_t other) { return one > other ? one : other; }
static int64_t smaller(int64_t one, int64_t other) { return one < other ? one : other; }

/* The number of values in a set; a value outside the hierarchy is shown as everything. */
static int64_t size_of(const Splits *splits, int64_t j, int64_t low, int64_t high) {
    const int64_t *before = splits->leaves_before + j * splits->units_after;
    const int64_t size = before[high >> 2] - before[low >> 2];
    return size > 0 ? size : splits->domains[j];
}

/* What a row of a part loses. */
static int64_t cost_of_row(const Question *all, const int32_t *low, const int32_t *high) {
    int64_t cost = 0;
    for (int64_t j = 0; j < all->own->axes; j++)
        cost += all->more->prices[j] * (size_of(all->splits, j, low[j], high[j]) - 1);
    return cost;
}

static int64_t apart(int64_t one, int64_t other) { return one > other ? one - other : other - one; }

static int64_t rows_of(const Partition *own, int64_t start, int64_t stop) {
    int64_t rows = 0;
    for (int64_t i = start; i < stop; i++) rows += own->counts[own->order[i]];
    return rows;
}

static int in_order(const void *one, const void *other) {
    const int32_t first = *(const int32_t *)one, second = *(const int32_t *)other;
    return (first > second) - (first < second);
}

/* The units that occur in a part, ascending, and the rows of each; returns how many there are. */
static int64_t tally(const Partition *own, const Improvement *more, int64_t start, int64_t stop, int64_t j) {
    int64_t found = 0;
    for (int64_t i = start; i < stop; i++) own->unit_rows[unit_at(own, i, j)] = 0;
    for (int64_t i = start; i < stop; i++) {
        const int32_t unit = unit_at(own, i, j);
        if (own->unit_rows[unit] == 0) more->unit[found++] = unit;
        own->unit_rows[unit] += own->counts[own->order[i]];
    }
    qsort(more->unit, (size_t)found, sizeof *more->unit, in_order);
    for (int64_t i = 0; i < found; i++) more->rows[i] = own->unit_rows[more->unit[i]];
    return found;
}

/* Of each unit of a part how many persons have it as their first, and how many as their last; returns how many persons
 * there are. Then a cut has those below it who begin below, and those above it who do not end below. */
static int64_t tally_persons(const Question *all, int64_t start, int64_t stop, int64_t j, int64_t units) {
    const Conditions *asked = all->asked;
    const Partition *own = all->own;
    const int64_t now = ++*asked->clock, then = ++*asked->clock;
    int64_t found = 0;
    for (int64_t i = 0; i < units; i++) {
        const int32_t unit = all->more->unit[i];
        all->more->arriving[unit] = all->more->leaving[unit] = 0;
    }
    for (int64_t i = start; i < stop; i++) {
        const int32_t unit = unit_at(own, i, j);
        const int64_t tuple = own->order[i];
        for (int64_t m = asked->member_begins[tuple]; m < asked->member_begins[tuple + 1]; m++) {
            const int64_t person = asked->member[m];
            if (asked->met_person[person] != now) asked->person_first[person] = asked->person_last[person] = unit;
            asked->met_person[person] = now;
            if (unit < asked->person_first[person]) asked->person_first[person] = unit;
            if (unit > asked->person_last[person]) asked->person_last[person] = unit;
        }
    }
    for (int64_t i = start; i < stop; i++) {
        const int64_t tuple = own->order[i];
        for (int64_t m = asked->member_begins[tuple]; m < asked->member_begins[tuple + 1]; m++) {
            const int64_t person = asked->member[m];
            if (asked->met_person[person] == then) continue;
            asked->met_person[person] = then;
            all->more->arriving[asked->person_first[person]]++;
            all->more->leaving[asked->person_last[person]]++;
            found++;
        }
    }
    return found;
}

/* By how much a part loses less once a node of a tree falls into its children; -1 if a child is too small. */
static int64_t gain_of_children(const Question *all, int64_t node, int64_t units, int64_t j, int64_t low,
                                int64_t high) {
    const Splits *splits = all->splits;
    const int64_t whole = size_of(splits, j, low, high);
    int64_t gain = 0, place = 0;
    for (int64_t child = splits->child[node]; child < splits->child_after[node]; child++) {
        int64_t rows = 0;
        while (place < units && all->more->unit[place] < splits->after[child]) rows += all->more->rows[place++];
        if (rows == 0) continue;
        if (rows < all->least) return -1;
        gain += rows * (whole - size_of(splits, j, larger(low, splits->first[child] << 2),
                                        smaller(high, splits->after[child] << 2)));
    }
    return gain * all->more->prices[j];
}

/* By how much a part loses less if it is cut at a boundary, with so many rows on either side. */
static int64_t gain_of_halves(const Question *all, int64_t j, int64_t whole, int64_t low, int64_t middle,
                              int64_t high, int64_t below, int64_t above) {
    const Splits *splits = all->splits;
    return all->more->prices[j] * (below * (whole - size_of(splits, j, low, middle)) +
                                   above * (whole - size_of(splits, j, middle, high)));
}

/* Cuts of a part on a line: the one with the most gain, the one nearest to the median, the middle one of all that leave
 * enough rows, or `persons` if these are counted, on both sides. */
static int64_t cuts_of_line(const Question *all, int64_t node, int64_t units, int64_t j, int64_t low, int64_t high,
                            int64_t rows, int64_t persons, Cut *out) {
    const Improvement *more = all->more;
    const Splits *splits = all->splits;
    const Gaps gaps = gaps_of(splits, j);
    const int64_t whole = size_of(splits, j, low, high);
    const int64_t from = larger(low, splits->first[node] << 2), to = smaller(high, splits->after[node] << 2);
    int64_t below = 0, arrived = 0, left = 0, found = 0, nearest = rows + 1;
    Cut best = {j, -1, node, -1}, median = best, middle = best;
    for (int64_t i = 0; i + 1 < units; i++) {
        below += more->rows[i];
        if (persons > 0) {
            arrived += more->arriving[more->unit[i]];
            left += more->leaving[more->unit[i]];
            if (arrived < all->least || persons - left < all->least) continue;
        }
        const int64_t above = rows - below;
        if (below < all->least || above < all->least) continue;
        const int64_t place = shown_cut(&gaps, more->unit[i], more->unit[i + 1], all->k[0], all->k[1], splits->whole[j]);
        if (place < 0) continue;
        const Cut here = {j, place, node, gain_of_halves(all, j, whole, from, place, to, below, above)};
        if (here.gain > best.gain) best = here;
        if (apart(below, above) < nearest) {
            nearest = apart(below, above);
            median = here;
        }
        more->places[found] = here.middle;
        more->gains[found++] = here.gain;
    }
    if (found == 0) return 0;
    middle.middle = more->places[found / 2];
    middle.gain = more->gains[found / 2];
    found = 0;
    out[found++] = best;
    if (median.middle != best.middle) out[found++] = median;
    if (middle.middle != best.middle && middle.middle != median.middle) out[found++] = middle;
    return found;
}

/* Put every tuple of a part into its piece; returns the number of pieces. */
static int64_t divide(const Question *all, const Cut *chosen, int64_t start, int64_t stop, const int32_t *low,
                      const int32_t *high) {
    const Splits *splits = all->splits;
    const Partition *own = all->own;
    const int64_t j = chosen->axis, middle = chosen->middle;
    const int64_t count = middle < 0 ? children(splits, own, chosen->node) : 2;
    if (middle >= 0) {
        own->piece_low[0] = (int32_t)splits->first[chosen->node] << 2;
        own->piece_high[0] = own->piece_low[1] = (int32_t)middle;
        own->piece_high[1] = (int32_t)splits->after[chosen->node] << 2;
    }
    for (int64_t piece = 0; piece < count; piece++) {
        own->piece_low[piece] = (int32_t)larger(own->piece_low[piece], low[j]);
        own->piece_high[piece] = (int32_t)smaller(own->piece_high[piece], high[j]);
    }
    memset(own->piece_rows, 0, (size_t)count * sizeof *own->piece_rows);
    for (int64_t i = start; i < stop; i++) {
        const int32_t unit = unit_at(own, i, j);
        own->piece[i] = middle < 0 ? own->unit_piece[unit] : unit >= middle >> 2;
        own->piece_rows[own->piece[i]] += own->counts[own->order[i]];
    }
    return count;
}

/* Splits of a part on one axis after which every piece meets the requirements, the one with the most gain first. */
static int64_t cuts_of(const Question *all, int64_t start, int64_t stop, int64_t j, const int32_t *low,
                       const int32_t *high, int64_t rows, Cut *out) {
    const Splits *splits = all->splits;
    const int64_t units = tally(all->own, all->more, start, stop, j);
    if (units < 2) return 0;
    const int64_t node = holding(splits, j, all->more->unit[0], all->more->unit[units - 1]);
    int64_t found, kept = 0;
    if (splits->line[node]) {
        const int64_t persons = all->asked->members > 0 ? tally_persons(all, start, stop, j, units) : 0;
        found = cuts_of_line(all, node, units, j, low[j], high[j], rows, persons, out);
    } else {
        const int64_t gain = gain_of_children(all, node, units, j, low[j], high[j]);
        out[0] = (Cut){j, -1, node, gain};
        found = gain >= 0 && splits->child[node] < splits->child_after[node];
    }
    if (all->sizes_only && (all->asked->members == 0 || splits->line[node])) return found;
    for (int64_t i = 0; i < found; i++) {
        const int64_t count = divide(all, out + i, start, stop, low, high);
        if (all_meet(all->requests, all->asked, all->own, start, stop, count)) out[kept++] = out[i];
    }
    return kept;
}

/* A number from 2,048 to 6,143, the same for the same part, axis and seed. */
static int64_t drawn(const Improvement *more, int64_t start, int64_t stop, int64_t axis) {
    uint64_t mixed = (uint64_t)more->seed;
    const int64_t words[] = {start, stop, axis};
    for (int i = 0; i < 3; i++) {
        mixed = (mixed ^ (uint64_t)words[i]) * UINT64_C(0x9E3779B97F4A7C15);
        mixed ^= mixed >> 32;
    }
    return (int64_t)(2048 + (mixed & 4095));
}

/* Whether a part can be split once only: its pieces are too small. Then the most gain is best. */
static int is_last(const Question *all, int64_t rows) { return rows < 3 * all->least; }

/* The split that a rule chooses for a part; 0 if there is none. */
static int choose(const Question *all, int rule, int64_t start, int64_t stop, const int32_t *low,
                  const int32_t *high, int64_t rows, Cut *chosen) {
    Cut found[TRIED];
    int64_t most = -1;
    if (rows < 2 * all->least) return 0;
    if (is_last(all, rows)) rule = GAIN;
    for (int64_t j = 0; j < all->own->axes; j++) {
        if (!cuts_of(all, start, stop, j, low, high, rows, found)) continue;
        const int64_t value = rule == DRAWN ? found[0].gain * drawn(all->more, start, stop, j) : found[0].gain;
        if (value > most) {
            most = value;
            *chosen = found[0];
        }
    }
    return most >= 0;
}

/* What the rows of a part lose if it is split by a rule until nothing can be split; `bound` if that is no less. */
static int64_t tried_out(const Question *all, int rule, int64_t start, int64_t stop, const int32_t *low,
                         const int32_t *high, int64_t bound) {
    const Partition *own = all->own;
    const Improvement *more = all->more;
    const int64_t axes = own->axes;
    const size_t bytes = (size_t)axes * sizeof *low;
    int64_t waiting = 1, cost = 0;
    Cut chosen;
    more->starts[0] = start;
    more->stops[0] = stop;
    memcpy(more->low, low, bytes);
    memcpy(more->high, high, bytes);
    while (waiting > 0) {
        waiting--;
        start = more->starts[waiting];
        stop = more->stops[waiting];
        memcpy(own->own_low, more->low + waiting * axes, bytes);
        memcpy(own->own_high, more->high + waiting * axes, bytes);
        const int64_t rows = rows_of(own, start, stop);
        if (!choose(all, rule, start, stop, own->own_low, own->own_high, rows, &chosen)) {
            cost += rows * cost_of_row(all, own->own_low, own->own_high);
            if (cost >= bound) return bound;
            continue;
        }
        const int64_t count = divide(all, &chosen, start, stop, own->own_low, own->own_high);
        regroup(own, start, stop, count);
        for (int64_t piece = 0; piece < count; piece++) {
            if (own->ends[piece] == own->ends[piece + 1]) continue;
            more->starts[waiting] = own->ends[piece];
            more->stops[waiting] = own->ends[piece + 1];
            memcpy(more->low + waiting * axes, own->own_low, bytes);
            memcpy(more->high + waiting * axes, own->own_high, bytes);
            more->low[waiting * axes + chosen.axis] = own->piece_low[piece];
            more->high[waiting * axes + chosen.axis] = own->piece_high[piece];
            waiting++;
        }
    }
    return cost;
}

/* What the pieces of a split lose once they are split further, each by the better rule, which is kept; `bound` if that
 * is no less. */
static int64_t tried_split(const Question *all, const Cut *split, int64_t start, int64_t stop, int64_t bound) {
    const Partition *own = all->own;
    const Improvement *more = all->more;
    const int64_t count = divide(all, split, start, stop, more->part_low, more->part_high);
    int64_t sum = 0;
    const int32_t low = more->part_low[split->axis], high = more->part_high[split->axis];
    regroup(own, start, stop, count);
    memcpy(more->ends, own->ends, (size_t)(count + 1) * sizeof *more->ends);
    memcpy(more->piece_low, own->piece_low, (size_t)count * sizeof *more->piece_low);
    memcpy(more->piece_high, own->piece_high, (size_t)count * sizeof *more->piece_high);
    for (int64_t piece = 0; piece < count && sum < bound; piece++) {
        int64_t least = bound - sum;
        more->piece_rule[piece] = GAIN;
        if (more->ends[piece] == more->ends[piece + 1]) continue;
        more->part_low[split->axis] = more->piece_low[piece];
        more->part_high[split->axis] = more->piece_high[piece];
        const int rules = is_last(all, rows_of(own, more->ends[piece], more->ends[piece + 1])) ? DRAWN : RULES;
        for (int rule = GAIN; rule < rules; rule++) {
            const int64_t cost = tried_out(all, rule, more->ends[piece], more->ends[piece + 1], more->part_low,
                                           more->part_high, least);
            if (cost < least) {
                least = cost;
                more->piece_rule[piece] = rule;
            }
        }
        sum += least;
    }
    more->part_low[split->axis] = low;
    more->part_high[split->axis] = high;
    return sum;
}

/* The split of a part after which its rows lose least, all of them tried out; the rules of its pieces are left in
 * best_rule. A part of more than `most` tuples, or that can be split only once, is split by its rule. */
static Cut best_split(const Question *all, Cut own_split, int64_t start, int64_t stop, int64_t rows) {
    const Improvement *more = all->more;
    Cut best = own_split, found[TRIED];
    const size_t bytes = (size_t)all->own->pieces * sizeof *more->piece_rule;
    memset(more->best_rule, 0, bytes);
    if (stop - start > more->most || is_last(all, rows)) return best;
    int64_t least = tried_split(all, &own_split, start, stop, INT64_MAX);
    memcpy(more->best_rule, more->piece_rule, bytes);
    for (int64_t j = 0; j < all->own->axes; j++) {
        const int64_t count = cuts_of(all, start, stop, j, more->part_low, more->part_high, rows, found);
        for (int64_t i = 0; i < count; i++) {
            if (j == own_split.axis && found[i].middle == own_split.middle) continue;
            const int64_t cost = tried_split(all, found + i, start, stop, least);
            if (cost >= least) continue;
            least = cost;
            best = found[i];
            memcpy(more->best_rule, more->piece_rule, bytes);
        }
    }
    return best;
}

/* Split until nothing can be split. As paretonym_partition, with waiting parts at the end of `low` and `high`; the rule
 * of each is in `rules`. */
EXPORT int64_t paretonym_improved_partition(const Splits *splits, const Requests *requests, const Conditions *asked,
                                            const Partition *own, const Improvement *more, int64_t waiting,
                                            const int64_t *k) {
    const int64_t axes = own->axes, tuples = own->tuples;
    const size_t bytes = (size_t)axes * sizeof *own->low;
    Question all = {splits, requests, asked, own, more, k, 1, 1};
    int64_t parts = 0;
    Cut chosen;
    if (waiting < 0 || !known(requests, asked)) return REFUSED;
    for (int64_t i = 0; i < asked->conditions; i++) {
        if (asked->which[i] >= 0) all.sizes_only = 0;
        else all.least = larger(all.least, (int64_t)ceil(asked->bounds[i]));
    }
    while (waiting < tuples) {
        const int64_t start = own->starts[waiting], stop = own->stops[waiting], rows = rows_of(own, start, stop);
        memcpy(more->part_low, own->low + waiting * axes, bytes);
        memcpy(more->part_high, own->high + waiting * axes, bytes);
        const int rule = (int)more->rules[waiting];
        waiting++;
        if (!choose(&all, rule, start, stop, more->part_low, more->part_high, rows, &chosen)) {
            memcpy(own->low + parts * axes, more->part_low, bytes);
            memcpy(own->high + parts * axes, more->part_high, bytes);
            for (int64_t i = start; i < stop; i++) own->of_tuple[own->order[i]] = parts;
            parts++;
            continue;
        }
        chosen = best_split(&all, chosen, start, stop, rows);
        const int64_t count = divide(&all, &chosen, start, stop, more->part_low, more->part_high);
        regroup(own, start, stop, count);
        for (int64_t piece = count - 1; piece >= 0; piece--) {
            if (own->ends[piece] == own->ends[piece + 1]) continue;
            waiting--;
            own->starts[waiting] = own->ends[piece];
            own->stops[waiting] = own->ends[piece + 1];
            more->rules[waiting] = more->best_rule[piece];
            memcpy(own->low + waiting * axes, more->part_low, bytes);
            memcpy(own->high + waiting * axes, more->part_high, bytes);
            own->low[waiting * axes + chosen.axis] = own->piece_low[piece];
            own->high[waiting * axes + chosen.axis] = own->piece_high[piece];
        }
    }
    return parts;
}
