/* Many recodings at once, each a choice of cuts for every column: the classes that a genome forms, which of
 * them stay under a suppression rule, and what is counted for them.
 * Twin: spaces/cuts/numpy_genomes.py (plain_counter).
 *
 * The groups of a part (a few columns together) are computed once for each combination of the part's atoms,
 * of which there are far fewer than tuples; a tuple then needs one look-up per part. */
#include "kernels.h"

/* By the first number of a class (its size, or what a threshold is about), then by the second: the lowest are
 * suppressed first, as long as few enough rows are; those below the mean are suppressed; or every threshold is a
 * candidate of its own. */
enum rule { ORDER, MEAN, ANY };
enum { WEIGHTED = FACTS };
static const int64_t BY_SIZE = -1, NOTHING = -2;
static const uint64_t MOST_CODES = UINT64_C(1) << 62;

/* The group of every atom, what a row costs there, and what all rows cost. */
static void group_atoms(const Genomes *genomes, const uint8_t *genome, const GenomeSpace *space) {
    for (int64_t c = 0; c < genomes->costs; c++) space->totals[c] = 0;
    for (int64_t axis = 0; axis < genomes->axes; axis++) {
        const int64_t start = genomes->atom_starts[axis], atoms = genomes->atom_starts[axis + 1] - start;
        /* The bits of an axis begin one place earlier for each axis before it: an axis has one gap less. */
        const uint8_t *cut_after = genome + start - axis;
        int32_t group = 0;
        for (int64_t first = 0, atom = 0; atom < atoms; atom++) {
            if (atom < atoms - 1 && !cut_after[atom]) continue;
            const int64_t place = genomes->cost_starts[axis] + first * (atoms + 1) + atom + 1;
            int64_t rows = 0;
            for (int64_t member = start + first; member <= start + atom; member++) {
                space->group_of[member] = group;
                rows += genomes->atom_rows[member];
                for (int64_t c = 0; c < genomes->costs; c++)
                    space->unit[c * genomes->atoms + member] = genomes->cost[c * genomes->costed + place];
            }
            for (int64_t c = 0; c < genomes->costs; c++)
                space->totals[c] += genomes->cost[c * genomes->costed + place] * rows;
            group++;
            first = atom + 1;
        }
        space->groups[axis] = group;
    }
}

/* Multiply the groups of a part's atoms so that their sums distinguish combinations of groups. */
static void weigh_groups(const Genomes *genomes, int64_t part, const GenomeSpace *space) {
    uint32_t weight = 1;
    for (int64_t i = genomes->part_axes[part]; i < genomes->part_axes[part + 1]; i++) {
        const int64_t axis = genomes->axis[i];
        for (int64_t atom = genomes->atom_starts[axis]; atom < genomes->atom_starts[axis + 1]; atom++)
            space->weighted[atom] = (uint32_t)space->group_of[atom] * weight;
        weight *= (uint32_t)space->groups[axis];
    }
}

/* A number for each combination of a part, equal where all groups are. Returns how many numbers there are. */
static int64_t number_combinations(const Genomes *genomes, int64_t part, const GenomeSpace *space) {
    const int64_t width = genomes->part_axes[part + 1] - genomes->part_axes[part];
    const uint32_t *atoms = genomes->combinations + genomes->listed_starts[part];
    int64_t found = 0;
    weigh_groups(genomes, part, space);
    for (int64_t c = genomes->combination_starts[part]; c < genomes->combination_starts[part + 1]; c++) {
        uint32_t code = 0;
        for (int64_t i = 0; i < width; i++) code += space->weighted[*atoms++];
        if (space->dense[code] < 0) {
            space->touched[found] = code;
            space->dense[code] = (int32_t)found++;
        }
        space->part_codes[c] = (uint64_t)space->dense[code];
    }
    for (int64_t i = 0; i < found; i++) space->dense[space->touched[i]] = -1;
    return found;
}

/* The classes of a genome: class_of[t] for each tuple, and shown_by[c], a tuple of each class. */
static Classes find_classes(const Genomes *genomes, const uint8_t *genome, const Table *table,
                            const GenomeSpace *space) {
    const int64_t tuples = genomes->tuples;
    const Classes source = {tuples, 1, 0, NULL, (int64_t *)genomes->counts, NULL};
    Classes classes = {tuples, 1, space->width, space->keys, space->counts, space->cells};
    uint64_t range = 1;
    group_atoms(genomes, genome, space);
    memset(space->codes, 0, (size_t)tuples * sizeof *space->codes);
    for (int64_t part = 0; part < genomes->parts; part++) {
        const uint32_t *combination = genomes->part + part * tuples;
        const int64_t found = number_combinations(genomes, part, space);
        if (range > MOST_CODES / (uint64_t)found) {
            /* It no longer fits into a word: continue from the classes so far. */
            range = (uint64_t)group(table, space->codes, &source, &classes, space->class_of);
            for (int64_t t = 0; t < tuples; t++) space->codes[t] = (uint64_t)space->class_of[t];
        }
        for (int64_t c = genomes->combination_starts[part]; c < genomes->combination_starts[part + 1]; c++)
            space->part_codes[c] *= range;
        for (int64_t t = 0; t < tuples; t++) space->codes[t] += space->part_codes[combination[t]];
        range *= (uint64_t)found;
    }
    classes.length = group(table, space->codes, &source, &classes, space->class_of);
    for (int64_t t = 0, found = 0; t < tuples; t++)
        if (space->class_of[t] == found) space->shown_by[found++] = t;
    return classes;
}

/* How often each value of the further columns occurs in each class. */
static void count_values(const Genomes *genomes, const Classes *classes, const GenomeSpace *space) {
    memset(classes->cells, 0, (size_t)(classes->length * classes->width) * sizeof *classes->cells);
    for (int64_t t = 0; t < genomes->tuples; t++) {
        int32_t *cells = classes->cells + space->class_of[t] * classes->width;
        for (int64_t entry = genomes->value_starts[t]; entry < genomes->value_starts[t + 1]; entry++)
            cells[genomes->values[entry]] += genomes->value_counts[entry];
    }
}

/* What one row of a class costs, by kind. */
static void class_cost(const Genomes *genomes, const GenomeSpace *space, int64_t which, int64_t *out) {
    const int32_t *atoms = genomes->tuple_atoms + space->shown_by[which] * genomes->axes;
    for (int64_t c = 0; c < genomes->costs; c++) {
        out[c] = 0;
        for (int64_t axis = 0; axis < genomes->axes; axis++) out[c] += space->unit[c * genomes->atoms + atoms[axis]];
    }
}

/* Replace both by whole numbers; the share of the most frequent value, which has a minus sign, by the whole part of its
 * reciprocal. A quotient that is whole except for rounding is whole. */
static void take_whole(double *goodness, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        goodness[i] = floor((goodness[i] < 0 ? -1.0 / goodness[i] : goodness[i]) * (1 + 1e-12));
}

/* The size of the smallest classes that stay if smaller ones are suppressed, as long as few enough rows are. */
static int64_t least_size(const Classes *classes, int64_t suppressible, int64_t *histogram) {
    int64_t gone = 0, size = 1;
    memset(histogram, 0, (size_t)(suppressible + 1) * sizeof *histogram);
    for (int64_t i = 0; i < classes->length; i++)
        if (classes->counts[i] <= suppressible) histogram[classes->counts[i]] += classes->counts[i];
    for (; size <= suppressible; size++) {
        gone += histogram[size];
        if (gone > suppressible) break;
    }
    return size;
}

/* Suppress the classes with the lowest first number, among them those with the lowest second one first, equal ones
 * together, as long as few enough rows are suppressed. */
static void keep_in_order(const Classes *classes, int64_t suppressible, const Thresholds *space, int64_t *stays) {
    const double *first = space->goodness, *second = space->goodness + space->ranked;
    const int64_t *order = space->order, length = classes->length;
    int64_t gone = 0, end;
    sort_order(first, second, length, space->order, space->spare);
    for (int64_t i = 0; i < length; i++) stays[i] = 1;
    for (int64_t start = 0; start < length; start = end) {
        for (end = start; end < length && first[order[end]] == first[order[start]] &&
                          second[order[end]] == second[order[start]];
             end++)
            gone += classes->counts[order[end]];
        if (gone > suppressible) return;
        for (int64_t i = start; i < end; i++) stays[order[i]] = 0;
    }
}

/* Which classes stay, as marks of 1. Returns Σ over rows of the first number of their class. */
static double apply_rule(const Genomes *genomes, const int64_t *thresholds, int64_t columns, int64_t rule,
                         int64_t suppressible, const Classes *classes, const GenomeSpace *own,
                         const Thresholds *space, int64_t *stays) {
    const int by_size = thresholds[0] == BY_SIZE;
    const double *goodness = space->goodness;
    double weighted = 0.0;
    for (int64_t i = 0; i < classes->length; i++)
        weighted += (double)classes->counts[i] * (by_size ? (double)classes->counts[i] : goodness[i]);
    if (rule == MEAN) {
        for (int64_t i = 0; i < classes->length; i++) {
            const double number = by_size ? (double)(classes->counts[i] * genomes->rows)
                                          : goodness[i] * (double)genomes->rows;
            stays[i] = number >= weighted;
        }
    } else if (by_size && thresholds[columns] == NOTHING) {
        const int64_t least = least_size(classes, suppressible, own->histogram);
        for (int64_t i = 0; i < classes->length; i++) stays[i] = classes->counts[i] >= least;
    } else {
        keep_in_order(classes, suppressible, space, stays);
    }
    return weighted;
}

/* One statistic, combined over the classes that stay. */
static double over_staying(const Requests *requests, int64_t which, const Classes *classes, const int64_t *stays,
                           const Thresholds *space) {
    if (requests->released[which]) return against_itself(requests, which, classes, stays, 1, space);
    double result = neutral(requests->combines[which]);
    for (int64_t i = 0; i < classes->length; i++)
        if (stays[i])
            result = combined(requests->combines[which], result, space->measured[which * space->classes + i]);
    return result;
}

/* Counts, costs and statistics of the classes that stay. */
static void record(const Genomes *genomes, const Requests *requests, const Classes *classes, const int64_t *stays,
                   double weighted, const GenomeSpace *own, const Thresholds *space, const Counted *out,
                   int64_t place) {
    int64_t *fact = out->fact + place * out->facts;
    int64_t *cost = out->cost + place * out->costs;
    memset(fact, 0, (size_t)out->facts * sizeof *fact);
    fact[SMALLEST] = INT64_C(1) << 62;
    fact[WEIGHTED] = (int64_t)weighted;
    for (int64_t c = 0; c < out->costs; c++) cost[c] = own->totals[c];
    for (int64_t i = 0; i < classes->length; i++) {
        const int64_t count = classes->counts[i];
        fact[ALL_SQUARES] += count * count; /* at most the square of all rows, below 2^62 */
        if (stays[i]) {
            if (count < fact[SMALLEST]) fact[SMALLEST] = count;
            fact[CLASSES]++;
            fact[SQUARES] += count * count;
            fact[UNIQUE] += count == 1;
        } else {
            fact[GONE] += count;
            class_cost(genomes, own, i, own->class_costs);
            for (int64_t c = 0; c < out->costs; c++) cost[c] -= count * own->class_costs[c];
        }
    }
    for (int64_t s = 0; s < requests->statistics; s++)
        out->statistic[place * out->statistics + s] = over_staying(requests, s, classes, stays, space);
}

/* A candidate for each tight pair of thresholds; -1 if there is no room. */
static int64_t every_threshold(const Genomes *genomes, const Requests *requests, const int64_t *thresholds,
                               int64_t columns, int64_t suppressible, const Classes *classes,
                               const GenomeSpace *own, const Thresholds *space, const Counted *out,
                               int64_t written) {
    for (int64_t i = 0; i < classes->length; i++)
        class_cost(genomes, own, i, own->class_costs + i * genomes->costs);
    const int64_t made = record_pairs(requests, thresholds, columns, classes, classes->counts, own->class_costs,
                                      suppressible, space, out, written);
    for (int64_t place = written; place < written + made; place++) {
        out->fact[place * out->facts + WEIGHTED] = out->fact[place * out->facts + ALL_SQUARES];
        for (int64_t c = 0; c < out->costs; c++)
            out->cost[place * out->costs + c] = own->totals[c] - out->cost[place * out->costs + c];
    }
    return made;
}

/* The candidates of each genome, as long as there is room. Returns for how many genomes, and in written[0] how
 * many candidates. */
EXPORT int64_t paretonym_count_genomes(const Genomes *genomes, const Requests *requests, const Table *table,
                                       const GenomeSpace *own, const Thresholds *space, int64_t columns,
                                       const int64_t *thresholds, int64_t rule, int64_t whole, int64_t suppressible,
                                       int64_t count, int64_t gaps, const uint8_t *bits, const Counted *out,
                                       int64_t *written) {
    written[0] = 0;
    if (gaps != genomes->atoms - genomes->axes || out->facts != WEIGHTED + 1) return REFUSED;
    if (!has_room(table, genomes->tuples) || suppressible + 1 > own->limit || suppressible < 0) return REFUSED;
    for (int64_t number = 0; number < count; number++) {
        const Classes classes = find_classes(genomes, bits + number * gaps, table, own);
        int64_t *stays = space->rank, made = 1, place = written[0];
        if (requests->statistics) count_values(genomes, &classes, own);
        if (rule == ANY) {
            made = every_threshold(genomes, requests, thresholds, columns, suppressible, &classes, own, space, out,
                                   place);
        } else if (place < out->room) {
            measure_classes(requests, thresholds, columns, &classes, space);
            for (int64_t key = 0; whole && key < 2; key++)
                take_whole(space->goodness + key * space->ranked, classes.length);
            const double weighted = apply_rule(genomes, thresholds, columns, rule, suppressible, &classes, own, space,
                                               stays);
            record(genomes, requests, &classes, stays, weighted, own, space, out, place);
        } else {
            made = -1;
        }
        if (made < 0) return number;
        for (; place < written[0] + made; place++) out->node[place] = number;
        written[0] += made;
    }
    return count;
}
