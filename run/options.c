// SPDX-License-Identifier: BSD-2-Clause
/* options.c: the one list of options, what each sets, and how they are written down again. Reading: run/read_options.c.
 */
#include "run/option.h"

const struct description described[OPTION_COUNT] = {
    [OPTION_PROBE] = {"probe", "NAMES", "only these, separated by commas (all but those on trial)", false},
    [OPTION_SUITE] = {"suite", "NAME", "a paper's own experiments, and its table at the end", false},
    [OPTION_QUICK] = {"quick", NULL, "only the probes that answer within a few seconds", false},
    [OPTION_CORE] = {"core", "N", "the processor to measure on (0)", false},
    [OPTION_MEMORY] = {"memory", "SIZE", "memory to take at most, for example 512M (what is sensible)", false},
    [OPTION_ALL_MEMORY] = {"all-memory", NULL, "latency: go on to the end of the memory", false},
    [OPTION_CONTIGUOUS] = {"contiguous", NULL, "trust that granted memory is physically contiguous", false},
    [OPTION_FIVE_LEVELS] = {"five-levels", NULL, "tables of five levels where the firmware has four", false},
    [OPTION_SEED] = {"seed", "N", "start of everything pseudo-random (1)", false},
    [OPTION_AFTER] = {"after", "WHAT", "at the end: wait, reset, shutdown or return (wait)", false},
    [OPTION_BASELINE] = {"baseline", "FILE", "compare with an earlier findings.csv: pass or fail", false},
    [OPTION_NO_VARIABLE] = {"no-variable", NULL, "do not store the summary variable", false},
    [OPTION_NO_FILES] = {"no-files", NULL, "write no files", false},
    [OPTION_RETRY] = {"retry", NULL, "run the probe that an earlier run ended in, too", false},
    [OPTION_PLAIN] = {"plain", NULL, "progress as plain lines", false},
    [OPTION_LAVA] = {"lava", NULL, "print results as test cases for LAVA, too", false},
    [OPTION_NO_PICTURES] = {"no-pictures", NULL, "text alone, on a graphics screen, too", false},
    [OPTION_LIST] = {"list", NULL, "list the probes and what they find", false},
    [OPTION_LAST] = {"last", NULL, "print the stored summary of the last run", false},
    [OPTION_FORGET] = {"forget", NULL, "delete the stored summary", false},
    [OPTION_SELFTEST] = {"selftest", "WHAT", "test assay itself: all, machine, faults or quiet (all)", true},
    [OPTION_HELP] = {"help", NULL, "print this", false},
    [OPTION_VERSION] = {"version", NULL, "print version and build", false},
    [OPTION_OUT] = {"out", "DIR", "host programs: the folder for the files", false},
    [OPTION_MACHINE] = {"machine", "FILE", "host programs: the description of the modelled machine", false},
    [OPTION_FROM] = {"from", "FILE", "host programs: the readings to replay", false},
};

static const char *const after_names[] = {"wait", "reset", "shutdown", "return"};

void options_default(struct options *options)
{
    *options = (struct options){.selftest = "all", .request = {.seed = 1}};
}

bool complain(struct text *complaint, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    text_format_list(complaint, format, list);
    va_end(list);
    return false;
}

bool option_find(const char *name, enum option *option)
{
    for (unsigned i = 0; i < OPTION_COUNT; i++) {
        if (text_equal(described[i].name, name)) {
            *option = (enum option)i;
            return true;
        }
    }
    return false;
}

static bool known_probe(const char *name)
{
    for (unsigned i = 0; i < probe_count; i++) {
        if (text_equal(probe_list[i].name, name))
            return true;
    }
    return false;
}

static bool set_probes(struct options *options, const char *value, struct text *complaint)
{
    const char *at = value;

    if (text_length(value) >= sizeof options->probes)
        return complain(complaint, "--probe: too long a list");
    do {
        char name[32];
        struct text text = text_in(name, sizeof name);
        while (*at && *at != ',')
            text_char(&text, *at++);
        if (known_probe(name))
            continue;
        complain(complaint, "--probe: there is no probe named '%s'; there are:", name);
        for (unsigned i = 0; i < probe_count; i++)
            text_format(complaint, " %s", probe_list[i].name);
        return false;
    } while (*at++ == ',');
    text_copy(options->probes, sizeof options->probes, value);
    return true;
}

static const struct suite *suite_named(const char *name)
{
    for (unsigned i = 0; i < suite_count; i++)
        if (text_equal(suite_list[i].name, name))
            return &suite_list[i];
    return NULL;
}

const struct suite *options_suite(const struct options *options)
{
    return suite_named(options->suite);
}

static bool set_suite(struct options *options, const char *value, struct text *complaint)
{
    if (suite_named(value)) {
        text_copy(options->suite, sizeof options->suite, value);
        return true;
    }
    complain(complaint, "--suite: there is no suite named '%s'; there are:", value);
    for (unsigned i = 0; i < suite_count; i++)
        text_format(complaint, " %s", suite_list[i].name);
    return false;
}

static bool set_number(uint64_t *number, enum option option, const char *value, uint64_t most, struct text *complaint)
{
    uint64_t read;

    if (!text_read_number(value, &read) || read > most)
        return complain(complaint, "--%s: '%s' is not a number%s", described[option].name, value,
                        most < UINT64_MAX ? " in range" : "");
    *number = read;
    return true;
}

static bool set_after(struct options *options, const char *value, struct text *complaint)
{
    for (unsigned i = 0; i < sizeof after_names / sizeof after_names[0]; i++) {
        if (text_equal(after_names[i], value)) {
            options->after = (enum after)i;
            return true;
        }
    }
    return complain(complaint, "--after: '%s' is none of wait, reset, shutdown, return", value);
}

static bool set_selftest(struct options *options, const char *value, struct text *complaint)
{
    if (!text_listed("all,machine,faults,quiet", value))
        return complain(complaint, "--selftest: '%s' is none of all, machine, faults, quiet", value);
    options->task = TASK_SELFTEST;
    text_copy(options->selftest, sizeof options->selftest, value);
    return true;
}

static bool set_path(char path[256], enum option option, const char *value, struct text *complaint)
{
    if (value[0] == '\0' || text_length(value) >= 256)
        return complain(complaint, "--%s: a name of 1 to 255 characters is needed", described[option].name);
    for (const char *at = value; *at; at++) {
        if (*at == '"')
            return complain(complaint, "--%s: double quotes cannot be part of a name", described[option].name);
    }
    text_copy(path, 256, value);
    return true;
}

bool option_set(struct options *options, enum option option, const char *value, struct text *complaint)
{
    uint64_t number = 0;

    options->given = true;
    switch (option) {
    case OPTION_PROBE:
        return set_probes(options, value, complaint);
    case OPTION_SUITE:
        return set_suite(options, value, complaint);
    case OPTION_CORE:
        if (!set_number(&number, option, value, 65535, complaint))
            return false;
        options->core = (unsigned)number;
        return true;
    case OPTION_MEMORY:
        return set_number(&options->memory, option, value, UINT64_MAX, complaint);
    case OPTION_SEED:
        return set_number(&options->request.seed, option, value, UINT64_MAX, complaint);
    case OPTION_AFTER:
        return set_after(options, value, complaint);
    case OPTION_SELFTEST:
        return set_selftest(options, value, complaint);
    case OPTION_BASELINE:
        return set_path(options->baseline, option, value, complaint);
    case OPTION_OUT:
        return set_path(options->out, option, value, complaint);
    case OPTION_MACHINE:
        return set_path(options->machine, option, value, complaint);
    default:
        return set_path(options->from, option, value, complaint);
    }
}

/* Sets what to do instead of measuring; "no" in an ini takes only the same task back. */
static void set_task(struct options *options, enum task_kind task, bool on)
{
    if (on)
        options->task = task;
    else if (options->task == task)
        options->task = TASK_MEASURE;
}

void option_turn(struct options *options, enum option option, bool on)
{
    options->given = true;
    switch (option) {
    case OPTION_QUICK:
        options->quick = on;
        break;
    case OPTION_ALL_MEMORY:
        options->request.all_memory = on;
        break;
    case OPTION_CONTIGUOUS:
        options->request.contiguous = on;
        break;
    case OPTION_FIVE_LEVELS:
        options->five_levels = on;
        break;
    case OPTION_NO_VARIABLE:
        options->no_variable = on;
        break;
    case OPTION_NO_FILES:
        options->no_files = on;
        break;
    case OPTION_RETRY:
        options->retry = on;
        break;
    case OPTION_PLAIN:
        options->plain = on;
        break;
    case OPTION_LAVA:
        options->lava = on;
        break;
    case OPTION_NO_PICTURES:
        options->no_pictures = on;
        break;
    case OPTION_LIST:
        set_task(options, TASK_LIST, on);
        break;
    case OPTION_LAST:
        set_task(options, TASK_LAST, on);
        break;
    case OPTION_FORGET:
        set_task(options, TASK_FORGET, on);
        break;
    case OPTION_HELP:
        set_task(options, TASK_HELP, on);
        break;
    default:
        set_task(options, TASK_VERSION, on);
        break;
    }
}

static void write_flag(struct text *text, bool on, enum option option)
{
    if (on)
        text_format(text, "%s--%s", text->length ? " " : "", described[option].name);
}

static void write_string(struct text *text, const char *value, const char *usual, enum option option)
{
    bool blanks = false;

    if (text_equal(value, usual))
        return;
    for (const char *at = value; *at; at++)
        blanks = blanks || *at == ' ' || *at == '\t';
    text_format(text, blanks ? "%s--%s=\"%s\"" : "%s--%s=%s", text->length ? " " : "", described[option].name, value);
}

static void write_number(struct text *text, uint64_t value, uint64_t usual, enum option option)
{
    if (value != usual)
        text_format(text, "%s--%s=%llu", text->length ? " " : "", described[option].name, (unsigned long long)value);
}

void options_write(const struct options *options, struct text *text)
{
    static const struct {
        enum task_kind task;
        enum option option;
    } tasks[] = {{TASK_HELP, OPTION_HELP},
                 {TASK_VERSION, OPTION_VERSION},
                 {TASK_LIST, OPTION_LIST},
                 {TASK_LAST, OPTION_LAST},
                 {TASK_FORGET, OPTION_FORGET}};

    for (unsigned i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
        write_flag(text, options->task == tasks[i].task, tasks[i].option);
    if (options->task == TASK_SELFTEST)
        write_string(text, options->selftest, "", OPTION_SELFTEST);
    write_string(text, options->probes, "", OPTION_PROBE);
    write_string(text, options->suite, "", OPTION_SUITE);
    write_flag(text, options->quick, OPTION_QUICK);
    write_number(text, options->core, 0, OPTION_CORE);
    write_number(text, options->memory, 0, OPTION_MEMORY);
    write_flag(text, options->request.all_memory, OPTION_ALL_MEMORY);
    write_flag(text, options->request.contiguous, OPTION_CONTIGUOUS);
    write_flag(text, options->five_levels, OPTION_FIVE_LEVELS);
    write_number(text, options->request.seed, 1, OPTION_SEED);
    write_string(text, after_names[options->after], after_names[AFTER_WAIT], OPTION_AFTER);
    write_string(text, options->baseline, "", OPTION_BASELINE);
    write_flag(text, options->no_variable, OPTION_NO_VARIABLE);
    write_flag(text, options->no_files, OPTION_NO_FILES);
    write_flag(text, options->retry, OPTION_RETRY);
    write_flag(text, options->plain, OPTION_PLAIN);
    write_flag(text, options->lava, OPTION_LAVA);
    write_flag(text, options->no_pictures, OPTION_NO_PICTURES);
    write_string(text, options->out, "", OPTION_OUT);
    write_string(text, options->machine, "", OPTION_MACHINE);
    write_string(text, options->from, "", OPTION_FROM);
}

void options_help(struct text *text)
{
    text_string(text, "assay measures the memory hierarchy of the machine that it runs on.\n"
                      "Options, on the command line or as name = value in \\assay\\assay.ini:\n");
    for (unsigned i = 0; i < OPTION_COUNT; i++) {
        const struct description *option = &described[i];
        text_format(text, "  --%s", option->name);
        if (option->value)
            text_format(text, option->optional ? " [%s]" : " %s", option->value);
        text_char(text, ' ');
        text_column(text, 20);
        text_format(text, "%s\n", option->help);
    }
    text_string(text, "Probes:\n");
    for (unsigned i = 0; i < probe_count; i++) {
        text_format(text, "  %s ", probe_list[i].name);
        text_column(text, 20);
        text_format(text, "%s%s\n", probe_list[i].answers, probe_list[i].trial ? " (on trial)" : "");
    }
    text_string(text, "Suites:\n");
    for (unsigned i = 0; i < suite_count; i++) {
        text_format(text, "  %s ", suite_list[i].name);
        text_column(text, 20);
        text_format(text, "%s\n", suite_list[i].answers);
    }
}

/* Whether a probe is named, or one that is named goes by its findings. */
static bool is_named(const char *names, const struct probe *probe)
{
    for (unsigned i = 0; i < probe_count; i++)
        if (text_listed(names, probe_list[i].name) && probe_list[i].needs &&
            text_listed(probe_list[i].needs, probe->name))
            return true;
    return text_listed(names, probe->name);
}

bool options_wants(const struct options *options, const char *probe)
{
    const struct suite *suite = options_suite(options);

    for (unsigned i = 0; i < probe_count; i++) {
        const struct probe *one = &probe_list[i];
        if (!text_equal(one->name, probe))
            continue;
        if (suite || options->probes[0])
            return is_named(options->probes, one) || (suite && is_named(suite->probes, one));
        return !one->trial && (one->quick || !options->quick);
    }
    return false;
}
