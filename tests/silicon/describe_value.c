// SPDX-License-Identifier: BSD-2-Clause
/* describe_value.c: reading and writing of plain values: numbers, sizes, words, pages. */
#include "tests/silicon/describe.h"
#include <limits.h>
#include <string.h>

char *next_word(char **text, const char *separators)
{
    char *word = *text + strspn(*text, " \t");
    size_t length = strcspn(word, " \t");
    size_t cut = strcspn(word, separators);

    if (*word == '\0')
        return NULL;
    if (cut < length)
        length = cut;
    *text = word + length;
    if (**text != '\0')
        *(*text)++ = '\0';
    return word;
}

int word_place(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (int place = 0; *words != '\0'; place++) {
        size_t next = strcspn(words, " ");

        if (next == length && memcmp(words, word, length) == 0)
            return place;
        words += next;
        words += *words == ' ';
    }
    return -1;
}

void word_write(const char *words, unsigned place, struct text *text)
{
    for (; place > 0 && *words != '\0'; place--) {
        words += strcspn(words, " ");
        words += *words == ' ';
    }
    text_bytes(text, words, strcspn(words, " "));
}

/* In the largest of K, M, G that leaves a whole number. */
void size_write(uint64_t size, struct text *text)
{
    static const char *const units[] = {"", "K", "M", "G"};
    unsigned unit = 0;

    for (; unit < 3 && size != 0 && size % 1024 == 0; unit++)
        size /= 1024;
    text_format(text, "%llu%s", (unsigned long long)size, units[unit]);
}

static uint64_t number_at(const struct field *field, const void *at)
{
    return field->size == sizeof(uint64_t) ? *(const uint64_t *)at : *(const unsigned *)at;
}

static bool number_read(const struct field *field, void *at, const char *text, struct text *why)
{
    uint64_t number;

    if (!text_read_number(text, &number) || (field->size != sizeof(uint64_t) && number > UINT_MAX)) {
        text_string(why, "must be a whole number");
        return false;
    }
    if (field->size == sizeof(uint64_t))
        *(uint64_t *)at = number;
    else
        *(unsigned *)at = (unsigned)number;
    return true;
}

/* Nobody who writes 2G means 2147483648 hertz. */
static bool hertz_read(const struct field *field, void *at, const char *text, struct text *why)
{
    struct text unused = text_in((char[80]){0}, 80);

    if (text[strspn(text, "0123456789")] == '\0' && number_read(field, at, text, &unused))
        return true;
    text_string(why, "must be a whole number of hertz, all digits of it: 2330000000 is 2.33 GHz");
    return false;
}

static bool text_read(const struct field *field, char *at, const char *text, struct text *why)
{
    if (strlen(text) >= field->size) {
        text_format(why, "must have at most %u characters", (unsigned)field->size - 1);
        return false;
    }
    text_copy(at, field->size, text);
    return true;
}

static bool flag_read(bool *at, const char *text, struct text *why)
{
    *at = strcmp(text, "yes") == 0;
    if (*at || strcmp(text, "no") == 0)
        return true;
    text_string(why, "must be yes or no");
    return false;
}

static bool word_read(const struct field *field, unsigned *at, const char *text, struct text *why)
{
    int place = word_place(field->words, text);

    if (place >= 0 && strcmp(text, "-") != 0) {
        *at = (unsigned)place;
        return true;
    }
    text_format(why, "must be one of: %s", field->words + (field->words[0] == '-' ? 2 : 0));
    return false;
}

/* "a/b", both 1 to 1000000. */
static bool ratio_read(unsigned *at, const char *text, struct text *why)
{
    char copy[32];
    char *rest = copy;
    uint64_t above = 0, below = 0;

    text_copy(copy, sizeof copy, text);
    char *first = next_word(&rest, "/");
    if (first != NULL && text_read_number(first, &above) && text_read_number(rest, &below) && above > 0 && below > 0 &&
        above <= 1000000 && below <= 1000000) {
        at[0] = (unsigned)above;
        at[1] = (unsigned)below;
        return true;
    }
    text_string(why, "must be core cycles per tick as a/b, for example 37/26");
    return false;
}

static bool page_read(unsigned *shift, const char *text, struct text *why)
{
    uint64_t size;

    for (*shift = 10; *shift < 20 && text_read_number(text, &size); ++*shift)
        if (size == UINT64_C(1) << *shift)
            return true;
    text_string(why, "must be the smallest page: a power of two from 1K to 512K");
    return false;
}

/* Bytes of a page of class 0, 1 or 2. */
static uint64_t class_size(const struct description *description, unsigned class)
{
    return UINT64_C(1) << ((description->page_shift + class * description->page_bits) & 63);
}

static unsigned class_of(const struct description *description, uint64_t size)
{
    for (unsigned class = 0; class < 3; class ++)
        if (size == class_size(description, class))
            return 1u << class;
    return 0;
}

static void pages_write(const struct description *description, unsigned classes, struct text *text)
{
    const char *blank = "";

    for (unsigned class = 0; class < 3; class ++)
        if ((classes >> class & 1) != 0) {
            text_string(text, blank);
            size_write(class_size(description, class), text);
            blank = " ";
        }
}

static bool pages_read(const struct description *description, unsigned *at, const char *text, struct text *why)
{
    char copy[64];
    char *rest = copy;
    const char *word;

    *at = 0;
    text_copy(copy, sizeof copy, text);
    while ((word = next_word(&rest, "")) != NULL) {
        uint64_t size = 0;
        unsigned class = text_read_number(word, &size) ? class_of(description, size) : 0;

        if (class == 0 || (*at & class) != 0) {
            text_string(why, "must be page sizes, each once, of ");
            pages_write(description, 7, why);
            return false;
        }
        *at |= class;
    }
    return true;
}

static bool sector_read(unsigned *at, const struct field *field, const char *text, struct text *why)
{
    *at = 0; /* the line's: section_finish */
    return strcmp(text, "line") == 0 || number_read(field, at, text, why);
}

bool value_read(const struct field *field, struct description *description, void *base, const char *text,
                struct text *why)
{
    void *at = (char *)base + field->offset;

    switch (field->kind) {
    case VALUE_TEXT:
        return text_read(field, at, text, why);
    case VALUE_FLAG:
        return flag_read(at, text, why);
    case VALUE_NUMBER:
    case VALUE_HEX:
    case VALUE_SIZE:
        return number_read(field, at, text, why);
    case VALUE_HERTZ:
        return hertz_read(field, at, text, why);
    case VALUE_WORD:
        return word_read(field, at, text, why);
    case VALUE_RATIO:
        return ratio_read(at, text, why);
    case VALUE_PAGE:
        return page_read(at, text, why);
    case VALUE_PAGES:
        return pages_read(description, at, text, why);
    case VALUE_SECTOR:
        return sector_read(at, field, text, why);
    default:
        return part_read(field, description, base, text, why);
    }
}

static void sector_write(const struct cache_description *cache, struct text *text)
{
    if (cache->sector == cache->line)
        text_string(text, "line");
    else
        size_write(cache->sector, text);
}

bool value_write(const struct field *field, const struct description *description, const void *base, unsigned item,
                 struct text *text)
{
    const void *at = (const char *)base + field->offset;

    if (field->kind > VALUE_SECTOR)
        return part_write(field, description, base, item, text);
    if (item > 0)
        return false;
    if (field->kind == VALUE_TEXT)
        text_string(text, at);
    else if (field->kind == VALUE_FLAG)
        text_string(text, *(const bool *)at ? "yes" : "no");
    else if (field->kind == VALUE_NUMBER || field->kind == VALUE_HERTZ)
        text_format(text, "%llu", (unsigned long long)number_at(field, at));
    else if (field->kind == VALUE_HEX)
        text_format(text, number_at(field, at) != 0 ? "0x%llx" : "%llu", (unsigned long long)number_at(field, at));
    else if (field->kind == VALUE_SIZE)
        size_write(number_at(field, at), text);
    else if (field->kind == VALUE_WORD)
        word_write(field->words, *(const unsigned *)at, text);
    else if (field->kind == VALUE_RATIO)
        text_format(text, "%u/%u", ((const unsigned *)at)[0], ((const unsigned *)at)[1]);
    else if (field->kind == VALUE_PAGE)
        size_write(UINT64_C(1) << (*(const unsigned *)at & 63), text);
    else if (field->kind == VALUE_PAGES)
        pages_write(description, *(const unsigned *)at, text);
    else
        sector_write(base, text);
    return true;
}
