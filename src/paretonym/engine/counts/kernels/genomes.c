/* Many recodings at once, each a choice of cuts for every column: the classes that a genome forms, which of
 * them stay under a suppression rule, and what is counted for them.
 * Twin: engine/spaces/cuts/genome_classes.py (plain_counter).
 *
 * The groups of a part (a few columns together) are computed once for each combination of the part's atoms,
 * of which there are far fewer than tuples; a tuple then needs one look-up per part. */
#include "kernels.h"

/* By the first number of a class (its size, or what a threshold is about), then by the second: the lowest are
 * suppressed first, as long as few enough rows are; those below the mean are suppressed; or every threshold is a
 * candidate of its own. */
enum rule { ORDER, MEAN, ANY };
/* Σ over rows of what the rule is about, and how many cuts cannot be shown. */
enum { WEIGHTED = FACTS, HIDDEN };
static const int64_t BY_SIZE = -1, NOTHING = -2;
static const uint64_t MOST_CODES = UINT64_C(1) << 62;

/* The group of every atom, and how many groups there are. */
static void group_atoms(const Genomes *genomes, const uint8_t *genome, const GenomeSpace *space) {
    for (int64_t axis = 0; axis < genomes->axes; axis++) {
        /* The bits of an axis begin one place earlier for each axis before it: an axis has one gap less. */
        const uint8_t *cut_before = genome - axis - 1;
        int32_t group = 0;
        for (int64_t atom = genomes->atom_starts[axis]; atom < genomes->atom_starts[axis + 1]; atom++) {
            group += atom > genomes->atom_starts[axis] && cut_before[atom];
            space->group_of[atom] = group;
        }
        space->groups[axis] = group + 1;
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

/* The classes of a genome: class_of[t] for each tuple. */
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

/* What some rows cost in a group of atoms, from `first` up to but excluding `after`. */
static void add_cost(const Genomes *genomes, int64_t axis, int64_t first, int64_t after, int64_t rows, int64_t *cost) {
    const int64_t atoms = genomes->atom_starts[axis + 1] - genomes->atom_starts[axis];
    const int64_t place = genomes->cost_starts[axis] + first * (atoms + 1) + after;
    for (int64_t c = 0; c < genomes->costs; c++) cost[c] += genomes->cost[c * genomes->costed + place] * rows;
}

/* The set that shows the atoms from `first` to `last` of an axis of names (see Atoms.named_run): the coarsest one that
 * holds no other atom that is there, of which `before` and `behind` are the next ones on both sides. */
static void named_set(const Genomes *genomes, int64_t axis, int64_t first, int64_t last, int64_t before,
                      int64_t behind, int64_t *set) {
    const int64_t atoms = genomes->atom_starts[axis + 1] - genomes->atom_starts[axis];
    set[0] = first;
    set[1] = last + 1;
    if (first == last) return;
    if (before < 0 && behind == atoms) {
        set[1] = atoms;
        set[0] = 0;
        return;
    }
    for (int64_t level = genomes->set_starts[axis]; level < genomes->set_starts[axis + 1]; level += atoms) {
        const int64_t low = genomes->set_first[level + first], high = genomes->set_after[level + first];
        if (low <= before || high <= last || high > behind) continue;
        set[0] = low;
        set[1] = high;
        return;
    }
}

/* What the rows that stay cost in an axis of names, of which those are there that stay or that the schema lists: groups
 * in which nothing stays are not shown, and the others as if only what is there existed. */
static void show_names(const Genomes *genomes, int64_t axis, const GenomeSpace *space, int64_t *cost) {
    const int64_t start = genomes->atom_starts[axis], atoms = genomes->atom_starts[axis + 1] - start;
    const int64_t *staying = space->staying + start;
    const uint8_t *always = genomes->always + start;
    const int32_t *group = space->group_of + start;
    int64_t before = -1, next = 0;
    while (next < atoms && !staying[next] && !always[next]) next++;
    while (next < atoms) {
        const int64_t first = next;
        int64_t last = first, rows = 0, set[2];
        for (; next < atoms; next++) {
            if (!staying[next] && !always[next]) continue;
            if (group[next] != group[first]) break;
            rows += staying[next];
            last = next;
        }
        if (rows) {
            named_set(genomes, axis, first, last, before, next, set);
            add_cost(genomes, axis, set[0], set[1], rows, cost);
        }
        before = last;
    }
}

/* What the rows that stay cost in an axis of numbers or dates, as the boundary rule shows them (see
 * engine/recoding/boundaries.py); returns how many cuts cannot be shown. Groups in which nothing stays join others. What lies
 * behind the line (missing values) is shown as it is. */
static int64_t show_line(const Genomes *genomes, int64_t axis, int64_t k, const GenomeSpace *space, int64_t *cost) {
    const int64_t start = genomes->atom_starts[axis], atoms = genomes->atom_starts[axis + 1] - start;
    const int64_t line = genomes->line_atoms[axis], *staying = space->staying + start;
    const int32_t *group = space->group_of + start;
    const Gaps gaps = {genomes->edge_ranks + start, genomes->round_ranks + start, staying, genomes->followed + start};
    int64_t hidden = 0, first = 0, last = -1, rows = 0, whole = 1;
    for (int64_t atom = 0; atom < line; atom++)
        if (staying[atom] && !genomes->whole[start + atom]) whole = 0;
    for (int64_t atom = 0; atom < atoms; atom++) {
        if (!staying[atom]) continue;
        if (last >= 0 && group[atom] != group[last]) {
            int64_t cut = atom < line ? shown_cut(&gaps, last, atom, k, k, whole) >> 2 : last < line ? line : last + 1;
            hidden += cut < 0;
            if (cut < 0) cut = atom;
            add_cost(genomes, axis, first, cut, rows, cost);
            first = atom < line ? cut : atom;
            rows = 0;
        }
        rows += staying[atom];
        last = atom;
    }
    if (last >= line && first >= line) add_cost(genomes, axis, first, last + 1, rows, cost);
    else add_cost(genomes, axis, first, first == 0 ? atoms : line, rows, cost);
    return hidden;
}

/* The costs of a candidate as its groups are shown, given which classes stay. */
static void show(const Genomes *genomes, const int64_t *stays, const GenomeSpace *space, const Counted *out,
                 int64_t place) {
    int64_t *fact = out->fact + place * out->facts;
    int64_t *cost = out->cost + place * out->costs;
    memcpy(space->staying, genomes->atom_rows, (size_t)genomes->atoms * sizeof *space->staying);
    for (int64_t t = 0; t < genomes->tuples; t++) {
        if (stays[space->class_of[t]]) continue;
        for (int64_t axis = 0; axis < genomes->axes; axis++)
            space->staying[genomes->tuple_atoms[t * genomes->axes + axis]] -= genomes->counts[t];
    }
    fact[HIDDEN] = 0;
    for (int64_t c = 0; c < out->costs; c++) cost[c] = 0;
    for (int64_t axis = 0; axis < genomes->axes; axis++) {
        if (genomes->line_atoms[axis] > 0) fact[HIDDEN] += show_line(genomes, axis, fact[SMALLEST], space, cost);
        else show_names(genomes, axis, space, cost);
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
    memset(fact, 0, (size_t)out->facts * sizeof *fact);
    fact[SMALLEST] = INT64_C(1) << 62;
    fact[WEIGHTED] = (int64_t)weighted;
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
        }
    }
    show(genomes, stays, own, out, place);
    for (int64_t s = 0; s < requests->statistics; s++)
        out->statistic[place * out->statistics + s] = over_staying(requests, s, classes, stays, space);
}

/* The worst that a key of a class that stays can be in a candidate. */
static double worst_key(const Requests *requests, const int64_t *statistics, int64_t columns, const Counted *out,
                        int64_t place) {
    double worst = statistics[0] == NOTHING ? 0.0 : INFINITY;
    for (int64_t i = 0; i < columns; i++) {
        const int64_t s = statistics[i];
        const double value = s >= 0 ? out->statistic[place * out->statistics + s] : (double)out->fact[place * out->facts];
        if (s != NOTHING) worst = fmin(worst, s >= 0 && requests->combines[s] == MOST ? -value : value);
    }
    return worst;
}

/* A candidate for each tight pair of thresholds; -1 if there is no room. */
static int64_t every_threshold(const Genomes *genomes, const Requests *requests, const int64_t *thresholds,
                               int64_t columns, int64_t suppressible, const Classes *classes,
                               const GenomeSpace *own, const Thresholds *space, const Counted *out,
                               int64_t written) {
    const double *first = space->goodness, *second = space->goodness + space->ranked;
    int64_t *stays = space->rank;
    memset(own->class_costs, 0, (size_t)(classes->length * genomes->costs) * sizeof *own->class_costs);
    const int64_t made = record_pairs(requests, thresholds, columns, classes, classes->counts, own->class_costs,
                                      suppressible, space, out, written);
    for (int64_t place = written; place < written + made; place++) {
        const double one = worst_key(requests, thresholds, columns, out, place);
        const double other = worst_key(requests, thresholds + columns, columns, out, place);
        for (int64_t i = 0; i < classes->length; i++) stays[i] = first[i] >= one && second[i] >= other;
        out->fact[place * out->facts + WEIGHTED] = out->fact[place * out->facts + ALL_SQUARES];
        show(genomes, stays, own, out, place);
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
    if (gaps != genomes->atoms - genomes->axes || out->facts != HIDDEN + 1) return REFUSED;
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
