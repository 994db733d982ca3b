// SPDX-License-Identifier: BSD-2-Clause
/* test_probes.c: the probes against modelled machines of one level of cache whose truth is known, many made up at
 * random. A value that a probe is sure of must be right; nearly all values must be found. */
#include "base/random.h"
#include "base/text.h"
#include "probes/probes.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/notebook_bench.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { RANDOM_MACHINES = 60, RANDOM_LATENCIES = 16, CLOCKS = 40 };

static const double SURE = 0.9;

struct tally {
    unsigned right, wrong, missing;
};

static bool skip_now;

/* A machine with one level of data cache. */
struct simple { // NOLINT(clang-analyzer-optin.performance.Padding): in the order in which one reads it
    char name[48];
    unsigned size, ways, line; /* bytes, ways, bytes */
    unsigned hit, memory;      /* core cycles */
    unsigned ratio_core, ratio_clock;
    uint64_t hz, step, span;
    bool only_small;                 /* pages */
    unsigned jitter;                 /* ticks */
    uint64_t smi_period, smi_length; /* core cycles; period 0: none */
    bool smi_counted;
};

static struct description described(const struct simple *simple)
{
    struct description description;
    description_plain(&description, simple->size, simple->ways, simple->line, simple->hit, simple->memory);
    text_copy(description.name, sizeof description.name, simple->name);
    description.pages = simple->only_small ? PAGES_SMALL : PAGES_SMALL | PAGES_LARGE;
    description.memory.span = simple->span;
    description.clock.hz = simple->hz;
    description.clock.step = simple->step;
    description.clock.ratio_core = simple->ratio_core;
    description.clock.ratio_clock = simple->ratio_clock;
    description.noise.jitter = simple->jitter;
    description.noise.smi_period = simple->smi_period;
    description.noise.smi_length = simple->smi_length;
    description.noise.smi_counted = simple->smi_counted;
    return description;
}

bool host_rest(struct host *host, unsigned permille)
{
    (void)host;
    assert_in_range(permille, 0, 1000);
    return !skip_now;
}

/* Runs a probe of the list; its findings are in the notebook. Returns what the probe returned. */
static bool measured(const char *name, const struct simple *simple, uint64_t seed, struct notebook *notebook,
                     uint64_t *cost)
{
    struct request request = {.seed = seed};
    struct description description = described(simple);
    const char *why = "";
    struct machine *machine = process_open(NULL, &description, seed, NULL, &why);
    if (!machine)
        fail_msg("%s: %s", simple->name, why);
    memset(notebook, 0, sizeof *notebook);
    bool went_on = false, known = false;
    for (unsigned i = 0; i < probe_count; i++)
        if (text_equal(probe_list[i].name, name)) {
            went_on = probe_list[i].measure(machine, &request, notebook);
            known = true;
            for (const char *id = probe_list[i].ids; *id;) {
                char one[28];
                size_t length = strcspn(id, " ");
                snprintf(one, sizeof one, "%.*s", (int)length, id);
                if (!noted(notebook, one))
                    fail_msg("%s leaves nothing about %s", name, one);
                id += length + (id[length] == ' ');
            }
        }
    assert_true(known);
    *cost = machine_steps(machine);
    machine_close(machine);
    return went_on;
}

/* Whether a finding is right, wrong though sure, or missing (or unsure). */
static void judge(const struct notebook *notebook, const char *id, double low, double high, uint64_t seed,
                  const char *name, struct tally *tally)
{
    const struct finding *finding = noted(notebook, id);
    if (!finding || !finding->measured) {
        tally->missing++;
        print_message("%s, seed %u: %s missing: %s\n", name, (unsigned)seed, id, finding ? finding->why : "no finding");
        return;
    }
    if (finding->value >= low && finding->value <= high) {
        tally->right++;
        return;
    }
    bool sure = finding->confidence > SURE;
    print_message("%s, seed %u: %s is %g, not %g to %g, confidence %.3f%s\n", name, (unsigned)seed, id, finding->value,
                  low, high, finding->confidence, sure ? " WRONG" : "");
    if (sure)
        tally->wrong++;
    else
        tally->missing++;
}

/* That no level is claimed that there is not. */
static void judge_no_more(const struct notebook *notebook, const struct simple *truth, uint64_t seed,
                          struct tally *tally)
{
    static const char *const none[] = {"l2.latency", "l2.latency.ns", "l3.latency", "l4.latency"};
    const struct finding *levels = noted(notebook, "latency.levels");
    bool wrong = levels->measured && levels->confidence > SURE && levels->value != 1;
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        const struct finding *finding = noted(notebook, none[i]);
        wrong = wrong || (finding && finding->measured && finding->confidence > SURE);
    }
    tally->wrong += wrong;
    if (wrong)
        print_message("%s, seed %u: levels that there are not WRONG\n", truth->name, (unsigned)seed);
}

static void judge_l1d(const struct notebook *notebook, const struct simple *truth, uint64_t seed, struct tally *tally)
{
    judge(notebook, "l1d.size", truth->size, truth->size, seed, truth->name, tally);
    judge(notebook, "l1d.ways", truth->ways, truth->ways, seed, truth->name, tally);
    judge(notebook, "l1d.line", truth->line, truth->line, seed, truth->name, tally);
}

/* Latencies are told to half a cycle, or 2 %. There is one level, and memory. */
static void judge_latency(const struct notebook *notebook, const struct simple *truth, uint64_t seed,
                          struct tally *tally)
{
    double within = truth->memory * 0.02 > 0.5 ? truth->memory * 0.02 : 0.5;
    judge(notebook, "l1d.latency", truth->hit, truth->hit, seed, truth->name, tally);
    judge(notebook, "mem.latency", truth->memory - within, truth->memory + within, seed, truth->name, tally);
    judge(notebook, "latency.levels", 1, 1, seed, truth->name, tally);
    judge_no_more(notebook, truth, seed, tally);
}

/* Nothing may have been measured of a machine whose clock is flat. */
static void judge_flat(const struct notebook *notebook, const char *name, struct tally *tally)
{
    for (unsigned i = 0; i < notebook->findings; i++) {
        const struct finding *finding = &notebook->finding[i];
        bool sizes = strstr(finding->id, ".sizes") != NULL;
        bool right = sizes || (!finding->measured && strstr(finding->why, "no step seen up to "));
        tally->right += right;
        tally->wrong += !right;
        if (!right)
            print_message("%s: %s should not be measurable: %s\n", name, finding->id, finding->why);
    }
}

/* First levels of real processors, with the second level's latency behind them, and two flat clocks. */
static const struct simple known[] = {
    {"athlon", 65536, 2, 64, 3, 20, 1, 1, 1400000000, 1, 8 << 20, false, 0, 0, 0, false},
    {"atom", 24576, 6, 64, 3, 16, 4, 3, 1200000000, 12, 8 << 20, false, 20, 0, 0, false},
    {"core", 32768, 8, 64, 4, 12, 1, 1, 4000000000, 2, 8 << 20, false, 8, 0, 0, false},
    {"p4", 8192, 4, 64, 2, 18, 1, 1, 2400000000, 4, 8 << 20, false, 12, 0, 0, false},
    {"p5", 8192, 2, 32, 2, 10, 1, 1, 100000000, 1, 4 << 20, true, 0, 0, 0, false},
    {"power3", 65536, 128, 128, 1, 9, 8, 1, 25000000, 1, 8 << 20, true, 0, 0, 0, false},
    {"zen5", 49152, 12, 64, 4, 14, 37, 26, 2596000000, 26, 8 << 20, false, 0, 0, 0, false},
    {"zen5-noisy", 49152, 12, 64, 4, 14, 37, 26, 2596000000, 26, 8 << 20, false, 60, 570000, 5700, false},
    {"flat", 32768, 8, 64, 22, 22, 1, 1, 1000000000, 1, 16 << 20, false, 0, 0, 0, false},
    {"flat-noisy", 32768, 8, 64, 22, 22, 1, 1, 1000000000, 10, 16 << 20, false, 40, 300000, 3000, false},
};

static void known_machines(void **state)
{
    struct notebook *notebook = *state;
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct simple *truth = &known[i];
        uint64_t cost;
        bool flat = truth->memory == truth->hit;
        assert_true(measured("l1d", truth, 1, notebook, &cost));
        print_message("%-12s l1d      %9u visits\n", truth->name, (unsigned)cost);
        if (flat)
            judge_flat(notebook, truth->name, &tally);
        else
            judge_l1d(notebook, truth, 1, &tally);
        assert_true(measured("latency", truth, 1, notebook, &cost));
        print_message("%-12s latency  %9u visits\n", truth->name, (unsigned)cost);
        if (flat)
            judge_flat(notebook, truth->name, &tally);
        else
            judge_latency(notebook, truth, 1, &tally);
    }
    print_message("known machines: %u right, %u wrong, %u missing\n", tally.right, tally.wrong, tally.missing);
    assert_true(tally.right > 50);
    assert_int_equal(tally.wrong, 0);
    assert_int_equal(tally.missing, 0);
}

/* A machine made up from a seed. */
static struct simple made_up(uint64_t seed)
{
    static const unsigned odd[] = {1, 1, 1, 1, 3, 5},
                          ratio[][2] = {{1, 1}, {37, 26}, {4, 3}, {3, 4}, {8, 5}, {1, 2}, {16, 1}};
    static const unsigned steps[] = {1, 1, 2, 10, 26, 40};
    struct random random = {seed};
    struct simple made = {.hz = 2000000000, .span = 16 << 20};
    snprintf(made.name, sizeof made.name, "made-up-%u", (unsigned)seed);
    do {
        made.ways = 1 + (unsigned)random_below(&random, random_below(&random, 2) ? 32 : 12);
        made.line = 16u << random_below(&random, 5);
        made.size = made.ways * made.line * odd[random_below(&random, 6)] << random_below(&random, 9);
    } while (made.size < 2048 || made.size > 256 << 10);
    made.hit = 1 + (unsigned)random_below(&random, 6);
    made.memory = made.hit + 2 + (unsigned)random_below(&random, 30);
    unsigned which = (unsigned)random_below(&random, 7);
    made.ratio_core = ratio[which][0];
    made.ratio_clock = ratio[which][1];
    made.step = steps[random_below(&random, 6)];
    made.only_small = random_below(&random, 4) == 0;
    made.jitter = (unsigned)random_below(&random, 2) * (unsigned)random_below(&random, 80);
    bool interrupted = random_below(&random, 2);
    made.smi_length = 100 + random_below(&random, 6000);
    made.smi_period = interrupted ? 100 * made.smi_length + random_below(&random, 1000000) : 0;
    made.smi_counted = random_below(&random, 2);
    return made;
}

static void made_up_machines(void **state)
{
    struct notebook *notebook = *state;
    struct tally tally = {0};
    uint64_t cost, most = 0, total = 0;
    for (uint64_t seed = 1; seed <= RANDOM_MACHINES; seed++) {
        struct simple truth = made_up(seed);
        struct tally before = tally;
        assert_true(measured("l1d", &truth, seed, notebook, &cost));
        most = cost > most ? cost : most;
        total += cost;
        judge_l1d(notebook, &truth, seed, &tally);
        if (tally.right != before.right + 3)
            print_message("  (%u bytes, %u ways, %u-byte lines, hit %u, memory %u, step %u, jitter %u, %u visits)\n",
                          truth.size, truth.ways, truth.line, truth.hit, truth.memory, (unsigned)truth.step,
                          truth.jitter, (unsigned)cost);
    }
    print_message("%u made-up machines: %u right, %u wrong, %u missing; visits: %u on average, %u at most\n",
                  (unsigned)RANDOM_MACHINES, tally.right, tally.wrong, tally.missing,
                  (unsigned)(total / RANDOM_MACHINES), (unsigned)most);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.right >= 0.93 * 3 * RANDOM_MACHINES);
}

static void made_up_latencies(void **state)
{
    struct notebook *notebook = *state;
    struct tally tally = {0};
    uint64_t cost;
    for (uint64_t seed = 1; seed <= RANDOM_LATENCIES; seed++) {
        struct simple truth = made_up(1000 + seed);
        truth.only_small = false;
        assert_true(measured("latency", &truth, seed, notebook, &cost));
        judge_latency(notebook, &truth, 1000 + seed, &tally);
    }
    print_message("made-up latencies: %u right, %u wrong, %u missing\n", tally.right, tally.wrong, tally.missing);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.right >= 0.85 * 3 * RANDOM_LATENCIES); /* readings jitter by up to 80 ticks */
}

static void clock_is_measured(void **state)
{
    struct notebook *notebook = *state;
    struct tally tally = {0};
    uint64_t cost;
    for (uint64_t seed = 1; seed <= CLOCKS; seed++) {
        struct simple truth = made_up(seed);
        truth.hz = 20000000 + 7 * seed;
        if (truth.smi_period) /* often enough to be heard while the probe listens */
            truth.smi_period = truth.smi_length + 200000;
        double core = (double)truth.hz * truth.ratio_core / truth.ratio_clock;
        assert_true(measured("clock", &truth, seed, notebook, &cost));
        judge(notebook, "cpu.tsc", (double)truth.hz, (double)truth.hz, seed, truth.name, &tally);
        judge(notebook, "cpu.clock_step", (double)truth.step, (double)truth.step, seed, truth.name, &tally);
        judge(notebook, "cpu.frequency", core * 0.99, core * 1.01, seed, truth.name, &tally);
        const struct finding *gap = noted(notebook, "noise.max_gap");
        assert_true(gap->measured || strstr(gap->why, "no gap longer than "));
        assert_true(gap->measured || !truth.smi_period);
    }
    print_message("clocks: %u right, %u wrong, %u missing\n", tally.right, tally.wrong, tally.missing);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.right >= 0.95 * 3 * CLOCKS);
}

/* Core cycles of a whole number of ticks, and clocks so coarse that a batch must be long: what is sure is right. */
static void cycles_are_no_step_of_the_clock(void **state)
{
    static const unsigned clocks[][3] = {{1, 2, 1},     {1, 3, 1},   {1, 8, 1},    {1, 1, 5000},
                                         {1, 1, 20000}, {8, 1, 250}, {32, 1, 100}, {16, 1, 1}};
    struct notebook *notebook = *state;
    struct tally tally = {0};
    uint64_t cost;
    for (unsigned i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct simple truth = made_up(1);
        truth.jitter = 0;
        truth.smi_period = 0;
        truth.ratio_core = clocks[i][0];
        truth.ratio_clock = clocks[i][1];
        truth.step = clocks[i][2];
        double core = (double)truth.hz * truth.ratio_core / truth.ratio_clock;
        assert_true(measured("clock", &truth, 1 + i, notebook, &cost));
        judge(notebook, "cpu.clock_step", (double)truth.step, (double)truth.step, i, truth.name, &tally);
        judge(notebook, "cpu.frequency", core * 0.99, core * 1.01, i, truth.name, &tally);
        assert_false(noted(notebook, "noise.max_gap")->measured);
    }
    assert_int_equal(tally.wrong, 0);
    assert_int_equal(tally.missing, 0);
}

static void skipping_is_obeyed(void **state)
{
    struct notebook *notebook = *state;
    struct simple truth = made_up(1);
    uint64_t cost;
    truth.hz = 20000000; /* slow: rests are due often */
    skip_now = true;
    for (unsigned i = 0; i < probe_count; i++) {
        if (probe_list[i].needs) /* says no more than that it needs them; see test_caches.c */
            continue;
        assert_false(measured(probe_list[i].name, &truth, 1, notebook, &cost));
        assert_in_range(cost, 0, 1 << 20);
    }
    skip_now = false;
}

static void same_seed_same_findings(void **state)
{
    struct notebook *notebook = *state, *again = calloc(1, sizeof *again);
    struct simple truth = made_up(2);
    uint64_t cost, cost_again;
    assert_non_null(again);
    measured("l1d", &truth, 5, notebook, &cost);
    measured("l1d", &truth, 5, again, &cost_again);
    assert_int_equal(cost, cost_again);
    assert_memory_equal(notebook, again, sizeof *again);
    free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_machines),
        cmocka_unit_test(made_up_machines),
        cmocka_unit_test(made_up_latencies),
        cmocka_unit_test(clock_is_measured),
        cmocka_unit_test(cycles_are_no_step_of_the_clock),
        cmocka_unit_test(skipping_is_obeyed),
        cmocka_unit_test(same_seed_same_findings),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
