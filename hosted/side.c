// SPDX-License-Identifier: BSD-2-Clause
/* side.c: one of two runs: from files to findings and facts. */
#define _POSIX_C_SOURCE 200809L // stat, S_ISDIR
#include "hosted/side.h"
#include "base/number.h"
#include "report/baseline.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 64 << 20 };

/* Reads a whole file; NULL with errno set. The caller frees it. */
static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = file ? malloc(MOST_BYTES) : NULL; /* costs only what is used of it */

    *length = bytes ? fread(bytes, 1, MOST_BYTES, file) : 0;
    if (bytes && (ferror(file) || *length == MOST_BYTES)) {
        errno = ferror(file) ? EIO : EFBIG;
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    return bytes;
}

static bool is_folder(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path);

    return length >= strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0;
}

/* The findings.csv of a run, as the image reads it. */
static bool read_findings(struct side *side, const char *bytes, size_t length, struct text *complaint)
{
    struct baseline *baseline = malloc(sizeof *baseline);
    struct notebook *notebook = &side->result.notebook;
    bool good = false;

    if (!baseline)
        text_string(complaint, "no memory");
    else
        good = baseline_read(baseline, bytes, length, complaint);
    if (good) {
        memcpy(notebook->finding, baseline->finding, baseline->count * sizeof notebook->finding[0]);
        notebook->findings = baseline->count;
    }
    free(baseline);
    return good;
}

bool side_read(struct side *side, const char *path, struct text *complaint)
{
    struct text name = text_in(side->path, sizeof side->path);
    size_t length;
    char *bytes;
    bool good;

    text_string(&name, path);
    if (is_folder(path))
        text_string(&name, ends_in(path, "/") ? "result.json" : "/result.json");
    bytes = name.cut ? NULL : read_file(side->path, &length);
    text_format(complaint, "%.300s: ", side->path);
    if (!bytes) {
        text_string(complaint, name.cut ? "too long a name" : strerror(errno));
        return false;
    }
    size_t before = complaint->length;
    struct text what = text_in(complaint->at + before, complaint->capacity - before);
    side->whole = !ends_in(side->path, ".csv");
    if (side->whole)
        good = result_parse(&side->result, bytes, length, &what);
    else
        good = read_findings(side, bytes, length, &what);
    free(bytes);
    return good;
}

struct findings side_findings(const struct side *side)
{
    return (struct findings){side->result.notebook.finding, side->result.notebook.findings};
}

static void add_fact(struct facts_compared *facts, const char *name, bool counts, const char *first, const char *second)
{
    struct fact *fact = &facts->fact[facts->count++];

    fact->name = name;
    fact->counts = counts;
    text_copy(fact->first, sizeof fact->first, first);
    text_copy(fact->second, sizeof fact->second, second);
    fact->differs = strcmp(fact->first, fact->second) != 0;
    facts->different += counts && fact->differs;
}

/* A number by a format of base/text.h; 0 is not known where `known_only`. */
static void add_number(struct facts_compared *facts, const char *name, bool counts, bool known_only, const char *prefix,
                       unsigned base, uint64_t first, uint64_t second)
{
    char one_buffer[32], other_buffer[32];
    struct text one = text_in(one_buffer, sizeof one_buffer), other = text_in(other_buffer, sizeof other_buffer);

    if (first || !known_only) {
        text_string(&one, prefix);
        number_digits(&one, first, base);
    }
    if (second || !known_only) {
        text_string(&other, prefix);
        number_digits(&other, second, base);
    }
    add_fact(facts, name, counts, one.at, other.at);
}

void compare_facts(struct facts_compared *facts, const struct side *first, const struct side *second)
{
    const struct run_summary *one = &first->result.run, *other = &second->result.run;

    facts->count = facts->different = 0;
    if (!first->whole || !second->whole)
        return;
    add_fact(facts, "board", true, one->board, other->board);
    add_fact(facts, "firmware", true, one->firmware, other->firmware);
    add_number(facts, "microcode", true, true, "0x", 16, one->microcode, other->microcode);
    add_fact(facts, "vendor", true, one->vendor, other->vendor);
    add_fact(facts, "processor", true, one->brand, other->brand);
    add_number(facts, "signature", true, false, "0x", 16, one->signature, other->signature);
    add_number(facts, "processors", true, false, "", 10, one->processors, other->processors);
    add_fact(facts, "hypervisor", true, one->hypervisor, other->hypervisor);
    add_fact(facts, "mode", true, one->mode, other->mode);
    add_fact(facts, "serial", false, one->serial, other->serial);
    add_fact(facts, "note", false, one->note, other->note);
    add_fact(facts, "options", false, one->options, other->options);
    add_number(facts, "seed", false, false, "", 10, one->seed, other->seed);
    add_number(facts, "core", false, false, "", 10, one->core, other->core);
    add_fact(facts, "tool", false, one->tool_version, other->tool_version);
    add_fact(facts, "build", false, one->build, other->build);
    add_fact(facts, "date", false, one->date, other->date);
    add_number(facts, "run", false, false, "", 10, one->run_number, other->run_number);
}
