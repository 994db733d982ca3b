// SPDX-License-Identifier: BSD-2-Clause
/* ini.h: a text of sections and entries, with the line of each, so that whoever reads them can complain where it is
 * wrong:
 *     # comment
 *     [kind name]
 *     key = value   # comment
 * Blanks around all parts do not matter. There is no quoting: a value ends at "#" or at the end of its line. */
#pragma once
#include "base/text.h"

struct ini_line {
    unsigned number; /* of the line, from 1 */
    bool section;    /* "[kind name]"; else an entry of the section before */
    char *key;       /* the kind, or the entry's name */
    char *value;     /* the section's name, "" when it has none; or the entry's value, never "" */
};

struct ini {
    struct ini_line *lines;
    size_t count;
    unsigned last; /* number of the text's last line */
    char *text;    /* what the lines point into */
};

/* NULL: the text is no ini file (or there is no memory): *why got "line N: ..." added. */
struct ini *ini_read(const char *text, size_t length, struct text *why);
void ini_free(struct ini *);
