// SPDX-License-Identifier: BSD-2-Clause
/* xml.c: text inside XML and HTML. */
#include "report/xml.h"

static const char *reference_for(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void write_xml(struct writer *writer, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        const char *reference = reference_for(*text);

        if (reference)
            write_string(writer, reference);
        else if (byte < 0x20 || (byte >= 0x7F && byte < 0xA0))
            write_bytes(writer, "?", 1);
        else if (byte >= 0xA0)
            write_format(writer, "&#%u;", (unsigned)byte);
        else
            write_bytes(writer, text, 1);
    }
}
