// SPDX-License-Identifier: BSD-2-Clause
/* ini.c: cuts a text into sections and entries (ini.h). Knows nothing about what they mean. */
#include "tests/silicon/ini.h"
#include <stdlib.h>
#include <string.h>

/* Takes the blanks off both ends, in place. */
static char *trimmed(char *text)
{
    size_t length;

    while (*text == ' ' || *text == '\t')
        text++;
    length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL)
        text[--length] = '\0';
    return text;
}

static bool complain(struct text *why, unsigned number, const char *what, const char *text)
{
    text_format(why, "line %u: '%.40s' %s", number, text, what);
    return false;
}

/* "[kind]" or "[kind name]" */
static bool read_section(struct ini_line *line, char *text, struct text *why)
{
    size_t length = strlen(text);
    char *blank;

    if (text[length - 1] != ']')
        return complain(why, line->number, "is no section: [kind] or [kind name] is", text);
    text[length - 1] = '\0';
    line->section = true;
    line->key = trimmed(text + 1);
    blank = line->key + strcspn(line->key, " \t");
    line->value = blank;
    if (*blank != '\0') {
        *blank = '\0';
        line->value = trimmed(blank + 1);
    }
    if (line->key[0] == '\0')
        return complain(why, line->number, "is no section: [kind] or [kind name] is", "[]");
    return true;
}

/* "key = value" */
static bool read_entry(struct ini_line *line, char *text, struct text *why)
{
    char *equals = strchr(text, '=');

    if (equals == NULL || equals == text)
        return complain(why, line->number, "is neither a section nor an entry: [kind name] or name = value is", text);
    *equals = '\0';
    line->section = false;
    line->key = trimmed(text);
    line->value = trimmed(equals + 1);
    if (line->value[0] == '\0')
        return complain(why, line->number, "has no value: name = value is right", line->key);
    return true;
}

/* Reads one line, already ended by NUL; blank ones and comments add nothing. */
static bool read_line(struct ini *ini, char *text, struct text *why)
{
    struct ini_line *line = &ini->lines[ini->count];

    text[strcspn(text, "#")] = '\0';
    text = trimmed(text);
    if (*text == '\0')
        return true;
    line->number = ini->last;
    if (text[0] == '[' ? !read_section(line, text, why) : !read_entry(line, text, why))
        return false;
    if (ini->count == 0 && !line->section)
        return complain(why, line->number, "stands before any section: [machine] comes first", line->key);
    ini->count++;
    return true;
}

static size_t lines_of(const char *text, size_t length)
{
    size_t count = 1;

    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n';
    return count;
}

static bool read_lines(struct ini *ini, size_t length, struct text *why)
{
    char *at = ini->text, *end = ini->text + length;

    while (at < end) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        char *next = newline != NULL ? newline : end;

        ini->last++;
        *next = '\0';
        if (strlen(at) != (size_t)(next - at))
            return complain(why, ini->last, "has a NUL character after that: this is no text", at);
        if (!read_line(ini, at, why))
            return false;
        at = next + 1;
    }
    return true;
}

struct ini *ini_read(const char *text, size_t length, struct text *why)
{
    struct ini *ini = calloc(1, sizeof *ini);

    if (ini != NULL) {
        ini->text = malloc(length + 1);
        ini->lines = calloc(lines_of(text, length), sizeof *ini->lines);
    }
    if (ini == NULL || ini->text == NULL || ini->lines == NULL) {
        text_string(why, "line 1: no memory to read it");
        ini_free(ini);
        return NULL;
    }
    memcpy(ini->text, text, length);
    ini->text[length] = '\0';
    ini->last = length == 0; /* an empty text has one line */
    if (!read_lines(ini, length, why)) {
        ini_free(ini);
        return NULL;
    }
    return ini;
}

void ini_free(struct ini *ini)
{
    if (ini == NULL)
        return;
    free(ini->lines);
    free(ini->text);
    free(ini);
}
