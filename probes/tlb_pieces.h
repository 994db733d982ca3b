// SPDX-License-Identifier: BSD-2-Clause
/* tlb_pieces.h: whether a level keeps large pages as pieces: a part of probes/tlb.c.
 *
 * Some TLBs have no entries for a size of page, and keep of each page the smaller one that was visited (AMD keeps pages
 * of 1 GB as ones of 2 MB). Under a hypervisor that backs a guest's large pages with small ones of its own all TLBs do
 * (Intel SDM volume 3, "Details of TLB use" and "EPT translation mechanism": no entry is larger than the smaller of the
 * two). Pages that are all visited near their beginning then ask for pieces with the same low bits in their numbers,
 * which are of one set: six pages of 2 MB fill a set of six ways, of sixteen, and the row and the crowd agree that
 * there are six entries. So a quarter more pages than there seem to be entries are visited in other pieces each.
 * Whole pages are as many as before; pieces find room in the other sets. That is asked in several ways
 * (probes/seats.h). Where pieces are kept and find no room either, all sets were in use, or there is one: then their
 * number is right, whatever is kept. */
#pragma once
#include "probes/tlb_rows.h"

/* Asks whether more pages than a level of so many entries has fit once they are visited in other places. hit: core
 * cycles that a hit of the level takes more than one of the first. Also false where that cannot be asked: *error grows
 * by what is left to doubt. True: *why says so. */
bool tlb_keeps_pieces(struct tlb *, uint64_t entries, double hit, double *error, const char **why);
