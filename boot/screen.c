// SPDX-License-Identifier: BSD-2-Clause
/* screen.c: see screen.h. */
#include "boot/screen.h"

_Static_assert(sizeof(EFI_GRAPHICS_OUTPUT_BLT_PIXEL) == sizeof(uint32_t), "a pixel is blue, green, red, nothing");

enum { MOST_PIXELS = 16384, ROWS = 32 };

static const EFI_GUID graphics_output_guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;

static bool usable(const EFI_GRAPHICS_OUTPUT_PROTOCOL *output)
{
    return output && output->Mode && output->Mode->Info &&
           output->Mode->Info->HorizontalResolution >= PICTURE_LEAST_WIDTH &&
           output->Mode->Info->HorizontalResolution <= MOST_PIXELS &&
           output->Mode->Info->VerticalResolution >= PICTURE_LEAST_HEIGHT &&
           output->Mode->Info->VerticalResolution <= MOST_PIXELS;
}

/* The console's own screen, which stands for all of them where there are several; else any. */
static EFI_GRAPHICS_OUTPUT_PROTOCOL *find(const struct firmware *firmware, const char **why)
{
    EFI_GRAPHICS_OUTPUT_PROTOCOL *output =
        firmware_protocol(firmware, firmware->table->ConsoleOutHandle, &graphics_output_guid);
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(firmware, &graphics_output_guid, &count);
    *why =
        count || output ? "the screen is smaller than 640 x 480 pixels, or of no size" : "there is no graphics screen";
    for (UINTN i = 0; i < count && !usable(output); i++)
        output = firmware_protocol(firmware, handles[i], &graphics_output_guid);
    firmware_free(firmware, handles);
    return usable(output) ? output : NULL;
}

bool screen_open(struct screen *screen, const struct firmware *firmware, const char **why)
{
    *screen = (struct screen){.firmware = firmware, .output = find(firmware, why), .rows = ROWS};
    if (!screen->output)
        return false;
    screen->width = screen->output->Mode->Info->HorizontalResolution;
    screen->height = screen->output->Mode->Info->VerticalResolution;
    for (; screen->rows > 0 && !screen->pixel; screen->rows -= !screen->pixel)
        screen->pixel = firmware_allocate(firmware, (size_t)screen->width * screen->rows * sizeof(uint32_t));
    if (screen->pixel)
        return true;
    screen->output = NULL;
    *why = "no memory is left to draw in";
    return false;
}

void screen_close(struct screen *screen)
{
    firmware_free(screen->firmware, screen->pixel);
    screen->pixel = NULL;
    screen->output = NULL;
}

EFI_STATUS screen_draw(struct screen *screen, const struct picture *picture)
{
    for (unsigned top = 0; top < screen->height; top += screen->rows) {
        unsigned rows = screen->height - top < screen->rows ? screen->height - top : screen->rows;
        struct raster raster = {screen->pixel, (int)screen->width, (int)rows, (int)top};
        picture_draw(picture, &raster);
        EFI_STATUS status = screen->output->Blt(screen->output, (void *)screen->pixel, EfiBltBufferToVideo, 0, 0, 0,
                                                top, screen->width, rows, 0);
        if (EFI_ERROR(status))
            return status;
    }
    return EFI_SUCCESS;
}
