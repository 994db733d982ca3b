// SPDX-License-Identifier: BSD-2-Clause
/* text.c: building text, and the small string helpers that a freestanding program lacks. Numbers: base/number.c. */
#include "base/text.h"
#include "base/number.h"

struct text text_in(char *buffer, size_t capacity)
{
    buffer[0] = '\0';
    return (struct text){.at = buffer, .capacity = capacity};
}

void text_char(struct text *text, char character)
{
    if (text->length + 1 >= text->capacity) {
        text->cut = true;
        return;
    }
    text->at[text->length++] = character;
    text->at[text->length] = '\0';
}

void text_bytes(struct text *text, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        text_char(text, bytes[i]);
}

void text_string(struct text *text, const char *string)
{
    if (!string)
        string = "(none)";
    text_bytes(text, string, text_length(string));
}

void text_column(struct text *text, size_t column)
{
    size_t line = text->length;

    while (line > 0 && text->at[line - 1] != '\n')
        line--;
    while (text->length - line < column && !text->cut)
        text_char(text, ' ');
}

/* One conversion of a format: what stands between % and its letter. */
struct conversion {
    bool left, zeros;
    unsigned width, precision, longs;
    bool precise; /* a precision was given */
    char letter;
};

static unsigned format_digits(const char **at)
{
    unsigned value = 0;

    while (**at >= '0' && **at <= '9' && value < 10000)
        value = value * 10 + (unsigned)(*(*at)++ - '0');
    return value;
}

/* Reads a conversion; `at` points behind the % and is moved behind the letter. */
static struct conversion read_conversion(const char **at)
{
    struct conversion found = {0};

    for (; **at == '-' || **at == '0'; (*at)++) {
        found.left = found.left || **at == '-';
        found.zeros = found.zeros || **at == '0';
    }
    found.width = format_digits(at);
    if (**at == '.') {
        (*at)++;
        found.precise = true;
        found.precision = format_digits(at);
    }
    for (; **at == 'l' || **at == 'z'; (*at)++)
        found.longs++;
    found.letter = **at;
    if (**at)
        (*at)++;
    return found;
}

/* Adds a finished field, padded to its width; zeros go between the sign and the digits. */
static void add_field(struct text *text, const struct conversion *how, const char *field, size_t length)
{
    size_t missing = how->width > length ? how->width - length : 0;

    if (how->zeros && !how->left && length > 0 && field[0] == '-') {
        text_char(text, '-');
        field++;
        length--;
    }
    for (size_t i = 0; !how->left && i < missing; i++)
        text_char(text, how->zeros ? '0' : ' ');
    text_bytes(text, field, length);
    for (size_t i = 0; how->left && i < missing; i++)
        text_char(text, ' ');
}

/* Writes the argument of a numeric conversion or a character into `field`; false when it is none of them. */
static bool write_argument(struct text *field, const struct conversion *how, va_list *list)
{
    int64_t number;

    switch (how->letter) {
    case 'd':
    case 'i':
        number = how->longs ? va_arg(*list, long long) : va_arg(*list, int);
        if (number < 0)
            text_char(field, '-');
        number_digits(field, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
        return true;
    case 'u':
        number_digits(field, how->longs ? va_arg(*list, unsigned long long) : va_arg(*list, unsigned), 10);
        return true;
    case 'x':
        number_digits(field, how->longs ? va_arg(*list, unsigned long long) : va_arg(*list, unsigned), 16);
        return true;
    case 'g':
        text_number(field, va_arg(*list, double));
        return true;
    case 'f':
        number_decimals(field, va_arg(*list, double), how->precise ? how->precision : 6);
        return true;
    case 'c':
        text_char(field, (char)va_arg(*list, int));
        return true;
    default:
        return false;
    }
}

void text_format_list(struct text *text, const char *format, va_list arguments)
{
    va_list list;

    va_copy(list, arguments);
    while (*format) {
        const char *start = format;
        char buffer[NUMBER_SIZE];
        struct text field = text_in(buffer, sizeof buffer);

        if (*format++ != '%') {
            text_char(text, *start);
            continue;
        }
        struct conversion how = read_conversion(&format);
        if (how.letter == '%') {
            text_char(text, '%');
        } else if (how.letter == 's') {
            const char *string = va_arg(list, const char *);
            string = string ? string : "(none)";
            size_t length = 0;
            while ((!how.precise || length < how.precision) && string[length])
                length++;
            add_field(text, &how, string, length);
        } else if (write_argument(&field, &how, &list)) {
            add_field(text, &how, field.at, field.length);
        } else {
            text_bytes(text, start, (size_t)(format - start));
        }
    }
    va_end(list);
}

void text_format(struct text *text, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    text_format_list(text, format, list);
    va_end(list);
}

size_t text_length(const char *string)
{
    size_t length = 0;

    while (string[length])
        length++;
    return length;
}

bool text_equal(const char *one, const char *other)
{
    while (*one && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

bool text_starts(const char *whole, const char *start)
{
    while (*start && *whole == *start) {
        whole++;
        start++;
    }
    return *start == '\0';
}

void text_copy(char *to, size_t capacity, const char *from)
{
    size_t i = 0;

    for (; from[i] && i + 1 < capacity; i++)
        to[i] = from[i];
    to[i] = '\0';
}

bool text_listed(const char *list, const char *name)
{
    size_t length = text_length(name);

    while (*list) {
        size_t same = 0;
        while (same < length && list[same] == name[same])
            same++;
        if (same == length && (list[same] == '\0' || list[same] == ','))
            return true;
        while (*list && *list++ != ',')
            ;
    }
    return false;
}
