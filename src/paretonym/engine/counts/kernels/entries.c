/* Counts of values within classes where most of them are 0: lists of entries in place of tables, so that a node costs
 * as much as it has different (class, value) pairs. Twin: tests/naive/rollup.py (node_facts).
 *
 * Entries are ascending by value, and each class occurs once among those of a value. Rolled up they stay so: what is
 * added up lies among the entries of one value. For statistics they are listed class by class. */
#include "kernels.h"

static const double LN2 = 0.6931471805599453;

/* Whether entries are in order, and about these classes and values only. */
int are_entries(const Entries *entries, int64_t classes, int64_t values) {
    for (int64_t i = 0; i < entries->length; i++) {
        if (entries->value[i] < 0 || entries->value[i] >= values || entries->count[i] < 1) return 0;
        if (entries->owner[i] < 0 || entries->owner[i] >= classes) return 0;
        if (i && entries->value[i] < entries->value[i - 1]) return 0;
    }
    return 1;
}

/* The entries of coarser classes: target[i] is the class that class i becomes. `out` may be the source: no entry moves
 * back. last[class] is the place of its last entry, or of anything else. Returns how many entries there are. */
int64_t roll_entries(const Entries *finer, const int64_t *target, int32_t *last, const Entries *out) {
    int64_t found = 0, begin = 0;
    int32_t present = -1;
    for (int64_t i = 0; i < finer->length; i++) {
        const int32_t value = finer->value[i], owner = (int32_t)target[finer->owner[i]], count = finer->count[i];
        if (value != present) begin = found;
        present = value;
        const int64_t place = last[owner];
        if (begin <= place && place < found && out->owner[place] == owner) {
            out->count[place] += count;
            continue;
        }
        last[owner] = (int32_t)found;
        out->value[found] = value;
        out->owner[found] = owner;
        out->count[found++] = count;
    }
    return found;
}

/* List entries class by class, ascending by value in each: those of class i from starts[i] up to but excluding
 * starts[i + 1]. */
void list_entries(const Entries *entries, int64_t classes, const Thresholds *space) {
    int64_t *starts = space->starts;
    memset(starts, 0, (size_t)(classes + 1) * sizeof *starts);
    for (int64_t i = 0; i < entries->length; i++) starts[entries->owner[i] + 1]++;
    for (int64_t i = 0; i < classes; i++) starts[i + 1] += starts[i];
    for (int64_t i = 0; i < entries->length; i++) {
        const int64_t place = starts[entries->owner[i]]++;
        space->listed_value[place] = entries->value[i];
        space->listed_count[place] = entries->count[i];
    }
    /* Each start has moved to the next one. */
    for (int64_t i = classes; i > 0; i--) starts[i] = starts[i - 1];
    starts[0] = 0;
}

/* The entries of one column in a class; values count from the column's first. */
typedef struct {
    int64_t length;
    const int32_t *value, *count;
    int32_t first;
} List;

/* The first of the entries from `begin` to `end` whose value is not below this one. */
static int64_t first_of(const int32_t *values, int64_t begin, int64_t end, int64_t value) {
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (values[middle] < value) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

static List list_of(const Requests *requests, int64_t which, const Thresholds *space, int64_t i) {
    const int64_t first = requests->starts[which], after = first + requests->widths[which];
    const int64_t begin = first_of(space->listed_value, space->starts[i], space->starts[i + 1], first);
    const int64_t end = first_of(space->listed_value, begin, space->starts[i + 1], after);
    return (List){end - begin, space->listed_value + begin, space->listed_count + begin, (int32_t)first};
}

/* What sums over all values of a column need, so that those without an entry need not be visited. */
typedef struct {
    double shares;    /* the sum of all shares */
    int64_t rows, occurring;
} Whole;

static Whole whole_of(const Requests *requests, int64_t which, const Reference *reference, const Thresholds *space) {
    const int64_t width = requests->widths[which], levels = requests->tree_levels[which];
    const int64_t *tree = requests->tree + requests->tree_starts[which];
    double *running = space->running, *doubled = space->running + requests->values + 1;
    Whole whole = {0.0, 0, 0};
    doubled[0] = 0.0;
    for (int64_t v = 0; v < width; v++) {
        whole.shares += reference->shares[v];
        whole.rows += reference->totals[v];
        whole.occurring += reference->shares[v] > 0.0;
        running[v] = whole.shares;
        doubled[v + 1] = doubled[v] + running[v];
    }
    if (requests->kinds[which] != TREE) return whole;
    for (int64_t level = 0; level < levels; level++) {
        const int64_t *sets = tree + level * width;
        for (int64_t v = 0, begin = 0; v < width; v++) {
            if (v + 1 < width && sets[v + 1] == sets[v]) continue;
            double share = 0.0;
            for (int64_t u = begin; u <= v; u++) share += reference->shares[u];
            for (; begin <= v; begin++) space->set_shares[level * width + begin] = share;
        }
    }
    return whole;
}

static int32_t most_of(const List *list) {
    int32_t most = 0;
    for (int64_t i = 0; i < list->length; i++) most = list->count[i] > most ? list->count[i] : most;
    return most;
}

static double entropy(const List *list, double size) {
    double total = 0.0;
    for (int64_t i = 0; i < list->length; i++)
        if (list->count[i] > 1) total += list->count[i] * log(list->count[i]);
    return log(size) - total / size;
}

/* Counts in ascending order. They are few different ones where they are many: those of one row are counted first. */
static void sort_counts(const List *list, int64_t *sorting) {
    int64_t ones = 0;
    for (int64_t i = 0; i < list->length; i++) ones += list->count[i] == 1;
    for (int64_t i = 0; i < ones; i++) sorting[i] = 1;
    for (int64_t i = 0, length = ones; i < list->length; i++) {
        if (list->count[i] == 1) continue;
        int64_t place = length++;
        for (; place > 0 && sorting[place - 1] > list->count[i]; place--) sorting[place] = sorting[place - 1];
        sorting[place] = list->count[i];
    }
}

static double recursive(const List *list, double constant, int64_t *sorting) {
    const int64_t length = list->length;
    int64_t tail = 0;
    sort_counts(list, sorting);
    for (int64_t i = 0; i < length; i++) {
        tail += sorting[i];
        if ((double)sorting[length - 1] < constant * (double)tail) return (double)(length - i);
    }
    return 0.0;
}

/* In whole numbers, as in statistics.c; a value without an entry adds its total times the size of the class. */
static double variation(const List *list, int64_t size, const Reference *reference, const Whole *whole) {
    int64_t total = size * whole->rows;
    for (int64_t i = 0; i < list->length; i++) {
        const int64_t here = list->count[i] * reference->whole;
        const int64_t there = reference->totals[list->value[i] - list->first] * size;
        total += (here > there ? here - there : there - here) - there;
    }
    return (double)total / (2.0 * (double)size * (double)reference->whole);
}

/* The sum of |share - running[v]| over v from `begin` up to but excluding `end`: running sums never fall. */
static double between(const double *running, const double *doubled, int64_t begin, int64_t end, double share) {
    int64_t low = begin, high = end;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (running[middle] < share) low = middle + 1;
        else high = middle;
    }
    const double below = share * (double)(low - begin) - (doubled[low] - doubled[begin]);
    return below + (doubled[end] - doubled[low]) - share * (double)(end - low);
}

static double ordered(const List *list, int64_t width, double size, const Requests *requests,
                      const Thresholds *space) {
    const double *running = space->running, *doubled = space->running + requests->values + 1;
    double total = 0.0, share = 0.0;
    int64_t begin = 0;
    if (width < 2) return 0.0;
    for (int64_t i = 0; i < list->length; i++) {
        const int64_t value = list->value[i] - list->first, end = value < width - 1 ? value : width - 1;
        total += between(running, doubled, begin, end, share);
        share += list->count[i] / size;
        begin = end;
    }
    total += between(running, doubled, begin, width - 1, share);
    return (total > 0.0 ? total : 0.0) / (double)(width - 1);
}

static double over_tree(const List *list, int64_t width, double size, const int64_t *tree, int64_t levels,
                        const Whole *whole, const Thresholds *space) {
    double total = 0.0;
    for (int64_t level = 0; level < levels; level++) {
        const int64_t *sets = tree + level * width;
        const double *shares = space->set_shares + level * width;
        double share = 0.0, moved = whole->shares;
        for (int64_t i = 0; i < list->length; i++) {
            const int64_t v = list->value[i] - list->first;
            share += list->count[i] / size;
            if (i + 1 < list->length && sets[list->value[i + 1] - list->first] == sets[v]) continue;
            moved += fabs(share - shares[v]) - shares[v];
            share = 0.0;
        }
        total += moved;
    }
    return (total > 0.0 ? total : 0.0) / (2.0 * (double)levels);
}

static double divergence(const List *list, double size, const double *shares, const Whole *whole) {
    double total = whole->shares * LN2;
    for (int64_t i = 0; i < list->length; i++) {
        const double q = shares[list->value[i] - list->first], p = list->count[i] / size, half = (p + q) / 2.0;
        total += p * log(p / half) - q * LN2;
        if (q > 0.0) total += q * log(q / half);
    }
    return total > 0.0 ? total / 2.0 : 0.0;
}

static double ratio(const List *list, double size, const double *shares, const Whole *whole, int complete) {
    double worst = 0.0;
    int64_t occurring = 0;
    for (int64_t i = 0; i < list->length; i++) {
        const double q = shares[list->value[i] - list->first];
        if (q <= 0.0) continue;
        occurring++;
        worst = fmax(worst, fabs(log(list->count[i] / size / q)));
    }
    return complete && occurring < whole->occurring ? INFINITY : worst;
}

static double likeness(const List *list, double size, const double *shares) {
    double worst = 0.0;
    for (int64_t i = 0; i < list->length; i++) {
        const double q = shares[list->value[i] - list->first];
        worst = fmax(worst, (list->count[i] / size - q) / q);
    }
    return worst;
}

static double pairs(const List *list) {
    int64_t total = 0;
    for (int64_t i = 0; i < list->length; i++) total += (int64_t)list->count[i] * list->count[i];
    return (double)total;
}

static double listed_statistic(const Requests *requests, int64_t which, const List *list, int64_t count,
                               const Reference *reference, const Whole *whole, const Thresholds *space) {
    const int64_t width = requests->widths[which], levels = requests->tree_levels[which];
    const int64_t *tree = requests->tree + requests->tree_starts[which];
    const double size = (double)count, *shares = reference->shares;
    const int complete = requests->parameters[which] > 0.0;
    switch (requests->kinds[which]) {
    case SHARE: return most_of(list) / size;
    case DISTINCT: return (double)list->length;
    case ENTROPY: return comparable(requests, which, entropy(list, size));
    case RECURSIVE: return recursive(list, requests->parameters[which], space->sorting);
    case VARIATION: return comparable(requests, which, variation(list, count, reference, whole));
    case ORDERED: return comparable(requests, which, ordered(list, width, size, requests, space));
    case TREE: return comparable(requests, which, over_tree(list, width, size, tree, levels, whole, space));
    case DIVERGENCE: return comparable(requests, which, divergence(list, size, shares, whole));
    case RATIO: return comparable(requests, which, ratio(list, size, shares, whole, complete));
    case LIKENESS: return comparable(requests, which, likeness(list, size, shares));
    case MAJORITY: return most_of(list);
    default: return pairs(list);
    }
}

/* One statistic of every listed class with marks[i] >= least; as class_statistics. */
void listed_statistics(const Requests *requests, int64_t which, const Classes *classes, const int64_t *marks,
                       int64_t least, const Reference *reference, const Thresholds *space, double *out) {
    const Whole whole = whole_of(requests, which, reference, space);
    for (int64_t i = 0; i < classes->length; i++) {
        if (marks[i] < least) continue;
        const List list = list_of(requests, which, space, i);
        out[i] = listed_statistic(requests, which, &list, classes->counts[i], reference, &whole, space);
    }
}

/* Add the counts of a listed class to the totals of a column. */
void add_listed(const Requests *requests, int64_t which, const Thresholds *space, int64_t i) {
    const List list = list_of(requests, which, space, i);
    for (int64_t e = 0; e < list.length; e++) space->totals[list.value[e] - list.first] += list.count[e];
}
