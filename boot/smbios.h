// SPDX-License-Identifier: BSD-2-Clause
/* smbios.h: what the board calls itself, out of SMBIOS tables (DMTF DSP0134). Pure: no firmware types, tested on the
 * host. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "" where nothing useful is said. Printable ASCII only. */
struct board {
    char name[64], serial[64], firmware[64];
};

/* Where an entry point ("_SM3_" of 24 bytes or "_SM_" of 31) says that the structures are. False: it is none. */
bool smbios_entry(const uint8_t *entry, uint64_t *table, size_t *length);

/* Fills a board from `length` bytes of structures; stops at the first that is malformed. Board and serial come from the
 * base board (type 2), from the system (type 1) where the board says nothing. */
void smbios_walk(const uint8_t *table, size_t length, struct board *);
