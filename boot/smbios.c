// SPDX-License-Identifier: BSD-2-Clause
/* smbios.c: see smbios.h. Everything in the tables is user data: lengths are bounded, strings are filtered. */
#include "boot/smbios.h"

#include "base/text.h"

enum { MOST_BYTES = 1 << 20, HEADER = 4, TYPE_FIRMWARE = 0, TYPE_SYSTEM = 1, TYPE_BOARD = 2, TYPE_END = 127 };

static uint64_t number(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i > 0; i--)
        value = value << 8 | from[i - 1];
    return value;
}

bool smbios_entry(const uint8_t *entry, uint64_t *table, size_t *length)
{
    bool version_3 = entry[0] == '_' && entry[1] == 'S' && entry[2] == 'M' && entry[3] == '3' && entry[4] == '_';
    bool version_2 = entry[0] == '_' && entry[1] == 'S' && entry[2] == 'M' && entry[3] == '_';
    if (!version_3 && !version_2)
        return false;
    *table = version_3 ? number(entry + 0x10, 8) : number(entry + 0x18, 4);
    uint64_t most = version_3 ? number(entry + 0x0c, 4) : number(entry + 0x16, 2);
    *length = most < MOST_BYTES ? (size_t)most : MOST_BYTES;
    return *table != 0;
}

/* What manufacturers write where a name should be. */
static const char *const nothings[] = {"none",
                                       "n/a",
                                       "na",
                                       "null",
                                       "unknown",
                                       "default",
                                       "not specified",
                                       "default string",
                                       "not applicable",
                                       "system product name",
                                       "serial number",
                                       "board serial number",
                                       "base board serial number",
                                       "system serial number",
                                       "to be filled by o.e.m.",
                                       "to be filled by oem",
                                       "o.e.m.",
                                       "oem",
                                       "123456789",
                                       "0123456789",
                                       "type2 - board serial number"};

static bool says_nothing(const char *string)
{
    char small[64];
    size_t i;
    bool only_filler = true;
    for (i = 0; string[i] && i + 1 < sizeof small; i++) {
        small[i] = string[i] >= 'A' && string[i] <= 'Z' ? (char)(string[i] + 32) : string[i];
        only_filler = only_filler && (small[i] == '0' || small[i] == '.' || small[i] == '-' || small[i] == 'x');
    }
    small[i] = 0;
    for (size_t k = 0; k < sizeof nothings / sizeof *nothings; k++)
        if (text_equal(small, nothings[k]))
            return true;
    return only_filler;
}

/* String number `index` (1 and up) of the string set that starts at `strings`, printable, without blanks around. */
static void string_of(const uint8_t *strings, const uint8_t *end, unsigned index, char to[64])
{
    to[0] = 0;
    if (index == 0)
        return;
    for (unsigned i = 1; i < index; i++) {
        while (strings < end && *strings)
            strings++;
        if (++strings >= end || *strings == 0)
            return;
    }
    size_t length = 0;
    for (; strings < end && *strings && length < 63; strings++) {
        char character = *strings >= ' ' && *strings <= '~' ? (char)*strings : '?';
        if (length > 0 || character != ' ')
            to[length++] = character;
    }
    while (length > 0 && to[length - 1] == ' ')
        length--;
    to[length] = 0;
    if (says_nothing(to))
        to[0] = 0;
}

/* Past the string set after a structure: it ends with two zeros. NULL: it does not end. */
static const uint8_t *past_strings(const uint8_t *strings, const uint8_t *end)
{
    for (; strings + 1 < end; strings++)
        if (strings[0] == 0 && strings[1] == 0)
            return strings + 2;
    return NULL;
}

struct names {
    char product[64], serial[64];
};

/* One byte of a structure's formatted part; 0, no string, when it is too short for it. */
static unsigned field(const uint8_t *at, unsigned offset)
{
    return offset < at[1] ? at[offset] : 0;
}

static void take_firmware(const uint8_t *at, const uint8_t *end, struct board *board)
{
    char vendor[64], version[64];
    string_of(at + at[1], end, field(at, 4), vendor);
    string_of(at + at[1], end, field(at, 5), version);
    struct text text = text_in(board->firmware, sizeof board->firmware);
    text_format(&text, "%s%s%s", vendor, vendor[0] && version[0] ? " " : "", version);
}

static void take_names(const uint8_t *at, const uint8_t *end, struct names *names)
{
    if (names->product[0] || names->serial[0])
        return;
    string_of(at + at[1], end, field(at, 5), names->product);
    string_of(at + at[1], end, field(at, 7), names->serial);
}

void smbios_walk(const uint8_t *table, size_t length, struct board *board)
{
    struct names system = {"", ""}, base = {"", ""};
    const uint8_t *at = table, *end = table + (length < MOST_BYTES ? length : MOST_BYTES);
    while (at && end - at >= HEADER + 2 && at[0] != TYPE_END && at[1] >= HEADER && end - at > at[1]) {
        if (at[0] == TYPE_FIRMWARE)
            take_firmware(at, end, board);
        else if (at[0] == TYPE_SYSTEM)
            take_names(at, end, &system);
        else if (at[0] == TYPE_BOARD)
            take_names(at, end, &base);
        at = past_strings(at + at[1], end);
    }
    text_copy(board->name, sizeof board->name, base.product[0] ? base.product : system.product);
    text_copy(board->serial, sizeof board->serial, base.serial[0] ? base.serial : system.serial);
}
