// SPDX-License-Identifier: BSD-2-Clause
/* held.c: counting what is held.
 *
 * 1. Entries are all held as long as they fit, whatever goes first when they do not: more than there is room for can
 *    never be. The largest number that is held, in either order, is found by doubling and halving.
 * 2. Two and four times as many fill every set to its last way, and as many are held as there are, the same ones each
 *    time, unless it is chance which ones go. That counts where some ways are taken: by the entries above, of a cache
 *    for all levels.
 * 3. Where it is chance which ones go, none but those that are always held are counted. */
#include "probes/held.h"

enum {
    MOST_KEPT = 256, /* that are counted */
    TRIES = 3
};

/* How sure a count is: every look says the same; only what fills all sets does; what goes first is chance; walks of the
 * machine's own come between, or may. */
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

/* The most, up to `most`, of which all are held again and again: not by chance. */
static bool always_held(struct fork *fork, unsigned most, unsigned *count)
{
    enum { TIMES = 24 };
    bool held = false;
    for (*count = most; *count && !held; *count -= !held) {
        held = true;
        for (unsigned i = 0; i < TIMES * *count && held; i++)
            if (!fork_held(fork, &(struct held_question){.used = *count, .asked = i % *count}, &held))
                return false;
    }
    return true;
}

/* How many of so many are held, asked for one by one, several times. */
struct counted {
    unsigned any;  /* at least once */
    unsigned span; /* of the last so many */
    double mean;
    bool alike; /* nearly always the same ones: a few that are held once only were pushed out by walks of others */
};

static bool count_held(struct fork *fork, unsigned used, struct counted *counted)
{
    enum { FEW_OF = 8, LEAST_LOOKS = 64 };
    unsigned differ = 0, looks = 2 + LEAST_LOOKS / used;
    *counted = (struct counted){0};
    for (unsigned i = 0; i < used; i++) {
        struct held_question question = {.used = used, .asked = i};
        unsigned times = 0;
        for (unsigned look = 0; look < looks; look++) {
            bool held;
            if (!fork_held(fork, &question, &held))
                return false;
            times += held;
        }
        counted->any += times > 0;
        counted->mean += (double)times / looks;
        differ += times > 0 && times < looks;
        if (times && !counted->span)
            counted->span = used - i;
    }
    counted->alike = differ * FEW_OF <= used;
    return true;
}

/* It is chance which ones go. Where empty ways are filled first, those that fit are always held, and so many are held
 * of any number, give or take (a variance of a quarter of it; two standard deviations are let pass). Entries above PDEs
 * are used by the machine, too, and take ways that are not pushed out in turn. */
static bool count_by_chance(struct fork *fork, unsigned fits, double mean, struct kept *kept)
{
    if (!always_held(fork, fits, &fits))
        return false;
    kept->why = "it is chance which ones are kept";
    kept->chance = true;
    kept->known = fork->level == PDE && 2 * (mean - fits) * (mean - fits) < fits;
    kept->entries = fits;
    kept->confidence = BY_CHANCE;
    return true;
}

bool held_count(struct fork *fork, unsigned level, struct kept *kept)
{
    unsigned regions = fork_regions(fork, level), most = regions < MOST_KEPT ? regions : MOST_KEPT, fits;
    struct counted twice, four;
    if (!fork_at(fork, level) || !most_held(fork, most, &fits))
        return false;
    *kept = (struct kept){.any = true, .why = "all that there are addresses for are kept"};
    if (most == MOST_KEPT)
        kept->why = "more than 256 of one level are kept, as in a TLB: they are not counted further";
    if (fits == most)
        return true;
    unsigned more = 4 * fits < regions ? 4 * fits : regions;
    if (!count_held(fork, more / 2, &twice) || !count_held(fork, more, &four))
        return false;
    if (!twice.alike || !four.alike)
        return count_by_chance(fork, fits, four.mean, kept);
    bool undisturbed = level < fork->levels; /* entries of the highest table are swapped by the machine itself */
    kept->known = true;
    kept->used = more;
    kept->span = four.span;
    kept->entries = four.any > fits ? four.any : fits;
    kept->confidence = four.any == fits && undisturbed ? SURE : BETWEEN;
    if (four.any > fits)
        kept->confidence = four.any != twice.any ? 0 : undisturbed ? FAIRLY : BETWEEN;
    return true;
}
