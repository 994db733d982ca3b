// SPDX-License-Identifier: BSD-2-Clause
/* crc32.h: the CRC of ISO 3309 (zlib's, Ethernet's, GPT's): polynomial 0xEDB88320 reflected, start and end inverted. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* CRC of `length` bytes that follow bytes whose CRC was `so_far` (0 at the start). */
uint32_t crc32(uint32_t so_far, const void *bytes, size_t length);
