// SPDX-License-Identifier: BSD-2-Clause
/* test_boot_screen.c: graphics screens of all kinds, none, and one on which drawing fails. */
#include "boot/screen.h"
#include "tests/unit/played_firmware.h"

enum { MOST = 4096 * 2200 };

/* Pictures have words, which go nowhere here. */
bool report_out(struct report_sink *sink, const char *bytes, size_t length)
{
    (void)sink, (void)bytes, (void)length;
    return true;
}

static const EFI_GUID graphics_guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;

static uint32_t *shown;
static unsigned fail_after, blts;
static EFI_GRAPHICS_OUTPUT_MODE_INFORMATION information;
static EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE mode;
static EFI_GRAPHICS_OUTPUT_PROTOCOL graphics;
static struct notebook notebook;
static struct picture picture;

static EFI_STATUS EFIAPI play_blt(EFI_GRAPHICS_OUTPUT_PROTOCOL *this, EFI_GRAPHICS_OUTPUT_BLT_PIXEL *buffer,
                                  EFI_GRAPHICS_OUTPUT_BLT_OPERATION operation, UINTN from_x, UINTN from_y, UINTN x,
                                  UINTN y, UINTN width, UINTN height, UINTN delta)
{
    const uint32_t *pixel = (const uint32_t *)(const void *)buffer;

    assert_ptr_equal(this, &graphics);
    assert_int_equal(operation, EfiBltBufferToVideo);
    assert_int_equal(from_x | from_y | x, 0);
    assert_int_equal(width, information.HorizontalResolution);
    assert_true(delta == 0 && height > 0 && y + height <= information.VerticalResolution);
    if (++blts > fail_after)
        return EFI_DEVICE_ERROR;
    memcpy(shown + y * width, pixel, width * height * sizeof *pixel);
    return EFI_SUCCESS;
}

static void *on_console = &on_console, *elsewhere = &elsewhere;

static void screen_of(unsigned width, unsigned height, void *handle)
{
    play_begin();
    system_table.ConsoleOutHandle = on_console;
    memset(&information, 0, sizeof information);
    information.HorizontalResolution = width;
    information.VerticalResolution = height;
    information.PixelFormat = PixelBltOnly;
    mode.Info = &information;
    mode.FrameBufferBase = 0; /* there is none to be written to */
    graphics.Mode = &mode;
    graphics.Blt = play_blt;
    fail_after = UINT32_MAX;
    blts = 0;
    play(handle, &graphics_guid, &graphics);
}

static void sizes(void **state)
{
    static const unsigned size[][2] = {{640, 480}, {641, 487}, {1366, 768}, {1920, 1080}, {1080, 1920}, {3840, 2160}};

    (void)state;
    for (unsigned i = 0; i < sizeof size / sizeof *size; i++) {
        struct screen screen;
        const char *why;
        int width = (int)size[i][0], height = (int)size[i][1];
        screen_of(size[i][0], size[i][1], i % 2 ? elsewhere : on_console);
        assert_true(screen_open(&screen, &firmware, &why));
        picture_make(&picture, &notebook, 0, width, height, "foot");
        memset(shown, 0xff, MOST * sizeof *shown);
        assert_int_equal(screen_draw(&screen, &picture), EFI_SUCCESS);
        screen_close(&screen);
        assert_int_equal(pool_taken, 0);
        /* Each row is there, as drawing all of it at once has it. */
        uint32_t *whole = malloc((size_t)width * (size_t)height * sizeof *whole);
        struct raster raster = {whole, width, height, 0};
        picture_draw(&picture, &raster);
        assert_memory_equal(shown, whole, (size_t)width * (size_t)height * sizeof *whole);
        assert_int_equal(shown[(size_t)width * (size_t)height], 0xffffffff);
        free(whole);
    }
}

static void none(void **state)
{
    struct screen screen;
    const char *why = "";

    (void)state;
    play_begin();
    assert_false(screen_open(&screen, &firmware, &why));
    assert_string_equal(why, "there is no graphics screen");
    screen_of(640, 479, on_console);
    assert_false(screen_open(&screen, &firmware, &why));
    assert_string_equal(why, "the screen is smaller than 640 x 480 pixels, or of no size");
    screen_of(1u << 31, 1u << 31, elsewhere);
    assert_false(screen_open(&screen, &firmware, &why));
    screen_of(1024, 768, on_console);
    mode.Info = NULL;
    assert_false(screen_open(&screen, &firmware, &why));
    graphics.Mode = NULL;
    assert_false(screen_open(&screen, &firmware, &why));
    assert_null(screen.output);
    assert_int_equal(pool_taken, 0);
}

/* Little memory: fewer rows at a time. None: told. */
static void little_memory(void **state)
{
    struct screen screen;
    const char *why = "";

    (void)state;
    screen_of(1024, 768, on_console);
    pool_left = 5 * 1024 * sizeof(uint32_t);
    assert_true(screen_open(&screen, &firmware, &why));
    assert_int_equal(screen.rows, 5);
    picture_make(&picture, &notebook, 0, 1024, 768, "foot");
    assert_int_equal(screen_draw(&screen, &picture), EFI_SUCCESS);
    assert_int_equal(blts, (768 + 4) / 5);
    screen_close(&screen);
    pool_left = 1000;
    assert_false(screen_open(&screen, &firmware, &why));
    assert_string_equal(why, "no memory is left to draw in");
    assert_int_equal(pool_taken, 0);
}

static void failing(void **state)
{
    struct screen screen;
    const char *why = "";

    (void)state;
    screen_of(1024, 768, on_console);
    assert_true(screen_open(&screen, &firmware, &why));
    picture_make(&picture, &notebook, 0, 1024, 768, "foot");
    fail_after = 3;
    assert_true(screen_draw(&screen, &picture) == EFI_DEVICE_ERROR);
    assert_int_equal(blts, 4); /* nothing is tried after that */
    screen_close(&screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(none), cmocka_unit_test(little_memory),
                                       cmocka_unit_test(failing)};

    shown = malloc(MOST * sizeof *shown);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(shown);
    return failed;
}
