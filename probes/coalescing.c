// SPDX-License-Identifier: BSD-2-Clause
/* coalescing.c: whether entries of the TLBs that loads look in are for several pages, or for less than one.
 *
 * Findings: dtlb1.4k.run, dtlb2.4k.run: neighbouring pages of 4 KB with neighbouring frames that one entry translates,
 * once it was made for one of them; 1: none but that page. dtlb1.4k.aligned: whether such a run begins at a multiple of
 * its length. dtlb1.2m.split, dtlb1.1g.split: whether the first level keeps pieces of these pages.
 *
 * 1. Pages that all lie side by side, with their frames: after one of them was loaded, which of the others does an
 *    entry cover (probes/cover.h)? Asked of the pages at all places of a run, that tells length and alignment of what
 *    any level joins. Pages whose frames lie apart are the control: whatever covers those was fetched ahead, and
 *    nothing is said then.
 * 2. By the clock: the first level joins what takes no longer than a load once more. What is covered by none has to
 *    take longer, or clock and words contradict each other.
 * 3. The second level is asked once other pages have pushed the first one's entries out: as many as make loads slow
 *    that still show old words.
 * 4. Of a large page, two places half of it apart are asked likewise. */
#include "base/arithmetic.h"
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/neighbours.h"
#include "probes/probes.h"
#include "probes/rate.h"

enum {
    PAGE = 4096,
    LONGEST = BLOCK / 2, /* pages */
    FEWEST_PUSHED = 32,
    TRIES = 8, /* of a question whose entries were lost */
    ASKED = 32 /* questions to a level that draws lots, perhaps */
};

/* How far above the memory's own mapping pages lie, bytes. By the low bits of addresses first levels of cache choose
 * sets and predict ways (probes/hang.h): where they have a number of sets that is no power of two, by the rest. By the
 * low bits of numbers TLBs choose sets, so that pages that are alike in these may be too many. One of the distances
 * will do. */
enum { ODD = 9 * 5 * 7 * 11 };
#define DISTANCE     ((uint64_t)1 << 32)
#define DISTANCE_ODD ((uint64_t)27 * ODD << 22)
#define DISTANCE_FAR ((uint64_t)ODD << 30)

/* A part of what was asked is all of it, nearly; and what such a part leaves to chance. */
static const double MOST_OF = 0.9, CHANCE = 2e-3;

/* Core cycles: another number of pages that push makes loads so much slower, or none. */
static const double LEAST_MORE = 0.5;

/* Core cycles that the second level takes more than the first, at least; and the share that it may lose. */
static const double LEAST_SECOND = 1.5, MOST_LOST = 0.5;

struct coalescing {
    struct bench bench;
    struct notebook *notebook;
    struct neighbours all;
    unsigned run; /* that some level joins */
    bool aligned;
    unsigned pairs;  /* that are timed together */
    unsigned shift;  /* of the pages that are timed together, in their blocks */
    double error;    /* of what is said, so far */
    const char *why; /* why not */
};

static const char *reason(const struct coalescing *runs)
{
    if (!bench_ok(&runs->bench))
        return runs->bench.skipped ? "skipped" : machine_why(runs->bench.machine);
    return runs->why;
}

/* Asks until no entry was lost, and all pairs must say the same. LOST: they do not, or are lost again and again. */
static bool ask(struct coalescing *runs, const struct pairs *pairs, enum covered *covered)
{
    enum covered answer[MOST_PAIRS];
    bool lost = true;
    *covered = LOST;
    for (unsigned attempt = 0; lost && attempt < TRIES; attempt++) {
        if (!cover_ask(&runs->bench, pairs, NULL, answer))
            return false;
        lost = false;
        for (unsigned i = 0; i < pairs->count; i++)
            lost = lost || answer[i] == LOST;
    }
    bool alike = !lost;
    for (unsigned i = 1; i < pairs->count; i++)
        alike = alike && answer[i] == answer[0];
    if (alike)
        *covered = answer[0];
    return true;
}

/* Whether no neighbours are covered whose frames lie apart. False: *why. */
static bool control(struct coalescing *runs)
{
    unsigned known = 0, asked = 0;
    for (unsigned i = 1; i + 1 < BLOCK; i++)
        for (unsigned up = 0; up < 2; up++) {
            struct pairs pairs = {
                .count = 1, .first = {runs->all.lonely[i]}, .second = {runs->all.lonely[i - 1 + 2 * up]}};
            enum covered covered;
            if (!ask(runs, &pairs, &covered))
                return false;
            runs->why = "translations of neighbours come by themselves";
            if (covered == COVERED)
                return false;
            known += covered == WALKED_TO;
            asked++;
        }
    runs->why = "entries are lost before they can be asked";
    return known > MOST_OF / 2 * asked;
}

/* The pages that are covered once page `number` was loaded: bit LONGEST is that page. The same in two blocks. 0: its
 * entries are lost, since whoever plays a script needs some of the same set. */
static bool covered_by(struct coalescing *runs, unsigned number, uint64_t *pages)
{
    *pages = (uint64_t)1 << LONGEST;
    for (unsigned bit = 0; bit <= 2 * LONGEST; bit++) {
        enum covered covered[2] = {LOST, LOST};
        for (unsigned block = 0; block < 2 && bit != LONGEST; block++) {
            unsigned at = number + 2 * BLOCK * block;
            struct pairs pairs = {
                .count = 1, .first = {runs->all.spot[at]}, .second = {runs->all.spot[at + bit - LONGEST]}};
            if (!ask(runs, &pairs, &covered[block]))
                return false;
        }
        runs->why = "the same question was answered differently";
        if (bit != LONGEST && (covered[0] == LOST || covered[1] == LOST)) {
            *pages = 0;
            return true;
        }
        if (covered[0] != covered[1])
            return false;
        if (covered[0] == COVERED)
            *pages |= (uint64_t)1 << bit;
    }
    return true;
}

/* The pages of an aligned run, as covered_by has them. */
static uint64_t aligned_run(unsigned number, unsigned length)
{
    return (((uint64_t)1 << length) - 1) << (LONGEST - number % length);
}

/* Whether all that is known is what aligned runs of that length would show. */
static bool is_aligned(const uint64_t *pages, unsigned length)
{
    for (unsigned i = 0; i < LONGEST; i++)
        if (pages[i] && pages[i] != aligned_run(LONGEST + i, length))
            return false;
    return true;
}

/* Which run of pages some level joins. False: *why. */
static bool find_run(struct coalescing *runs)
{
    uint64_t pages[LONGEST];
    unsigned known = 0, length = 0;
    for (unsigned i = 0; i < LONGEST; i++) {
        if (!covered_by(runs, LONGEST + i, &pages[i]))
            return false;
        known += pages[i] != 0;
        if (pages[i])
            length = bits_set(pages[i]);
    }
    runs->why = "entries are lost before they can be asked";
    if (known < LONGEST / 2)
        return false;
    runs->run = length;
    runs->aligned = length <= LONGEST && is_aligned(pages, length);
    runs->why = "which neighbours are covered follows no rule";
    for (unsigned i = 0; i < LONGEST; i++)
        if (pages[i] && bits_set(pages[i]) != length)
            return false;
    return length <= LONGEST;
}

/* Pairs of pages that lie so far apart: inside of an aligned run of twice that, where runs are aligned; a pair in each
 * block, and no two of them in one set of a TLB. */
static struct pairs at_distance(const struct coalescing *runs, unsigned distance)
{
    enum { TURN = 9 }; /* more than half of a run of 16, so that neither pages nor runs of them share a set */
    struct pairs pairs = {.count = runs->pairs};
    for (unsigned i = 0; i < runs->pairs; i++) {
        unsigned number = i * BLOCK + runs->shift + i * TURN;
        pairs.first[i] = runs->all.spot[number];
        pairs.second[i] = runs->all.spot[runs->aligned ? number ^ distance : number + distance];
    }
    return pairs;
}

/* Whether the clock says that the first level covers pages at a distance. False: it says neither: *why. */
static bool is_fast(struct coalescing *runs, unsigned distance, struct taken *taken)
{
    struct pairs pairs = at_distance(runs, distance);
    if (distance < runs->run ? !cover_time_each(&runs->bench, &pairs, taken)
                             : !cover_time(&runs->bench, &pairs, NULL, taken))
        return false;
    runs->error += taken->error;
    runs->why = "noise left it open";
    return taken->speed != UNKNOWN;
}

/* Whether places stay where loads find them at once until they are timed: their entries in the first level of TLB,
 * their lines in that of cache. */
static bool stay(struct coalescing *runs, const struct pairs *pairs)
{
    struct pairs self = *pairs;
    struct taken taken;
    for (unsigned i = 0; i < self.count; i++)
        self.first[i] = self.second[i];
    if (!cover_time(&runs->bench, &self, NULL, &taken) || taken.speed != FAST)
        return false;
    runs->error += taken.error;
    return true;
}

/* Opens small pages that stay: four pairs, or fewer where a level gives entries up early. False: *why. */
static bool open_small(struct coalescing *runs)
{
    enum { SHIFTS = 4 };
    static const uint64_t distances[] = {DISTANCE, DISTANCE_ODD, DISTANCE_FAR};
    for (unsigned i = 0; i < sizeof distances / sizeof *distances && bench_ok(&runs->bench); i++) {
        if (i)
            neighbours_close(&runs->all);
        bool open = neighbours_open(&runs->all, &runs->bench, distances[i]);
        runs->why = runs->all.why;
        for (runs->pairs = MOST_PAIRS; open && runs->pairs; runs->pairs /= 2)
            for (runs->shift = 1; runs->shift <= SHIFTS && bench_ok(&runs->bench); runs->shift++) {
                struct pairs pairs = at_distance(runs, 0);
                if (stay(runs, &pairs))
                    return true;
            }
        if (open)
            runs->why = "entries are lost before they can be timed";
    }
    return false;
}

/* Pages that an entry of the first level joins. 0: *why. */
static unsigned run_of_first(struct coalescing *runs)
{
    unsigned length = runs->run;
    struct taken taken;
    if (!is_fast(runs, runs->run, &taken)) /* the first one beyond */
        return 0;
    runs->why = "what is read and what it takes say different things";
    if (taken.speed == FAST)
        return 0;
    for (; length > 1; length = runs->aligned ? length / 2 : 1) {
        if (!is_fast(runs, runs->aligned ? length / 2 : 1, &taken))
            return 0;
        if (taken.speed == FAST)
            break;
    }
    return length;
}

/* What was answered of pairs whose entries others pushed out. */
struct shares {
    double covered;   /* of what was not lost */
    double lost;      /* of all */
    double most_lost; /* that it may be in truth, since chance had its part: it makes loads slow, too */
};

/* Of what is lost the most that it may be: of answers that differ by chance, or of pairs that do, one always lost and
 * another never, of which not the same may be lost when they are timed. */
static double most_lost(const struct coalescing *runs, const unsigned *of_pair, double lost)
{
    static const double DEVIATIONS = 3;
    double count = (double)ASKED * runs->pairs, variance = (lost * (1 - lost) + 1 / count) / count, apart = 0;
    for (unsigned k = 0; k < runs->pairs; k++)
        apart += ((double)of_pair[k] / ASKED - lost) * ((double)of_pair[k] / ASKED - lost);
    if (runs->pairs > 1 && apart / (runs->pairs * (runs->pairs - 1)) > variance)
        variance = apart / (runs->pairs * (runs->pairs - 1));
    return lost + DEVIATIONS * square_root(variance);
}

static bool ask_shares(struct coalescing *runs, const struct pairs *pairs, const struct walk *push,
                       struct shares *shares)
{
    unsigned count[LOST + 1] = {0}, of_pair[MOST_PAIRS] = {0};
    for (unsigned i = 0; i < ASKED; i++) {
        enum covered answer[MOST_PAIRS];
        if (!cover_ask(&runs->bench, pairs, push, answer))
            return false;
        for (unsigned k = 0; k < pairs->count; k++) {
            count[answer[k]]++;
            of_pair[k] += answer[k] == LOST;
        }
    }
    unsigned kept = count[COVERED] + count[WALKED_TO];
    shares->lost = (double)count[LOST] / (kept + count[LOST]);
    shares->covered = kept ? (double)count[COVERED] / kept : 0;
    shares->most_lost = most_lost(runs, of_pair, shares->lost);
    return true;
}

/* As many pages as push entries out of the first level and leave them in the second. 0: *why. */
static uint64_t find_push(struct coalescing *runs, double *error)
{
    struct pairs self = at_distance(runs, 0), outside = at_distance(runs, runs->run);
    uint64_t found = 0;
    double slowest = 0;
    runs->why = "no second level was seen";
    for (uint64_t count = FEWEST_PUSHED; count <= MOST_PUSHED; count += power_of_two_within(count) / 2) {
        struct walk push;
        struct taken taken, walk;
        struct shares shares;
        if (!neighbours_push(&runs->all, count, &push) || !ask_shares(runs, &self, &push, &shares))
            return 0;
        if (shares.lost > MOST_LOST)
            break;
        if (!cover_time(&runs->bench, &self, &push, &taken))
            return 0;
        if (found && taken.cycles < slowest + LEAST_MORE)
            break;
        if (taken.speed != SLOW)
            continue;
        if (!cover_time(&runs->bench, &outside, &push, &walk))
            return 0;
        bool lost = shares.most_lost >= 1 || taken.cycles < LEAST_SECOND + shares.most_lost * walk.cycles;
        if (walk.speed != SLOW || lost) /* perhaps nothing else made it slow */
            continue;
        found = count;
        slowest = taken.cycles;
        *error = taken.error;
    }
    return found;
}

/* Pages that an entry of the second level joins. 0: *why. */
static unsigned run_of_second(struct coalescing *runs)
{
    struct walk push;
    double error = 0;
    uint64_t count = find_push(runs, &error);
    if (!count || !neighbours_push(&runs->all, count, &push))
        return 0;
    runs->error += error + CHANCE;
    unsigned distance = 1;
    runs->why = "runs that are not aligned";
    if (!runs->aligned)
        return 0;
    for (; distance < runs->run; distance *= 2) {
        struct pairs pairs = at_distance(runs, distance);
        struct shares shares;
        if (!ask_shares(runs, &pairs, &push, &shares))
            return 0;
        runs->why = "entries of both levels cannot be told apart";
        if (shares.lost > MOST_LOST || (shares.covered < MOST_OF && shares.covered > 1 - MOST_OF))
            return 0;
        if (shares.covered < MOST_OF)
            break;
    }
    return distance;
}

static void note(struct coalescing *runs, const char *id, bool found, double value, const char *unit, uint64_t start)
{
    uint64_t cost = machine_steps(runs->bench.machine) - start;
    if (found && runs->error < 0.5)
        note_value(runs->notebook, id, value, unit, confidence_from(runs->error), cost,
                   "swapped table entries of neighbours of a page that was loaded, and the clock");
    else
        note_missing(runs->notebook, id, unit, cost, "%s", found ? "noise left it open" : reason(runs));
}

/* open: whether anything can be measured; otherwise *why. */
static void measure_small(struct coalescing *runs, bool open)
{
    static const char UNIT[] = "pages";
    uint64_t start = machine_steps(runs->bench.machine);
    bool known = open && bench_rest(&runs->bench, true) && open_small(runs) && control(runs) && find_run(runs);
    unsigned run = known ? run_of_first(runs) : 0;
    note(runs, "dtlb1.4k.run", run, run, UNIT, start);
    if (run == 1)
        runs->why = "an entry is for one page alone";
    note(runs, "dtlb1.4k.aligned", run > 1, runs->aligned, YES_NO, start);
    start = machine_steps(runs->bench.machine);
    run = run ? run_of_second(runs) : 0;
    note(runs, "dtlb2.4k.run", run, run, UNIT, start);
    if (runs->all.bench)
        neighbours_close(&runs->all);
}

/* Asks whether a large page's entry covers all of it. *fast: the first level's does. False: *why. */
static bool ask_large(struct coalescing *runs, const struct pairs *pairs, bool *fast)
{
    struct taken taken;
    enum covered covered;
    runs->why = "noise left it open";
    if (!ask(runs, pairs, &covered) || covered == LOST)
        return false;
    if (covered == COVERED ? !cover_time_each(&runs->bench, pairs, &taken)
                           : !cover_time(&runs->bench, pairs, NULL, &taken))
        return false;
    runs->error += taken.error;
    *fast = taken.speed == FAST;
    if (taken.speed == UNKNOWN)
        return false;
    runs->why = "what is read and what it takes say different things";
    return covered == COVERED || !*fast;
}

/* Opens large pages that stay. False: *why. */
static bool open_large(struct coalescing *runs, uint64_t page, struct pairs *pairs)
{
    const uint64_t distances[] = {2 * page, (uint64_t)27 * ODD * page, DISTANCE, DISTANCE_FAR};
    for (unsigned i = 0; i < sizeof distances / sizeof *distances && bench_ok(&runs->bench); i++) {
        if (i)
            large_close(&runs->all, page);
        bool open = large_open(&runs->all, &runs->bench, page, distances[i], pairs);
        runs->why = runs->all.why;
        if (open && stay(runs, pairs))
            return true;
        if (open)
            runs->why = "entries are lost before they can be timed";
    }
    return false;
}

/* Whether the first level keeps pieces of pages of so many bytes. */
static void measure_large(struct coalescing *runs, const char *id, bool open, uint64_t page)
{
    uint64_t start = machine_steps(runs->bench.machine);
    struct pairs pairs;
    bool has = false, found = false, fast = false;
    runs->error = 0;
    for (unsigned i = 0; machine_page(runs->bench.machine, i); i++)
        has = has || machine_page(runs->bench.machine, i) == page;
    if (open) {
        runs->bench.refused = false; /* what was refused to other pages may be granted to these */
        runs->why = "the machine has no pages of that size";
    }
    if (open && has && bench_rest(&runs->bench, true)) {
        found = open_large(runs, page, &pairs) && ask_large(runs, &pairs, &fast);
        large_close(&runs->all, page);
    }
    note(runs, id, found, !fast, YES_NO, start);
}

bool probe_coalescing(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct coalescing runs = {.bench = bench_open(machine, request->seed ^ 0x72756e73), .notebook = notebook};
    struct rate rate;
    bool known = rate_measure(&runs.bench, &rate) && runs.bench.cycles_per_tick > 0;
    runs.why = known ? "the machine has no pages of 4 KB" : "core cycles are not known";
    measure_small(&runs, known && machine_page(machine, 0) == PAGE);
    runs.bench.permille = 700;
    measure_large(&runs, "dtlb1.2m.split", known, 2 << 20);
    measure_large(&runs, "dtlb1.1g.split", known, 1 << 30);
    return !runs.bench.skipped;
}
