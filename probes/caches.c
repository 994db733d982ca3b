// SPDX-License-Identifier: BSD-2-Clause
/* caches.c: capacity, ways, line and inclusion of the caches behind the first level.
 *
 * Findings: l2.size, l2.line (bytes), l2.ways, l2.exclusive, l2.inclusive (1 or 0), penalty.l2.sizes, the same for l3
 * and l4. Series: penalty.l2.* (probes/behind.h). Needs what the probes latency and l1d have found: how many levels
 * there are, what each takes, and the first level's sets.
 *
 * Level by level from the core on: lines that share a set at all nearer levels are drawn, and those that push each
 * other out of this level tell its ways and sets (probes/sets.h). No shape is assumed: neither powers of two, nor which
 * address bits choose a set, nor LRU. */
#include "base/text.h"
#include "probes/behind.h"
#include "probes/confidence.h"
#include "probes/probes.h"
#include "probes/rate.h"
#include "probes/sets.h"

enum {
    FIRST = 2,
    LAST = 4,
    MOST_VISITS = 60000000,
    WANTED = 1 << 30,
    ENOUGH = 4 << 20,
    REACH = 32,             /* times what a level holds at least, for the region of its lines */
    LEAST_REGION = 64 << 20 /* more where it is needed: pages of 2 MB that it has are few, and their tables small */
};

/* That a prefetcher without a switch uses the other half of what is used, which then seems to be one line with it. */
static const double BROUGHT = 0.05;

/* Why a level's ways are not told where those that it keeps with the levels before are. */
static const char *const EITHER =
    "whether it is exclusive is not clear, and so how many of a set's lines the level before keeps";

struct caches {
    struct bench bench;
    struct stretch stretch;
    struct notebook *notebook;
    struct region region;    /* of all lines that are visited */
    struct nearer nearer;    /* the levels until now */
    struct sets found[LAST]; /* what they are, by their level less one */
    uint64_t most;           /* visits of the machine, for finding all levels */
    bool unknown;            /* how the last of them chooses its sets */
    double error;            /* that what the other probes have found is wrong */
    double hit, before;      /* core cycles of a load that the first level serves, and the last of those until now */
};

static void id_of(char id[28], unsigned level, const char *what)
{
    struct text text = text_in(id, 28);
    text_format(&text, "l%u%s%s", level, level == 1 ? "d." : ".", what);
}

static void missing(struct notebook *notebook, unsigned level, uint64_t cost, const char *why)
{
    static const struct {
        const char *what, *unit;
    } all[] = {{"size", "bytes"}, {"ways", "ways"}, {"line", "bytes"}, {"exclusive", YES_NO}, {"inclusive", YES_NO}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        char id[28];
        id_of(id, level, all[i].what);
        note_missing(notebook, id, all[i].unit, cost, "%s", why);
    }
    behind_missing(notebook, level, why);
}

static double latency_of_level(const struct notebook *notebook, unsigned level)
{
    char id[28];
    id_of(id, level, "latency");
    return noted_value(notebook, id, NULL);
}

/* Bytes after which lines were still found in a cache, by the series of the probe latency; 0: not known. */
static uint64_t seen_in_caches(const struct notebook *notebook)
{
    uint64_t most = 0;
    double memory = noted_value(notebook, "mem.latency", NULL), last = 0;
    for (unsigned level = FIRST; level <= LAST; level++)
        if (latency_of_level(notebook, level) > last)
            last = latency_of_level(notebook, level);
    for (unsigned i = 0; i < notebook->series_count; i++) {
        const struct series *series = &notebook->series[i];
        if (!text_equal(series->id, "levels"))
            continue;
        for (unsigned j = 0; j < series->count; j++) {
            const struct point *point = &notebook->point[series->first + j];
            if (point->middle < (last + memory) / 2 && (uint64_t)point->x > most)
                most = (uint64_t)point->x;
        }
    }
    return most;
}

static uint64_t region_size(uint64_t holds)
{
    uint64_t size = LEAST_REGION;
    while (holds && size < holds * REACH)
        size *= 2;
    return holds ? size : WANTED;
}

/* A line that is not one of the machine's own, and of which neither bit that tells those is 0: with either of them
 * changed it is none of the machine's either. Nor does its page lose its translation to those of the machine's own, if
 * there are others. */
static uint64_t some_line(struct push *push, uint64_t odd)
{
    enum { PAGE = 4096, DRAWS = 8 };
    for (unsigned drawn = 0;;) {
        struct random random = {bench_seed(push->bench)};
        uint64_t line = random_next(&random) % region_lines(&push->region);
        if (line * push->region.unit % PAGE < 3 * KEPT)
            continue;
        line = (line & ~(uint64_t)1) | odd;
        if (++drawn == DRAWS || push_shows_hit(push, line) || !push_ok(push))
            return line;
    }
}

static void note_told(struct caches *caches, unsigned level, const char *what, enum told told, double confidence,
                      uint64_t cost, const char *method)
{
    char id[28];
    id_of(id, level, what);
    if (told == NOT_TOLD)
        note_missing(caches->notebook, id, YES_NO, cost, "no experiment tells it here");
    else
        note_value(caches->notebook, id, told == YES, YES_NO, confidence, cost, method);
}

static void note_line(struct caches *caches, unsigned level, const struct sets *sets, uint64_t cost)
{
    char id[28];
    double error = sets->error + caches->error;
    const char *why = "units of it can be flushed alone: sectors, or lines that a prefetcher brings in pairs";
    id_of(id, level, "line");
    switch (sets->rule.whole) {
    case WHOLE_OPEN:
        why = "units of it may be lines that a prefetcher brings in pairs: others are as long, so flushes tell nothing";
        /* fall through */
    case WHOLE_PARTS:
        note_missing(caches->notebook, id, "bytes", cost, "%s", why);
        return;
    case WHOLE_TOUCHED:
        error += BROUGHT;
        break;
    case WHOLE_LINE:
        break;
    }
    note_value(caches->notebook, id, (double)sets->rule.line, "bytes", confidence_from(error), cost,
               "address bits that do not matter for which lines share a set");
}

static void note_size(struct caches *caches, unsigned level, const struct sets *sets, double confidence, uint64_t cost)
{
    char ways[28], size[28];
    id_of(ways, level, "ways");
    id_of(size, level, "size");
    if (!sets->ways) {
        note_missing(caches->notebook, ways, "ways", cost, "%s", EITHER);
        note_missing(caches->notebook, size, "bytes", cost, "%s", EITHER);
        return;
    }
    note_value(caches->notebook, ways, sets->ways, "ways", confidence, cost,
               "lines of one set (Vila 2019) that stay, and two sets agree");
    note_value(caches->notebook, size, (double)(sets->ways * sets->rule.sets * sets->rule.line), "bytes", confidence,
               cost,
               sets->rule.indexing == INDEX_LINEAR   ? "ways times sets, which XOR of address bits chooses"
               : sets->rule.indexing == INDEX_MODULO ? "ways times sets, chosen modulo their number"
                                                     : "ways times sets, counted one after the other");
}

static void note_level(struct caches *caches, unsigned level, const struct sets *sets, uint64_t cost)
{
    const struct inclusion *told = &sets->inclusion;
    double confidence = confidence_from(sets->error + caches->error);
    note_size(caches, level, sets, confidence, cost);
    note_line(caches, level, sets, cost);
    note_told(caches, level, "exclusive", told->exclusive, confidence_from(sets->error + caches->error + told->error),
              cost, "whether it has what the level before still has, or gets it later");
    note_told(caches, level, "inclusive", told->inclusive, confidence, cost,
              "whether what it gives up leaves the level before, too");
}

/* What loads take that miss it. False: skipped or refused. */
static bool note_curves(struct caches *caches, unsigned level, const struct sets *sets, const uint64_t target[2])
{
    struct behind behind = {.level = level,
                            .ways = sets->ways,
                            .nearer_ways = caches->nearer.ways,
                            .line = sets->rule.line,
                            .nearer = &caches->nearer.kin,
                            .kin = &sets->rule.kin,
                            .even = target[1],
                            .odd = target[0]};
    if (sets->rule.indexing == INDEX_COUNTED || !sets->ways) {
        behind_missing(caches->notebook, level,
                       sets->ways ? "no rule was found that foretells lines of one of its sets" : EITHER);
        return true;
    }
    uint64_t start = machine_steps(caches->bench.machine);
    bool good = behind_note(&caches->bench, &caches->region, &behind, caches->notebook);
    caches->most += machine_steps(caches->bench.machine) - start; /* curves cost the levels behind nothing */
    return good;
}

/* What this level takes, the next one, and the one behind that; the last of them is memory; 0: there is none. */
static void next_latencies(struct caches *caches, unsigned level, double latency[3])
{
    double memory = noted_value(caches->notebook, "mem.latency", NULL);
    for (unsigned i = 0; i < 3; i++) {
        latency[i] = latency_of_level(caches->notebook, level + i);
        if (latency[i] <= 0 && i) {
            latency[i] = memory;
            memory = 0;
        }
    }
}

/* Begins at the first level. */
static void begin(struct caches *caches)
{
    double ways = noted_value(caches->notebook, "l1d.ways", NULL),
           size = noted_value(caches->notebook, "l1d.size", NULL);
    caches->nearer = (struct nearer){.ways = (unsigned)ways, .holds = (unsigned)ways, .units = 1};
    caches->nearer.kin = kin_modulo(&caches->region, (uint64_t)(size / ways / (double)caches->region.unit));
    caches->before = caches->hit;
}

/* Goes on behind a level. */
static void pass(struct caches *caches, unsigned level, const struct sets *sets)
{
    struct nearer *nearer = &caches->nearer;
    caches->found[level - 1] = *sets;
    nearer->holds = sets->holds;
    nearer->ways_but_last = nearer->ways;
    nearer->ways += sets->ways ? sets->ways : sets->holds;
    nearer->kin_but_last = nearer->kin;
    nearer->kin = sets->rule.kin;
    uint64_t units = sets->rule.line / caches->region.unit;
    if (units > nearer->units) {
        nearer->units = units;
        nearer->units_open = sets->rule.whole == WHOLE_PARTS || sets->rule.whole == WHOLE_OPEN;
    }
    caches->before = latency_of_level(caches->notebook, level);
    caches->unknown = sets->rule.indexing == INDEX_COUNTED;
    if (sets->inclusion.exclusive != NO) /* what lies behind rests on how this one's sets are chosen */
        caches->error += sets->rule.error;
}

/* The whole of the memory, if it is more than what is visited. */
static struct region more_memory(const struct caches *caches)
{
    struct region more = region_in(&caches->stretch, caches->region.unit, WANTED);
    return more.size > caches->region.size ? more : caches->region;
}

/* known: see sets_find. */
static bool find_level(struct caches *caches, unsigned level, uint64_t target[2], const struct sets *known,
                       struct sets *sets, const char **why)
{
    struct push push = {.bench = &caches->bench,
                        .region = caches->region,
                        .most = caches->most,
                        .slowest = noted_value(caches->notebook, "mem.latency", NULL)},
                before = push;
    double latency[3];
    bool last = more_memory(caches).size == caches->region.size;
    push.more_memory = !last;
    *sets = (struct sets){.ways = 0};
    *why = "the clock does not tell it from the next one";
    next_latencies(caches, level, latency);
    bool shows_before = push_calibrate(&before, caches->hit, caches->before, latency[0], 0);
    if (!push_calibrate(&push, caches->hit, latency[0], latency[1], latency[2]))
        return false;
    target[0] = some_line(&push, 1);
    target[1] = some_line(&push, 0);
    bool ready = push_learn_along(&push);
    before.along = push.along;
    if (ready && sets_find(&push, shows_before ? &before : NULL, &caches->nearer, target, last, known, sets, why))
        return true;
    if (push_spent(&push))
        *why = "it would take too many accesses";
    return false;
}

/* The same from the first level on in the whole memory, whose lines share each set in greater number: where nearer
 * levels hash many bits there may be none for a set of all of them. What the levels before are must come out again. */
static bool find_in_more(struct caches *caches, unsigned level, uint64_t target[2], struct sets *sets, const char **why)
{
    caches->region = more_memory(caches);
    begin(caches);
    for (unsigned i = FIRST; i < level; i++) {
        const struct sets *found = &caches->found[i - 1];
        if (!find_level(caches, i, target, found, sets, why))
            return false;
        *why = "in more memory the levels before it seem to be others";
        if (sets->rule.sets != found->rule.sets || sets->rule.line != found->rule.line)
            return false;
        pass(caches, i, sets);
    }
    return find_level(caches, level, target, NULL, sets, why);
}

static bool measure_level(struct caches *caches, unsigned level, const char **why)
{
    uint64_t start = machine_steps(caches->bench.machine), target[2];
    struct sets sets;
    if (!find_level(caches, level, target, NULL, &sets, why) &&
        (!sets.too_few || more_memory(caches).size == caches->region.size ||
         !find_in_more(caches, level, target, &sets, why)))
        return false;
    note_level(caches, level, &sets, machine_steps(caches->bench.machine) - start);
    bool good = note_curves(caches, level, &sets, target);
    pass(caches, level, &sets);
    return good;
}

/* That what the probes before have found, and all of this rests on, is wrong: the least sure of it. */
static double error_of(const struct notebook *notebook)
{
    static const char *const ids[] = {"latency.levels", "l1d.ways", "l1d.size", "l1d.line"};
    double error = 0;
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++)
        noted_value(notebook, ids[i], &error);
    return error;
}

static void measure(struct caches *caches)
{
    const char *why = "no such level was seen";
    bool good = true;
    caches->error = error_of(caches->notebook);
    for (unsigned level = FIRST; level <= LAST; level++) {
        struct bench *bench = &caches->bench;
        bool exists = latency_of_level(caches->notebook, level) > 0;
        uint64_t start = machine_steps(bench->machine);
        if (!exists) {
            why = "no such level was seen";
        } else if (good && caches->unknown) {
            why = "how the level before it chooses its sets is not known";
            good = false;
        } else if (good)
            good = measure_level(caches, level, &why);
        if (!bench_ok(bench))
            why = bench->skipped ? "skipped" : machine_why(bench->machine);
        if (!good || !exists)
            missing(caches->notebook, level, machine_steps(bench->machine) - start, why);
        bench->permille = 300 * (level - 1);
    }
}

static void all_missing(struct notebook *notebook, const char *why)
{
    for (unsigned level = FIRST; level <= LAST; level++)
        missing(notebook, level, 0, why);
}

bool probe_caches(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct caches caches = {.bench = bench_open(machine, request->seed ^ 0x636163686573), .notebook = notebook};
    double ways = noted_value(notebook, "l1d.ways", NULL), size = noted_value(notebook, "l1d.size", NULL),
           line = noted_value(notebook, "l1d.line", NULL);
    struct rate rate;
    caches.hit = noted_value(notebook, "l1d.latency", NULL);
    if (ways < 1 || size < 1 || line < 1 || caches.hit <= 0) {
        all_missing(notebook, "needs what the probes latency and l1d find");
        return true;
    }
    if (!stretch_best(machine, UINT64_MAX, ENOUGH, WANTED, &caches.stretch)) {
        all_missing(notebook, machine_why(machine));
        return true;
    }
    if (request->contiguous)
        caches.stretch.contiguous = UINT64_MAX;
    caches.region = region_in(&caches.stretch, (uint64_t)line, region_size(seen_in_caches(notebook)));
    if (caches.region.size < ENOUGH) {
        all_missing(notebook, "physical order unknown");
    } else if (rate_measure(&caches.bench, &rate) && caches.bench.cycles_per_tick > 0) {
        caches.most = machine_steps(machine) + MOST_VISITS;
        begin(&caches);
        measure(&caches);
    } else {
        all_missing(notebook, caches.bench.skipped ? "skipped" : "core cycles are not known");
    }
    stretch_unmap(machine, &caches.stretch);
    return !caches.bench.skipped;
}
