// SPDX-License-Identifier: BSD-2-Clause
/* suite_babka.c: the suite `babka`: this machine in Tables 1 and 2 of Babka and Tuma, "Investigating Cache Parameters
 * of x86 Family Processors" (SPEC Benchmark Workshop 2009; paper 004), beside what the paper prints for its two
 * servers; then its figures. Of this machine nothing is told but findings and series. */
#include "report/suite_babka.h"
#include "report/answer.h"
#include "report/names.h"
#include "report/quantity.h"
#include "report/suite.h"

enum { SERVERS = 2, HERE = 20, SURE = 41, FIRST_SERVER = 51, SERVER = 15, LINE_SIZE = 160 };

/* What the table says of a cache, in its order. */
enum parameter { SIZE, WAYS, INDEX, MISS_RANDOM, MISS_SINGLE, MISS_PEAK, PARAMETERS };

static const char parameter_titles[PARAMETERS][20] = {
    "size", "associativity", "index", "miss, random sets", "miss, single set", "miss, its peak"};

/* Core cycles that a peak is above all that comes after it, or it is none. */
static const double PEAK = 1;

static const char server_names[SERVERS][14] = {"Intel Server", "AMD Server"};

/* Entries as the paper has them. Characters instead of pointers to them: the image would have to relocate each. */
struct cache {
    char title[24], group[4];
    char said[PARAMETERS][SERVERS][10]; /* empty: the server has no such cache, or the paper no such entry */
};

static const struct cache table2[] = {
    {"L1 data cache",
     "l1d",
     {{"32 KB", "64 KB"}, {"8-way", "2-way"}, {"virtual", "virtual"}, {"", "12"}, {"11", "27-40"}, {"", "40"}}},
    {"L1 code cache",
     "l1i",
     {{"32 KB", "64 KB"}, {"8-way", "2-way"}, {"virtual", "virtual"}, {"", "20"}, {"30", "25"}}},
    {"L2 unified cache",
     "l2",
     {{"4 MB", "512 KB"}, {"16-way", "16-way"}, {"physical", "physical"}, {"", "+32-35"}, {"256-286", "+16-63"}}},
    {"L3 unified cache", "l3", {{"", "2 MB"}, {"", "32-way"}, {"", "physical"}, {"", "+208"}, {"", "+159-211"}}},
};

static const char legend[] =
    "Misses: core cycles that a load takes longer than a hit of that cache, by penalty.*: at random sets where all "
    "of them overflow; of a single set the lowest and the highest median, from twice as many lines on as it and the "
    "nearer caches hold, to what the next one holds, too; its peak is before that, from the ways on. The paper: "
    "Intel Xeon E5345 and AMD Opteron 2356; of the former it has one number for a miss, here beside single sets. + "
    "is what comes on top of a miss of the nearer caches. Its misses of code contain a mispredicted branch, in "
    "part; 256-286 depends on the set, and contains misses of a TLB and of page walks in the first level; 32-35 "
    "depends on the offset in the line, and contains misses of the first-level TLB, 208 those of the second-level "
    "TLB; AMD's manual says 9 for 12 and 27-40.";

const struct series *babka_series(const struct notebook *notebook, const char *id)
{
    for (unsigned i = 0; i < notebook->series_count; i++)
        if (text_equal(notebook->series[i].id, id))
            return notebook->series[i].count ? &notebook->series[i] : NULL;
    return NULL;
}

/* A value that may not be there. */
struct cell {
    char value[40], sure[12];
    char why[256]; /* where it is not there */
};

static const struct finding *of_cache(const struct notebook *notebook, const char *group, const char *what, char id[28])
{
    struct text text = text_in(id, 28);

    text_format(&text, "%s.%s", group, what);
    return noted(notebook, id);
}

/* The answer to a finding as the paper would write it. */
static void tell_finding(const struct notebook *notebook, const struct cache *cache, enum parameter parameter,
                         struct cell *cell)
{
    static const char what[][14] = {[SIZE] = "size", [WAYS] = "ways", [INDEX] = "virtual_index"};
    struct text value = text_in(cell->value, sizeof cell->value), sure = text_in(cell->sure, sizeof cell->sure);
    struct text why = text_in(cell->why, sizeof cell->why);
    char id[28];
    const struct finding *finding = of_cache(notebook, cache->group, what[parameter], id);

    if (!finding || !has_value(finding)) {
        suite_why(&why, finding, id);
        return;
    }
    if (parameter == SIZE)
        quantity_text(&value, finding->value, "bytes");
    else if (parameter == WAYS)
        text_format(&value, "%.0f-way", finding->value);
    else
        text_string(&value, finding->value == 1 ? "virtual" : "physical");
    confidence_text(&sure, sure_of(finding));
}

/* Lines of one set that so many levels of data caches hold together, from the core on. */
static double held_by(const struct notebook *notebook, unsigned levels)
{
    double lines = 0;
    char id[28];

    for (unsigned i = 0; i < levels && level_id(i); i++) {
        const struct finding *ways = of_cache(notebook, level_id(i), "ways", id);
        lines += ways && has_value(ways) ? ways->value : 0;
    }
    return lines;
}

/* The lowest and the highest median of curves, and the x of the highest; low above high: they have no such point. */
struct range {
    double low, high, at;
};

static const struct range nothing = {1, 0, 0};

/* Adds what a curve has from one x to another. */
static void widen(struct range *range, const struct notebook *notebook, const struct series *series, double from,
                  double to)
{
    for (unsigned i = 0; series && i < series->count; i++) {
        const struct point *point = &notebook->point[series->first + i];
        bool first = range->low > range->high;
        if (point->x < from || point->x > to)
            continue;
        if (first || point->middle < range->low)
            range->low = point->middle;
        if (first || point->middle > range->high) {
            range->high = point->middle;
            range->at = point->x;
        }
    }
}

static const struct series *curve_of(const struct notebook *notebook, const struct cache *cache, const char *what)
{
    char id[28];
    struct text text = text_in(id, sizeof id);

    text_format(&text, "penalty.%s.%s", cache->group, what);
    return babka_series(notebook, id);
}

/* At random sets, where all of them overflow: the end of the curve. */
static struct range misses_of_random(const struct notebook *notebook, const struct cache *cache)
{
    const struct series *series = curve_of(notebook, cache, "random");
    double last = series ? notebook->point[series->first + series->count - 1].x : 0;
    struct range range = nothing;

    widen(&range, notebook, series, last, last);
    return range;
}

/* Of a single set, an even and an odd one: from twice as many lines on as fit into it and the nearer caches, until they
 * overflow the next one, if all of them share a set there, too. *peak: before that, from its own ways on. */
static struct range misses_of_single(const struct notebook *notebook, const struct cache *cache, struct range *peak)
{
    static const char sets[][6] = {"even", "odd"};
    struct range range = nothing;
    unsigned level = 0;

    while (level_id(level) && !text_equal(level_id(level), cache->group))
        level++;
    double nearer = held_by(notebook, level), here = held_by(notebook, level + 1), next = held_by(notebook, level + 2);
    double from = next > here && next < 2 * here ? here + 1 : 2 * here, to = next > here ? next : 1e9;
    *peak = nothing;
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
        const struct series *series = curve_of(notebook, cache, sets[i]);
        widen(&range, notebook, series, from, to);
        widen(peak, notebook, series, here - nearer + 1, from - 1);
    }
    return range;
}

/* Why there is no point of a curve that would tell a miss. */
static void tell_no_curve(const struct notebook *notebook, const struct cache *cache, struct cell *cell)
{
    struct text why = text_in(cell->why, sizeof cell->why);
    char id[28];
    struct text text = text_in(id, sizeof id);

    text_format(&text, "penalty.%s.sizes", cache->group);
    const struct finding *finding = noted(notebook, id);
    if (finding && has_value(finding))
        text_string(&why, "not measurable: the memory has too few lines of one set");
    else
        suite_why(&why, finding, id);
}

static void tell_miss(const struct notebook *notebook, const struct cache *cache, enum parameter parameter,
                      struct cell *cell)
{
    struct text value = text_in(cell->value, sizeof cell->value);
    char id[28], high_buffer[16];
    struct text high = text_in(high_buffer, sizeof high_buffer);
    struct range peak, single = misses_of_single(notebook, cache, &peak);
    struct range range = parameter == MISS_RANDOM ? misses_of_random(notebook, cache) : single;
    const struct finding *hit = of_cache(notebook, cache->group, "latency", id);

    if (!hit || !has_value(hit)) {
        struct text why = text_in(cell->why, sizeof cell->why);
        suite_why(&why, hit, id);
    } else if (range.low > range.high) {
        tell_no_curve(notebook, cache, cell);
    } else if (parameter == MISS_PEAK) {
        if (peak.high > single.high + PEAK)
            text_format(&value, "%.0f at %g lines", peak.high - hit->value, peak.at);
        else
            text_string(&value, "none");
    } else {
        text_format(&value, "%.0f", range.low - hit->value);
        text_format(&high, "%.0f", range.high - hit->value);
        if (!text_equal(cell->value, high.at))
            text_format(&value, "-%s", high.at);
    }
}

/* Whether any probe that ran is about a cache. */
static bool is_asked(const struct notebook *notebook, const struct cache *cache)
{
    for (unsigned i = 0; i < notebook->findings; i++) {
        const char *id = notebook->finding[i].id;
        if (text_starts(id, cache->group) && id[text_length(cache->group)] == '.')
            return true;
    }
    return false;
}

static void write_row(struct writer *writer, const char *title, const char *here, const char *sure,
                      const char *const said[SERVERS])
{
    char buffer[LINE_SIZE];
    struct text line = text_in(buffer, sizeof buffer);

    text_format(&line, "%s", title);
    text_column(&line, HERE);
    text_string(&line, here);
    text_column(&line, SURE);
    text_string(&line, sure);
    for (unsigned i = 0; i < SERVERS; i++) {
        text_column(&line, FIRST_SERVER + i * SERVER);
        text_string(&line, said[i]);
    }
    suite_write(writer, &line);
}

/* A reason, unless it is the one of the row before. */
static void write_why(struct writer *writer, const char *title, const char *why, const char *before, unsigned columns)
{
    char buffer[LINE_SIZE + sizeof((struct cell *)0)->why];
    struct text text = text_in(buffer, sizeof buffer);

    if (!why[0] || text_equal(why, before))
        return;
    text_format(&text, "%s: %s", title, why);
    write_string(writer, "    ");
    write_wrapped(writer, text.at, 4, columns);
}

static void write_cache(struct writer *writer, const struct notebook *notebook, const struct cache *cache,
                        unsigned columns)
{
    struct cell cell[PARAMETERS] = {{.value = ""}};
    bool asked = is_asked(notebook, cache);

    write_format(writer, "%s\n", cache->title);
    for (unsigned i = 0; i < PARAMETERS; i++) {
        const char *const said[SERVERS] = {cache->said[i][0], cache->said[i][1]};
        char title[24];
        struct text text = text_in(title, sizeof title);
        text_format(&text, "  %s", parameter_titles[i]);
        if (i < MISS_RANDOM)
            tell_finding(notebook, cache, (enum parameter)i, &cell[i]);
        else
            tell_miss(notebook, cache, (enum parameter)i, &cell[i]);
        write_row(writer, title, cell[i].value[0] ? cell[i].value : "-", cell[i].sure, said);
    }
    if (!asked)
        write_why(writer, "all", "not measured: none of the probes that ran is about this cache", "", columns);
    for (unsigned i = 0; i < PARAMETERS && asked; i++)
        write_why(writer, parameter_titles[i], cell[i].why, i ? cell[i - 1].why : "", columns);
}

static bool is_emulated(const struct notebook *notebook)
{
    for (unsigned i = 0; i < notebook->findings; i++)
        if (notebook->finding[i].emulated && has_value(&notebook->finding[i]))
            return true;
    return false;
}

bool report_suite_babka(struct report_sink *sink, const struct notebook *notebook, unsigned columns, bool whole)
{
    static const char *const servers[SERVERS] = {server_names[0], server_names[1]};
    struct writer writer;

    writer_start(&writer, sink);
    write_string(&writer, "\nSuite babka: Tables 1, 2, Figures 1 to 11 of Babka, Tuma (SPEC Workshop 2009)\n");
    if (is_emulated(notebook))
        write_wrapped(&writer,
                      "Emulated: these values show the computer that emulates this one, through the emulator's clock.",
                      0, columns);
    babka_table1(&writer, notebook, columns);
    write_string(&writer, "\nTable 2: cache parameters\n");
    write_row(&writer, "", "this machine", "sure", servers);
    for (unsigned i = 0; i < sizeof table2 / sizeof *table2; i++)
        write_cache(&writer, notebook, &table2[i], columns);
    write_wrapped(&writer, legend, 0, columns);
    babka_figures(&writer, notebook, columns, whole);
    return writer_end(&writer);
}
