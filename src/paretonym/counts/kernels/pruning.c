/* Which nodes can still change the frontier: by what is known of more general nodes, and by witnesses.
 * Twin: pruning.py.
 *
 * The witnesses of a node are the rows of its smallest classes, whole classes only. At every specialization
 * each of these classes falls apart among itself. So classes of witnesses alone are whole classes there too,
 * and those among them that are too small are lost for sure, whatever becomes of all other rows. */
#include "kernels.h"

/* Whether a known vector is nowhere worse than this one. That vector moves to the front, since the next node is
 * likely to be beaten by the same. */
static int beaten(const Best *best, const double *vector) {
    const int64_t width = best->objectives;
    for (int64_t row = 0; row < best->length; row++) {
        double *known = best->vectors + row * width;
        int64_t place = 0;
        while (place < width && known[place] <= vector[place]) place++;
        if (place < width) continue;
        for (int64_t column = 0; row > 0 && column < width; column++) {
            const double moved = best->vectors[column];
            best->vectors[column] = known[column];
            known[column] = moved;
        }
        return 1;
    }
    return 0;
}

/* Whether some size of the smallest class, with the rows that it costs at least, is not beaten. */
static int some_stair(const Bounds *bounds, const Best *best, int64_t node, const double *per_row) {
    const int64_t stairs = bounds->stairs, k = bounds->size_place;
    const int32_t *staircase = bounds->staircase + node * stairs;
    const double largest = -best->ideal[k];
    for (int64_t stair = 0; stair < stairs; stair++) {
        const int64_t gone = staircase[stair];
        if ((double)bounds->sizes[stair] > largest || gone > bounds->suppressible) return 0;
        for (int64_t place = 0; place < best->objectives; place++)
            best->stair[place] = best->ideal[place] + per_row[place] * (double)gone;
        const double upper = stair + 1 < stairs ? (double)(bounds->sizes[stair + 1] - 1) : largest;
        best->stair[k] = -fmin(upper, largest);
        if (best->stair[k] <= bounds->required[k] && !beaten(best, best->stair)) return 1;
    }
    return 0;
}

/* Whether some vector that a node could have is not beaten or equalled by the frontier so far. */
static int can_improve(const Bounds *bounds, const Best *best, int64_t node, const double *least,
                       const double *per_row) {
    memcpy(best->ideal, least, (size_t)best->objectives * sizeof *least);
    for (int64_t i = 0; i < bounds->places; i++) {
        const int64_t place = bounds->place[i];
        best->ideal[place] = fmax(best->ideal[place], bounds->known[node * bounds->places + i]);
    }
    for (int64_t place = 0; place < best->objectives; place++)
        if (best->ideal[place] > bounds->required[place]) return 0;
    /* Every stair is at best this; most nodes need no more than that. */
    if (beaten(best, best->ideal)) return 0;
    return bounds->size_place < 0 || some_stair(bounds, best, node, per_row);
}

/* How many stairs can matter at a node and at all below it: a class larger than the largest k is never asked for, and
 * no rows are in classes smaller than 1. */
static int64_t stairs_that_matter(const Bounds *bounds, int64_t node) {
    double largest = INFINITY;
    int64_t stairs = 0;
    for (int64_t i = 0; i < bounds->places; i++)
        if (bounds->place[i] == bounds->size_place) largest = -bounds->known[node * bounds->places + i];
    while (stairs < bounds->stairs && (double)bounds->sizes[stairs] <= largest) stairs++;
    return largest < 2.0 ? 0 : stairs;
}

static void inherit_known(const Bounds *bounds, int64_t node, int64_t above) {
    double *known = bounds->known + node * bounds->places;
    const double *known_above = bounds->known + above * bounds->places;
    for (int64_t i = 0; i < bounds->places; i++) known[i] = known_above[i] > known[i] ? known_above[i] : known[i];
}

static void inherit_stairs(const Bounds *bounds, int64_t node, int64_t above, int64_t length) {
    int32_t *stairs = bounds->staircase + node * bounds->stairs;
    const int32_t *stairs_above = bounds->staircase + above * bounds->stairs;
    for (int64_t i = 0; i < length; i++) stairs[i] = stairs_above[i] > stairs[i] ? stairs_above[i] : stairs[i];
}

static int in_lattice(const Bounds *bounds, int64_t node) { return 0 <= node && node < bounds->nodes; }

/* Inherit bounds from the more general neighbours of each node, then test it. `tops` are the highest levels,
 * `weights` say how far apart the numbers of neighbours are. */
EXPORT int64_t paretonym_open(const Bounds *bounds, const Waiting *waiting, const Best *best, const int64_t *tops,
                              const int64_t *weights) {
    const int64_t axes = waiting->positions, width = waiting->objectives;
    for (int64_t i = 0; i < waiting->count; i++) {
        const int64_t node = waiting->node[i];
        if (!in_lattice(bounds, node)) return REFUSED;
        const int64_t *levels = waiting->levels + i * axes;
        for (int64_t axis = 0; axis < axes; axis++) {
            if (levels[axis] >= tops[axis]) continue;
            if (!in_lattice(bounds, node + weights[axis])) return REFUSED;
            inherit_known(bounds, node, node + weights[axis]);
        }
        const int64_t stairs = stairs_that_matter(bounds, node);
        for (int64_t axis = 0; axis < axes; axis++)
            if (levels[axis] < tops[axis]) inherit_stairs(bounds, node, node + weights[axis], stairs);
        waiting->open[i] = (uint8_t)can_improve(bounds, best, node, waiting->least + i * width,
                                                waiting->per_row + i * width);
    }
    return 0;
}

/* For each node the first of the others that is nowhere less general; -1 if there is none. */
EXPORT int64_t paretonym_first_above(int64_t count, int64_t others, int64_t positions, const int64_t *levels,
                                     const int64_t *other_levels, int64_t *places) {
    for (int64_t i = 0; i < count; i++) {
        places[i] = -1;
        for (int64_t j = 0; j < others && places[i] < 0; j++) {
            int64_t p = 0;
            while (p < positions && other_levels[j * positions + p] >= levels[i * positions + p]) p++;
            if (p == positions) places[i] = j;
        }
    }
    return 0;
}

/* What witnesses show at a node that is nowhere less special than their holder: what they show there, but for the
 * positions where levels differ. */
static void show(const Layout *layout, const int64_t *levels, const int64_t *above, const uint64_t *keys,
                 const uint64_t *shown, int64_t length, uint64_t *codes) {
    const int64_t words = layout->words, widest = layout->widest;
    const uint64_t *source = shown;
    for (int64_t p = 0; p < layout->positions; p++) {
        if (levels[p] == above[p] || layout->bits[p] == 0) continue;
        const uint64_t *mapping = layout->mappings + layout->starts[p * widest * widest + levels[p]];
        const int64_t shift = layout->shift[p];
        const uint64_t mask = (UINT64_C(1) << layout->bits[p]) - 1, others = ~(mask << shift);
        if (words > 1 && source == shown) memcpy(codes, shown, (size_t)(length * words) * sizeof *codes);
        if (words > 1) source = codes;
        for (int64_t i = layout->word[p]; i < length * words; i += words)
            codes[i] = (source[i] & others) | mapping[(keys[i] >> shift) & mask];
        source = codes;
    }
    if (source == shown) memcpy(codes, shown, (size_t)(length * words) * sizeof *codes);
}

/* Count witnesses by the size of their classes at a more special node. Returns the largest size. */
static int64_t split(const Layout *layout, const Witnesses *witnesses, const Table *table, const Tally *tally,
                     int64_t holder, const int64_t *levels) {
    const int64_t begin = witnesses->starts[holder], words = witnesses->words;
    const int64_t length = witnesses->starts[holder + 1] - begin;
    const Classes members = {length, words, 0, NULL, witnesses->rows + begin, NULL};
    const Classes parts = {length, words, 0, tally->keys, tally->counts, NULL};
    int64_t largest = 0;
    show(layout, levels, witnesses->levels + holder * layout->positions, witnesses->keys + begin * words,
         witnesses->shown + begin * words, length, tally->codes);
    const int64_t found = group(table, tally->codes, &members, &parts, NULL);
    for (int64_t part = 0; part < found; part++) {
        const int64_t size = tally->counts[part];
        if (size > tally->limit) continue;
        tally->by_size[size] += size;
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* A node loses at least the rows in classes smaller than its k; where that is too many, k is less. */
static void raise_bounds(const Bounds *bounds, int64_t node, const int64_t *by_size, int64_t largest) {
    int32_t *staircase = bounds->staircase + node * bounds->stairs;
    int64_t gone = 0, stair = 0, size = 1;
    for (; size <= largest + 1 && gone <= bounds->suppressible; size++) {
        for (; stair < bounds->stairs && bounds->sizes[stair] <= size; stair++)
            if (staircase[stair] < gone) staircase[stair] = (int32_t)gone;
        gone += size <= largest ? by_size[size] : 0;
    }
    for (; stair < bounds->stairs; stair++)
        if (staircase[stair] < gone) staircase[stair] = (int32_t)gone;
    if (gone <= bounds->suppressible) return;
    for (int64_t i = 0; i < bounds->places; i++) {
        double *known = bounds->known + node * bounds->places + i;
        if (bounds->place[i] == bounds->size_place) *known = fmax(*known, -(double)(size - 1));
    }
}

/* Whether a holder's witnesses lie where they must, and no more than so many. */
static int can_speak(const Witnesses *witnesses, int64_t holder, int64_t most) {
    if (holder >= witnesses->holders || witnesses->begins <= witnesses->holders) return 0;
    const int64_t begin = witnesses->starts[holder], end = witnesses->starts[holder + 1];
    return 0 <= begin && begin <= end && end <= witnesses->room && end - begin <= most;
}

/* Test nodes against what the witnesses of more general nodes say of them: holders[i] says whose, or is below 0.
 * What they say is noted in `bounds`, where it serves all below too. Returns how many tuples were asked. */
EXPORT int64_t paretonym_settle(const Layout *layout, const Witnesses *witnesses, const Table *table,
                                const Tally *tally, const Bounds *bounds, const Waiting *waiting, const Best *best,
                                const int64_t *holders) {
    const int64_t width = waiting->objectives;
    int64_t asked = 0;
    if (!has_room(table, tally->tuples)) return REFUSED;
    for (int64_t i = 0; i < waiting->count; i++) {
        const int64_t holder = holders[i], node = waiting->node[i];
        const int64_t *levels = waiting->levels + i * layout->positions;
        if (holder < 0) continue;
        if (!can_speak(witnesses, holder, tally->tuples)) return REFUSED;
        if (!in_lattice(bounds, node) || !in_range(layout, levels)) return REFUSED;
        const int64_t largest = split(layout, witnesses, table, tally, holder, levels);
        asked += witnesses->starts[holder + 1] - witnesses->starts[holder];
        raise_bounds(bounds, node, tally->by_size, largest);
        memset(tally->by_size, 0, (size_t)(largest + 1) * sizeof *tally->by_size);
        waiting->open[i] = (uint8_t)can_improve(bounds, best, node, waiting->least + i * width,
                                                waiting->per_row + i * width);
    }
    return asked;
}

/* Which classes are called: their rows stay in tally->counts, those of others become 0. The smallest, and of
 * equal ones the first, until there are as many rows as wanted; none of more rows than tally->limit. */
static void choose(const Tally *tally, int64_t found, int64_t wanted) {
    int64_t smaller = 0, size = 1;
    for (int64_t i = 0; i < found; i++)
        if (tally->counts[i] <= tally->limit) tally->by_size[tally->counts[i]] += tally->counts[i];
    while (size < tally->limit && smaller + tally->by_size[size] < wanted) smaller += tally->by_size[size++];
    memset(tally->by_size, 0, (size_t)(tally->sized) * sizeof *tally->by_size);
    for (int64_t i = 0; i < found; i++) {
        if (tally->counts[i] > size || (tally->counts[i] == size && smaller >= wanted)) tally->counts[i] = 0;
        else if (tally->counts[i] == size) smaller += size;
    }
}

/* Write the witnesses of a node from `first` on, at most so many: the tuples of its smallest classes, class by
 * class. Returns where they end, -1 if they are too many. */
static int64_t call_one(const Layout *layout, const Classes *tuples, const Table *table, const Tally *tally,
                        const Witnesses *witnesses, const int64_t *levels, int64_t wanted, int64_t most,
                        int64_t first) {
    const int64_t length = tuples->length, words = tuples->words;
    const Classes without = {length, words, 0, tuples->keys, tuples->counts, NULL};
    const Classes classes = {length, words, 0, tally->keys, tally->counts, NULL};
    uint64_t *codes = tally->codes;
    memset(tally->lowest, 0, (size_t)layout->positions * sizeof *levels);
    recode(layout, tally->lowest, levels, tuples->keys, length, codes);
    const int64_t found = group(table, codes, &without, &classes, tally->target);
    choose(tally, found, wanted);
    memset(tally->members, 0, (size_t)found * sizeof *tally->members);
    for (int64_t i = 0; i < length; i++) tally->members[tally->target[i]]++;
    int64_t place = first;
    for (int64_t i = 0; i < found; i++) {
        const int64_t members = tally->members[i];
        if (!tally->counts[i]) continue;
        tally->members[i] = place;
        place += members;
        if (place - first > most) return -1;
    }
    for (int64_t i = 0; i < length; i++) {
        const int64_t which = tally->target[i];
        if (!tally->counts[which]) continue;
        const int64_t goes = tally->members[which]++;
        memcpy(witnesses->keys + goes * words, tuples->keys + i * words, (size_t)words * sizeof *codes);
        memcpy(witnesses->shown + goes * words, codes + i * words, (size_t)words * sizeof *codes);
        witnesses->rows[goes] = tuples->counts[i];
    }
    return place;
}

/* Call the witnesses of some nodes, one after the other from `first` on, at most so many of each. ends[i] is where
 * those of a node end, -1 if they are too many. */
EXPORT int64_t paretonym_call(const Layout *layout, const Classes *tuples, const Table *table, const Tally *tally,
                              const Witnesses *witnesses, int64_t nodes, const int64_t *levels, int64_t wanted,
                              int64_t most, int64_t first, int64_t *ends) {
    if (!has_room(table, tuples->length) || first < 0 || first > witnesses->room || most < 0) return REFUSED;
    /* A quotient, since a product could overflow. */
    if (most > 0 && (witnesses->room - first) / most < nodes) return REFUSED;
    for (int64_t i = 0; i < nodes; i++) {
        const int64_t *own = levels + i * layout->positions;
        if (!in_range(layout, own)) return REFUSED;
        ends[i] = call_one(layout, tuples, table, tally, witnesses, own, wanted, most, first);
        if (ends[i] >= 0) first = ends[i];
    }
    return 0;
}
