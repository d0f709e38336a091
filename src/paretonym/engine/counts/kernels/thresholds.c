/* Which classes are suppressed at each threshold, and what is then counted at a node.
 * Twin: tests/naive/rollup.py (node_facts).
 *
 * By size: sizes in ascending order, each with the rows that are suppressed if all smaller classes are; one
 * pass serves every k and every limit. By pairs: each class has a first and a second goodness (more is
 * better; with one threshold the second is the same for all), and a pair of thresholds suppresses the classes
 * that miss either. Only tight pairs are candidates: some class that stays has exactly the first and some
 * exactly the second. So every set of classes occurs once. */
#include "kernels.h"

/* Sums of fractions are exact to far less than this. */
/* Newton's steps are exact to the first; what should be equal differs by less than the second. */
static const double REACHED = 1e-9, NEAR = 1e-13;

static int before(const double *first, const double *second, int64_t one, int64_t other) {
    if (first[one] != first[other] || !second) return first[one] <= first[other];
    return second[one] <= second[other];
}

/* The places of classes in ascending order of their first number, then of the second if there is one; equals stay in
 * their order. */
void sort_order(const double *first, const double *second, int64_t length, int64_t *order, int64_t *spare) {
    for (int64_t i = 0; i < length; i++) order[i] = i;
    for (int64_t width = 1; width < length; width *= 2) {
        for (int64_t start = 0; start < length; start += 2 * width) {
            const int64_t middle = start + width < length ? start + width : length;
            const int64_t end = middle + width < length ? middle + width : length;
            int64_t left = start, right = middle;
            for (int64_t place = start; place < end; place++) {
                const int from_left =
                    left < middle && (right >= end || before(first, second, order[left], order[right]));
                spare[place] = from_left ? order[left++] : order[right++];
            }
        }
        memcpy(order, spare, (size_t)length * sizeof *order);
    }
}

/* --- by size ------------------------------------------------------------------------------------------ */

int64_t runs_of(const Thresholds *space, int64_t largest, int64_t above, int64_t suppressible) {
    int64_t *histogram = space->histogram, runs = 0, gone = 0;
    for (int64_t size = 1; size <= largest; size++) {
        if (!histogram[size]) continue;
        if (gone <= suppressible) {
            space->sizes[runs] = size;
            space->gone[runs++] = gone;
            gone += histogram[size];
        }
        histogram[size] = 0;
    }
    if (gone <= suppressible && above < NO_SIZE) {
        space->sizes[runs] = above;
        space->gone[runs++] = gone;
    }
    return runs;
}

static int64_t runs_by_histogram(const Classes *classes, int64_t suppressible, const Thresholds *space) {
    int64_t *histogram = space->histogram, above = NO_SIZE;
    for (int64_t i = 0; i < classes->length; i++) {
        const int64_t count = classes->counts[i];
        if (count <= suppressible) histogram[count] += count;
        else if (count < above) above = count;
    }
    return runs_of(space, suppressible, above, suppressible);
}

/* For few classes and a large limit: searching for the next size is faster than scanning a long histogram. */
static int64_t runs_by_search(const Classes *classes, int64_t suppressible, const Thresholds *space) {
    int64_t runs = 0, gone = 0, last = 0;
    while (gone <= suppressible) {
        int64_t next = NO_SIZE, rows = 0;
        for (int64_t i = 0; i < classes->length; i++) {
            const int64_t count = classes->counts[i];
            if (count <= last || count > next) continue;
            rows = count < next ? count : rows + count;
            next = count;
        }
        if (next == NO_SIZE) break;
        space->sizes[runs] = last = next;
        space->gone[runs++] = gone;
        gone += rows;
    }
    return runs;
}

/* The class sizes, in ascending order, that can be the smallest to stay, and the rows in smaller classes. */
static int64_t size_runs(const Classes *classes, int64_t suppressible, int64_t ones, const Thresholds *space) {
    if (ones > suppressible) {
        space->sizes[0] = 1;
        space->gone[0] = 0;
        return 1;
    }
    /* At most √(2·suppressible) + 2 sizes are found, one pass over the classes for each. */
    if (suppressible / 16 > classes->length) return runs_by_search(classes, suppressible, space);
    return runs_by_histogram(classes, suppressible, space);
}

/* What a row of a class costs, its key being at these levels. */
int64_t cost_of(const Layout *layout, const int64_t *levels, const uint64_t *key, int64_t cost) {
    const int64_t *units = layout->units + cost * layout->united;
    int64_t total = 0;
    for (int64_t p = 0; p < layout->positions; p++) {
        const uint64_t mask = (UINT64_C(1) << layout->bits[p]) - 1;
        const int64_t place = layout->unit_starts[p * layout->widest + levels[p]];
        total += units[place + (int64_t)((key[layout->word[p]] >> layout->shift[p]) & mask)];
    }
    return total;
}

/* Subtract the suppressed classes. A class smaller than the size of run r is suppressed from r on; its share is entered
 * at the first such run and accumulated over the runs afterwards. The histogram, all zeros here, maps sizes to runs. */
static void take_off_small(const Layout *layout, const int64_t *levels, const Classes *classes, int64_t runs,
                           int64_t first, const Thresholds *space, const Counted *out, int64_t written) {
    const int64_t largest = space->sizes[runs - 1], costs = out->costs, end = written + runs - first;
    int64_t small = 0;
    for (int64_t i = 0; i < classes->length; i++) {
        /* Branch prediction cannot tell which are small: list them first, without a branch. */
        space->small[small] = i;
        small += classes->counts[i] < largest;
    }
    for (int64_t run = first; run < runs - 1; run++) space->histogram[space->sizes[run]] = run + 1 - first;
    for (int64_t j = 0; j < small; j++) {
        const int64_t i = space->small[j], count = classes->counts[i];
        const int64_t place = written + space->histogram[count];
        out->fact[place * out->facts + CLASSES]--;
        out->fact[place * out->facts + SQUARES] -= count * count;
        for (int64_t c = 0; c < costs; c++)
            out->cost[place * costs + c] +=
                count * cost_of(layout, levels, classes->keys + i * classes->words, c);
    }
    for (int64_t run = first; run < runs - 1; run++) space->histogram[space->sizes[run]] = 0;
    for (int64_t place = written + 1; place < end; place++) {
        int64_t *fact = out->fact + place * out->facts, *before = fact - out->facts;
        fact[CLASSES] += before[CLASSES] - classes->length;
        fact[SQUARES] += before[SQUARES] - fact[ALL_SQUARES];
        for (int64_t c = 0; c < costs; c++) out->cost[place * costs + c] += out->cost[(place - 1) * costs + c];
    }
}

/* One statistic of every class with marks[i] >= least, whether its counts of values are in a table or listed. */
static void of_classes(const Requests *requests, int64_t which, const Classes *classes, const int64_t *marks,
                       int64_t least, const Reference *reference, const Thresholds *space, double *out) {
    if (space->listed) listed_statistics(requests, which, classes, marks, least, reference, space, out);
    else class_statistics(requests, which, classes, marks, least, reference, space->sorting, out);
}

/* The distribution of the classes that stay, as a reference: of those with at least `least` rows, or of those
 * that are marked. */
static Reference of_release(const Requests *requests, int64_t which, const Classes *classes, const int64_t *marks,
                            int64_t least, const Thresholds *space) {
    const int64_t start = requests->starts[which], width = requests->widths[which];
    int64_t whole = 0;
    for (int64_t v = 0; v < width; v++) space->totals[v] = 0;
    for (int64_t i = 0; i < classes->length; i++) {
        if (marks[i] < least) continue;
        whole += classes->counts[i];
        if (space->listed) add_listed(requests, which, space, i);
        for (int64_t v = 0; v < width && !space->listed; v++)
            space->totals[v] += classes->cells[i * classes->width + start + v];
    }
    if (requests->persons) {
        whole = 0;
        for (int64_t v = 0; v < width; v++) whole += space->totals[v];
    }
    for (int64_t v = 0; v < width; v++) space->shares[v] = (double)space->totals[v] / (double)whole;
    return (Reference){space->shares, space->totals, whole};
}

/* One statistic against the distribution of the classes with marks[i] >= least themselves. */
double against_itself(const Requests *requests, int64_t which, const Classes *classes, const int64_t *marks,
                             int64_t least, const Thresholds *space) {
    const Reference reference = of_release(requests, which, classes, marks, least, space);
    double *values = space->measured + which * space->classes, result = neutral(requests->combines[which]);
    of_classes(requests, which, classes, marks, least, &reference, space, values);
    for (int64_t i = 0; i < classes->length; i++)
        if (marks[i] >= least) result = combined(requests->combines[which], result, values[i]);
    return result;
}

/* One statistic against the input's distribution: computed once for each class, then combined from the largest
 * classes downwards. */
static void over_runs(const Requests *requests, int64_t which, const Classes *classes, int64_t runs, int64_t first,
                      const Thresholds *space, const Counted *out, int64_t written) {
    const int64_t combine = requests->combines[which], width = out->statistics;
    const int64_t least = space->sizes[first], most = space->sizes[runs - 1];
    const Reference input = of_input(requests, which);
    double *values = space->measured + which * space->classes;
    of_classes(requests, which, classes, classes->counts, least, &input, space, values);
    for (int64_t run = first; run < runs; run++) {
        out->statistic[(written + run - first) * width + which] = neutral(combine);
        if (run < runs - 1) space->histogram[space->sizes[run]] = run - first;
    }
    for (int64_t i = 0; i < classes->length; i++) {
        const int64_t count = classes->counts[i];
        if (count < least) continue;
        const int64_t place = written + (count >= most ? runs - 1 - first : space->histogram[count]);
        double *value = out->statistic + place * width + which;
        *value = combined(combine, *value, values[i]);
    }
    for (int64_t run = first; run < runs - 1; run++) space->histogram[space->sizes[run]] = 0;
    for (int64_t place = written + runs - 2 - first; place >= written; place--) {
        double *value = out->statistic + place * width + which;
        *value = combined(combine, *value, value[width]);
    }
}

/* --- what no specialization can reach ------------------------------------------------------------------- */

/* Let `worst` be a statistic's value where all rows have one value, at the worst. It is convex in the distribution of a
 * class, so if all classes that a class C is split into are y at worst, of the c rows of C at least c (s − y) / (worst − y)
 * must go, s being the statistic of C. These rows add up over classes; where they are more than may go, no
 * specialization is as good as y. Newton's steps come to that y from below, since the sum minus what may go, times
 * worst − y, is convex in y: each step is a bound already. Signs are turned where more is better. */
static double convex_reach(const Classes *classes, const double *values, double sign, double ideal, double worst,
                           int64_t suppressible) {
    double reach = ideal;
    for (int64_t step = 0; step < 50; step++) {
        double excess = 0.0;
        int64_t rows = 0;
        for (int64_t i = 0; i < classes->length; i++) {
            const double value = sign * values[i];
            if (value <= reach) continue;
            rows += classes->counts[i];
            excess += (double)classes->counts[i] * (value - reach);
        }
        if (rows <= suppressible) break;
        const double more = (excess - (double)suppressible * (worst - reach)) / (double)(rows - suppressible);
        if (!(more > REACHED)) break;
        reach += more;
    }
    return reach;
}

/* A statistic of every class, those too that are suppressed: computed once for all that is wanted of it. */
static const double *of_every_class(const Requests *requests, int64_t which, const Classes *classes,
                                    const Thresholds *space) {
    const Reference input = of_input(requests, which);
    double *values = space->measured + which * space->classes;
    const int64_t kind = requests->kinds[which];
    for (int64_t s = 0; s < which && kind != RECURSIVE; s++)
        if (requests->combines[s] >= HIGHEST_REACH && requests->kinds[s] == kind &&
            requests->starts[s] == requests->starts[which])
            return space->measured + s * space->classes;
    of_classes(requests, which, classes, classes->counts, 0, &input, space, values);
    return values;
}

/* The worst of all classes of a node, or their sum: what it is with nothing suppressed. */
static double over_every_class(const Requests *requests, int64_t which, const Classes *classes,
                               const Thresholds *space) {
    const double *values = of_every_class(requests, which, classes, space);
    const int64_t combine = requests->combines[which] - EVERY_LEAST;
    double result = neutral(combine);
    for (int64_t i = 0; i < classes->length; i++) result = combined(combine, result, values[i]);
    return result;
}

/* The best that a statistic can be at any specialization of a node with these classes, if at most so many rows go. */
static double reach_of(const Requests *requests, int64_t which, const Classes *classes, int64_t suppressible,
                       const Thresholds *space) {
    const double *values = of_every_class(requests, which, classes, space);
    const double sign = requests->combines[which] == LOWEST_REACH ? 1.0 : -1.0;
    const double alone = sign * requests->parameters[which], width = (double)requests->widths[which];
    const double worst = alone - NEAR * fmax(1.0, fabs(alone));
    const int64_t kind = requests->kinds[which];
    int64_t rows = 0; /* in classes that cannot be worse: some of them stay if they are too many to go */
    if (kind == DISTINCT) {
        /* A class never gets more values by losing rows: it goes as a whole, or stays as bad as it is. */
        int64_t *by_value = space->sorting, most = 0;
        memset(by_value, 0, (size_t)requests->widths[which] * sizeof *by_value);
        for (int64_t i = 0; i < classes->length; i++) by_value[(int64_t)values[i] - 1] += classes->counts[i];
        while (most < requests->widths[which] && rows <= suppressible) rows += by_value[most++];
        return rows > suppressible ? (double)most : width;
    }
    for (int64_t i = 0; i < classes->length; i++) rows += sign * values[i] >= worst ? classes->counts[i] : 0;
    if (rows > suppressible) return sign * worst;
    const double ideal = kind == ENTROPY ? -log(width) : kind == SHARE ? 1.0 / width : 0.0;
    const double reach = convex_reach(classes, values, sign, ideal, worst, suppressible) - REACHED;
    return sign * (reach > ideal ? reach : ideal);
}

/* Enter the rows in classes smaller than each size of the staircase; all rows if that is more than may be
 * suppressed. */
void enter_stairs(const Bounds *bounds, int64_t node, int64_t rows, int64_t runs, const Thresholds *space) {
    int32_t *staircase = bounds->staircase + node * bounds->stairs;
    for (int64_t stair = 0, run = 0; stair < bounds->stairs; stair++) {
        const int64_t size = bounds->sizes[stair] < rows ? bounds->sizes[stair] : rows;
        while (run < runs && space->sizes[run] < size) run++;
        staircase[stair] = (int32_t)(run < runs ? space->gone[run] : rows);
    }
}

/* The statistics of the candidates of one node, one for each threshold on class size from the run `first` on. */
void record_statistics(const Requests *requests, const Classes *classes, int64_t suppressible, int64_t runs,
                       int64_t first, const Thresholds *space, const Counted *out, int64_t written) {
    for (int64_t s = 0; s < requests->statistics; s++) {
        if (requests->combines[s] >= HIGHEST_REACH) {
            const double found = requests->combines[s] >= EVERY_LEAST
                                     ? over_every_class(requests, s, classes, space)
                                     : reach_of(requests, s, classes, suppressible, space);
            for (int64_t place = written; place < written + runs - first; place++)
                out->statistic[place * out->statistics + s] = found;
            continue;
        }
        if (!requests->released[s]) {
            over_runs(requests, s, classes, runs, first, space, out, written);
            continue;
        }
        for (int64_t run = first; run < runs; run++)
            out->statistic[(written + run - first) * out->statistics + s] =
                against_itself(requests, s, classes, classes->counts, space->sizes[run], space);
    }
}

/* The candidates of one node: one for each threshold on class size, or only for the highest that the limit
 * allows. Returns how many, or -1 if `out` has no room for them. */
int64_t record_sizes(const Layout *layout, const Requests *requests, const int64_t *levels, const Classes *classes,
                     int64_t suppressible, int64_t every, const Thresholds *space, const Bounds *bounds, int64_t node,
                     const Counted *out, int64_t written) {
    int64_t ones = 0, squares = 0, rows = 0;
    for (int64_t i = 0; i < classes->length; i++) {
        ones += classes->counts[i] == 1;
        squares += classes->counts[i] * classes->counts[i];
        rows += classes->counts[i];
    }
    const int64_t runs = size_runs(classes, suppressible, ones, space), first = every ? 0 : runs - 1;
    if (written + runs - first > out->room) return -1;
    enter_stairs(bounds, node, rows, runs, space);
    for (int64_t run = first; run < runs; run++) {
        const int64_t place = written + run - first;
        int64_t *fact = out->fact + place * out->facts;
        fact[SMALLEST] = space->sizes[run];
        fact[GONE] = space->gone[run];
        fact[CLASSES] = classes->length;
        fact[SQUARES] = fact[ALL_SQUARES] = squares;
        fact[UNIQUE] = space->sizes[run] == 1 ? ones : 0;
        for (int64_t c = 0; c < out->costs; c++) out->cost[place * out->costs + c] = 0;
    }
    if (runs > 1) take_off_small(layout, levels, classes, runs, first, space, out, written);
    record_statistics(requests, classes, suppressible, runs, first, space, out, written);
    return runs - first;
}

/* --- by pairs ----------------------------------------------------------------------------------------- */

/* All statistics of all classes against the input, and what the two thresholds are about: thresholds[key] lists
 * places of statistics, -1 for the size of the class, -2 for nothing. */
void measure_classes(const Requests *requests, const int64_t *thresholds, int64_t columns, const Classes *classes,
                     const Thresholds *space) {
    for (int64_t s = 0; s < requests->statistics; s++) {
        const Reference input = of_input(requests, s);
        double *values = space->measured + s * space->classes;
        of_classes(requests, s, classes, classes->counts, 0, &input, space, values);
    }
    for (int64_t key = 0; key < 2; key++) {
        double *goodness = space->goodness + key * space->ranked;
        for (int64_t i = 0; i < classes->length; i++) {
            double least = INFINITY;
            for (int64_t column = 0; column < columns; column++) {
                const int64_t s = thresholds[key * columns + column];
                double value = s == -2 ? 0.0 : (double)classes->counts[i];
                if (s >= 0) value = space->measured[s * space->classes + i];
                if (s >= 0 && requests->combines[s] == MOST) value = -value;
                least = fmin(least, value);
            }
            goodness[i] = least;
        }
    }
}

/* Add a class to the totals of its rank, or subtract it. */
static void enter(const Thresholds *space, const Classes *classes, const int64_t *rows, const int64_t *class_costs,
                  int64_t which, int64_t sign) {
    const int64_t rank = space->rank[which], count = classes->counts[which], own = rows[which], costs = space->costs;
    space->rank_rows[rank] += sign * own;
    space->rank_classes[rank] += sign;
    /* The sum of squared class sizes is at most the square of all rows: below 2^62, in any order. */
    space->rank_squares[rank] += sign * count * count;
    space->rank_unique[rank] += count == 1 ? sign : 0;
    space->rank_people[rank] += sign * count;
    space->rank_row_squares[rank] += sign * own * own;
    for (int64_t c = 0; c < costs; c++)
        space->rank_costs[rank * costs + c] += sign * own * class_costs[which * costs + c];
}

/* Number the distinct values of the first goodness in ascending order, and add up the classes of each. Returns how many
 * there are. */
static int64_t rank_classes(const Thresholds *space, const Classes *classes, const int64_t *rows,
                            const int64_t *class_costs) {
    const double *first = space->goodness;
    int64_t *order = space->order, rank = -1;
    sort_order(first, NULL, classes->length, order, space->spare);
    for (int64_t i = 0; i < classes->length; i++) {
        if (i == 0 || first[order[i]] != first[order[i - 1]]) {
            rank++;
            space->rank_rows[rank] = space->rank_classes[rank] = space->rank_squares[rank] = 0;
            space->rank_unique[rank] = space->rank_people[rank] = space->rank_row_squares[rank] = 0;
            for (int64_t c = 0; c < space->costs; c++) space->rank_costs[rank * space->costs + c] = 0;
        }
        space->rank[order[i]] = rank;
        enter(space, classes, rows, class_costs, order[i], 1);
    }
    return rank + 1;
}

/* The smallest class and all statistics of the remaining classes, for each first goodness and better ones. */
static void combine_upwards(const Requests *requests, const Classes *classes, const int64_t *left, int64_t length,
                            int64_t ranks, const Thresholds *space) {
    const int64_t width = requests->statistics;
    for (int64_t rank = 0; rank < ranks; rank++) {
        space->rank_smallest[rank] = NO_SIZE;
        for (int64_t s = 0; s < width; s++) space->rank_measured[rank * width + s] = neutral(requests->combines[s]);
    }
    for (int64_t i = 0; i < length; i++) {
        const int64_t rank = space->rank[left[i]], count = classes->counts[left[i]];
        if (count < space->rank_smallest[rank]) space->rank_smallest[rank] = count;
        for (int64_t s = 0; s < width; s++) {
            double *value = space->rank_measured + rank * width + s;
            *value = combined(requests->combines[s], *value, space->measured[s * space->classes + left[i]]);
        }
    }
    for (int64_t rank = ranks - 2; rank >= 0; rank--) {
        if (space->rank_smallest[rank + 1] < space->rank_smallest[rank])
            space->rank_smallest[rank] = space->rank_smallest[rank + 1];
        for (int64_t s = 0; s < width; s++) {
            double *value = space->rank_measured + rank * width + s;
            *value = combined(requests->combines[s], *value, value[width]);
        }
    }
}

/* Sums over classes: all of them, or those that are suppressed so far. The costs of these are in the candidate itself. */
typedef struct {
    int64_t rows, classes, squares, unique, people, row_squares;
} Sums;

static void add(Sums *sums, int64_t rows, int64_t size) {
    sums->rows += rows;
    sums->classes++;
    sums->squares += size * size;
    sums->unique += size == 1;
    sums->people += size;
    sums->row_squares += rows * rows;
}

/* A candidate for every first threshold up to `top`, where `gone` misses the second one. Returns how many, or
 * -1 without room. */
static int64_t climb(const Requests *requests, const Sums *all, int64_t top, Sums gone, const int64_t *gone_costs,
                     int64_t suppressible, const Thresholds *space, const Counted *out, int64_t written) {
    const int64_t costs = space->costs, width = requests->statistics;
    const int64_t *spent = gone_costs, *added = NULL;
    int64_t made = 0;
    for (int64_t rank = 0; rank <= top && gone.rows <= suppressible; rank++) {
        if (!space->rank_classes[rank]) continue;
        const int64_t place = written + made++;
        if (place >= out->room) return -1;
        int64_t *fact = out->fact + place * out->facts;
        int64_t *cost = out->cost + place * costs;
        fact[SMALLEST] = space->rank_smallest[rank];
        fact[GONE] = gone.rows;
        fact[CLASSES] = all->classes - gone.classes;
        fact[SQUARES] = all->squares - gone.squares;
        fact[ALL_SQUARES] = all->squares;
        fact[UNIQUE] = all->unique - gone.unique;
        if (out->facts == PERSON_FACTS) {
            fact[PEOPLE] = all->people - gone.people;
            fact[ALL_PEOPLE] = all->people;
            fact[ROW_SQUARES] = all->row_squares - gone.row_squares;
        }
        for (int64_t c = 0; c < costs; c++) cost[c] = spent[c] + (added ? added[c] : 0);
        memcpy(out->statistic + place * width, space->rank_measured + rank * width, (size_t)width * sizeof(double));
        out->node[place] = rank; /* waits here until the release's own distribution has been looked at */
        spent = cost;
        added = space->rank_costs + rank * costs;
        gone.rows += space->rank_rows[rank];
        gone.classes += space->rank_classes[rank];
        gone.squares += space->rank_squares[rank];
        gone.unique += space->rank_unique[rank];
        gone.people += space->rank_people[rank];
        gone.row_squares += space->rank_row_squares[rank];
    }
    return made;
}

/* The candidates of one node; classes have `rows`, which are their counts unless these are persons; class_costs[i] is
 * what a row of class i costs. Returns how many, or -1 if `out` has no room for them. */
int64_t record_pairs(const Requests *requests, const int64_t *thresholds, int64_t columns, const Classes *classes,
                     const int64_t *rows, const int64_t *class_costs, int64_t suppressible, const Thresholds *space,
                     const Counted *out, int64_t written) {
    const int64_t length = classes->length, costs = space->costs;
    const double *goodness = space->goodness + space->ranked;
    int64_t *gone_costs = space->gone_costs;
    int64_t *second = space->order, made = 0, start = 0;
    Sums all = {0}, gone = {0};
    measure_classes(requests, thresholds, columns, classes, space);
    const int64_t ranks = rank_classes(space, classes, rows, class_costs);
    sort_order(goodness, NULL, length, second, space->spare);
    for (int64_t c = 0; c < costs; c++) gone_costs[c] = 0;
    for (int64_t i = 0; i < length; i++) add(&all, rows[i], classes->counts[i]);
    while (start < length && gone.rows <= suppressible) {
        int64_t end = start, top = 0;
        for (; end < length && goodness[second[end]] == goodness[second[start]]; end++)
            if (space->rank[second[end]] > top) top = space->rank[second[end]];
        combine_upwards(requests, classes, second + start, length - start, ranks, space);
        const int64_t here =
            climb(requests, &all, top, gone, gone_costs, suppressible, space, out, written + made);
        if (here < 0) return -1;
        for (int64_t s = 0; s < requests->statistics; s++) {
            if (!requests->released[s]) continue;
            for (int64_t place = written + made; place < written + made + here; place++)
                out->statistic[place * out->statistics + s] =
                    against_itself(requests, s, classes, space->rank, out->node[place], space);
        }
        made += here;
        for (; start < end; start++) {
            const int64_t which = second[start];
            enter(space, classes, rows, class_costs, which, -1);
            add(&gone, rows[which], classes->counts[which]);
            for (int64_t c = 0; c < costs; c++) gone_costs[c] += rows[which] * class_costs[which * costs + c];
            space->rank[which] = -1; /* it stays at no first threshold any more */
        }
    }
    return made;
}
