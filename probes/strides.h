// SPDX-License-Identifier: BSD-2-Clause
/* strides.h: what loads take of pages that lie far apart (paper 004, Figures 3 and 4). */
#pragma once
#include "probes/finding.h"
#include "probes/sample.h"

/* Notes curves, structures.512, .8k, .256k and .128m, in core cycles a load against pages, for pages of 4 KB that lie
 * so many pages apart: from 512 on each has a PDE of its own, from 256 K on a PDPTE, from 128 M on a PML4E, as far as
 * the view reaches. Pages are far apart in memory, too, and their lines in other sets each, so that neither are they
 * joined nor do data miss. And as structures.sizes how many points these have, or why there are none. Maps its own
 * memory. False: skipped. */
bool strides_note(struct bench *, struct notebook *);
