// SPDX-License-Identifier: BSD-2-Clause
/* view.h: a finished run on the board's own screen: pictures where there is graphics, else table and bars, page by
 * page. */
#pragma once
#include "boot/stage.h"

/* Shows the run until the user has seen enough (q, Esc), and then returns true; what is on a page of graphics is also
 * told on serial lines, word by word. Nothing waits where nobody sits: without a screen, or when `wait` is false; then
 * the bars are written below the table where there is no graphics, and false is returned. */
bool view(struct stage *, const struct run *, bool wait);
