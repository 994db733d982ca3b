// SPDX-License-Identifier: BSD-2-Clause
/* held.c: counting what is held.
 *
 * 1. Entries are all held as long as they fit, whatever goes first when they do not: more than there is room for can
 *    never be. The largest number that is held, in either order, is found by doubling and halving.
 * 2. Two and four times as many fill every set to its last way, and as many are held as there are, the same ones each
 *    time, unless it is chance which ones go. That counts where some ways are taken: by the entries above, of a cache
 *    for all levels. Where it is chance, the first count stands if those that fit always do. */
#include "probes/held.h"

enum {
    MOST_KEPT = 256, /* that are counted */
    TRIES = 3
};

/* How sure a count is: every look says the same; only what fills all sets does; what goes first is chance; the
 * machine's own walks come between, or may, since it swaps
 * entries of the highest table itself. */
static const double SURE = 0.995, FAIRLY = 0.95, BY_CHANCE = 0.9, BETWEEN = 0.85;

/* Whether all of so many entries are held, in one order or the other. */
static bool all_held(struct fork *fork, unsigned count, bool *held)
{
    *held = false;
    for (unsigned try = 0; try < TRIES && !*held; try++) {
        struct held_question question = {.used = count, .backwards = try == 1};
        *held = true;
        for (unsigned i = 0; i < count && *held; i++) {
            question.asked = question.backwards ? count - 1 - i : i;
            if (!fork_held(fork, &question, held))
                return false;
        }
    }
    return true;
}

/* The most that are all held: up to `most`. */
static bool most_held(struct fork *fork, unsigned most, unsigned *count)
{
    unsigned fits = 0, more = 1;
    bool held = true;
    while (held && fits < most) {
        if (!all_held(fork, more, &held))
            return false;
        if (held) {
            fits = more;
            more = 2 * fits < most ? 2 * fits : most;
        }
    }
    while (!held && more - fits > 1) {
        unsigned middle = (fits + more) / 2;
        bool fit;
        if (!all_held(fork, middle, &fit))
            return false;
        *(fit ? &fits : &more) = middle;
    }
    *count = fits;
    return true;
}

/* Whether all of so many entries are held again and again: they are not by chance. */
static bool always_held(struct fork *fork, unsigned count, bool *held)
{
    enum { TIMES = 8 };
    *held = true;
    for (unsigned i = 0; i < TIMES * count && *held; i++)
        if (!fork_held(fork, &(struct held_question){.used = count, .asked = i % count}, held))
            return false;
    return true;
}

/* How many of so many are held, asked for one by one, twice. *alike: nearly always the same ones; then a few that are
 * held once only were pushed out by walks of others. */
static bool count_held(struct fork *fork, unsigned used, unsigned *count, bool *alike)
{
    enum { FEW_OF = 8 };
    unsigned differ = 0;
    *count = 0;
    for (unsigned i = 0; i < used; i++) {
        struct held_question question = {.used = used, .asked = i};
        bool held, again;
        if (!fork_held(fork, &question, &held) || !fork_held(fork, &question, &again))
            return false;
        *count += held || again;
        differ += held != again;
    }
    *alike = differ * FEW_OF <= used;
    return true;
}

bool held_count(struct fork *fork, unsigned level, struct kept *kept)
{
    unsigned regions = fork_regions(fork, level), most = regions < MOST_KEPT ? regions : MOST_KEPT;
    unsigned fits, twice = 0, four = 0;
    bool alike = false, alike_four = false;
    if (!fork_at(fork, level) || !most_held(fork, most, &fits))
        return false;
    *kept = (struct kept){.any = true, .why = "all that there are addresses for are kept"};
    if (most == MOST_KEPT)
        kept->why = "more than 256 are kept, as in a TLB: they are not counted further";
    if (fits == most)
        return true;
    unsigned more = 4 * fits < regions ? 4 * fits : regions;
    if (!count_held(fork, more / 2, &twice, &alike) || !count_held(fork, more, &four, &alike_four))
        return false;
    *kept = (struct kept){.known = true, .any = true, .entries = fits, .confidence = BY_CHANCE};
    if (!alike || !alike_four) { /* it is chance which ones go; empty ways may be filled first all the same */
        kept->why = "it is chance which ones are kept";
        return always_held(fork, fits, &kept->known);
    }
    kept->confidence = four == fits && level < fork->levels ? SURE : BETWEEN;
    if (four > fits) {
        kept->entries = four;
        kept->confidence = four == twice ? level < fork->levels ? FAIRLY : BETWEEN : 0;
    }
    return true;
}
