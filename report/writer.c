// SPDX-License-Identifier: BSD-2-Clause
/* writer.c: pieces of a document, collected to blocks, and the quoting of the two file formats. */
#include "report/writer.h"

void writer_start(struct writer *writer, struct report_sink *sink)
{
    writer->sink = sink;
    writer->good = true;
    writer->used = 0;
}

bool writer_end(struct writer *writer)
{
    if (writer->good && writer->used > 0)
        writer->good = report_out(writer->sink, writer->block, writer->used);
    writer->used = 0;
    return writer->good;
}

void write_bytes(struct writer *writer, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (writer->used == sizeof writer->block)
            writer_end(writer);
        if (!writer->good)
            return;
        writer->block[writer->used++] = bytes[i];
    }
}

void write_string(struct writer *writer, const char *string)
{
    write_bytes(writer, string, text_length(string));
}

void write_number(struct writer *writer, double number)
{
    char buffer[64];
    struct text text = text_in(buffer, sizeof buffer);

    text_number(&text, number);
    write_bytes(writer, text.at, text.length);
}

void write_format(struct writer *writer, const char *format, ...)
{
    char buffer[256];
    struct text text = text_in(buffer, sizeof buffer);
    va_list list;

    va_start(list, format);
    text_format_list(&text, format, list);
    va_end(list);
    write_bytes(writer, text.at, text.length);
}

/* Characters of the next line of `text` that fit into `width`, broken at a blank where there is one. */
static size_t line_length(const char *text, size_t width)
{
    size_t length = text_length(text), at;

    if (length <= width)
        return length;
    for (at = width; at > 0 && text[at] != ' '; at--)
        ;
    return at > 0 ? at : width;
}

void write_blanks(struct writer *writer, size_t count)
{
    while (count-- > 0)
        write_string(writer, " ");
}

void write_wrapped(struct writer *writer, const char *text, size_t indent, size_t columns)
{
    for (;;) {
        size_t length = line_length(text, columns - indent);
        write_bytes(writer, text, length);
        write_string(writer, "\n");
        text += length;
        while (*text == ' ')
            text++;
        if (*text == '\0')
            return;
        write_blanks(writer, indent);
    }
}

void write_json(struct writer *writer, const char *string)
{
    write_bytes(writer, "\"", 1);
    for (; *string; string++) {
        unsigned char byte = (unsigned char)*string;
        if (byte == '"' || byte == '\\')
            write_format(writer, "\\%c", *string);
        else if (byte < 0x20 || byte > 0x7E)
            write_format(writer, "\\u%04x", byte);
        else
            write_bytes(writer, string, 1);
    }
    write_bytes(writer, "\"", 1);
}

static bool needs_quotes(const char *field)
{
    for (; *field; field++) {
        if (*field == '"' || *field == ',' || *field == '\r' || *field == '\n')
            return true;
    }
    return false;
}

void write_csv(struct writer *writer, const char *field)
{
    const char *quote = needs_quotes(field) ? "\"" : "";

    write_string(writer, quote);
    for (; *field; field++) {
        unsigned char byte = (unsigned char)*field;
        bool plain = (byte >= 0x20 && byte <= 0x7E) || byte == '\r' || byte == '\n';
        if (byte == '"')
            write_bytes(writer, "\"", 1);
        write_bytes(writer, plain ? field : "?", 1);
    }
    write_string(writer, quote);
}
