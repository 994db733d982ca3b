// SPDX-License-Identifier: BSD-2-Clause
/* record.h: the raw readings of a run, compact, enough to serve the run again (tests/replay/).
 *
 * A recording is a sequence of bytes: the line "assay-readings/1\n", then records, then a closing record with a CRC. A
 * record is: kind (one byte), key (4 bytes: a CRC of the request, so that a replay notices when it is asked something
 * else), payload length (varint), payload (varints and strings; a varint holds 7 bits a byte, low first, high bit: more
 * follow). Payloads are read with the same functions that wrote them, so the two cannot drift apart. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum record_kind {
    RECORD_TEXT = 1, /* key: CRC of a name; payload: name, text: what the program around noted (options, date, ...) */
    RECORD_FACTS,
    RECORD_GROUND, /* view, clock, cores, processors, spans, page sizes: at the start */
    RECORD_RUN,
    RECORD_SCRIPT,
    RECORD_BLOCK,
    RECORD_LISTEN,
    RECORD_MAP, /* only refused ones; payload: the number of the call (front.calls), why */
    RECORD_COUNT,
    RECORD_TURN,
    RECORD_KNOB,
    RECORD_ENTRY,   /* whether there is one, and what it held */
    RECORD_AT,      /* only refused ones, as RECORD_MAP */
    RECORD_LINK,    /* only refused ones, as RECORD_MAP */
    RECORD_REST,    /* only those that said skip, as RECORD_MAP */
    RECORD_PROTECT, /* written when it ended: whether it started, calls answered until then, fault */
    RECORD_NOW,
    RECORD_END
};

/* Where records go. Memory belongs to whoever opened the machine. When it is full, `full` is set and nothing more is
 * added: a recording is whole or says that it is not. */
struct recording {
    uint8_t *bytes;
    size_t capacity, used;
    bool full;
    size_t open; /* start of the record being written, 0 when none */
};

void recording_begin(struct recording *, void *memory, size_t capacity); /* writes the heading */
/* Writes RECORD_END: key: the CRC of all before it; payload: 1 when memory ran out before the end, else 0. */
void recording_finish(struct recording *);

void record_open(struct recording *, enum record_kind, uint32_t key);
void record_number(struct recording *, uint64_t);
void record_string(struct recording *, const char *); /* at most 4095 bytes of it */
void record_close(struct recording *);

/* Reading: a cursor over a recording. */
struct cursor {
    const uint8_t *at, *end;
    bool bad; /* a payload ended early or a number was malformed; numbers read so are 0 */
};
struct record {
    enum record_kind kind;
    uint32_t key;
    struct cursor payload;
};

/* Checks heading, record lengths and closing CRC. Returns NULL when the recording is whole, otherwise what is wrong
 * with it. */
const char *recording_check(const void *bytes, size_t size);

/* The cursor before the first record; then record by record. False: no more. */
struct cursor recording_start(const void *bytes, size_t size);
bool recording_next(struct cursor *, struct record *);

uint64_t cursor_number(struct cursor *);
void cursor_string(struct cursor *, char *to, size_t capacity);
