/* Visits from node to node: the classes of each, and its candidates.
 * Twin: tests/naive/rollup.py (node_facts), node by node.
 *
 * Nodes that come in dictionary order (last position fastest) are walked: every position keeps the classes
 * that it was last rolled up to, with all later positions at their lowest level, so most steps are one
 * roll-up of classes that are already coarse. For jumps, the classes of prefixes (levels of the first `depth`
 * positions, all later ones at their lowest level) are kept once they are known, and the later positions are
 * rolled up at once. */
#include "kernels.h"

static Classes row_of(const Walk *walk, const Classes *tuples, int64_t row) {
    if (row < 0) return *tuples;
    const int64_t begin = walk->begins[row];
    return (Classes){walk->lengths[row], walk->words, walk->width, walk->keys + begin * walk->words,
                     walk->counts + begin, walk->cells + begin * walk->width};
}

static Entries entries_of(const EntryRows *kept, const Entries *entries, int64_t row) {
    if (row < 0) return *entries;
    const int64_t begin = kept->begins[row];
    return (Entries){kept->lengths[row], kept->value + begin, kept->owner + begin, kept->count + begin};
}

/* After the classes of a row, its entries: those of another row (-1: of the tuples), rolled up as the classes were. */
static void roll_row(const EntryRows *kept, const Entries *entries, int64_t from, int64_t to) {
    if (!kept->tuples) return;
    const Entries finer = entries_of(kept, entries, from), out = entries_of(kept, entries, to);
    kept->lengths[to] = roll_entries(&finer, kept->target, kept->last, &out);
}

/* Roll the last digit up: classes in blocks keep their order, so equal ones lie side by side. Without branches, and
 * in place too. */
static int64_t roll_last(const Layout *layout, int64_t low, int64_t high, const Classes *finer, const Classes *out) {
    const int64_t p = layout->positions - 1, widest = layout->widest, length = finer->length;
    const uint64_t *mapping = layout->mappings + layout->starts[(p * widest + low) * widest + high];
    const uint64_t mask = (UINT64_C(1) << layout->bits[p]) - 1, *keys = finer->keys;
    const int64_t *counts = finer->counts;
    uint64_t *out_keys = out->keys, last = ~keys[0];
    int64_t *out_counts = out->counts, place = -1, total = 0;
    for (int64_t i = 0; i < length; i++) {
        const uint64_t code = (keys[i] & ~mask) | mapping[keys[i] & mask];
        const int64_t same = -(int64_t)(code == last); /* all bits, or none */
        total = counts[i] + (total & same);
        place += 1 + same;
        out_keys[place] = last = code;
        out_counts[place] = total;
    }
    return place + 1;
}

/* Merge the classes of a few blocks by their last digit. */
static inline int64_t join_blocks(const Walk *walk, const Classes *finer, int64_t block, uint64_t code, uint64_t mask,
                           const Classes *out, int64_t place) {
    const uint64_t *keys = finer->keys, words = (mask >> 6) + 1;
    const int64_t *counts = finer->counts;
    uint64_t *out_keys = out->keys, *taken = walk->taken;
    int64_t *out_counts = out->counts, *dense = walk->dense;
    for (; block >= 0; block = walk->block_target[block]) {
        const int64_t end = walk->block_begins[block + 1];
        for (int64_t i = walk->block_begins[block]; i < end; i++) {
            const uint64_t digit = keys[i] & mask;
            dense[digit] += counts[i];
            taken[digit >> 6] |= UINT64_C(1) << (digit & 63);
        }
    }
    for (uint64_t word = 0; word < words; word++) {
        for (uint64_t left = taken[word]; left; left &= left - 1) {
            const uint64_t digit = word << 6 | (uint64_t)__builtin_ctzll(left);
            out_keys[place] = code | digit;
            out_counts[place++] = dense[digit];
            dense[digit] = 0;
        }
        taken[word] = 0;
    }
    return place;
}

/* Roll another digit up where classes lie in blocks (all digits but the last equal; the last one ascending): only the
 * blocks are grouped. `out` must be apart from the source. */
static int64_t roll_blocks(const Layout *layout, const Walk *walk, const Table *table, int64_t p, int64_t low,
                           int64_t high, const Classes *finer, const Classes *out) {
    const uint64_t mask = (UINT64_C(1) << layout->bits[layout->positions - 1]) - 1;
    int64_t *begins = walk->block_begins, *head = walk->block_head, blocks = 0, place = 0;
    const uint64_t *keys = finer->keys;
    uint64_t *codes = walk->codes, last = keys[0] & ~mask;
    for (int64_t i = 0; i < finer->length; i++) {
        const uint64_t code = keys[i] & ~mask;
        blocks += code != last;
        codes[blocks] = last = code;
        begins[blocks + 1] = i + 1;
    }
    begins[0] = 0;
    blocks++;
    recode_digit(layout, p, low, high, walk->codes, blocks, walk->codes);
    const Classes source = {blocks, 1, 0, NULL, begins, NULL};
    const Classes joined = {blocks, 1, 0, walk->block_keys, walk->block_sizes, NULL};
    const int64_t found = group(table, walk->codes, &source, &joined, walk->block_target);
    for (int64_t block = 0; block < found; block++) head[block] = -1;
    for (int64_t block = blocks - 1; block >= 0; block--) {
        const int64_t to = walk->block_target[block];
        walk->block_target[block] = head[to]; /* from now on the next block that goes to the same */
        head[to] = block;
    }
    for (int64_t block = 0; block < found; block++) {
        const int64_t from = head[block];
        const uint64_t code = walk->block_keys[block];
        if (walk->block_target[from] >= 0) {
            place = join_blocks(walk, finer, from, code, mask, out, place);
            continue;
        }
        for (int64_t i = begins[from]; i < begins[from + 1]; i++, place++) {
            out->keys[place] = code | (finer->keys[i] & mask);
            out->counts[place] = finer->counts[i];
        }
    }
    return place;
}

/* Roll one position up, into a row of its own. */
static void roll(const Layout *layout, const Walk *walk, const EntryRows *kept, const Table *table,
                 const Entries *entries, int64_t p, int64_t low, int64_t high, const Classes *finer, int64_t source) {
    const int64_t spare = walk->positions;
    if (!walk->blocks) {
        const Classes out = row_of(walk, finer, p);
        recode_digit(layout, p, low, high, finer->keys, finer->length, walk->codes);
        walk->lengths[p] = group(table, walk->codes, finer, &out, kept->tuples ? kept->target : NULL);
        roll_row(kept, entries, source, p);
    } else if (p == walk->positions - 1) {
        const Classes out = row_of(walk, finer, p);
        walk->lengths[p] = roll_last(layout, low, high, finer, &out);
    } else {
        const Classes out = row_of(walk, finer, spare);
        const int64_t begin = walk->begins[p];
        walk->lengths[p] = roll_blocks(layout, walk, table, p, low, high, finer, &out);
        walk->begins[p] = walk->begins[spare];
        walk->begins[spare] = begin;
    }
}

/* Walk to a node; returns the row with its classes. */
static int64_t step(const Layout *layout, const Walk *walk, const EntryRows *kept, const Table *table,
                    const Classes *tuples, const Entries *entries, const int64_t *levels) {
    int64_t first = 0;
    while (first < walk->positions && walk->levels[first] == levels[first]) first++;
    for (int64_t p = first; p < walk->positions; p++) {
        int64_t low = 0, source = p ? walk->holder[p - 1] : -1;
        if (p == first && 0 < walk->levels[p] && walk->levels[p] < levels[p]) {
            low = walk->levels[p];
            source = p;
        }
        walk->levels[p] = levels[p];
        walk->holder[p] = source;
        if (low == levels[p]) continue;
        const Classes finer = row_of(walk, tuples, source);
        roll(layout, walk, kept, table, entries, p, low, levels[p], &finer, source);
        walk->holder[p] = p;
    }
    return walk->holder[walk->positions - 1];
}

/* The row with the classes of a node's prefix, as far as there is room for it; walk->source are its levels. */
static int64_t prefix(const Layout *layout, const Walk *walk, const EntryRows *kept_entries, const Table *table,
                      const Classes *tuples, const Entries *entries, const int64_t *levels) {
    int64_t place = 0, start = 0, combinations = 1, row = -1;
    memset(walk->source, 0, (size_t)walk->positions * sizeof *walk->source);
    for (int64_t p = 0; p < walk->depth; p++) {
        const int64_t steps = layout->steps[p] + 1;
        int64_t *kept = walk->kept + start + place * steps, low = levels[p];
        while (low > 0 && kept[low] < 0) low--;
        if (low > 0) row = kept[low];
        walk->source[p] = low;
        if (low < levels[p]) {
            const Classes finer = row_of(walk, tuples, row);
            const Entries own = entries_of(kept_entries, entries, row);
            if (walk->used[0] >= walk->rows || walk->used[1] + finer.length > walk->room) break;
            if (kept_entries->tuples && kept_entries->used[0] + own.length > kept_entries->room) break;
            const int64_t source = row;
            row = walk->used[0]++;
            walk->begins[row] = walk->used[1];
            const Classes out = row_of(walk, tuples, row);
            recode_digit(layout, p, low, levels[p], finer.keys, finer.length, walk->codes);
            walk->lengths[row] =
                group(table, walk->codes, &finer, &out, kept_entries->tuples ? kept_entries->target : NULL);
            walk->used[1] += walk->lengths[row];
            if (kept_entries->tuples) {
                kept_entries->begins[row] = kept_entries->used[0];
                roll_row(kept_entries, entries, source, row);
                kept_entries->used[0] += kept_entries->lengths[row];
            }
            kept[levels[p]] = row;
            walk->source[p] = levels[p];
        }
        place = place * steps + levels[p];
        combinations *= steps;
        start += combinations;
    }
    return row;
}

/* Jump to a node; returns the row with its classes. */
static int64_t jump(const Layout *layout, const Walk *walk, const EntryRows *kept, const Table *table,
                    const Classes *tuples, const Entries *entries, const int64_t *levels) {
    const size_t bytes = (size_t)walk->positions * sizeof *levels;
    int64_t p = 0, source = prefix(layout, walk, kept, table, tuples, entries, levels);
    Classes finer = row_of(walk, tuples, source);
    while (p < walk->positions && 0 <= walk->levels[p] && walk->levels[p] <= levels[p]) p++;
    if (p == walk->positions && walk->lengths[0] < finer.length) {
        /* The present node is nowhere more general: fewer classes to continue from. */
        finer = row_of(walk, tuples, source = 0);
        memcpy(walk->source, walk->levels, bytes);
    }
    const Classes out = row_of(walk, tuples, 0);
    recode(layout, walk->source, levels, finer.keys, finer.length, walk->codes);
    walk->lengths[0] = group(table, walk->codes, &finer, &out, kept->tuples ? kept->target : NULL);
    roll_row(kept, entries, source, 0);
    memcpy(walk->levels, levels, bytes);
    return 0;
}

/* Whether entries come with memory for them, if classes have no tables of their values. */
static int fit(const Requests *requests, const Classes *tuples, const Entries *entries, const Holders *holders,
               const Walk *walk, const EntryRows *kept, const Thresholds *space) {
    if (!kept->tuples) return !holders->holders && !space->listed && tuples->width == requests->values;
    const int64_t rows = walk->depth ? 1 : walk->positions;
    if (kept->tuples != tuples->length || tuples->width || walk->blocks || kept->rows != walk->rows) return 0;
    if (kept->room / rows < entries->length) return 0;
    if (holders->holders)
        return !space->listed && are_holders(holders, tuples->length, requests->values) &&
               are_entries(entries, tuples->length, holders->holders);
    if (space->listed < entries->length || !space->listed) return 0;
    if (space->lists <= tuples->length || space->sums < 2 * (requests->values + 1)) return 0;
    return space->branches == requests->branches && are_entries(entries, tuples->length, requests->values);
}

/* Write the candidates of nodes, in the order given, as long as there is room. `columns` of `thresholds` say what
 * classes must have, 0 if size alone decides; then the stairs of each node are written to `bounds`, which may have
 * none. Returns for how many nodes, and in written[0] how many candidates. */
EXPORT int64_t paretonym_visit(const Layout *layout, const Requests *requests, const Classes *tuples,
                               const Entries *entries, const Holders *holders, const Walk *walk,
                               const EntryRows *kept, const Table *table, const Thresholds *space, const Bounds *bounds,
                               int64_t columns, const int64_t *thresholds, int64_t suppressible, int64_t every, int64_t nodes,
                               const int64_t *numbers, const int64_t *levels, const Counted *out,
                               int64_t *written) {
    const int64_t positions = layout->positions;
    written[0] = 0;
    if (!has_room(table, tuples->length) || tuples->length < 1) return REFUSED;
    if (holders->holders && out->facts != PERSON_FACTS) return REFUSED;
    if (out->facts == PERSON_FACTS && (space->listed || space->counted < tuples->length)) return REFUSED;
    if (!fit(requests, tuples, entries, holders, walk, kept, space)) return REFUSED;
    for (int64_t i = 0; i < nodes; i++) {
        if (!in_range(layout, levels + i * positions)) return REFUSED;
        if (bounds->stairs && (numbers[i] < 0 || numbers[i] >= bounds->nodes)) return REFUSED;
    }
    for (int64_t i = 0; i < nodes; i++) {
        const int64_t *at = levels + i * positions;
        const int64_t row = walk->depth ? jump(layout, walk, kept, table, tuples, entries, at)
                                        : step(layout, walk, kept, table, tuples, entries, at);
        Classes classes = row_of(walk, tuples, row);
        if (kept->tuples) {
            const Entries own = entries_of(kept, entries, row);
            if (holders->holders) classes = held_classes(&classes, &own, holders);
            else list_entries(&own, classes.length, space);
        }
        int64_t made;
        if (columns) {
            const Classes sized = out->facts == PERSON_FACTS ? in_persons(&classes, space) : classes;
            for (int64_t c = 0; c < classes.length; c++)
                for (int64_t cost = 0; cost < out->costs; cost++)
                    walk->class_costs[c * out->costs + cost] =
                        cost_of(layout, at, classes.keys + c * classes.words, cost);
            made = record_pairs(requests, thresholds, columns, &sized,
                                out->facts == PERSON_FACTS ? space->rows : classes.counts, walk->class_costs,
                                suppressible, space, out, written[0]);
        } else if (out->facts == PERSON_FACTS) {
            made = record_persons(layout, requests, at, &classes, suppressible, every, space, bounds, numbers[i], out,
                                  written[0]);
        } else {
            made = record_sizes(layout, requests, at, &classes, suppressible, every, space, bounds, numbers[i], out,
                                written[0]);
        }
        if (made < 0) return i;
        for (int64_t place = written[0]; place < written[0] + made; place++) out->node[place] = numbers[i];
        written[0] += made;
    }
    return nodes;
}
