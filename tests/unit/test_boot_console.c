// SPDX-License-Identifier: BSD-2-Clause
/* test_boot_console.c: screens and serial ports behind a firmware: what each is told, and that a screen is left as it
 * was found. */
#include "boot/console.h"
#include "tests/unit/played_firmware.h"
#include <stdio.h>

static const EFI_GUID path_guid = DEVICE_PATH_PROTOCOL, text_guid = SIMPLE_TEXT_OUTPUT_PROTOCOL,
                      out_guid = {0xd3b36f2c, 0xd551, 0x11d4, {0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}},
                      in_guid = {0xd3b36f2b, 0xd551, 0x11d4, {0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};

/* A text device; `said` is what it was told, block characters as + (whole) and - (light). */
struct device {
    SIMPLE_TEXT_OUTPUT_INTERFACE text;
    SIMPLE_TEXT_OUTPUT_MODE mode;
    unsigned modes[6][2]; /* columns, rows; 0: not supported */
    char said[4096];
    size_t used;
    unsigned controls; /* calls that a serial terminal turns into escape sequences */
    bool no_blocks;
    unsigned failing; /* the next so many characters end in an error, but are taken */
};

static struct device monitor, port;
static const uint8_t uart_path[] = {2, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 14, 4, 0, 0x7f, 0xff, 4, 0};
static const uint8_t other_path[] = {2, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 4, 0};

static EFI_STATUS EFIAPI play_output(SIMPLE_TEXT_OUTPUT_INTERFACE *this, CHAR16 *string)
{
    struct device *device = (struct device *)this;

    for (; *string; string++) {
        char seen = *string == 0x2588 ? '+' : *string == 0x2591 ? '-' : *string < 128 ? (char)*string : '!';
        assert_true(device->used + 1 < sizeof device->said);
        device->said[device->used++] = seen;
        device->said[device->used] = '\0';
        if (device->failing > 0) {
            device->failing--;
            return EFI_DEVICE_ERROR;
        }
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_test(SIMPLE_TEXT_OUTPUT_INTERFACE *this, CHAR16 *string)
{
    (void)string;
    return ((struct device *)this)->no_blocks ? EFI_UNSUPPORTED : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_query(SIMPLE_TEXT_OUTPUT_INTERFACE *this, UINTN mode, UINTN *columns, UINTN *rows)
{
    const struct device *device = (struct device *)this;

    if (mode >= 6 || !device->modes[mode][0])
        return EFI_UNSUPPORTED;
    *columns = device->modes[mode][0];
    *rows = device->modes[mode][1];
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_set(SIMPLE_TEXT_OUTPUT_INTERFACE *this, UINTN mode)
{
    struct device *device = (struct device *)this;

    device->controls++;
    if (mode >= 6 || !device->modes[mode][0])
        return EFI_UNSUPPORTED;
    device->mode.Mode = (INT32)mode;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_attribute(SIMPLE_TEXT_OUTPUT_INTERFACE *this, UINTN attribute)
{
    ((struct device *)this)->controls++;
    this->Mode->Attribute = (INT32)attribute;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_clear(SIMPLE_TEXT_OUTPUT_INTERFACE *this)
{
    ((struct device *)this)->controls++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_cursor(SIMPLE_TEXT_OUTPUT_INTERFACE *this, BOOLEAN visible)
{
    ((struct device *)this)->controls++;
    this->Mode->CursorVisible = visible;
    return EFI_SUCCESS;
}

static void device_begin(struct device *device)
{
    static const unsigned modes[6][2] = {{80, 25}, {0, 0}, {100, 31}, {160, 42}, {240, 56}, {128, 40}};

    memset(device, 0, sizeof *device);
    memcpy(device->modes, modes, sizeof modes);
    device->mode = (SIMPLE_TEXT_OUTPUT_MODE){.MaxMode = 6, .Mode = 2, .Attribute = 0x1f, .CursorVisible = TRUE};
    device->text = (SIMPLE_TEXT_OUTPUT_INTERFACE){.OutputString = play_output,
                                                  .TestString = play_test,
                                                  .QueryMode = play_query,
                                                  .SetMode = play_set,
                                                  .SetAttribute = play_attribute,
                                                  .ClearScreen = play_clear,
                                                  .EnableCursor = play_cursor,
                                                  .Mode = &device->mode};
}

static void begin(bool with_monitor, bool with_port)
{
    play_begin();
    device_begin(&monitor);
    device_begin(&port);
    if (with_monitor) {
        play(&monitor, &out_guid, NULL);
        play(&monitor, &text_guid, &monitor.text);
        play(&monitor, &path_guid, (void *)(uintptr_t)other_path);
    }
    if (with_port) {
        play(&port, &out_guid, NULL);
        play(&port, &text_guid, &port.text);
        play(&port, &path_guid, (void *)(uintptr_t)uart_path);
    }
}

static void restored(void **state)
{
    struct console console;
    unsigned columns, rows;

    (void)state;
    begin(true, true);
    console_open(&console, &firmware);
    assert_int_equal(monitor.mode.Mode, 3); /* the largest that can be read */
    assert_int_equal(monitor.mode.Attribute, EFI_TEXT_ATTR(EFI_LIGHTGRAY, EFI_BLACK));
    assert_false(monitor.mode.CursorVisible);
    console_size(&console, &columns, &rows);
    assert_int_equal(columns, 160);
    assert_int_equal(rows, 42);
    console_line(&console, "text");
    console_progress(&console, "progress");
    console_clear(&console);
    console_close(&console);
    assert_int_equal(monitor.mode.Mode, 2);
    assert_int_equal(monitor.mode.Attribute, 0x1f);
    assert_true(monitor.mode.CursorVisible);
    assert_int_equal(pool_taken, 0);
    /* The serial port was never told anything but text. */
    assert_int_equal(port.controls, 0);
    assert_string_equal(port.said, "text\r\nprogress\r\n");
}

/* A shell's text stays: neither mode nor colours change. A mode that is the best already is not set again. */
static void left_alone(void **state)
{
    struct console console;

    (void)state;
    begin(true, false);
    firmware.from_shell = true;
    console_open(&console, &firmware);
    assert_int_equal(monitor.mode.Mode, 2);
    assert_int_equal(monitor.mode.Attribute, 0x1f);
    assert_int_equal(monitor.controls, 1); /* the cursor */
    console_close(&console);
    assert_int_equal(monitor.controls, 2);
    assert_true(monitor.mode.CursorVisible);
    begin(true, false);
    monitor.mode.Mode = 3;
    console_open(&console, &firmware);
    console_close(&console);
    assert_int_equal(monitor.controls, 3 + 2); /* colour, clear, cursor; colour, cursor */
}

static void serial_alone(void **state)
{
    struct console console;
    unsigned columns, rows;

    (void)state;
    begin(false, true);
    console_open(&console, &firmware);
    assert_int_equal(console.screens, 0);
    console_size(&console, &columns, &rows);
    assert_int_equal(columns, 80);
    console_screen_line(&console, "for screens", true);
    console_serial_line(&console, "caf\xe9");
    console_close(&console);
    assert_int_equal(port.controls, 0);
    assert_string_equal(port.said, "caf?\r\n");
}

static void bars(void **state)
{
    struct console console;

    (void)state;
    begin(true, false);
    console_open(&console, &firmware);
    console_screen_line(&console, "a#:b |#: #", true);
    console_screen_line(&console, "a#:b |#: #", false);
    assert_string_equal(monitor.said, "a#:b |+- +\r\na#:b |#: #\r\n");
    monitor.used = 0;
    monitor.no_blocks = true;
    console_screen_line(&console, "a#:b |#: #", true);
    assert_string_equal(monitor.said, "a#:b |#: #\r\n");
    console_close(&console);
}

/* An error does not mean that a character is lost: none is written twice. A port that never recovers is given up. */
static void slow_port(void **state)
{
    struct console console;

    (void)state;
    begin(false, true);
    console_open(&console, &firmware);
    for (unsigned i = 0; i < 20; i++) {
        port.failing = i % 4;
        console_line(&console, "second time");
    }
    for (unsigned i = 0; i < 20; i++)
        assert_memory_equal(port.said + i * 13, "second time\r\n", 13);
    assert_int_equal(port.used, 20 * 13);
    port.failing = UINT32_MAX;
    for (unsigned i = 0; i < 100; i++)
        console_line(&console, "second time");
    assert_in_range(port.used - 20 * 13, 3, 40);
    console_close(&console);
}

static void keyboards(void **state)
{
    static SIMPLE_INPUT_INTERFACE keys;
    struct console console;

    (void)state;
    begin(true, true);
    console_open(&console, &firmware);
    assert_false(console.keyboard); /* there is no input at all */
    system_table.ConIn = &keys;
    console_open(&console, &firmware);
    assert_true(console.keyboard); /* the firmware does not tell: there may be one */
    play(&port, &in_guid, NULL);
    console_open(&console, &firmware);
    assert_false(console.keyboard);
    play(&monitor, &in_guid, NULL);
    console_open(&console, &firmware);
    assert_true(console.keyboard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(restored),     cmocka_unit_test(left_alone),
                                       cmocka_unit_test(serial_alone), cmocka_unit_test(bars),
                                       cmocka_unit_test(slow_port),    cmocka_unit_test(keyboards)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
