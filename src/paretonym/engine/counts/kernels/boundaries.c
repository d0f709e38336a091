/* Where a cut between numbers or dates is shown. Twin: engine/recoding/boundaries.py (Gaps.shown). */
#include "kernels.h"

/* The gap with the highest rank behind unit u, up to unit v. */
static int64_t best_gap(const int32_t *ranks, int64_t u, int64_t v) {
    int64_t best = u + 1;
    for (int64_t gap = u + 2; gap <= v; gap++)
        if (ranks[gap] > ranks[best]) best = gap;
    return best;
}

int64_t shown_cut(const Gaps *gaps, int64_t u, int64_t v, int64_t k, int64_t labelled, int64_t whole) {
    const int64_t edge = best_gap(gaps->edge_ranks, u, v), before = gaps->sizes[u], behind = gaps->sizes[v];
    if (gaps->edge_ranks[edge] >= 0) return 4 * edge + EDGE;
    if (behind < k && !(before >= k && whole && gaps->followed[u])) return -1;
    if (before >= labelled && behind >= labelled) return 4 * best_gap(gaps->round_ranks, u, v) + ROUND;
    return behind >= labelled ? 4 * v + BEHIND : 4 * (u + 1) + NEXT;
}
