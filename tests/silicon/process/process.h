// SPDX-License-Identifier: BSD-2-Clause
/* process.h: a modelled machine as an implementation of kernel/machine.h, inside one process: page tables and memory
 * are its own, and nothing is executed but the model. */
#pragma once
#include "kernel/front.h"
#include "kernel/host.h"
#include "tests/silicon/description.h"

/* Opens one. The description is copied. NULL: *why says what is wrong with it. */
struct machine *process_open(struct host *, const struct description *, uint64_t seed, struct recording *,
                             const char **why);

/* Turns off the multiplication of laps that repeat exactly, so that a test can compare both ways. */
void process_simulate_all(struct machine *, bool);

/* The model inside, for tests. */
struct silicon *process_silicon(struct machine *);
