// SPDX-License-Identifier: BSD-2-Clause
/* test_boot_view.c: the end of a run and the menu, with keys from a script: pages of pictures, of text where drawing
 * fails or there is nothing to draw on, and nothing that waits where nobody sits. */
#include "boot/menu.h"
#include "boot/view.h"
#include "tests/unit/played_firmware.h"
#include <stdio.h>

static const EFI_GUID path_guid = DEVICE_PATH_PROTOCOL, text_guid = SIMPLE_TEXT_OUTPUT_PROTOCOL,
                      graphics_guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID,
                      out_guid = {0xd3b36f2c, 0xd551, 0x11d4, {0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};
static const uint8_t uart_path[] = {3, 14, 4, 0, 0x7f, 0xff, 4, 0}, other_path[] = {2, 1, 4, 0, 0x7f, 0xff, 4, 0};

struct device {
    SIMPLE_TEXT_OUTPUT_INTERFACE text;
    SIMPLE_TEXT_OUTPUT_MODE mode;
    char said[1 << 16];
    size_t used;
    unsigned clears;
};

static struct device monitor, port;
static EFI_GRAPHICS_OUTPUT_MODE_INFORMATION information = {.HorizontalResolution = 800, .VerticalResolution = 600};
static EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE mode = {.Info = &information};
static EFI_GRAPHICS_OUTPUT_PROTOCOL graphics = {.Mode = &mode};
static unsigned blts, fail_after;
static SIMPLE_INPUT_INTERFACE input;
static const char *keys; /* what will be pressed: > and < are the arrows, . lets a second pass; then nothing ever */
static struct stage stage;
static struct run run;

static EFI_STATUS EFIAPI play_output(SIMPLE_TEXT_OUTPUT_INTERFACE *this, CHAR16 *string)
{
    struct device *device = (struct device *)this;

    for (; *string; string++) {
        assert_true(device->used + 1 < sizeof device->said);
        device->said[device->used++] = *string < 128 ? (char)*string : '@';
        device->said[device->used] = '\0';
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_test(SIMPLE_TEXT_OUTPUT_INTERFACE *this, CHAR16 *string)
{
    (void)this, (void)string;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_query(SIMPLE_TEXT_OUTPUT_INTERFACE *this, UINTN number, UINTN *columns, UINTN *rows)
{
    (void)this, (void)number;
    *columns = 80;
    *rows = 25;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_set(SIMPLE_TEXT_OUTPUT_INTERFACE *this, UINTN number)
{
    (void)this, (void)number;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_clear(SIMPLE_TEXT_OUTPUT_INTERFACE *this)
{
    ((struct device *)this)->clears++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_cursor(SIMPLE_TEXT_OUTPUT_INTERFACE *this, BOOLEAN visible)
{
    (void)this, (void)visible;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_blt(EFI_GRAPHICS_OUTPUT_PROTOCOL *this, EFI_GRAPHICS_OUTPUT_BLT_PIXEL *buffer,
                                  EFI_GRAPHICS_OUTPUT_BLT_OPERATION operation, UINTN from_x, UINTN from_y, UINTN x,
                                  UINTN y, UINTN width, UINTN height, UINTN delta)
{
    (void)this, (void)buffer, (void)operation, (void)from_x, (void)from_y, (void)x, (void)y, (void)width, (void)height;
    (void)delta;
    return ++blts > fail_after ? EFI_UNSUPPORTED : EFI_SUCCESS;
}

/* Keys do not wait before they are waited for. */
static bool pressed;

static EFI_STATUS EFIAPI play_key(SIMPLE_INPUT_INTERFACE *this, EFI_INPUT_KEY *key)
{
    (void)this;
    if (!pressed)
        return EFI_NOT_READY;
    pressed = false;
    *key = (EFI_INPUT_KEY){0, 0};
    if (*keys == '<' || *keys == '>')
        key->ScanCode = *keys == '<' ? SCAN_LEFT : SCAN_RIGHT;
    else
        key->UnicodeChar = (CHAR16)*keys;
    keys++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_wait(UINTN count, EFI_EVENT *events, UINTN *which)
{
    (void)events;
    *which = 0;
    if (*keys == '\0' && count == 1)
        return EFI_UNSUPPORTED;
    if (*keys == '.' || *keys == '\0') {
        keys += *keys == '.';
        *which = 1;
        return EFI_SUCCESS;
    }
    pressed = true;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_event(UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify, VOID *context,
                                    EFI_EVENT *event)
{
    (void)type, (void)level, (void)notify, (void)context;
    *event = &run;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_timer(EFI_EVENT event, EFI_TIMER_DELAY type, UINT64 time)
{
    (void)event, (void)type;
    assert_int_equal(time, 10000000); /* a second */
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_close(EFI_EVENT event)
{
    (void)event;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_attribute(SIMPLE_TEXT_OUTPUT_INTERFACE *this, UINTN attribute)
{
    return play_set(this, attribute);
}

/* What the stage is asked for here is its console. */
void stage_line(struct stage *at, const char *line)
{
    console_line(&at->console, line);
}

void stage_progress(struct stage *at, const char *line)
{
    console_progress(&at->console, line);
}

const char *stage_why(struct stage *at)
{
    (void)at;
    return "nothing is stored";
}

bool stage_file_begin(struct stage *at, const char *name)
{
    (void)at, (void)name;
    return false;
}

bool stage_file_write(struct stage *at, const void *bytes, size_t length)
{
    (void)at, (void)bytes, (void)length;
    return false;
}

bool stage_file_end(struct stage *at)
{
    (void)at;
    return false;
}

bool stage_files_commit(struct stage *at)
{
    (void)at;
    return false;
}

bool stage_summary_read(struct stage *at, void *buffer, size_t *size)
{
    (void)at, (void)buffer, (void)size;
    return false;
}

bool stage_summary_write(struct stage *at, const void *bytes, size_t size)
{
    (void)at, (void)bytes, (void)size;
    return false;
}

bool stage_read(struct stage *at, const char *path, char *buffer, size_t size, size_t *length)
{
    (void)at, (void)path, (void)buffer, (void)size, (void)length;
    return false;
}

/* The probes of this test. */
const struct probe probe_list[] = {{"one", "the first", "one.size", NULL, 1000, true, NULL, false, false},
                                   {"two", "the second", "two.size", NULL, 1000, false, NULL, false, false}};
const unsigned probe_count = 2;

static void device_begin(struct device *device, const uint8_t *path)
{
    memset(device, 0, sizeof *device);
    device->mode.MaxMode = 1;
    device->text = (SIMPLE_TEXT_OUTPUT_INTERFACE){.OutputString = play_output,
                                                  .TestString = play_test,
                                                  .QueryMode = play_query,
                                                  .SetMode = play_set,
                                                  .SetAttribute = play_attribute,
                                                  .ClearScreen = play_clear,
                                                  .EnableCursor = play_cursor,
                                                  .Mode = &device->mode};
    play(device, &out_guid, NULL);
    play(device, &text_guid, &device->text);
    play(device, &path_guid, (void *)(uintptr_t)path);
}

static void begin(bool with_graphics, const char *script)
{
    struct series *series;

    play_begin();
    boot_services.WaitForEvent = play_wait;
    boot_services.CreateEvent = play_event;
    boot_services.SetTimer = play_timer;
    boot_services.CloseEvent = play_close;
    keys = script;
    pressed = false;
    blts = 0;
    fail_after = UINT32_MAX;
    graphics.Blt = play_blt;
    input.ReadKeyStroke = play_key;
    system_table.ConIn = &input;
    device_begin(&monitor, other_path);
    device_begin(&port, uart_path);
    if (with_graphics)
        play(&graphics, &graphics_guid, &graphics);
    memset(&stage, 0, sizeof stage);
    stage.firmware = &firmware;
    console_open(&stage.console, &firmware);
    monitor.clears = 0;
    memset(&run, 0, sizeof run);
    run.summary = (struct run_summary){
        .vendor = "v", .brand = "A CPU", .board = "", .hypervisor = "", .note = "", .mode = "borrowed"};
    for (unsigned i = 0; i < 30; i++) {
        char id[28];
        snprintf(id, sizeof id, "l%u.size%u", i % 3 + 1, i);
        note_value(&run.notebook, id, 1024, "bytes", 0.99, 1, "");
    }
    series = note_series(&run.notebook, "latency.4k", "bytes", "cycles");
    for (unsigned i = 0; i < 8; i++)
        note_point(&run.notebook, series, (struct point){1024 << i, 4 + i, 4 + i, 5 + i});
}

static unsigned times(const char *text, const char *wanted)
{
    unsigned count = 0;

    for (; (text = strstr(text, wanted)) != NULL; text++)
        count++;
    return count;
}

static void turning(void **state)
{
    (void)state;
    begin(true, ">> <<<x<q");
    assert_true(view(&stage, &run, true));
    /* Three pages: 1 2 3 1 3 2 1 2 1. */
    assert_int_equal(times(port.said, "screen page 1 of 3, 800 x 600 pixels\r\n"), 4);
    assert_int_equal(times(port.said, "screen page 2 of 3, 800 x 600 pixels\r\n"), 3);
    assert_int_equal(times(port.said, "screen page 3 of 3, 800 x 600 pixels\r\n"), 2);
    assert_int_equal(times(port.said, "screen x axis: 1 KB | "), 3);
    assert_non_null(strstr(port.said, "Press space or right"));
    assert_int_equal(blts, 9 * ((600 + 31) / 32));
    assert_int_equal(monitor.used, 0);
    assert_int_equal(monitor.clears, 1); /* the pictures go when the firmware has the screen again */
    assert_int_equal(pool_taken, 0);
}

/* The firmware stops drawing in the middle of the second page. */
static void failing(void **state)
{
    (void)state;
    begin(true, "> >q");
    fail_after = 25;
    assert_true(view(&stage, &run, true));
    assert_non_null(strstr(port.said, "The firmware cannot draw pictures (not supported): text follows.\r\n"));
    assert_int_equal(times(port.said, "screen page"), 1);
    assert_int_equal(blts, 26);
    assert_non_null(strstr(monitor.said, "finding             value"));
    assert_true(strstr(monitor.said, "1 of 3   space, right: next") < strstr(monitor.said, "2 of 3   space"));
    assert_non_null(strstr(monitor.said, "2 of 3   space, right: next"));
    assert_non_null(strstr(monitor.said, "3 of 3   space, right: next"));
    assert_int_equal(times(monitor.said, "latency.4k"), 1);
    assert_true(times(monitor.said, "@@@") > 0);
    assert_int_equal(pool_taken, 0);
}

static void text_alone(void **state)
{
    (void)state;
    begin(false, "\x1b");
    assert_true(view(&stage, &run, true));
    assert_non_null(strstr(port.said, "No pictures: there is no graphics screen.\r\n"));
    assert_null(strstr(port.said, "finding"));
    assert_non_null(strstr(monitor.said, "1 of 3"));
    begin(true, "q");
    run.options.no_pictures = true;
    assert_true(view(&stage, &run, true));
    assert_int_equal(blts, 0);
    assert_non_null(strstr(monitor.said, "1 of 3"));
    assert_int_equal(pool_taken, 0);
}

/* Nobody waits: no page, and bars only where there is no graphics. */
static void unattended(void **state)
{
    (void)state;
    begin(true, "qqq");
    assert_false(view(&stage, &run, false));
    assert_int_equal(blts + port.used + monitor.used, 0);
    begin(false, "qqq");
    assert_false(view(&stage, &run, false));
    assert_int_equal(times(port.said, "latency.4k                    |"), 1);
    assert_int_equal(times(monitor.said, "latency.4k                    |"), 1);
    assert_non_null(strstr(monitor.said, "@@@"));
    assert_non_null(strstr(port.said, "|:::"));
    /* A screen, but no key will ever come: the first page stays, and who called waits in its own way. */
    begin(true, "");
    assert_false(view(&stage, &run, true));
    assert_int_equal(times(port.said, "screen page 1 of 3"), 1);
    assert_int_equal(monitor.clears, 0);
    pool_left = 1000;
    assert_false(view(&stage, &run, true));
    assert_int_equal(pool_taken, 0);
}

static struct options chosen(const char *script, bool runs)
{
    struct options options;

    begin(false, script);
    options_default(&options);
    assert_int_equal(menu(&stage, &options), runs);
    return options;
}

static void choices(void **state)
{
    (void)state;
    assert_string_equal(chosen(".....", true).probes, "");
    assert_int_equal(times(port.said, " s; any key stops the clock."), 5);
    assert_false(chosen("x\r", true).quick);
    assert_int_equal(times(port.said, " s; any key stops the clock."), 1);
    assert_false(chosen("1", true).quick);
    assert_true(chosen("..2", true).quick);
    assert_string_equal(chosen("32", true).probes, "two");
    assert_string_equal(chosen("393x31", true).probes, "one");
    assert_int_equal(chosen("5", false).after, AFTER_RESET);
    assert_int_equal(chosen("z07446", false).after, AFTER_RETURN);
    assert_int_equal(times(port.said, "No summary of an earlier run: nothing is stored"), 2);
    /* The keyboard goes away. */
    assert_string_equal(chosen("x", true).probes, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(turning), cmocka_unit_test(failing),
                                       cmocka_unit_test(text_alone), cmocka_unit_test(unattended),
                                       cmocka_unit_test(choices)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
