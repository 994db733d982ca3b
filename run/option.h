// SPDX-License-Identifier: BSD-2-Clause
/* option.h: the list of options, for the two files that know it: run/options.c (what each sets) and run/read_options.c
 * (how a line and an ini file spell them). */
#pragma once
#include "run/options.h"

enum option {
    OPTION_PROBE,
    OPTION_SUITE,
    OPTION_QUICK,
    OPTION_CORE,
    OPTION_MEMORY,
    OPTION_ALL_MEMORY,
    OPTION_CONTIGUOUS,
    OPTION_FIVE_LEVELS,
    OPTION_SEED,
    OPTION_AFTER,
    OPTION_BASELINE,
    OPTION_NO_VARIABLE,
    OPTION_NO_FILES,
    OPTION_RETRY,
    OPTION_PLAIN,
    OPTION_LAVA,
    OPTION_NO_PICTURES,
    OPTION_LIST,
    OPTION_LAST,
    OPTION_FORGET,
    OPTION_SELFTEST,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_OUT,
    OPTION_MACHINE,
    OPTION_FROM,
    OPTION_COUNT
};

/* value: what to call the value in the help, NULL: a flag. optional: the value may be left out. */
struct description {
    const char *name, *value, *help;
    bool optional;
};

extern const struct description described[OPTION_COUNT];

/* Adds to the complaint (a format as in base/text.h) and returns false. */
bool complain(struct text *complaint, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool option_find(const char *name, enum option *); /* name without dashes */

/* Sets an option that takes a value; false with a complaint. */
bool option_set(struct options *, enum option, const char *value, struct text *complaint);

/* Turns a flag, one that takes no value. */
void option_turn(struct options *, enum option, bool on);
