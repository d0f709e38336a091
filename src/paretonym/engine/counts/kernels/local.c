/* Local recoding: neighbouring classes are divided anew. Each shows the smallest sets that contain it. Twin: tests/naive/local.py. */
#include "kernels.h"

/* What a row of class c costs if a tuple joins it, or at least `limit`. With `joins` it does: the class then shows the smallest
 * sets that contain it, too. Only columns count in which its key differs from a member's in bits that all members share. */
static inline int64_t cost_with(const LocalTable *table, const LocalSpace *space, int64_t c, int64_t tuple, int64_t limit,
                         int joins) {
    const uint64_t *one = table->keys + space->shown_by[c] * table->words, *other = table->keys + tuple * table->words;
    const int32_t *prices = table->prices + tuple * table->places;
    uint64_t *shared = space->shared + c * table->words;
    int64_t *units = space->units + c * table->columns, cost = space->costs[c];
    for (int64_t w = 0; w < table->words && cost < limit; w++)
        for (uint64_t differ = (one[w] ^ other[w]) & shared[w]; differ;) {
            const int64_t bit = w << 6 | (63 - __builtin_clzll(differ)), j = table->column[bit];
            const int64_t unit = table->costs[prices[table->place[bit]]];
            cost += unit - units[j];
            differ &= table->below[bit];
            if (joins) units[j] = unit, shared[w] &= table->above[bit];
        }
    return cost;
}

/* A tuple joins class c, or begins it. */
static void join(const LocalTable *table, const LocalSpace *space, int64_t c, int64_t tuple, int begins) {
    if (begins) {
        space->shown_by[c] = (int32_t)tuple;
        space->sizes[c] = space->rows[c] = space->costs[c] = 0;
        memset(space->shared + c * table->words, 0xff, (size_t)table->words * sizeof *space->shared);
        for (int64_t j = 0; j < table->columns; j++)
            space->costs[c] += space->units[c * table->columns + j] =
                table->costs[table->prices[tuple * table->places + table->first[j]]];
    }
    space->costs[c] = cost_with(table, space, c, tuple, INT64_MAX, 1);
    space->sizes[c] += table->sizes[tuple];
    space->rows[c] += table->rows[tuple];
}

/* Divide tuples into classes of at least k: one begins anywhere, and grows by the tuple with which its rows cost least. What is left
 * joins the class that then costs least, or is suppressed if that is cheaper and allowed. Returns the cost, or more than `limit`. */
static int64_t divide(const LocalTable *table, const LocalSpace *space, int64_t length, int64_t k, int64_t limit,
                      int64_t *allowed, int32_t *members, int32_t *class) {
    int64_t size = 0, left = length, cost = 0, classes = 0, from = 0, *bounds = space->bounds;
    uint64_t drawn = (uint64_t)members[0];
    for (int64_t i = 0; i < length; i++) size += table->sizes[members[i]];
    for (; size >= k && left && cost <= limit; classes++) {
        for (int begins = 1; left && (begins || space->sizes[classes] < k); begins = 0) {
            drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            int64_t next = (int64_t)((drawn >> 33) % (uint64_t)left), best = INT64_MAX;
            /* None costs less than the class, or than before: the first that costs no more is taken, looked for from the last. */
            for (int64_t n = 0; !begins && n < left && best > space->costs[classes]; n++) {
                const int64_t i = from + n < left ? from + n : from + n - left;
                if (bounds[i] < best) bounds[i] = cost_with(table, space, classes, members[i], best, 0);
                if (bounds[i] < best) best = bounds[i], next = i;
            }
            from = !begins && best == space->costs[classes] ? next : 0;
            const int32_t tuple = members[next];
            join(table, space, classes, tuple, begins);
            size -= table->sizes[tuple];
            members[next] = members[--left];
            bounds[next] = bounds[left];
            if (begins) memset(bounds, 0, (size_t)left * sizeof *bounds);
            members[left] = tuple;
            class[left] = (int32_t)classes;
        }
        cost += space->costs[classes] * space->rows[classes];
    }
    while (left-- && cost <= limit) {
        const int64_t tuple = members[left], rows = table->rows[tuple];
        int64_t best = rows <= *allowed || !classes ? rows * table->most : INT64_MAX, chosen = -1;
        for (int64_t c = 0; c < classes; c++) {
            const int64_t row = cost_with(table, space, c, tuple, INT64_MAX, 0);
            const int64_t more = row * (space->rows[c] + rows) - space->costs[c] * space->rows[c];
            if (more < best) best = more, chosen = c;
        }
        if (chosen < 0) *allowed -= rows;
        else join(table, space, chosen, tuple, 0);
        class[left] = (int32_t)chosen;
        cost += best;
    }
    return cost;
}

/* Divide the members of each block anew, if that costs no more, or more by its slack. Their classes, -1 if they are suppressed, lie
 * together, with numbers below `tuples`; new ones count from where a block begins. At most `allowed` rows more are suppressed. */
EXPORT int64_t paretonym_divide(const LocalTable *table, const LocalSpace *space, int64_t blocks, const int64_t *ends,
                                const int64_t *slack, int64_t k, int64_t allowed, int32_t *members, int32_t *class) {
    for (int64_t t = 0; t < table->tuples; t++)
        if (members[t] < 0 || members[t] >= table->tuples || class[t] >= table->tuples) return REFUSED;
    for (int64_t i = 0; i < table->tuples * table->places; i++)
        if (table->prices[i] < 0 || table->prices[i] >= table->units) return REFUSED;
    for (int64_t j = 0; j < table->columns; j++)
        if (table->first[j] < 0 || table->first[j] >= table->places) return REFUSED;
    for (int64_t bit = 0; bit < table->words * 64; bit++)
        if (table->place[bit] < 0 || table->place[bit] >= table->places || table->column[bit] < 0 ||
            table->column[bit] >= table->columns || table->below[bit] >> (bit & 63)) return REFUSED;
    for (int64_t b = 0, begin = 0; b < blocks; begin = ends[b++]) {
        const int64_t length = ends[b] - begin;
        if (length < 0 || ends[b] > table->tuples) return REFUSED;
        int32_t *own = members + begin, *of = class + begin;
        int64_t old = slack[b], more = allowed;
        for (int64_t i = 0; i < length; i++) {
            if (of[i] < 0) old += table->rows[own[i]] * table->most, more += table->rows[own[i]];
            else join(table, space, of[i], own[i], i == 0 || of[i] != of[i - 1]);
            if (of[i] >= 0 && (i + 1 == length || of[i] != of[i + 1])) old += space->costs[of[i]] * space->rows[of[i]];
        }
        memcpy(space->members, own, (size_t)length * sizeof *own);
        memcpy(space->class, of, (size_t)length * sizeof *of);
        if (length && divide(table, space, length, k, old, &more, space->members, space->class) <= old && more >= 0) {
            for (int64_t i = 0; i < length; i++) {
                own[i] = space->members[i];
                of[i] = space->class[i] < 0 ? -1 : (int32_t)begin + space->class[i];
            }
            allowed = more;
        }
    }
    return 0;
}
