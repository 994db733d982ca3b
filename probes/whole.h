// SPDX-License-Identifier: BSD-2-Clause
/* whole.h: whether units that share a set wherever they are, as those of one line do, are one line of a level. */
#pragma once
#include "probes/push.h"

/* What is known of them. WHOLE_PARTS: that each can be flushed alone: no. WHOLE_OPEN: one flush takes all of them, and
 * nothing tells them from lines of their own that a prefetcher brings together. WHOLE_LINE: yes. WHOLE_TOUCHED: yes, by
 * what a load of one half does for the other; a prefetcher that uses what it finds would do the same. */
enum whole { WHOLE_PARTS, WHOLE_OPEN, WHOLE_LINE, WHOLE_TOUCHED };

/* Tells it of so many units of a region, a power of two, by a level's two scenes. nearer: what the levels before it
 * are. */
enum whole whole_tell(struct push *, const struct scene scene[2], const struct nearer *, uint64_t units);
