/* The rows of every group of an axis that are lost, for many sizes of the smallest class at once, from one pass over the
 * counted tuples: a run of places in which a context has the same number of rows is a rectangle. Twin:
 * tests/naive/cut_relaxation.py. */
#include "relaxation.h"

/* The rows of every context at every place where it has any, context after context. Returns how many contexts there
 * are; those of context c are from starts[c] up to but excluding stops[c]. */
static int64_t find_cells(const Asked *asked, int64_t axis, int64_t places) {
    const CutTable *table = asked->table;
    const CutSpace *space = asked->space;
    const int64_t merged = space->merged[0], start = table->atom_starts[axis];
    const int32_t *atoms = table->tuple_atoms + axis;
    const Classes source = {merged, 1, 0, NULL, space->merged_counts, NULL};
    const Classes classes = {merged, 1, 0, space->keys, space->counts, NULL};
    for (int64_t atom = start; atom < table->atom_starts[axis + 1]; atom++)
        space->atom_mark[atom - start] = mark_of(axis, space->forced_group[atom]);
    for (int64_t i = 0; i < merged; i++)
        space->others[i] = space->codes[i] - space->atom_mark[atoms[space->shown_by[i]]];
    const int64_t contexts = group(asked->slots, space->others, &source, &classes, space->target);
    for (int64_t c = 0; c <= contexts; c++) space->starts[c] = 0;
    for (int64_t p = 0; p <= places; p++) space->place_starts[p] = 0;
    for (int64_t i = 0; i < merged; i++) {
        space->starts[space->target[i] + 1]++;
        space->place_starts[space->allowed_group[start + atoms[space->shown_by[i]]] + 1]++;
    }
    for (int64_t c = 0; c < contexts; c++) {
        space->starts[c + 1] += space->starts[c];
        space->stops[c] = space->starts[c];
    }
    for (int64_t p = 0; p < places; p++) space->place_starts[p + 1] += space->place_starts[p];
    for (int64_t i = 0; i < merged; i++)
        space->by_place[space->place_starts[space->allowed_group[start + atoms[space->shown_by[i]]]]++] = i;
    for (int64_t n = 0; n < merged; n++) {
        const int64_t i = space->by_place[n], context = space->target[i], stop = space->stops[context];
        const int32_t place = space->allowed_group[start + atoms[space->shown_by[i]]];
        if (stop > space->starts[context] && space->cell_place[stop - 1] == place) {
            space->cell_rows[stop - 1] += space->merged_counts[i];
        } else {
            space->cell_place[stop] = place;
            space->cell_rows[stop] = space->merged_counts[i];
            space->stops[context]++;
        }
    }
    return contexts;
}

/* The corners of every rectangle of runs in which a context has the same number of rows, too few for some size. */
static void mark_corners(const Asked *asked, int64_t contexts, int64_t wide) {
    const CutSpace *space = asked->space;
    const int64_t length = asked->length, largest = asked->sizes[length - 1];
    for (int64_t context = 0; context < contexts; context++) {
        const int64_t begin = space->starts[context], stop = space->stops[context];
        for (int64_t i = begin; i < stop; i++) {
            const int64_t place = space->cell_place[i], after = space->run_after[place];
            int64_t low = space->run_first[place], rows = 0;
            if (i > begin && space->cell_place[i - 1] >= low) low = space->cell_place[i - 1] + 1;
            for (int64_t j = i; j < stop && space->cell_place[j] < after; j++) {
                rows += space->cell_rows[j];
                if (rows >= largest) break;
                int64_t high = after;
                if (j + 1 < stop && space->cell_place[j + 1] < after) high = space->cell_place[j + 1];
                const int64_t size = sizes_up_to(asked->sizes, length, rows), from = space->cell_place[j] + 1;
                const uint32_t lost = (uint32_t)rows;
                space->lost[(low * wide + from) * length + size] += lost;
                if (high < after) space->lost[(low * wide + high + 1) * length + size] -= lost;
                if (place + 1 < after) {
                    space->lost[((place + 1) * wide + from) * length + size] -= lost;
                    if (high < after) space->lost[((place + 1) * wide + high + 1) * length + size] += lost;
                }
            }
        }
    }
}

void count_lost(const Asked *asked, int64_t axis, int64_t places) {
    const CutSpace *space = asked->space;
    const int64_t wide = places + 1, length = asked->length;
    for (int64_t first = 0; first < places; first++)
        memset(space->lost + (first * wide + first) * length, 0,
               (size_t)((space->run_after[first] - first + 1) * length) * sizeof *space->lost);
    mark_corners(asked, find_cells(asked, axis, places), wide);
    for (int64_t first = 0; first < places; first++) {
        for (int64_t after = first + 1; after <= space->run_after[first]; after++) {
            uint32_t *here = space->lost + (first * wide + after) * length;
            for (int64_t a = 0; a < length; a++) here[a] += here[a - length];
        }
    }
    for (int64_t first = 0; first < places; first++) {
        if (space->run_first[first] == first) continue;
        for (int64_t after = first + 1; after <= space->run_after[first]; after++) {
            uint32_t *here = space->lost + (first * wide + after) * length;
            const uint32_t *before = here - wide * length;
            for (int64_t a = 0; a < length; a++) here[a] += before[a];
        }
    }
    for (int64_t first = 0; first < places; first++) {
        for (int64_t after = first + 1; after <= space->run_after[first]; after++) {
            uint32_t *here = space->lost + (first * wide + after) * length;
            for (int64_t a = 1; a < length; a++) here[a] += here[a - 1];
        }
    }
}
