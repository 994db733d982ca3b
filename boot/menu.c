// SPDX-License-Identifier: BSD-2-Clause
/* menu.c: see menu.h. Plain lines and single keys: it works on every screen, and on a serial line beside it. */
#include "boot/menu.h"

enum { COUNTDOWN = 5, DIGITS = 9, MOST_CHOICES = DIGITS + 26 };

enum entry { FULL_RUN = 1, QUICK_RUN, ONE_PROBE, LAST_RESULTS, RESET, LEAVE, ENTRIES };

static void show_menu(struct stage *stage)
{
    run_print_version(stage);
    stage_line(stage, "");
    stage_line(stage, "  1  full run: every probe that is not on trial");
    stage_line(stage, "  2  quick run: what takes a few seconds");
    stage_line(stage, "  3  one probe");
    stage_line(stage, "  4  results of the last run");
    stage_line(stage, "  5  restart the machine");
    stage_line(stage, "  6  back to the firmware");
    stage_line(stage, "");
}

/* The key of a choice, from 1 on: 1 to 9, then a to z. */
static char key_of(unsigned choice)
{
    return (char)(choice <= DIGITS ? '0' + choice : 'a' + choice - DIGITS - 1);
}

/* The choice that a key stands for, 1 to `most`; 0: none. */
static unsigned choice_of(char key, unsigned most)
{
    for (unsigned choice = 1; choice <= most; choice++)
        if (key_of(choice) == key)
            return choice;
    return 0;
}

/* The first key within the countdown, KEY_NONE: none came. */
static char count_down(struct stage *stage)
{
    for (unsigned left = COUNTDOWN; left > 0; left--) {
        char buffer[80];
        struct text line = text_in(buffer, sizeof buffer);
        text_format(&line, "Full run in %u s; any key stops the clock.", left);
        stage_progress(stage, line.at);
        char key = console_wait(&stage->console, 1000);
        if (key)
            return key;
    }
    return KEY_NONE;
}

/* Sets the probe that is to run. False: none was chosen. */
static bool choose_probe(struct stage *stage, struct options *options)
{
    unsigned count = probe_count < MOST_CHOICES ? probe_count : MOST_CHOICES;
    for (unsigned i = 0; i < count; i++)
        say(stage, "  %c  %s: %s", key_of(i + 1), probe_list[i].name, probe_list[i].answers);
    stage_line(stage, "Press the key of a probe, any other one to go back.");
    unsigned chosen = choice_of(console_wait(&stage->console, 0), count);
    if (chosen)
        text_copy(options->probes, sizeof options->probes, probe_list[chosen - 1].name);
    return chosen > 0;
}

/* Does what a key stands for. False: the menu goes on. */
static bool obey(struct stage *stage, struct options *options, enum entry entry, bool *run)
{
    *run = entry == FULL_RUN || entry == QUICK_RUN || entry == ONE_PROBE;
    switch (entry) {
    case FULL_RUN:
        return true;
    case QUICK_RUN:
        options->quick = true;
        return true;
    case ONE_PROBE:
        return choose_probe(stage, options);
    case LAST_RESULTS:
        run_print_last(stage);
        return false;
    case RESET:
        options->after = AFTER_RESET;
        return true;
    case LEAVE:
        options->after = AFTER_RETURN;
        return true;
    default:
        return false;
    }
}

bool menu(struct stage *stage, struct options *options)
{
    struct console *console = &stage->console;
    bool run = true;
    console_drop_keys(console);
    show_menu(stage);
    char key = count_down(stage);
    if (key == KEY_NONE)
        return true;
    for (;;) {
        enum entry entry = key == KEY_ENTER ? FULL_RUN : (enum entry)choice_of(key, ENTRIES - 1);
        if (obey(stage, options, entry, &run))
            return run;
        if (entry == ONE_PROBE)
            show_menu(stage);
        stage_line(stage, "Press 1 to 6; Enter is a full run.");
        key = console_wait(console, 0);
        if (key == KEY_NONE)
            return true; /* the keyboard is gone: as if nobody sat there */
    }
}
