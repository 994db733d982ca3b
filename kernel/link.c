// SPDX-License-Identifier: BSD-2-Clause
/* link.c: writing the stops of walks. Data stops hold the address of the next; jump stops are the code that loops.h
 * describes. */
#include "kernel/link.h"

unsigned link_size(enum op op)
{
    switch (op) {
    case OP_LOAD:
    case OP_LOAD_INDEXED:
    case OP_LOAD_FLOAT:
    case OP_STORE:
    case OP_EXCHANGE:
        return 8;
    case OP_LOAD_32:
        return 4;
    case OP_JUMP:
    case OP_JUMP_FAR:
    case OP_PASS:
    case OP_PASS_FAR:
        return STOP_SIZE;
    default:
        return 0;
    }
}

bool link_is_code(enum op op)
{
    return link_size(op) == STOP_SIZE;
}

/* Builds code in a buffer, so that a stop is written whole or not at all. */
struct code {
    uint8_t bytes[STOP_SIZE];
    unsigned length;
};

static void emit(struct code *code, uint64_t bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        code->bytes[code->length++] = (uint8_t)(bytes >> (8 * i));
}

enum {
    SUB_RBX_RAX = 0xc32948, /* its last byte is a RET */
    SUB_EBX_EAX = 0xc329,   /* likewise */
    JZ_BACK = 0xfd74,       /* to the last byte of the instruction before */
    RET = 0xc3,
    JMP_NEAR = 0xe9,
    MOV_RCX = 0xb948,
    JMP_RCX = 0xe1ff
};

/* What counts a step, and returns after the last one. */
static void build_count(struct code *code, enum op op)
{
    if (op == OP_JUMP)
        emit(code, SUB_RBX_RAX, 3);
    else
        emit(code, SUB_EBX_EAX, 2);
}

static bool build_near(struct code *code, uint64_t from, uint64_t to)
{
    int64_t distance;

    emit(code, JMP_NEAR, 1);
    distance = (int64_t)(to - (from + code->length + 4));
    emit(code, (uint64_t)distance, 4);
    return distance >= INT32_MIN && distance <= INT32_MAX;
}

static void build_far(struct code *code, uint64_t to)
{
    emit(code, MOV_RCX, 2);
    emit(code, to, 8);
    emit(code, JMP_RCX, 2);
}

static const char *write_jump(enum op op, uint8_t *stop, uint64_t from, uint64_t to)
{
    struct code code = {.length = 0};
    bool counts = op == OP_JUMP || op == OP_JUMP_FAR;

    if (counts)
        build_count(&code, op);
    if (counts && to)
        emit(&code, JZ_BACK, 2);
    if (to == 0) {
        emit(&code, RET, 1);
    } else if (op == OP_JUMP_FAR || op == OP_PASS_FAR) {
        build_far(&code, to);
    } else if (!build_near(&code, from, to)) {
        return "a near jump reaches 2 GB: the stops are further apart";
    }
    for (unsigned i = 0; i < code.length; i++)
        stop[i] = code.bytes[i];
    return NULL;
}

const char *link_write(enum op op, void *stop, uint64_t from, uint64_t to, uint64_t base)
{
    unsigned size = link_size(op);

    if (size == 0)
        return "this operation has no links";
    if (from % size != 0)
        return size == STOP_SIZE ? "a jump stop is aligned to 16 bytes" : "a stop is aligned to the size of its link";
    if (link_is_code(op))
        return write_jump(op, stop, from, to);
    if (op == OP_LOAD_32) {
        if (to - base > UINT32_MAX)
            return "4-byte links reach 4 GB from the view's base";
        *(volatile uint32_t *)stop = (uint32_t)(to - base);
        return NULL;
    }
    *(volatile uint64_t *)stop = to;
    return NULL;
}
