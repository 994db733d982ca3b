// SPDX-License-Identifier: BSD-2-Clause
/* colour.h: whether virtual or physical addresses choose the first level's sets.
 *
 * Where a way is larger than a page, the lines of a page can be in several places of the index: the page has a colour.
 * One line more than the ways, each in a physical page of its own, is read twice over: once with all pages mapped to
 * virtual addresses of one colour, once with half of them moved on by a page, to another colour. If virtual addresses
 * choose the set, the lines do not fit in the first layout and do in the second. If physical ones do, the layout makes
 * no difference, whatever the pages are: so their physical order need not be known. (Paper 004, section 3.4, compares
 * pages that the operating system gave with coloured ones; views make it possible to leave the physical pages alone.)
 *
 * Two rows of pages, one meant to be of two physical colours and one of one, may not contradict each other. */
#pragma once
#include "probes/fit.h"

enum colour_answer { COLOUR_OPEN, COLOUR_VIRTUAL, COLOUR_PHYSICAL };

/* fit: bench, and ticks that a miss costs at least (miss); its stretch is replaced. way: bytes, more than
 * `page`, the smallest page. The view has to be unmapped. error: of the decisions. OPEN: fit_usable, fit->wrong and
 * fit->undecided say why, or the machine. */
enum colour_answer colour_of_index(struct fit *, uint64_t page, uint64_t way, unsigned ways, double *error);
