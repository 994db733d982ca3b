// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_train.c: streams and strides of random programs against prefetchers that remember all addresses. */
#include "tests/unit/prefetch_bench.h"

/* Naive: every address that a stream or an instruction has had, the latest last, and what was asked for since the
 * direction last changed. */
enum { HISTORY = 4096 };
struct past {
    uint64_t key, used, count;
    uint64_t at[HISTORY];
    bool asked[64];
};

/* How many of the last addresses, repeats left out, lie in one direction; 1: only the last. */
static unsigned going(const struct past *past, bool equal_steps)
{
    unsigned count = 1;

    for (uint64_t i = past->count; i >= 2; i--) {
        int64_t step = (int64_t)(past->at[i - 1] - past->at[i - 2]);
        int64_t last = (int64_t)(past->at[past->count - 1] - past->at[past->count - 2]);

        if (equal_steps ? step != last : (step > 0) != (last > 0))
            break;
        count++;
    }
    return count;
}

static void remember(struct past *past, uint64_t at)
{
    if (past->count == HISTORY) {
        memmove(past->at, past->at + HISTORY / 2, HISTORY / 2 * sizeof past->at[0]);
        past->count /= 2;
    }
    past->at[past->count++] = at;
}

static void ask(struct caches *caches, unsigned level, uint64_t line)
{
    caches->level[caches->count] = level;
    caches->va[caches->count++] = line * 64;
}

static void naive_stream(struct past *pasts, const struct prefetcher_description *description, uint64_t va,
                         uint64_t time, struct caches *caches)
{
    struct past *past = pasts;
    uint64_t line = va / 64, page = va / 4096;
    int step;

    for (unsigned i = 1; i < description->trackers && past->key != page + 1; i++) {
        if (pasts[i].key == page + 1 || pasts[i].used < past->used)
            past = &pasts[i];
    }
    for (unsigned i = 0; i < description->trackers; i++) {
        if (pasts[i].key == page + 1)
            past = &pasts[i];
    }
    past->used = time;
    if (past->key != page + 1) {
        past->key = page + 1;
        past->count = 0;
    }
    if (past->count > 0 && past->at[past->count - 1] == line)
        return;
    remember(past, line);
    if (past->count == 1)
        return;
    step = line > past->at[past->count - 2] ? 1 : -1;
    if (going(past, false) == 2)
        memset(past->asked, 0, sizeof past->asked);
    if (going(past, false) < description->train)
        return;
    for (unsigned i = 1; i <= description->ahead; i++) {
        uint64_t wanted = line + (uint64_t)(step * (int)i);

        if (wanted / 64 == page && !past->asked[wanted % 64])
            ask(caches, description->into, wanted);
        if (wanted / 64 == page)
            past->asked[wanted % 64] = true;
    }
}

static void naive_stride(struct past *pasts, const struct prefetcher_description *description, uint64_t ip, uint64_t va,
                         struct caches *caches)
{
    struct past *past = &pasts[ip % description->trackers];
    uint64_t step, line = va / 64;

    if (past->key != ip + 1)
        past->count = 0;
    past->key = ip + 1;
    if (past->count > 0 && past->at[past->count - 1] == va)
        return;
    remember(past, va);
    if (past->count == 1)
        return;
    step = va - past->at[past->count - 2];
    if (step + description->reach > 2ull * description->reach) {
        past->at[0] = va;
        past->count = 1;
        return;
    }
    if (going(past, true) < description->train)
        return;
    for (unsigned i = 1; i <= description->ahead && (va + i * step) / 4096 == va / 4096; i++) {
        if ((va + i * step) / 64 != line)
            ask(caches, description->into, (va + i * step) / 64);
        line = (va + i * step) / 64;
    }
}

/* What a program might do: instructions that go on by a stride of their own, turn, or jump. */
static uint64_t wander(struct random *random, uint64_t *at, int64_t *step)
{
    switch (random_below(random, 24)) {
    case 0:
        *step = (int64_t)random_below(random, 600) - 300;
        break;
    case 1:
        *step = -*step;
        break;
    case 2:
        *at = 0x100000 + random_below(random, 6 * 4096);
        break;
    case 3:
        return *at;
    case 4:
        *step = random_below(random, 2) ? 64 : 2048;
        break;
    default:
        break;
    }
    *at += (uint64_t)*step;
    return *at;
}

static void agrees_with_one_that_remembers(struct random *random, struct past *streams, struct past *strides)
{
    struct prefetcher_description stream = {.kind = PREFETCH_STREAM, .watches = 2, .into = 2},
                                  stride = {.kind = PREFETCH_STRIDE, .watches = 1, .into = 1};
    struct bench bench;
    struct caches expected = {0};
    uint64_t at[7] = {0x100000, 0x100000, 0x101000, 0x102000, 0x103000, 0x104000, 0x105000};
    int64_t step[7] = {64, -64, 8, 128, -192, 100, 64};

    memset(streams, 0, 8 * sizeof *streams);
    memset(strides, 0, 8 * sizeof *strides);
    stream.trackers = 1 + (unsigned)random_below(random, 5);
    stream.train = 2 + (unsigned)random_below(random, 4);
    stream.ahead = 1 + (unsigned)random_below(random, 20);
    stride.trackers = 1 + (unsigned)random_below(random, 8);
    stride.train = 2 + (unsigned)random_below(random, 3);
    stride.ahead = 1 + (unsigned)random_below(random, 3);
    stride.reach = 128u << random_below(random, 5);
    describe(&bench);
    add(&bench, stream);
    add(&bench, stride);
    open_bench(&bench);
    for (uint64_t time = 1; time < 3000; time++) {
        unsigned ip = (unsigned)random_below(random, 7), level = 1 + (unsigned)random_below(random, 3);
        uint64_t va = wander(random, &at[ip], &step[ip]);

        expected.count = 0;
        if (level >= 2)
            naive_stream(streams, &stream, va, time, &expected);
        naive_stride(strides, &stride, ip, va, &expected);
        assert_int_equal(sees(&bench, 0, ACCESS_LOAD, ip, va, level), expected.count);
        assert_int_equal(bench.caches.count, expected.count);
        for (unsigned i = 0; i < expected.count; i++) {
            assert_int_equal(bench.caches.va[i], expected.va[i]);
            assert_int_equal(bench.caches.pa[i], expected.va[i] + BASE);
            assert_int_equal(bench.caches.level[i], expected.level[i]);
        }
    }
    prefetch_destroy(bench.prefetch);
}

static void random_programs(void **state)
{
    struct random random = {2026};
    struct past *streams = calloc(8, sizeof *streams), *strides = calloc(8, sizeof *strides);

    (void)state;
    assert_non_null(streams);
    assert_non_null(strides);
    for (unsigned i = 0; i < 40; i++)
        agrees_with_one_that_remembers(&random, streams, strides);
    free(streams);
    free(strides);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
