// SPDX-License-Identifier: BSD-2-Clause
/* brought.c: what a miss brings along: the sector of a line that each level takes in, and, with prefetchers as they
 * were found, the unit that memory is read in.
 *
 * Findings: l1d.sector, l2.sector, l3.sector, l4.sector (bytes: as many as a line, where lines have no sectors);
 * mem.unit (bytes: an aligned block that comes as a whole, be it a line or a pair that a prefetcher completes);
 * mem.next (1: what lies behind that block comes, too); interference.sizes. Series: interference.stride and
 * interference.offset (probes/interference.h). Needs what the probes latency and l1d have found, and of levels behind
 * the first what caches has.
 *
 * Lines are flushed, one is loaded, and a word beside it is timed (methods since paper 001 call it a footprint): its
 * latency says which level has it by then. A block comes as a whole if a load in either half of it brings the other
 * half, and if both halves do so themselves. What comes only upwards, or only downwards, is no block. A single reading
 * may be shorter than the clock's step, but it begins anywhere between two steps, and the mean of many decides. */
#include "base/random.h"
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/interference.h"
#include "probes/probes.h"
#include "probes/rate.h"
#include "probes/stretch.h"

enum {
    WORD = 8,
    LEAST = 16,  /* bytes: of the smallest block that is asked for */
    MOST = 512,  /* and of the largest */
    BLOCKS = 6,  /* powers of two, from LEAST to MOST */
    FEW = 10,    /* one in so many readings may be from elsewhere */
    SITES = 16,  /* instructions that may load a target */
    TARGETS = 5, /* each in a page of its own, MOST further on in it than the one before */
    PAGE = 4096, /* what prefetchers do not leave */
    LEVELS = 4,  /* of caches */
    ROUNDS = 24, /* at least */
    MOST_ROUNDS = 8192,
    VISITS = 8 * TARGETS,
    ARRIVAL = 1000, /* core cycles until what was asked for is there, and up to twice as many */
    MEMORY = 8 << 20
};

/* Standard deviations by which a mean has to be on one side of the middle between two levels. */
static const double SURE = 5;

/* That what the mean does not see makes it wrong. */
static const double UNSEEN = 1e-4;

/* And that a sector is a pair which a prefetcher without a switch completes inside a line: nothing tells one from the
 * other. */
static const double PAIRED = 0.05;

struct brought {
    struct bench bench;
    struct stretch stretch;
    struct notebook *notebook;
    unsigned levels;            /* of caches whose latency is known */
    bool all;                   /* these are all levels that there are */
    bool controls;              /* words that nobody loaded come from memory, and loaded ones from the first level */
    double latency[LEVELS + 1]; /* core cycles, from the first level on; memory's behind the last one */
    double error;               /* that one of these is wrong */
    unsigned level[BLOCKS]
                  [2]; /* from which a load of the other half comes: 0 the first ... levels: memory; by halves */
    bool known[BLOCKS][2];
};

static uint64_t size_of(unsigned block)
{
    return (uint64_t)LEAST << block;
}

static void add(struct visit *visit, unsigned *count, enum op op, uint64_t va, unsigned lap)
{
    visit[*count] = (struct visit){.op = op, .va = va, .lap = (uint8_t)lap};
    ++*count;
}

/* Readings of a round: what the load beside a target took, and what a hit took, in ticks. */
struct round {
    double beside, hit;
    bool disturbed;
};

/* A question: where a word comes from after the load of another, by their offsets in a block; both may lie behind it.
 */
struct question_of {
    uint64_t from, to;
    bool alone; /* nothing is loaded before */
};

/* One round.
 *
 * A prefetcher that learns which lines of a region are loaded together, by the instruction that loads the first of
 * them (AMD's optimization guides since Zen 3: "L1 region"; seen on a Zen 4, which took two rounds to learn it), would
 * bring what is timed because it is timed. So of all targets that are loaded only one is, and any instruction may load
 * it: nearly always nothing follows. */
static bool play(struct brought *brought, const struct question_of *question, struct round *round)
{
    enum { BESIDE = 1, HITS = 2 };
    struct bench *bench = &brought->bench;
    struct random random = {bench_seed(bench)};
    struct visit visit[VISITS];
    struct reading lap[MAX_LAPS];
    uint64_t pages = brought->stretch.size / PAGE / TARGETS, target[TARGETS];
    unsigned count = 0, site = (unsigned)random_below(&random, SITES);
    for (unsigned i = 0; i < TARGETS; i++) {
        uint64_t page = random_below(&random, pages) * TARGETS + i;
        target[i] = brought->stretch.base + page * PAGE + KEPT + (uint64_t)i * MOST;
    }
    for (unsigned i = TARGETS; i-- > 1;) {
        unsigned other = (unsigned)random_below(&random, i + 1);
        uint64_t address = target[i];
        target[i] = target[other];
        target[other] = address;
    }
    for (unsigned i = 0; i < TARGETS; i++) {
        add(visit, &count, OP_FLUSH_LINE, target[i] + question->from, 0);
        add(visit, &count, OP_FLUSH_LINE, target[i] + question->to, 0);
    }
    add(visit, &count, OP_FENCE, 0, 0);
    unsigned timed = (unsigned)random_below(&random, TARGETS);
    for (unsigned i = 0; i < TARGETS && !question->alone; i++) {
        add(visit, &count, OP_LOAD, target[i] + question->from, 0);
        visit[count - 1].site = (uint8_t)((site + i) % SITES);
    }
    add(visit, &count, OP_FENCE, 0, 0);
    add(visit, &count, OP_WAIT, 0, 0);
    visit[count - 1].value = ARRIVAL + random_below(&random, ARRIVAL);
    add(visit, &count, OP_FENCE, 0, 0);
    add(visit, &count, OP_LOAD, target[timed] + question->to, BESIDE);
    visit[count - 1].site = (uint8_t)((site + TARGETS) % SITES);
    add(visit, &count, OP_FENCE, 0, 0);
    /* Again, so that it hits whatever has been pushed out meanwhile. */
    add(visit, &count, OP_LOAD, target[timed] + question->to, 0);
    add(visit, &count, OP_FENCE, 0, 0);
    add(visit, &count, OP_LOAD, target[timed] + question->to, HITS);
    if (!bench_script(bench, visit, count, lap))
        return false;
    round->disturbed = lap[BESIDE].disturbances || lap[BESIDE].lost || lap[HITS].disturbances || lap[HITS].lost;
    round->beside = (double)lap[BESIDE].ticks;
    round->hit = (double)lap[HITS].ticks;
    return bench_rest(bench, false);
}

/* The level whose latency is nearest to so many core cycles; *away: how far the nearest border to another one is. */
static unsigned level_at(const struct brought *brought, double cycles, double *away)
{
    unsigned level = 0;
    double below = 1e9; /* from the border to the level before; there is none before the first */
    while (level < brought->levels && cycles > (brought->latency[level] + brought->latency[level + 1]) / 2)
        level++;
    double above = level < brought->levels ? (brought->latency[level] + brought->latency[level + 1]) / 2 - cycles : 1e9;
    if (level)
        below = cycles - (brought->latency[level - 1] + brought->latency[level]) / 2;
    *away = above < below ? above : below;
    return level;
}

/* What the readings of a question say so far. */
struct said {
    unsigned rounds, near, far; /* so many of them surely from a cache, and surely from memory */
    double sum, squares;        /* core cycles */
};

/* One more reading. What lies within a step of the border between the last cache and memory says nothing by itself. */
static void hear(struct said *said, const struct brought *brought, double cycles, double step)
{
    double border = (brought->latency[brought->levels - 1] + brought->latency[brought->levels]) / 2;
    said->rounds++;
    said->sum += cycles;
    said->squares += cycles * cycles;
    said->near += cycles < border - step;
    said->far += cycles > border + step;
}

/* Where a word comes from. *known: surely: by the mean, and unless some came from a cache and some from memory: then
 * what comes along changes while it is asked, or noise brings it. False: skipped or refused. */
static bool ask(struct brought *brought, const struct question_of *question, unsigned *level, bool *known)
{
    double rate = brought->bench.cycles_per_tick, step = (double)brought->bench.clock.step * rate;
    struct said said = {.rounds = 0};
    *known = false;
    for (unsigned tries = 0; tries < MOST_ROUNDS && !*known; tries++) {
        struct round round;
        if (!play(brought, question, &round))
            return false;
        if (round.disturbed)
            continue;
        hear(&said, brought, (round.beside - round.hit) * rate + brought->latency[0], step);
        if (said.rounds < ROUNDS)
            continue;
        double mean = said.sum / said.rounds, away;
        double variance = (said.squares / said.rounds - mean * mean) * said.rounds / (said.rounds - 1);
        double least = step * step / 6; /* what the clock's step hides */
        *level = level_at(brought, mean, &away);
        *known = away * away > SURE * SURE * (variance > least ? variance : least) / said.rounds;
    }
    unsigned others = *known && *level < brought->levels ? said.far : said.near;
    *known = *known && others * FEW <= said.rounds;
    return bench_ok(&brought->bench);
}

/* Whether words that nobody brought come from memory, and those that were loaded from the first level: else nothing
 * that is seen beside them says anything. */
static bool controls_hold(struct brought *brought)
{
    const struct question_of nothing = {.to = LEAST, .alone = true}, itself = {.to = 0};
    unsigned far = 0, near = 1;
    bool far_known = false, near_known = false;
    return ask(brought, &nothing, &far, &far_known) && ask(brought, &itself, &near, &near_known) && far_known &&
           near_known && far == brought->levels && near == 0;
}

/* Which blocks' halves bring each other, smallest first, until they do so in no level any more. */
static bool ask_all(struct brought *brought)
{
    for (unsigned block = 0; block < BLOCKS; block++) {
        uint64_t half = size_of(block) / 2;
        for (unsigned upper = 0; upper < 2; upper++) {
            const struct question_of question = {upper ? half : 0, upper ? 0 : half, false};
            if (!ask(brought, &question, &brought->level[block][upper], &brought->known[block][upper]))
                return false;
        }
        bool none = brought->known[block][0] && brought->known[block][1] &&
                    (brought->level[block][0] == brought->levels || brought->level[block][1] == brought->levels);
        if (none) {
            for (unsigned behind = block + 1; behind < BLOCKS; behind++)
                for (unsigned upper = 0; upper < 2; upper++) {
                    brought->known[behind][upper] = true;
                    brought->level[behind][upper] = brought->levels;
                }
            break;
        }
    }
    return true;
}

/* The largest block that comes as a whole to this level or a nearer one; *known: surely. Bytes. */
static uint64_t unit_of(const struct brought *brought, unsigned level, bool *known)
{
    uint64_t unit = WORD;
    *known = true;
    for (unsigned block = 0; block < BLOCKS; block++) {
        bool far = false, near = true;
        for (unsigned upper = 0; upper < 2; upper++) {
            far = far || (brought->known[block][upper] && brought->level[block][upper] > level);
            near = near && brought->known[block][upper] && brought->level[block][upper] <= level;
        }
        if (far)
            return unit;
        if (!near) {
            *known = false;
            return unit;
        }
        unit = size_of(block);
    }
    return unit;
}

static const char noise[] =
    "noise, or what comes along changes: from which level words beside a line come is not to be seen";
static const char no_control[] =
    "what nobody loaded does not come from memory, or what was loaded not from the first level";
static const char unknown_levels[] = "which levels there are is not known (latency.levels)";

static const char *reason(const struct brought *brought, const char *why)
{
    const struct bench *bench = &brought->bench;
    return bench->skipped ? "skipped" : bench->refused ? machine_why(bench->machine) : why;
}

/* What a finding is called. */
static void id_of(char id[28], unsigned level, const char *what)
{
    struct text text = text_in(id, 28);
    if (level)
        text_format(&text, "l%u.%s", level + 1, what);
    else
        text_format(&text, "l1d.%s", what);
}

/* Of a level behind the first: whether loads fill it. One that is filled by what nearer ones lose alone shows nothing
 * of its own. */
static bool is_filled(const struct brought *brought, unsigned level, double *error, char why[64])
{
    char id[28];
    double wrong = 0;
    struct text text = text_in(why, 64);
    if (!level)
        return true;
    id_of(id, level, "exclusive");
    const struct finding *finding = noted(brought->notebook, id);
    if (!finding || !finding->measured)
        text_format(&text, "whether loads fill it is not known (%s)", id);
    else if (finding->value > 0)
        text_format(&text, "loads do not fill it (%s)", id);
    noted_value(brought->notebook, id, &wrong);
    *error += wrong;
    return !text.length;
}

static void note_sector(struct brought *brought, unsigned level, uint64_t cost)
{
    char id[28], line_id[28], why[64] = "";
    double error = brought->error;
    bool known;
    uint64_t unit = unit_of(brought, level, &known);
    id_of(id, level, "sector");
    id_of(line_id, level, "line");
    double unsure = 0, line = noted_value(brought->notebook, line_id, &unsure);
    const char *because = reason(brought, "");
    error += line > 0 && (double)unit > line ? unsure : 0;
    error += machine_knob(brought->bench.machine, KNOB_PREFETCH_FIRST) ? 0 : PAIRED;
    if (bench_ok(&brought->bench)) {
        if (!brought->all)
            because = unknown_levels;
        else if (level >= brought->levels)
            because = "no such level was seen";
        else if (!brought->controls)
            because = no_control;
        else if (!known)
            because = noise;
        else if (line <= 0 && (!level || unit > unit_of(brought, 0, &known)))
            because = "its line is not known";
        else if (unit == MOST && (line <= 0 || line > MOST))
            because = "512 bytes or more";
        else if (!is_filled(brought, level, &error, why))
            because = why;
        else
            because = NULL;
    }
    if (because)
        note_missing(brought->notebook, id, "bytes", cost, "%s", because);
    else /* pairs that a prefetcher without a switch completes are no part of a line */
        note_value(brought->notebook, id, line > 0 && (double)unit > line ? line : (double)unit, "bytes",
                   confidence_from(error + UNSEEN), cost, "words beside a line that was loaded: which level has them");
}

static void note_unit(struct brought *brought, bool next, bool next_known, uint64_t cost)
{
    static const char method[] = "words beside a line that memory served, prefetchers as found: which come along";
    bool known;
    uint64_t unit = unit_of(brought, brought->levels - 1, &known);
    double confidence = confidence_from(brought->error + UNSEEN);
    const char *because = reason(brought, !brought->all        ? unknown_levels
                                          : !brought->controls ? no_control
                                          : known              ? "512 bytes or more"
                                                               : noise);
    known = known && brought->controls && unit < MOST && bench_ok(&brought->bench);
    if (known)
        note_value(brought->notebook, "mem.unit", (double)unit, "bytes", confidence, cost, method);
    else
        note_missing(brought->notebook, "mem.unit", "bytes", cost, "%s", because);
    if (known && next_known)
        note_value(brought->notebook, "mem.next", next, YES_NO, confidence, cost, method);
    else
        note_missing(brought->notebook, "mem.next", YES_NO, cost, "%s", known ? noise : because);
}

/* With prefetchers as they are: the unit, and whether what lies behind it comes, too. */
static void measure_unit(struct brought *brought)
{
    uint64_t start = machine_steps(brought->bench.machine);
    unsigned level = 0;
    bool known = false, next_known = false;
    brought->controls = brought->all && controls_hold(brought);
    if (brought->controls && ask_all(brought)) {
        uint64_t unit = unit_of(brought, brought->levels - 1, &known);
        const struct question_of behind = {unit - LEAST, unit, false};
        if (known && unit < MOST)
            ask(brought, &behind, &level, &next_known);
    }
    note_unit(brought, level < brought->levels, next_known, machine_steps(brought->bench.machine) - start);
}

/* Without those that can be switched off: what levels take in themselves. */
static void measure_sectors(struct brought *brought)
{
    uint64_t start = machine_steps(brought->bench.machine);
    brought->controls = brought->all && bench_ok(&brought->bench) && controls_hold(brought);
    if (brought->controls)
        ask_all(brought);
    uint64_t cost = machine_steps(brought->bench.machine) - start;
    for (unsigned level = 0; level < LEVELS; level++)
        note_sector(brought, level, cost);
}

/* Latencies that were found. False: not even those of the first level and memory. */
static bool recall(struct brought *brought)
{
    static const char *const ids[] = {"l1d.latency", "l2.latency", "l3.latency", "l4.latency"};
    double memory = noted_value(brought->notebook, "mem.latency", &brought->error);
    for (unsigned i = 0; i < LEVELS; i++) {
        double error = brought->error, latency = noted_value(brought->notebook, ids[i], &error);
        if (latency <= 0)
            break;
        brought->error = error;
        brought->latency[brought->levels++] = latency;
    }
    brought->latency[brought->levels] = memory;
    brought->all = noted_value(brought->notebook, "latency.levels", NULL) == brought->levels;
    return memory > 0 && brought->levels;
}

static void note_nothing(struct brought *brought, const char *why)
{
    static const struct {
        const char *id, *unit;
    } all[] = {{"mem.unit", "bytes"}, {"mem.next", YES_NO}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        note_missing(brought->notebook, all[i].id, all[i].unit, 0, "%s", why);
    for (unsigned level = 0; level < LEVELS; level++) {
        char id[28];
        id_of(id, level, "sector");
        note_missing(brought->notebook, id, "bytes", 0, "%s", why);
    }
    note_missing(brought->notebook, "interference.sizes", "sizes", 0, "%s", why);
}

bool probe_brought(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct brought brought = {.bench = bench_open_as_found(machine, request->seed ^ 0x62726f75), .notebook = notebook};
    struct rate rate;
    const char *why = NULL;
    if (!recall(&brought))
        why = "needs what the probe latency finds";
    else if (!rate_measure(&brought.bench, &rate) || brought.bench.cycles_per_tick <= 0)
        why = reason(&brought, "core cycles are not known");
    else if (!stretch_best(machine, UINT64_MAX, (uint64_t)PAGE * TARGETS, MEMORY, &brought.stretch))
        why = "the memory is too small";
    if (why) {
        note_nothing(&brought, why);
        return !brought.bench.skipped;
    }
    brought.error += rate.error;
    measure_unit(&brought);
    stretch_unmap(machine, &brought.stretch);
    interference_note(&brought.bench, notebook);
    double cycles_per_tick = brought.bench.cycles_per_tick;
    bool skipped = brought.bench.skipped;
    brought.bench = bench_open(machine, request->seed ^ 0x73656374);
    brought.bench.cycles_per_tick = cycles_per_tick;
    brought.bench.skipped = skipped;
    bool mapped = !skipped && stretch_best(machine, UINT64_MAX, MEMORY, MEMORY, &brought.stretch);
    brought.bench.refused = !skipped && !mapped;
    measure_sectors(&brought);
    if (mapped)
        stretch_unmap(machine, &brought.stretch);
    return !brought.bench.skipped;
}
