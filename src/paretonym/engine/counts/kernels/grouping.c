/* Classes from finer classes: keys are recoded to other levels, and equal ones counted together. Twin:
 * tests/naive/kernels.py (recoded, numbered). */
#include "kernels.h"

static const uint64_t GOLDEN = UINT64_C(0x9E3779B97F4A7C15);

/* Replace one digit: the group at level `from` by the one at level `to`. `out` may be `keys`. */
void recode_digit(const Layout *layout, int64_t position, int64_t from, int64_t to, const uint64_t *keys,
                  int64_t length, uint64_t *out) {
    const int64_t words = layout->words, widest = layout->widest, shift = layout->shift[position];
    const uint64_t *mapping = layout->mappings + layout->starts[(position * widest + from) * widest + to];
    const uint64_t mask = (UINT64_C(1) << layout->bits[position]) - 1, others = ~(mask << shift);
    if (words == 1) {
        for (int64_t i = 0; i < length; i++) out[i] = (keys[i] & others) | mapping[(keys[i] >> shift) & mask];
        return;
    }
    if (keys != out) memcpy(out, keys, (size_t)(length * words) * sizeof *out);
    for (int64_t i = layout->word[position]; i < length * words; i += words)
        out[i] = (out[i] & others) | mapping[(out[i] >> shift) & mask];
}

/* Replace the digits whose levels differ, one digit after the other: short loops over all keys are several times as
 * fast as a short loop for each key. */
void recode(const Layout *layout, const int64_t *from, const int64_t *to, const uint64_t *keys, int64_t length,
            uint64_t *out) {
    const uint64_t *source = keys;
    uint64_t others = ~UINT64_C(0);
    for (int64_t p = 0; p < layout->positions; p++) {
        if (from[p] == to[p] || layout->bits[p] == 0) continue;
        if (layout->words == 1 && layout->single[p * layout->widest + to[p]]) {
            /* All become group 0: such digits are cleared together. */
            others &= ~(((UINT64_C(1) << layout->bits[p]) - 1) << layout->shift[p]);
            continue;
        }
        recode_digit(layout, p, from[p], to[p], source, length, out);
        source = out;
    }
    if (layout->words == 1) {
        for (int64_t i = 0; i < length; i++) out[i] = source[i] & others;
    } else if (source != out) {
        memcpy(out, source, (size_t)(length * layout->words) * sizeof *out);
    }
}

static inline uint64_t mixed(const uint64_t *key, int64_t words) {
    uint64_t code = key[0] * GOLDEN;
    for (int64_t w = 1; w < words; w++) code = (code ^ (code >> 32) ^ key[w]) * GOLDEN;
    return code;
}

static inline int equal(const uint64_t *one, const uint64_t *other, int64_t words) {
    for (int64_t w = 0; w < words; w++)
        if (one[w] != other[w]) return 0;
    return 1;
}

static inline void add_cells(const Classes *source, int64_t from, const Classes *out, int64_t to, int fresh) {
    const int64_t width = source->width;
    const int32_t *cells = source->cells + from * width;
    int32_t *sums = out->cells + to * width;
    if (fresh) {
        if (sums != cells) memcpy(sums, cells, (size_t)width * sizeof *sums);
    } else {
        for (int64_t v = 0; v < width; v++) sums[v] += cells[v];
    }
}

/* Whether a class is new cannot be predicted, so nothing branches on it: only another class in its slot is
 * worth a branch, which is rare in a table that is at most half full. */
static inline int64_t group_words(const Table *table, const uint64_t *codes, const Classes *source,
                                  const Classes *out, int64_t *target, const int64_t words) {
    int64_t bits = 4, found = 0;
    while ((INT64_C(1) << bits) < 2 * source->length) bits++;
    const uint64_t last = (UINT64_C(1) << bits) - 1;
    const int64_t length = source->length, width = source->width, *counts = source->counts;
    uint32_t *slots = table->slots;
    uint64_t *keys = out->keys;
    int64_t *sums = out->counts;
    memset(slots, 0, ((size_t)last + 1) * sizeof *slots);
    for (int64_t i = 0; i < length; i++) {
        const uint64_t *code = codes + i * words;
        uint64_t slot = mixed(code, words) >> (64 - bits);
        while (slots[slot] && !equal(keys + ((int64_t)slots[slot] - 1) * words, code, words)) slot = (slot + 1) & last;
        const int64_t fresh = slots[slot] == 0, count = counts[i];
        const int64_t place = fresh ? found : (int64_t)slots[slot] - 1;
        const int64_t before = fresh ? 0 : sums[place];
        slots[slot] = (uint32_t)(place + 1);
        for (int64_t w = 0; w < words; w++) keys[place * words + w] = code[w];
        sums[place] = before + count;
        if (width) add_cells(source, i, out, place, (int)fresh);
        if (target) target[i] = place;
        found += fresh;
    }
    return found;
}

/* Number the distinct codes in the order of their first occurrence, and add up the classes of each. `out` may be the
 * source itself: no class ever moves back. Returns how many there are. */
int64_t group(const Table *table, const uint64_t *codes, const Classes *source, const Classes *out,
              int64_t *target) {
    if (source->words == 1) return group_words(table, codes, source, out, target, 1);
    return group_words(table, codes, source, out, target, source->words);
}

/* Whether a table has room for this many classes: at most half of it is used. */
int has_room(const Table *table, int64_t length) {
    return table->size >= 16 && !(table->size & (table->size - 1)) && table->size / 2 >= length;
}

int in_range(const Layout *layout, const int64_t *levels) {
    for (int64_t p = 0; p < layout->positions; p++)
        if (levels[p] < 0 || levels[p] > layout->steps[p]) return 0;
    return 1;
}

/* The classes of a node from the tuples: `target` gets the class of each. Returns how many there are. */
EXPORT int64_t paretonym_group(const Layout *layout, const Table *table, const int64_t *from, const int64_t *to,
                               const Classes *source, const Classes *out, uint64_t *codes, int64_t *target) {
    if (!in_range(layout, from) || !in_range(layout, to) || !has_room(table, source->length)) return REFUSED;
    for (int64_t p = 0; p < layout->positions; p++)
        if (from[p] > to[p]) return REFUSED;
    recode(layout, from, to, source->keys, source->length, codes);
    return group(table, codes, source, out, target);
}

/* A digest of what the library was built from, to check whether it is still current. */
EXPORT const char *paretonym_digest = PARETONYM_DIGEST;
