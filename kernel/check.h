// SPDX-License-Identifier: BSD-2-Clause
/* check.h: what every call of the waist must look like, whichever machine serves it. Each check refuses (with the
 * offending numbers) and returns false, or returns true. */
#pragma once
#include "kernel/front.h"

bool check_granted(struct machine *, uint64_t pa, uint64_t size); /* [pa, pa + size) lies inside one span */
bool check_mapping(struct machine *, uint64_t va, uint64_t pa, uint64_t size, uint64_t page, enum memtype);
bool check_entry(struct machine *, uint64_t va, unsigned level);
bool check_link(struct machine *, enum op, uint64_t from, uint64_t to);
bool check_tasks(struct machine *, const struct task *, size_t count);
bool check_visits(struct machine *, const struct visit *, size_t count);
bool check_block(struct machine *, const struct block *, uint64_t steps);
