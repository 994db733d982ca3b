// SPDX-License-Identifier: BSD-2-Clause
/* suite_babka_table1.c: Table 1 of paper 004, the translation buffers, for this machine beside the paper's two servers:
 * entries, associativity, and what a miss takes. Of this machine nothing is told but findings. */
#include "report/answer.h"
#include "report/quantity.h"
#include "report/suite.h"
#include "report/suite_babka.h"

enum { SERVERS = 2, ENTRIES = 14, WAYS = 23, MISS = 32, SURE = 42, FIRST_SERVER = 50, SERVER = 16, LINE_SIZE = 160 };

/* What a miss takes, by which findings. */
enum miss {
    HIT_BEHIND, /* what a hit of the level behind takes, and of loads, where there is none, a walk */
    WALK,       /* a walk, on top of what a miss of the level before takes */
    STEP,       /* what is read once more */
    UNTOLD      /* no probe tells what walks of jumps take */
};

/* A row; ids: findings of this machine. Characters instead of pointers to them: the image would have to relocate
 * each. */
struct buffer {
    char title[12];
    char entries[20], ways[16]; /* ways: empty: the paper has no such entry */
    char miss_id[20];
    enum miss miss;
    char said[SERVERS][16];
};

static const struct buffer table1[] = {
    {"L1 ITLB", "itlb1.4k.entries", "itlb1.4k.ways", "itlb2.4k.penalty", HIT_BEHIND, {"128 4-way 18.5", "32 full 4"}},
    {"L2 ITLB", "itlb2.4k.entries", "itlb2.4k.ways", "", UNTOLD, {"", "512 4-way +40"}},
    {"L1 DTLB", "dtlb1.4k.entries", "dtlb1.4k.ways", "dtlb2.4k.penalty", HIT_BEHIND, {"16 4-way 2", "48 full 5"}},
    {"L2 DTLB", "dtlb2.4k.entries", "dtlb2.4k.ways", "", WALK, {"256 4-way +7", "512 4-way +35"}},
    {"PDE cache", "psc.pde.entries", "", "psc.pde.miss", STEP, {"present +4", "present +21"}},
    {"PDPTE cache", "psc.pdpte.entries", "", "psc.pdpte.miss", STEP, {"present +8", "present +21"}},
    {"PML4E cache", "psc.pml4e.entries", "", "psc.pml4e.miss", STEP, {"not present", "present +21"}},
};

static const char legend[] =
    "Misses: core cycles. Of a first level: what a hit of the second one takes longer; of the last level of loads: a "
    "walk whose entry is in the cache that the walker looks in first, on top of a miss of the level before (+); of a "
    "page-structure cache: the entry that is read once more, from that cache, too. The paper: Intel Xeon E5345, whose "
    "levels it calls ITLB, DTLB0 and DTLB1, and AMD Opteron 2356; it does not tell how many entries page-structure "
    "caches have, and that the Intel one for PDPTEs has at most 4.";

/* A row in the making. */
struct row {
    char entries[16], ways[12], miss[12];
    double sure;      /* of the least sure of its values */
    bool any;         /* it has one */
    char why[3][160]; /* of what it has none, one below the other */
    unsigned whys;
};

static void add_why(struct row *row, const struct finding *finding, const char *id)
{
    struct text why = text_in(row->why[row->whys], sizeof row->why[0]);

    suite_why(&why, finding, id);
    for (unsigned i = 0; i < row->whys; i++)
        if (text_equal(row->why[i], row->why[row->whys]))
            return;
    row->whys++;
}

/* The finding, if it has a value; NULL: it has none, and the row says why. */
static const struct finding *value_of(const struct notebook *notebook, const char *id, struct row *row)
{
    const struct finding *finding = noted(notebook, id);

    if (!finding || !has_value(finding)) {
        add_why(row, finding, id);
        return NULL;
    }
    row->sure = row->any && row->sure < sure_of(finding) ? row->sure : sure_of(finding);
    row->any = true;
    return finding;
}

static const struct finding *measured(const struct notebook *notebook, const char *id)
{
    const struct finding *finding = noted(notebook, id);

    return finding && has_value(finding) ? finding : NULL;
}

/* A walk whose entry is in the level of cache that the walker looks in first. */
static const struct finding *walk_of(const struct notebook *notebook, struct row *row)
{
    enum { LEVELS = 3 };
    static const char *const ids[LEVELS] = {"walk.4k.l1", "walk.4k.l2", "walk.4k.l3"};
    const struct finding *cached_in = value_of(notebook, "walker.cached_in", row);

    if (!cached_in || cached_in->value < 1 || cached_in->value > LEVELS)
        return NULL;
    return value_of(notebook, ids[(unsigned)cached_in->value - 1], row);
}

/* What a miss of a first level takes: a hit of the second one, or, where there is none, a walk. */
static const struct finding *behind_first(const struct notebook *notebook, const struct buffer *buffer, struct row *row)
{
    const struct finding *finding = measured(notebook, buffer->miss_id);
    bool loads = text_starts(buffer->entries, "dtlb");

    if (finding || !loads || measured(notebook, "dtlb2.4k.entries"))
        return value_of(notebook, buffer->miss_id, row);
    return walk_of(notebook, row);
}

static void tell_miss(const struct notebook *notebook, const struct buffer *buffer, struct row *row)
{
    struct text text = text_in(row->miss, sizeof row->miss);
    const struct finding *finding = NULL, *nearer = NULL;

    if (buffer->miss == HIT_BEHIND)
        finding = behind_first(notebook, buffer, row);
    else if (buffer->miss == STEP)
        finding = value_of(notebook, buffer->miss_id, row);
    else if (buffer->miss == WALK && (nearer = value_of(notebook, "dtlb2.4k.penalty", row)))
        finding = walk_of(notebook, row);
    if (finding)
        text_format(&text, "%s%.1f", buffer->miss == HIT_BEHIND ? "" : "+",
                    finding->value - (nearer ? nearer->value : 0));
}

static struct row row_of(const struct notebook *notebook, const struct buffer *buffer)
{
    struct row row = {.any = false};
    struct text entries = text_in(row.entries, sizeof row.entries), ways = text_in(row.ways, sizeof row.ways);
    const struct finding *count = value_of(notebook, buffer->entries, &row);

    if (!count)
        return row;
    if (count->value <= 0) {
        text_string(&entries, "not present");
        return row;
    }
    quantity_text(&entries, count->value, "");
    const struct finding *each = buffer->ways[0] ? value_of(notebook, buffer->ways, &row) : NULL;
    if (each && each->value < count->value)
        text_format(&ways, "%.0f-way", each->value);
    else if (each)
        text_string(&ways, "full");
    tell_miss(notebook, buffer, &row);
    return row;
}

static void write_line(struct writer *writer, const char *title, const struct row *row, const char *sure,
                       const char *const said[SERVERS])
{
    char buffer[LINE_SIZE];
    struct text line = text_in(buffer, sizeof buffer);

    text_string(&line, title);
    text_column(&line, ENTRIES);
    text_string(&line, row->entries);
    text_column(&line, WAYS);
    text_string(&line, row->ways);
    text_column(&line, MISS);
    text_string(&line, row->miss);
    text_column(&line, SURE);
    text_string(&line, sure);
    for (unsigned i = 0; i < SERVERS; i++) {
        text_column(&line, FIRST_SERVER + i * SERVER);
        text_string(&line, said[i]);
    }
    suite_write(writer, &line);
}

void babka_table1(struct writer *writer, const struct notebook *notebook, unsigned columns)
{
    static const char *const servers[SERVERS] = {"Intel Server", "AMD Server"};
    const struct row titles = {.entries = "entries", .ways = "ways", .miss = "miss"};
    char before[160] = "";

    write_string(writer, "\nTable 1: translation buffers, for pages of 4 KB\n");
    write_line(writer, "", &titles, "sure", servers);
    for (unsigned i = 0; i < sizeof table1 / sizeof *table1; i++) {
        const struct buffer *buffer = &table1[i];
        const char *const said[SERVERS] = {buffer->said[0], buffer->said[1]};
        struct row row = row_of(notebook, buffer);
        char sure_buffer[12] = "";
        struct text sure = text_in(sure_buffer, sizeof sure_buffer);
        if (row.any)
            confidence_text(&sure, row.sure);
        else
            text_copy(row.entries, sizeof row.entries, "-");
        write_line(writer, buffer->title, &row, sure.at, said);
        if (!row.whys)
            before[0] = '\0';
        for (unsigned j = 0; j < row.whys; j++) {
            if (text_equal(row.why[j], before))
                continue;
            text_copy(before, sizeof before, row.why[j]);
            write_string(writer, "    ");
            write_wrapped(writer, row.why[j], 4, columns);
        }
    }
    write_wrapped(writer, legend, 0, columns);
}
