// SPDX-License-Identifier: BSD-2-Clause
/* walk.h: cyclic walks over a described set of stops, mostly in pseudo-random order, without storing an order.
 *
 * The random order is a permutation of the stop numbers computed on demand (a Feistel network over the smallest power
 * of two that holds them; numbers beyond the last stop are sent through again until they fall inside: "cycle walking",
 * Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). So a walk over a gigabyte costs no memory
 * of its own, and any position of it can be named without going there. */
#pragma once
#include "kernel/machine.h"

/* Stops: `count` groups of `inner_count` stops. Group j starts at base + j * stride, its stop k lies inner_stride * k
 * further on. Groups from `shifted_from` up lie `shift` bytes higher. With `rotated`, the page
 * offset of group j is moved on, round the same page, by an amount of its own: the same pages, but different sets.
 * With `number` or `spread` it is not j that the stride is multiplied by, but number[j], or j with its bits moved to
 * those that are set in spread. With `seats`, group j lies further on by its seat, modulo so many bytes: seats lie
 * `pitch` bytes apart; those on end fill a page of 4096, or the first half of it, and the next ones another page. Or
 * `count` stops that follow no such rule and are listed one by one. */
struct stops {
    uint64_t base, stride, count;       /* bytes, bytes, groups */
    uint64_t inner_stride, inner_count; /* bytes, stops of a group; inner_count at least 1 */
    uint64_t shifted_from, shift;       /* group number, bytes */
    bool rotated;
    const uint64_t *listed; /* their addresses; NULL: stops are as described */
    const uint32_t *number; /* NULL: by spread */
    uint64_t spread;        /* 0: j itself */
    uint64_t seats;         /* bytes; 0: none */
    uint64_t pitch;         /* bytes: TIGHT, SEAT or a larger power of two; 0: SEAT */
    uint64_t sharing;       /* groups that have one number, where neither list nor spread says which; 0: each its own */
};

/* A plain sequence of paper 000: count stops, stride bytes apart. */
struct stops stops_sequence(uint64_t base, uint64_t stride, uint64_t count);

/* Stops at `count` addresses, 1 or more, that stay where they are as long as the stops are used. No address twice. */
struct stops stops_listed(const uint64_t *addresses, uint64_t count);

uint64_t stops_count(const struct stops *);
uint64_t stops_address(const struct stops *, uint64_t stop);
uint64_t stops_extent(const struct stops *); /* bytes from base to the end of the last stop; not of listed ones */

enum order { ORDER_RANDOM, ORDER_ASCENDING, ORDER_DESCENDING }; /* by the numbers of the stops */

struct walk {
    struct stops stops;
    enum op op;
    enum order order;
    uint64_t seed; /* of the random order */
    uint64_t length;
    unsigned low_bits, high_bits; /* of the permutation's domain */
};

enum {
    NEIGHBOURS = 3
}; /* stops of the smallest walk: odd, so that no load instruction of a loop sees one value only */

/* The number of group j, that the stride is multiplied by. */
uint64_t stops_number(const struct stops *, uint64_t group);

enum { TIGHT = 16, SEAT = 64 }; /* bytes: several seats in one line, or a line each */

/* Bytes from the first seat to seat j, by their pitch. Tight seats have the first half of their page of memory; the
 * second one is free for whoever is compared with them. */
uint64_t stops_seat(uint64_t group, uint64_t pitch);

/* Seats of a page of memory. */
uint64_t stops_seats_a_page(uint64_t pitch);

/* A control for a sequence in pages of `page` bytes: one stop in each of its pages, spread over the sets, or NEIGHBOURS
 * stops when it lies in one page or two. */
struct stops stops_control(const struct stops *signal, uint64_t page);

/* In random order; the field may be set to another one before the walk is linked. */
struct walk walk_over(const struct stops *, enum op, uint64_t seed);

/* The stop number and the address at a position; positions count from 0 and wrap at the length. */
uint64_t walk_stop(const struct walk *, uint64_t position);
uint64_t walk_address(const struct walk *, uint64_t position);

/* Whether stops are jumps. Those of a walk are counted by laps (task.lap), each from the first stop on. */
bool op_jumps(enum op);

/* Links the stops from position `from` to position `to` - 1, each to the one after it. All of them: 0 to length. */
bool walk_link(struct machine *, const struct walk *, uint64_t from, uint64_t to);
