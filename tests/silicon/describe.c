// SPDX-License-Identifier: BSD-2-Clause
/* describe.c: reading the description of a modelled machine, and opening a machine from it. */
#include "base/text.h"
#include "tests/silicon/inside.h"
#include <stdlib.h>
#include <string.h>

/* A number of the description: its name, where it lies and how wide it is there. */
struct field {
    const char *name;
    size_t offset, size;
};

#define FIELD(member)                                                                                                  \
    {                                                                                                                  \
#member, offsetof(struct silicon_description, member), sizeof(((struct silicon_description *)0)->member)       \
    }

static const struct field fields[] = {
    FIELD(size),
    FIELD(ways),
    FIELD(line),
    FIELD(hit),
    FIELD(memory),
    FIELD(hz),
    FIELD(step),
    FIELD(span),
    FIELD(noise.jitter),
    FIELD(noise.bump_permille),
    FIELD(no_1g),
    FIELD(no_2m),
    FIELD(noise.bump_ticks),
    FIELD(noise.bump_told),
};

static const struct field *field_named(const char *name)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (text_equal(fields[i].name, name))
            return &fields[i];
    return NULL;
}

/* NULL, or what is wrong with it. */
static const char *set_number(struct silicon_description *description, const struct field *field, const char *text)
{
    uint64_t value;
    if (!text_read_number(text, &value))
        return "is not a number";
    if (field->size < 8 && value >> 8 * field->size)
        return "is too large";
    if (field->size == 1 && value > 1)
        return "is not 0 or 1";
    memcpy((char *)description + field->offset, &value, field->size);
    return NULL;
}

static const char *set_ratio(struct silicon_description *description, char *text)
{
    char *slash = strchr(text, '/');
    uint64_t core, clock;
    if (!slash)
        return "is not a fraction";
    *slash = 0;
    if (!text_read_number(text, &core) || !text_read_number(slash + 1, &clock) || !core || !clock || core >> 20 ||
        clock >> 20)
        return "is not a fraction of numbers from 1 to 1048575";
    description->ratio_core = (unsigned)core;
    description->ratio_clock = (unsigned)clock;
    return NULL;
}

static const char *set(struct silicon_description *description, const char *name, char *value)
{
    const struct field *field = field_named(name);
    if (text_equal(name, "name"))
        text_copy(description->name, sizeof description->name, value);
    else if (text_equal(name, "ratio"))
        return set_ratio(description, value);
    else if (field)
        return set_number(description, field, value);
    else
        return "is no value of a description";
    return NULL;
}

/* What keeps a description from being a machine, or NULL. */
static const char *unsound(const struct silicon_description *description)
{
    uint64_t way = (uint64_t)description->ways * description->line;
    if (!way || description->size % way || !description->size)
        return "size is not a whole number of sets of ways * line bytes";
    if (description->line < 8 || description->line & (description->line - 1))
        return "line is not a power of two of at least 8 bytes";
    if (!description->hit || description->memory < description->hit)
        return "hit is 0, or above memory";
    if (!description->hz || !description->step)
        return "hz or step is 0";
    if (!description->ratio_core || !description->ratio_clock)
        return "there is no ratio";
    if (description->span < 4096 || description->span % 4096 || description->span >> 40)
        return "span is not a whole number of 4096-byte pages below 1 TB";
    return NULL;
}

static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = 0;
    return text;
}

/* One line, which is changed. NULL, or what is wrong. *about: the name that it is about. */
static const char *read_line(struct silicon_description *description, char *line, const char **about)
{
    char *comment = strchr(line, '#');
    if (comment)
        *comment = 0;
    *about = trim(line);
    if (!**about)
        return NULL;
    char *equals = strchr(line, '=');
    if (!equals)
        return "has no '='";
    *equals = 0;
    *about = trim(line);
    return set(description, *about, trim(equals + 1));
}

bool silicon_describe(struct silicon_description *description, const char *ini, size_t length, char *complaint,
                      size_t capacity)
{
    struct text text = text_in(complaint, capacity);
    *description = (struct silicon_description){
        .ratio_core = 1, .ratio_clock = 1, .hz = 1000000000, .step = 1, .span = 64 << 20, .hit = 1, .memory = 1};
    const char *end = ini + length;
    for (unsigned number = 1; ini < end; number++) {
        const char *newline = memchr(ini, '\n', (size_t)(end - ini)), *about;
        size_t size = (size_t)((newline ? newline : end) - ini);
        char line[200];
        if (size >= sizeof line) {
            text_format(&text, "line %u is longer than %u characters", number, (unsigned)sizeof line - 1);
            return false;
        }
        memcpy(line, ini, size);
        line[size] = 0;
        ini += size + 1;
        const char *wrong = read_line(description, line, &about);
        if (wrong) {
            text_format(&text, "line %u: '%s' %s", number, about, wrong);
            return false;
        }
    }
    const char *wrong = unsound(description);
    if (wrong)
        text_string(&text, wrong);
    return !wrong;
}

static void declare(struct facts *facts, const char *id, uint64_t value)
{
    struct declared *declared = &facts->declared[facts->declared_count++];
    *declared = (struct declared){.low = value, .high = value, .by = "description"};
    text_copy(declared->id, sizeof declared->id, id);
}

static void tell_facts(struct facts *facts, const struct silicon_description *description)
{
    *facts = (struct facts){.implementation = "silicon", .vendor = "model"};
    text_copy(facts->brand, sizeof facts->brand, description->name);
    text_copy(facts->board, sizeof facts->board, description->name);
    text_copy(facts->note, sizeof facts->note, "one level of data cache, no page tables, one core");
    declare(facts, "cpu.tsc", description->hz);
    declare(facts, "cpu.clock_step", description->step);
    declare(facts, "l1d.size", description->size);
    declare(facts, "l1d.ways", description->ways);
    declare(facts, "l1d.line", description->line);
    declare(facts, "l1d.latency", description->hit);
}

static uint64_t view_size(uint64_t span)
{
    uint64_t size = (uint64_t)1 << 30;
    while (size < 2 * span)
        size *= 2;
    return size;
}

struct machine *silicon_open(struct host *host, const struct silicon_description *description, uint64_t seed,
                             struct recording *recording, const char **why)
{
    enum { PAGE = 4096 };
    *why = unsound(description);
    struct machine *machine = *why ? NULL : calloc(1, sizeof *machine);
    if (!machine)
        return NULL;
    machine->description = *description;
    machine->host = host;
    machine->random.state = seed;
    machine->front.recording = recording;
    machine->front.view = (struct view){.base = (uint64_t)1 << 40, .size = view_size(description->span)};
    machine->cache.sets = description->size / ((uint64_t)description->ways * description->line);
    machine->cache.lines = calloc(machine->cache.sets * description->ways, sizeof *machine->cache.lines);
    machine->memory = calloc(1, description->span);
    machine->page = calloc(machine->front.view.size / PAGE, sizeof *machine->page);
    machine->mapped = calloc(description->span / PAGE, sizeof *machine->mapped);
    if (!machine->cache.lines || !machine->memory || !machine->page || !machine->mapped) {
        *why = "not enough memory for the model";
        machine_close(machine);
        return NULL;
    }
    tell_facts(&machine->facts, description);
    return machine;
}
