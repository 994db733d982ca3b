// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_policy.c: replacement policies against a naive second implementation of all of them, against cases
 * worked out by hand, and against closed forms for cyclic walks. */
#include "tests/silicon/policy.h"
#include "tests/unit/naive_policy.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { DEPTH = 4096 };

/* ---- The model's policies as a set that can be used the same way. ---- */

struct set {
    struct policy policy;
    unsigned ways;
    uint64_t tags[DEPTH];
    uint8_t state[4 * DEPTH + 64];
    struct random random;
};

static void set_start(struct set *set, const char *name, unsigned ways)
{
    char again[40];

    assert_true(policy_parse(&set->policy, name));
    policy_name(&set->policy, again, sizeof again);
    assert_string_equal(again, name);
    assert_null(policy_suits(&set->policy, ways));
    assert_true(policy_bytes(&set->policy, ways) <= sizeof set->state);
    set->ways = ways;
    set->random.state = 77;
    memset(set->tags, 0, sizeof set->tags);
    policy_reset(&set->policy, ways, set->state);
}

static unsigned set_find(const struct set *set, uint64_t line)
{
    unsigned way = 0;

    while (way < set->ways && set->tags[way] != line)
        way++;
    return way;
}

/* *out: what was pushed out. Returns whether it was a hit. */
static bool set_access(struct set *set, uint64_t line, uint64_t *out)
{
    unsigned way = set_find(set, line);

    *out = 0;
    if (way < set->ways) {
        policy_hit(&set->policy, set->ways, set->state, set->tags, way);
        return true;
    }
    way = policy_victim(&set->policy, set->ways, set->state, set->tags, &set->random);
    assert_true(way < set->ways);
    *out = set->tags[way];
    set->tags[way] = line;
    policy_fill(&set->policy, set->ways, set->state, set->tags, way, &set->random);
    return false;
}

/* What a string of letters does: for each access '+' for a hit, '.' for a miss, or the letter that was pushed out. A
 * letter in lower case is dropped. */
static const char *play(const char *name, unsigned ways, const char *string)
{
    static struct set set;
    static char log[64];
    size_t length = 0;
    uint64_t out;

    set_start(&set, name, ways);
    for (; *string; string++) {
        if (*string >= 'a') {
            unsigned way = set_find(&set, (uint64_t)(*string - 'a' + 'A'));

            set.tags[way] = 0;
            policy_drop(&set.policy, ways, set.state, way);
            continue;
        }
        if (set_access(&set, (uint64_t)*string, &out))
            log[length++] = '+';
        else
            log[length++] = out ? (char)out : '.';
    }
    log[length] = 0;
    return log;
}

static unsigned string_length(unsigned ways)
{
    return 200 + 12 * ways;
}

/* Random accesses, now and then a drop; hits and what is pushed out must be the same all along. */
static void agree(const char *name, unsigned ways, uint64_t seed, bool drops)
{
    static struct set set;
    static struct naive naive;
    struct random random = {seed};
    unsigned lines = ways + 1 + (unsigned)random_below(&random, ways + 1);

    set_start(&set, name, ways);
    naive_start(&naive, name, (int)ways);
    for (unsigned i = 0; i < string_length(ways); i++) {
        uint64_t line = 1 + random_below(&random, random_below(&random, 4) ? lines : (ways + 1) / 2), out, expected;
        bool there = set_find(&set, line) < ways;

        if (drops && there && random_below(&random, 8) == 0) {
            unsigned way = set_find(&set, line);

            set.tags[way] = 0;
            policy_drop(&set.policy, ways, set.state, way);
            naive_drop(&naive, line);
            continue;
        }
        expected = naive_access(&naive, line);
        if (set_access(&set, line, &out) != there || out != expected)
            fail_msg("%s, %u ways, seed %u, access %u: line %u: pushed out %u, not %u", name, ways, (unsigned)seed, i,
                     (unsigned)line, (unsigned)out, (unsigned)expected);
    }
}

static const unsigned all_ways[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,  12, 13,
                                    14, 15, 16, 20, 24, 32, 48, 63, 64, 65, 128, 256};
enum { WAYS = sizeof all_ways / sizeof *all_ways };

static void simple_policies_agree(void **state)
{
    static const char *const names[] = {"LRU", "FIFO", "RANDOM", "RANDOMl", "PLRU", "PLRUl", "MRU", "MRU_N", "NRU"};

    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned w = 0; w < WAYS; w++)
            for (uint64_t seed = 1; seed <= 6; seed++)
                agree(names[i], all_ways[w], seed, seed % 2 == 0);
}

/* All of nanoBench's: 320 deterministic and 480 random ones. */
static void quad_age_policies_agree(void **state)
{
    static const char *const hits[] = {"21", "20", "11", "10", "00"};
    static const char *const inserts[] = {"0", "1", "2", "3", "R32", "R31", "R30", "R21", "R20", "R10"};
    unsigned number = 0;

    (void)state;
    for (unsigned variant = 0; variant < 5 * 10 * 3 * 4 * 2; variant++) {
        unsigned replace = variant / 50 % 3, update = variant / 150 % 4;
        char name[40];

        if (replace != 1 && update > 1)
            continue;
        snprintf(name, sizeof name, "QLRU_H%s_M%s_R%u_U%u%s", hits[variant % 5], inserts[variant / 5 % 10], replace,
                 update, variant / 600 ? "_UMO" : "");
        for (unsigned i = 0; i < 3; i++) /* three of the numbers of ways, other ones each time */
            agree(name, all_ways[(number * 3 + i) % WAYS], number + i, i == 1);
        agree(name, 4, number, false);
        agree(name, 16, number, true);
        number++;
    }
    assert_int_equal(number, 800);
}

static void grouped_policies_agree(void **state)
{
    static const struct {
        const char *name;
        unsigned ways;
    } groups[] = {{"LRU3PLRU4", 12},    {"LRU2PLRU2", 4},   {"LRU5PLRU3", 15},    {"LRU1PLRU8", 8},
                  {"LRU8PLRU2", 16},    {"LRU12PLRU1", 12}, {"LRU6PLRU4", 24},    {"NEXT3PLRU4", 12},
                  {"NEXT2PLRU4", 8},    {"NEXT4PLRU3", 12}, {"NEXT16PLRU8", 128}, {"LRU8RANDOM2", 16},
                  {"NEXT3RANDOM4", 12}, {"LRU16PLRU8", 128}};

    (void)state;
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        for (uint64_t seed = 1; seed <= 12; seed++)
            agree(groups[i].name, groups[i].ways, seed, seed % 3 == 0);
}

static void cases_by_hand(void **state)
{
    (void)state;
    /* A leaves; B is used again, so C goes. */
    assert_string_equal(play("LRU", 2, "ABCBD"), "..A+C");
    assert_string_equal(play("FIFO", 2, "ABCBD"), "..A+B");
    assert_string_equal(play("LRU", 3, "ABCbDE"), "....A"); /* the emptied way first */
    assert_string_equal(play("LRU", 1, "AABB"), ".+A+");
    /* Bits root, left, right; a miss goes where they point. A: way 0, bits 1,1,0. B: way 2, bits 0,1,1. C: way 1, bits
     * 1,0,1. D: way 3, bits 0,0,0. A again: 1,1,0. So E goes to way 2, where B is. */
    assert_string_equal(play("PLRU", 4, "ABCDAE"), "....+B");
    /* Filled from the left: A, B, C, D in ways 0 to 3, bits 0,0,0 after D; A: 1,1,0; E to way 2, where C is. */
    assert_string_equal(play("PLRUl", 4, "ABCDAE"), "....+C");
    /* Three ways: A to way 0, bits 1,1,0; B to way 2 by the right half, bits 0,1,1; C to way 1, bits 1,0,1; D to leaf
     * 3, which is way 2, where B is. */
    assert_string_equal(play("PLRU", 3, "ABCD"), "...B");
    /* Bits of ways 0 to 3: after A, B, C 0001; D leaves none, so all others: 1110. E to way 0: 0110; B: 0010; F to way
     * 2; then none is left, so 1101: G to way 0. */
    assert_string_equal(play("MRU", 4, "ABCDEBFG"), "....A+CE");
    /* No bit moves before the set is full: 1111 after D. E to way 0: 0111; B: 0011; F to way 2: 0001; G to way 3. */
    assert_string_equal(play("MRU_N", 4, "ABCDEBFG"), "....A+CD");
    /* 0000 after D; a miss sets all: E to way 0: 0111; B: 0011; F to way 2: 0001; G to way 3. */
    assert_string_equal(play("NRU", 4, "ABCDEBFG"), "....A+CD");
    /* Ages 1133 after A, B; 1111 after D, at once 3333. E to way 0: 1333. B: 1133. F to way 2: 1113. */
    assert_string_equal(play("QLRU_H11_M1_R0_U0", 4, "ABCDEBFG"), "....A+CD");
    /* From the right: A in way 3. After D ages 1333, D in way 0 (the others were raised from 1). E: leftmost 3 is way
     * 1, where C is; ages 1133; B in way 2: 1103; F to way 3, where A is: 1101, others' greatest 1, so 3321; G to way
     * 0, where D is. */
    assert_string_equal(play("QLRU_H00_M1_R2_U1", 4, "ABCDEBFG"), "....C+AD");
    /* SRRIP: 2222 after D; the miss raises all: E to way 0: 2333; B: 2033; F to way 2: 2023; G to way 3. */
    assert_string_equal(play("QLRU_H00_M2_R0_U0_UMO", 4, "ABCDEBFG"), "....A+CD");
    /* R1, U2: 1111 after D, raised once to 2222; no 3: E to way 0, 1222; no 3: 2333. B: 2133, F to way 2. */
    assert_string_equal(play("QLRU_H11_M1_R1_U2", 4, "ABCDEBFG"), "....A+CD");
    /* Two groups of two. After D the group of A, B is the older one, its tree points to A. F: the other one, to C.
     * B is used: G to the group of C, D again, now F's tree points to D. */
    assert_string_equal(play("LRU2PLRU2", 4, "ABCDEFBG"), "....AC+D");
    /* Three groups of two, the last used is that of E, F: next is the one of A, B. Then C's group, then E's. */
    assert_string_equal(play("NEXT3PLRU2", 6, "ABCDEFGHI"), "......ACE");
    /* E's group is used again, so the first one once more. */
    assert_string_equal(play("NEXT3PLRU2", 6, "ABCDEFGEH"), "......A+B");
}

/* Hits of the last lap of a cyclic walk over some lines. */
static unsigned last_lap(const char *name, unsigned ways, unsigned lines, unsigned laps)
{
    static struct set set;
    unsigned hits = 0;
    uint64_t out;

    set_start(&set, name, ways);
    for (unsigned lap = 0; lap < laps; lap++) {
        hits = 0;
        for (unsigned line = 1; line <= lines; line++)
            hits += set_access(&set, line, &out);
    }
    return hits;
}

/* LRU and FIFO never hit when a cyclic walk is longer than the set. Ways + 1 misses in a row visit all leaves of a tree
 * of a power of two and come back to the first, so tree-PLRU goes on as it begins. All that fill empty ways first hold
 * what fits. */
static void cyclic_walks(void **state)
{
    static const char *const fitting[] = {"LRU",   "FIFO", "PLRUl",   "MRU",
                                          "MRU_N", "NRU",  "RANDOMl", "QLRU_H11_M1_R0_U0"};

    (void)state;
    for (unsigned w = 0; w < WAYS; w++) {
        unsigned ways = all_ways[w];

        for (unsigned i = 0; i < sizeof fitting / sizeof *fitting; i++)
            assert_int_equal(last_lap(fitting[i], ways, ways, 2), ways);
        for (unsigned more = 1; more <= 3; more++) {
            assert_int_equal(last_lap("LRU", ways, ways + more, 5), 0);
            assert_int_equal(last_lap("FIFO", ways, ways + more, 5), 0);
        }
        if ((ways & (ways - 1)) == 0) {
            assert_int_equal(last_lap("PLRU", ways, ways, 2), ways); /* each leaf once */
            assert_int_equal(last_lap("PLRU", ways, ways + 1, 5), 0);
        }
    }
    /* More ways than ranks have bytes: the list. */
    assert_int_equal(last_lap("LRU", DEPTH, DEPTH, 2), DEPTH);
    assert_int_equal(last_lap("LRU", DEPTH, DEPTH + 1, 2), 0);
    assert_int_equal(last_lap("FIFO", 1000, 1000, 2), 1000);
    assert_int_equal(last_lap("FIFO", 1000, 1001, 3), 0);
}

static double random_rate(unsigned ways, unsigned lines, unsigned laps)
{
    static struct set set;
    unsigned hits = 0;
    uint64_t out;

    set_start(&set, "RANDOM", ways);
    for (unsigned access = 0; access < 2 * laps * lines; access++) {
        bool hit = set_access(&set, 1 + access % lines, &out);

        hits += hit && access >= laps * lines;
    }
    return (double)hits / ((double)laps * lines);
}

static double distance(double one, double other)
{
    return one > other ? one - other : other - one;
}

/* (1 - 1 / 128) to a power that is no whole number: the 2^20th root first, by its series. */
static double survives(double misses)
{
    const double logarithm = -0.007843177461025893; /* ln(127 / 128) */
    double result = 1 + logarithm * misses / (1 << 20);

    for (unsigned i = 0; i < 20; i++)
        result *= result;
    return result;
}

/* One line too many: the missing line is any of the others, so the next miss is 1 to `ways` accesses away, on average
 * (ways + 1) / 2, and all but one of them hit: (ways - 1) / (ways + 1). For more lines: between two uses of a line
 * there are lines - 1 others, each of which misses with 1 - h and then spares the line with 1 - 1 / ways, so h is the
 * fixed point of (1 - 1 / ways)^((lines - 1)(1 - h)); that takes misses as independent, which is good for many ways. */
static void random_rates(void **state)
{
    static const unsigned small[] = {1, 2, 4, 8, 16};

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        assert_true(distance(random_rate(small[i], small[i] + 1, 4000), (small[i] - 1.0) / (small[i] + 1.0)) < 0.01);
    for (unsigned lines = 160; lines <= 256; lines += 48) {
        double rate = 0.5;

        for (unsigned i = 0; i < 200; i++)
            rate = 0.5 * rate + 0.5 * survives((lines - 1) * (1 - rate));
        assert_true(distance(random_rate(128, lines, 400), rate) < 0.012);
    }
}

/* Equal states are equal bytes, whatever happened before. */
static void states_are_canonical(void **state)
{
    static struct set one, other;
    static const unsigned ways[] = {4, 16, 20, 255, 256, 300};
    uint64_t out;

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        set_start(&one, "LRU", ways[i]);
        set_start(&other, "LRU", ways[i]);
        for (uint64_t line = 1; line <= ways[i]; line++) {
            set_access(&one, line, &out);
            set_access(&other, line, &out);
        }
        for (unsigned way = ways[i]; way-- > 1;) { /* emptied in another order */
            policy_drop(&one.policy, ways[i], one.state, way);
            policy_drop(&other.policy, ways[i], other.state, ways[i] - way);
        }
        assert_memory_equal(one.state, other.state, policy_bytes(&one.policy, ways[i]));
        policy_drop(&one.policy, ways[i], one.state, 1); /* it is empty already */
        policy_drop(&one.policy, ways[i], one.state, 0);
        policy_reset(&other.policy, ways[i], other.state);
        assert_memory_equal(one.state, other.state, policy_bytes(&one.policy, ways[i]));
    }
    set_start(&one, "LRU", 20);
    for (uint64_t i = 0; i < 100; i++) {
        set_access(&one, 1 + i % 25, &out);
        if (i == 49)
            other = one;
    }
    /* LRU of 20 ways under 25 lines: after 100 accesses each way has been filled five times in turn, after 50 it is at
     * way 10: another state. After a further 100 = 5 * 20 it is the one after 100 again. */
    assert_memory_not_equal(one.state, other.state, 20);
    other = one;
    for (uint64_t i = 0; i < 100; i++)
        set_access(&one, 1 + i % 25, &out);
    assert_memory_equal(one.state, other.state, policy_bytes(&one.policy, 20));
}

static void names_and_ways(void **state)
{
    static const char *const bad[] = {"",
                                      "lru",
                                      "LRU ",
                                      "PLRUx",
                                      "QLRU",
                                      "QLRU_H01_M1_R0_U0",
                                      "QLRU_H11_M4_R0_U0",
                                      "QLRU_H11_MR12_R0_U0",
                                      "QLRU_H11_M1_R3_U0",
                                      "QLRU_H11_M1_R0_U4",
                                      "QLRU_H11_M1_R0_U0_UM",
                                      "LRU3PLRU",
                                      "LRUPLRU4",
                                      "NEXT0PLRU4",
                                      "LRU3PLRU4x",
                                      "LRU99999PLRU4"};
    struct policy policy, other;

    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(policy_parse(&policy, bad[i]));
    assert_true(policy_parse(&policy, "LRU3PLRU4"));
    assert_null(policy_suits(&policy, 12));
    assert_non_null(policy_suits(&policy, 8));
    assert_true(policy_parse(&policy, "QLRU_H11_M1_R0_U2"));
    assert_non_null(policy_suits(&policy, 16));
    assert_true(policy_parse(&policy, "LRU"));
    assert_non_null(policy_suits(&policy, 0));
    assert_non_null(policy_suits(&policy, MAX_POLICY_WAYS + 1));
    assert_true(policy_parse(&other, "MRU"));
    assert_false(policy_compatible(&policy, &other));
    assert_true(policy_parse(&other, "FIFO"));
    assert_true(policy_compatible(&policy, &other));
    assert_true(policy_parse(&other, "RANDOM"));
    assert_false(policy_compatible(&policy, &other)); /* LRU does not know what RANDOM brought in */
    assert_true(policy_parse(&policy, "QLRU_H11_M1_R0_U0"));
    assert_true(policy_compatible(&other, &policy));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_by_hand),
        cmocka_unit_test(simple_policies_agree),
        cmocka_unit_test(quad_age_policies_agree),
        cmocka_unit_test(grouped_policies_agree),
        cmocka_unit_test(cyclic_walks),
        cmocka_unit_test(random_rates),
        cmocka_unit_test(states_are_canonical),
        cmocka_unit_test(names_and_ways),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
