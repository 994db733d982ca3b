// SPDX-License-Identifier: BSD-2-Clause
/* behind.c: lines of one set and of many, by the rule that the probe caches has found, and their curves. */
#include "probes/behind.h"
#include "base/text.h"
#include "probes/misses.h"
#include "probes/push.h"

enum {
    TIMES = 4, /* lines of a set: up to so many times what this level and all nearer ones hold of it */
    TWICE = 2,
    SETS = 16, /* random ones */
    LOOKS = 4, /* lines that are looked at for each set wanted */
    WORD = 8,
    MOST = 2048, /* lines of a walk */
    PIECE = 128  /* visits of a script */
};

/* The curves of a level in the making. */
struct curves {
    struct bench *bench;
    struct notebook *notebook;
    const struct region *region;
    const struct behind *of;
    unsigned holds; /* lines of one set: the level and all nearer ones together */
    unsigned sizes; /* points noted */
};

/* Lines of a walk, by their addresses. */
struct list {
    unsigned count;
    uint64_t address[MOST];
};

static void id_of(char id[28], unsigned level, const char *what)
{
    struct text text = text_in(id, 28);
    text_format(&text, "penalty.l%u.%s", level, what);
}

static struct series *begin(const struct curves *curves, const char *what, const char *x)
{
    char id[28];
    id_of(id, curves->of->level, what);
    return note_series(curves->notebook, id, x, "cycles");
}

static bool note_next(struct curves *curves, struct series *series, const struct stops *stops, enum op op,
                      uint64_t length, double x)
{
    struct point point = {.x = x};
    if (!misses_measure(curves->bench, stops, op, length, &point))
        return false;
    note_point(curves->notebook, series, point);
    curves->sizes++;
    return true;
}

/* The first byte of the level's line in which one lies: that may be longer than what numbers count. */
static uint64_t line_of(const struct curves *curves, uint64_t line)
{
    return region_address(curves->region, line) & ~(curves->of->line - 1);
}

/* Adds a line and others that are its kin, so many in all, as far as there are any: no line of the level twice. */
static void add_kin(const struct curves *curves, const struct kin *kin, uint64_t line, unsigned wanted,
                    struct list *list)
{
    uint64_t seed = bench_seed(curves->bench), all = kin_count(kin, curves->region), address = line_of(curves, line);
    unsigned end = list->count + wanted < MOST ? list->count + wanted : MOST;
    for (uint64_t i = 0; i <= all && list->count < end; i++) {
        if (!push_among(list->address, list->count, address))
            list->address[list->count++] = address;
        address = line_of(curves, kin_draw(kin, curves->region, line, seed, i));
    }
}

/* Takes lines out of all caches. What is left in a set would take part in each experiment on it that follows: rounds
 * flush their own lines, and empty ways are filled first. */
static bool clear_away(struct curves *curves, const struct list *list)
{
    struct bench *bench = curves->bench;
    struct visit visit[PIECE];
    struct reading lap[MAX_LAPS];
    unsigned units = (unsigned)(curves->of->line / curves->region->unit), all = list->count * units;
    for (unsigned i = 0; i < all && bench_ok(bench); i += PIECE) {
        unsigned count = all - i < PIECE ? all - i : PIECE;
        for (unsigned j = 0; j < count; j++) {
            uint64_t line = list->address[(i + j) / units] & ~(curves->of->line - 1);
            visit[j] = (struct visit){.op = OP_FLUSH_LINE, .va = line + (i + j) % units * curves->region->unit};
        }
        if (bench_script(bench, visit, count, lap))
            bench_rest(bench, false);
    }
    return bench_ok(bench);
}

/* Lines after so many in a curve: next to what this level holds of a set alone, and together with the nearer ones,
 * where it has only what they have lost, each counts. */
static unsigned step_from(const struct curves *curves, unsigned lines, unsigned most)
{
    unsigned alone = misses_step(curves->of->ways, lines, most), together = misses_step(curves->holds, lines, most);
    return alone < together ? alone : together;
}

/* Against the number of lines, which are kin of a line. */
static bool note_lines(struct curves *curves, const char *what, enum op op, const struct kin *kin, uint64_t line)
{
    struct series *series = begin(curves, what, "lines");
    struct list list = {.count = 0};
    unsigned most = TIMES * curves->holds;
    add_kin(curves, kin, line, most, &list);
    for (unsigned lines = 1; lines <= list.count; lines += step_from(curves, lines, most)) {
        struct stops stops = stops_listed(list.address, lines);
        if (!note_next(curves, series, &stops, op, lines, lines))
            return false;
    }
    return clear_away(curves, &list);
}

/* Chooses lines of as many random sets of the level. Those of one set of the nearer levels come first, as far as there
 * are any: then these levels are transparent from few lines a set on. Returns how many. */
static unsigned choose_sets(const struct curves *curves, uint64_t start, uint64_t chosen[SETS], unsigned wanted)
{
    struct kin all = kin_modulo(curves->region, 1);
    uint64_t seed = bench_seed(curves->bench);
    unsigned count = 0;
    for (unsigned i = 0; i < LOOKS * wanted && count < wanted; i++) {
        uint64_t nearby = kin_draw(&all, curves->region, start, seed, i);
        for (unsigned j = 0; j < LOOKS * wanted && count < wanted; j++) {
            uint64_t line = kin_draw(curves->of->nearer, curves->region, nearby, seed, j);
            bool known = false;
            for (unsigned k = 0; k < count; k++)
                known = known || kin_are(curves->of->kin, line, chosen[k]);
            if (!known)
                chosen[count++] = line;
        }
    }
    return count;
}

/* Lists lines of random sets, twice what the level and the nearer ones hold of each. Returns how many sets. */
static unsigned list_random(const struct curves *curves, uint64_t start, struct list *list)
{
    uint64_t chosen[SETS];
    unsigned each = TWICE * curves->holds, wanted = MOST / each < SETS ? MOST / each : SETS;
    unsigned sets = choose_sets(curves, start, chosen, wanted);
    list->count = 0;
    for (unsigned i = 0; i < sets; i++)
        add_kin(curves, curves->of->kin, chosen[i], each, list);
    return sets;
}

/* Against the lines for each set, on average: a random choice of the lines of random sets. */
static bool note_random(struct curves *curves, uint64_t start)
{
    struct series *series = begin(curves, "random", "lines");
    struct list list;
    unsigned sets = list_random(curves, start, &list), most = TWICE * curves->holds;
    for (unsigned lines = 1; sets && lines * sets <= list.count; lines += step_from(curves, lines, most)) {
        struct stops stops = stops_listed(list.address, list.count);
        if (!note_next(curves, series, &stops, OP_LOAD, lines * sets, lines))
            return false;
    }
    return clear_away(curves, &list);
}

/* Against the offset in the level's line: words of the lines of a list. */
static bool note_offsets(struct curves *curves, const char *what, struct list *list)
{
    struct series *series = begin(curves, what, "bytes");
    for (uint64_t offset = 0; list->count && offset < curves->of->line; offset += WORD) {
        struct stops stops = stops_listed(list->address, list->count);
        for (unsigned i = 0; i < list->count; i++)
            list->address[i] = (list->address[i] & ~(curves->of->line - 1)) + offset;
        if (!note_next(curves, series, &stops, OP_LOAD, list->count, (double)offset))
            return false;
    }
    return clear_away(curves, list);
}

static bool note_both_offsets(struct curves *curves, uint64_t line)
{
    struct list list = {.count = 0};
    add_kin(curves, curves->of->kin, line, TWICE * curves->holds, &list);
    if (!note_offsets(curves, "offset", &list))
        return false;
    list_random(curves, line, &list);
    return note_offsets(curves, "offset_random", &list);
}

static bool note_all(struct curves *curves)
{
    const struct behind *of = curves->of;
    struct kin pages = kin_modulo(curves->region, machine_page(curves->bench->machine, 0) / curves->region->unit);
    return note_lines(curves, "even", OP_LOAD, of->kin, of->even) &&
           note_lines(curves, "odd", OP_LOAD, of->kin, of->odd) &&
           note_lines(curves, "dirty", OP_STORE, of->kin, of->even) &&
           note_lines(curves, "pages", OP_LOAD, &pages, of->even) && note_random(curves, of->even) &&
           note_both_offsets(curves, of->even);
}

bool behind_note(struct bench *bench, const struct region *region, const struct behind *behind,
                 struct notebook *notebook)
{
    struct curves curves = {bench, notebook, region, behind, behind->nearer_ways + behind->ways, 0};
    uint64_t start = machine_steps(bench->machine), seed = bench->seed;
    char id[28];
    bool good = note_all(&curves);
    bench->seed = seed; /* whatever comes next is the same with curves and without */
    id_of(id, behind->level, "sizes");
    misses_note_sizes(bench, notebook, id, good, curves.sizes, machine_steps(bench->machine) - start);
    return good;
}

void behind_missing(struct notebook *notebook, unsigned level, const char *why)
{
    char id[28];
    id_of(id, level, "sizes");
    note_missing(notebook, id, "sizes", 0, "%s", why);
}
