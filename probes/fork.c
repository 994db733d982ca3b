// SPDX-License-Identifier: BSD-2-Clause
/* fork.c: the two chains of tables, and scripts over them.
 *
 * The large page that all of it lies in is mapped below the tables themselves, too, in the last PDE of each table of
 * PDEs: "window". It needs no entry that is not used anyway, so what is stored there pushes none out; and a walk to it
 * keeps entries of all levels but the PDE, which maps a page. */
#include "probes/fork.h"
#include "base/random.h"

enum {
    LINE = 64,
    FRAME = 4096,
    SLOTS = 512, /* entries of a table */
    BITS = 9,
    WINDOW = SLOTS - 1,
    FRAME_A = 0, /* frames of the large page: of words, */
    FRAME_B = 1,
    CHAIN_A = 1, /* of tables: that of a level, level - 1 behind the one before the first, */
    CHAIN_B = 5,
    SHARED = 8,
    SCRIPT = 16,      /* and of the script */
    DATA = 48,        /* line of words: neither one that is kept nor near the end of a page */
    MOST_SLOTS = 256, /* of the highest table */
    LOOKS = 5,        /* by the clock, for one answer */
    LEARNT = 15,
    LONGEST_WAIT = 256,    /* core cycles */
    WARM = 3,              /* visits after which any policy holds what fits */
    TOUCHES = MAX_LAPS - 2 /* laps before the one that asks */
};

static const uint64_t FRAME_BITS = 0x000ffffffffff000, WORD = 0x5a5a0000;

static unsigned shift_of(unsigned level)
{
    return 12 + BITS * (level - 1);
}

/* An address by its indexes at all levels; of a level that is not given, none. */
struct path {
    unsigned index[PML5E + 1];
};

static uint64_t address(const struct fork *fork, const struct path *path)
{
    uint64_t va = fork->base;
    for (unsigned level = 1; level <= fork->levels; level++)
        va += (uint64_t)path->index[level] << shift_of(level);
    return va;
}

/* Where entry number `entry` of a level lies in its table: from lines on that are not kept, other ones at each level.
 */
static unsigned index_of(const struct fork *fork, unsigned level, unsigned entry)
{
    enum { FIRST = 128, APART = 40 };
    return level < fork->levels ? (FIRST + APART * level + entry) % MOST_REGIONS : entry;
}

/* The path to an entry of the level in question, and below it through entries `below`. */
static struct path path_to(const struct fork *fork, unsigned entry, unsigned above, unsigned below)
{
    struct path path = {{0}};
    for (unsigned level = PDE; level <= fork->levels; level++) {
        unsigned number = level < fork->level ? below : level == fork->level ? entry : 0;
        path.index[level] = index_of(fork, level, level == fork->level + 1 ? above : number);
    }
    return path;
}

/* The page of a PDE through which it is used, or asked for: those of each in another set of a TLB. Of other entries one
 * for all is enough. */
static unsigned page_of(const struct fork *fork, unsigned entry, bool asked)
{
    enum { AWAY = 256, ANY = 160, BEHIND = 24 };
    if (fork->level > PDE)
        return ANY + asked * BEHIND;
    return ((index_of(fork, PDE, entry) + BEHIND) % SLOTS) ^ (asked ? AWAY : 0);
}

/* A page through which an entry is used: of PDEs a small one; of others the window, which uses no PDE. */
static uint64_t user_of(const struct fork *fork, unsigned entry)
{
    struct path path = path_to(fork, entry, 0, 1);
    if (fork->level == PDE)
        path.index[1] = page_of(fork, entry, false);
    else
        path.index[PDE] = WINDOW;
    return address(fork, &path) + DATA * LINE;
}

static uint64_t asker_of(const struct fork *fork, unsigned entry, bool aside)
{
    struct path path = path_to(fork, entry, aside, 2);
    path.index[1] = page_of(fork, entry, true);
    return address(fork, &path) + DATA * LINE;
}

/* A word of the large page, through the window below an entry. */
static uint64_t window(const struct fork *fork, unsigned entry, unsigned frame, unsigned word)
{
    struct path path = path_to(fork, entry, 0, 1);
    path.index[PDE] = WINDOW;
    return address(fork, &path) + (uint64_t)frame * FRAME + word * sizeof(uint64_t);
}

/* The entry that is asked for, as data. */
static uint64_t entry_asked(const struct fork *fork, const struct held_question *question, unsigned last)
{
    return window(fork, last, SHARED + fork->level, index_of(fork, fork->level, question->asked));
}

static uint64_t *table_at(const struct fork *fork, unsigned frame)
{
    return machine_at(fork->bench->machine, fork->dense.physical + (uint64_t)frame * FRAME);
}

static uint64_t entry_to(const struct fork *fork, unsigned frame)
{
    return fork->flags | (fork->dense.physical + (uint64_t)frame * FRAME);
}

static void fill_table(const struct fork *fork, unsigned frame, uint64_t entry, uint64_t last)
{
    uint64_t *table = table_at(fork, frame);
    for (unsigned i = 0; i < SLOTS; i++)
        table[i] = i == WINDOW ? last : entry;
}

/* One chain: pages of one frame, and tables above them that all lead to it. */
static void fill_chain(const struct fork *fork, unsigned chain, unsigned frame, uint64_t page, uint64_t large)
{
    uint64_t *words = table_at(fork, frame);
    page += (uint64_t)frame * FRAME;
    fill_table(fork, chain + 1, page, page);
    for (unsigned level = PDE; level < fork->levels; level++) {
        uint64_t entry = entry_to(fork, chain + level - 1);
        fill_table(fork, chain + level, entry, level == PDE ? large : entry);
    }
    for (unsigned i = 0; i < FRAME / sizeof *words; i++)
        words[i] = WORD + frame;
}

static uint64_t *slot_of(const struct fork *fork, unsigned slot)
{
    return machine_entry(fork->bench->machine, fork->base + ((uint64_t)slot << shift_of(fork->levels)), fork->levels);
}

static bool fill(struct fork *fork, const char **why)
{
    struct machine *machine = fork->bench->machine;
    uint64_t physical = fork->dense.physical, *top = slot_of(fork, 0);
    uint64_t *large = machine_entry(machine, fork->dense.base, PDE), *page = machine_entry(machine, fork->base, 1);
    *why = machine_why(machine);
    if (!top || !large || !page || !table_at(fork, 0))
        return false;
    fork->old = *top;
    fork->flags = *top & ~FRAME_BITS;
    fork->visit = machine_at(machine, physical + SCRIPT * FRAME);
    fill_chain(fork, CHAIN_A, FRAME_A, (*page & ~FRAME_BITS) | physical, *large);
    fill_chain(fork, CHAIN_B, FRAME_B, (*page & ~FRAME_BITS) | physical, *large);
    return true;
}

bool fork_open(struct fork *fork, struct bench *bench, const char **why)
{
    struct machine *machine = bench->machine;
    struct view view = machine_view(machine);
    uint64_t small = machine_page(machine, 0), page = machine_page(machine, 1);
    *fork = (struct fork){.bench = bench};
    *why = "no pages of 4 KB and 2 MB";
    if (small != FRAME || page != small << BITS || !stretch_map(machine, page, page, &fork->dense))
        return false;
    *why = "no tables of one's own";
    for (fork->levels = PML5E; fork->levels > PDPTE && !machine_entry(machine, view.base, fork->levels);)
        fork->levels--;
    uint64_t span = (uint64_t)1 << shift_of(fork->levels);
    fork->base = (view.base + page + span - 1) & ~(span - 1);
    uint64_t slots = (view.base + view.size - fork->base) >> shift_of(fork->levels);
    fork->slots = (unsigned)(slots < MOST_SLOTS ? slots : MOST_SLOTS);
    if (machine_entry(machine, view.base, fork->levels)) {
        *why = "not enough addresses for its tables";
        if (view.size > fork->base - view.base && fork->slots >= 2) {
            bool mapped = machine_map(machine, fork->base, fork->dense.physical, small, small, MEM_WB);
            *why = machine_why(machine);
            if (mapped && fill(fork, why))
                return true;
        }
    }
    fork_close(fork);
    return false;
}

void fork_close(struct fork *fork)
{
    struct machine *machine = fork->bench->machine;
    struct visit flush = {.op = OP_FLUSH_TLB};
    struct reading lap[MAX_LAPS];
    if (fork->old) {
        for (unsigned slot = 0; slot < fork->slots; slot++)
            *slot_of(fork, slot) = slot ? 0 : fork->old;
        machine_map(machine, fork->base, 0, FRAME, 0, MEM_WB);
        machine_script(machine, &flush, 1, lap);
    }
    stretch_unmap(machine, &fork->dense);
}

unsigned fork_regions(const struct fork *fork, unsigned level)
{
    return level == fork->levels && fork->slots < MOST_REGIONS ? fork->slots : MOST_REGIONS;
}

bool fork_at(struct fork *fork, unsigned level)
{
    uint64_t large = table_at(fork, CHAIN_A + PDE)[WINDOW], chain = entry_to(fork, CHAIN_A + level - 1), top = chain;
    for (unsigned i = level; i < fork->levels; i++) {
        fill_table(fork, SHARED + i, top, i == PDE ? large : top);
        top = entry_to(fork, SHARED + i);
    }
    for (unsigned slot = 0; slot < fork->slots; slot++)
        *slot_of(fork, slot) = top;
    fork->level = level;
    return true;
}

static void add(struct fork *fork, enum op op, uint64_t va, unsigned lap)
{
    fork->visit[fork->count++] = (struct visit){.op = op, .lap = (uint8_t)lap, .va = va};
}

static void add_flush(struct fork *fork)
{
    add(fork, OP_FENCE, 0, 0);
    add(fork, OP_FLUSH_TLB, 0, 0);
}

static bool play(struct fork *fork, struct reading lap[MAX_LAPS])
{
    unsigned count = fork->count;
    fork->count = 0;
    return bench_script(fork->bench, fork->visit, count, lap) && bench_rest(fork->bench, false);
}

/* Points an entry at a chain: within the script, or, where only the machine itself can reach the entry, behind it. */
static bool swap(struct fork *fork, const struct held_question *question, unsigned last, unsigned chain)
{
    uint64_t entry = entry_to(fork, chain + fork->level - 1);
    struct reading lap[MAX_LAPS];
    if (fork->level == fork->levels) {
        if (!play(fork, lap))
            return false;
        *slot_of(fork, question->asked) = entry;
        return true;
    }
    add(fork, OP_STORE, entry_asked(fork, question, last), 0);
    fork->visit[fork->count - 1].value = entry;
    add(fork, OP_FENCE, 0, 0);
    return true;
}

/* One of all the walks before the question. Whoever plays the script has pages of its own, and touches them where a lap
 * begins: they are at hand from the start, and again and again. */
static void add_walk(struct fork *fork, const struct held_question *question, uint64_t va)
{
    add(fork, OP_LOAD, va, 1 + fork->walks++ * TOUCHES / (question->used + question->many));
}

/* Walks that lie between, from one number on. */
static void add_between(struct fork *fork, const struct held_question *question, unsigned from, unsigned to)
{
    struct path path = path_to(fork, question->between == BETWEEN_BELOW ? 0 : question->used, 0, 1);
    for (unsigned i = from; i < to; i++) {
        path.index[PDE] = index_of(fork, PDE, question->between == BETWEEN_PAGES ? 0 : i);
        path.index[1] = i;
        add_walk(fork, question, address(fork, &path) + DATA * LINE);
    }
}

/* Returns the entry that is used last: the large page below it needs no other entry. */
static unsigned add_uses(struct fork *fork, const struct held_question *question)
{
    unsigned last = 0;
    fork->walks = 0;
    add_between(fork, question, 0, question->before);
    for (unsigned i = 0; i < question->used; i++) {
        last = question->backwards ? question->used - 1 - i : i;
        add_walk(fork, question, user_of(fork, last));
    }
    if (question->between == BETWEEN_INVLPG)
        add(fork, OP_FLUSH_PAGE, fork->dense.base, 0);
    add_between(fork, question, question->before, question->many);
    if (question->many && question->between != BETWEEN_BELOW)
        last = question->used;
    if (question->between != BETWEEN_NOTHING || fork->level == PDE)
        add(fork, OP_LOAD, window(fork, last, FRAME_A, DATA * LINE / sizeof(uint64_t)), 0);
    return last;
}

/* By the word that is read. */
static bool read_held(struct fork *fork, const struct held_question *question, bool *held)
{
    struct reading lap[MAX_LAPS];
    add_flush(fork);
    unsigned last = add_uses(fork, question);
    if (!swap(fork, question, last, CHAIN_B))
        return false;
    if (question->afresh)
        add_flush(fork);
    unsigned asked = fork->count;
    add(fork, OP_LOAD, asker_of(fork, question->asked, question->aside), 0);
    bool good = swap(fork, question, last, CHAIN_A);
    if (fork->count)
        good = play(fork, lap) && good;
    *held = fork->visit[asked].value == WORD + FRAME_A;
    return good;
}

/* Ticks of the load that asks, when the entry's line was flushed, or that of the page's own entry, or none. */
enum flushed { FLUSHED_NOTHING, FLUSHED_ENTRY, FLUSHED_PTE };
static bool time_ask(struct fork *fork, const struct held_question *question, enum flushed flushed, double *ticks)
{
    struct reading lap[MAX_LAPS];
    uint64_t asker = asker_of(fork, question->asked, question->aside);
    add(fork, OP_LOAD, asker, 0); /* what it loads is near */
    add_flush(fork);
    unsigned last = add_uses(fork, question);
    if (flushed == FLUSHED_ENTRY)
        add(fork, OP_FLUSH_LINE, entry_asked(fork, question, last), 0);
    if (flushed == FLUSHED_PTE)
        add(fork, OP_FLUSH_LINE, window(fork, last, CHAIN_A + 1, page_of(fork, question->asked, true)), 0);
    if (question->afresh)
        add_flush(fork);
    add(fork, OP_FENCE, 0, 0);
    add(fork, OP_LOAD, asker, MAX_LAPS - 1);
    if (!play(fork, lap))
        return false;
    *ticks = (double)lap[MAX_LAPS - 1].ticks;
    return true;
}

bool fork_learn(struct fork *fork, bool *told)
{
    const struct held_question one = {.used = 1};
    double near[LEARNT], far[LEARNT];
    for (unsigned i = 0; i < LEARNT; i++)
        if (!time_ask(fork, &one, FLUSHED_NOTHING, &near[i]) || !time_ask(fork, &one, FLUSHED_PTE, &far[i]))
            return false;
    double most = quantile(near, LEARNT, 0.75), least = quantile(far, LEARNT, 0.25);
    *told = least > most + (double)fork->bench->clock.step;
    fork->limit = (quantile(near, LEARNT, 0.5) + least) / 2;
    fork->by_clock = true;
    return true;
}

bool fork_held(struct fork *fork, const struct held_question *question, bool *held)
{
    double ticks[LOOKS];
    if (!fork->by_clock || fork->level == fork->levels)
        return read_held(fork, question, held);
    for (unsigned i = 0; i < LOOKS; i++)
        if (!time_ask(fork, question, FLUSHED_ENTRY, &ticks[i]))
            return false;
    *held = quantile(ticks, LOOKS, 0.5) < fork->limit;
    return true;
}

/* A page of a lap: from `level` down entries of its own. Lines of tables and of words lie at offsets of their own,
 * words in pairs of lines, where the smallest caches keep them beside the lines that are kept; and pages have the same
 * lowest number bits, for first levels that go by them. */
static uint64_t lap_page(const struct fork *fork, unsigned level, unsigned number)
{
    static const uint8_t lines[FORK_LAP + 1] = {28, 30, 48, 50, 52, 54, 56, 58};
    enum { FIRST = 128, APART = 8, TABLES = 192 };
    struct path path = {{0}};
    path.index[1] = FIRST + (level == 1 ? number * APART : 0);
    for (unsigned i = PDE; i < fork->levels; i++)
        path.index[i] = TABLES + (i - PDE) * APART + (i <= level ? number : 0);
    path.index[fork->levels] = level == fork->levels ? number : 0;
    return address(fork, &path) + (uint64_t)lines[number] * LINE;
}

/* The loads of a lap, by an instruction each. */
static void add_lap(struct fork *fork, unsigned level, unsigned pages, unsigned lap)
{
    for (unsigned i = 0; i < pages; i++) {
        add(fork, OP_LOAD, lap_page(fork, level, i), lap);
        fork->visit[fork->count - 1].site = (uint8_t)i;
    }
}

bool fork_laps(struct fork *fork, unsigned pages, double lap_ticks[PML5E + 2], bool *good)
{
    struct reading lap[MAX_LAPS];
    struct random random = {bench_seed(fork->bench)};
    /* Once before, so that in the first of them, too, jumps lead where they led in a lap before it: they did so after
     * another number of loads when laps of other lengths were played. */
    add_lap(fork, 1, pages, 1);
    for (unsigned level = 1; level <= fork->levels; level++) {
        add_flush(fork);
        for (unsigned i = 0; i < WARM * (pages + 1); i++)
            add(fork, OP_LOAD, lap_page(fork, level, i % (pages + 1)), 0);
        add_flush(fork);
        add(fork, OP_LOAD, lap_page(fork, level, pages), level + MAX_LAPS / 2);
        add(fork, OP_WAIT, 0, 0); /* laps begin anywhere in a step of the clock */
        fork->visit[fork->count - 1].value = 1 + random_below(&random, LONGEST_WAIT);
        add(fork, OP_FENCE, 0, 0);
        add_lap(fork, level, pages, level + 1);
    }
    if (!play(fork, lap))
        return false;
    *good = true;
    for (unsigned k = PDE; k <= fork->levels + 1; k++) {
        lap_ticks[k] = (double)lap[k].ticks;
        *good = *good && !lap[k].disturbances && !lap[k].lost;
    }
    return true;
}
