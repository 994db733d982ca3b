// SPDX-License-Identifier: BSD-2-Clause
/* access.c: single accesses of the machine in process: what they cost, and what they move. */
#include "tests/silicon/process/process_inside.h"
#include <stdlib.h>

enum { PAGE_FAULT = 14, ERROR_WRITE = 2 };

_Noreturn void access_fault(struct machine *machine, uint64_t va, bool write)
{
    if (!machine->recovery)
        abort(); /* as it would end on a board: nobody is there to take the fault */
    machine->fault =
        (struct fault){.happened = true, .vector = PAGE_FAULT, .error = write ? ERROR_WRITE : 0, .cr2 = va};
    longjmp(*machine->recovery, 1);
}

/* Physical address of a byte `offset` bytes after va: behind the end of a page, where the tables say. */
static uint64_t address_of(const struct machine *machine, unsigned core, uint64_t va, uint64_t pa, unsigned offset)
{
    uint64_t page = (uint64_t)1 << machine->description.page_shift;

    if ((va & (page - 1)) + offset < page)
        return pa + offset;
    return translation_peek(machine->silicon->translation, core, va + offset).pa;
}

uint64_t access_word(const struct machine *machine, unsigned core, uint64_t va, uint64_t pa, unsigned size)
{
    const uint8_t *at = ground_at(&machine->ground, pa, sizeof(uint64_t));
    uint64_t word = 0;

    if (va % size == 0 && at) {
        memcpy(&word, at, sizeof word); /* of a size that the compiler knows: a walk waits for it */
        return size < sizeof word ? word & (((uint64_t)1 << 8 * size) - 1) : word;
    }
    for (unsigned i = 0; i < size; i++) {
        at = ground_at(&machine->ground, address_of(machine, core, va, pa, i), 1);
        word |= (uint64_t)(at ? *at : 0) << 8 * i;
    }
    return word;
}

static void write_word(struct machine *machine, unsigned core, uint64_t va, uint64_t pa, uint64_t word)
{
    for (unsigned i = 0; i < sizeof word; i++) {
        uint8_t *at = ground_at(&machine->ground, address_of(machine, core, va, pa, i), 1);
        if (!at || *at == (uint8_t)(word >> 8 * i))
            continue;
        *at = (uint8_t)(word >> 8 * i);
        machine->changes++;
    }
}

uint64_t access_load(struct machine *machine, unsigned core, uint64_t va, unsigned size, uint64_t ip, uint64_t *value)
{
    struct access access = {
        .core = core, .kind = ACCESS_LOAD, .va = model_address(machine, va), .size = size, .ip = ip};
    struct translated translated;
    uint64_t cycles = silicon_access(machine->silicon, &access, &translated);

    machine->walked += translated.walk_cycles;
    if (translated.fault)
        access_fault(machine, va, false);
    *value = access_word(machine, core, access.va, translated.pa, size);
    return cycles;
}

uint64_t access_touch(struct machine *machine, unsigned core, enum access_kind kind, uint64_t va, unsigned size,
                      uint64_t ip, uint64_t *pa)
{
    struct access access = {.core = core, .kind = kind, .va = model_address(machine, va), .size = size, .ip = ip};
    struct translated translated;
    uint64_t cycles = silicon_access(machine->silicon, &access, &translated);

    machine->walked += translated.walk_cycles;
    if (translated.fault)
        access_fault(machine, va, kind == ACCESS_STORE);
    *pa = translated.pa;
    return cycles;
}

uint64_t access_store(struct machine *machine, unsigned core, uint64_t va, uint64_t ip, uint64_t value)
{
    uint64_t pa, cycles = access_touch(machine, core, ACCESS_STORE, va, sizeof value, ip, &pa);

    write_word(machine, core, model_address(machine, va), pa, value);
    return cycles;
}

uint64_t access_exchange(struct machine *machine, unsigned core, uint64_t va, uint64_t ip, uint64_t value)
{
    uint64_t cycles = access_store(machine, core, va, ip, value);

    return cycles > machine->first_latency ? cycles : machine->first_latency;
}

static void take_page(struct machine *machine, unsigned core, enum access_kind kind, uint64_t va)
{
    translation_of(machine->silicon->translation, core, kind, va, machine->silicon->clock.cycles);
}

/* They lie where the tables do, which is ours at its own address. */
void access_own_data(struct machine *machine, unsigned core)
{
    take_page(machine, core, ACCESS_LOAD, TABLES_BASE);
    take_page(machine, core, ACCESS_STORE, TABLES_BASE + TABLES_SIZE / 2);
}

void access_own_code(struct machine *machine, unsigned core)
{
    take_page(machine, core, ACCESS_FETCH, TABLES_BASE + TABLES_SIZE / 4);
}
