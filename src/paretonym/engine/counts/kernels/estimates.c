/* What a reader of a release would estimate: large populations, and counting queries.
 * Twin: tests/naive/kernels.py.
 *
 * A population is a list of predicates, one for each of some axes in ascending order. All populations are in
 * one list, in the order of a depth-first walk through the tree of their prefixes: entry i adds predicate
 * chosen[i] to the first depths[i] - 1 predicates of the entry before. Predicate p selects first[p] up to but
 * excluding after[p] on axis[p]. */
#include "kernels.h"

static const double LN2 = 0.6931471805599453;

/* Count the rows of the active tuples in each predicate from `start` on, as differences of running sums. */
static void support(const PopulationSearch *search, int64_t start, int64_t depth) {
    const int32_t *active = search->active + depth * search->tuples;
    int64_t *supports = search->supports + depth * search->predicates, *before = search->before;
    for (int64_t p = start; p < search->predicates;) {
        const int64_t j = search->axis[p];
        memset(before, 0, (size_t)search->units * sizeof *before);
        for (int64_t i = 0; i < search->lengths[depth]; i++)
            before[search->groups[active[i] * search->axes + j] + 1] += search->counts[active[i]];
        for (int64_t unit = 1; unit < search->units; unit++) before[unit] += before[unit - 1];
        for (; p < search->predicates && search->axis[p] == j; p++)
            supports[p] = before[search->after[p]] - before[search->first[p]];
    }
}

/* The active tuples of a depth that match a predicate become those of the next depth. */
static void select_tuples(const PopulationSearch *search, int64_t p, int64_t depth) {
    const int32_t *active = search->active + depth * search->tuples;
    int32_t *next = search->active + (depth + 1) * search->tuples;
    const int64_t j = search->axis[p];
    int64_t length = 0;
    for (int64_t i = 0; i < search->lengths[depth]; i++) {
        const int32_t group = search->groups[active[i] * search->axes + j];
        if (search->first[p] <= group && group < search->after[p]) next[length++] = active[i];
    }
    search->lengths[depth + 1] = length;
}

/* Find all populations with at least `least` rows. Returns how many, -1 if there is no room for them. */
EXPORT int64_t paretonym_find_populations(const PopulationSearch *search, int64_t least, int64_t room,
                                          int64_t *depths, int64_t *chosen) {
    int64_t depth = 0, found = 0;
    for (int64_t t = 0; t < search->tuples; t++) search->active[t] = (int32_t)t;
    search->lengths[0] = search->tuples;
    search->cursor[0] = 0;
    support(search, 0, 0);
    while (depth >= 0) {
        const int64_t p = search->cursor[depth];
        if (p == search->predicates) {
            depth--;
            continue;
        }
        search->cursor[depth] = p + 1;
        if (search->supports[depth * search->predicates + p] < least) continue;
        if (found == room) return -1;
        depths[found] = depth + 1;
        chosen[found++] = p;
        const int64_t following = search->starts[search->axis[p] + 1];
        if (following < search->predicates) {
            select_tuples(search, p, depth++);
            search->cursor[depth] = following;
            support(search, following, depth);
        }
    }
    return found;
}

/* How often each value is expected in each population, into `result`. Class c shows on axis j the leaves from low[j][c]
 * up to but excluding high[j][c] and has cells[c] rows of each value: inside a class every shown leaf is equally
 * likely, whatever the value. */
EXPORT int64_t paretonym_estimate(int64_t entries, int64_t axes, int64_t classes, int64_t predicates, int64_t values,
                                  const int64_t *depths, const int64_t *chosen, const int64_t *axis,
                                  const int64_t *first, const int64_t *after, const int64_t *low,
                                  const int64_t *high, const double *cells, int64_t levels, int32_t *active,
                                  double *weights, int64_t *lengths, double *result) {
    if (levels != axes + 1) return REFUSED;
    for (int64_t c = 0; c < classes; c++) {
        active[c] = (int32_t)c;
        weights[c] = 1.0;
    }
    lengths[0] = classes;
    for (int64_t i = 0; i < entries; i++) {
        const int64_t depth = depths[i], p = chosen[i];
        if (depth < 1 || depth > axes || p < 0 || p >= predicates || axis[p] < 0 || axis[p] >= axes) return REFUSED;
        const int64_t *from = low + axis[p] * classes, *to = high + axis[p] * classes;
        const int32_t *before = active + (depth - 1) * classes;
        int64_t length = 0;
        for (int64_t place = 0; place < lengths[depth - 1]; place++) {
            const int64_t c = before[place];
            const int64_t stop = to[c] < after[p] ? to[c] : after[p], start = from[c] > first[p] ? from[c] : first[p];
            if (stop <= start) continue;
            const double weight =
                weights[(depth - 1) * classes + place] * (double)(stop - start) / (double)(to[c] - from[c]);
            active[depth * classes + length] = (int32_t)c;
            weights[depth * classes + length++] = weight;
            for (int64_t v = 0; v < values; v++) result[i * values + v] += weight * cells[c * values + v];
        }
        lengths[depth] = length;
    }
    return 0;
}

static double divergence(const double *truth, const double *guess, int64_t start, int64_t stop) {
    double true_rows = 0.0, guessed_rows = 0.0, total = 0.0;
    for (int64_t v = start; v < stop; v++) {
        true_rows += truth[v];
        guessed_rows += guess[v];
    }
    if (guessed_rows <= 0.0) return LN2;
    for (int64_t v = start; v < stop; v++) {
        const double p = truth[v] / true_rows, q = guess[v] / guessed_rows, half = (p + q) / 2.0;
        if (p > 0.0) total += p * log(p / half);
        if (q > 0.0) total += q * log(q / half);
    }
    return total > 0.0 ? total / 2.0 : 0.0;
}

/* The mean over populations of the Jensen–Shannon divergence of the true and the estimated shares of the values from
 * `start` up to but excluding `stop`; ln 2 where nothing is estimated. */
EXPORT int64_t paretonym_mean_divergence(int64_t entries, int64_t values, int64_t start, int64_t stop,
                                         const double *truth, const double *guess, double *result) {
    if (start < 0 || start > stop || stop > values) return REFUSED;
    result[0] = 0.0;
    for (int64_t i = 0; i < entries; i++)
        result[0] += divergence(truth + i * values, guess + i * values, start, stop);
    if (entries) result[0] /= (double)entries;
    return 0;
}

/* Write the answer of a release to each counting query into `result`. Query i is about the axes with involved[i][j] and
 * selects the leaves whose running count rises in running[i] from starts[j] on, and the values marked in marks[i]. */
EXPORT int64_t paretonym_answer(int64_t queries, int64_t axes, int64_t classes, int64_t leaves, int64_t values,
                                const uint8_t *involved, const int32_t *running, const int64_t *starts,
                                const uint8_t *marks, const int64_t *low, const int64_t *high, const double *cells,
                                double *result) {
    for (int64_t i = 0; i < queries; i++) {
        const int32_t *own = running + i * leaves;
        result[i] = 0.0;
        for (int64_t c = 0; c < classes; c++) {
            double weight = 1.0, rows = 0.0;
            for (int64_t j = 0; j < axes && weight > 0.0; j++) {
                if (!involved[i * axes + j]) continue;
                const int64_t begin = low[j * classes + c], end = high[j * classes + c];
                if (begin < 0 || end < begin || starts[j] < 0 || starts[j] + end >= leaves) return REFUSED;
                const int32_t inside = own[starts[j] + end] - own[starts[j] + begin];
                weight = inside ? weight * ((double)inside / (double)(end - begin)) : 0.0;
            }
            if (weight <= 0.0) continue;
            for (int64_t v = 0; v < values; v++) rows += cells[c * values + v] * marks[i * values + v];
            result[i] += weight * rows;
        }
    }
    return 0;
}
