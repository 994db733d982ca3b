// SPDX-License-Identifier: BSD-2-Clause
/* neighbours.c: mapping pages whose frames are neighbours, and such whose frames are none. */
#include "probes/neighbours.h"

enum {
    PAGE = 4096,
    APART = 16, /* frames, of pages that are not to be joined */
    LINES = 64, /* pages that push share a frame */
    /* frames, from the first: of the pages, of those that they are swapped for, and so on */
    OTHERS = PAGES,
    LONELY = 2 * PAGES,
    LONELY_OTHERS = LONELY + BLOCK * APART,
    PUSHING = LONELY_OTHERS + BLOCK,
    FRAMES = PUSHING + MOST_PUSHED / LINES,
    REGION = 1 << 20,  /* bytes of addresses between these; what all of it is aligned to */
    REGIONS = 12,      /* as many of them */
    MEMORY = 16 << 20, /* bytes that are asked for: room for the alignment */
    LARGE = 2,         /* large pages */
    TURN = 3           /* pieces of 4 KB from place to place, an odd number */
};

/* Bytes from one line to the next one that is timed with it. */
enum { SPACE = 128 };

/* Offset of a page's line: another one in each block, and for pages of a block that lie a power of two apart. */
static uint64_t line_of(unsigned number)
{
    enum { IN_A_BLOCK = 3 };
    return KEPT + (number / BLOCK * IN_A_BLOCK + number % IN_A_BLOCK) * SPACE;
}

static uint64_t frame(const struct neighbours *all, unsigned number)
{
    return all->first + (uint64_t)number * PAGE;
}

static uint64_t address(const struct neighbours *all, unsigned region, unsigned number)
{
    return all->base + (uint64_t)region * REGION + (uint64_t)number * PAGE;
}

/* Maps `count` pages on end of a region to frames that lie `step` frames apart. */
static bool map(struct neighbours *all, unsigned region, unsigned count, unsigned number, unsigned step)
{
    for (unsigned i = 0; i < count; i++)
        if (!machine_map(all->bench->machine, address(all, region, i), frame(all, number + i * step), PAGE, PAGE,
                         MEM_WB))
            return false;
    return true;
}

enum region { REGION_PAGES, REGION_OTHERS, REGION_LONELY, REGION_LONELY_OTHERS, REGION_PUSHING };

static bool map_pushing(struct neighbours *all)
{
    for (unsigned i = 0; i < MOST_PUSHED / LINES; i++)
        for (unsigned k = 0; k < LINES; k++)
            if (!machine_map(all->bench->machine, address(all, REGION_PUSHING, i * LINES + k), frame(all, PUSHING + i),
                             PAGE, PAGE, MEM_WB))
                return false;
    return true;
}

static bool make_spots(struct neighbours *all)
{
    struct machine *machine = all->bench->machine;
    uint64_t dense = all->dense.base - all->dense.physical;
    for (unsigned i = 0; i < PAGES; i++) {
        uint64_t line = line_of(i), pa = frame(all, i) + line;
        all->spot[i] = (struct spot){.va = address(all, REGION_PAGES, i) + line, .alias = dense + pa};
        if (!spot_make(machine, &all->spot[i], pa, 1, address(all, REGION_OTHERS, i), frame(all, OTHERS + i) + line))
            return false;
    }
    for (unsigned i = 0; i < BLOCK; i++) {
        uint64_t line = line_of(i), pa = frame(all, LONELY + i * APART) + line;
        all->lonely[i] = (struct spot){.va = address(all, REGION_LONELY, i) + line, .alias = dense + pa};
        if (!spot_make(machine, &all->lonely[i], pa, 1, address(all, REGION_LONELY_OTHERS, i),
                       frame(all, LONELY_OTHERS + i) + line))
            return false;
    }
    return true;
}

bool neighbours_open(struct neighbours *all, struct bench *bench, uint64_t distance)
{
    struct machine *machine = bench->machine;
    all->bench = bench;
    all->dense.size = all->base = 0;
    struct view view = machine_view(machine);
    all->why = "no memory for the frames of its pages";
    if (!stretch_best(machine, UINT64_MAX, MEMORY, MEMORY, &all->dense))
        return false;
    all->first = (all->dense.physical + REGION - 1) / REGION * REGION;
    all->base = (all->dense.base + all->first - all->dense.physical + distance + REGION - 1) / REGION * REGION;
    if (frame(all, FRAMES) > all->dense.physical + all->dense.size)
        return false;
    all->why = "physical order is not known";
    if (all->dense.contiguous < REGION)
        return false;
    all->why = "not enough addresses for its pages";
    if (address(all, REGIONS, 0) > view.base + view.size)
        return false;
    bool mapped = map(all, REGION_PAGES, PAGES, 0, 1) && map(all, REGION_OTHERS, PAGES, OTHERS, 1) &&
                  map(all, REGION_LONELY, BLOCK, LONELY, APART) &&
                  map(all, REGION_LONELY_OTHERS, BLOCK, LONELY_OTHERS, 1) && map_pushing(all) && make_spots(all);
    if (!mapped)
        all->why = machine_why(machine);
    return mapped;
}

void neighbours_close(struct neighbours *all)
{
    struct machine *machine = all->bench->machine;
    if (!all->dense.size)
        return;
    if (all->base)
        machine_map(machine, all->base, 0, (uint64_t)REGIONS * REGION, 0, MEM_WB);
    stretch_unmap(machine, &all->dense);
    all->dense.size = 0;
}

bool neighbours_push(struct neighbours *all, uint64_t count, struct walk *push)
{
    struct stops stops = stops_sequence(address(all, REGION_PUSHING, 0), PAGE, count);
    stops.seats = PAGE;
    *push = walk_over(&stops, OP_LOAD, bench_seed(all->bench));
    return bench_link(all->bench, push);
}

/* A place in a large page: so many bytes from its beginning. */
static bool make_large(const struct neighbours *all, struct spot *spot, unsigned page, uint64_t offset)
{
    uint64_t size = all->dense.page, first = all->dense.physical;
    *spot = (struct spot){.va = all->base + page * all->distance + offset, .alias = all->dense.base + offset};
    return spot_make(all->bench->machine, spot, first + offset, size == (uint64_t)1 << 30 ? 3 : 2,
                     all->dense.base + size, first + size + offset);
}

/* Pairs in two pages of so many bytes, which show the same memory: two pairs in each, half a page apart, and an eighth
 * of one from pair to pair. */
bool large_open(struct neighbours *all, struct bench *bench, uint64_t page, uint64_t distance, struct pairs *pairs)
{
    struct machine *machine = bench->machine;
    struct view view = machine_view(machine);
    all->bench = bench;
    all->dense.size = all->base = 0;
    pairs->count = 2 * LARGE;
    all->why = "no two pages of that size lie in the memory";
    if (!stretch_map(machine, page, 2 * page, &all->dense) || all->dense.size < 2 * page)
        return false;
    all->distance = distance;
    all->base = all->dense.base + distance;
    all->why = "not enough addresses for its pages";
    if (all->base + LARGE * distance > view.base + view.size)
        return false;
    for (unsigned i = 0; i < LARGE; i++)
        if (!machine_map(machine, all->base + i * all->distance, all->dense.physical, page, page, MEM_WB)) {
            all->why = machine_why(machine);
            return false;
        }
    for (unsigned i = 0; i < pairs->count; i++) {
        /* All pieces of 4 KB that they lie in differ in their low bits. */
        uint64_t near = i / LARGE * (page / 8) + KEPT + i * (SPACE + TURN * PAGE);
        uint64_t far = near + page / 2 + pairs->count * (SPACE + TURN * PAGE);
        if (!make_large(all, &pairs->first[i], i % LARGE, near) ||
            !make_large(all, &pairs->second[i], i % LARGE, far)) {
            all->why = machine_why(machine);
            return false;
        }
    }
    return true;
}

void large_close(struct neighbours *all, uint64_t page)
{
    struct machine *machine = all->bench->machine;
    if (!all->dense.size)
        return;
    for (unsigned i = 0; all->base && i < LARGE; i++)
        machine_map(machine, all->base + i * all->distance, 0, page, 0, MEM_WB);
    stretch_unmap(machine, &all->dense);
    all->dense.size = 0;
}
