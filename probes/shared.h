// SPDX-License-Identifier: BSD-2-Clause
/* shared.h: whether pages of two sizes are kept in the same entries of a TLB.
 *
 * As many small pages as fit are visited, then as many large ones, and then it is looked whether the small ones are
 * still there: a lap over them takes longer if they are not. Two controls stand beside it: the same lines as the large
 * pages have, in few pages, push nothing out; as many small pages more do. Nobody needs to know sets or policies for
 * that (after paper 000, section 6, and the one of TLBs that are flushed by others' entries: TLB;DR, USENIX Security
 * 2022). */
#pragma once
#include "probes/seats.h"

/* Asks it of pages of `page` bytes, of which so many fit, and of those of the seats, which are larger. miss: ticks that
 * a small page which the level lacks takes longer; 0: as long as after more small pages. surely: that is a hit of the
 * next level; else there may be one that is not known, whose hits take less. False: *why says why not, or see seats_ok.
 */
bool shared_ask(struct seats *, uint64_t page, uint64_t fit, double miss, bool surely, bool *shared, const char **why);
