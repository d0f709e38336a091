/* The candidates of a node whose classes are counted in persons: thresholds are on persons, what is suppressed and what
 * it costs is counted in rows. Twin: tests/naive/rollup.py (node_facts).
 *
 * A count holds both numbers, persons above and rows below. Where each person has one tuple, they add up in one addition
 * when classes are merged. So do the numbers of persons who have each value: all values of a person are there.
 * Python refuses tables of 2^31 rows, so neither half ever reaches into the other.
 *
 * Otherwise nothing but rows adds up. Who has which value in which class is rolled up from node to node as a list of
 * entries (entries.c), in which a person and value occurs once for each class, and a node counts its list. */
#include "kernels.h"

static int64_t persons_of(int64_t count) { return count >> 32; }
static int64_t rows_of(int64_t count) { return count & INT64_C(0xffffffff); }

/* Whether holders are in order, and about these values only, with memory for so many classes. */
int are_holders(const Holders *holders, int64_t classes, int64_t values) {
    if (holders->classes < classes || holders->width != values) return 0;
    for (int64_t h = 0; h < holders->holders; h++) {
        if (holders->person[h] < -1 || holders->value[h] < -1 || holders->value[h] >= values) return 0;
        if (h && holders->person[h] < holders->person[h - 1]) return 0;
    }
    return 1;
}

/* The classes with the different persons of each, and how many of them have each value. Entries are ascending by holder,
 * so a person's are together: met[class] is the last person who was counted there. */
Classes held_classes(const Classes *classes, const Entries *entries, const Holders *holders) {
    const int64_t length = classes->length, width = holders->width;
    int64_t *counts = holders->counts;
    int32_t *met = holders->met, *cells = holders->cells;
    memcpy(counts, classes->counts, (size_t)length * sizeof *counts);
    memset(met, -1, (size_t)length * sizeof *met);
    memset(cells, 0, (size_t)(length * width) * sizeof *cells);
    for (int64_t i = 0; i < entries->length; i++) {
        const int32_t holder = entries->value[i], owner = entries->owner[i];
        const int32_t person = holders->person[holder], value = holders->value[holder];
        counts[owner] += (int64_t)(met[owner] != person) << 32;
        met[owner] = person;
        if (value >= 0) cells[owner * width + value] += person < 0 ? entries->count[i] : 1;
    }
    return (Classes){length, classes->words, width, classes->keys, counts, cells};
}

/* The numbers of persons, in ascending order, that the smallest class that stays can have, and the rows in smaller
 * classes. A class has no more persons than rows: the histogram, all zeros here, has room for all that can go. */
static int64_t person_runs(const Classes *classes, int64_t suppressible, const Thresholds *space) {
    int64_t *histogram = space->histogram, above = NO_SIZE, largest = 0;
    for (int64_t i = 0; i < classes->length; i++) {
        const int64_t size = persons_of(classes->counts[i]);
        if (size > suppressible) {
            if (size < above) above = size;
            continue;
        }
        histogram[size] += rows_of(classes->counts[i]);
        if (size > largest) largest = size;
    }
    return runs_of(space, largest, above, suppressible);
}

/* Subtract the suppressed classes: each at the first run from which on it is suppressed, then accumulated. */
static void take_off(const Layout *layout, const int64_t *levels, const Classes *classes, int64_t runs, int64_t first,
                     int64_t row_squares, const Thresholds *space, const Counted *out, int64_t written) {
    const int64_t largest = space->sizes[runs - 1], costs = out->costs, end = written + runs - first;
    for (int64_t run = first; run < runs - 1; run++) space->histogram[space->sizes[run]] = run + 1 - first;
    for (int64_t i = 0; i < classes->length; i++) {
        const int64_t size = persons_of(classes->counts[i]), rows = rows_of(classes->counts[i]);
        if (size >= largest) continue;
        const int64_t place = written + space->histogram[size];
        int64_t *fact = out->fact + place * out->facts;
        fact[CLASSES]--;
        fact[SQUARES] -= size * size;
        fact[PEOPLE] -= size;
        fact[ROW_SQUARES] -= rows * rows;
        for (int64_t c = 0; c < costs; c++)
            out->cost[place * costs + c] +=
                rows * cost_of(layout, levels, classes->keys + i * classes->words, c);
    }
    for (int64_t run = first; run < runs - 1; run++) space->histogram[space->sizes[run]] = 0;
    for (int64_t place = written + 1; place < end; place++) {
        int64_t *fact = out->fact + place * out->facts;
        const int64_t *before = fact - out->facts;
        fact[CLASSES] += before[CLASSES] - classes->length;
        fact[SQUARES] += before[SQUARES] - fact[ALL_SQUARES];
        fact[PEOPLE] += before[PEOPLE] - fact[ALL_PEOPLE];
        fact[ROW_SQUARES] += before[ROW_SQUARES] - row_squares;
        for (int64_t c = 0; c < costs; c++) out->cost[place * costs + c] += out->cost[(place - 1) * costs + c];
    }
}

/* The same classes, counted in persons; their rows are in space->rows. */
Classes in_persons(const Classes *classes, const Thresholds *space) {
    Classes sized = *classes;
    for (int64_t i = 0; i < classes->length; i++) {
        space->persons[i] = persons_of(classes->counts[i]);
        space->rows[i] = rows_of(classes->counts[i]);
    }
    sized.counts = space->persons;
    return sized;
}

/* One candidate for each threshold on the number of persons, or only for the highest that the limit allows. Returns how
 * many, or -1 if `out` has no room for them. */
int64_t record_persons(const Layout *layout, const Requests *requests, const int64_t *levels, const Classes *classes,
                       int64_t suppressible, int64_t every, const Thresholds *space, const Bounds *bounds,
                       int64_t node, const Counted *out, int64_t written) {
    int64_t ones = 0, squares = 0, rows = 0, people = 0, row_squares = 0;
    for (int64_t i = 0; i < classes->length; i++) {
        const int64_t size = persons_of(classes->counts[i]), own = rows_of(classes->counts[i]);
        space->persons[i] = size;
        ones += size == 1;
        squares += size * size;
        people += size;
        rows += own;
        row_squares += own * own;
    }
    const int64_t runs = person_runs(classes, suppressible, space), first = every ? 0 : runs - 1;
    if (written + runs - first > out->room) return -1;
    enter_stairs(bounds, node, rows, runs, space);
    for (int64_t run = first; run < runs; run++) {
        const int64_t place = written + run - first;
        int64_t *fact = out->fact + place * out->facts;
        fact[SMALLEST] = space->sizes[run];
        fact[GONE] = space->gone[run];
        fact[CLASSES] = classes->length;
        fact[SQUARES] = fact[ALL_SQUARES] = squares;
        fact[UNIQUE] = space->sizes[run] == 1 ? ones : 0;
        fact[PEOPLE] = fact[ALL_PEOPLE] = people;
        fact[ROW_SQUARES] = row_squares;
        for (int64_t c = 0; c < out->costs; c++) out->cost[place * out->costs + c] = 0;
    }
    if (runs > 1) take_off(layout, levels, classes, runs, first, row_squares, space, out, written);
    Classes sized = *classes;
    sized.counts = space->persons;
    record_statistics(requests, &sized, suppressible, runs, first, space, out, written);
    return runs - first;
}
