// SPDX-License-Identifier: BSD-2-Clause
/* walk.c: the stops of a walk and the order in which it visits them. */
#include "probes/walk.h"
#include "base/arithmetic.h"

enum {
    ROUNDS = 4,
    SMALLEST_PAGE = 4096,
    APART = 9,
    /* Page offsets advance by the odd multiple of 16 bytes that is nearest to the golden section of a page: any few of
     * them are far apart whatever power of two they are taken modulo, and 256 come before the first returns. */
    ROTATION = 157 * 16
};

struct stops stops_sequence(uint64_t base, uint64_t stride, uint64_t count)
{
    return (struct stops){.base = base, .stride = stride, .count = count, .inner_count = 1, .shifted_from = UINT64_MAX};
}

struct stops stops_listed(const uint64_t *addresses, uint64_t count)
{
    struct stops stops = stops_sequence(addresses[0], 0, count);
    stops.listed = addresses;
    return stops;
}

uint64_t stops_count(const struct stops *stops)
{
    return stops->count * stops->inner_count;
}

/* The bits of a number, moved to those that are set in a mask. */
static uint64_t deposit(uint64_t number, uint64_t mask)
{
    uint64_t moved = 0;
    for (; mask; mask &= mask - 1, number >>= 1)
        if (number & 1)
            moved |= mask & -mask;
    return moved;
}

uint64_t stops_number(const struct stops *stops, uint64_t group)
{
    if (stops->number)
        return stops->number[group];
    if (stops->spread)
        return deposit(group, stops->spread);
    return stops->sharing ? group / stops->sharing : group;
}

uint64_t stops_seats_a_page(uint64_t pitch)
{
    if (pitch && pitch < SEAT)
        return SMALLEST_PAGE / 2 / pitch;
    return SMALLEST_PAGE / (pitch ? pitch : SEAT);
}

/* Pages of memory that are used lie so far apart that no two pages of eight on end can be joined in one translation,
 * whatever seats they get. Pages on end have all offsets with time: where sets are chosen by virtual addresses, too,
 * they use all of them. Either half of lines is used as often, in each row and in lines that any few bits tell apart:
 * branch targets are found by address. */
uint64_t stops_seat(uint64_t group, uint64_t pitch)
{
    uint64_t each = pitch ? pitch : SEAT, page = stops_seats_a_page(pitch);
    uint64_t row = group / page, place = (group + row) % page;
    uint64_t half = each < SEAT ? 0 : (bits_set(place / 8) + row) % 2;
    return row * APART * SMALLEST_PAGE + place * each + half * (SEAT / 2);
}

uint64_t stops_address(const struct stops *stops, uint64_t stop)
{
    if (stops->listed)
        return stops->listed[stop];
    uint64_t group = stop / stops->inner_count, inner = stop % stops->inner_count;
    uint64_t address = stops->base + stops_number(stops, group) * stops->stride;
    if (group >= stops->shifted_from)
        address += stops->shift;
    if (stops->seats)
        address += stops_seat(group, stops->pitch) % stops->seats;
    if (stops->rotated)
        address = (address & ~(uint64_t)(SMALLEST_PAGE - 1)) + (address + group * ROTATION) % SMALLEST_PAGE;
    return address + inner * stops->inner_stride;
}

uint64_t stops_extent(const struct stops *stops)
{
    uint64_t last = stops->base + (stops->count - 1) * stops->stride;
    if (stops->shifted_from < stops->count)
        last += stops->shift;
    if (stops->rotated)
        last |= SMALLEST_PAGE - 1;
    return last + (stops->inner_count - 1) * stops->inner_stride + 16 - stops->base;
}

struct stops stops_control(const struct stops *signal, uint64_t page)
{
    uint64_t first = signal->base / page, last = (signal->base + stops_extent(signal) - 1) / page;
    if (last - first + 1 < NEIGHBOURS)
        return stops_sequence(signal->base & ~(uint64_t)63, 16, NEIGHBOURS);
    struct stops stops = stops_sequence(first * page, page, last - first + 1);
    if (signal->stride > page) {
        stops.stride = signal->stride;
        stops.count = signal->count;
    }
    stops.rotated = true;
    return stops;
}

struct walk walk_over(const struct stops *stops, enum op op, uint64_t seed)
{
    struct walk walk = {.stops = *stops, .op = op, .seed = seed, .length = stops_count(stops)};
    unsigned bits = 2;
    while (bits < 62 && (uint64_t)1 << bits < walk.length)
        bits++;
    walk.low_bits = bits / 2;
    walk.high_bits = bits - walk.low_bits;
    return walk;
}

/* A round's function: any mixing does, it need not be invertible. */
static uint64_t mix(uint64_t half, uint64_t key)
{
    uint64_t mixed = (half + key) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 29;
    mixed *= 0xd6e8feb86659fd93u;
    return mixed ^ mixed >> 32;
}

static uint64_t permute(const struct walk *walk, uint64_t number)
{
    uint64_t low_mask = ((uint64_t)1 << walk->low_bits) - 1, high_mask = ((uint64_t)1 << walk->high_bits) - 1;
    uint64_t low = number & low_mask, high = number >> walk->low_bits;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t key = walk->seed + round * 0xa0761d6478bd642fu;
        low ^= mix(high, key) & low_mask;
        high ^= mix(low, ~key) & high_mask;
    }
    return high << walk->low_bits | low;
}

uint64_t walk_stop(const struct walk *walk, uint64_t position)
{
    uint64_t number = position < walk->length ? position : position % walk->length;
    if (walk->order == ORDER_ASCENDING)
        return number;
    if (walk->order == ORDER_DESCENDING)
        return walk->length - 1 - number;
    do
        number = permute(walk, number);
    while (number >= walk->length);
    return number;
}

uint64_t walk_address(const struct walk *walk, uint64_t position)
{
    return stops_address(&walk->stops, walk_stop(walk, position));
}

bool op_jumps(enum op op)
{
    return op == OP_JUMP || op == OP_JUMP_FAR;
}

/* How a stop is linked: of jumps, the first of a lap alone counts. */
static enum op link_of(const struct walk *walk, uint64_t position)
{
    if (!op_jumps(walk->op) || position % walk->length == 0)
        return walk->op;
    return walk->op == OP_JUMP ? OP_PASS : OP_PASS_FAR;
}

bool walk_link(struct machine *machine, const struct walk *walk, uint64_t from, uint64_t to)
{
    uint64_t here = walk_address(walk, from);
    for (uint64_t position = from; position < to; position++) {
        uint64_t next = walk_address(walk, position + 1);
        if (!machine_link(machine, link_of(walk, position), here, next))
            return false;
        here = next;
    }
    return true;
}
