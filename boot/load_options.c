// SPDX-License-Identifier: BSD-2-Clause
/* load_options.c: see load_options.h. A shell passes the whole command line, quotes included; a boot option passes its
 * data without the program's name; a boot manager that found the program by itself passes nothing, or what is left over
 * from something else. Pure: tested on the host. */
#include "boot/load_options.h"

static bool printable(unsigned character)
{
    return (character >= ' ' && character <= '~') || character == '\t';
}

bool load_options_line(const void *bytes, size_t length, struct text *line, const char **why)
{
    const uint8_t *at = bytes;
    size_t end = length / 2, first = 0;
    if (length % 2) {
        *why = "an odd number of bytes";
        return false;
    }
    for (size_t i = 0; i < end; i++) {
        unsigned character = at[2 * i] | (unsigned)at[2 * i + 1] << 8;
        if (character == 0)
            end = i;
        else if (!printable(character)) {
            *why = "characters that are not printable ASCII";
            return false;
        }
    }
    while (first < end && (at[2 * first] == ' ' || at[2 * first] == '\t'))
        first++;
    if (first < end && at[2 * first] != '-') {
        bool quoted = false;
        for (; first < end && (quoted || (at[2 * first] != ' ' && at[2 * first] != '\t')); first++)
            if (at[2 * first] == '"')
                quoted = !quoted;
    }
    while (first < end && (at[2 * first] == ' ' || at[2 * first] == '\t'))
        first++;
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
