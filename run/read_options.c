// SPDX-License-Identifier: BSD-2-Clause
/* read_options.c: options from a command line and from an ini file. What cannot be understood is never passed over: the
 * complaint names the word, and the line of the file. */
#include "run/option.h"

enum { WORD_SIZE = 300 };

/* Takes the next word off a line: 1, 0 at the end, -1 with a complaint. */
static int next_word(const char **line, char word[WORD_SIZE], struct text *complaint)
{
    struct text text = text_in(word, WORD_SIZE);
    bool quoted = false;
    const char *at = *line;

    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        at++;
    if (*at == '\0')
        return 0;
    for (; *at && (quoted || (*at != ' ' && *at != '\t' && *at != '\r' && *at != '\n')); at++) {
        if (*at == '"')
            quoted = !quoted;
        else
            text_char(&text, *at);
    }
    *line = at;
    if (quoted)
        complain(complaint, "a double quote is not closed: %.80s", word);
    else if (text.cut)
        complain(complaint, "too long a word: %.80s...", word);
    return quoted || text.cut ? -1 : 1;
}

/* Splits "--name=value" at its =. Returns the value, NULL when there is none. */
static const char *split_value(char *word)
{
    for (; *word; word++) {
        if (*word == '=') {
            *word = '\0';
            return word + 1;
        }
    }
    return NULL;
}

/* The value of an option that has none in its own word: the next word, unless that is an option and a value may be
 * left out. */
static bool take_value(const char **line, enum option option, char value[WORD_SIZE], struct text *complaint)
{
    const char *ahead = *line;
    int found = next_word(&ahead, value, complaint);

    if (found < 0)
        return false;
    if (described[option].optional && (found == 0 || text_starts(value, "--"))) {
        text_copy(value, WORD_SIZE, "all");
        return true;
    }
    if (found == 0)
        return complain(complaint, "--%s needs a value (%s)", described[option].name, described[option].value);
    *line = ahead;
    return true;
}

bool options_read_line(struct options *options, const char *line, struct text *complaint)
{
    char word[WORD_SIZE], value_word[WORD_SIZE];
    int found;

    while ((found = next_word(&line, word, complaint)) > 0) {
        const char *value;
        enum option option;
        if (!text_starts(word, "--"))
            return complain(complaint, "'%.80s' is not an option; options start with -- (--help lists them)", word);
        value = split_value(word);
        if (!option_find(word + 2, &option))
            return complain(complaint, "unknown option '%.80s' (--help lists them)", word);
        if (!described[option].value) {
            if (value)
                return complain(complaint, "%s takes no value", word);
            option_turn(options, option, true);
            continue;
        }
        if (!value) {
            if (!take_value(&line, option, value_word, complaint))
                return false;
            value = value_word;
        }
        if (!option_set(options, option, value, complaint))
            return false;
    }
    return found == 0;
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\r';
}

/* Copies [from, end) without the blanks around it and without one pair of double quotes. False: too long. */
static bool copy_trimmed(char to[WORD_SIZE], const char *from, const char *end)
{
    struct text text = text_in(to, WORD_SIZE);

    while (from < end && is_blank(*from))
        from++;
    while (from < end && is_blank(end[-1]))
        end--;
    if (end - from >= 2 && *from == '"' && end[-1] == '"') {
        from++;
        end--;
    }
    text_bytes(&text, from, (size_t)(end - from));
    return !text.cut;
}

/* A flag's value in an ini file. */
static bool turn_by_word(struct options *options, enum option option, const char *value, struct text *complaint)
{
    if (!text_equal(value, "yes") && !text_equal(value, "no"))
        return complain(complaint, "%s takes yes or no, not '%.80s'", described[option].name, value);
    option_turn(options, option, text_equal(value, "yes"));
    return true;
}

static bool read_ini_line(struct options *options, const char *line, const char *end, struct text *complaint)
{
    char name[WORD_SIZE], value[WORD_SIZE];
    const char *equals = line;
    enum option option;

    while (equals < end && *equals != '=')
        equals++;
    if (!copy_trimmed(name, line, equals) || !copy_trimmed(value, equals < end ? equals + 1 : end, end))
        return complain(complaint, "too long");
    if (name[0] == '\0' && equals == end)
        return true;
    if (!option_find(name, &option))
        return complain(complaint, "unknown option '%.80s' (--help lists them)", name);
    if (equals == end)
        return complain(complaint, "'%s' needs a value: %s = ...", name, name);
    if (!described[option].value)
        return turn_by_word(options, option, value, complaint);
    if (described[option].optional && text_equal(value, "no"))
        return true;
    if (described[option].optional && text_equal(value, "yes"))
        text_copy(value, sizeof value, "all");
    return option_set(options, option, value, complaint);
}

/* Where a comment starts in a line, or its end. Inside quotes there is none. */
static const char *comment_start(const char *line, const char *end)
{
    bool quoted = false;

    for (; line < end && (quoted || (*line != '#' && *line != ';')); line++) {
        if (*line == '"')
            quoted = !quoted;
    }
    return line;
}

bool options_read_ini(struct options *options, const char *ini, size_t length, struct text *complaint)
{
    const char *end = ini + length, *line = ini;

    /* Some editors begin a text file with a byte order mark. */
    if (length >= 3 && ini[0] == '\xEF' && ini[1] == '\xBB' && ini[2] == '\xBF')
        line += 3;
    for (unsigned number = 1; line < end; number++) {
        char buffer[256];
        struct text what = text_in(buffer, sizeof buffer);
        const char *line_end = line;
        while (line_end < end && *line_end != '\n')
            line_end++;
        if (!read_ini_line(options, line, comment_start(line, line_end), &what))
            return complain(complaint, "line %u: %s", number, what.at);
        line = line_end + 1;
    }
    return true;
}
