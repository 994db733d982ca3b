// SPDX-License-Identifier: BSD-2-Clause
/* suite.c: reasons and columns. */
#include "report/suite.h"
#include "report/answer.h"

void suite_why(struct text *text, const struct finding *finding, const char *id)
{
    if (finding)
        text_format(text, "not measurable: %s", reason(finding));
    else
        text_format(text, "not measured: none of the probes that ran tells %s", id);
}

void suite_right(struct text *line, size_t end, const char *what)
{
    size_t length = text_length(what);

    if (end > length)
        text_column(line, end - length);
    text_string(line, what);
}

void suite_write(struct writer *writer, struct text *line)
{
    while (line->length > 0 && line->at[line->length - 1] == ' ')
        line->at[--line->length] = '\0';
    write_format(writer, "%s\n", line->at);
}
