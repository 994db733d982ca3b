// SPDX-License-Identifier: BSD-2-Clause
/* writer.h: pieces of a document on their way to report_out(): collected to blocks, so that a stick is not written byte
 * by byte; after the first failure nothing more is written. */
#pragma once
#include "base/text.h"
#include "report/report.h"

struct writer {
    struct report_sink *sink;
    bool good; /* nothing failed so far */
    size_t used;
    char block[1024];
};

void writer_start(struct writer *, struct report_sink *);
bool writer_end(struct writer *); /* hands over what is left; false when anything failed */

void write_bytes(struct writer *, const char *, size_t length);
void write_string(struct writer *, const char *);
void write_number(struct writer *, double); /* as text_number */

/* At most 255 characters of text by base/text.h's formats. */
void write_format(struct writer *, const char *format, ...) __attribute__((format(printf, 2, 3)));

void write_blanks(struct writer *, size_t count);

/* Text from column `indent` on, broken at blanks, on as many lines of at most `columns` characters as it needs; the
 * first line is already filled up to there. */
void write_wrapped(struct writer *, const char *text, size_t indent, size_t columns);

/* A quoted JSON string (RFC 8259) in plain ASCII: bytes above 126, which firmware leaves in board names, are taken as
 * Latin-1. */
void write_json(struct writer *, const char *);

/* A CSV field (RFC 4180) in plain ASCII, quoted only where it must be; other bytes become question marks. */
void write_csv(struct writer *, const char *);
