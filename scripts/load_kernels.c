/* Loads a library of kernels where Python cannot: `load_kernels LIBRARY DIGEST` compares what it says it was built
 * from, and what two of its functions answer. For the wheels of platforms that run here without a Python of theirs. */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **given) {
    if (count != 3) return 2;
    void *library = dlopen(given[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const char *const *digest = (const char *const *)dlsym(library, "paretonym_digest");
    if (digest == NULL || strcmp(*digest, given[2]) != 0) {
        fprintf(stderr, "it was built from other sources\n");
        return 1;
    }
    int64_t (*first_above)(int64_t, int64_t, int64_t, const int64_t *, const int64_t *, int64_t *);
    int64_t (*mean_divergence)(int64_t, int64_t, int64_t, int64_t, const double *, const double *, double *);
    *(void **)&first_above = dlsym(library, "paretonym_first_above");
    *(void **)&mean_divergence = dlsym(library, "paretonym_mean_divergence");
    if (first_above == NULL || mean_divergence == NULL) return 1;

    const int64_t levels[] = {0, 1, 2, 2}, others[] = {0, 0, 1, 1};
    int64_t places[2];
    if (first_above(2, 2, 2, levels, others, places) != 0 || places[0] != 1 || places[1] != -1) {
        fprintf(stderr, "first_above answers %lld, %lld\n", (long long)places[0], (long long)places[1]);
        return 1;
    }
    /* The Jensen–Shannon divergence of halves from a quarter and three quarters, written out. A span that ends behind
     * the last value is refused. */
    const double truth[] = {1.0, 1.0}, guess[] = {1.0, 3.0};
    double result[1];
    const int64_t refused = mean_divergence(1, 2, 0, 3, truth, guess, result);
    if (refused != -2 || mean_divergence(1, 2, 0, 2, truth, guess, result) != 0) return 1;
    const double wanted = log(16.0 / 15.0) / 4.0 + log(2.0 / 3.0) / 8.0 + 3.0 * log(6.0 / 5.0) / 8.0;
    if (fabs(result[0] - wanted) > 1e-15) {
        fprintf(stderr, "mean_divergence answers %.17g\n", result[0]);
        return 1;
    }
    return 0;
}
