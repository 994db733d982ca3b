// SPDX-License-Identifier: BSD-2-Clause
/* test_record.c: recordings: what is written comes back, and no damage goes unnoticed. */
#include "base/random.h"
#include "kernel/payload.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t samples[] = {0, 1, 127, 128, 16383, 16384, 1ULL << 35, UINT64_MAX, UINT64_MAX - 1, 1ULL << 63};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void write_samples(struct recording *recording)
{
    record_open(recording, RECORD_RUN, 0x12345678);
    for (unsigned i = 0; i < SAMPLES; i++)
        record_number(recording, samples[i]);
    record_close(recording);
    record_open(recording, RECORD_TEXT, 0xFFFFFFFF);
    record_string(recording, "name");
    record_string(recording, "");
    record_close(recording);
    record_open(recording, RECORD_NOW, 0);
    record_close(recording);
}

static void round_trip(void **state)
{
    uint8_t memory[1024];
    char string[8];
    struct recording recording;
    struct record record;
    struct cursor cursor;

    (void)state;
    recording_begin(&recording, memory, sizeof memory);
    write_samples(&recording);
    recording_finish(&recording);
    assert_null(recording_check(memory, recording.used));
    cursor = recording_start(memory, recording.used);
    assert_true(recording_next(&cursor, &record));
    assert_int_equal(record.kind, RECORD_RUN);
    assert_int_equal(record.key, 0x12345678);
    for (unsigned i = 0; i < SAMPLES; i++)
        assert_true(cursor_number(&record.payload) == samples[i]);
    assert_false(record.payload.bad);
    assert_int_equal(cursor_number(&record.payload), 0);
    assert_true(record.payload.bad);
    assert_true(recording_next(&cursor, &record));
    assert_int_equal(record.key, 0xFFFFFFFF);
    cursor_string(&record.payload, string, 3);
    assert_string_equal(string, "na");
    cursor_string(&record.payload, string, sizeof string);
    assert_string_equal(string, "");
    assert_false(record.payload.bad);
    assert_true(recording_next(&cursor, &record));
    assert_int_equal(record.kind, RECORD_NOW);
    assert_true(recording_next(&cursor, &record));
    assert_int_equal(record.kind, RECORD_END);
    assert_false(recording_next(&cursor, &record));
}

static void damage_is_noticed(void **state)
{
    uint8_t memory[1024], damaged[1024];
    struct recording recording;

    (void)state;
    recording_begin(&recording, memory, sizeof memory);
    write_samples(&recording);
    recording_finish(&recording);
    for (size_t i = 0; i < recording.used; i++) {
        for (unsigned change = 1; change < 256; change++) {
            memcpy(damaged, memory, recording.used);
            damaged[i] ^= (uint8_t)change;
            if (!recording_check(damaged, recording.used))
                fail_msg("byte %zu changed by %#x is not noticed", i, change);
        }
    }
    for (size_t size = 0; size < recording.used; size++) {
        uint8_t *torn = malloc(size); /* of exactly this size, so that reading past the end is seen */
        memcpy(torn, memory, size);
        assert_non_null(recording_check(torn, size));
        free(torn);
    }
    memory[recording.used] = 0;
    assert_non_null(recording_check(memory, recording.used + 1));
}

/* Records that fit are there, the one that did not fit is not, and the recording says that it is not whole. */
static void full(void **state)
{
    (void)state;
    for (size_t capacity = 0; capacity < 400; capacity++) {
        uint8_t *memory = malloc(capacity + 1);
        struct recording recording;
        struct record record;
        struct cursor cursor;
        recording_begin(&recording, memory, capacity);
        for (unsigned i = 0; i < 40; i++)
            write_samples(&recording);
        assert_true(recording.full);
        recording_finish(&recording);
        assert_true(recording.used <= capacity);
        assert_non_null(recording_check(memory, recording.used));
        cursor = recording_start(memory, recording.used);
        while (recording_next(&cursor, &record))
            ;
        assert_false(cursor.bad);
        free(memory);
    }
}

static void cut_off_record(void **state)
{
    uint8_t memory[256];
    struct recording recording;
    struct record record;
    struct cursor cursor;

    (void)state;
    recording_begin(&recording, memory, sizeof memory);
    record_open(&recording, RECORD_RUN, 1);
    record_number(&recording, 5);
    record_open(&recording, RECORD_NOW, 2); /* a fault kept the first one from being closed */
    record_close(&recording);
    recording_finish(&recording);
    assert_null(recording_check(memory, recording.used));
    cursor = recording_start(memory, recording.used);
    assert_true(recording_next(&cursor, &record));
    assert_int_equal(record.kind, RECORD_NOW);
}

static void readings_and_values(void **state)
{
    uint8_t memory[8192];
    struct recording recording;
    struct record record;
    struct cursor cursor;
    struct payload payload = {.to = &recording};
    struct reading reading = {.ticks = 1000, .cycles = 7, .steps = 9, .event = {0, 5, 0, 1}, .disturbances = 3}, back;
    struct visit visits[200], again[200];
    struct random random = {3};

    (void)state;
    recording_begin(&recording, memory, sizeof memory);
    for (unsigned i = 0; i < 200; i++)
        visits[i] = (struct visit){OP_LOAD, 0, 0, 0x10000 + 64 * i, 0};
    for (unsigned i = 0; i < 200; i++)
        visits[i].value = i % 50 < 30 ? (i < 199 ? visits[i + 1].va : 0) : i % 50 < 40 ? 0 : random_next(&random);
    record_open(&recording, RECORD_SCRIPT, 0);
    payload_reading(&payload, &reading);
    payload_values(&payload, visits, 200);
    record_close(&recording);
    assert_true(recording.used < 700);
    cursor = recording_start(memory, recording.used);
    assert_true(recording_next(&cursor, &record));
    payload = (struct payload){.from = &record.payload};
    memset(&back, 0xFF, sizeof back);
    payload_reading(&payload, &back);
    assert_memory_equal(&back, &reading, offsetof(struct reading, disturbances));
    assert_int_equal(back.disturbances, 3);
    memcpy(again, visits, sizeof again);
    for (unsigned i = 0; i < 200; i++)
        again[i].value = 99;
    payload_values(&payload, again, 200);
    for (unsigned i = 0; i < 200; i++)
        assert_true(again[i].value == visits[i].value);
    assert_false(record.payload.bad);
    assert_true(record.payload.at == record.payload.end);
}

/* Whatever the bytes, reading them ends and stays inside. */
static void garbage(void **state)
{
    struct random random = {11};

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        size_t size = random_below(&random, 60);
        uint8_t *bytes = malloc(size);
        struct visit visits[20] = {0};
        struct facts facts = {0};
        struct cursor cursor;
        struct payload payload = {.from = &cursor};
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)random_next(&random);
        cursor = (struct cursor){bytes, bytes + size, false};
        payload_values(&payload, visits, 20);
        cursor = (struct cursor){bytes, bytes + size, false};
        payload_facts(&payload, &facts);
        assert_true(facts.declared_count <= MAX_DECLARED);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),     cmocka_unit_test(damage_is_noticed),   cmocka_unit_test(full),
        cmocka_unit_test(cut_off_record), cmocka_unit_test(readings_and_values), cmocka_unit_test(garbage)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
