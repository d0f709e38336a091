/* What the files of bounds over boxes of cuts share: relaxation.c, lost_rows.c and divisions.c. */
#ifndef PARETONYM_RELAXATION_H
#define PARETONYM_RELAXATION_H

#include "kernels.h"

/* A box in one axis, and the sizes in question. */
typedef struct {
    const CutTable *table;
    const CutSpace *space;
    const Table *slots;
    const int64_t *sizes;
    int64_t length, suppressible;
} Asked;

/* lost[first][after][size]: the rows of every run of places of an axis that are lost for every size. */
void count_lost(const Asked *asked, int64_t axis, int64_t places);

/* What the best division of an axis costs at least if no more rows are lost than may be: INFINITY where that is
 * impossible. The multiplier of each size that shows it is left in `multiplier`. */
void relax(const Asked *asked, int64_t axis, int64_t places, double *result);

/* The gap of an axis whose cut saves most at one size, with the multiplier that `relax` left: excluding it costs at
 * least `gain` more. `saved` is how much less the best division costs than the forced cuts alone; its cuts are in
 * `cuts`, one for each gap of the axis. */
int64_t best_gap(const Asked *asked, int64_t axis, int64_t places, double *gain, double *saved);

/* A random-looking number for a group of an axis. */
static inline uint64_t mark_of(int64_t axis, int64_t group) {
    uint64_t word = ((uint64_t)axis << 32) + (uint64_t)group + UINT64_C(0x9E3779B97F4A7C15);
    word = (word ^ (word >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94D049BB133111EB);
    return word ^ (word >> 31);
}

/* Where a number belongs among ascending sizes: how many are at most as large. */
static inline int64_t sizes_up_to(const int64_t *sizes, int64_t length, int64_t number) {
    int64_t low = 0;
    while (length > 0) {
        const int64_t half = length / 2;
        if (sizes[low + half] <= number) {
            low += half + 1;
            length -= half + 1;
        } else {
            length = half;
        }
    }
    return low;
}

/* What a row costs in the atoms from `first` up to but excluding `after`. */
static inline double cost_at(const CutTable *table, int64_t axis, int64_t first, int64_t after) {
    const int64_t atoms = table->atom_starts[axis + 1] - table->atom_starts[axis];
    return table->cost[table->cost_starts[axis] + first * (atoms + 1) + after];
}

#endif
