// SPDX-License-Identifier: BSD-2-Clause
/* strides.c: walks over pages that lie far apart. */
#include "probes/strides.h"
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/misses.h"
#include "probes/stretch.h"

enum {
    PAGE = 4096,
    MOST = 128,  /* pages of a walk */
    SINGLE = 16, /* up to so many each counts, beyond that a quarter more */
    PART = 4,
    FRAMES_APART = 9 /* nothing can be joined: no two pages in a row are neighbours in memory */
};

/* A curve's name, and how many pages its pages lie apart. */
static const struct curve_of {
    char name[6];
    unsigned apart_up; /* as a power of two */
} curves[] = {{"512", 9}, {"8k", 13}, {"256k", 18}, {"128m", 27}};

enum { CURVES = sizeof curves / sizeof *curves };

/* Takes the mapping of so many pages away. */
static void unmap(struct bench *bench, uint64_t base, uint64_t apart, unsigned pages)
{
    for (unsigned i = 0; i < pages; i++)
        machine_map(bench->machine, base + i * apart, 0, PAGE, 0, MEM_WB);
}

/* Maps pages as far as the view and the machine's room for tables go. Returns how many. */
static unsigned map(struct bench *bench, const struct span *span, uint64_t base, uint64_t apart)
{
    struct view view = machine_view(bench->machine);
    uint64_t first = (span->base + PAGE - 1) / PAGE, frames = (span->base + span->size) / PAGE - first;
    unsigned pages = 0;
    while (pages < MOST && base - view.base + (pages + 1) * apart <= view.size &&
           (uint64_t)(pages + 1) * FRAMES_APART <= frames &&
           machine_map(bench->machine, base + pages * apart, (first + (uint64_t)pages * FRAMES_APART) * PAGE, PAGE,
                       PAGE, MEM_WB))
        pages++;
    return pages;
}

/* Adds a curve's points. False: skipped or refused. */
static bool note_curve(struct bench *bench, struct notebook *notebook, const struct span *span,
                       const struct curve_of *curve)
{
    uint64_t base = machine_view(bench->machine).base, apart = (uint64_t)PAGE << curve->apart_up;
    char id[28];
    struct text text = text_in(id, sizeof id);
    unsigned mapped = map(bench, span, base, apart);
    bool good = true;
    text_format(&text, "structures.%s", curve->name);
    struct series *series = mapped ? note_series(notebook, id, "pages", "cycles") : NULL;
    for (unsigned pages = 1; pages <= mapped && good; pages += pages < SINGLE ? 1 : pages / PART) {
        struct stops stops = stops_sequence(base + KEPT, apart, pages);
        struct point point = {.x = pages};
        stops.rotated = true;
        good = misses_measure(bench, &stops, OP_LOAD, pages, &point);
        if (good)
            note_point(notebook, series, point);
    }
    unmap(bench, base, apart, mapped);
    return good;
}

bool strides_note(struct bench *bench, struct notebook *notebook)
{
    static const char id[] = "structures.sizes";
    uint64_t start = machine_steps(bench->machine);
    unsigned before = notebook->points;
    struct span span;
    bool pages = machine_page(bench->machine, 0) == PAGE && machine_span(bench->machine, 0, &span),
         good = pages && !bench->skipped;
    for (unsigned i = 0; i < CURVES && good; i++)
        good = note_curve(bench, notebook, &span, &curves[i]);
    uint64_t cost = machine_steps(bench->machine) - start;
    if (good && notebook->points > before)
        note_value(notebook, id, notebook->points - before, "sizes", confidence_from(0), cost,
                   "walks timed, of pages far apart");
    else
        note_missing(notebook, id, "sizes", cost, "%s",
                     !pages           ? "no pages of 4 KB"
                     : bench->skipped ? "skipped"
                                      : machine_why(bench->machine));
    return !bench->skipped;
}
