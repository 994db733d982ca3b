// SPDX-License-Identifier: BSD-2-Clause
/* describe_lists.c: reading and writing of lines that a section may have more than once: a slice sequence, holes in
 * memory, encodings of events, declarations, what is hidden. */
#include "tests/silicon/describe.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SEQUENCE_LINE = 32 }; /* slice numbers in a line that we write */

bool value_repeats(enum value_kind kind)
{
    return kind >= VALUE_SEQUENCE;
}

static bool must(struct text *why, const char *what)
{
    text_format(why, "must be %s", what);
    return false;
}

/* Each line goes on where the one before ended. */
static bool sequence_read(struct slices *slices, char *text, struct text *why)
{
    const char *word;

    while ((word = next_word(&text, "")) != NULL) {
        uint64_t slice;

        if (slices->kind != SLICE_SEQUENCE || slices->length >= MAX_SLICE_SEQUENCE || slices->count > 256 ||
            !text_read_number(word, &slice) || slice >= slices->count)
            return must(why, "slice numbers of `slices = sequence of N: ...`, from 0 to N - 1, at most 4096");
        slices->sequence[slices->length++] = (uint8_t)slice;
    }
    return true;
}

static bool hole_read(struct memory_description *memory, char *text, struct text *why)
{
    const char *base = next_word(&text, ""), *size = next_word(&text, ""), *type = next_word(&text, "");
    int place = type != NULL ? word_place(MEMTYPE_NAMES, type) : -1;

    if (memory->holes >= MAX_HOLES)
        return must(why, "there at most 8 times");
    if (place < 0 || next_word(&text, "") != NULL || !text_read_number(base, &memory->hole[memory->holes].base) ||
        !text_read_number(size, &memory->hole[memory->holes].size))
        return must(why, "BASE SIZE TYPE, the type one of WB WT WP WC UC");
    memory->hole[memory->holes++].type = (unsigned)place;
    return true;
}

/* A number of hexadecimal digits as manuals write event numbers. */
static bool hex_read(const char *text, unsigned long most, unsigned long *number)
{
    char *end;

    if (text == NULL || strlen(text) == 0 || text[strspn(text, "0123456789abcdefABCDEF")] != '\0')
        return false;
    *number = strtoul(text, &end, 16);
    return *number <= most;
}

static bool encoding_read(struct counters_description *counters, char *text, struct text *why)
{
    const char *event = next_word(&text, ":"), *umask = next_word(&text, ""), *name = next_word(&text, "");
    struct encoding *encoding = &counters->encoding[counters->encodings];
    int place = name != NULL ? word_place(COUNTED_NAMES, name) : -1;
    unsigned long event_number, umask_number;
    uint64_t per_thousand = 1000;
    const char *word = next_word(&text, "");

    if (counters->encodings >= MAX_ENCODINGS)
        return must(why, "there at most 48 times");
    if (word != NULL && text_read_number(word, &per_thousand))
        word = next_word(&text, "");
    if (!hex_read(event, 0xfff, &event_number) || !hex_read(umask, 0xff, &umask_number) || place < 0 ||
        per_thousand > 1000000 || (word != NULL && strcmp(word, "plus-one") != 0) || next_word(&text, "") != NULL) {
        text_string(why, "must be EVENT:UMASK NAME [PER_THOUSAND] [plus-one], both hexadecimal, NAME one of: ");
        text_string(why, COUNTED_NAMES);
        return false;
    }
    encoding->event = (uint16_t)event_number;
    encoding->umask = (uint8_t)umask_number;
    encoding->counts = (enum counted)place;
    encoding->per_thousand = (unsigned)per_thousand;
    encoding->always_one = word != NULL;
    counters->encodings++;
    return true;
}

static bool declared_read(struct description *description, char *text, struct text *why)
{
    const char *id = next_word(&text, ""), *low = next_word(&text, "-"), *word = next_word(&text, ""), *high = low;
    struct declaration *declaration = &description->declaration[description->declarations];

    if (description->declarations >= MAX_DECLARATIONS)
        return must(why, "there at most 48 times");
    if (word != NULL && strcmp(word, "by") != 0) {
        high = word;
        word = next_word(&text, "");
    }
    text += strspn(text, " \t");
    if (word == NULL || strcmp(word, "by") != 0 || *text == '\0' || strlen(id) >= sizeof declaration->id ||
        strlen(text) >= sizeof declaration->by || !text_read_number(low, &declaration->low) ||
        !text_read_number(high, &declaration->high) || declaration->low > declaration->high)
        return must(why, "ID LOW[-HIGH] by TEXT (l1d.size 32K by CPUID 4), ID below 28 characters, TEXT below 24");
    text_copy(declaration->id, sizeof declaration->id, id);
    text_copy(declaration->by, sizeof declaration->by, text);
    description->declarations++;
    return true;
}

static bool hidden_read(struct description *description, char *text, struct text *why)
{
    const char *id = next_word(&text, ":");
    struct hiding *hiding = &description->hiding[description->hidings];

    if (description->hidings >= MAX_HIDDEN)
        return must(why, "there at most 48 times");
    text += strspn(text, " \t");
    if (id == NULL || *text == '\0' || strlen(id) >= sizeof hiding->id || strlen(text) >= sizeof hiding->reason)
        return must(why, "ID: REASON, ID below 28 characters, REASON below 96");
    text_copy(hiding->id, sizeof hiding->id, id);
    text_copy(hiding->reason, sizeof hiding->reason, text);
    description->hidings++;
    return true;
}

bool list_read(const struct field *field, struct description *description, void *base, const char *text,
               struct text *why)
{
    char copy[1024];

    if (strlen(text) >= sizeof copy)
        return must(why, "shorter than 1024 characters");
    text_copy(copy, sizeof copy, text);
    switch (field->kind) {
    case VALUE_SEQUENCE:
        return sequence_read((struct slices *)((char *)base + field->offset), copy, why);
    case VALUE_HOLE:
        return hole_read(base, copy, why);
    case VALUE_ENCODING:
        return encoding_read(base, copy, why);
    case VALUE_DECLARED:
        return declared_read(description, copy, why);
    default:
        return hidden_read(description, copy, why);
    }
}

static bool sequence_write(const struct slices *slices, unsigned item, struct text *text)
{
    if (item * SEQUENCE_LINE >= slices->length)
        return false;
    for (unsigned i = item * SEQUENCE_LINE; i < (item + 1) * SEQUENCE_LINE && i < slices->length; i++)
        text_format(text, "%s%u", i % SEQUENCE_LINE == 0 ? "" : " ", slices->sequence[i]);
    return true;
}

static bool hole_write(const struct memory_description *memory, unsigned item, struct text *text)
{
    if (item >= memory->holes)
        return false;
    size_write(memory->hole[item].base, text);
    text_char(text, ' ');
    size_write(memory->hole[item].size, text);
    text_char(text, ' ');
    word_write(MEMTYPE_NAMES, memory->hole[item].type, text);
    return true;
}

static bool encoding_write(const struct counters_description *counters, unsigned item, struct text *text)
{
    const struct encoding *encoding = &counters->encoding[item];

    if (item >= counters->encodings)
        return false;
    text_format(text, "%02x:%02x ", encoding->event, encoding->umask);
    word_write(COUNTED_NAMES, encoding->counts, text);
    if (encoding->per_thousand != 1000)
        text_format(text, " %u", encoding->per_thousand);
    if (encoding->always_one)
        text_string(text, " plus-one");
    return true;
}

static bool declared_write(const struct description *description, unsigned item, struct text *text)
{
    const struct declaration *declaration = &description->declaration[item];

    if (item >= description->declarations)
        return false;
    text_format(text, "%s ", declaration->id);
    size_write(declaration->low, text);
    if (declaration->high != declaration->low) {
        text_char(text, '-');
        size_write(declaration->high, text);
    }
    text_format(text, " by %s", declaration->by);
    return true;
}

bool list_write(const struct field *field, const struct description *description, const void *base, unsigned item,
                struct text *text)
{
    switch (field->kind) {
    case VALUE_SEQUENCE:
        return sequence_write((const struct slices *)((const char *)base + field->offset), item, text);
    case VALUE_HOLE:
        return hole_write(base, item, text);
    case VALUE_ENCODING:
        return encoding_write(base, item, text);
    case VALUE_DECLARED:
        return declared_write(description, item, text);
    default:
        break;
    }
    if (item >= description->hidings)
        return false;
    text_format(text, "%s: %s", description->hiding[item].id, description->hiding[item].reason);
    return true;
}
