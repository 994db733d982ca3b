// SPDX-License-Identifier: BSD-2-Clause
/* summary.c: the run in at most 512 bytes (docs/variable.md). */
#include "run/summary.h"
#include "base/crc32.h"
#include "base/text.h"
#include "report/answer.h"

enum { HEADER_SIZE = 16, VERSION = 1, VERDICT_AT = 5, MORE_SIZE = 12 /* of "+256 more\n" and a little */ };

static void put(uint8_t *to, unsigned bytes, uint32_t number)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(number >> 8 * i);
}

static uint32_t get(const uint8_t *from, unsigned bytes)
{
    uint32_t number = 0;

    for (unsigned i = 0; i < bytes; i++)
        number |= (uint32_t)from[i] << 8 * i;
    return number;
}

/* The CRC leaves itself out. */
static uint32_t summary_crc(const uint8_t *summary, size_t text_size)
{
    return crc32(crc32(0, summary, 12), summary + HEADER_SIZE, text_size);
}

static void finding_line(struct text *line, const struct finding *finding)
{
    double sure = sure_of(finding);
    double percent = sure >= 1 ? 100 : sure > 0.999 ? 99.9 : sure * 100; /* only certainty is 100 % */

    text_format(line, "%s=", finding->id);
    if (has_value(finding)) {
        text_number(line, finding->value);
        text_format(line, "%s%s %.1f%%\n", finding->unit[0] ? " " : "", finding->unit, percent);
    } else {
        text_string(line, "?\n");
    }
}

/* Adds the lines of all measured (or of all other) findings, unless `left` were already left out, until one does not
 * fit; returns how many are left out then. */
static unsigned add_findings(struct text *text, const struct notebook *notebook, bool measured, unsigned left)
{
    for (unsigned i = 0; i < notebook->findings; i++) {
        char buffer[128];
        struct text line = text_in(buffer, sizeof buffer);
        if (has_value(&notebook->finding[i]) != measured)
            continue;
        finding_line(&line, &notebook->finding[i]);
        if (left > 0 || text->length + line.length + MORE_SIZE >= text->capacity)
            left++;
        else
            text_bytes(text, line.at, line.length);
    }
    return left;
}

/* Names that come from a machine may hold any byte. */
static void make_ascii(char *text)
{
    for (; *text; text++) {
        if ((*text < 0x20 && *text != '\n') || *text > 0x7E)
            *text = '?';
    }
}

size_t summary_make(uint8_t summary[SUMMARY_SIZE], const struct run_summary *run, const struct notebook *notebook)
{
    char buffer[SUMMARY_SIZE - HEADER_SIZE + 1];
    struct text text = text_in(buffer, sizeof buffer);
    unsigned left;

    text_format(&text, "assay %.20s %.40s\n", run->tool_version, run->brand);
    left = add_findings(&text, notebook, true, 0);
    left = add_findings(&text, notebook, false, left);
    if (left > 0)
        text_format(&text, "+%u more\n", left);
    make_ascii(buffer);
    __builtin_memcpy(summary, "ASAY", 4);
    put(summary + 4, 1, VERSION);
    put(summary + VERDICT_AT, 1, run->verdict);
    put(summary + 6, 2, (uint32_t)text.length);
    put(summary + 8, 4, run->run_number);
    __builtin_memcpy(summary + HEADER_SIZE, text.at, text.length);
    put(summary + 12, 4, summary_crc(summary, text.length));
    return HEADER_SIZE + text.length;
}

enum verdict summary_verdict(const uint8_t *summary)
{
    unsigned verdict = summary[VERDICT_AT];

    return verdict <= BASELINE_FAILED ? (enum verdict)verdict : NO_BASELINE;
}

const char *summary_check(const uint8_t *summary, size_t size, const char **text, size_t *length, unsigned *run_number)
{
    size_t text_size;

    if (size < HEADER_SIZE || summary[0] != 'A' || summary[1] != 'S' || summary[2] != 'A' || summary[3] != 'Y')
        return "not a summary of assay";
    if (summary[4] != VERSION)
        return "a summary of another version of assay";
    text_size = get(summary + 6, 2);
    if (size > SUMMARY_SIZE || text_size != size - HEADER_SIZE)
        return "its length is wrong";
    if (get(summary + 12, 4) != summary_crc(summary, text_size))
        return "damaged: its CRC does not match";
    *text = (const char *)summary + HEADER_SIZE;
    *length = text_size;
    *run_number = get(summary + 8, 4);
    return NULL;
}
