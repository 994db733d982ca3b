// SPDX-License-Identifier: BSD-2-Clause
/* timing.h: what can be known about the clock, and what one core can run, with the timed loops alone: no privilege, so
 * bare metal and user space share it. */
#pragma once
#include "kernel/machine.h"

/* Overhead of the timed loops, in ticks: the lowest of many empty runs. rdtscp: 1 where the CPU has RDTSCP, else 0. */
uint64_t timing_overhead(uint64_t rdtscp);

/* The smallest difference that the clock can show, in ticks, 1 when it can show every one: found from the differences
 * of many runs of growing length. */
uint64_t timing_step(uint64_t rdtscp);

enum { STEP_DIFFERENCES = 1024 };

/* That, from how often each difference of two runs was read: of 4096, a fifth of which differ by less than that. A
 * clock whose step is no whole number of ticks, because the hypervisor scales it or because it counts at a multiple of
 * half the reference clock, shows steps that differ by a tick (24 and 25 on a Zen 3 whose step is 24.5): the shorter
 * one is the step. Steps up to 512 ticks, below 8 only whole ones. */
uint64_t timing_step_of(const uint16_t times[STEP_DIFFERENCES]);

/* Whether LFENCE keeps RDTSC from being executed before a chain of multiplications that stands before it. On AMD
 * families 10h to 17h it does only after an MSR says so. */
bool timing_fence_serialises(void);

/* Ticks a second as the CPU or its hypervisor declares them, and who says so; 0: nobody does. */
uint64_t timing_declared_hz(const char **source);

/* Ticks a second from `ticks` that passed in `microseconds`; 0 when no time passed. */
uint64_t timing_hz(uint64_t ticks, uint64_t microseconds);

/* The middle one of three. */
uint64_t timing_middle(const uint64_t three[3]);

/* value * numerator / denominator without overflow in between; 0 when denominator is 0. Exact while both are below
 * 2^32, to 1 part in 2^31 otherwise. */
uint64_t timing_scale(uint64_t value, uint64_t numerator, uint64_t denominator);

/* Whether one core can run these tasks together: NULL, or why not. All tasks name core 0. */
const char *timing_refusal(const struct task *tasks, size_t count);

/* Runs them once. base: of the view. made[i]: visits made by task i. Returns ticks, overhead included. */
uint64_t timing_run(const struct task *tasks, size_t count, uint64_t base, uint64_t rdtscp, uint64_t made[MAX_TASKS]);

/* Runs a block once. Returns ticks, overhead included. */
uint64_t timing_block(const struct block *, uint64_t steps, uint64_t rdtscp);

/* ticks - overhead, not below 0. */
uint64_t timing_net(uint64_t ticks, uint64_t overhead);
