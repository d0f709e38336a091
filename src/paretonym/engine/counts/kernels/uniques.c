/* Minimal sample uniques: subsets of columns on which a row is unique and on no proper subset of which it is.
 * Twin: engine/risk/minimal_uniques.py.
 *
 * Subsets are counted size by size. A tuple that is unique on a subset is unique on all that contain it, and is equal
 * to no other tuple there: larger subsets leave it out. Sets of tuples are bits, eight in a byte. */
#include "kernels.h"

static inline uint64_t mixed_codes(const int32_t *codes, int64_t tuples, const int64_t *members, int64_t size, int64_t t) {
    uint64_t code = 0;
    for (int64_t m = 0; m < size; m++) {
        code = (code ^ (uint64_t)(uint32_t)codes[members[m] * tuples + t]) * UINT64_C(0x9E3779B97F4A7C15);
        code ^= code >> 29;
    }
    return code * UINT64_C(0xBF58476D1CE4E5B9);
}

static inline int equal_codes(const int32_t *codes, int64_t tuples, const int64_t *members, int64_t size, int64_t one,
                              int64_t other) {
    for (int64_t m = 0; m < size; m++)
        if (codes[members[m] * tuples + one] != codes[members[m] * tuples + other]) return 0;
    return 1;
}

/* The tuples that are unique on a smaller subset, as the bits of `unique`. */
static void take_over(const int64_t *parents, int64_t size, int64_t previous, const uint8_t *known, int64_t bytes,
                      uint8_t *unique) {
    memset(unique, 0, (size_t)bytes);
    for (int64_t m = 0; previous && m < size; m++)
        for (int64_t b = 0; b < bytes; b++) unique[b] |= known[parents[m] * bytes + b];
}

/* For each subset of `size` columns: `unique` gets the tuples whose row is unique on it, `found` how many of these are
 * minimal, and per_tuple[t] rises by one for every subset on which tuple t is a minimal unique. parents[i] are the subsets of
 * subset i with one column less, whose unique tuples are `known`. */
EXPORT int64_t paretonym_minimal_uniques(int64_t tuples, int64_t columns, const int32_t *codes, const int64_t *counts,
                                         int64_t size, int64_t subsets, const int64_t *members, const int64_t *parents,
                                         int64_t bytes, int64_t previous, const uint8_t *known, const Table *table,
                                         uint8_t *shared, uint8_t *unique, int64_t *found, int64_t *per_tuple) {
    if (bytes != (tuples + 7) / 8 || !has_room(table, tuples)) return REFUSED;
    for (int64_t i = 0; i < subsets * size; i++)
        if (members[i] < 0 || members[i] >= columns || (previous && (parents[i] < 0 || parents[i] >= previous)))
            return REFUSED;
    int64_t bits = 4;
    while ((INT64_C(1) << bits) < 2 * tuples) bits++;
    const uint64_t last = (UINT64_C(1) << bits) - 1;
    uint32_t *slots = table->slots;
    for (int64_t i = 0; i < subsets; i++) {
        const int64_t *own = members + i * size;
        uint8_t *here = unique + i * bytes;
        take_over(parents + i * size, size, previous, known, bytes, here);
        memset(slots, 0, ((size_t)last + 1) * sizeof *slots);
        memset(shared, 1, (size_t)tuples);
        for (int64_t t = 0; t < tuples; t++) {
            if (here[t >> 3] >> (t & 7) & 1) continue;
            uint64_t slot = mixed_codes(codes, tuples, own, size, t) >> (64 - bits);
            while (slots[slot] && !equal_codes(codes, tuples, own, size, (int64_t)slots[slot] - 1, t))
                slot = (slot + 1) & last;
            if (slots[slot]) {
                shared[slots[slot] - 1] = 1;
            } else {
                slots[slot] = (uint32_t)(t + 1);
                shared[t] = counts[t] != 1;
            }
        }
        found[i] = 0;
        for (int64_t t = 0; t < tuples; t++) {
            if (shared[t]) continue;
            here[t >> 3] |= (uint8_t)(1 << (t & 7));
            per_tuple[t]++;
            found[i]++;
        }
    }
    return 0;
}
