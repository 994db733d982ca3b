// SPDX-License-Identifier: BSD-2-Clause
/* stores.c: whether stores look in a first TLB of their own, which has fewer entries than that of loads (Intel's cores
 * since Ice Lake: CPUID leaf 18h lists one of 16 entries for stores only).
 *
 * Findings: dtlb1.4k.stores, dtlb1.2m.stores: pages in a row that stores may go to, again and again, before they miss;
 * where loads of them would not. Series: stores.4k, stores.2m, core cycles by pages in a row. Needs what the probe dtlb
 * has found.
 *
 * A stop is a load of the link and a store beside it, so with as many pages as loads have entries for, a miss is a
 * store's. Rows are those of loads (probes/seats.h); where several seats share a line, the control is in other lines,
 * as that of jumps is. */
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/crowd.h"
#include "probes/probes.h"
#include "probes/rate.h"
#include "probes/seats.h"

enum { FEWEST = 4, VISITS = 2000000 };

/* Core cycles: a step of less is none, as for loads. */
static const double LEAST_STEP = 0.6;

/* Error of a decision on pages in a row; there are a few of them. */
static const double BOUND = 1e-3;

static const struct size {
    const char *name, *loads; /* in ids; the finding of loads */
    uint64_t page;            /* bytes */
} sizes[] = {{"4k", "dtlb1.4k.entries", 4096}, {"2m", "dtlb1.2m.entries", 2 << 20}};

enum { SIZES = sizeof sizes / sizeof *sizes };

struct stores {
    struct bench bench;
    struct seats pages;
    struct notebook *notebook;
};

static const char *reason(const struct stores *stores, const char *why)
{
    const struct bench *bench = &stores->bench;
    if (!bench_ok(bench))
        return bench->skipped ? "skipped" : machine_why(bench->machine);
    return stores->pages.spent ? "it would take too many accesses" : why;
}

/* Rows of more and more pages, up to as many as loads have entries for. Leaves the last that takes no longer, 0: none
 * does, and the first that takes longer, 0: none does, and what that takes longer. Where as many lines take longer in
 * few pages, something else than translation is in the difference (a way predictor that cannot tell lines of one page
 * apart), and what loads have entries for was measured against the same: slower. Seats share lines: pages may be as
 * many as the first cache has lines, and then lose some to the tables'. */
static bool sweep(struct stores *stores, const struct size *size, uint64_t most, uint64_t *fit, uint64_t *crowd,
                  double *cycles, bool *slower)
{
    char id[28];
    struct text text = text_in(id, sizeof id);
    text_format(&text, "stores.%s", size->name);
    struct series *series = note_series(stores->notebook, id, "pages", "cycles");
    *crowd = 0;
    *fit = 0;
    *slower = false;
    if (!seats_settle(&stores->pages, TIGHT, FEWEST, LEAST_STEP / stores->bench.cycles_per_tick))
        return false;
    for (uint64_t count = FEWEST; !*crowd; count = count + count / 2 < most ? count + count / 2 : most) {
        double ticks;
        struct stops row = seats_row(&stores->pages, count);
        if (!seats_ok(&stores->pages) || !seats_excess(&stores->pages, &row, &ticks))
            return false;
        *cycles = ticks * stores->bench.cycles_per_tick;
        note_point(stores->notebook, series, (struct point){(double)count, *cycles, *cycles, *cycles});
        *slower = *slower || *cycles <= -LEAST_STEP;
        if (*cycles >= LEAST_STEP)
            *crowd = count;
        else
            *fit = count;
        if (count == most)
            break;
    }
    return true;
}

/* Whether a row fits. False also where noise leaves it open; *open tells. */
static bool row_fits(struct stores *stores, uint64_t count, double effect, bool *open)
{
    struct stops row = seats_row(&stores->pages, count), control = seats_dense(&stores->pages, count);
    enum verdict verdict = seats_crowd(&stores->pages, &row, &control, effect, BOUND, NULL, 0);
    *open = *open || verdict == UNDECIDED;
    return verdict == NOT_SLOWER;
}

static void measure(struct stores *stores, const struct size *size, uint64_t entries, double doubt)
{
    static const char method[] = "pages in a row that stores fit into, and loads would, too";
    uint64_t start = machine_steps(stores->bench.machine), fit, crowd;
    char id[28];
    double cycles = 0;
    bool open = false, slower;
    struct text text = text_in(id, sizeof id);
    text_format(&text, "dtlb1.%s.stores", size->name);
    bool good = sweep(stores, size, entries, &fit, &crowd, &cycles, &slower) && !slower;
    double effect = LEAST_MISSES * cycles / stores->bench.cycles_per_tick;
    while (good && fit && crowd && crowd - fit > 1 && !open && seats_ok(&stores->pages)) {
        uint64_t middle = fit + (crowd - fit) / 2;
        if (row_fits(stores, middle, effect, &open))
            fit = middle;
        else
            crowd = middle;
    }
    /* Once more, on either side, in other orders. */
    bool confirmed = good && fit && crowd && !open && row_fits(stores, fit, effect, &open) &&
                     !row_fits(stores, crowd, effect, &open) && !open;
    uint64_t cost = machine_steps(stores->bench.machine) - start;
    if (confirmed && seats_ok(&stores->pages))
        note_value(stores->notebook, id, (double)fit, "entries", confidence_from(doubt + 8 * BOUND), cost, method);
    else
        note_missing(stores->notebook, id, "entries", cost, "%s",
                     reason(stores, slower ? "stores to the same lines in few pages take longer"
                                    : good && !crowd
                                        ? "stores to as many pages as loads have entries for take no longer"
                                    : good && !fit ? "stores to 4 pages take longer already"
                                                   : "noise left a decision open"));
}

bool probe_stores(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct stores stores = {.bench = bench_open(machine, request->seed ^ 0x73746f72), .notebook = notebook};
    struct rate rate;
    bool known = rate_measure(&stores.bench, &rate) && stores.bench.cycles_per_tick > 0;
    for (unsigned i = 0; i < SIZES; i++) {
        const char *why = "core cycles are not known";
        char id[28];
        double doubt = 0, entries = noted_value(notebook, sizes[i].loads, &doubt);
        struct text text = text_in(id, sizeof id);
        text_format(&text, "dtlb1.%s.stores", sizes[i].name);
        if (known && entries <= FEWEST)
            why = "needs to know how many entries there are for loads, more than 4";
        else if (known && bench_ok(&stores.bench) &&
                 seats_open(&stores.pages, &stores.bench, OP_STORE, sizes[i].page, machine_steps(machine) + VISITS,
                            &why)) {
            measure(&stores, &sizes[i], (uint64_t)entries, doubt);
            seats_close(&stores.pages);
            continue;
        }
        note_missing(notebook, id, "entries", 0, "%s", reason(&stores, why));
    }
    return !stores.bench.skipped;
}
