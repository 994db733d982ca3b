// SPDX-License-Identifier: BSD-2-Clause
/* text.h: building text without a C library, a locale or an allocator.
 *
 * The one number formatter of the project: the image on a board and the host programs print a number through the
 * same code, so the same run gives the same bytes everywhere. A text never overruns its buffer: what does not fit is
 * dropped, the buffer stays terminated, and `cut` tells. */
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *at;        /* start of the buffer, always a terminated string */
    size_t capacity; /* bytes of the buffer, the terminator included, at least 1 */
    size_t length;   /* characters so far, without the terminator */
    bool cut;        /* something did not fit */
};

/* Starts an empty text in a buffer of `capacity` bytes (at least 1). */
struct text text_in(char *buffer, size_t capacity);

void text_char(struct text *, char);
void text_string(struct text *, const char *); /* NULL adds "(none)" */
void text_bytes(struct text *, const char *, size_t length);

/* Adds text by a small, locale-free format language:
 *   %s string   %c character   %d int   %u unsigned   %lld/%lu/%lx/%ld and so on: 64-bit; %x hexadecimal without 0x
 *   %g double, as text_number does   %.Nf double with N decimals (0 to 9)   %% a percent sign   %.Ns at most N bytes
 *   a width (%5u, %-5s, %05u, %*d not) pads with blanks or zeros. Anything else is added as it stands. */
void text_format(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_format_list(struct text *, const char *format, va_list) __attribute__((format(printf, 2, 0)));

/* Adds a number in its shortest decimal form with at most 6 significant decimals: an integer below 2^53 as an integer,
 * anything else rounded half away from zero at 6 significant digits, trailing zeros dropped, with an exponent only
 * below 1e-15 and from 1e15 on. NaN and infinity become "null" (so that JSON stays JSON). */
void text_number(struct text *, double);

/* Pads with blanks to `column` characters after the last newline (none if already there). */
void text_column(struct text *, size_t column);

/* Small string helpers that a freestanding program lacks; same meaning as their C library namesakes. */
size_t text_length(const char *);
bool text_equal(const char *, const char *);
bool text_starts(const char *whole, const char *start);
bool text_listed(const char *list, const char *name);        /* whether a list separated by commas has this name */
void text_copy(char *to, size_t capacity, const char *from); /* truncates, always terminates */

/* Reads an unsigned number: decimal, 0x hexadecimal, with an optional K, M or G (powers of 1024) after it.
 * Returns false and leaves *value alone when `from` is not wholly such a number or it does not fit in 64 bits. */
bool text_read_number(const char *from, uint64_t *value);
