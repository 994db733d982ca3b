// SPDX-License-Identifier: BSD-2-Clause
/* bench.c: `make bench`, second part: what assay's probes cost and find on modelled machines, beside X-Ray (xray.h).
 *
 *   bench-peers [all | NAME ...]     without arguments: a few machines, one of each kind
 *
 * Ends with status 1 when assay makes more than a tenth of X-Ray's accesses on some machine, or has fewer right; 2 when
 * a machine cannot be had. */
#define _POSIX_C_SOURCE 199309L // clock_gettime
#include "kernel/owner.h"
#include "run/options.h"
#include "tests/peers/score.h"
#include "tests/peers/xray.h"
#include "tests/silicon/process/model.h"
#include "tests/silicon/process/process.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    FAILED = 1,
    BAD_INPUT = 2,
    SEED = 1,
    SAY_EVERY = 3, /* seconds without a word */
    SAID_SIZE = 1 << 16,
    COLUMNS = 116,
    ROOM = 4 /* times the largest cache: X-Ray's array */
};

/* One of each kind: few ways and many, no larger pages, an exclusive second level, sectors, three levels, slices. */
static const char *const few[] = {"pentium-133", "pentium-iii",   "power3", "athlon-mp",
                                  "pentium-4",   "itanium-2-900", "skylake"};

/* What progress is told of: what a host here has for its own. */
struct under_way {
    const char *machine, *tool;
    time_t began, said;
};

static time_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

bool host_rest(struct host *host, unsigned permille)
{
    struct under_way *under_way = host->own;

    (void)permille;
    if (now() - under_way->said >= SAY_EVERY) {
        under_way->said = now();
        fprintf(stderr, "bench-peers: %s on %s, %lld s\n", under_way->tool, under_way->machine,
                (long long)(under_way->said - under_way->began));
    }
    return true;
}

/* What a tool did on a machine, and what came of it. */
struct effort {
    uint64_t array;           /* bytes that X-Ray gets */
    struct notebook notebook; /* large */
    double accesses, run;     /* by its own timing, and those that were really made here */
    double seconds;           /* of the modelled machine's time */
    const char *why;          /* it ended early; NULL: it did not */
    bool complete;
    struct score score;
};

static void run_probes(struct machine *machine, void *argument)
{
    static const struct options wanted = {.probes = "caches", .request = {.seed = SEED}};
    struct effort *effort = argument;
    uint64_t started = machine_now(machine);

    effort->complete = true;
    for (unsigned i = 0; i < probe_count; i++)
        if (options_wants(&wanted, probe_list[i].name))
            effort->complete = probe_list[i].measure(machine, &wanted.request, &effort->notebook) && effort->complete;
    effort->accesses = effort->run = (double)machine_steps(machine);
    effort->seconds = (double)(machine_now(machine) - started) / (double)machine_clock(machine).hz;
}

/* X-Ray is as sure of one number as of the other. */
static void note(struct notebook *notebook, const char *subject, const char *what, double value)
{
    char id[28];
    struct text text = text_in(id, sizeof id);

    text_format(&text, "%s.%s", subject, what);
    if (value > 0)
        note_value(notebook, id, value, "", 1, 0, "");
}

static void run_xray(struct machine *machine, void *argument)
{
    struct effort *effort = argument;
    struct xray found;

    effort->complete = xray_measure(machine, effort->array, &found);
    for (unsigned i = 0; i < found.levels; i++) {
        char numbered[] = {'l', (char)('1' + i), '\0'};
        const char *subject = i == 0 ? "l1d" : numbered;
        note(&effort->notebook, subject, "size", (double)found.level[i].size);
        note(&effort->notebook, subject, "ways", (double)found.level[i].ways);
        note(&effort->notebook, subject, "line", (double)found.level[i].line);
        note(&effort->notebook, subject, "latency", found.level[i].latency);
    }
    note(&effort->notebook, "mem", "latency", found.memory_latency);
    effort->why = found.why;
    effort->accesses = (double)found.accesses;
    effort->seconds = found.seconds;
    effort->run = (double)machine_steps(machine);
}

/* The paper does not say how large X-Ray's array is, whose user has to give enough: here the power of two from four
 * times the largest cache on. So X-Ray is told what assay is not. A larger one costs X-Ray a second each time that it
 * doubles, and this computer some minutes. */
static uint64_t array_for(struct truths *truths)
{
    uint64_t array = 1;
    double largest = truth_of(truths, "l1d.size").value;

    for (char id[] = "l2.size"; id[1] <= '8'; id[1]++) {
        struct truth truth = truth_of(truths, id);
        if (truth.kind != TRUTH_ABSENT && truth.value > largest)
            largest = truth.value;
    }
    while ((double)array < ROOM * largest)
        array *= 2;
    return array;
}

/* Adds what a tool did not get right, in lines that a terminal has room for. */
static void tell(struct text *said, const char *machine, const char *tool, const char *differs)
{
    char buffer[24];
    struct text start = text_in(buffer, sizeof buffer);
    size_t column = 0, length;

    text_format(&start, "%-16s %-6s", machine, tool);
    for (const char *item = differs; *item; item += length) {
        const char *comma = strchr(item, ',');
        length = comma ? (size_t)(comma - item) + 2 : strlen(item);
        if (column == 0 || column + length > COLUMNS) {
            said->length -= column != 0; /* the blank behind the comma */
            text_format(said, column ? "\n%-24s" : "%s ", column ? "" : start.at);
            column = sizeof buffer;
        }
        text_bytes(said, item, length);
        column += length;
    }
    if (column)
        text_char(said, '\n');
}

/* Lets a tool loose on a fresh machine, and judges it. False: there is no such machine. */
static bool try_tool(struct under_way *under_way, const struct description *description, struct truths *truths,
                     void (*tool)(struct machine *, void *), struct effort *effort, struct text *said)
{
    struct host host = {.own = under_way};
    char buffer[600];
    struct text differs = text_in(buffer, sizeof buffer);
    const char *why = "";
    struct machine *machine = process_open(&host, description, SEED, NULL, &why);
    struct fault fault = {0};

    memset(effort, 0, sizeof *effort);
    effort->array = array_for(truths);
    if (!machine) {
        fprintf(stderr, "bench-peers: %s: %s\n", description->name, why);
        return false;
    }
    if (!machine_protect(machine, 0, tool, effort, &fault) || fault.happened || !effort->complete)
        text_format(said, "%-16s %-6s did not end: %s\n", description->name, under_way->tool,
                    fault.happened ? "a fault" : machine_why(machine));
    else if (effort->why)
        text_format(said, "%-16s %-6s ended early: %s\n", description->name, under_way->tool, effort->why);
    machine_close(machine);
    effort->score = score_of(&effort->notebook, truths, &differs);
    tell(said, description->name, under_way->tool, differs.at);
    return true;
}

/* "7.25 M" */
static struct text count_text(double count, char buffer[16])
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    struct text text = text_in(buffer, 16);
    unsigned unit = 0;

    for (; count >= 1000 && unit < sizeof units / sizeof *units - 1; unit++)
        count /= 1000;
    text_format(&text, count < 10 && unit ? "%.2f%s" : count < 100 && unit ? "%.1f%s" : "%.0f%s", count, units[unit]);
    return text;
}

static void print_head(void)
{
    puts("                        accesses               X-Ray's     seconds              assay              X-Ray\n"
         "machine              assay     X-Ray  run here   times    assay    X-Ray right wrong missing right wrong "
         "missing");
}

static void print_row(const char *name, const struct effort *assay, const struct effort *xray)
{
    char columns[3][16];

    printf("%-16s %9s %9s %9s %7.0f %8.2f %8.0f %5u %5u %7u %5u %5u %7u\n", name,
           count_text(assay->accesses, columns[0]).at, count_text(xray->accesses, columns[1]).at,
           count_text(xray->run, columns[2]).at, assay->accesses > 0 ? xray->accesses / assay->accesses : 0,
           assay->seconds, xray->seconds, assay->score.right, assay->score.wrong, assay->score.missing,
           xray->score.right, xray->score.wrong, xray->score.missing);
    fflush(stdout);
}

static void sum_up(struct effort *sum, const struct effort *one)
{
    sum->accesses += one->accesses;
    sum->run += one->run;
    sum->seconds += one->seconds;
    sum->score.right += one->score.right;
    sum->score.wrong += one->score.wrong;
    sum->score.missing += one->score.missing;
}

/* Both tools, on one machine after the other. */
struct bench {
    struct description description;
    struct effort assay, xray, all_assay, all_xray;
    unsigned rows;
    char said[SAID_SIZE];
    struct text text; /* what to say below the table */
};

static int compare(struct bench *bench, const char *name)
{
    char said[600];
    struct text complaint = text_in(said, sizeof said);
    struct under_way under_way = {.machine = name, .tool = "assay", .began = now(), .said = now()};
    struct truths *truths = NULL;
    const char *failing;
    bool tried;

    if (machine_read(name, &bench->description, &complaint))
        truths = truths_create(&bench->description);
    tried = truths && try_tool(&under_way, &bench->description, truths, run_probes, &bench->assay, &bench->text);
    under_way.tool = "X-Ray";
    under_way.began = now();
    tried = tried && try_tool(&under_way, &bench->description, truths, run_xray, &bench->xray, &bench->text);
    if (!truths)
        fprintf(stderr, "bench-peers: %s\n", complaint.length ? said : "no memory");
    truths_destroy(truths);
    if (!tried)
        return BAD_INPUT;
    print_row(bench->description.name, &bench->assay, &bench->xray);
    sum_up(&bench->all_assay, &bench->assay);
    sum_up(&bench->all_xray, &bench->xray);
    bench->rows++;
    failing = score_complaint(&bench->assay.score, bench->assay.accesses, &bench->xray.score, bench->xray.accesses);
    if (failing)
        text_format(&bench->text, "%-16s FAILS: %s\n", bench->description.name, failing);
    return failing ? FAILED : 0;
}

static int worse(int one, int other)
{
    return one > other ? one : other;
}

static int compare_few(struct bench *bench)
{
    int status = 0;

    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        status = worse(status, compare(bench, few[i]));
    puts("(some minutes' worth; `make bench MACHINES=all` takes every machine, and hours)");
    return status;
}

static int compare_named(struct bench *bench)
{
    char folder[600];
    size_t count = 0;
    char **names = machine_folder(0, folder) ? machine_names(folder, &count) : NULL;
    int status = names ? 0 : BAD_INPUT;

    for (size_t i = 0; names && i < count; i++) {
        status = worse(status, compare(bench, names[i]));
        free(names[i]);
    }
    free(names);
    return status;
}

static void print_foot(const struct bench *bench)
{
    if (bench->rows > 1)
        print_row("together", &bench->all_assay, &bench->all_xray);
    puts("\nX-Ray's accesses and seconds are those of its own timing: each sequence for a second of the machine's "
         "time.\n"
         "Here it was followed until laps repeated (\"run here\"), which says the same without noise. docs/peers.md");
    if (bench->text.length)
        printf("\nnot right, and in parentheses what is:\n%s", bench->text.at);
}

int main(int count, char **names)
{
    struct bench *bench = calloc(1, sizeof *bench);
    int status = 0;

    if (!bench)
        return BAD_INPUT;
    bench->text = text_in(bench->said, sizeof bench->said);
    print_head();
    if (count == 2 && strcmp(names[1], "all") == 0)
        status = compare_named(bench);
    else if (count > 1)
        for (int i = 1; i < count; i++)
            status = worse(status, compare(bench, names[i]));
    else
        status = compare_few(bench);
    print_foot(bench);
    free(bench);
    return status;
}
