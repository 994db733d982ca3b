// SPDX-License-Identifier: BSD-2-Clause
/* interference.h: which lines of the second level a walk pushes out, by how far apart its stops are (paper 004, section
 * 3.2). */
#pragma once
#include "probes/finding.h"
#include "probes/sample.h"

/* Notes two curves, in core cycles a load of a measured walk, right after an interfering one, with prefetchers as the
 * bench has them; and as interference.sizes how many points they have, or why there are none. interference.stride: the
 * measured walk goes over the lines of half of the second level, the interfering one over as many bytes as it has, with
 * stops so many bytes apart: once these are further apart than what a miss brings, lines of the measured one stay.
 * interference.offset: both go over lines 256 bytes apart, the interfering ones so many bytes further on: those of them
 * that bring lines where the other walk has its own push these out. Needs l2.size and l1d.line in the notebook, and
 * bench->cycles_per_tick. Maps its own memory. False: skipped or refused. */
bool interference_note(struct bench *, struct notebook *);
