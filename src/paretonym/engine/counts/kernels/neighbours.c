/* The least that a row costs in a class of some size: the cheapest sets that it shows together with enough of the tuples that
 * are nearest to it. Twin: tests/naive/floors.py.
 *
 * A tuple differs from the row at some places (levels of columns), which are bits. What shows several tuples together is the
 * union of their bits, and costs the row a step for each bit. A list holds tuples by what they cost, then by their number among
 * the nearest: cost << 32 | number. */
#include "kernels.h"
#include <stdlib.h>

/* Costs are below MOST_COST. Places are compared for so many tuples at a time. A branch may take a part of all evaluations. */
enum { MOST_COST = 1 << 30, BUCKETS = 4096, BUCKET_BITS = 18, TOGETHER = 2048, BRANCHES = 10 };

/* The least cost that was reached; how many unions were evaluated, may be in a branch, and in all. */
typedef struct {
    int32_t best;
    int64_t evaluated, in_branch, most;
} Effort;

static int ascending(const void *one, const void *other) {
    const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

static inline int32_t union_cost(const NeighbourSpace *space, const uint8_t *one, const uint8_t *other) {
    int32_t cost = 0;
    for (int64_t b = 0; b < space->bytes; b++) cost += space->table[b * 256 + (one[b] | other[b])];
    return cost;
}

/* What every tuple costs the row together with it. Returns 0 where steps are not costs. */
static int compare(const Neighbours *table, const NeighbourSpace *space, int64_t row) {
    int64_t whole = 0;
    memset(space->costs, 0, (size_t)table->tuples * sizeof *space->costs);
    memset(space->table, 0, (size_t)space->bytes * 256 * sizeof *space->table);
    for (int64_t p = 0; p < table->places; p++) {
        const int32_t step = table->steps[p * table->tuples + row];
        whole += step;
        if (step < 0 || whole >= MOST_COST) return 0;
        for (int64_t bits = 0; bits < 256; bits++)
            if (bits >> (p & 7) & 1) space->table[(p >> 3) * 256 + bits] += step;
    }
    for (int64_t begin = 0; begin < table->tuples; begin += TOGETHER) {
        const int64_t end = begin + TOGETHER < table->tuples ? begin + TOGETHER : table->tuples;
        for (int64_t p = 0; p < table->places; p += 2) {
            const int64_t q = p + 1 < table->places ? p + 1 : p;
            const int32_t *first = table->groups + p * table->tuples, *second = table->groups + q * table->tuples;
            const int32_t one = first[row], other = second[row], step = table->steps[p * table->tuples + row];
            const int32_t further = q > p ? table->steps[q * table->tuples + row] : 0;
            for (int64_t t = begin; t < end; t++)
                space->costs[t] += (step & -(first[t] != one)) + (further & -(second[t] != other));
        }
    }
    return 1;
}

/* Put the nearest tuples into the first list, as many as fit of those that cost less than a limit, which becomes `limit`.
 * Returns how many they are. */
static int64_t collect(const Neighbours *table, const NeighbourSpace *space, int64_t row, int32_t *limit) {
    int64_t length = 0, bucket = 0, *buckets = space->buckets;
    memset(buckets, 0, BUCKETS * sizeof *buckets);
    for (int64_t t = 0; t < table->tuples; t++) buckets[space->costs[t] >> BUCKET_BITS] += t != row;
    for (; bucket < BUCKETS && length + buckets[bucket] <= space->nearest; bucket++) length += buckets[bucket];
    *limit = (int32_t)(bucket << BUCKET_BITS);
    length = 0;
    for (int64_t t = 0; t < table->tuples; t++) {
        if (space->costs[t] >= *limit || t == row) continue;
        uint8_t *differ = space->differ + length * space->bytes;
        memset(differ, 0, (size_t)space->bytes);
        for (int64_t p = 0; p < table->places; p++) {
            const int32_t *groups = table->groups + p * table->tuples;
            differ[p >> 3] |= (uint8_t)((groups[t] != groups[row]) << (p & 7));
        }
        space->sizes[length] = table->sizes[t];
        space->lists[length] = (int64_t)space->costs[t] << 32 | length;
        length++;
    }
    qsort(space->lists, (size_t)length, sizeof *space->lists, ascending);
    return length;
}

/* The least cost of a union of the box of a depth and tuples of its list that have so many rows, or a lower bound on it, at most
 * `least`. The dearest of these tuples is chosen first, from the cheapest on; the others come before it in the list. */
static int32_t least_union(const NeighbourSpace *space, Effort *effort, int64_t depth, int64_t *list, int64_t length,
                           int64_t need, int32_t least) {
    const uint8_t *box = space->joined + depth * space->bytes;
    uint8_t *larger = space->joined + (depth + 1) * space->bytes;
    int64_t rows = 0, *rest = list + length;
    for (int64_t i = 0; i < length; i++) {
        const int64_t chosen = list[i] & UINT32_MAX;
        const int32_t cost = (int32_t)(list[i] >> 32);
        if (cost >= effort->best || cost >= least) break;
        rows += space->sizes[chosen];
        if (rows < need) continue;
        if (effort->evaluated >= (depth ? effort->in_branch : effort->most)) return cost;
        if (!depth) effort->in_branch = effort->evaluated + i + effort->most / BRANCHES;
        for (int64_t b = 0; b < space->bytes; b++) larger[b] = box[b] | space->differ[chosen * space->bytes + b];
        int64_t others = 0, their_rows = 0, left = need - space->sizes[chosen];
        for (int64_t j = 0; j < i && left > 0; j++) {
            const int64_t other = list[j] & UINT32_MAX;
            const int32_t more = union_cost(space, larger, space->differ + other * space->bytes);
            if (more == cost) {
                left -= space->sizes[other];
            } else if (more < effort->best && more < least) {
                their_rows += space->sizes[other];
                rest[others++] = (int64_t)more << 32 | other;
            }
        }
        effort->evaluated += i;
        if (left <= 0) effort->best = cost;
        if (left <= 0 || their_rows < left) continue;
        qsort(rest, (size_t)others, sizeof *rest, ascending);
        const int32_t bound = least_union(space, effort, depth + 1, rest, others, left, least);
        if (bound < least) least = bound;
    }
    return least < effort->best ? least : effort->best;
}

/* At least what each of some tuples costs beyond its values alone, in a class of each size. */
EXPORT int64_t paretonym_least_unions(const Neighbours *table, const NeighbourSpace *space, int64_t rows, const int64_t *row,
                                      int64_t sizes, const int64_t *size, int64_t evaluations, int32_t *result) {
    const int64_t lists = space->nearest * (space->nearest + 1) / 2;
    if (space->bytes * 8 < table->places || space->room < lists || space->ranges < BUCKETS || space->depths <= space->nearest) return REFUSED;
    for (int64_t i = 0; i < rows; i++) {
        if (row[i] < 0 || row[i] >= table->tuples || !compare(table, space, row[i])) return REFUSED;
        int32_t limit;
        const int64_t length = collect(table, space, row[i], &limit);
        memset(space->joined, 0, (size_t)space->bytes);
        for (int64_t s = 0; s < sizes; s++) {
            const int64_t need = size[s] - table->sizes[row[i]];
            Effort effort = {.best = MOST_COST, .most = evaluations};
            result[i * sizes + s] = need <= 0 ? 0 : least_union(space, &effort, 0, space->lists, length, need, limit);
        }
    }
    return 0;
}
