// SPDX-License-Identifier: BSD-2-Clause
/* record.c: the bytes of a recording: heading, records, closing CRC; written in one pass into memory that does not
 * grow, read without trusting a byte. */
#include "kernel/record.h"
#include "base/crc32.h"
#include "base/text.h"

enum {
    HEADING_SIZE = 17, /* of the line at the start, its newline included */
    VARINT_SIZE = 10,  /* bytes of the longest varint */
    LENGTH_ROOM = 4,   /* set aside for the payload's length while its record is open: 28 bits */
    CLOSING_SIZE = 16, /* kept free for the closing record */
    LONGEST_STRING = 4095
};
static const char heading[HEADING_SIZE + 1] = "assay-readings/1\n";

static unsigned put_number(uint8_t *to, uint64_t number)
{
    unsigned length = 0;

    while (number >= 0x80) {
        to[length++] = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    to[length++] = (uint8_t)number;
    return length;
}

/* Whether `length` more bytes may be written; when not, the open record is taken back and nothing more is recorded. */
static bool room_for(struct recording *recording, size_t length)
{
    if (recording->full)
        return false;
    if (recording->used + length <= recording->capacity - CLOSING_SIZE)
        return true;
    recording->full = true;
    if (recording->open)
        recording->used = recording->open;
    recording->open = 0;
    return false;
}

void recording_begin(struct recording *recording, void *memory, size_t capacity)
{
    *recording = (struct recording){.bytes = memory, .capacity = capacity};
    if (capacity < HEADING_SIZE + CLOSING_SIZE) {
        recording->full = true;
        return;
    }
    __builtin_memcpy(recording->bytes, heading, HEADING_SIZE);
    recording->used = HEADING_SIZE;
}

static void put_start(struct recording *recording, enum record_kind kind, uint32_t key)
{
    recording->bytes[recording->used++] = (uint8_t)kind;
    for (unsigned i = 0; i < 4; i++)
        recording->bytes[recording->used++] = (uint8_t)(key >> 8 * i);
}

void recording_finish(struct recording *recording)
{
    if (recording->used < HEADING_SIZE)
        return;
    put_start(recording, RECORD_END, crc32(0, recording->bytes, recording->used));
    recording->bytes[recording->used++] = 1;
    recording->bytes[recording->used++] = recording->full;
}

void record_open(struct recording *recording, enum record_kind kind, uint32_t key)
{
    if (recording->open) /* a fault cut the record before this one off */
        recording->used = recording->open;
    recording->open = 0;
    if (!room_for(recording, 5 + LENGTH_ROOM))
        return;
    recording->open = recording->used;
    put_start(recording, kind, key);
    recording->used += LENGTH_ROOM;
}

void record_number(struct recording *recording, uint64_t number)
{
    if (room_for(recording, VARINT_SIZE))
        recording->used += put_number(recording->bytes + recording->used, number);
}

void record_string(struct recording *recording, const char *string)
{
    size_t length = text_length(string);

    length = length > LONGEST_STRING ? LONGEST_STRING : length;
    record_number(recording, length);
    if (!room_for(recording, length))
        return;
    __builtin_memcpy(recording->bytes + recording->used, string, length);
    recording->used += length;
}

void record_close(struct recording *recording)
{
    uint8_t *length_at, *payload;
    size_t length;
    unsigned width;

    if (recording->full || !recording->open)
        return;
    length_at = recording->bytes + recording->open + 5;
    payload = length_at + LENGTH_ROOM;
    length = (size_t)(recording->bytes + recording->used - payload);
    if (length >> 7 * LENGTH_ROOM) {
        recording->used = recording->open;
        recording->open = 0;
        recording->full = true;
        return;
    }
    width = put_number(length_at, length);
    __builtin_memmove(length_at + width, payload, length);
    recording->used -= LENGTH_ROOM - width;
    recording->open = 0;
}

uint64_t cursor_number(struct cursor *cursor)
{
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
        uint8_t byte = *cursor->at++;
        uint64_t bits = byte & 0x7F;
        if (bits << shift >> shift != bits)
            break;
        number |= bits << shift;
        if (!(byte & 0x80))
            return number;
    }
    cursor->bad = true;
    return 0;
}

void cursor_string(struct cursor *cursor, char *to, size_t capacity)
{
    uint64_t length = cursor_number(cursor);
    size_t kept;

    to[0] = '\0';
    if (length > (uint64_t)(cursor->end - cursor->at)) {
        cursor->bad = true;
        return;
    }
    kept = length < capacity ? (size_t)length : capacity - 1;
    __builtin_memcpy(to, cursor->at, kept);
    to[kept] = '\0';
    cursor->at += length;
}

struct cursor recording_start(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    return (struct cursor){.at = at + (size < HEADING_SIZE ? size : HEADING_SIZE), .end = at + size};
}

bool recording_next(struct cursor *cursor, struct record *record)
{
    uint64_t length;

    if (cursor->bad || cursor->at == cursor->end)
        return false;
    if (cursor->end - cursor->at < 5) {
        cursor->bad = true;
        return false;
    }
    record->kind = (enum record_kind)cursor->at[0];
    record->key = 0;
    for (unsigned i = 0; i < 4; i++)
        record->key |= (uint32_t)cursor->at[1 + i] << 8 * i;
    cursor->at += 5;
    length = cursor_number(cursor);
    if (cursor->bad || length > (uint64_t)(cursor->end - cursor->at)) {
        cursor->bad = true;
        return false;
    }
    record->payload = (struct cursor){.at = cursor->at, .end = cursor->at + length};
    cursor->at += length;
    return true;
}

const char *recording_check(const void *bytes, size_t size)
{
    const uint8_t *start = bytes;
    struct cursor cursor = recording_start(bytes, size);
    struct record record;

    if (size < HEADING_SIZE)
        return "too short to be a recording";
    for (size_t i = 0; i < HEADING_SIZE; i++) {
        if (start[i] != (uint8_t)heading[i])
            return "not a recording of this version (no line \"assay-readings/1\" at its start)";
    }
    for (const uint8_t *at = cursor.at; recording_next(&cursor, &record); at = cursor.at) {
        if (record.kind < RECORD_TEXT || record.kind > RECORD_END)
            return "a record of an unknown kind";
        if (record.kind != RECORD_END)
            continue;
        if (cursor.at != cursor.end)
            return "bytes after the closing record";
        if (record.key != crc32(0, start, (size_t)(at - start)))
            return "damaged: its CRC does not match";
        if (cursor_number(&record.payload) != 0)
            return "not whole: there was no memory for all of it when it was recorded";
        return record.payload.bad || record.payload.at != record.payload.end ? "a damaged closing record" : NULL;
    }
    return cursor.bad ? "torn: it ends inside a record" : "torn: it has no closing record";
}
