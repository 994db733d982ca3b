// SPDX-License-Identifier: BSD-2-Clause
/* tlb_notes.c: the findings of a TLB's levels. */
#include "probes/tlb_notes.h"
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/tlb_tries.h"

static const char BITS[] = "bit mask"; /* unit */

void tlb_id(const struct tlb *tlb, unsigned level, const char *what, char id[28])
{
    struct text text = text_in(id, 28);
    text_format(&text, "%s%u.%s.%s", tlb->side->name, level, tlb->size->name, what);
}

const char *tlb_reason(const struct tlb *tlb, const char *why)
{
    if (!bench_ok(&tlb->bench))
        return tlb->bench.skipped ? "skipped" : machine_why(tlb->bench.machine);
    if (tlb->pages.spent)
        return "it would take too many accesses";
    return tlb->pages.undecided ? "noise left a decision open" : why;
}

void tlb_note_missing(const struct tlb *tlb, unsigned level, uint64_t cost, const char *why)
{
    static const char *const all[][2] = {
        {"entries", "entries"}, {"ways", "ways"}, {"sets", "sets"}, {"bits", BITS}, {"penalty", "cycles"}};
    why = tlb_reason(tlb, why);
    for (unsigned i = 0; i < sizeof all / sizeof *all - (level == 1); i++) {
        char id[28];
        tlb_id(tlb, level, all[i][0], id);
        note_missing(tlb->notebook, id, all[i][1], cost, "%s", why);
    }
}

/* A neighbour may hold an entry of a level for all of a run, and where there is one set, one fewer of any number is as
 * good a level: on a Zen 4 two tries agreed on 71 for 72, as few moments of 40 seconds were free of whoever it was. Of
 * a first level's sets one would have fewer ways then, which rows speak against. A second level is filled by others all
 * the time, by walks of a host's tables, too: of eight ways and 512 sets a Zen 5's rows showed half or less, and two
 * tries agreed on seven ways and 256 sets, bits of which did not add up. Where all bits do, nothing but a neighbour
 * speaks against it. */
static double neighbours_own(const struct tlb *tlb, unsigned level, const struct shape *shape)
{
    if (level > 1 && !shape->plain && shape->sets > 1)
        return tries_on(tlb->bench.machine) > 1 ? UNCONFIRMED : 0;
    return level > 1 || shape->sets == 1 ? tries_neighbour(tlb->bench.machine) : 0;
}

bool tlb_note_shape(struct tlb *tlb, unsigned level, const struct shape *shape, double error, uint64_t cost)
{
    char id[28];
    uint64_t fit = shape->ways * shape->sets * shape->neighbours;
    error += tlb_unconfirmed(tlb, level, fit) + neighbours_own(tlb, level, shape);
    double confidence = confidence_from(error);
    tlb->level[level - 1] = (struct level){.fit = fit, .doubt = error};
    if (tlb_agreed_before(tlb, level) && tlb_agreed_before(tlb, level) != fit)
        return false;
    tlb_id(tlb, level, "ways", id);
    note_value(tlb->notebook, id, shape->ways, "ways", confidence, cost,
               "the fewest pages that do not fit, less one (after paper 000, section 6)");
    tlb_id(tlb, level, "sets", id);
    note_value(tlb->notebook, id, (double)shape->sets, "sets", confidence, cost,
               shape->plain ? "page-number bits that relieve a crowd, and what a row of pages says"
                            : "what a row of pages says, and no bits that speak against it");
    tlb_id(tlb, level, "entries", id);
    note_value(tlb->notebook, id, (double)(shape->ways * shape->sets), "entries", confidence, cost,
               "pages in a row that fit, and ways times sets");
    tlb_id(tlb, level, "bits", id);
    if (shape->plain)
        note_value(tlb->notebook, id, shape->bits, BITS, confidence, cost,
                   "page-number bits that relieve a crowd, each by itself (after paper 000, section 6)");
    else
        note_missing(tlb->notebook, id, BITS, cost, "the index is no plain bits");
    return true;
}

void tlb_note_penalty(const struct tlb *tlb, double cycles, double error, uint64_t cost)
{
    char id[28];
    tlb_id(tlb, 2, "penalty", id);
    note_value(tlb->notebook, id, cycles, "cycles", confidence_from(error), cost,
               "pages that the first level lacks and the second has, against the same lines in few pages");
}
