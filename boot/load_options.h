// SPDX-License-Identifier: BSD-2-Clause
/* load_options.h: the command line that the firmware or a shell handed over. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Puts the command line into `line`, without the program's own name: the first word when it ends in ".efi", or when a
 * shell passed it and it does not begin with '-'. `bytes` may be NULL when length is 0. False: it is no text; firmware
 * is known to pass binary leftovers, and *why says what is wrong. An empty line is text. */
bool load_options_line(const void *bytes, size_t length, bool from_shell, struct text *line, const char **why);
