// SPDX-License-Identifier: BSD-2-Clause
/* facts.c: what the model is made of, asked of this computer's own CPU. Each fact is a rule that tests/silicon/ follows
 * because it was measured on real silicon: here it is measured again, with the image's own loops. Only ratios and
 * plateaus are compared, never a number of ticks; a CPU of another kind, or too much noise, skips a fact and says why.
 * A program of its own: prints a line for each fact and how many held; status 1 if one failed.
 *
 *     facts-linux [FACT]     list: the names of all; noise: how much of it there is */
#define _GNU_SOURCE
#include "base/random.h"
#include "kernel/declared.h"
#include "kernel/loops.h"
#include "kernel/timing.h"
#include "tests/linux/noise.h"
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    LINE = 64,
    MOST_STOPS = 160,
    LAPS = 256,         /* of a walk, in one timed run */
    ATTEMPTS = 400,     /* of each walk; the fastest counts: whatever else uses this core can only take time */
    MOST_ATTEMPTS = 12, /* to see a fact that holds in spite of noise ... */
    PAUSE = 50000,      /* ... with so many microseconds in between */
    ADDITIONS = 40000,  /* in a row: a cycle each on every x86 processor since the 486 */
    SPREAD = 8,         /* pages from one page of the TLB's walk to the next: no entry holds two of them */
    CONFLICTS = 4,      /* lines of one fold that are visited in turn */
    FIRST_FOLDED = 12,  /* address bits that the way predictor folds ... */
    FIRST_UNFOLDED = 32 /* ... and the first of those that it does not look at */
};

/* Addresses that only differ in bits from FIRST_UNFOLDED on are this far apart. */
static const uint64_t alike = UINT64_C(1) << FIRST_UNFOLDED, room = UINT64_C(1) << 35;

struct bench {
    struct facts facts;
    uint64_t rdtscp;
    double tick;    /* core cycles that pass in a tick */
    double load;    /* cycles of a load that hits the first level */
    uint8_t *space; /* `room` bytes of addresses, aligned to as much, that lead to no memory yet */
    int file;       /* memory to map there */
    unsigned set;   /* line of a page: other attempts ask another set */
};

/* What has come of a fact, and the numbers or the reason. */
enum outcome { HELD, FAILED, SKIPPED };
struct answer {
    enum outcome outcome;
    double control; /* what should be fast, in cycles */
    char text[200];
};

__attribute__((format(printf, 3, 4))) static void say(struct answer *answer, enum outcome outcome, const char *format,
                                                      ...)
{
    va_list arguments;

    answer->outcome = outcome;
    va_start(arguments, format);
    (void)vsnprintf(answer->text, sizeof answer->text, format, arguments);
    va_end(arguments);
}

/* What CPUID declares: to choose walks by, and to know of which kind the CPU is. 0: nothing. */
static uint64_t declared(const struct bench *bench, const char *id)
{
    for (unsigned i = 0; i < bench->facts.declared_count; i++)
        if (strcmp(bench->facts.declared[i].id, id) == 0)
            return bench->facts.declared[i].low;
    return 0;
}

/* Families 17h (Zen to Zen 2), 19h (Zen 3 and 4), 1Ah (Zen 5): base family and extended one (AMD APM volume 3). */
static bool is_zen(const struct bench *bench)
{
    uint32_t signature = bench->facts.signature;

    return strcmp(bench->facts.vendor, "AuthenticAMD") == 0 && (signature >> 8 & 15) + (signature >> 20 & 255) >= 0x17;
}

/* The line of the set that is asked, in page `page` of the memory file, mapped at `offset` of the space. NULL: it
 * cannot be had. */
static void *map(const struct bench *bench, uint64_t offset, uint64_t page)
{
    void *at = mmap(bench->space + offset, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                    bench->file, (off_t)(page * PAGE));

    return at == MAP_FAILED ? NULL : (uint8_t *)at + (uint64_t)bench->set * LINE;
}

/* Core cycles a visit when these stops are visited in turn, in a shuffled order; the fastest run of many. 0: a stop is
 * missing. */
static double walk(const struct bench *bench, void *const *stops, unsigned count)
{
    const uint64_t steps = (uint64_t)LAPS * count, empty = timing_overhead(bench->rdtscp);
    struct random random = {count};
    unsigned order[MOST_STOPS];
    uint64_t fastest = UINT64_MAX, end;

    for (unsigned i = 0; i < count; i++) {
        unsigned j = (unsigned)random_below(&random, i + 1);

        if (stops[i] == NULL)
            return 0;
        order[i] = order[j];
        order[j] = i;
    }
    for (unsigned i = 0; i < count; i++)
        *(void **)stops[order[i]] = stops[order[(i + 1) % count]];
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        uint64_t ticks = loop_load((uint64_t)(uintptr_t)stops[0], steps, bench->rdtscp, &end, 0);

        if (ticks < fastest)
            fastest = ticks;
    }
    return (double)timing_net(fastest, empty) / (double)steps * bench->tick;
}

/* Two lines in turn: the space's first, and page `page` of the memory mapped at `offset`, `byte` bytes into it. */
static double alternate(const struct bench *bench, uint64_t offset, uint64_t page, unsigned byte)
{
    uint8_t *other = map(bench, offset, page);
    void *stops[2] = {map(bench, 0, 0), other == NULL ? NULL : other + byte};

    return walk(bench, stops, 2);
}

static bool fast(const struct bench *bench, double cycles)
{
    return cycles > 0 && cycles < bench->load * 1.15;
}

/* Half as much again: less than any second level or second TLB costs, more than noise leaves of the fastest run. */
static bool slow(const struct bench *bench, double cycles)
{
    return cycles > bench->load * 1.5;
}

/* The narrowest gap between durations that were shown, of runs of all lengths up to so many adds; durations that differ
 * by one tick are not told apart, nor is what was shown but once or twice. 0: there are no two. */
static unsigned narrowest_gap(const struct bench *bench)
{
    enum { LONGEST = 400, RUNS = 16, MOST = 4096, SELDOM = 2 };
    static unsigned char shown[MOST];
    unsigned last = 0, narrowest = 0;

    for (unsigned run = 0; run < RUNS; run++)
        for (unsigned length = 1; length <= LONGEST; length++) {
            uint64_t ticks = loop_add(length, 1, bench->rdtscp);
            if (ticks < MOST && shown[ticks] < UCHAR_MAX)
                shown[ticks]++;
        }
    for (unsigned ticks = 0; ticks < MOST; ticks++) {
        if (shown[ticks] <= SELDOM)
            continue;
        if (last && ticks - last > 1 && (!narrowest || ticks - last < narrowest))
            narrowest = ticks - last;
        last = ticks;
    }
    return narrowest;
}

/* The model's clock may move in steps: a 2.6 GHz Zen 4 and a Zen 5 were seen to move by 26 ticks, a 2.445 GHz Zen 3 by
 * 24 and 25 by turns. What the kernel finds is held against the durations that the clock shows. */
static void clock_step(const struct bench *bench, struct answer *answer)
{
    enum { APART = 8 }; /* ticks: no clock that shows every one leaves so many out */
    unsigned step = (unsigned)timing_step(bench->rdtscp), gap = narrowest_gap(bench);

    if (step == 1 && gap < APART)
        say(answer, SKIPPED, "this CPU's clock shows every tick");
    else if (step == 1)
        say(answer, FAILED, "it is said to show every tick, but durations are %u ticks apart at least", gap);
    else if (gap + 1 < step || gap > step + 1)
        say(answer, FAILED, "it is said to move by %u ticks, but durations are %u apart", step, gap);
    else
        say(answer, HELD, "it moves by %u ticks, or by one more", step);
}

/* As many lines at 4 KB distance as there are ways all stay in a set that is chosen by the bits below; one more do not.
 */
static void ways_of_a_set(const struct bench *bench, struct answer *answer)
{
    uint64_t ways = declared(bench, "l1d.ways"), size = declared(bench, "l1d.size");
    void *stops[MOST_STOPS];
    double all, more;

    if (ways == 0 || ways >= MOST_STOPS || size / ways > PAGE) {
        say(answer, SKIPPED, "no L1 data cache whose sets lie inside a page");
        return;
    }
    for (unsigned i = 0; i <= ways; i++)
        stops[i] = map(bench, (uint64_t)i * PAGE, i);
    all = walk(bench, stops, (unsigned)ways);
    more = walk(bench, stops, (unsigned)ways + 1);
    answer->control = all;
    say(answer, fast(bench, all) && slow(bench, more) ? HELD : FAILED,
        "%u lines of a set %.2f cycles, %u lines %.2f; one line %.2f", (unsigned)ways, all, (unsigned)ways + 1, more,
        bench->load);
}

/* Lines of one set whose addresses fold to the same value are in each other's way; others are not. */
static void way_conflict(const struct bench *bench, struct answer *answer)
{
    void *conflicting[CONFLICTS], *others[CONFLICTS];
    double together, apart;

    if (!is_zen(bench)) {
        say(answer, SKIPPED, "no way predictor by linear address is known of this CPU");
        return;
    }
    for (unsigned i = 0; i < CONFLICTS; i++)
        conflicting[i] = map(bench, i * alike, i);
    together = walk(bench, conflicting, CONFLICTS);
    for (unsigned i = 0; i < CONFLICTS; i++)
        others[i] = map(bench, i * alike + (uint64_t)i * PAGE, i);
    apart = walk(bench, others, CONFLICTS);
    answer->control = apart;
    say(answer, fast(bench, apart) && slow(bench, together) ? HELD : FAILED,
        "%u lines 4 GB apart %.2f cycles, 4 GB and 4 KB apart %.2f; one line %.2f", CONFLICTS, together, apart,
        bench->load);
}

/* The fold itself, as Lipp et al. found it on Zen to Zen 2 ("Take A Way", AsiaCCS 2020): eight bits, of two address
 * bits each. A line whose address differs in both of a pair is in the way, one that differs in one of them is not. (Of
 * the bits above them a Zen 5 folds some more, a Zen 3 none.) */
static void way_fold(const struct bench *bench, struct answer *answer)
{
    static const unsigned pair[][2] = {{12, 27}, {13, 26}, {14, 25}, {15, 20}, {16, 21}, {17, 22}, {18, 23}, {19, 24}};
    enum { PAIRS = sizeof pair / sizeof *pair };
    unsigned both = 0, single = 0;

    if (!is_zen(bench)) {
        say(answer, SKIPPED, "no way predictor by linear address is known of this CPU");
        return;
    }
    for (unsigned i = 0; i < PAIRS; i++)
        both += slow(bench, alternate(bench, UINT64_C(1) << pair[i][0] | UINT64_C(1) << pair[i][1], 1, 0));
    answer->control = bench->load;
    for (unsigned bit = FIRST_FOLDED; bit < FIRST_FOLDED + 2 * PAIRS; bit++)
        single += !fast(bench, alternate(bench, UINT64_C(1) << bit, 1, 0));
    say(answer, both == PAIRS && single == 0 ? HELD : FAILED,
        "%u of %u pairs of bits conflict, %u of %u single bits do", both, PAIRS, single, 2 * PAIRS);
}

/* One physical line under two addresses that fold differently: each visit finds the other's name, and is charged. With
 * equal folds it is not. Nor are two lines of that page. */
static void synonyms(const struct bench *bench, struct answer *answer)
{
    double same, charged, lines;

    if (!is_zen(bench)) {
        say(answer, SKIPPED, "no way predictor by linear address is known of this CPU");
        return;
    }
    same = alternate(bench, alike, 0, 8);
    charged = alternate(bench, PAGE, 0, 8);
    lines = alternate(bench, PAGE, 0, LINE);
    answer->control = same > lines ? same : lines;
    say(answer, fast(bench, same) && fast(bench, lines) && slow(bench, charged) ? HELD : FAILED,
        "one line by two names %.2f cycles, of equal fold %.2f; two lines %.2f", charged, same, lines);
}

/* So many pages a lap, a line in each, lines spread over the cache's sets. */
static double walk_pages(const struct bench *bench, unsigned pages)
{
    void *stops[MOST_STOPS];

    for (unsigned i = 0; i < pages; i++) {
        uint8_t *line = map(bench, (uint64_t)i * SPREAD * PAGE, i);

        stops[i] = line == NULL ? NULL : line + i % (PAGE / LINE / 2) * LINE;
    }
    return walk(bench, stops, pages);
}

/* Fully associative first level TLBs of 64 to 127 entries: as many pages as entries are free, the next are not, however
 * the pages lie. */
static void first_tlb(const struct bench *bench, struct answer *answer)
{
    uint64_t entries = declared(bench, "dtlb1.4k.entries");
    double few, all, many;

    if (entries < 64 || entries >= 128 || declared(bench, "dtlb1.4k.ways") != entries) {
        say(answer, SKIPPED, "no fully associative first level of 64 to 127 entries is declared");
        return;
    }
    few = walk_pages(bench, 64);
    all = walk_pages(bench, (unsigned)entries);
    many = walk_pages(bench, 128);
    answer->control = few;
    say(answer, fast(bench, few) && slow(bench, many) ? HELD : FAILED,
        "64 pages %.2f cycles, the declared %u %.2f, 128 %.2f; one line %.2f", few, (unsigned)entries, all, many,
        bench->load);
}

/* So many pages, so far apart, a line in each: another one, or always the same. */
static double walk_strides(const struct bench *bench, uint64_t stride, unsigned pages, bool rotated)
{
    void *stops[MOST_STOPS];

    for (unsigned i = 0; i < pages; i++) {
        uint8_t *line = map(bench, i * stride, i);
        unsigned other = (bench->set + i) % (PAGE / LINE);

        stops[i] = line == NULL || !rotated ? line : line - (uint64_t)bench->set * LINE + (uint64_t)other * LINE;
    }
    return walk(bench, stops, pages);
}

/* How far pages are apart does not matter to such a level: where pages of 64 MB or more from one to the next show a
 * step, at any number of them, pages 32 KB apart do, too, if a line has another offset in each of them. At one offset
 * there are others: those of a cache's set, and of a way predictor. */
static void large_strides(const struct bench *bench, struct answer *answer)
{
    enum { FIRST = 26, LAST = 29, MOST = 128, ALL = 64 };
    uint64_t entries = declared(bench, "dtlb1.4k.entries");
    unsigned more = 0, asked = 0;
    double slowest = 0;

    if (entries < ALL || entries >= MOST || declared(bench, "dtlb1.4k.ways") != entries) {
        say(answer, SKIPPED, "no fully associative first level of 64 to 127 entries is declared");
        return;
    }
    for (unsigned pages = 2; pages <= MOST; pages *= 2) {
        double control = walk_strides(bench, SPREAD * PAGE, pages, true);

        for (unsigned bit = FIRST; bit <= LAST && (uint64_t)pages << bit <= room; bit++, asked++) {
            double strided = walk_strides(bench, UINT64_C(1) << bit, pages, true);

            more += fast(bench, control) != fast(bench, strided);
            if (pages <= ALL && strided > slowest)
                slowest = strided;
        }
        if (pages <= ALL)
            answer->control = control;
    }
    say(answer, more == 0 ? HELD : FAILED,
        "%u of %u rows of pages 64 MB and more apart show another step than rows 32 KB apart; up to 64 pages at most "
        "%.2f cycles; at one offset, 16 pages %.2f",
        more, asked, slowest, walk_strides(bench, UINT64_C(1) << FIRST, 16, false));
}

static const char *const names[] = {"clock-step", "ways",      "way-conflict", "way-fold",
                                    "synonyms",   "first-tlb", "large-strides"};
enum { FACTS = sizeof names / sizeof *names };

static void ask(const struct bench *bench, unsigned fact, struct answer *answer)
{
    switch (fact) {
    case 0:
        clock_step(bench, answer);
        break;
    case 1:
        ways_of_a_set(bench, answer);
        break;
    case 2:
        way_conflict(bench, answer);
        break;
    case 3:
        way_fold(bench, answer);
        break;
    case 4:
        synonyms(bench, answer);
        break;
    case 5:
        first_tlb(bench, answer);
        break;
    default:
        large_strides(bench, answer);
    }
}

/* The fastest run of dependent additions: core cycles a tick. */
static double cycles_a_tick(uint64_t rdtscp)
{
    uint64_t fastest = UINT64_MAX;

    for (unsigned i = 0; i < ATTEMPTS; i++) {
        uint64_t ticks = loop_add(ADDITIONS, 1, rdtscp);

        if (ticks < fastest)
            fastest = ticks;
    }
    return (double)ADDITIONS / (double)timing_net(fastest, timing_overhead(rdtscp));
}

/* A line visited again and again. */
static double measure_load(const struct bench *bench)
{
    void *stop = map(bench, 0, 0);

    return walk(bench, &stop, 1);
}

/* NULL, or what is missing here. */
static const char *open_bench(struct bench *bench)
{
    static struct cpuid_dump dump;
    const struct cpuid_leaf *extended;
    cpu_set_t here;
    void *space;

    cpuid_collect(&dump);
    declared_facts(&dump, &bench->facts);
    if (bench->facts.emulated)
        return "this computer is emulated: its clock shows another machine's caches";
    extended = cpuid_find(&dump, 0x80000001, 0);
    bench->rdtscp = extended != NULL ? extended->edx >> 27 & 1 : 0;
    CPU_ZERO(&here);
    CPU_SET((unsigned)sched_getcpu(), &here);
    (void)sched_setaffinity(0, sizeof here, &here); /* where it may not, the fastest runs are still those on one core */
    space = mmap(NULL, 2 * room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bench->file = memfd_create("facts", 0);
    if (space == MAP_FAILED || bench->file < 0 || ftruncate(bench->file, (off_t)MOST_STOPS * PAGE) != 0)
        return "no addresses or no memory";
    bench->space = (uint8_t *)(((uintptr_t)space + room - 1) / room * room);
    bench->tick = cycles_a_tick(bench->rdtscp);
    bench->load = measure_load(bench);
    return NULL;
}

/* Asks until it holds, each time with another set; what never does is a failure if it always looks the same, and noise
 * if it does not. */
static void ask_again(struct bench *bench, unsigned fact, struct answer *answer)
{
    double least = 1e9, most = 0;

    for (unsigned attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        double load;

        bench->set = attempt * 5 % (PAGE / LINE / 2);
        ask(bench, fact, answer);
        if (answer->outcome == HELD || (answer->outcome == SKIPPED && answer->control == 0))
            return;
        load = measure_load(bench) / bench->load;
        least = answer->control * load < least ? answer->control * load : least;
        most = answer->control * load > most ? answer->control * load : most;
        (void)usleep(PAUSE);
    }
    if (most > least * 1.1)
        say(answer, SKIPPED, "too noisy: what should be fast took from %.1f to %.1f cycles", least, most);
}

static bool list(void)
{
    for (unsigned i = 0; i < FACTS; i++)
        puts(names[i]);
    return true;
}

static bool tell_noise(uint64_t rdtscp)
{
    unsigned share;

    return noise_here(rdtscp, &share) && printf("%u %% of walks that fit take longer\n", share) > 0;
}

int main(int count, char **words)
{
    static const char *const said[] = {"ok  ", "FAIL", "skip"};
    static struct bench bench;
    unsigned outcomes[3] = {0};
    const char *missing;

    if (count > 1 && strcmp(words[1], "list") == 0)
        return !list();
    missing = open_bench(&bench);
    if (count > 1 && strcmp(words[1], "noise") == 0)
        return missing != NULL || !tell_noise(bench.rdtscp);
    for (unsigned i = 0; i < FACTS; i++) {
        struct answer answer = {SKIPPED, 0, ""};

        if (count > 1 && strcmp(words[1], names[i]) != 0)
            continue;
        if (missing != NULL)
            say(&answer, SKIPPED, "%s", missing);
        else
            ask_again(&bench, i, &answer);
        printf("%s  %-14s %s\n", said[answer.outcome], names[i], answer.text);
        outcomes[answer.outcome]++;
    }
    printf("%u held, %u failed, %u skipped\n", outcomes[HELD], outcomes[FAILED], outcomes[SKIPPED]);
    return outcomes[FAILED] != 0;
}
