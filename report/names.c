// SPDX-License-Identifier: BSD-2-Clause
/* names.c: the words for ids. */
#include "report/names.h"

struct name {
    const char *id, *title;
};

static const struct name groups[] = {
    {"cpu", "Processor and clock"},
    {"noise", "Interruptions"},
    {"latency", "Load latency"},
    {"l1d", "L1 data cache"},
    {"l1i", "L1 instruction cache"},
    {"l2", "L2 cache"},
    {"l3", "L3 cache"},
    {"l4", "L4 cache"},
    {"mem", "Memory"},
    {"dtlb1", "L1 data TLB"},
    {"dtlb2", "L2 data TLB"},
    {"itlb1", "L1 instruction TLB"},
    {"itlb2", "L2 instruction TLB"},
    {"psc", "Page-structure caches"},
    {"walker", "Page walker"},
    {"walk", "Walks of the page tables"},
    {"structures", "Pages that lie far apart"},
    {"cost", "Dropping translations, and faults"},
    {"prefetch", "Prefetchers"},
    {"list", "Linked lists"},
    {"penalty", "Loads that miss"},
    {"interference", "Loads after an interfering walk"},
    {"regs", "Registers"},
};

static const struct name levels[] = {{"l1d", "L1D"}, {"l2", "L2"}, {"l3", "L3"}, {"l4", "L4"}, {"mem", "Memory"}};

/* id: of a curve, or the beginning of the ids of several up to a dot. */
struct curve_name {
    const char *id, *title, *x, *y;
    bool of_levels;
};

static const struct curve_name curves[] = {
    {"latency", "Load latency against footprint", "footprint", "latency of a load", true},
    {"levels", "Load latency, level by level", "footprint", "latency of a load", true},
    {"penalty.l1d.offset", "Loads that miss the L1 data cache, by offset", "offset in a line", "latency of a load",
     false},
    {"penalty.l1d", "Loads that miss the L1 data cache", "lines of a set", "latency of a load", false},
    {"penalty.l2.offset", "Loads that miss the L2 cache, by offset", "offset in a line", "latency of a load", false},
    {"penalty.l2.offset_random", "Loads that miss the L2 cache, by offset", "offset in a line", "latency of a load",
     false},
    {"penalty.l2", "Loads that miss the L2 cache", "lines of a set", "latency of a load", false},
    {"penalty.l3.offset", "Loads that miss the L3 cache, by offset", "offset in a line", "latency of a load", false},
    {"penalty.l3.offset_random", "Loads that miss the L3 cache, by offset", "offset in a line", "latency of a load",
     false},
    {"penalty.l3", "Loads that miss the L3 cache", "lines of a set", "latency of a load", false},
    {"penalty.l4.offset", "Loads that miss the L4 cache, by offset", "offset in a line", "latency of a load", false},
    {"penalty.l4.offset_random", "Loads that miss the L4 cache, by offset", "offset in a line", "latency of a load",
     false},
    {"penalty.l4", "Loads that miss the L4 cache", "lines of a set", "latency of a load", false},
    {"interference.stride", "Loads after an interfering walk", "stride of that walk", "latency of a load", false},
    {"interference.offset", "Loads after an interfering walk", "offset of that walk", "latency of a load", false},
    {"dtlb", "Loads that go from page to page", "pages in a row", "more than in few pages", false},
    {"itlb.4k.jumps", "As many jumps in few pages as for 4 KB", "jumps", "time of a jump", false},
    {"itlb.2m.jumps", "As many jumps in few pages as for 2 MB", "jumps", "time of a jump", false},
    {"itlb", "Jumps that go from page to page", "pages in a row", "more than in few pages", false},
    {"structures", "Loads of pages that lie far apart", "pages", "latency of a load", false},
    {"stores", "Stores that go from page to page", "pages in a row", "more than in few pages", false},
    {"list", "Time of a linked element", "array", "time of an element", false},
    {"noise.gaps", "Gaps in the clock", "length of a gap", "gaps", false},
};

/* What the last part of an id tells apart: page sizes, orders. */
static const struct name parts[] = {{"4k", "4 KB pages"}, {"2m", "2 MB pages"}, {"4m", "4 MB pages"},
                                    {"1g", "1 GB pages"}, {"up", "ascending"},  {"down", "descending"}};

size_t group_length(const char *id)
{
    size_t length = 0;

    while (id[length] && id[length] != '.')
        length++;
    return length;
}

size_t stem_length(const char *id)
{
    size_t length = text_length(id), at = length;

    while (at > 0 && id[at] != '.')
        at--;
    return at > 0 ? at : length;
}

static bool same_beginning(const char *one, const char *other, size_t length)
{
    while (length > 0 && one[length - 1] == other[length - 1])
        length--;
    return length == 0;
}

bool same_group(const char *one, const char *other)
{
    size_t length = group_length(one);

    return length == group_length(other) && same_beginning(one, other, length);
}

bool same_stem(const char *one, const char *other)
{
    size_t length = stem_length(one);

    return length == stem_length(other) && one[length] == other[length] && same_beginning(one, other, length);
}

void group_title(struct text *text, const char *id)
{
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (same_group(groups[i].id, id)) {
            text_string(text, groups[i].title);
            return;
        }
    }
    text_bytes(text, id, group_length(id));
}

const char *level_id(unsigned index)
{
    return index < sizeof levels / sizeof *levels ? levels[index].id : NULL;
}

const char *level_name(unsigned index)
{
    return levels[index].title;
}

static const struct curve_name *curve_name_of(const char *id)
{
    for (unsigned i = 0; i < sizeof curves / sizeof *curves; i++) {
        size_t length = text_length(curves[i].id);
        if (text_starts(id, curves[i].id) && (id[length] == '\0' || id[length] == '.'))
            return &curves[i];
    }
    return NULL;
}

void curve_title(struct text *text, const char *id, bool alone)
{
    const struct curve_name *name = curve_name_of(id);

    if (name)
        text_string(text, name->title);
    if (name && alone) {
        text_format(text, " (%s)", id);
    } else if (name && stem_length(id) > text_length(name->id)) {
        /* One of several pictures of that name. */
        text_string(text, " (");
        text_bytes(text, id, stem_length(id));
        text_char(text, ')');
    } else if (!name) {
        text_bytes(text, id, alone ? text_length(id) : stem_length(id));
    }
}

const char *curve_x(const char *id)
{
    const struct curve_name *name = curve_name_of(id);

    return name ? name->x : "";
}

const char *curve_y(const char *id)
{
    const struct curve_name *name = curve_name_of(id);

    return name ? name->y : "";
}

bool curve_of_levels(const char *id)
{
    const struct curve_name *name = curve_name_of(id);

    return name && name->of_levels;
}

void curve_label(struct text *text, const char *id)
{
    const char *last = id + stem_length(id);

    last += *last == '.';
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (text_equal(last, parts[i].id)) {
            text_string(text, parts[i].title);
            return;
        }
    }
    text_string(text, *last ? last : id);
}
