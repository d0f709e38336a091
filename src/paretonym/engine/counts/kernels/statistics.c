/* Statistics of one class, computed from the counts of a column's values in it. Every kernel that needs one calls
 * class_statistic. Twin: engine/counts/class_statistics.py. */
#include "kernels.h"

static const double LN2 = 0.6931471805599453;

/* Round to 10 significant digits, but not finer than 1e-12; `base/rounding.py` rounds values in the same way. */
static double significant(double value) {
    double scale = 1e12;
    if (!isfinite(value)) return value;
    for (double edge = 1e-2, size = fabs(value); size >= edge && scale > 1.0; edge *= 10.0) scale /= 10.0;
    return copysign(floor(fabs(value) * scale + 0.50001) / scale, value);
}

/* A statistic of a class as it is compared: rounded once. What a measure is the exponential of, is rounded there. Bounds
 * are computed from statistics that are not rounded. */
double comparable(const Requests *requests, int64_t which, double value) {
    if (requests->combines[which] >= HIGHEST_REACH) return value;
    return requests->kinds[which] == ENTROPY ? log(significant(exp(value))) : significant(value);
}

static int32_t largest(const int32_t *cells, int64_t width) {
    int32_t most = 0;
    for (int64_t v = 0; v < width; v++) most = cells[v] > most ? cells[v] : most;
    return most;
}

static int32_t distinct(const int32_t *cells, int64_t width) {
    int32_t found = 0;
    for (int64_t v = 0; v < width; v++) found += cells[v] > 0;
    return found;
}

static double entropy(const int32_t *cells, int64_t width, double size) {
    double total = 0.0;
    for (int64_t v = 0; v < width; v++)
        if (cells[v] > 1) total += cells[v] * log(cells[v]);
    return log(size) - total / size;
}

/* The largest l with r_1 < c (r_l + … + r_m), counts r in descending order; 0 if there is none. */
static double recursive(const int32_t *cells, int64_t width, double constant, int64_t *sorting) {
    for (int64_t v = 0; v < width; v++) {
        int64_t place = v;
        for (; place > 0 && sorting[place - 1] > cells[v]; place--) sorting[place] = sorting[place - 1];
        sorting[place] = cells[v];
    }
    int64_t tail = 0;
    for (int64_t v = 0; v < width; v++) {
        tail += sorting[v];
        if (sorting[v] > 0 && (double)sorting[width - 1] < constant * (double)tail) return (double)(width - v);
    }
    return 0.0;
}

/* In whole numbers, so that the sum is exact. Each product is below 2^62 (see kernels.h), and the sum is at most
 * size * whole + whole * size: below 2^63. */
static double variation(const int32_t *cells, int64_t width, int64_t size, const Reference *reference) {
    const uint64_t own = (uint32_t)size, whole = (uint32_t)reference->whole;
    int64_t total = 0;
    for (int64_t v = 0; v < width; v++) {
        int64_t here = (int64_t)((uint64_t)(uint32_t)cells[v] * whole);
        int64_t there = (int64_t)((uint64_t)(uint32_t)reference->totals[v] * own);
        total += here > there ? here - there : there - here;
    }
    return (double)total / (2.0 * (double)size * (double)reference->whole);
}

static double ordered(const int32_t *cells, int64_t width, double size, const double *shares) {
    double total = 0.0, difference = 0.0;
    for (int64_t v = 0; v < width - 1; v++) {
        difference += cells[v] / size - shares[v];
        total += fabs(difference);
    }
    return width > 1 ? total / (double)(width - 1) : 0.0;
}

/* Every level up the tree costs half of 1 / height: the sum of what must leave each set. */
static double over_tree(const int32_t *cells, int64_t width, double size, const double *shares,
                        const int64_t *tree, int64_t levels) {
    double total = 0.0;
    for (int64_t level = 0; level < levels; level++) {
        const int64_t *sets = tree + level * width;
        double difference = 0.0;
        for (int64_t v = 0; v < width; v++) {
            difference += cells[v] / size - shares[v];
            if (v + 1 == width || sets[v + 1] != sets[v]) {
                total += fabs(difference);
                difference = 0.0;
            }
        }
    }
    return total / (2.0 * (double)levels);
}

/* Jensen–Shannon divergence, natural logarithm, no square root. Where p is 0, the term is half of q ln 2. */
static double divergence(const int32_t *cells, int64_t width, double size, const double *shares) {
    double total = 0.0;
    for (int64_t v = 0; v < width; v++) {
        const double q = shares[v], p = cells[v] / size, half = (p + q) / 2.0;
        if (cells[v] == 0) {
            total += q * LN2;
        } else {
            total += p * log(p / half);
            if (q > 0.0) total += q * log(q / half);
        }
    }
    return total > 0.0 ? total / 2.0 : 0.0;
}

/* Over the values that occur in the class; if `complete` is asked for, one that it lacks makes it infinite. */
static double ratio(const int32_t *cells, int64_t width, double size, const double *shares, int complete) {
    double worst = 0.0;
    for (int64_t v = 0; v < width; v++) {
        if (shares[v] <= 0.0 || (cells[v] == 0 && !complete)) continue;
        if (cells[v] == 0) return INFINITY;
        worst = fmax(worst, fabs(log(cells[v] / size / shares[v])));
    }
    return worst;
}

/* Beta-likeness: the largest relative increase of a value's share over the reference. */
static double likeness(const int32_t *cells, int64_t width, double size, const double *shares) {
    double worst = 0.0;
    for (int64_t v = 0; v < width; v++)
        if (cells[v] > 0) worst = fmax(worst, (cells[v] / size - shares[v]) / shares[v]);
    return worst;
}

static double pairs(const int32_t *cells, int64_t width) {
    int64_t total = 0; /* at most the square of the class's rows, below 2^62 */
    for (int64_t v = 0; v < width; v++) total += (int64_t)cells[v] * cells[v];
    return (double)total;
}

Reference of_input(const Requests *requests, int64_t which) {
    const int64_t start = requests->starts[which];
    return (Reference){requests->shares + start, requests->totals + start, requests->wholes[which]};
}

static int64_t sum_of(const int32_t *cells, int64_t width) {
    int64_t total = 0;
    for (int64_t v = 0; v < width; v++) total += cells[v];
    return total;
}

/* A statistic of one class of `count` rows, whose counts of all requested columns are in `values`. Of `count` persons
 * cells say how many have each value; they may have several, so shares are of the sum of the cells. Sums are rounded,
 * so that equal ones are equal numbers. */
double class_statistic(const Requests *requests, int64_t which, const int32_t *values, int64_t count,
                       const Reference *reference, int64_t *sorting) {
    const int32_t *cells = values + requests->starts[which];
    const int64_t width = requests->widths[which], levels = requests->tree_levels[which];
    const int64_t *tree = requests->tree + requests->tree_starts[which];
    const int64_t held = requests->persons ? sum_of(cells, width) : count;
    const double size = (double)held;
    const int complete = requests->parameters[which] > 0.0;
    switch (requests->kinds[which]) {
    case SHARE: return largest(cells, width) / (double)count;
    case DISTINCT: return distinct(cells, width);
    case ENTROPY: return comparable(requests, which, entropy(cells, width, size));
    case RECURSIVE: return recursive(cells, width, requests->parameters[which], sorting);
    case VARIATION: return comparable(requests, which, variation(cells, width, held, reference));
    case ORDERED: return comparable(requests, which, ordered(cells, width, size, reference->shares));
    case TREE: return comparable(requests, which, over_tree(cells, width, size, reference->shares, tree, levels));
    case DIVERGENCE: return comparable(requests, which, divergence(cells, width, size, reference->shares));
    case RATIO: return comparable(requests, which, ratio(cells, width, size, reference->shares, complete));
    case LIKENESS: return comparable(requests, which, likeness(cells, width, size, reference->shares));
    case MAJORITY: return largest(cells, width);
    default: return pairs(cells, width);
    }
}

/* One statistic of every class with marks[i] >= least. */
void class_statistics(const Requests *requests, int64_t which, const Classes *classes, const int64_t *marks,
                      int64_t least, const Reference *reference, int64_t *sorting, double *out) {
    for (int64_t i = 0; i < classes->length; i++)
        if (marks[i] >= least)
            out[i] = class_statistic(requests, which, classes->cells + i * classes->width, classes->counts[i], reference,
                                     sorting);
}

double neutral(int64_t combine) { return combine == LEAST ? INFINITY : combine == MOST ? -INFINITY : 0.0; }

double combined(int64_t combine, double one, double other) {
    if (combine == SUM) return one + other;
    return (combine == LEAST) == (one < other) ? one : other;
}

/* One statistic of every class, against the input's distribution. */
EXPORT int64_t paretonym_class_statistics(const Requests *requests, int64_t which, const Classes *classes,
                                          int64_t *sorting, double *out) {
    if (which < 0 || which >= requests->statistics || classes->width != requests->values) return REFUSED;
    const Reference input = of_input(requests, which);
    class_statistics(requests, which, classes, classes->counts, 0, &input, sorting, out);
    return 0;
}
