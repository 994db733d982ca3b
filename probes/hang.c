// SPDX-License-Identifier: BSD-2-Clause
/* hang.c: pages, controls, and scripts over them. */
#include "probes/hang.h"
#include "base/arithmetic.h"
#include "base/random.h"

enum {
    LINE = 64,         /* bytes */
    ENTRY = 8,         /* bytes */
    FRAME = 4096,      /* bytes of a frame's lines, whatever the page */
    FIRST_ENTRY = 128, /* number of the first page: its entry lies at KEPT */
    /* Number of the page beside them, whose entry lies below KEPT. Odd: it would be another page's to first levels that
     * predict ways by folds of addresses, where bits as far apart as AMD's are folded. */
    GUIDE = 9,
    /* And of that of the controls: a small one, since some first levels have no large ones. Its lowest bits are those
     * of the table's frame: first levels that choose sets by virtual addresses have controls where they have entries.
     */
    CONTROLS = 17,
    /* Numbers of the upper entries in their tables, by which the first page's address is chosen: their lines are in no
     * set of those that are always needed, of sets that repeat after 512 bytes and more. */
    SECOND = 40,
    THIRD = 24,
    ASIDE = KEPT + HUNG * APART + APART / 2, /* offset of lines that are in no others' way */
    TABLE = 1,                               /* frame of the first table; that of the pages has the second */
    FRAMES = 2,                              /* pages before those that are swept */
    MOST_SWEPT = 16 << 20,                   /* bytes */
    PASSES = 8                               /* of what is brought near */
};

/* Of an entry: the address of the table or page below. */
static const uint64_t FRAME_BITS = 0x000ffffffffff000;

_Static_assert(HUNG < 16, "one copy of the load is none of theirs");
_Static_assert(2 * HUNG + 4 + PASSES * (HUNG + 5) + 1 <= MOST_VISITS, "flushes and what is brought");
_Static_assert(8 * HUNG + 22 <= MOST_VISITS, "flushes, loads, flushes again, and hits and what is timed");
_Static_assert(FIRST_ENTRY *ENTRY == KEPT, "the first entry's line is the first behind those that are kept");

static uint64_t number_of(unsigned number)
{
    return FIRST_ENTRY + (uint64_t)number * (APART / ENTRY);
}

/* Its line lies where no entry and no control has one, and no other page either, however long lines are: a first level
 * that predicts ways by folds of addresses (AMD's) is slow where two pages share one. Small levels have room for all:
 * four lines follow on each other modulo 512 bytes. */
uint64_t hung_page(const struct hung *hung, unsigned number)
{
    uint64_t line = KEPT + (uint64_t)number * APART + APART / 2 + (number / 2 % 2) * LINE;
    return hung->base + number_of(number) * hung->page + line;
}

uint64_t hung_control(const struct hung *hung, unsigned number)
{
    return hung->base + CONTROLS * hung->page + KEPT + (uint64_t)number * APART;
}

static uint64_t guide(const struct hung *hung)
{
    return hung->base + GUIDE * hung->page + ASIDE;
}

/* The frame of the controls lies so many bytes behind that of the table that no set's number tells one from the other,
 * where there is a power of two of sets, or three times one. */
static uint64_t distance(const struct hung *hung)
{
    return 3 * power_of_two_within(hung->dense.size / 2 / 3);
}

uint64_t hung_frames(const struct hung *hung)
{
    return (distance(hung) - FRAMES * hung->page) / FRAME;
}

struct stops hung_sweep(const struct hung *hung, uint64_t frames, bool dense)
{
    struct stops stops = stops_sequence(hung->dense.base + FRAMES * hung->page + KEPT, FRAME, frames);
    stops.inner_stride = dense ? LINE : APART;
    stops.inner_count = dense ? (FRAME - KEPT) / LINE : HUNG;
    return stops;
}

/* A line beside the controls. */
static uint64_t beside(const struct hung *hung)
{
    return hung->base + CONTROLS * hung->page + ASIDE;
}

/* The table's entry of a page, as data. */
static uint64_t entry_of(const struct hung *hung, uint64_t number)
{
    return hung->dense.base + TABLE * hung->page + number * ENTRY;
}

static bool map_page(const struct hung *hung, uint64_t *table[2], uint64_t number, uint64_t pa)
{
    struct machine *machine = hung->bench->machine;
    uint64_t page = hung->page, va = hung->base + number * page, *entry;
    if (!machine_map(machine, va, pa, page, page, MEM_WB))
        return false;
    entry = machine_entry(machine, va, 1);
    if (!entry)
        return false;
    table[0][number] = table[1][number] = *entry;
    return true;
}

void hung_leave(struct hung *hung, unsigned present)
{
    hung->present = hung->chosen = present;
}

void hung_swap(struct hung *hung, bool second)
{
    *hung->hook = (hung->old & ~FRAME_BITS) | (hung->dense.physical + (second ? 0 : TABLE * hung->page));
}

/* Maps the pages, and hangs a copy of their table where it was. What the TLBs know is flushed by every script. */
static bool map_all(struct hung *hung)
{
    struct machine *machine = hung->bench->machine;
    uint64_t first = hung->dense.physical;
    uint64_t *table[2] = {machine_at(machine, first + TABLE * hung->page), machine_at(machine, first)};
    if (!table[0] || !table[1])
        return false;
    for (unsigned i = 0; i < FRAME / ENTRY; i++)
        table[0][i] = table[1][i] = 0;
    if (!map_page(hung, table, GUIDE, first) ||
        !map_page(hung, table, CONTROLS, first + TABLE * hung->page + distance(hung)))
        return false;
    for (unsigned i = 0; i < HUNG; i++)
        if (!map_page(hung, table, number_of(i), first))
            return false;
    hung->hook = machine_entry(machine, hung->base, 2);
    if (!hung->hook)
        return false;
    hung->old = *hung->hook;
    hung_swap(hung, false);
    return true;
}

/* The first address from there on whose upper entries have these numbers. */
static uint64_t base_from(const struct hung *hung, uint64_t from)
{
    uint64_t second = hung->page << ENTRIES_UP, third = second << ENTRIES_UP, unit = third << ENTRIES_UP;
    uint64_t wanted = SECOND * second + THIRD * third;
    return from + (wanted + unit - from % unit) % unit;
}

bool hung_open(struct hung *hung, struct bench *bench, const char **why)
{
    struct machine *machine = bench->machine;
    struct view view = machine_view(machine);
    *hung = (struct hung){.bench = bench, .page = machine_page(machine, 0)};
    hung_leave(hung, ALL_HUNG);
    *why = "no memory for the lines of its pages";
    if (!stretch_best(machine, UINT64_MAX, 2 * MOST_SWEPT, 2 * MOST_SWEPT, &hung->dense))
        return false;
    hung->base = base_from(hung, view.base + hung->dense.size);
    *why = "not enough addresses for its pages";
    bool room = hung->base + (hung->page << ENTRIES_UP) <= view.base + view.size &&
                hung->dense.size > (FRAMES + 1) * hung->page;
    if (room) {
        if (map_all(hung))
            return true;
        *why = machine_why(machine);
    }
    hung_close(hung);
    return false;
}

void hung_close(struct hung *hung)
{
    struct machine *machine = hung->bench->machine;
    uint64_t region = hung->page << ENTRIES_UP;
    if (hung->hook)
        *hung->hook = hung->old;
    machine_map(machine, hung->base, 0, region, 0, MEM_WB);
    stretch_unmap(machine, &hung->dense);
}

void script_add(struct script_of *script, enum op op, uint64_t va, unsigned lap)
{
    if (script->count < MOST_VISITS)
        script->visit[script->count++] = (struct visit){.op = op, .lap = (uint8_t)lap, .va = va};
}

void script_fence(struct script_of *script)
{
    script_add(script, OP_FENCE, 0, 0);
}

void script_begin(struct script_of *script, struct bench *bench)
{
    uint64_t longest = (uint64_t)((double)bench->clock.step * bench->cycles_per_tick);
    script_add(script, OP_WAIT, 0, 0);
    script->visit[script->count - 1].value = bench_seed(bench) % (longest + 1);
    script_fence(script);
}

/* A visit by one of the copies of its instruction. */
static void script_by(struct script_of *script, unsigned site, enum op op, uint64_t va, unsigned lap)
{
    script_add(script, op, va, lap);
    script->visit[script->count - 1].site = (uint8_t)site;
}

/* Visits one of them. */
static void script_one(struct script_of *script, const struct hung *hung, enum hung_what what, unsigned turn,
                       enum op op, unsigned lap)
{
    unsigned number = hung->order[turn];
    uint64_t va = what == HUNG_PAGES     ? hung_page(hung, number)
                  : what == HUNG_ENTRIES ? entry_of(hung, number_of(number))
                                         : hung_control(hung, number);
    script_by(script, turn, op, va, lap); /* no instruction sees a stride */
}

static void script_some(struct script_of *script, const struct hung *hung, unsigned some, enum hung_what what,
                        enum op op, unsigned lap)
{
    for (unsigned i = 0; i < HUNG; i++)
        if (some >> hung->order[i] & 1)
            script_one(script, hung, what, i, op, lap);
}

void script_all(struct script_of *script, const struct hung *hung, enum hung_what what, enum op op, unsigned lap)
{
    script_some(script, hung, hung->present, what, op, lap);
}

/* What is loaded before what is timed, so that this is not the first of its kind. Before pages, one beside them, whose
 * walk leaves the upper entries near. Before controls, and before entries, a line far up: what is timed begins further
 * down, and up from a low one would be a stream. That of entries is in no set of theirs, since a level that draws lots
 * would lose some of them; that of controls is not in the line of what lies beside them. */
static uint64_t opener(const struct hung *hung, enum hung_what what)
{
    uint64_t offset = ASIDE;
    if (what == HUNG_PAGES)
        return guide(hung);
    return what == HUNG_ENTRIES ? entry_of(hung, offset / ENTRY)
                                : hung->base + CONTROLS * hung->page + offset + APART / 2;
}

void script_flush(struct script_of *script, const struct hung *hung)
{
    script_all(script, hung, HUNG_ENTRIES, OP_FLUSH_LINE, 0);
    script_all(script, hung, HUNG_CONTROLS, OP_FLUSH_LINE, 0);
    script_add(script, OP_FLUSH_LINE, entry_of(hung, GUIDE), 0);
    script_add(script, OP_FLUSH_LINE, opener(hung, HUNG_ENTRIES), 0);
    script_add(script, OP_FLUSH_LINE, opener(hung, HUNG_CONTROLS), 0);
    script_fence(script);
}

/* Every other visit is in the lower half: three in one direction would call for a stream prefetcher. */
void hung_shuffle(struct hung *hung)
{
    enum { HALF = HUNG / 2 };
    struct random random = {bench_seed(hung->bench)};
    for (unsigned half = 0; half < 2; half++)
        for (unsigned i = 0; i < HALF; i++) {
            unsigned other = (unsigned)random_below(&random, i + 1);
            hung->order[2 * i + half] = hung->order[2 * other + half];
            hung->order[2 * other + half] = (uint8_t)(i + half * HALF);
        }
}

/* Again: small levels that draw lots need not keep what comes once. */
void script_bring(struct script_of *script, const struct hung *hung)
{
    for (unsigned pass = 0; pass < PASSES; pass++) {
        script_add(script, OP_FLUSH_TLB, 0, 0);
        script_all(script, hung, HUNG_PAGES, OP_LOAD, 0);
        script_add(script, OP_LOAD, guide(hung), 0);
        script_add(script, OP_LOAD, beside(hung), 0);
        script_add(script, OP_LOAD, entry_of(hung, CONTROLS), 0);
        script_add(script, OP_LOAD, entry_of(hung, GUIDE), 0);
    }
    script_fence(script);
}

/* As many hits, by the same copies of the load, in the same order, as what is timed: each copy ends in a jump of its
 * own. In one lap, or, singly, in as many from there on. */
static void script_hits(struct script_of *script, const struct hung *hung, unsigned some, unsigned lap, bool singly)
{
    for (unsigned i = 0; i < HUNG; i++)
        if (some >> hung->order[i] & 1)
            script_by(script, i, OP_LOAD, beside(hung), singly ? lap + i : lap);
    script_fence(script);
}

/* Hits, twice: jumps that come for the first time are not foretold, and nobody asks what those before the last ones
 * took. They are laps all the same, so that each copy's last jump leads where it will when it is timed. */
static void script_ready(struct script_of *script, const struct hung *hung, enum hung_what what, unsigned some,
                         bool singly)
{
    unsigned first = singly ? 1 + 2 * HUNG : 3, second = singly ? 1 + HUNG : 2;
    script_add(script, OP_LOAD, beside(hung), 0); /* their page is at hand */
    script_fence(script);
    script_begin(script, hung->bench);
    script_hits(script, hung, some, first, singly);
    script_hits(script, hung, some, second, singly);
    script_by(script, HUNG, OP_LOAD, opener(hung, what), 0); /* by a copy that nothing timed goes by */
    script_fence(script);
    script_begin(script, hung->bench);
}

void script_timed(struct script_of *script, const struct hung *hung, enum hung_what what)
{
    script_ready(script, hung, what, hung->chosen, false);
    script_some(script, hung, hung->chosen, what, OP_LOAD, 1);
    script_fence(script);
}

_Static_assert(3 * HUNG < MAX_LAPS, "each has a lap of its own");

void script_singly(struct script_of *script, const struct hung *hung)
{
    script_ready(script, hung, HUNG_ENTRIES, hung->present, true);
    for (unsigned i = 0; i < HUNG; i++)
        if (hung->present >> hung->order[i] & 1)
            script_one(script, hung, HUNG_ENTRIES, i, OP_LOAD, 1 + i);
    script_fence(script);
}

bool script_play(struct script_of *script, struct bench *bench, struct reading lap[MAX_LAPS], bool *disturbed)
{
    *disturbed = false;
    if (!bench_script(bench, script->visit, script->count, lap))
        return false;
    for (unsigned i = 0; i < script->count; i++) {
        unsigned here = script->visit[i].lap;
        *disturbed = *disturbed || (here && (lap[here].disturbances || lap[here].lost));
    }
    script->count = 0;
    return true;
}
