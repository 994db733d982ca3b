// SPDX-License-Identifier: BSD-2-Clause
/* console.h: lines, a progress line, keys.
 *
 * The firmware's console is usually several devices at once: the screen and a serial port show the same text. A screen
 * redraws the progress line in place; a serial line, which somebody may keep in a file, gets plain lines. So each
 * device is written for itself. Where the firmware does not tell its devices, the whole console is taken for one
 * screen. */
#pragma once
#include "boot/firmware.h"

enum { MAX_SCREENS = 8, MOST_STUCK = 3 };

struct console {
    const struct firmware *firmware;
    SIMPLE_TEXT_OUTPUT_INTERFACE *out; /* NULL: there is no console */
    SIMPLE_INPUT_INTERFACE *in;        /* NULL: no keys */
    SIMPLE_TEXT_OUTPUT_INTERFACE *screen[MAX_SCREENS], *serial[MAX_SCREENS];
    bool stuck[MAX_SCREENS];           /* serial ports whose other end takes nothing */
    unsigned stuck_lines[MAX_SCREENS]; /* one after the other; from MOST_STUCK on the port is out of use */
    uint64_t ticks_per_ms;             /* of the TSC; 0: not known yet */
    unsigned screens, serials;
    bool plain; /* progress in plain lines everywhere */
    bool drawn; /* a progress line stands on the screens */
};

/* Finds the devices; clears the screens unless a shell's text is on them. */
void console_open(struct console *, const struct firmware *);

/* Leaves the console as its next user expects it. */
void console_close(struct console *);

/* One line of ASCII, without a newline. Anything that is not printable is shown as a question mark. */
void console_line(struct console *, const char *line);
void console_progress(struct console *, const char *line);

/* The next key that was pressed: its character in lower case, 27 for ESC, 1 for any other key; 0: none waits. */
char console_key(struct console *);

/* Forgets the keys that were pressed so far. */
void console_drop_keys(struct console *);

/* Waits for a key, at most so many milliseconds (0: for ever). False: none came. */
bool console_wait(struct console *, unsigned milliseconds);
