// SPDX-License-Identifier: BSD-2-Clause
/* list.c: what an element of a linked list costs, as a program sees it: prefetchers are left as they were found, and
 * pages are the smallest.
 *
 * The exercise of paper 003: N elements, each a link and padding behind it (NUMPAD words of the link's size), in an
 * array; N goes up in powers of two until the array has 64 MB; links of 8 or 4 bytes; elements smaller than a line, of
 * a line, of several, of a page; linked in ascending, descending and random order; read, or the padding's first word
 * written, too. Not every combination is measured (`kinds`).
 *
 * Findings: list.sizes, how many lists were measured. What caches and TLBs there are is not read off here.
 * Series: list.LINK.ELEMENT.read.up, both sizes in bytes; `write`, `down` and `random` likewise: bytes of the array;
 * quartiles of the time of an element in nanoseconds. */
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/curve.h"
#include "probes/probes.h"

enum {
    LARGEST = 64 << 20, /* bytes of an array */
    SMALLEST = 1 << 10, /* bytes */
    FEWEST = 4,         /* elements */
    SIZES = 17,         /* powers of two from SMALLEST to LARGEST */
    ORDERS = 3,
    BATCH = 1024, /* visits at least */
    LINK = 8,
    SHORT_LINK = 4 /* bytes */
};

struct kind {
    unsigned link, element; /* bytes */
    bool written;           /* measured with writes, too: there is room for a word behind the link */
    uint64_t largest;       /* bytes of the longest list */
};

/* Linking costs as much as visiting: what is less than a line, or has short links, ends where it has shown the first
 * levels. */
static const struct kind kinds[] = {
    {LINK, 64, true, LARGEST},          {LINK, 8, false, 1 << 20},         {LINK, 256, false, LARGEST},
    {LINK, 4096, true, LARGEST},        {SHORT_LINK, 4, false, 512 << 10}, {SHORT_LINK, 64, false, 16 << 20},
    {SHORT_LINK, 4096, false, LARGEST},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *const order_names[ORDERS] = {
    [ORDER_RANDOM] = "random", [ORDER_ASCENDING] = "up", [ORDER_DESCENDING] = "down"};
static const enum order orders[ORDERS] = {ORDER_ASCENDING, ORDER_DESCENDING, ORDER_RANDOM};

struct list {
    struct bench bench;
    struct notebook *notebook;
    struct stretch stretch;
    uint64_t visited, planned; /* elements of all lists, for the progress line */
    unsigned sizes;
    unsigned count; /* of the points below */
    struct point read[SIZES], written[SIZES];
};

static uint64_t least_bytes(const struct kind *kind)
{
    uint64_t few = (uint64_t)FEWEST * kind->element;
    return few > SMALLEST ? few : SMALLEST;
}

static uint64_t most_bytes(const struct list *list, const struct kind *kind)
{
    return kind->largest < list->stretch.size ? kind->largest : list->stretch.size;
}

/* Elements of all lists of a kind in one order. */
static uint64_t elements_of(const struct list *list, const struct kind *kind)
{
    uint64_t elements = 0;
    for (uint64_t bytes = least_bytes(kind); bytes <= most_bytes(list, kind); bytes *= 2)
        elements += bytes / kind->element;
    return elements;
}

/* A lap to fill the caches, then the batches; in nanoseconds an element. */
static bool time_list(struct bench *bench, const struct walk *walk, struct point *point)
{
    double nanoseconds = 1e9 / (double)bench->clock.hz;
    if (!bench_warm(bench, walk, 0, walk->length) || !curve_batches(bench, walk, BATCH, point))
        return false;
    point->low *= nanoseconds;
    point->middle *= nanoseconds;
    point->high *= nanoseconds;
    return bench_rest(bench, false);
}

/* One list: linked once, read, and written if its kind is. A link is the same word for a load and for a store. */
static bool measure_size(struct list *list, const struct kind *kind, enum order order, uint64_t bytes)
{
    struct bench *bench = &list->bench;
    struct stops stops = stops_sequence(list->stretch.base, kind->element, bytes / kind->element);
    struct walk walk = walk_over(&stops, kind->link == SHORT_LINK ? OP_LOAD_32 : OP_LOAD, bench_seed(bench));
    struct point read = {.x = (double)bytes}, written = read;
    walk.order = order;
    if (!bench_link(bench, &walk) || !time_list(bench, &walk, &read))
        return false;
    walk.op = OP_STORE;
    if (kind->written && !time_list(bench, &walk, &written))
        return false;
    list->read[list->count] = read;
    list->written[list->count++] = written;
    list->visited += walk.length;
    bench->permille = (unsigned)(1000 * list->visited / list->planned);
    return true;
}

static void note_points(struct list *list, const struct kind *kind, const char *operation, enum order order,
                        const struct point *points)
{
    char id[28];
    struct text text = text_in(id, sizeof id);
    text_format(&text, "list.%u.%u.%s.%s", kind->link, kind->element, operation, order_names[order]);
    struct series *series = note_series(list->notebook, id, "bytes", "ns");
    for (unsigned i = 0; i < list->count; i++)
        note_point(list->notebook, series, points[i]);
    list->sizes += list->count;
}

/* All sizes of a kind in one order. False: skipped or refused; what was measured is noted. */
static bool measure_order(struct list *list, const struct kind *kind, enum order order)
{
    uint64_t bytes = least_bytes(kind), most = most_bytes(list, kind);
    list->count = 0;
    while (bytes <= most && measure_size(list, kind, order, bytes))
        bytes *= 2;
    if (list->count)
        note_points(list, kind, "read", order, list->read);
    if (list->count && kind->written)
        note_points(list, kind, "write", order, list->written);
    return bench_ok(&list->bench);
}

static bool measure_kinds(struct list *list)
{
    for (unsigned i = 0; i < KINDS; i++)
        list->planned += ORDERS * elements_of(list, &kinds[i]);
    for (unsigned i = 0; i < KINDS; i++)
        for (unsigned j = 0; j < ORDERS; j++)
            if (!measure_order(list, &kinds[i], orders[j]))
                return false;
    return true;
}

bool probe_lists(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct list list = {.bench = bench_open_as_found(machine, request->seed ^ 0x6c7374), .notebook = notebook};
    uint64_t before = machine_steps(machine);
    if (!stretch_map(machine, machine_page(machine, 0), LARGEST, &list.stretch)) {
        note_missing(notebook, "list.sizes", "sizes", 0, "%s", machine_why(machine));
        return true;
    }
    bool whole = measure_kinds(&list);
    uint64_t cost = machine_steps(machine) - before;
    if (whole)
        note_value(notebook, "list.sizes", list.sizes, "sizes", confidence_from(0), cost, "lists measured");
    else
        note_missing(notebook, "list.sizes", "sizes", cost, "%s",
                     list.bench.skipped ? "skipped" : machine_why(machine));
    stretch_unmap(machine, &list.stretch);
    return !list.bench.skipped;
}
