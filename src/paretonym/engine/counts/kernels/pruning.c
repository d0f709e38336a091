/* Which nodes can still change the frontier, according to the bounds of more general nodes and to witnesses.
 * Twin: tests/naive/kernels.py.
 *
 * The witnesses of a node are the rows of its smallest classes, whole classes only. At every specialization
 * each of these classes splits only within itself. So the witnesses form whole classes there too, and those
 * of them that are too small must be suppressed, whatever happens to all other rows. */
#include "kernels.h"

/* As fmax and fmin for numbers, without a call. */
static inline double larger(double one, double other) { return one > other ? one : other; }
static inline double smaller(double one, double other) { return one < other ? one : other; }

/* Whether a known vector is nowhere worse than this one. That vector moves to the front, since it is likely to dominate
 * the next node too. */
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

/* Whether some size of the smallest class, with the fewest rows that it costs, is not dominated. */
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
        best->stair[k] = -smaller(upper, largest);
        if (best->stair[k] <= bounds->required[k] && !beaten(best, best->stair)) return 1;
    }
    return 0;
}

/* Whether some vector that a node could have is neither dominated nor equalled by the frontier so far. */
static int can_improve(const Bounds *bounds, const Best *best, int64_t node, const double *least,
                       const double *per_row) {
    memcpy(best->ideal, least, (size_t)best->objectives * sizeof *least);
    for (int64_t i = 0; i < bounds->places; i++) {
        const int64_t place = bounds->place[i];
        if (bounds->conditional[i] && !bounds->whole[node]) continue;
        best->ideal[place] = larger(best->ideal[place], bounds->known[node * bounds->places + i]);
    }
    for (int64_t place = 0; place < best->objectives; place++)
        if (best->ideal[place] > bounds->required[place]) return 0;
    /* No stair is better than this, which is enough to decide most nodes. */
    if (beaten(best, best->ideal)) return 0;
    return bounds->size_place < 0 || some_stair(bounds, best, node, per_row);
}

/* How many stairs can matter at a node and at all below it: a class larger than the largest k is never needed, and no
 * rows are in classes smaller than 1. */
static int64_t stairs_that_matter(const Bounds *bounds, int64_t node) {
    double largest = INFINITY;
    int64_t stairs = 0;
    for (int64_t i = 0; i < bounds->places; i++)
        if (bounds->place[i] == bounds->size_place) largest = -bounds->known[node * bounds->places + i];
    while (stairs < bounds->stairs && (double)bounds->sizes[stairs] <= largest) stairs++;
    return largest < 2.0 ? 0 : stairs;
}

/* The bounds of the nodes above hold here too: take the largest of each. */
static void inherit_known(const Bounds *bounds, int64_t node, const int64_t *above, int64_t length) {
    const int64_t places = bounds->places;
    for (int64_t i = 0; i < places; i++) {
        double known = bounds->known[node * places + i];
        for (int64_t n = 0; n < length; n++) {
            const double other = bounds->known[above[n] * places + i];
            known = other > known ? other : known;
        }
        bounds->known[node * places + i] = known;
    }
}

/* Some stairs at once, so that they stay in registers. */
static inline void inherit_some(const Bounds *bounds, int64_t node, const int64_t *above, int64_t length,
                                int64_t first, const int64_t some) {
    int32_t *own = bounds->staircase + node * bounds->stairs + first, stairs[8];
    for (int64_t i = 0; i < some; i++) stairs[i] = own[i];
    for (int64_t n = 0; n < length; n++) {
        const int32_t *other = bounds->staircase + above[n] * bounds->stairs + first;
        for (int64_t i = 0; i < some; i++) stairs[i] = other[i] > stairs[i] ? other[i] : stairs[i];
    }
    for (int64_t i = 0; i < some; i++) own[i] = stairs[i];
}

static void inherit_stairs(const Bounds *bounds, int64_t node, const int64_t *above, int64_t length, int64_t stairs) {
    int64_t first = 0;
    for (; first + 8 <= stairs; first += 8) inherit_some(bounds, node, above, length, first, 8);
    for (; first + 4 <= stairs; first += 4) inherit_some(bounds, node, above, length, first, 4);
    for (; first < stairs; first++) inherit_some(bounds, node, above, length, first, 1);
}

static int in_lattice(const Bounds *bounds, int64_t node) { return 0 <= node && node < bounds->nodes; }

/* Whether a waiting node can improve the frontier so far. */
static int is_open(const Bounds *bounds, const Waiting *waiting, const Best *best, int64_t place) {
    const int64_t width = waiting->objectives;
    return can_improve(bounds, best, waiting->node[place], waiting->least + place * width,
                       waiting->per_row + place * width);
}

/* Inherit bounds from the more general neighbours of each of `length` nodes from `first` on, then test those that are
 * not evaluated. Returns how many can improve the frontier, and their places among the waiting. */
EXPORT int64_t paretonym_open(const Bounds *bounds, const Waiting *waiting, const Best *best, int64_t first,
                              int64_t length, const uint8_t *evaluated, int64_t *places) {
    const int64_t axes = bounds->positions;
    int64_t found = 0, *above = bounds->above;
    if (first < 0 || length < 0 || first > waiting->count - length) return REFUSED;
    for (int64_t i = first; i < first + length; i++) {
        const int64_t node = waiting->node[i], *levels = waiting->levels + i * axes;
        if (!in_lattice(bounds, node)) return REFUSED;
        int64_t length_above = 0;
        for (int64_t axis = 0; axis < axes; axis++) {
            above[length_above] = node + bounds->weights[axis];
            length_above += levels[axis] < bounds->tops[axis];
        }
        for (int64_t n = 0; n < length_above; n++)
            if (!in_lattice(bounds, above[n])) return REFUSED;
        inherit_known(bounds, node, above, length_above);
        inherit_stairs(bounds, node, above, length_above, stairs_that_matter(bounds, node));
        places[found] = i;
        found += !evaluated[node] && is_open(bounds, waiting, best, i);
    }
    return found;
}

/* Test some of the waiting nodes again, after what is known of them has changed. */
EXPORT int64_t paretonym_improve(const Bounds *bounds, const Waiting *waiting, const Best *best, int64_t tested,
                                 const int64_t *places, uint8_t *open) {
    for (int64_t i = 0; i < tested; i++) {
        if (places[i] < 0 || places[i] >= waiting->count || !in_lattice(bounds, waiting->node[places[i]]))
            return REFUSED;
        open[i] = (uint8_t)is_open(bounds, waiting, best, places[i]);
    }
    return 0;
}

/* For each node, the first of the others that is nowhere less general; -1 if there is none. */
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

/* The keys of witnesses at a node that is nowhere less specific than their holder: the holder's keys, except for the
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

/* The classes of a holder's witnesses at a more specific node. */
static Classes witnesses_at(const Layout *layout, const Witnesses *witnesses, const Table *table, const Tally *tally,
                            int64_t holder, const int64_t *levels) {
    const int64_t begin = witnesses->starts[holder], words = witnesses->words;
    const int64_t length = witnesses->starts[holder + 1] - begin;
    const int64_t width = witnesses->width;
    const Classes members = {length, words, width, NULL, witnesses->rows + begin, witnesses->cells + begin * width};
    Classes shared = {length, words, width, tally->shared_keys, tally->shared_counts, tally->shared_cells};
    show(layout, levels, witnesses->levels + holder * layout->positions, witnesses->keys + begin * words,
         witnesses->shown + begin * words, length, tally->codes);
    shared.length = group(table, tally->codes, &members, &shared, NULL);
    return shared;
}

/* Count the rows of classes by the size of the classes that they make. Returns the largest size. */
static int64_t tally_sizes(const Tally *tally, const int64_t *counts, int64_t length) {
    int64_t largest = 0;
    for (int64_t i = 0; i < length; i++) {
        const int64_t size = counts[i];
        if (size > tally->limit) continue;
        tally->by_size[size] += size;
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* A node loses at least the rows in classes smaller than its k; if these are too many, k is lower. */
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
        if (bounds->place[i] == bounds->size_place) *known = larger(*known, -(double)(size - 1));
    }
}

/* Whether a holder's witnesses lie within bounds, and are at most this many. */
static int can_speak(const Witnesses *witnesses, int64_t holder, int64_t most) {
    if (holder < 0 || holder >= witnesses->holders || witnesses->begins <= witnesses->holders) return 0;
    const int64_t begin = witnesses->starts[holder], end = witnesses->starts[holder + 1];
    return 0 <= begin && begin <= end && end <= witnesses->room && end - begin <= most;
}

/* The statistics of a node are at best what they are over those classes of witnesses that stay for sure: at least as
 * large as the largest k that is possible. */
static void watch(const Requests *requests, const Bounds *bounds, int64_t node, const Classes *classes, int64_t *sorting,
                  double *worst) {
    double largest = INFINITY;
    for (int64_t i = 0; i < bounds->places; i++)
        if (bounds->place[i] == bounds->size_place) largest = -bounds->known[node * bounds->places + i];
    for (int64_t s = 0; s < requests->statistics; s++) {
        const int64_t combine = requests->combines[s];
        if ((combine != LEAST && combine != MOST) || requests->released[s]) continue;
        worst[s] = neutral(combine);
        const Reference input = of_input(requests, s);
        for (int64_t i = 0; i < classes->length; i++) {
            if ((double)classes->counts[i] < largest) continue;
            const int32_t *cells = classes->cells + i * classes->width;
            worst[s] = combined(combine, worst[s], class_statistic(requests, s, cells, classes->counts[i], &input, sorting));
        }
    }
}

/* Ask the witnesses of one holder about some nodes. They are grouped once at levels that are nowhere above those of
 * the nodes, and each node continues from there. Returns how many tuples and classes of tuples were counted. */
static int64_t ask(const Layout *layout, const Requests *requests, const Witnesses *witnesses, const Table *table,
                   const Tally *tally, const Bounds *bounds, const Waiting *waiting, const Best *best, int64_t holder,
                   int64_t asked, const int64_t *places, int64_t *sorting, uint8_t *open, double *worst) {
    const int64_t positions = layout->positions;
    int64_t counted = witnesses->starts[holder + 1] - witnesses->starts[holder];
    int64_t *lowest = tally->lowest;
    memcpy(lowest, waiting->levels + places[0] * positions, (size_t)positions * sizeof *lowest);
    for (int64_t i = 1; i < asked; i++)
        for (int64_t p = 0; p < positions; p++) {
            const int64_t level = waiting->levels[places[i] * positions + p];
            lowest[p] = level < lowest[p] ? level : lowest[p];
        }
    const Classes shared = witnesses_at(layout, witnesses, table, tally, holder, lowest);
    for (int64_t i = 0; i < asked; i++) {
        const int64_t *levels = waiting->levels + places[i] * positions, node = waiting->node[places[i]];
        Classes here = shared;
        if (memcmp(lowest, levels, (size_t)positions * sizeof *levels)) {
            here = (Classes){shared.length, shared.words, shared.width, tally->keys, tally->counts, tally->cells};
            recode(layout, lowest, levels, shared.keys, shared.length, tally->codes);
            here.length = group(table, tally->codes, &shared, &here, NULL);
            counted += shared.length;
        }
        const int64_t largest = tally_sizes(tally, here.counts, here.length);
        raise_bounds(bounds, node, tally->by_size, largest);
        memset(tally->by_size, 0, (size_t)(largest + 1) * sizeof *tally->by_size);
        open[i] = (uint8_t)is_open(bounds, waiting, best, places[i]);
        if (here.width && open[i]) watch(requests, bounds, node, &here, sorting, worst + i * requests->statistics);
    }
    return counted;
}

/* Test nodes against the witnesses of more general nodes: holders[i] is the holder for places[i], and those of one
 * holder are consecutive. What follows for class sizes is entered in `bounds`, where it serves all nodes below too; what
 * follows for statistics holds for the node alone and is written to `worst`. Returns how many tuples were counted. */
EXPORT int64_t paretonym_settle(const Layout *layout, const Requests *requests, const Witnesses *witnesses,
                                const Table *table, const Tally *tally, const Bounds *bounds, const Waiting *waiting,
                                const Best *best, int64_t asked, const int64_t *places, const int64_t *holders,
                                int64_t *sorting, uint8_t *open, double *worst) {
    int64_t counted = 0;
    if (witnesses->width && witnesses->width != requests->values) return REFUSED;
    if (!has_room(table, tally->tuples) || tally->sized <= tally->limit) return REFUSED;
    for (int64_t i = 0; i < asked; i++) {
        if (places[i] < 0 || places[i] >= waiting->count) return REFUSED;
        if (!can_speak(witnesses, holders[i], tally->tuples)) return REFUSED;
        if (!in_lattice(bounds, waiting->node[places[i]])) return REFUSED;
        if (!in_range(layout, waiting->levels + places[i] * layout->positions)) return REFUSED;
    }
    for (int64_t first = 0, after; first < asked; first = after) {
        const int64_t holder = holders[first];
        for (after = first + 1; after < asked && holders[after] == holder;) after++;
        counted += ask(layout, requests, witnesses, table, tally, bounds, waiting, best, holder, after - first,
                       places + first, sorting, open + first, worst + first * requests->statistics);
    }
    return counted;
}

/* Choose the classes of the witnesses: their rows stay in tally->counts, those of others become 0. The smallest classes
 * (of equal ones the first) until there are as many rows as wanted; none with more rows than tally->limit. */
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

/* Write the witnesses of a node from `first` on, up to a maximum: the tuples of its smallest classes, class by class.
 * Returns where they end, -1 if they are too many. */
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
        if (witnesses->width)
            memcpy(witnesses->cells + goes * witnesses->width, tuples->cells + i * tuples->width,
                   (size_t)witnesses->width * sizeof *tuples->cells);
    }
    return place;
}

/* Collect the witnesses of some nodes, one node after the other from `first` on, up to a maximum for each. ends[i] is
 * where those of a node end, -1 if they are too many. */
EXPORT int64_t paretonym_call(const Layout *layout, const Classes *tuples, const Table *table, const Tally *tally,
                              const Witnesses *witnesses, int64_t nodes, const int64_t *levels, int64_t wanted,
                              int64_t most, int64_t first, int64_t *ends) {
    if (!has_room(table, tuples->length) || first < 0 || first > witnesses->room || most < 0) return REFUSED;
    if (witnesses->width && witnesses->width != tuples->width) return REFUSED;
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
