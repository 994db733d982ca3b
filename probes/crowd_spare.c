// SPDX-License-Identifier: BSD-2-Clause
/* crowd_spare.c: a crowd's pages are left out, by halves and then by pieces, while the others do not fit. */
#include "base/arithmetic.h"
#include "base/random.h"
#include "probes/crowd_inside.h"

void crowd_shuffle(struct crowd *crowd)
{
    struct random random = {bench_seed(crowd_pages(crowd)->bench)};
    for (unsigned i = crowd->count; i > 1; i--) {
        unsigned other = (unsigned)random_below(&random, i);
        uint32_t number = crowd->number[i - 1];
        crowd->number[i - 1] = crowd->number[other];
        crowd->number[other] = number;
    }
}

/* Whether all pages of the row with these bits do not fit: most of them miss then, or none does. What a miss costs may
 * have been told of so many pages that tables left the caches: of loads no more is asked than the least that it is. */
static bool is_dense_crowd(const struct reach *reach, uint64_t bits)
{
    double ticks = 0, most = LEAST_SECOND / reach->pages->bench->cycles_per_tick, part = reach->miss / LEAST_MISSES / 5;
    struct stops stops = seats_spread(reach->pages, bits);
    if (reach->pages->op == OP_LOAD && part > most)
        part = most;
    return seats_excess(reach->pages, &stops, &ticks) &&
           ticks > reach->hit + part + seats_by_lot(reach->pages, stops_count(&stops), reach->pages->few);
}

void crowd_list_bits(struct crowd *crowd, uint64_t bits)
{
    struct stops stops = {.spread = bits};
    crowd->count = 1U << bits_set(bits);
    crowd->alike = crowd->reach->nearer & (unsigned)~bits;
    for (unsigned i = 0; i < crowd->count; i++)
        crowd->number[i] = (uint32_t)stops_number(&stops, i) ^ crowd->set;
}

uint64_t crowd_spare_bits(struct crowd *crowd, uint64_t bits)
{
    const struct reach *reach = crowd->reach;
    for (unsigned bit = 0; bit < 64 && seats_ok(reach->pages); bit++) {
        uint64_t left = bits & ~((uint64_t)1 << bit);
        if (left == bits || !left)
            continue;
        uint64_t pages = (uint64_t)1 << bits_set(left);
        if (pages > MOST_CROWD || (reach->block && pages > reach->block)) {
            if (is_dense_crowd(reach, left))
                bits = left;
            continue;
        }
        crowd_list_bits(crowd, left);
        if (crowd_overflows(crowd, SPARING))
            bits = left;
    }
    return bits;
}

/* Spares the half of a crowd in which two bits differ, if the other one does not fit. */
static bool spare_pair(struct crowd *crowd, uint64_t pair)
{
    struct crowd left = {.reach = crowd->reach, .set = crowd->set, .alike = crowd->alike};
    for (unsigned i = 0; i < crowd->count; i++)
        if (!(bits_set((crowd->number[i] ^ crowd->set) & pair) % 2))
            left.number[left.count++] = crowd->number[i];
    if (left.count < 2 || left.count == crowd->count || !crowd_overflows(&left, SPARING))
        return false;
    *crowd = left;
    return true;
}

void crowd_spare_parities(struct crowd *crowd, uint64_t bits)
{
    enum { BITS = 32 };
    unsigned next = 0;
    for (unsigned high = 1; high < BITS; high++) {
        bool spared = false;
        for (unsigned i = 0; i < high && bits >> high & 1 && !spared && seats_ok(crowd_pages(crowd)); i++) {
            unsigned low = (next + i) % high;
            spared = bits >> low & 1 && spare_pair(crowd, (uint64_t)1 << high | (uint64_t)1 << low);
            if (spared)
                next = low + 1;
        }
        if (spared)
            bits &= ~((uint64_t)1 << high);
    }
}

void crowd_cut(struct crowd *crowd)
{
    unsigned low = 0, high = crowd->count; /* so many fit; so many do not */
    while (high - low > 1 && seats_ok(crowd_pages(crowd))) {
        struct crowd half = *crowd;
        half.count = low + (high - low) / 2;
        if (crowd_overflows(&half, SPARING))
            high = half.count;
        else
            low = half.count;
    }
    crowd->count = high;
}

void crowd_spare_pieces(struct crowd *crowd, unsigned piece)
{
    for (unsigned first = 0; first < crowd->count && crowd->count > piece && seats_ok(crowd_pages(crowd));) {
        struct crowd left = *crowd;
        unsigned size = crowd->count - first < piece ? crowd->count - first : piece;
        for (unsigned i = first; i + size < crowd->count; i++)
            left.number[i] = crowd->number[i + size];
        left.count -= size;
        if (crowd_overflows(&left, SPARING))
            *crowd = left;
        else
            first += size;
    }
}

bool crowd_none_to_spare(struct crowd *crowd, unsigned trials)
{
    for (unsigned trial = 0; trial < trials; trial++) {
        struct crowd left = *crowd;
        crowd_shuffle(&left);
        left.count--;
        if (crowd_overflows(&left, SPARING) || !seats_ok(crowd_pages(crowd)))
            return false;
    }
    return true;
}
