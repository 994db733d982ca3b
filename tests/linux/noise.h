// SPDX-License-Identifier: BSD-2-Clause
/* noise.h: what others take of this core's time, while no probe is measuring. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* How many of a hundred runs of walks that fit take an eighth longer than the shortest of three seconds: others use
 * this core, or half of it, now and then. Of loads, of 64 pages, and of jumps, whichever are more: a core whose threads
 * take turns to fetch slows jumps, which take a cycle each on a Zen 5 and 1.0 to 1.4 beside a thread of somebody
 * else's, while loads, one at a time, all took from 4.0 to 4.1 cycles. rdtscp: whether the CPU has RDTSCP. False: there
 * is no memory for them, or none for code. */
bool noise_here(uint64_t rdtscp, unsigned *share);
