// SPDX-License-Identifier: BSD-2-Clause
/* key.c: what each request is known by in a recording. The front writes these keys and a replay looks them up. */
#include "base/crc32.h"
#include "kernel/front.h"

static uint32_t add_number(uint32_t key, uint64_t number)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    return crc32(key, bytes, sizeof bytes);
}

static uint32_t start_key(enum record_kind kind)
{
    uint8_t byte = (uint8_t)kind;

    return crc32(0, &byte, 1);
}

uint32_t key_run(const struct task *tasks, size_t count)
{
    uint32_t key = start_key(RECORD_RUN);

    for (size_t i = 0; i < count; i++) {
        key = add_number(key, tasks[i].op);
        key = add_number(key, tasks[i].start);
        key = add_number(key, tasks[i].steps);
        key = add_number(key, tasks[i].core);
        key = add_number(key, tasks[i].warm);
        if (tasks[i].lap) /* recordings from before have none */
            key = add_number(key, tasks[i].lap);
    }
    return key;
}

uint32_t key_script(const struct visit *visits, size_t count)
{
    uint32_t key = start_key(RECORD_SCRIPT);

    for (size_t i = 0; i < count; i++) {
        uint8_t what[3] = {(uint8_t)visits[i].op, visits[i].site, visits[i].lap};
        key = crc32(key, what, sizeof what);
        key = add_number(key, visits[i].va);
        if (visits[i].op == OP_STORE || visits[i].op == OP_WAIT)
            key = add_number(key, visits[i].value);
    }
    return key;
}

uint32_t key_block(const struct block *block, uint64_t steps)
{
    uint32_t key = add_number(start_key(RECORD_BLOCK), block->kind);

    return add_number(add_number(key, block->variables), steps);
}

uint32_t key_listen(uint64_t ticks)
{
    return add_number(start_key(RECORD_LISTEN), ticks);
}

uint32_t key_count(unsigned slot, unsigned event, uint64_t raw)
{
    return add_number(add_number(add_number(start_key(RECORD_COUNT), slot), event), raw);
}

uint32_t key_turn(enum knob knob, bool on)
{
    return add_number(add_number(start_key(RECORD_TURN), knob), on);
}

uint32_t key_knob(enum knob knob)
{
    return add_number(start_key(RECORD_KNOB), knob);
}

uint32_t key_entry(uint64_t va, unsigned level)
{
    return add_number(add_number(start_key(RECORD_ENTRY), va), level);
}
