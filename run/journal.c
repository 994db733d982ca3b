// SPDX-License-Identifier: BSD-2-Clause
/* journal.c: sealing journal lines and reading a journal back, whatever a power cut has left of it. */
#include "run/journal.h"
#include "base/crc32.h"

enum {
    SEAL_SIZE = 18, /* of ,"crc":"89abcdef"} */
    NAME_SIZE = 32,
    LIST_SIZE = 128
};

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

/* Adds a name to a list separated by commas, unless it is there already. */
static void add_probe(struct text *list, const char *probe)
{
    if (text_listed(list->at, probe))
        return;
    text_string(list, list->length > 0 ? "," : "");
    text_string(list, probe);
}

/* Takes a name off such a list. */
static void drop_probe(struct text *list, const char *probe)
{
    char rest[LIST_SIZE];
    struct text text = text_in(rest, sizeof rest);

    for (const char *at = list->at; *at;) {
        char name[NAME_SIZE];
        struct text one = text_in(name, sizeof name);
        while (*at && *at != ',')
            text_char(&one, *at++);
        at += *at == ',';
        if (!text_equal(name, probe))
            add_probe(&text, name);
    }
    *list = text_in(list->at, list->capacity);
    text_string(list, rest);
}

/* What one whole line says: `under_way` gets the name of the probe that has begun, or "". */
static void follow(const char *line, const char *end, struct text *list, char under_way[NAME_SIZE])
{
    const char *event = behind(line, end, "\"event\":\""), *name = behind(line, end, "\"probe\":\"");
    const char *inherited = behind(line, end, "\"unfinished\":\"");
    char kind[16], probe[NAME_SIZE] = "";

    if (!event)
        return;
    copy_quoted(event, end, kind, sizeof kind);
    if (name)
        copy_quoted(name, end, probe, sizeof probe);
    text_copy(under_way, NAME_SIZE, text_equal(kind, "begin") ? probe : "");
    if (text_equal(kind, "run") && inherited) {
        *list = text_in(list->at, list->capacity);
        copy_quoted(inherited, end, list->at, list->capacity);
        list->length = text_length(list->at);
    }
    if (text_equal(kind, "end") && !behind(line, end, "\"outcome\":\"left out\""))
        drop_probe(list, probe);
}

bool journal_unfinished(const char *journal, size_t length, char *probes, size_t capacity)
{
    const char *end = journal + length;
    struct text list = text_in(probes, capacity);
    char under_way[NAME_SIZE] = "";

    for (const char *line = journal; line < end;) {
        const char *line_end = line;
        while (line_end < end && *line_end != '\n')
            line_end++;
        if (journal_whole(line, (size_t)(line_end - line)))
            follow(line, line_end, &list, under_way);
        line = line_end + 1;
    }
    if (under_way[0])
        add_probe(&list, under_way);
    return list.length > 0;
}
