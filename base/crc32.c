// SPDX-License-Identifier: BSD-2-Clause
/* crc32.c: the CRC of ISO 3309, four bits at a time: a table of 16 entries is small enough to be read in one look, and
 * what is checked here is kilobytes. */
#include "base/crc32.h"

/* Remainders of the sixteen values of four bits, for the reflected polynomial 0xEDB88320. */
static const uint32_t remainder_of[16] = {
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
};

uint32_t crc32(uint32_t so_far, const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    uint32_t crc = ~so_far;

    for (size_t i = 0; i < length; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ remainder_of[crc & 15];
        crc = crc >> 4 ^ remainder_of[crc & 15];
    }
    return ~crc;
}
