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

/* Keys that are no characters, as console_key tells them. */
enum { KEY_NONE = 0, KEY_OTHER = 1, KEY_LEFT = 2, KEY_RIGHT = 3, KEY_ENTER = 13, KEY_ESCAPE = 27 };

/* How a screen was found, to leave it like that. */
struct screen_state {
    int32_t mode, attribute;
    bool cursor, set; /* set: the mode is another one now */
};

struct console {
    const struct firmware *firmware;
    SIMPLE_TEXT_OUTPUT_INTERFACE *out; /* NULL: there is no console */
    SIMPLE_INPUT_INTERFACE *in;        /* NULL: no keys */
    SIMPLE_TEXT_OUTPUT_INTERFACE *screen[MAX_SCREENS], *serial[MAX_SCREENS];
    struct screen_state found[MAX_SCREENS];
    unsigned failed[MAX_SCREENS];      /* characters of a serial port that failed, one after the other */
    unsigned stuck_lines[MAX_SCREENS]; /* one after the other; from MOST_STUCK on the port is out of use */
    uint64_t ticks_per_ms;             /* of the TSC; 0: not known yet */
    unsigned screens, serials;
    bool plain;    /* progress in plain lines everywhere */
    bool drawn;    /* a progress line stands on the screens */
    bool keyboard; /* there is a keyboard, not only a serial line; where the firmware does not tell, there is one */
};

/* Finds the devices. Unless a shell's text is on them, the screens get the text mode with the most room that can still
 * be read, and are cleared. A serial port gets nothing that is not text: somebody's program may read it. */
void console_open(struct console *, const struct firmware *);

/* Leaves the screens as they were found: text mode, colours, cursor. */
void console_close(struct console *);

/* Columns and rows of the smallest screen; 80 x 25 when it does not say. */
void console_size(const struct console *, unsigned *columns, unsigned *rows);

void console_clear(struct console *); /* the screens */

/* One line of ASCII, without a newline. Anything that is not printable is shown as a question mark. */
void console_line(struct console *, const char *line);
void console_progress(struct console *, const char *line);

/* Lines for one kind of device alone. bars: after the first |, # and : stand for a whole and a light block, which
 * screens that have such characters show. */
void console_screen_line(struct console *, const char *line, bool bars);
void console_serial_line(struct console *, const char *line);

/* The next key that was pressed: its character in lower case, or a KEY_; KEY_NONE: none waits. */
char console_key(struct console *);

/* Forgets the keys that were pressed so far. */
void console_drop_keys(struct console *);

/* Waits for a key, at most so many milliseconds (0: for ever). KEY_NONE: none came. */
char console_wait(struct console *, unsigned milliseconds);
