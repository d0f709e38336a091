/* Split the rows recursively, as long as every piece meets the requirements. Twin: tests/naive/parts.py. */
#include "kernels.h"

/* The value of condition i for a part with these counts. */
static double required_value(const Requests *requests, const Conditions *asked, int64_t i, const int32_t *cells,
                             int64_t rows, int64_t *sorting) {
    const int64_t which = asked->which[i];
    if (which < 0) return (double)rows;
    const Reference input = of_input(requests, which);
    const double value = class_statistic(requests, which, cells, rows, &input, sorting);
    return asked->links[i] == RECIPROCAL ? 1.0 / value : asked->links[i] == EXPONENTIAL ? exp(value) : value;
}

/* Whether a part with these counts meets the requirements on its sensitive values and its size. */
static int meets(const Requests *requests, const Conditions *asked, const int32_t *cells, int64_t rows,
                 int64_t *sorting) {
    for (int64_t i = 0; i < asked->conditions; i++) {
        const double value = required_value(requests, asked, i, cells, rows, sorting);
        if (asked->at_least[i] ? value < asked->bounds[i] : value > asked->bounds[i]) return 0;
    }
    return 1;
}

/* Whether every condition is about a statistic that was requested, or about rows. */
int known(const Requests *requests, const Conditions *asked) {
    for (int64_t i = 0; i < asked->conditions; i++)
        if (asked->which[i] < -1 || asked->which[i] >= requests->statistics) return 0;
    return 1;
}

/* How many different persons have some tuples. */
static int64_t persons_of(const Conditions *asked, const int64_t *tuples, int64_t length) {
    const int64_t now = ++*asked->clock;
    int64_t found = 0;
    for (int64_t i = 0; i < length; i++) {
        for (int64_t m = asked->member_begins[tuples[i]]; m < asked->member_begins[tuples[i] + 1]; m++) {
            int64_t *met = asked->met_person + asked->member[m];
            found += *met != now;
            *met = now;
        }
    }
    return found;
}

/* Count of each value the different persons who have it in some tuples. */
static void count_holders(const Conditions *asked, const int64_t *tuples, int64_t length, int32_t *cells) {
    const int64_t now = ++*asked->clock;
    memset(cells, 0, (size_t)asked->values * sizeof *cells);
    for (int64_t i = 0; i < length; i++) {
        for (int64_t entry = asked->begins[tuples[i]]; entry < asked->begins[tuples[i] + 1]; entry++) {
            int64_t *met = asked->met_holder + asked->holder[entry];
            cells[asked->value[entry]] += *met != now;
            *met = now;
        }
    }
}

/* Put the tuples of each piece together in `sorted`, in their order; ends[piece] says where each piece begins. */
static void sort_pieces(const Partition *own, int64_t start, int64_t stop, int64_t pieces) {
    int64_t *ends = own->ends;
    memset(ends, 0, (size_t)(pieces + 1) * sizeof *ends);
    for (int64_t i = start; i < stop; i++) ends[own->piece[i] + 1]++;
    ends[0] = start;
    for (int64_t piece = 0; piece < pieces; piece++) ends[piece + 1] += ends[piece];
    for (int64_t i = start; i < stop; i++) own->sorted[ends[own->piece[i]]++] = own->order[i];
    for (int64_t piece = pieces; piece > 0; piece--) ends[piece] = ends[piece - 1];
    ends[0] = start;
}

/* Whether every piece meets the requirements, counted in persons: one may have rows in several pieces. */
static int all_persons_meet(const Requests *requests, const Conditions *asked, const Partition *own, int64_t start,
                            int64_t stop, int64_t pieces) {
    sort_pieces(own, start, stop, pieces);
    for (int64_t piece = 0; piece < pieces; piece++) {
        const int64_t *tuples = own->sorted + own->ends[piece], length = own->ends[piece + 1] - own->ends[piece];
        if (length == 0) continue;
        if (asked->entries > 0) count_holders(asked, tuples, length, own->cells);
        if (!meets(requests, asked, own->cells, persons_of(asked, tuples, length), own->sorting)) return 0;
    }
    return 1;
}

/* Whether every piece with rows meets the requirements. */
int all_meet(const Requests *requests, const Conditions *asked, const Partition *own, int64_t start, int64_t stop,
             int64_t pieces) {
    int sizes_only = 1;
    if (asked->members > 0) return all_persons_meet(requests, asked, own, start, stop, pieces);
    for (int64_t i = 0; i < asked->conditions; i++) {
        if (asked->which[i] >= 0) sizes_only = 0;
        for (int64_t piece = 0; asked->which[i] < 0 && piece < pieces; piece++)
            if (own->piece_rows[piece] > 0 && (double)own->piece_rows[piece] < asked->bounds[i]) return 0;
    }
    if (sizes_only) return 1;
    memset(own->cells, 0, (size_t)(pieces * own->values) * sizeof *own->cells);
    for (int64_t i = start; i < stop; i++) {
        const int64_t tuple = own->order[i];
        int32_t *cells = own->cells + own->piece[i] * own->values;
        for (int64_t entry = asked->begins[tuple]; entry < asked->begins[tuple + 1]; entry++)
            cells[asked->value[entry]] += (int32_t)asked->counts[entry];
    }
    for (int64_t piece = 0; piece < pieces; piece++)
        if (own->piece_rows[piece] > 0 &&
            !meets(requests, asked, own->cells + piece * own->values, own->piece_rows[piece], own->sorting))
            return 0;
    return 1;
}

static void occurring(const Partition *own, int64_t start, int64_t stop, int64_t j, int64_t *first, int64_t *last) {
    *first = *last = unit_at(own, start, j);
    for (int64_t i = start; i < stop; i++) {
        const int32_t unit = unit_at(own, i, j);
        if (unit < *first) *first = unit;
        if (unit > *last) *last = unit;
    }
}

/* The smallest node of axis j that holds both units. */
int64_t holding(const Splits *splits, int64_t j, int64_t first, int64_t last) {
    int64_t node = splits->roots[j], child = splits->child[node];
    while (child < splits->child_after[node]) {
        if (splits->first[child] <= first && last < splits->after[child]) {
            node = child;
            child = splits->child[node];
        } else {
            child++;
        }
    }
    return node;
}

/* How much of its domain a part spans on axis j; below 0 if it cannot be split there. */
static void measure_span(const Splits *splits, const Partition *own, int64_t start, int64_t stop, int64_t j) {
    const int64_t *before = splits->leaves_before + j * splits->units_after;
    int64_t first, last, size;
    occurring(own, start, stop, j, &first, &last);
    own->spans[j] = -1.0;
    if (first == last) return;
    const int64_t node = own->nodes[j] = holding(splits, j, first, last);
    if (splits->line[node]) size = before[last + 1] - before[first];
    else size = before[splits->after[node]] - before[splits->first[node]];
    own->spans[j] = (size > 1 ? (double)(size - 1) : 0.0) /
                    (splits->domains[j] > 2 ? (double)(splits->domains[j] - 1) : 1.0);
}

/* One piece for each child. */
int64_t children(const Splits *splits, const Partition *own, int64_t node) {
    int32_t pieces = 0;
    for (int64_t child = splits->child[node]; child < splits->child_after[node]; child++, pieces++) {
        for (int64_t unit = splits->first[child]; unit < splits->after[child]; unit++) own->unit_piece[unit] = pieces;
        own->piece_low[pieces] = (int32_t)splits->first[child] << 2;
        own->piece_high[pieces] = (int32_t)splits->after[child] << 2;
    }
    return pieces;
}

static int64_t apart(int64_t one, int64_t other) { return one > other ? one - other : other - one; }

Gaps gaps_of(const Splits *splits, int64_t j) {
    const int64_t start = j * splits->units_after;
    return (Gaps){splits->edge_ranks + start, splits->round_ranks + start, splits->sizes + start,
                  splits->followed + start};
}

/* The boundary that makes both halves as equal as possible (the lower of two equal ones), none empty; with `binary`
 * splits the first behind the median row. -1 if no cut can be shown. */
static int64_t median(const Splits *splits, const Partition *own, const int64_t *k, int64_t start, int64_t stop,
                      int64_t j, int64_t first, int64_t last) {
    const Gaps gaps = gaps_of(splits, j);
    int64_t total = 0, done = 0, middle = -1, before = first;
    for (int64_t unit = first; unit <= last; unit++) own->unit_rows[unit] = 0;
    for (int64_t i = start; i < stop; i++) {
        own->unit_rows[unit_at(own, i, j)] += own->counts[own->order[i]];
        total += own->counts[own->order[i]];
    }
    int64_t best = total;
    for (int64_t unit = first; unit <= last; unit++) {
        if (own->unit_rows[unit] == 0) continue;
        if (unit > first && (splits->binary ? middle < 0 && 2 * done >= total : apart(2 * done, total) < best)) {
            const int64_t cut = shown_cut(&gaps, before, unit, k[0], k[1], splits->whole[j]);
            if (cut >= 0) {
                best = apart(2 * done, total);
                middle = cut;
            }
        }
        done += own->unit_rows[unit];
        before = unit;
    }
    return middle;
}

/* Cut a part along one axis if every piece meets the requirements. Returns the number of pieces, 0 if it was not
 * cut. */
static int64_t cut(const Splits *splits, const Requests *requests, const Conditions *asked, const Partition *own,
                   const int64_t *k, int64_t start, int64_t stop, int64_t j) {
    const int64_t node = own->nodes[j];
    int64_t pieces = 2, first, last;
    if (splits->line[node]) {
        occurring(own, start, stop, j, &first, &last);
        const int64_t middle = median(splits, own, k, start, stop, j, first, last);
        if (middle < 0) return 0;
        for (int64_t unit = first; unit <= last; unit++) own->unit_piece[unit] = unit >= middle >> 2;
        own->piece_low[0] = (int32_t)splits->first[node] << 2;
        own->piece_high[0] = own->piece_low[1] = (int32_t)middle;
        own->piece_high[1] = (int32_t)splits->after[node] << 2;
    } else {
        pieces = children(splits, own, node);
    }
    memset(own->piece_rows, 0, (size_t)pieces * sizeof *own->piece_rows);
    for (int64_t i = start; i < stop; i++) {
        own->piece[i] = own->unit_piece[unit_at(own, i, j)];
        own->piece_rows[own->piece[i]] += own->counts[own->order[i]];
    }
    return all_meet(requests, asked, own, start, stop, pieces) ? pieces : 0;
}

/* The first axis, widest span first, along which a part can be split; returns the number of pieces, 0 if there is none.
 * The piece of every tuple is left in own->piece. */
static int64_t split(const Splits *splits, const Requests *requests, const Conditions *asked, const Partition *own,
                     const int64_t *k, int64_t start, int64_t stop, int64_t *axis) {
    for (int64_t j = 0; j < own->axes; j++) measure_span(splits, own, start, stop, j);
    for (;;) {
        int64_t widest = 0;
        for (int64_t j = 1; j < own->axes; j++)
            if (own->spans[j] > own->spans[widest]) widest = j;
        if (own->spans[widest] < 0.0) return 0;
        own->spans[widest] = -1.0;
        const int64_t pieces = cut(splits, requests, asked, own, k, start, stop, widest);
        *axis = widest;
        if (pieces) return pieces;
    }
}

/* Put the tuples of each piece together, in their order. */
void regroup(const Partition *own, int64_t start, int64_t stop, int64_t pieces) {
    sort_pieces(own, start, stop, pieces);
    memcpy(own->order + start, own->sorted + start, (size_t)(stop - start) * sizeof *own->order);
}

/* Split until nothing can be split. of_tuple gets the part of each tuple, `low` and `high` the boundaries of each part
 * from and up to, 4 · gap + what each is. Cuts are made that can be shown if the smallest class has k[0] rows, and
 * placed as if it had k[1]. Returns how many parts there are.
 *
 * Waiting parts are at the end of `low` and `high`, the next one first: there are never more parts, finished
 * and waiting, than tuples. The initial parts are already there, from `waiting` on: part i holds the tuples
 * order[starts[i]] up to but excluding order[stops[i]]. */
EXPORT int64_t paretonym_partition(const Splits *splits, const Requests *requests, const Conditions *asked,
                                   const Partition *own, int64_t waiting, const int64_t *k) {
    const int64_t axes = own->axes, tuples = own->tuples;
    int64_t parts = 0;
    if (waiting < 0 || !known(requests, asked)) return REFUSED;
    while (waiting < tuples) {
        const int64_t start = own->starts[waiting], stop = own->stops[waiting];
        int32_t *low = own->low + waiting * axes, *high = own->high + waiting * axes;
        int64_t axis = 0;
        const int64_t pieces = split(splits, requests, asked, own, k, start, stop, &axis);
        const size_t bytes = (size_t)axes * sizeof *low;
        waiting++;
        if (!pieces) {
            memmove(own->low + parts * axes, low, bytes);
            memmove(own->high + parts * axes, high, bytes);
            for (int64_t i = start; i < stop; i++) own->of_tuple[own->order[i]] = parts;
            parts++;
            continue;
        }
        regroup(own, start, stop, pieces);
        memcpy(own->own_low, low, bytes);
        memcpy(own->own_high, high, bytes);
        for (int64_t piece = pieces - 1; piece >= 0; piece--) {
            if (own->ends[piece] == own->ends[piece + 1]) continue;
            waiting--;
            own->starts[waiting] = own->ends[piece];
            own->stops[waiting] = own->ends[piece + 1];
            low = own->low + waiting * axes;
            high = own->high + waiting * axes;
            memcpy(low, own->own_low, bytes);
            memcpy(high, own->own_high, bytes);
            if (own->piece_low[piece] > low[axis]) low[axis] = own->piece_low[piece];
            if (own->piece_high[piece] < high[axis]) high[axis] = own->piece_high[piece];
        }
    }
    return parts;
}
