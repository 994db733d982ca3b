// SPDX-License-Identifier: BSD-2-Clause
/* screen.h: a graphics screen (GOP), drawn on with Blt alone: many frame buffers are out of reach or are none. The
 * resolution is left as it is. */
#pragma once
#include "boot/firmware.h"
#include "report/picture.h"

struct screen {
    const struct firmware *firmware;
    EFI_GRAPHICS_OUTPUT_PROTOCOL *output; /* NULL: there is none that can be used */
    unsigned width, height;               /* pixels */
    uint32_t *pixel;                      /* room for `rows` rows of it */
    unsigned rows;
};

/* Finds a screen of at least 640 x 480. False: *why says why there is none; nothing is to be closed. */
bool screen_open(struct screen *, const struct firmware *, const char **why);
void screen_close(struct screen *);

/* Draws a page, which was laid out for this screen's size. Not EFI_SUCCESS: the firmware's Blt failed. */
EFI_STATUS screen_draw(struct screen *, const struct picture *);
