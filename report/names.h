// SPDX-License-Identifier: BSD-2-Clause
/* names.h: what the parts of an id are called in the field: "l1d" is the L1 data cache. A part that is not known here
 * is called what it is. */
#pragma once
#include "base/text.h"

/* The first part of an id, up to its first dot; whole: up to its last. Returns how many characters that is. */
size_t group_length(const char *id);
size_t stem_length(const char *id);

/* Whether two ids have the same first part; whether they have all parts but the last in common. */
bool same_group(const char *one, const char *other);
bool same_stem(const char *one, const char *other);

/* Adds what the group of an id is called: "L1 data cache". */
void group_title(struct text *, const char *id);

/* A level of the hierarchy for loads, from the core outwards: "l1d", "l2", "l3", "l4", "mem"; NULL after the last. */
const char *level_id(unsigned index);

/* What a level is called where there is little room: "L1D". */
const char *level_name(unsigned index);

/* Adds what a curve is about: "Load latency against footprint"; and its id when it stands alone in its picture, or what
 * the ids in its picture have in common when other pictures have the same name. */
void curve_title(struct text *, const char *id, bool alone);

/* What the axes of a curve are, without units; "" when not known. */
const char *curve_x(const char *id);
const char *curve_y(const char *id);

/* Whether a curve shows the levels of the hierarchy, so that their sizes and latencies are to be seen in it. */
bool curve_of_levels(const char *id);

/* Adds what tells a curve from others in the same picture: "2 MB pages" for latency.2m, "ascending" for up, else the
 * id's last part. */
void curve_label(struct text *, const char *id);
