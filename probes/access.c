// SPDX-License-Identifier: BSD-2-Clause
/* access.c: how the first data cache takes accesses of other kinds than 8-byte loads.
 *
 * Findings: l1d.latency.32, l1d.latency.indexed, l1d.latency.float (core cycles): hits of 4-byte loads, of loads
 * through base and index, of floating-point loads with the move back to an integer register, measured as l1d.latency is
 * (probes/hit.h); l1d.write_allocate, l1d.write_back (1 or 0, probes/store.h); l1d.virtual_index (1 or 0: by physical
 * addresses, probes/colour.h); penalty.l1d.sizes. Series: penalty.l1d.* (probes/penalty.h). Needs what the probes
 * latency and l1d have found. */
#include "base/text.h"
#include "probes/colour.h"
#include "probes/confidence.h"
#include "probes/hit.h"
#include "probes/penalty.h"
#include "probes/probes.h"
#include "probes/rate.h"
#include "probes/store.h"

enum { ENOUGH = 1 << 20, WANTED = 4 << 20 };

/* That what decisions do not see makes a yes of a no: each of them is as sure as one in a million, of what it sees. */
static const double UNSEEN = 0.002;

struct access {
    struct bench bench;
    struct stretch stretch;
    struct notebook *notebook;
    double hit, next;    /* core cycles of the first level and the second; 0: not known, or memory, which varies */
    uint64_t size, line; /* bytes */
    unsigned ways;
    double error, rate_error; /* that what the other probes have found is wrong; that an add is not a core cycle */
};

static const struct form {
    enum op op;
    const char *id, *method;
} forms[] = {
    {OP_LOAD_32, "l1d.latency.32", "dependent 4-byte loads of a few lines, against dependent adds"},
    {OP_LOAD_INDEXED, "l1d.latency.indexed", "dependent loads through base and index, against dependent adds"},
    {OP_LOAD_FLOAT, "l1d.latency.float", "floating-point loads, moved back to an integer register, against adds"},
};

enum { FORMS = sizeof forms / sizeof *forms };

static const char *reason(const struct access *access, const char *why)
{
    const struct bench *bench = &access->bench;
    return bench->skipped ? "skipped" : bench->refused ? machine_why(bench->machine) : why;
}

/* Plain loads have to take what they took before, and these other ones a whole number of cycles. */
static void note_form(struct access *access, const struct form *form, const struct hit *plain, const struct hit *hit,
                      uint64_t cost)
{
    struct notebook *notebook = access->notebook;
    if (!bench_ok(&access->bench))
        note_missing(notebook, form->id, "cycles", cost, "%s", reason(access, ""));
    else if (!plain->cycles || (double)plain->cycles != access->hit)
        note_missing(notebook, form->id, "cycles", cost,
                     "noise: plain loads took %.1f cycles before, and %.1f to %.1f now", access->hit, plain->low,
                     plain->high);
    else if (!hit->cycles)
        note_missing(notebook, form->id, "cycles", cost, "noise: between %.1f and %.1f cycles", hit->low, hit->high);
    else
        note_value(notebook, form->id, (double)hit->cycles, "cycles",
                   confidence_from(1 - hit->confidence + access->rate_error), cost, form->method);
}

/* What plain loads take in pages of that size, mapped anew. */
static bool plain_loads(struct access *access, uint64_t page, struct hit *hit)
{
    struct machine *machine = access->bench.machine;
    stretch_unmap(machine, &access->stretch);
    return stretch_map(machine, page, WANTED, &access->stretch) &&
           hit_measure(&access->bench, access->stretch.base + KEPT, hit);
}

/* Plain loads, in large pages and in small ones: some first TLBs hold but one kind. Leaves those mapped in which loads
 * take less. */
static bool choose_pages(struct access *access, struct hit *plain)
{
    struct hit small;
    uint64_t page = machine_page(access->bench.machine, 0), large = access->stretch.page;
    if (!plain_loads(access, large, plain) || page == large)
        return bench_ok(&access->bench);
    if (!plain_loads(access, page, &small))
        return false;
    if (small.high < plain->low) {
        *plain = small;
        return true;
    }
    return plain_loads(access, large, plain);
}

static void measure_forms(struct access *access, const struct hit *plain)
{
    for (unsigned i = 0; i < FORMS; i++) {
        struct hit hit = {.cycles = 0};
        uint64_t before = machine_steps(access->bench.machine);
        if (bench_ok(&access->bench))
            hit_measure_as(&access->bench, forms[i].op, access->stretch.base + KEPT, &hit);
        note_form(access, &forms[i], plain, &hit, machine_steps(access->bench.machine) - before);
    }
}

static void note_answer(struct access *access, const char *id, enum store_answer answer, const char *why, uint64_t cost,
                        const char *method)
{
    if (answer == STORE_OPEN || !bench_ok(&access->bench))
        note_missing(access->notebook, id, YES_NO, cost, "%s", reason(access, why));
    else
        note_value(access->notebook, id, answer == STORE_YES, YES_NO, confidence_from(access->error + UNSEEN), cost,
                   method);
}

static void measure_stores(struct access *access)
{
    struct store store;
    struct machine *machine = access->bench.machine;
    uint64_t start = machine_steps(machine);
    enum store_answer allocates = STORE_OPEN, stays = STORE_OPEN;
    bool ready =
        store_open(&store, &access->bench, &access->stretch, access->size, access->line, access->hit, access->next);
    if (ready)
        allocates = store_allocates(&store);
    uint64_t between = machine_steps(machine);
    note_answer(access, "l1d.write_allocate", allocates, store.why, between - start,
                "loads of lines that were stored to, beside lines that were loaded (AMP 3.4)");
    if (ready && bench_ok(&access->bench))
        stays = store_stays(&store);
    note_answer(access, "l1d.write_back", stays, store.why, machine_steps(machine) - between,
                "stores to lines that the first level has, beside lines that it lacks");
}

static void measure_index(struct access *access)
{
    static const char id[] = "l1d.virtual_index";
    struct machine *machine = access->bench.machine;
    struct fit fit = {.bench = access->bench};
    uint64_t start = machine_steps(machine), page = machine_page(machine, 0), way = access->size / access->ways;
    double error = 0;
    enum colour_answer answer = COLOUR_OPEN;
    if (way <= page) {
        note_missing(access->notebook, id, YES_NO, 0,
                     "all of its index bits lie inside a page: there is no difference");
        return;
    }
    /* No more than a core cycle is certain of what a miss costs: which level is the next one may not be known. */
    bool ready = hit_least_miss(&fit.bench, access->stretch.base + KEPT, &fit.least);
    fit.miss = fit.dense = fit.least;
    stretch_unmap(machine, &access->stretch);
    access->stretch.size = 0;
    if (ready)
        answer = colour_of_index(&fit, page, way, access->ways, &error);
    access->bench = fit.bench;
    uint64_t cost = machine_steps(machine) - start;
    if (answer == COLOUR_OPEN)
        note_missing(access->notebook, id, YES_NO, cost, "%s",
                     reason(access, fit.wrong ? fit.wrong : "noise left a decision open"));
    else
        note_value(access->notebook, id, answer == COLOUR_VIRTUAL, YES_NO,
                   confidence_from(error + access->error + UNSEEN), cost,
                   "the same physical pages at virtual addresses of one colour, and of two");
}

static void all_missing(struct access *access, const char *why)
{
    static const char *const ids[] = {"l1d.write_allocate", "l1d.write_back", "l1d.virtual_index"};
    for (unsigned i = 0; i < FORMS; i++)
        note_missing(access->notebook, forms[i].id, "cycles", 0, "%s", why);
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++)
        note_missing(access->notebook, ids[i], YES_NO, 0, "%s", why);
    note_missing(access->notebook, "penalty.l1d.sizes", "sizes", 0, "%s", why);
}

/* False: they have not found what this probe goes by. */
static bool know(struct access *access)
{
    const struct notebook *notebook = access->notebook;
    double *error = &access->error, ways = noted_value(notebook, "l1d.ways", error);
    double size = noted_value(notebook, "l1d.size", error), line = noted_value(notebook, "l1d.line", error);
    access->hit = noted_value(notebook, "l1d.latency", error);
    access->next = noted_value(notebook, "l2.latency", NULL);
    access->ways = (unsigned)ways;
    access->size = (uint64_t)size;
    access->line = (uint64_t)line;
    return ways >= 1 && size >= ways && line >= 1 && access->hit > 0;
}

static void measure(struct access *access)
{
    struct hit plain = {.cycles = 0};
    if (!choose_pages(access, &plain)) {
        all_missing(access, reason(access, "the memory is too small"));
        return;
    }
    access->bench.permille = 200;
    measure_forms(access, &plain);
    access->bench.permille = 500;
    measure_stores(access);
    access->bench.permille = 700;
    if (!bench_ok(&access->bench))
        note_missing(access->notebook, "penalty.l1d.sizes", "sizes", 0, "%s", reason(access, ""));
    else
        penalty_note(&access->bench, &access->stretch,
                     &(struct penalty){.size = access->size, .line = access->line, .ways = access->ways},
                     access->notebook);
    access->bench.permille = 850;
    measure_index(access);
}

bool probe_access(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct access access = {.bench = bench_open(machine, request->seed ^ 0x616363657373), .notebook = notebook};
    struct rate rate;
    if (!know(&access)) {
        all_missing(&access, "needs what the probes latency and l1d find");
        return true;
    }
    if (!stretch_best(machine, UINT64_MAX, ENOUGH, WANTED, &access.stretch)) {
        all_missing(&access, machine_why(machine));
        return true;
    }
    bool ready = rate_measure(&access.bench, &rate) && access.bench.cycles_per_tick > 0;
    access.rate_error = rate.error;
    if (ready)
        measure(&access);
    else
        all_missing(&access, reason(&access, "core cycles are not known: adds and multiplies disagree"));
    if (access.stretch.size)
        stretch_unmap(machine, &access.stretch);
    return !access.bench.skipped;
}
