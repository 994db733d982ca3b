// SPDX-License-Identifier: BSD-2-Clause
/* load_options.c: see load_options.h. A shell passes the whole command line, quotes included; a boot option passes its
 * data without the program's name; a boot manager that found the program by itself passes nothing, or what is left over
 * from something else. Pure: tested on the host. */
#include "boot/load_options.h"

static bool printable(unsigned character)
{
    return (character >= ' ' && character <= '~') || character == '\t';
}

/* The number of characters up to the terminator; false: there is one that is no text. */
static bool count(const uint8_t *at, size_t length, size_t *end)
{
    *end = length / 2;
    for (size_t i = 0; i < *end; i++) {
        unsigned character = at[2 * i] | (unsigned)at[2 * i + 1] << 8;
        if (character == 0)
            *end = i;
        else if (!printable(character))
            return false;
    }
    return true;
}

static size_t skip_blanks(const uint8_t *at, size_t from, size_t end)
{
    while (from < end && (at[2 * from] == ' ' || at[2 * from] == '\t'))
        from++;
    return from;
}

static size_t skip_word(const uint8_t *at, size_t from, size_t end)
{
    bool quoted = false;
    for (; from < end && (quoted || (at[2 * from] != ' ' && at[2 * from] != '\t')); from++)
        if (at[2 * from] == '"')
            quoted = !quoted;
    return from;
}

/* Whether a word, perhaps quoted, ends in ".efi". */
static bool is_program(const uint8_t *at, size_t from, size_t end)
{
    static const char wanted[] = ".efi";
    if (end > from && at[2 * (end - 1)] == '"')
        end--;
    if (end - from < sizeof wanted - 1)
        return false;
    from = end - (sizeof wanted - 1);
    for (size_t i = 0; from + i < end; i++) {
        char character = (char)at[2 * (from + i)];
        if (character >= 'A' && character <= 'Z')
            character = (char)(character - 'A' + 'a');
        if (character != wanted[i])
            return false;
    }
    return true;
}

bool load_options_line(const void *bytes, size_t length, bool from_shell, struct text *line, const char **why)
{
    const uint8_t *at = bytes;
    size_t end;
    if (length % 2) {
        *why = "an odd number of bytes";
        return false;
    }
    if (!count(at, length, &end)) {
        *why = "characters that are not printable ASCII";
        return false;
    }
    size_t first = skip_blanks(at, 0, end), after = skip_word(at, first, end);
    if (is_program(at, first, after) || (from_shell && first < end && at[2 * first] != '-'))
        first = skip_blanks(at, after, end);
    for (size_t i = first; i < end; i++)
        text_char(line, (char)at[2 * i]);
    while (line->length && (line->at[line->length - 1] == ' ' || line->at[line->length - 1] == '\t'))
        line->at[--line->length] = 0;
    if (line->cut) {
        *why = "more than fits";
        return false;
    }
    return true;
}
