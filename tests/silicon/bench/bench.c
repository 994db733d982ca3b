// SPDX-License-Identifier: BSD-2-Clause
/* bench.c: `make bench`: how many accesses a second the modelled machines make, through the waist as probes use it.
 * Each walk visits the lines of a footprint in random order, prefetchers off where they can be, as probes measure.
 * First with laps that repeat multiplied, then with every access simulated.
 *
 *   bench [machine.ini ...]     without arguments: tests/silicon/machines/skylake.ini and zen4.ini
 *
 * Ends with status 1 when a walk inside L1 or L2 (16 and 128 KB) simulates fewer than 10 million accesses a second, or
 * the walk of 64 MB fewer than 4 million. */
#define _POSIX_C_SOURCE 199309L // clock_gettime
#include "base/random.h"
#include "tests/silicon/process/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE = 64, STEPS = 4000000, INI_SIZE = 1 << 16 };

bool host_rest(struct host *host, unsigned permille)
{
    (void)host, (void)permille;
    return true;
}

/* Of processor time: what else runs on this computer does not count. */
static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Links the lines of a footprint into one cycle in random order. */
static bool link_cycle(struct machine *machine, uint64_t base, uint64_t lines)
{
    uint64_t *order = malloc(lines * sizeof *order);
    struct random random = {1};
    bool linked = order != NULL;

    for (uint64_t i = 0; linked && i < lines; i++)
        order[i] = i;
    for (uint64_t i = lines - 1; linked && i > 0; i--) {
        uint64_t k = random_below(&random, i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (uint64_t i = 0; linked && i < lines; i++)
        linked = machine_link(machine, OP_LOAD, base + order[i] * LINE, base + order[(i + 1) % lines] * LINE);
    free(order);
    return linked;
}

/* As probes do: what a prefetcher brings in is no business of a walk. */
static void still_prefetchers(struct machine *machine)
{
    for (unsigned knob = KNOB_PREFETCH_FIRST; knob <= KNOB_PREFETCH_LAST; knob++)
        if (machine_knob(machine, (enum knob)knob))
            machine_turn(machine, (enum knob)knob, false);
}

static double rate(struct machine *machine, uint64_t start, bool all, double *latency)
{
    struct task task = {.op = OP_LOAD, .start = start, .steps = STEPS};
    struct reading reading;
    double began;

    process_simulate_all(machine, all);
    began = seconds();
    if (!machine_run(machine, &task, 1, &reading))
        return 0;
    *latency = (double)reading.ticks / STEPS;
    return STEPS / (seconds() - began) / 1e6;
}

/* False: a walk that is simulated is too slow. */
static bool bench_walk(struct machine *machine, uint64_t footprint, double least)
{
    struct view view = machine_view(machine);
    uint64_t page = machine_page(machine, 0), size;
    double multiplied, simulated, latency = 0;
    struct span span;

    machine_span(machine, 0, &span);
    for (unsigned i = 1; machine_page(machine, i) && machine_page(machine, i) <= 2 << 20; i++)
        page = machine_page(machine, i);
    size = (footprint + page - 1) & ~(page - 1);
    if (!machine_map(machine, view.base, span.base, size, page, MEM_WB) ||
        !link_cycle(machine, view.base, footprint / LINE)) {
        printf("  %6llu KB: %s\n", (unsigned long long)(footprint >> 10), machine_why(machine));
        return true;
    }
    simulated = rate(machine, view.base, true, &latency);
    multiplied = rate(machine, view.base, false, &latency);
    printf("  %6llu KB  %8.2f ticks an access  %7.2f million a second simulated  %9.2f multiplied%s\n",
           (unsigned long long)(footprint >> 10), latency, simulated, multiplied, simulated < least ? "  SLOW" : "");
    return simulated >= least;
}

static bool bench(const char *path)
{
    static const struct {
        uint64_t footprint;
        double least; /* million accesses a second */
    } walk[] = {{16 << 10, 10}, {128 << 10, 10}, {4 << 20, 0}, {64 << 20, 4}};
    static struct description description;
    static char ini[INI_SIZE], complaint[200];
    FILE *file = fopen(path, "r");
    struct machine *machine;
    const char *why = complaint;
    bool quick = true;

    if (!file) {
        printf("%s: cannot be read\n", path);
        return false;
    }
    size_t length = fread(ini, 1, sizeof ini, file);
    fclose(file);
    machine = description_read(&description, ini, length, complaint, sizeof complaint)
                  ? process_open(NULL, &description, 1, NULL, &why)
                  : NULL;
    if (!machine) {
        printf("%s: %s\n", path, why);
        return false;
    }
    printf("%s\n", description.name);
    still_prefetchers(machine);
    for (size_t i = 0; i < sizeof walk / sizeof *walk; i++)
        quick = bench_walk(machine, walk[i].footprint, walk[i].least) && quick;
    machine_close(machine);
    return quick;
}

int main(int count, char **arguments)
{
    bool quick = true;

    for (int i = 1; i < count; i++)
        quick = bench(arguments[i]) && quick;
    if (count == 1) {
        quick = bench("tests/silicon/machines/skylake.ini");
        quick = bench("tests/silicon/machines/zen4.ini") && quick;
    }
    return quick ? 0 : 1;
}
