// SPDX-License-Identifier: BSD-2-Clause
/* costs.c: what it takes to drop translations, and to have none.
 *
 * Findings, in core cycles: cost.invlpg: of INVLPG of one page; cost.cr3: of writing CR3 again as it was;
 * cost.flush_tlb: of both writes of CR4.PGE that empty the TLBs, global entries and all; cost.fault: what a load of a
 * page that is not there takes more than one that hits: a walk that finds nothing, the fault's delivery, and the
 * return.
 *
 * Each is made many times on end, a fence behind each, and a lap is taken off in which most of them are something else
 * that takes hardly any time, so that what a visit takes to be read does not count: a prefetch, for whose line nobody
 * waits; for faults a load by the same visit that does not fault. So what follows is no part of it: no page is touched
 * but those that the next visit needs. Laps begin anywhere between two steps of the clock, so that means show less than
 * a step.
 *
 * Whoever makes the visits has to be translated again after all translations were dropped, and looks at no clock before
 * that: on silicon cost.cr3 and cost.flush_tlb include those walks, and cost.fault what the handler itself does. */
#include "base/arithmetic.h"
#include "probes/confidence.h"
#include "probes/hang.h"
#include "probes/mean.h"
#include "probes/probes.h"
#include "probes/rate.h"
#include "probes/readings.h"

enum {
    OPERATIONS = 12, /* in a lap */
    FEWER = 4,       /* in the lap that is taken off: what comes once in a lap does not count */
    PREFETCH = 1,    /* core cycle that one takes */
    LOOKS = 64,
    MOST_BATCHES = 64,
    LEAST_BATCHES = 4,
    /* Numbers of table entries, and a page's line, in lines of their own, whatever cache of few ways the walker has. */
    ENTRY_1 = 24 * 8,
    ENTRY_2 = 20 * 8,
    ENTRY_3 = 8,
    HERE = 28 * 64
};

/* A mean is good when its standard deviation is an eighth of what a value may be off by. */
static const double ENOUGH = 8;

struct costs {
    struct bench bench;
    struct rate rate;
    uint64_t page, va; /* bytes of a page, where one is; behind it there is none */
    double cycles, deviation;
};

struct priced {
    const char *id, *method;
    enum op op;
};

static uint64_t present(const struct costs *costs)
{
    return costs->va + HERE;
}

static uint64_t absent(const struct costs *costs)
{
    return costs->va + costs->page + HERE;
}

/* Maps the page. False: no memory, or no room. */
static bool map_page(struct costs *costs)
{
    struct machine *machine = costs->bench.machine;
    struct view view = machine_view(machine);
    struct span span;
    costs->page = machine_page(machine, 0);
    costs->va = view.base + ((uint64_t)ENTRY_3 << 30) + ((uint64_t)ENTRY_2 << 21) + ENTRY_1 * costs->page;
    return machine_span(machine, 0, &span) && costs->va + 2 * costs->page <= view.base + view.size &&
           machine_map(machine, costs->va, (span.base + costs->page - 1) / costs->page * costs->page, costs->page,
                       costs->page, MEM_WB);
}

/* One look: core cycles of one operation. */
static bool look(struct costs *costs, enum op op, double *cycles, bool *good)
{
    struct script_of script = {.count = 0};
    struct reading lap[MAX_LAPS];
    struct bench *bench = &costs->bench;
    bool disturbed, fault = op == OP_FAULT;
    /* The upper entries of a walk to the page behind it are at hand, and whoever plays scripts has come to a lap. */
    script_add(&script, OP_FLUSH_TLB, 0, 0);
    script_add(&script, OP_LOAD, present(costs), 0);
    script_add(&script, OP_FENCE, 0, MAX_LAPS - 1);
    script_add(&script, op, fault ? absent(costs) : present(costs), 0);
    for (unsigned number = 1; number <= 2; number++) {
        script_begin(&script, bench);
        for (unsigned i = 0; i < OPERATIONS; i++) {
            if (number == 1 || i < FEWER)
                script_add(&script, op, fault ? absent(costs) : present(costs), number);
            else
                script_add(&script, fault ? op : OP_PREFETCH, present(costs), number);
            script_add(&script, OP_FENCE, 0, number);
        }
    }
    if (!script_play(&script, bench, lap, &disturbed))
        return false;
    *good = !disturbed;
    bench->busy += lap[1].ticks + lap[2].ticks;
    *cycles = ((double)lap[1].ticks - (double)lap[2].ticks) * bench->cycles_per_tick / (OPERATIONS - FEWER);
    if (!fault)
        *cycles += PREFETCH;
    return bench_rest(bench, false);
}

static bool batch(struct costs *costs, enum op op, double *cycles, bool *good)
{
    double looks[LOOKS], step = (double)costs->bench.clock.step * costs->bench.cycles_per_tick / (OPERATIONS - FEWER);
    unsigned counted = 0;
    for (unsigned i = 0; i < LOOKS; i++) {
        bool trusted;
        if (!look(costs, op, &looks[counted], &trusted))
            return false;
        counted += trusted;
    }
    *good = 2 * counted > LOOKS;
    if (*good)
        *cycles = mean_of_most(looks, counted, step);
    return true;
}

/* Looks until the mean is known well. False: refused or skipped; cycles stays 0 and deviation large where batches were
 * too few. */
static bool measure(struct costs *costs, enum op op)
{
    double cycles[MOST_BATCHES];
    unsigned count = 0;
    costs->cycles = 0;
    costs->deviation = 1e6;
    for (unsigned tried = 0; tried < MOST_BATCHES; tried++) {
        bool good;
        if (!batch(costs, op, &cycles[count], &good))
            return false;
        count += good;
        if (count < LEAST_BATCHES)
            continue;
        costs->deviation = 0;
        costs->cycles = mean_of_batches(cycles, count, &costs->deviation);
        if (costs->deviation * ENOUGH < readings_tolerance(costs->cycles))
            break;
    }
    return true;
}

static void price(struct costs *costs, const struct priced *priced, struct notebook *notebook, const char *why)
{
    static const char UNIT[] = "cycles";
    struct bench *bench = &costs->bench;
    uint64_t start = machine_steps(bench->machine);
    bool found = !*why && bench_rest(bench, true) && measure(costs, priced->op);
    uint64_t cost = machine_steps(bench->machine) - start;
    double cycles = costs->cycles > 0 ? costs->cycles : 0;
    double error = confidence_within(costs->deviation + cycles * costs->rate.doubt, readings_tolerance(cycles));
    if (!bench_ok(bench))
        why = bench->skipped ? "skipped" : machine_why(bench->machine);
    if (found && error < 0.5)
        note_value(notebook, priced->id, cycles, UNIT, confidence_from(error), cost, priced->method);
    else
        note_missing(notebook, priced->id, UNIT, cost, "%s", *why ? why : "it varies too much");
    bench->refused = false; /* another operation may be granted */
}

bool probe_costs(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    static const struct priced all[] = {
        {"cost.invlpg", "more of them on end against fewer, and prefetches, with as many fences", OP_FLUSH_PAGE},
        {"cost.cr3", "more writes on end against fewer, and prefetches, with as many fences", OP_SET_ROOT},
        {"cost.flush_tlb", "more of them on end against fewer, and prefetches, with as many fences", OP_FLUSH_TLB},
        {"cost.fault", "more loads of a page that is not there on end against fewer, and such that hit", OP_FAULT}};
    struct costs costs = {.bench = bench_open(machine, request->seed ^ 0x636f7374)};
    const char *why = "";
    if (!rate_measure(&costs.bench, &costs.rate) || costs.bench.cycles_per_tick <= 0)
        why = "core cycles are not known";
    else if (!map_page(&costs))
        why = "no memory for a page";
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        price(&costs, &all[i], notebook, why);
    if (!*why)
        machine_map(machine, costs.va, 0, costs.page, 0, MEM_WB);
    return !costs.bench.skipped;
}
