/* Which tuples are in classes that are large enough, for chains of nodes, and what they lose. Tuples that look the same
 * at a node look the same at all nodes above it, so that only their classes are compared there. Twin:
 * tests/naive/kernels.py. */
#include "kernels.h"

/* What is known of a class: its key, one of its tuples, its rows or persons, and its rows. */
enum { KEY, SHOWN_BY, SIZE, ROWS, OF_CLASS };

/* Whether there is room for so many classes, and all that they name exists. */
static int are_classes(const ChainTable *table, const ChainSpace *space, const ChainClasses *own, int64_t changes,
                       const int64_t *from, const int64_t *to) {
    const int64_t size = space->size;
    if (own->classes > space->tuples || size < 16 || (size & (size - 1)) || size / 2 < own->classes) return 0;
    for (int64_t i = 0; i < changes; i++)
        if (from[i] < 0 || to[i] < 0 || from[i] >= table->places || to[i] >= table->places) return 0;
    return 1;
}

/* Merge classes that look the same after some columns went from a place to another. target[c] becomes the new class of
 * class c. Returns how many there are; REFUSED if a class is shown by no tuple. */
static int64_t merge_classes(const ChainTable *table, const ChainSpace *space, const ChainClasses *own, int64_t changes,
                             const int64_t *from, const int64_t *to) {
    int64_t bits = 4, found = 0;
    while ((INT64_C(1) << bits) < 2 * own->classes) bits++;
    const uint64_t last = (UINT64_C(1) << bits) - 1;
    uint32_t *slots = space->slots;
    uint64_t *made = space->merged;
    memset(slots, 0, ((size_t)last + 1) * sizeof *slots);
    for (int64_t c = 0; c < own->classes; c++) {
        const uint64_t *one = own->values + c * OF_CLASS;
        if (one[SHOWN_BY] >= (uint64_t)table->tuples) return REFUSED;
        const int32_t *groups = table->groups + (int64_t)one[SHOWN_BY] * table->places;
        uint64_t key = one[KEY];
        for (int64_t i = 0; i < changes; i++)
            key += table->numbers[table->starts[to[i]] + groups[to[i]]] -
                   table->numbers[table->starts[from[i]] + groups[from[i]]];
        uint64_t slot = (key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - bits);
        while (slots[slot] && made[(slots[slot] - 1) * OF_CLASS + KEY] != key) slot = (slot + 1) & last;
        if (slots[slot] == 0) {
            uint64_t *first = made + found * OF_CLASS;
            first[KEY] = key;
            first[SHOWN_BY] = one[SHOWN_BY];
            first[SIZE] = first[ROWS] = 0;
            slots[slot] = (uint32_t)++found;
        }
        const uint32_t target = slots[slot] - 1;
        made[target * OF_CLASS + SIZE] += one[SIZE];
        made[target * OF_CLASS + ROWS] += one[ROWS];
        space->target[c] = (int32_t)target;
    }
    return found;
}

/* The rows of classes of at least k rows or persons, after one column went from a place to another. */
EXPORT int64_t paretonym_reached_rows(const ChainTable *table, const ChainSpace *space, const ChainClasses *own,
                                      int64_t from, int64_t to, int64_t k) {
    int64_t reached = 0;
    if (!are_classes(table, space, own, 1, &from, &to)) return REFUSED;
    const int64_t found = merge_classes(table, space, own, 1, &from, &to);
    for (int64_t c = 0; c < found; c++)
        if ((int64_t)space->merged[c * OF_CLASS + SIZE] >= k) reached += (int64_t)space->merged[c * OF_CLASS + ROWS];
    return found == REFUSED ? REFUSED : reached;
}

/* Show tuples at a node above that of their classes: `columns` columns go from a place to another, or stay. Tuples in
 * classes of fewer than k rows or persons are left, in `tuples_left` and `class_left`, their classes in `merged`, and the
 * number of these in left[0]. What the rows of each of the others lose is in `terms`. Returns how many tuples are left. */
EXPORT int64_t paretonym_show_at_node(const ChainTable *table, const ChainSpace *space, const ChainClasses *own,
                                      int64_t columns, const int64_t *from, const int64_t *to, int64_t k) {
    int64_t kept = 0, left = 0, shown = 0, changes = 0;
    if (own->tuples > space->tuples || columns > space->columns) return REFUSED;
    if (!are_classes(table, space, own, columns, from, to)) return REFUSED;
    for (int64_t column = 0; column < columns; column++) {
        if (from[column] == to[column]) continue;
        space->changed_from[changes] = from[column];
        space->changed_to[changes++] = to[column];
    }
    const int64_t found = merge_classes(table, space, own, changes, space->changed_from, space->changed_to);
    if (found == REFUSED) return REFUSED;
    for (int64_t c = 0; c < found; c++) {
        const int small = (int64_t)space->merged[c * OF_CLASS + SIZE] < k;
        if (small && kept < c)
            memcpy(space->merged + kept * OF_CLASS, space->merged + c * OF_CLASS, OF_CLASS * sizeof *space->merged);
        space->number[c] = small ? (int32_t)kept++ : -1;
    }
    for (int64_t c = 0; c < own->classes; c++) space->target[c] = space->number[space->target[c]];
    for (int64_t i = 0; i < own->tuples; i++) {
        const int32_t tuple = own->members[i], class = own->class_of[i];
        if (tuple < 0 || tuple >= table->tuples || class < 0 || class >= own->classes) return REFUSED;
        const int32_t number = space->target[class];
        if (number >= 0) {
            space->tuples_left[left] = tuple;
            space->class_left[left++] = number;
            continue;
        }
        const int32_t *groups = table->groups + tuple * table->places;
        double loss = 0.0;
        for (int64_t column = 0; column < columns; column++)
            loss += table->losses[table->starts[to[column]] + groups[to[column]]];
        space->terms[shown++] = loss * (double)table->rows[tuple];
    }
    space->left[0] = kept;
    return left;
}
