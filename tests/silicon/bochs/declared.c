// SPDX-License-Identifier: BSD-2-Clause
/* declared.c: the leaves of CPUID that speak of caches and TLBs by numbers of a list. Intel SDM volume 2, CPUID: table
 * "Encoding of CPUID Leaf 2 Descriptors", and leaf 18h. */
#include "tests/silicon/bochs/declared.h"
#include <string.h>

enum { DESCRIPTORS = 15, TRANSLATIONS = 12 };

uint64_t declared_least(const struct description *description, const char *structure, const char *what, const char *by)
{
    size_t length = strlen(structure);

    for (unsigned i = 0; i < description->declarations; i++) {
        const struct declaration *declaration = &description->declaration[i];

        if (strncmp(declaration->id, structure, length) == 0 && declaration->id[length] == '.' &&
            strcmp(declaration->id + length + 1, what) == 0 && strcmp(declaration->by, by) == 0)
            return declaration->low;
    }
    return 0;
}

/* What a descriptor says: of a cache KB, ways and bytes of a line; of a TLB entries and ways (0: not said), line 0.
 * Those that speak of more than one structure come first, with a row for each. */
struct descriptor {
    uint8_t byte;
    char structure[9];
    uint16_t size;
    uint8_t ways, line;
};

static const struct descriptor list[] = {
    {0x63, "dtlb1.2m", 32, 4, 0},   {0x63, "dtlb1.1g", 4, 4, 0},   {0xc3, "dtlb2.4k", 1536, 6, 0},
    {0xc3, "dtlb2.2m", 1536, 6, 0}, {0xc3, "dtlb2.1g", 16, 4, 0},  {0xc1, "dtlb2.4k", 1024, 8, 0},
    {0xc1, "dtlb2.2m", 1024, 8, 0}, {0x01, "itlb1.4k", 32, 4, 0},  {0x03, "dtlb1.4k", 64, 4, 0},
    {0x50, "itlb1.4k", 64, 0, 0},   {0x55, "itlb1.2m", 7, 7, 0},   {0x56, "dtlb1.2m", 16, 4, 0},
    {0x57, "dtlb1.4k", 16, 4, 0},   {0x5a, "dtlb1.2m", 32, 4, 0},  {0x5b, "dtlb1.4k", 64, 0, 0},
    {0x61, "itlb1.4k", 48, 48, 0},  {0x64, "dtlb1.4k", 512, 4, 0}, {0x76, "itlb1.2m", 8, 8, 0},
    {0xa0, "dtlb1.4k", 32, 32, 0},  {0xb0, "itlb1.4k", 128, 4, 0}, {0xb1, "itlb1.2m", 8, 4, 0},
    {0xb2, "itlb1.4k", 64, 4, 0},   {0xb3, "dtlb1.4k", 128, 4, 0}, {0xb4, "dtlb2.4k", 256, 4, 0},
    {0xb5, "itlb1.4k", 64, 8, 0},   {0xb6, "itlb1.4k", 128, 8, 0}, {0xba, "dtlb2.4k", 64, 4, 0},
    {0xc2, "dtlb1.2m", 16, 4, 0},   {0xca, "dtlb2.4k", 512, 4, 0}, {0x06, "l1i", 8, 4, 32},
    {0x08, "l1i", 16, 4, 32},       {0x09, "l1i", 32, 4, 64},      {0x0a, "l1d", 8, 2, 32},
    {0x0c, "l1d", 16, 4, 32},       {0x0d, "l1d", 16, 4, 64},      {0x0e, "l1d", 24, 6, 64},
    {0x2c, "l1d", 32, 8, 64},       {0x30, "l1i", 32, 8, 64},      {0x41, "l2", 128, 4, 32},
    {0x42, "l2", 256, 4, 32},       {0x43, "l2", 512, 4, 32},      {0x44, "l2", 1024, 4, 32},
    {0x60, "l1d", 16, 8, 64},       {0x66, "l1d", 8, 4, 64},       {0x67, "l1d", 16, 4, 64},
    {0x7a, "l2", 256, 8, 64},       {0x7b, "l2", 512, 8, 64},      {0x7c, "l2", 1024, 8, 64},
    {0x7d, "l2", 2048, 8, 64},      {0x82, "l2", 256, 8, 32},      {0x83, "l2", 512, 8, 32},
};
enum { LISTED = sizeof list / sizeof *list };

static bool is_declared(const struct description *description, const struct descriptor *row)
{
    static const char by[] = "CPUID 2";

    if (declared_least(description, row->structure, "ways", by) != row->ways)
        return false;
    if (row->line == 0)
        return declared_least(description, row->structure, "entries", by) == row->size;
    return declared_least(description, row->structure, "size", by) == row->size * 1024ull &&
           declared_least(description, row->structure, "line", by) == row->line;
}

void declared_descriptors(const struct description *description, uint32_t words[4])
{
    uint8_t bytes[DESCRIPTORS + 1] = {1}; /* ask once */
    const char *told[DESCRIPTORS] = {NULL};
    unsigned count = 0, rows;

    for (unsigned i = 0; i < LISTED && count < DESCRIPTORS; i += rows) {
        bool holds = true;

        for (rows = 0; i + rows < LISTED && list[i + rows].byte == list[i].byte; rows++)
            holds = holds && is_declared(description, &list[i + rows]);
        for (unsigned j = 0; j < count; j++)
            holds = holds && strcmp(told[j], list[i].structure) != 0;
        if (!holds)
            continue;
        told[count++] = list[i].structure;
        bytes[count] = list[i].byte;
    }
    memcpy(words, bytes, sizeof bytes);
}

/* Number `number` of the TLBs that leaf 18h declares; false: there are less. */
static bool translation(const struct description *description, uint32_t number, uint32_t words[4])
{
    static const char structure[TRANSLATIONS][9] = {"dtlb1.4k", "dtlb1.2m", "dtlb1.1g", "itlb1.4k",
                                                    "itlb1.2m", "itlb1.1g", "dtlb2.4k", "dtlb2.2m",
                                                    "dtlb2.1g", "itlb2.4k", "itlb2.2m", "itlb2.1g"};
    static const char by[] = "CPUID 18";
    static const uint32_t page[] = {1 << 0, 1 << 1, 1 << 3};

    for (uint32_t i = 0; i < TRANSLATIONS; i++) {
        uint64_t entries = declared_least(description, structure[i], "entries", by);
        uint64_t ways = declared_least(description, structure[i], "ways", by);
        uint32_t type = structure[i][0] == 'd' ? 1 : 2, level = (uint32_t)(structure[i][4] - '0');

        if (!entries || !ways || number--)
            continue;
        words[1] = page[i % 3] | (uint32_t)ways << 16;
        words[2] = (uint32_t)(entries / ways);
        words[3] = type | level << 5 | (entries == ways ? 1 << 8 : 0);
        return true;
    }
    return false;
}

void declared_translation(const struct description *description, uint32_t subleaf, uint32_t words[4])
{
    uint32_t count = 0;

    memset(words, 0, 4 * sizeof *words);
    while (translation(description, count, words))
        count++;
    memset(words, 0, 4 * sizeof *words);
    translation(description, subleaf, words);
    if (subleaf == 0)
        words[0] = count ? count - 1 : 0;
}
