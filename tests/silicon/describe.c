// SPDX-License-Identifier: BSD-2-Clause
/* describe.c: description_read and description_write: a machine's file section by section. Every name is looked up in
 * the table of describe_table.c; every complaint names the line. */
#include "tests/silicon/describe.h"
#include "tests/silicon/ini.h"
#include <string.h>

/* What reading has come to. */
struct reader {
    struct description *description;
    const struct ini *ini;
    struct text *why;
    uint64_t taken; /* section kinds that came, by bit */
};

static bool wrong(const struct reader *reader, unsigned line, const char *name, const char *what)
{
    text_format(reader->why, "line %u: '%s' %s", line, name, what);
    return false;
}

static const struct section *section_of(const char *kind)
{
    for (unsigned i = 0; i < description_section_count; i++)
        if (strcmp(description_sections[i].kind, kind) == 0)
            return &description_sections[i];
    return NULL;
}

static unsigned *count_of(const struct section *section, struct description *description)
{
    return (unsigned *)(void *)((char *)description + section->count);
}

/* Where the name of a structure is kept, if it has one; what it means, if it has none. */
static bool name_structure(const struct section *section, void *base, const char *name)
{
    struct cache_description *cache = base;
    struct tlb_description *tlb = base;
    struct psc_description *psc = base;
    struct prefetcher_description *prefetcher = base;
    int place;

    if (strcmp(section->kind, "cache") == 0) {
        text_copy(cache->name, sizeof cache->name, name);
        return strcmp(cache->name, name) == 0;
    }
    if (strcmp(section->kind, "tlb") == 0) {
        text_copy(tlb->name, sizeof tlb->name, name);
        return strcmp(tlb->name, name) == 0;
    }
    place = word_place(section->again ? PREFETCHER_NAMES : PSC_NAMES, name);
    if (place < 0 || strcmp(name, "-") == 0)
        return false;
    if (section->again)
        prefetcher->kind = (enum prefetcher_kind)place;
    else
        psc->level = (unsigned)place;
    return true;
}

static const char *right_names(const struct section *section)
{
    if (strcmp(section->kind, "psc") == 0)
        return "has no such name: pde, pdpte, pml4e, pml5e, unified";
    if (section->again)
        return "has no such name: next-line, adjacent, stream, stride, next-page";
    return "has too long a name: at most 7 characters for a cache, 11 for a TLB";
}

/* Whether an earlier section has the same kind and name. */
static bool came_before(const struct ini *ini, const struct ini_line *line)
{
    for (size_t i = 0; i < ini->count && ini->lines[i].number < line->number; i++) {
        const struct ini_line *before = &ini->lines[i];

        if (before->section && strcmp(before->key, line->key) == 0 && strcmp(before->value, line->value) == 0)
            return true;
    }
    return false;
}

/* Makes room for a section's structure; NULL: there is something wrong with its header. */
static void *section_start(struct reader *reader, const struct section *section, const struct ini_line *line)
{
    char *base = (char *)reader->description + section->offset;
    unsigned *count;

    if (section->named != (line->value[0] != '\0')) {
        wrong(reader, line->number, line->key,
              section->named ? "needs a name: [kind name]" : "is a section without a name");
        return NULL;
    }
    if (!section->again && came_before(reader->ini, line)) {
        wrong(reader, line->number, section->named ? line->value : line->key, "is there twice: once is right");
        return NULL;
    }
    if (section->count == 0)
        return base;
    count = count_of(section, reader->description);
    if (*count >= section->most) {
        text_format(reader->why, "line %u: '%s' is there too often: at most %u are possible", line->number, line->key,
                    section->most);
        return NULL;
    }
    base += section->size * (*count)++;
    if (!name_structure(section, base, line->value)) {
        wrong(reader, line->number, line->key, right_names(section));
        return NULL;
    }
    return base;
}

/* Every entry of a section has to be a name of it, and there once unless it may repeat. */
static bool names_known(const struct reader *reader, const struct section *section, const struct ini_line *first,
                        const struct ini_line *end)
{
    for (const struct ini_line *line = first; line < end; line++) {
        const struct field *known = NULL;

        for (unsigned i = 0; i < description_field_count; i++)
            if (strcmp(description_fields[i].section, section->kind) == 0 &&
                strcmp(description_fields[i].name, line->key) == 0)
                known = &description_fields[i];
        if (known == NULL) {
            text_format(reader->why, "line %u: '%s' is no name of [%s]: one of", line->number, line->key,
                        section->kind);
            for (unsigned i = 0; i < description_field_count; i++)
                if (strcmp(description_fields[i].section, section->kind) == 0)
                    text_format(reader->why, " %s", description_fields[i].name);
            text_string(reader->why, " is right");
            return false;
        }
        for (const struct ini_line *before = first; before < line && !value_repeats(known->kind); before++)
            if (strcmp(before->key, line->key) == 0)
                return wrong(reader, line->number, line->key, "is there twice: once is right");
    }
    return true;
}

/* Reads all values of one field; lines that repeat, one after the other. */
static bool field_read(const struct reader *reader, const struct field *field, void *base,
                       const struct ini_line *header, const struct ini_line *end)
{
    char what[400];
    bool given = false;

    for (const struct ini_line *line = header + 1; line < end; line++) {
        struct text why = text_in(what, sizeof what);

        if (strcmp(line->key, field->name) != 0)
            continue;
        given = true;
        if (!value_read(field, reader->description, base, line->value, &why)) {
            text_format(&why, ", not '%.40s'", line->value);
            return wrong(reader, line->number, line->key, what);
        }
    }
    if (given || value_repeats(field->kind))
        return true;
    if (field->fallback == NULL) {
        text_format(reader->why, "line %u: '%s' is missing in [%s%s%s]: it has to be there", header->number,
                    field->name, header->key, header->value[0] != '\0' ? " " : "", header->value);
        return false;
    }
    struct text why = text_in(what, sizeof what);
    return value_read(field, reader->description, base, field->fallback, &why) ||
           wrong(reader, header->number, field->name, what);
}

static bool section_read(struct reader *reader, const struct ini_line *header, const struct ini_line *end)
{
    const struct section *section = section_of(header->key);
    const char *unsound;
    void *base;

    if (section == NULL)
        return wrong(reader, header->number, header->key,
                     "is no kind of section: machine, clock, memory, cache, tlb, psc, walker, prefetcher, fetch, "
                     "counters, noise are");
    if (reader->taken == 0 && section != description_sections)
        return wrong(reader, header->number, header->key, "comes too early: [machine] is the first section");
    base = section_start(reader, section, header);
    if (base == NULL || !names_known(reader, section, header + 1, end))
        return false;
    reader->taken |= UINT64_C(1) << (section - description_sections);
    for (unsigned i = 0; i < description_field_count; i++)
        if (strcmp(description_fields[i].section, section->kind) == 0 &&
            !field_read(reader, &description_fields[i], base, header, end))
            return false;
    unsound = section_finish(section, base);
    if (unsound == NULL)
        unsound = section_unsound(section, reader->description, base);
    return unsound == NULL || wrong(reader, header->number, section->named ? header->value : header->key, unsound);
}

/* A section that did not come is read as an empty one, if it may be missing. */
static bool missing_read(struct reader *reader)
{
    static char nothing[1];

    for (unsigned i = 0; i < description_section_count; i++) {
        const struct section *section = &description_sections[i];
        const struct ini_line header = {reader->ini->last, true, (char *)(uintptr_t)section->kind, nothing};

        if ((reader->taken >> i & 1) != 0 || section->named)
            continue;
        if (section->required)
            return wrong(reader, reader->ini->last, section->kind, "is missing: every machine has that section");
        if (!section_read(reader, &header, &header + 1))
            return false;
    }
    return true;
}

bool description_read(struct description *description, const char *ini, size_t length, char *complaint, size_t capacity)
{
    struct text why = text_in(complaint, capacity);
    struct ini *lines = ini_read(ini, length, &why);
    struct reader reader = {description, lines, &why, 0};
    bool good = lines != NULL;

    memset(description, 0, sizeof *description);
    for (size_t at = 0, end; good && at < lines->count; at = end) {
        for (end = at + 1; end < lines->count && !lines->lines[end].section; end++)
            ;
        good = section_read(&reader, &lines->lines[at], &lines->lines[end]);
    }
    good = good && missing_read(&reader);
    if (good && description_unsound(description) != NULL)
        good = wrong(&reader, lines->last, description->name, description_unsound(description));
    ini_free(lines);
    return good;
}

static void section_name_write(const struct section *section, const void *base, struct text *text)
{
    text_char(text, ' ');
    if (section->again)
        word_write(PREFETCHER_NAMES, ((const struct prefetcher_description *)base)->kind, text);
    else if (strcmp(section->kind, "psc") == 0)
        word_write(PSC_NAMES, ((const struct psc_description *)base)->level, text);
    else if (strcmp(section->kind, "tlb") == 0)
        text_string(text, ((const struct tlb_description *)base)->name);
    else
        text_string(text, ((const struct cache_description *)base)->name);
}

/* What differs from what a missing entry would give. */
static void section_write(const struct section *section, const struct description *description, const void *base,
                          struct text *text)
{
    char value[1024];

    text_format(text, "\n[%s", section->kind);
    if (section->named)
        section_name_write(section, base, text);
    text_string(text, "]\n");
    for (unsigned i = 0; i < description_field_count; i++) {
        const struct field *field = &description_fields[i];

        for (unsigned item = 0; strcmp(field->section, section->kind) == 0; item++) {
            struct text one = text_in(value, sizeof value);

            if (!value_write(field, description, base, item, &one))
                break;
            text->cut = text->cut || one.cut;
            if (field->fallback == NULL || strcmp(field->fallback, value) != 0)
                text_format(text, "%s = %s\n", field->name, value);
        }
    }
}

bool description_write(const struct description *description, char *ini, size_t capacity)
{
    struct text text = text_in(ini, capacity);

    text_string(&text, "# SPDX-License-Identifier: BSD-2-Clause\n");
    for (unsigned i = 0; i < description_section_count; i++) {
        const struct section *section = &description_sections[i];
        const char *base = (const char *)description + section->offset;
        unsigned count = 1;

        if (section->count != 0)
            count = *(const unsigned *)(const void *)((const char *)description + section->count);
        for (; count > 0; count--, base += section->size)
            section_write(section, description, base, &text);
    }
    return !text.cut;
}
