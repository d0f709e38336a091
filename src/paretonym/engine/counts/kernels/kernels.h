/* What the kernels share: the structures in which arrays are passed, and the few functions that several files need.
 *
 * Every structure holds sizes and then plain arrays, all of them allocated and checked by Python, which
 * declares the same fields in the same order (kernel_interface.py; a test compares both). Nothing here allocates,
 * and nothing is kept between calls except in these arrays, so any number of threads may call at once with memory
 * of their own. Arrays of several dimensions are in row-major order.
 *
 * Counts are 64 bits wide. Counts of values within a class (`cells`) have 32 bits: Python counts tables of
 * 2^31 rows and more without these kernels. So squared counts of rows, and products of two counts, stay
 * below 2^62, and sums of them over classes do too: they are at most the square of the number of rows.
 */
#ifndef PARETONYM_KERNELS_H
#define PARETONYM_KERNELS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* What an exported function returns if an argument that only it can check is out of bounds. */
#define REFUSED (-2)

/* How keys are laid out and what levels do to them. A key is `words` words; the group at position p is in word[p],
 * bits[p] wide from shift[p] on. mappings[starts[p][a][b] + g] is the group at level b of group g at level a, shifted
 * to its place; single[p][a] is 1 if level a has one group only; units[c][unit_starts[p][a] + g] is what a row costs in
 * group g at level a. */
typedef struct {
    int64_t positions, words, widest, mapped, costs, united;
    const int64_t *word, *shift, *bits, *steps, *single, *starts, *unit_starts;
    const uint64_t *mappings;
    const int64_t *units;
} Layout;

/* Classes: their keys, rows, and how often each value of the further columns occurs in each. */
typedef struct {
    int64_t length, words, width;
    uint64_t *keys;
    int64_t *counts;
    int32_t *cells;
} Classes;

/* A hash table of `size` slots, a power of two: each is 0 or the number of a class, counted from 1. */
typedef struct {
    int64_t size;
    uint32_t *slots;
} Table;

/* Which statistics are wanted. Statistic s is of kind kinds[s], about widths[s] values from starts[s] on, and combined
 * over classes by combines[s]. shares and totals are the input's distribution, over wholes[s] rows; the tree of statistic
 * s has tree_levels[s] levels in `tree` from tree_starts[s] on. `persons`: counts are of persons, who may have several
 * values. */
typedef struct {
    int64_t statistics, values, branches, persons;
    const int64_t *kinds, *combines, *starts, *widths, *released, *tree_starts, *tree_levels, *wholes, *totals, *tree;
    const double *parameters, *shares;
} Requests;

/* Memory of one thread for visits.c. Row r holds classes from begins[r] on, lengths[r] of them. Walking (depth 0): row
 * p belongs to position p and holder[p] is the row with the classes of the levels up to p, -1 for the tuples. Jumping:
 * row 0 is the node's, the others belong to prefixes; kept[i] is the row of prefix i, -1 if there is none yet; used[0]
 * rows and used[1] places are taken. `levels` is the present node, -1 before the first one. */
typedef struct {
    int64_t positions, tuples, words, width, depth, room, rows, prefixes, costed, blocks, lasts, last_words;
    uint64_t *keys, *codes, *block_keys, *taken;
    int64_t *counts, *begins, *lengths, *levels, *holder, *kept, *used, *source;
    int64_t *block_begins, *block_sizes, *block_target, *block_head, *dense;
    int32_t *cells;
    int64_t *class_costs;
} Walk;

/* Where candidates go. */
typedef struct {
    int64_t room, facts, costs, statistics;
    int64_t *node, *fact, *cost;
    double *statistic;
} Counted;

/* Counts of values within classes, where most are 0: class owner[i] has count[i] rows of value[i]. See entries.c. */
typedef struct {
    int64_t length;
    int32_t *value, *owner, *count;
} Entries;

/* Memory of one thread for the entries of a walk's rows: row r holds those from begins[r] on, lengths[r] of them; when
 * jumping, used[0] places are taken. `tuples` is 0 where classes have tables of counts. */
typedef struct {
    int64_t rows, room, tuples;
    int32_t *value, *owner, *count, *last;
    int64_t *begins, *lengths, *target, *used;
} EntryRows;

/* Where a person may be in several classes (`holders` is not 0), the value of an entry is the number of a holder: person[h]
 * has value[h] (-1: is there) in some row; or, with person -1, rows have value[h]. Ascending by person. Then memory for one
 * node: its classes' persons and rows in one count, and how many have each of `width` values. See persons.c. */
typedef struct {
    int64_t holders, classes, width;
    const int32_t *person, *value;
    int64_t *counts;
    int32_t *met, *cells;
} Holders;

/* Scratch memory for thresholds on classes: see thresholds.c and, for the persons of each class, persons.c. Where
 * `listed` is not 0, the counts of values are listed class by class: see entries.c. */
typedef struct {
    int64_t classes, ranked, limit, most, statistics, costs, values, listed, lists, sums, branches, counted;
    int64_t *persons, *rows, *histogram, *sizes, *gone, *small, *rank, *order, *spare;
    int64_t *rank_rows, *rank_classes, *rank_squares, *rank_unique, *rank_people, *rank_row_squares, *rank_smallest;
    int64_t *totals, *sorting, *starts, *rank_costs, *gone_costs;
    int32_t *listed_value, *listed_count;
    double *measured, *goodness, *rank_measured, *shares, *running, *set_shares;
} Thresholds;

/* The bounds of all nodes: known[node] is the best that the objectives at `place` can be (as costs), staircase[node]
 * the fewest rows that must be suppressed for each of `sizes`; size_place is the place of k, -1 without it; `required`
 * is the worst that objectives may be. `tops` are the highest levels, `weights` say how far apart the numbers of
 * neighbours are. What is `conditional` holds only at nodes that are `whole`: nothing is suppressed there. */
typedef struct {
    int64_t nodes, places, stairs, objectives, positions, size_place, suppressible;
    double *known;
    int32_t *staircase;
    const int64_t *sizes, *place, *tops, *weights;
    int64_t *above, *conditional;
    uint8_t *whole;
    const double *required;
} Bounds;

/* Nodes to be tested: their numbers and levels, and, as costs, the least that each objective can be there (`least`) and
 * its additional cost for every suppressed row. */
typedef struct {
    int64_t count, positions, objectives;
    const int64_t *node, *levels;
    const double *least, *per_row;
} Waiting;

/* The frontier so far as costs, a row for each vector; then room for two vectors. */
typedef struct {
    int64_t length, objectives;
    double *vectors, *ideal, *stair;
} Best;

/* Witnesses of several nodes, one after another, class by class: tuples with their rows, and their keys at the node.
 * Those of holder h, a node at levels[h], are from starts[h] to starts[h + 1]. With a width, `cells` are their counts of
 * the values of further columns. */
typedef struct {
    int64_t room, holders, positions, words, begins, width;
    uint64_t *keys, *shown;
    int64_t *rows;
    int32_t *cells;
    const int64_t *starts, *levels;
} Witnesses;

/* Scratch memory for witnesses of up to `tuples` tuples: rows in classes of each size up to `limit`; the classes of
 * a holder's witnesses that all nodes of a question have in common. */
typedef struct {
    int64_t tuples, words, limit, sized, positions, width;
    uint64_t *codes, *keys, *shared_keys;
    int64_t *counts, *shared_counts, *target, *members, *by_size, *lowest;
    int32_t *cells, *shared_cells;
} Tally;

/* Tuples laid out for counting under many cuts. Atoms of all axes are numbered consecutively; costs[c] [cost_starts[j]
 * + first * (atoms of j + 1) + after] is what a row costs in that group of axis j. Columns are combined into parts,
 * axes[part_axes[s]] and so on in part s; `combinations` lists the atoms of each combination of a part, part after
 * part, and part[s][t] is the combination of tuple t. `values` and value_counts hold the further columns' values of
 * each tuple, sparsely. The first line_atoms[j] atoms of axis j are numbers or dates (see Gaps for the boundaries in front
 * of them). Of axes of names, `always` marks the atoms that the schema lists, and set_first[set_starts[j] + level * (atoms
 * of j) + atom] and set_after are the atoms of the set that holds an atom, the coarsest level first. */
typedef struct {
    int64_t axes, parts, atoms, costs, costed, tuples, combined, listed, entries, rows, named;
    int64_t axes_after, parts_after, tuples_after;
    const int64_t *atom_starts, *cost_starts, *atom_rows, *axis, *part_axes, *combination_starts, *listed_starts;
    const int64_t *counts, *value_starts;
    const int64_t *line_atoms, *set_starts;
    const uint32_t *combinations, *part;
    const int32_t *tuple_atoms, *values, *value_counts, *edge_ranks, *round_ranks, *set_first, *set_after;
    const uint8_t *whole, *followed, *always;
    const int64_t *cost;
} Genomes;

/* Memory of one thread for genomes.c. `dense` is filled with -1 between genomes. */
typedef struct {
    int64_t axes, atoms, costs, tuples, combined, dense_size, limit, width;
    uint64_t *codes, *part_codes, *keys;
    int64_t *groups, *touched, *class_of, *histogram, *counts, *staying;
    int32_t *group_of, *dense, *cells;
    uint32_t *weighted;
    int64_t *class_costs;
} GenomeSpace;

/* For relaxation.c: tuples as atoms (numbered within each axis), and what a row costs in each group (INFINITY where the
 * tree forbids it), at most in each axis, and if it is suppressed. `boundary` holds the largest size of the smallest
 * class with which labels may show the boundary in front of an atom; -1 where they never do. */
typedef struct {
    int64_t axes, atoms, costed, tuples, axes_after, rows;
    const int64_t *atom_starts, *cost_starts, *counts, *atom_rows, *boundary;
    const int32_t *tuple_atoms;
    const double *cost, *most, *whole;
} CutTable;

/* Memory of one thread for relaxation.c; axes of fewer than `places` places are divided. */
typedef struct {
    int64_t tuples, tuples_after, atoms, places, sizes, sizes_after;
    uint64_t *codes, *others, *keys, *atom_mark;
    int64_t *counts, *merged_counts, *target, *shown_by, *by_place, *starts, *stops, *cell_rows, *edges, *run_first;
    int64_t *run_after, *rows_before, *place_starts, *chosen, *largest, *merged;
    int32_t *cell_place, *forced_group, *allowed_group;
    uint32_t *lost;
    uint8_t *cuts;
    double *least, *gone, *multiplier, *tried, *few, *few_gone, *many, *many_gone, *bound, *own, *steps, *step_rows;
    double *row_cost, *atom_cost, *before_one, *before_lost, *gone_before_one, *gone_before_lost;
    double *several_before, *one_before, *several_after, *one_after, *without;
} CutSpace;

/* For local.c: what a row of every tuple costs, as a number of `costs`, at every place, a level of a column: those of column j begin
 * at place first[j]; `most` if it is suppressed. Keys have the way from each column's last place to its first: if a bit is
 * the highest that differs, `place` shows both tuples; below[bit] are bits of later columns, above[bit] all but those further down. */
typedef struct {
    int64_t tuples, columns, places, units, words, most;
    const int32_t *prices;
    const int64_t *first, *rows, *sizes, *costs, *place, *column;
    const uint64_t *keys, *below, *above;
} LocalTable;

/* Memory of one thread for local.c: of every class one of its tuples, the bits that its tuples share, what a row costs in each
 * column, its rows or persons, its rows, and what each of them costs; the members of a block, and bounds on what they cost. */
typedef struct {
    int64_t tuples, columns, words;
    int32_t *shown_by, *members, *class;
    uint64_t *shared;
    int64_t *units, *sizes, *rows, *costs, *bounds;
} LocalSpace;

/* For neighbours.c: the group of every tuple at every place, a level of a column below its last one, and what it costs a row of
 * the tuple to go from there to the next level; the rows or persons of each tuple. */
typedef struct {
    int64_t tuples, places;
    const int32_t *groups, *steps;
    const int64_t *sizes;
} Neighbours;

/* Memory of one thread for neighbours.c: what every tuple costs; the cost of eight bits; the bits of the `nearest` tuples and
 * of what shows several of them at each depth; their rows or persons; and a list for each depth. */
typedef struct {
    int64_t tuples, bytes, nearest, depths, room, ranges;
    int32_t *costs, *table;
    uint8_t *differ, *joined;
    int64_t *sizes, *lists, *buckets;
} NeighbourSpace;

/* For estimates.c: the tuples of a table, and room for the tuples that are left at each depth. starts[j] is the first predicate of
 * axis j; before[] has a place for every unit and one more. */
typedef struct {
    int64_t axes, tuples, predicates, units, depths;
    const int32_t *groups;
    const int64_t *counts, *axis, *first, *after, *starts;
    int32_t *active;
    int64_t *lengths, *cursor, *supports, *before;
} PopulationSearch;

/* The gaps of one axis, gap i in front of unit i, for the boundary rule (see engine/recoding/boundaries.py): the ranks of their
 * roundest edges of the schema (-1: none) and of their roundest points, how many have each unit, and whether the next
 * whole number or day after it can be written. */
typedef struct {
    const int32_t *edge_ranks, *round_ranks;
    const int64_t *sizes;
    const uint8_t *followed;
} Gaps;

/* What a boundary is: an edge, the roundest point, the value behind the cut, the next one after the value before it. */
enum boundary { EDGE, ROUND, BEHIND, NEXT };

/* For mondrian.c: where quasi-identifiers may be split (see engine/spaces/mondrian/splits.py), what is required of every
 * part (see engine/spaces/mondrian/partition_requirement.py), and the parts with scratch memory. */
typedef struct {
    int64_t axes, nodes, axes_after, units_after, binary;
    const int64_t *roots, *first, *after, *child, *child_after, *leaves_before, *domains;
    const int64_t *sizes, *whole;
    const int32_t *edge_ranks, *round_ranks;
    const uint8_t *line, *followed;
} Splits;

/* Condition i: statistic which[i] of a part (-1: its rows), made a value by links[i], is at least bounds[i], or at most
 * that where at_least[i] is 0. Tuple t has counts[e] rows of value[e] for e from begins[t] up to but excluding begins[t
 * + 1].
 *
 * Where persons are counted (`members` is not 0), member[m] for m from member_begins[t] on are those of tuple t, and
 * entry e stands for the person and value number holder[e]. A part's size is the number of its different persons, its
 * count of a value that of the different holders: the scratch memory says in which count each was last met. */
typedef struct {
    int64_t conditions, values, tuples_after, entries, members_after, members, held, persons, holders;
    const int64_t *which, *links, *at_least, *begins, *value, *counts, *member_begins, *member, *holder;
    int64_t *met_person, *met_holder, *clock;
    int32_t *person_first, *person_last;
    const double *bounds;
} Conditions;

typedef struct {
    int64_t tuples, axes, units, pieces, pieces_after, values;
    const int32_t *groups;
    const int64_t *counts;
    int64_t *order, *starts, *stops, *of_tuple, *unit_rows, *piece_rows, *sorted, *nodes, *ends, *sorting;
    int32_t *cells, *low, *high, *unit_piece, *piece_low, *piece_high, *piece, *own_low, *own_high;
    double *spans;
} Partition;

/* For improved_partition.c: what one more value in the shown set of each axis costs a row; parts of more than `most` tuples are not tried out. Then scratch memory: the parts
 * that wait while a split is tried out, the units of a part, and its pieces. */
typedef struct {
    int64_t tuples, axes, pieces, pieces_after, units_after, seed, most;
    const int64_t *prices;
    int64_t *starts, *stops, *rules, *rows, *places, *gains, *ends, *piece_rule, *best_rule, *arriving, *leaving;
    int32_t *low, *high, *unit, *part_low, *part_high, *piece_low, *piece_high;
} Improvement;

enum fact { SMALLEST, GONE, CLASSES, SQUARES, ALL_SQUARES, UNIQUE, FACTS };
/* Further ones where classes are counted in persons (persons.c): candidates then have PERSON_FACTS. */
enum person_fact { PEOPLE = FACTS, ALL_PEOPLE, ROW_SQUARES, PERSON_FACTS };
enum kind { SHARE, DISTINCT, ENTROPY, RECURSIVE, VARIATION, ORDERED, TREE, DIVERGENCE, RATIO, MAJORITY, PAIRS, LIKENESS };
enum combine { LEAST, MOST, SUM, HIGHEST_REACH, LOWEST_REACH, EVERY_LEAST, EVERY_MOST, EVERY_SUM };
enum link { IDENTITY, RECIPROCAL, EXPONENTIAL };

/* boundaries.c: the boundary between units u and v, 4 · gap + what it is; -1 if the cut cannot be shown in a release
 * whose smallest class has k rows. It is placed as if that had `labelled` rows. */
int64_t shown_cut(const Gaps *gaps, int64_t u, int64_t v, int64_t k, int64_t labelled, int64_t whole);

/* grouping.c */
void recode_digit(const Layout *layout, int64_t position, int64_t from, int64_t to, const uint64_t *keys,
                  int64_t length, uint64_t *out);
void recode(const Layout *layout, const int64_t *from, const int64_t *to, const uint64_t *keys, int64_t length,
            uint64_t *out);
int64_t group(const Table *table, const uint64_t *codes, const Classes *source, const Classes *out,
              int64_t *target);
int in_range(const Layout *layout, const int64_t *levels);
int has_room(const Table *table, int64_t length);

/* statistics.c */
typedef struct {
    const double *shares;
    const int64_t *totals;
    int64_t whole;
} Reference;
double class_statistic(const Requests *requests, int64_t which, const int32_t *values, int64_t count,
                       const Reference *reference, int64_t *sorting);
void class_statistics(const Requests *requests, int64_t which, const Classes *classes, const int64_t *marks,
                      int64_t least, const Reference *reference, int64_t *sorting, double *out);
Reference of_input(const Requests *requests, int64_t which);
double neutral(int64_t combine);
double combined(int64_t combine, double one, double other);

/* entries.c */
int are_entries(const Entries *entries, int64_t classes, int64_t values);
int64_t roll_entries(const Entries *finer, const int64_t *target, int32_t *last, const Entries *out);
/* No class has this size. */
#define NO_SIZE (INT64_C(1) << 62)
/* The sizes, in ascending order, that the smallest class that stays can have, and the rows in smaller classes, from the
 * rows by size (which become zeros) and the smallest size that can never go. */
int64_t runs_of(const Thresholds *space, int64_t largest, int64_t above, int64_t suppressible);
void list_entries(const Entries *entries, int64_t classes, const Thresholds *space);
void listed_statistics(const Requests *requests, int64_t which, const Classes *classes, const int64_t *marks,
                       int64_t least, const Reference *reference, const Thresholds *space, double *out);
void add_listed(const Requests *requests, int64_t which, const Thresholds *space, int64_t i);

/* thresholds.c */
void sort_order(const double *first, const double *second, int64_t length, int64_t *order, int64_t *spare);
double comparable(const Requests *requests, int64_t which, double value);
int64_t cost_of(const Layout *layout, const int64_t *levels, const uint64_t *key, int64_t cost);
void measure_classes(const Requests *requests, const int64_t *thresholds, int64_t columns, const Classes *classes,
                     const Thresholds *space);
double against_itself(const Requests *requests, int64_t which, const Classes *classes, const int64_t *marks,
                      int64_t least, const Thresholds *space);
int64_t record_sizes(const Layout *layout, const Requests *requests, const int64_t *levels, const Classes *classes,
                     int64_t suppressible, int64_t every, const Thresholds *space, const Bounds *bounds, int64_t node,
                     const Counted *out, int64_t written);
void record_statistics(const Requests *requests, const Classes *classes, int64_t suppressible, int64_t runs,
                       int64_t first, const Thresholds *space, const Counted *out, int64_t written);
void enter_stairs(const Bounds *bounds, int64_t node, int64_t rows, int64_t runs, const Thresholds *space);
int64_t record_pairs(const Requests *requests, const int64_t *thresholds, int64_t columns, const Classes *classes,
                     const int64_t *rows, const int64_t *class_costs, int64_t suppressible, const Thresholds *space,
                     const Counted *out, int64_t written);

/* mondrian.c */
static inline int32_t unit_at(const Partition *own, int64_t place, int64_t j) {
    return own->groups[own->order[place] * own->axes + j];
}
int known(const Requests *requests, const Conditions *asked);
int all_meet(const Requests *requests, const Conditions *asked, const Partition *own, int64_t start, int64_t stop,
             int64_t pieces);
int64_t holding(const Splits *splits, int64_t j, int64_t first, int64_t last);
int64_t children(const Splits *splits, const Partition *own, int64_t node);
void regroup(const Partition *own, int64_t start, int64_t stop, int64_t pieces);
Gaps gaps_of(const Splits *splits, int64_t j);

/* persons.c */
int are_holders(const Holders *holders, int64_t classes, int64_t values);
Classes held_classes(const Classes *classes, const Entries *entries, const Holders *holders);
Classes in_persons(const Classes *classes, const Thresholds *space);
int64_t record_persons(const Layout *layout, const Requests *requests, const int64_t *levels, const Classes *classes,
                       int64_t suppressible, int64_t every, const Thresholds *space, const Bounds *bounds,
                       int64_t node, const Counted *out, int64_t written);

#endif
