// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_closed.c: the modelled caches against closed forms. What is expected here comes from theorems and
 * probability, not from another simulation:
 *
 * - Theorem 1 of Yotov, Pingali and Stodghill, "Automatic measurement of memory hierarchy parameters" (SIGMETRICS
 * 2005): N addresses at stride S fit into a cache of capacity C and A ways, T = C / A, exactly when N <= A * ceil(T /
 * S), and all miss exactly when N >= (A + 1) * ceil(T / S).
 * - Cyclic walks: k lines of one set of w ways never miss when k <= w; under LRU and FIFO they always do when k > w.
 * - Random replacement: a Markov chain, solved here, and its closed form for k = w + 1.
 * - Capacity of two levels together. */
#include "tests/unit/hierarchy.h"

/* Accesses of one lap that memory served, of count lines at a distance of stride bytes. */
static unsigned lap_misses(struct caches *caches, uint64_t base, uint64_t stride, unsigned count)
{
    unsigned misses = 0;

    for (unsigned i = 0; i < count; i++)
        misses += load(caches, base + i * stride) == MEMORY;
    return misses;
}

static unsigned steady_misses(struct caches *caches, uint64_t base, uint64_t stride, unsigned count)
{
    for (unsigned lap = 0; lap < 3; lap++)
        lap_misses(caches, base, stride, count);
    return lap_misses(caches, base, stride, count);
}

/* <A, B, C>, <m0, S, N> drawn at random, powers of two but for A and N. The exact number of misses follows from the
 * theorem's proof: of the sets in use, some have one line more than the others, and a set misses all or nothing. Where
 * S < B, the B / S elements of a line miss once together. */
static void test_theorem_1(void **state)
{
    struct random random = {31};
    unsigned compact = 0, all = 0;

    (void)state;
    for (unsigned trial = 0; trial < 1500; trial++) {
        const unsigned ways = 1 + (unsigned)random_below(&random, 12);
        const uint64_t block = 16ULL << random_below(&random, 4), sets = 1ULL << random_below(&random, 6);
        const uint64_t span = block * sets; /* T */
        const uint64_t stride = 8ULL << random_below(&random, 11);
        const uint64_t used = (span + stride - 1) / stride; /* ceil(T / S) */
        const unsigned count = 1 + (unsigned)random_below(&random, (ways + 2) * used + 2);
        const uint64_t base = random_below(&random, 1 << 20) * block;
        const uint64_t lines = stride < block ? (count * stride + block - 1) / block : count;
        const uint64_t in_use = stride < block ? sets : used;
        const uint64_t each = lines / in_use, more = lines % in_use;
        const uint64_t misses = (each >= ways ? more * (each + 1) : 0) + (each > ways ? (in_use - more) * each : 0);
        struct description description;
        struct caches *caches;
        unsigned seen;

        start(&description);
        add(&description, 1, (unsigned)sets, ways, 4)->line = (unsigned)block;
        description.cache[0].sector = (unsigned)block;
        caches = build(&description);
        seen = steady_misses(caches, base, stride, count);
        assert_int_equal(seen, misses);
        assert_int_equal(seen == 0, count <= ways * used);
        if (stride >= block)
            assert_int_equal(seen == count, count >= (ways + 1) * used);
        compact += seen == 0;
        all += seen == count;
        caches_destroy(caches);
    }
    assert_true(compact > 150 && all > 150); /* the draw met both sides */
}

/* k lines of one set in any fixed order: nothing or everything. */
static void test_cyclic(void **state)
{
    static const enum policy_kind kinds[] = {POLICY_LRU, POLICY_FIFO};

    (void)state;
    for (unsigned kind = 0; kind < 2; kind++)
        for (unsigned ways = 1; ways <= 24; ways += 3)
            for (unsigned count = 1; count <= 2 * ways + 2; count++) {
                struct description description;
                struct caches *caches;

                start(&description);
                add(&description, 1, 16, ways, 4)->shape.policy.kind = kinds[kind];
                caches = build(&description);
                assert_int_equal(steady_misses(caches, 7 * LINE, 16 * LINE, count), count <= ways ? 0 : count);
                caches_destroy(caches);
            }
}

/* Largest number of lines at the stride of a way that never miss. */
static unsigned conflict_limit(unsigned ways, uint64_t base)
{
    unsigned count = 0, misses;

    do {
        struct description description;
        struct caches *caches;

        start(&description);
        add(&description, 1, 32, ways, 4);
        caches = build(&description);
        misses = steady_misses(caches, base, 32 * LINE, ++count);
        caches_destroy(caches);
    } while (misses == 0);
    return count - 1;
}

static void test_double_ways(void **state)
{
    (void)state;
    for (unsigned ways = 1; ways <= 12; ways++) {
        assert_int_equal(conflict_limit(ways, 0), ways);
        assert_int_equal(conflict_limit(2 * ways, 0), 2 * conflict_limit(ways, 4096 + 5 * LINE));
    }
}

/* Miss rate of a cyclic walk of k lines over w ways of which a miss refills any one. A state is the set of lines that
 * are in, as bits, counted from the line that comes next. Iterated until it stands still. */
static double chain_miss_rate(unsigned lines, unsigned ways)
{
    static double now[1 << 10], next[1 << 10];
    const unsigned states = 1U << lines;
    double missed = 0;

    for (unsigned s = 0; s < states; s++)
        now[s] = s == (1U << ways) - 1;
    for (unsigned step = 0; step < 4000; step++) {
        memset(next, 0, sizeof next);
        missed = 0;
        for (unsigned s = 0; s < states; s++) {
            if (now[s] == 0)
                continue;
            if ((s & 1) != 0) {
                next[s >> 1 | 1U << (lines - 1)] += now[s];
                continue;
            }
            missed += now[s];
            for (unsigned victim = 1; victim < lines; victim++)
                if ((s >> victim & 1) != 0)
                    next[(s & ~(1U << victim)) >> 1 | 1U << (lines - 1)] += now[s] / ways;
        }
        for (unsigned s = 0; s < states; s++) /* half a step: the chain goes round, and would never stand still */
            now[s] = (now[s] + next[s]) / 2;
    }
    return missed;
}

static bool close_to(double value, double expected, double tolerance)
{
    return value - expected < tolerance && expected - value < tolerance;
}

/* Between two misses of w + 1 lines lie as many steps as the evicted line is away: 1 to w, each equally likely, (w + 1)
 * / 2 on average. Hence a miss rate of 2 / (w + 1), which the chain has to give, too. */
static void test_chain(void **state)
{
    (void)state;
    for (unsigned ways = 1; ways <= 8; ways++)
        assert_true(close_to(chain_miss_rate(ways + 1, ways), 2.0 / (ways + 1), 1e-6));
    assert_true(close_to(chain_miss_rate(8, 8), 0, 1e-9));
}

enum { TRIALS = 8192 };

/* Each of TRIALS sets makes its own walk: after many laps, whether the next access of each misses are TRIALS
 * independent draws of the rate p. Their mean lies within 5 * sqrt(p * (1 - p) / TRIALS) of p, but for one seed in a
 * million. */
static void test_random_replacement(void **state)
{
    static const struct {
        unsigned lines, ways;
    } walks[] = {{2, 1}, {3, 2}, {5, 4}, {9, 8}, {4, 2}, {6, 4}, {8, 4}, {10, 8}, {10, 3}};

    (void)state;
    for (unsigned i = 0; i < sizeof walks / sizeof walks[0]; i++) {
        const double rate = chain_miss_rate(walks[i].lines, walks[i].ways);
        const double variance = rate * (1 - rate) / TRIALS;
        struct description description;
        struct caches *caches;
        double seen, off;

        start(&description);
        add(&description, 1, TRIALS, walks[i].ways, 4)->shape.policy.kind = POLICY_RANDOM;
        caches = build(&description);
        for (unsigned lap = 0; lap < 30; lap++)
            lap_misses(caches, 0, LINE, TRIALS * walks[i].lines);
        seen = (double)lap_misses(caches, 0, LINE, TRIALS) / TRIALS;
        off = seen - rate;
        assert_true(off * off <= 25 * variance + 1e-12);
        caches_destroy(caches);
    }
}

/* Cold, n lines into w ways, any way each time: balls into bins. Mean of those that are still there: w - w * q, where
 * q = (1 - 1/w)^n; variance w * q + w * (w - 1) * (1 - 2/w)^n - (w * q)^2. */
static void test_random_fill(void **state)
{
    (void)state;
    for (unsigned ways = 2; ways <= 16; ways *= 2)
        for (unsigned count = 1; count <= ways; count++) {
            double q = 1, both = 1, there = 0, mean, variance, off;
            struct description description;
            struct caches *caches;

            start(&description);
            add(&description, 1, TRIALS, ways, 4)->shape.policy.kind = POLICY_RANDOM;
            caches = build(&description);
            lap_misses(caches, 0, LINE, TRIALS * count);
            for (unsigned i = 0; i < TRIALS * count; i++)
                there += level(caches, (uint64_t)i * LINE) == 1;
            for (unsigned i = 0; i < count; i++) {
                q *= 1 - 1.0 / ways;
                both *= 1 - 2.0 / ways;
            }
            mean = ways - ways * q;
            variance = ways * q + ways * (ways - 1.0) * both - ways * q * ways * q;
            off = there / TRIALS - mean;
            assert_true(off * off <= 25 * variance / TRIALS + 1e-12);
            caches_destroy(caches);
        }
}

/* Lines that two levels hold together of a walk through consecutive ones. Exclusive: under LRU the second level has the
 * next most recent after the first's, so s1 * w1 + s2 * w2; s2 more, and each of its sets has one too many: everything
 * misses. Inclusive, or filled on the way: s2 * w2. The first level is smaller here, and its lines
 * are a multiple of s2. */
static void test_two_levels(void **state)
{
    static const struct {
        unsigned sets1, ways1, sets2, ways2;
    } machines[] = {{1, 2, 1, 2}, {8, 4, 8, 9}, {8, 8, 16, 5}, {4, 4, 16, 16}, {64, 2, 128, 4}};

    (void)state;
    for (unsigned i = 0; i < sizeof machines / sizeof machines[0]; i++)
        for (unsigned inclusion = 0; inclusion < 3; inclusion++) {
            const unsigned second = machines[i].sets2 * machines[i].ways2;
            const unsigned capacity =
                second + (inclusion == INCLUSION_EXCLUSIVE ? machines[i].sets1 * machines[i].ways1 : 0);
            struct description description;
            struct caches *caches;

            start(&description);
            add(&description, 1, machines[i].sets1, machines[i].ways1, 4);
            add(&description, 2, machines[i].sets2, machines[i].ways2, 14)->inclusion = (enum inclusion)inclusion;
            caches = build(&description);
            assert_int_equal(steady_misses(caches, 1 << 20, LINE, capacity), 0);
            caches_flush_all(caches);
            assert_int_equal(steady_misses(caches, 1 << 20, LINE, capacity + machines[i].sets2),
                             capacity + machines[i].sets2);
            caches_destroy(caches);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_theorem_1),          cmocka_unit_test(test_cyclic),
        cmocka_unit_test(test_double_ways),        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_random_replacement), cmocka_unit_test(test_random_fill),
        cmocka_unit_test(test_two_levels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
