// SPDX-License-Identifier: BSD-2-Clause
/* font.h: a small fixed-width font for pictures: firmware need not have one (the HII font protocol is optional). */
#pragma once
#include <stdint.h>

enum { FONT_WIDTH = 8, FONT_HEIGHT = 16, FONT_FIRST = ' ', FONT_LAST = '~', FONT_GLYPHS = FONT_LAST - FONT_FIRST + 1 };

/* The printable ASCII characters, from the blank on. */
extern const uint8_t font_glyph[FONT_GLYPHS][FONT_HEIGHT];
