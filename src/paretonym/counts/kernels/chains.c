/* Which tuples are in classes that are large enough, for chains of nodes. Twin: spaces/local/chain_counts.py. */
#include "kernels.h"

/* Mark the tuples whose key occurs in at least k rows. Tuple tuples[i] has the key keys[i] and rows[tuples[i]] rows;
 * class_of and sums are scratch memory. Returns how many rows are marked. */
EXPORT int64_t paretonym_reaching(const Table *table, int64_t all, const int64_t *rows, int64_t length,
                                  const int64_t *tuples, const uint64_t *keys, int64_t k, int64_t *class_of,
                                  int64_t *first, int64_t *sums, uint8_t *out) {
    int64_t bits = 4, found = 0, reached = 0;
    if (!has_room(table, length)) return REFUSED;
    while ((INT64_C(1) << bits) < 2 * length) bits++;
    const uint64_t last = (UINT64_C(1) << bits) - 1;
    uint32_t *slots = table->slots;
    memset(slots, 0, ((size_t)last + 1) * sizeof *slots);
    for (int64_t i = 0; i < length; i++) {
        if (tuples[i] < 0 || tuples[i] >= all) return REFUSED;
        uint64_t slot = (keys[i] * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - bits);
        while (slots[slot] && keys[first[slots[slot] - 1]] != keys[i]) slot = (slot + 1) & last;
        if (slots[slot] == 0) {
            first[found] = i;
            sums[found] = 0;
            slots[slot] = (uint32_t)++found;
        }
        class_of[i] = (int64_t)slots[slot] - 1;
        sums[class_of[i]] += rows[tuples[i]];
    }
    for (int64_t i = 0; i < length; i++) {
        out[i] = sums[class_of[i]] >= k;
        if (out[i]) reached += rows[tuples[i]];
    }
    return reached;
}
