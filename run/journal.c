// SPDX-License-Identifier: BSD-2-Clause
/* journal.c: sealing journal lines and reading a journal back, whatever a power cut has left of it. */
#include "run/journal.h"
#include "base/crc32.h"

enum { SEAL_SIZE = 18 }; /* of ,"crc":"89abcdef"} */

void journal_seal(struct text *line)
{
    uint32_t crc = crc32(0, line->at, line->length);

    text_format(line, ",\"crc\":\"%08x\"}", crc);
}

bool journal_whole(const char *line, size_t length)
{
    char buffer[SEAL_SIZE + 1];
    struct text seal = text_in(buffer, sizeof buffer);

    if (length <= SEAL_SIZE || line[0] != '{')
        return false;
    text_format(&seal, ",\"crc\":\"%08x\"}", crc32(0, line, length - SEAL_SIZE));
    for (size_t i = 0; i < SEAL_SIZE; i++) {
        if (line[length - SEAL_SIZE + i] != seal.at[i])
            return false;
    }
    return true;
}

/* Where `wanted` stands in a line, just behind it; NULL: nowhere. */
static const char *behind(const char *line, const char *end, const char *wanted)
{
    size_t length = text_length(wanted);

    for (; (size_t)(end - line) >= length; line++) {
        size_t same = 0;
        while (same < length && line[same] == wanted[same])
            same++;
        if (same == length)
            return line + length;
    }
    return NULL;
}

/* Copies a JSON string's characters up to its closing quote. Names of events and probes need no escapes. */
static void copy_quoted(const char *from, const char *end, char *to, size_t capacity)
{
    struct text text = text_in(to, capacity);

    while (from < end && *from != '"')
        text_char(&text, *from++);
}

static void add_probe(struct text *list, const char *probe)
{
    text_string(list, list->length > 0 ? "," : "");
    text_string(list, probe);
}

/* What one whole line says: `under_way` gets the name of the probe that has begun, or "". */
static void follow(const char *line, const char *end, struct text *left_out, char *under_way, size_t capacity)
{
    const char *event = behind(line, end, "\"event\":\"");
    const char *name = behind(line, end, "\"probe\":\"");
    char kind[16];

    if (!event)
        return;
    copy_quoted(event, end, kind, sizeof kind);
    under_way[0] = '\0';
    if (name && text_equal(kind, "begin")) {
        copy_quoted(name, end, under_way, capacity);
    } else if (name && behind(line, end, "\"unfinished\":true")) {
        char probe[32];
        copy_quoted(name, end, probe, sizeof probe);
        add_probe(left_out, probe);
    }
}

bool journal_unfinished(const char *journal, size_t length, char *probes, size_t capacity)
{
    const char *end = journal + length;
    struct text list = text_in(probes, capacity);
    char under_way[32] = "";

    for (const char *line = journal; line < end;) {
        const char *line_end = line;
        while (line_end < end && *line_end != '\n')
            line_end++;
        if (journal_whole(line, (size_t)(line_end - line)))
            follow(line, line_end, &list, under_way, sizeof under_way);
        line = line_end + 1;
    }
    if (under_way[0])
        add_probe(&list, under_way);
    return list.length > 0;
}
