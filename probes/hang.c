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
    CONTROLS = 16, /* and of that of the controls: a small one, since some first levels have no large ones */
    ASIDE = KEPT + HUNG * APART + APART / 2, /* offset of lines that are in no others' way */
    TABLE = 1,                               /* frame of the table */
    FRAMES = 2,                              /* pages before those that are swept: of lines, and of the table */
    MOST_SWEPT = 16 << 20,                   /* bytes */
    /* The alias lies so many regions higher, which are a multiple of 3, 5 and 7: first levels choose sets by the rest
     * of virtual addresses by such numbers, too. And all of it is aligned to so many bits more than a region. */
    ALIAS_UP = 3 * 5 * 7,
    VIEW_UP = 7
};

/* Of an entry: the address of the table or page below. */
static const uint64_t FRAME_BITS = 0x000ffffffffff000;

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

static uint64_t alias_distance(const struct hung *hung)
{
    return (hung->page << REGIONS_UP) * ALIAS_UP;
}

uint64_t hung_alias(const struct hung *hung, unsigned number)
{
    return hung_page(hung, number) + alias_distance(hung);
}

uint64_t hung_control(const struct hung *hung, unsigned number)
{
    return hung->base + CONTROLS * hung->page + KEPT + (uint64_t)number * APART;
}

static uint64_t guide(const struct hung *hung)
{
    return hung->base + GUIDE * hung->page + ASIDE;
}

/* The frame of the controls lies so many bytes behind that of the table that no set's number tells one from the other.
 */
static uint64_t distance(const struct hung *hung)
{
    return power_of_two_within(hung->dense.size / 2);
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

static bool map_page(const struct hung *hung, uint64_t *table, uint64_t number, uint64_t pa)
{
    struct machine *machine = hung->bench->machine;
    uint64_t page = hung->page, va = hung->base + number * page, *entry;
    if (!machine_map(machine, va, pa, page, page, MEM_WB) ||
        !machine_map(machine, va + alias_distance(hung), pa, page, page, MEM_WB))
        return false;
    entry = machine_entry(machine, va, 1);
    if (!entry)
        return false;
    table[number] = *entry;
    return true;
}

/* Maps the pages, and hangs a copy of their table where it was. What the TLBs know is flushed by every script. */
static bool map_all(struct hung *hung)
{
    struct machine *machine = hung->bench->machine;
    uint64_t first = hung->dense.physical, pa = first + TABLE * hung->page, *table = machine_at(machine, pa);
    if (!table)
        return false;
    for (unsigned i = 0; i < FRAME / ENTRY; i++)
        table[i] = 0;
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
    *hung->hook = (hung->old & ~FRAME_BITS) | pa;
    return true;
}

bool hung_open(struct hung *hung, struct bench *bench, const char **why)
{
    struct machine *machine = bench->machine;
    struct view view = machine_view(machine);
    *hung = (struct hung){.bench = bench, .page = machine_page(machine, 0), .chosen = ALL_HUNG};
    *why = "no memory for the lines of its pages";
    if (!stretch_best(machine, UINT64_MAX, 2 * MOST_SWEPT, 2 * MOST_SWEPT, &hung->dense))
        return false;
    uint64_t unit = hung->page << (REGIONS_UP + VIEW_UP);
    hung->base = (view.base + hung->dense.size + unit - 1) / unit * unit;
    *why = "not enough addresses for its pages";
    bool room = hung->base + unit <= view.base + view.size && hung->dense.size > (FRAMES + 1) * hung->page;
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
    uint64_t region = hung->page << REGIONS_UP;
    if (hung->hook)
        *hung->hook = hung->old;
    machine_map(machine, hung->base, 0, region, 0, MEM_WB);
    machine_map(machine, hung->base + alias_distance(hung), 0, region, 0, MEM_WB);
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
    uint64_t step = (uint64_t)((double)bench->clock.step * bench->cycles_per_tick);
    script_add(script, OP_WAIT, 0, 0);
    script->visit[script->count - 1].value = bench_seed(bench) % (step + 1);
    script_fence(script);
}

/* Visits one of them. */
static void script_one(struct script_of *script, const struct hung *hung, enum hung_what what, unsigned turn,
                       enum op op, unsigned lap)
{
    unsigned number = hung->order[turn];
    uint64_t va = what == HUNG_PAGES     ? hung_page(hung, number)
                  : what == HUNG_ALIASES ? hung_alias(hung, number)
                  : what == HUNG_ENTRIES ? entry_of(hung, number_of(number))
                                         : hung_control(hung, number);
    script_add(script, op, va, lap);
    script->visit[script->count - 1].site = (uint8_t)turn; /* no instruction sees a stride */
}

void script_all(struct script_of *script, const struct hung *hung, enum hung_what what, enum op op, unsigned lap)
{
    for (unsigned i = 0; i < HUNG; i++)
        script_one(script, hung, what, i, op, lap);
}

/* Loads those that are chosen. */
static void script_chosen(struct script_of *script, const struct hung *hung, enum hung_what what, unsigned lap)
{
    for (unsigned i = 0; i < HUNG; i++)
        if (hung->chosen >> hung->order[i] & 1)
            script_one(script, hung, what, i, OP_LOAD, lap);
}

void script_flush(struct script_of *script, const struct hung *hung)
{
    script_all(script, hung, HUNG_ENTRIES, OP_FLUSH_LINE, 0);
    script_add(script, OP_FLUSH_LINE, entry_of(hung, GUIDE), 0);
    script_all(script, hung, HUNG_CONTROLS, OP_FLUSH_LINE, 0);
    script_add(script, OP_FLUSH_LINE, beside(hung), 0);
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

/* What is timed is not the first of its kind. */
static void script_ready(struct script_of *script, const struct hung *hung, enum hung_what first)
{
    if (first == HUNG_ENTRIES)
        script_add(script, OP_LOAD, entry_of(hung, GUIDE), 0);
    script_add(script, OP_LOAD, beside(hung), 0); /* their page is at hand */
    script_fence(script);
    script_begin(script, hung->bench);
}

void script_timed(struct script_of *script, const struct hung *hung, enum hung_what first)
{
    script_ready(script, hung, first);
    if (first != HUNG_NOTHING)
        script_chosen(script, hung, first, 1);
    script_begin(script, hung->bench);
    for (unsigned i = 0; i < HUNG; i++)
        if (hung->chosen >> i & 1)
            script_add(script, OP_LOAD, beside(hung), 2);
    script_fence(script);
    script_add(script, OP_LOAD, guide(hung), 0);
    script_begin(script, hung->bench);
    script_chosen(script, hung, HUNG_PAGES, 3);
    script_fence(script);
}

_Static_assert(2 * HUNG < MAX_LAPS, "each has a lap of its own");

void script_singly(struct script_of *script, const struct hung *hung)
{
    script_ready(script, hung, HUNG_ENTRIES);
    for (unsigned i = 0; i < HUNG; i++)
        script_one(script, hung, HUNG_ENTRIES, i, OP_LOAD, 1 + i);
    script_begin(script, hung->bench);
    for (unsigned i = 0; i < HUNG; i++)
        script_add(script, OP_LOAD, beside(hung), 1 + HUNG + i);
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
