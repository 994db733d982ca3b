// SPDX-License-Identifier: BSD-2-Clause
/* console.c: see console.h. */
#include "boot/console.h"

static const EFI_GUID device_path_guid = DEVICE_PATH_PROTOCOL;
static const EFI_GUID text_output_guid = SIMPLE_TEXT_OUTPUT_PROTOCOL;
/* Marks the devices that the console consists of: EDK II's name for it, and so every PC firmware's today. */
static const EFI_GUID console_out_device_guid = {
    0xd3b36f2c, 0xd551, 0x11d4, {0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};

enum {
    NODE_MESSAGING = 3,
    NODE_UART = 14,
    NODE_END = 0x7f,
    MOST_NODES = 64,
    KEY_ESCAPE = 0x17,
    MOST_TRIES = 10,
    LONG_WAIT_MS = 50
};

/* Whether a device path leads through a serial port. */
static bool through_serial_port(const EFI_DEVICE_PATH *path)
{
    const uint8_t *node = (const uint8_t *)path;
    for (unsigned i = 0; node && i < MOST_NODES && (node[0] & 0x7f) != NODE_END; i++) {
        size_t length = (size_t)node[2] | (size_t)node[3] << 8;
        if (node[0] == NODE_MESSAGING && node[1] == NODE_UART)
            return true;
        if (length < 4)
            break;
        node += length;
    }
    return false;
}

static void find_devices(struct console *console)
{
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(console->firmware, &console_out_device_guid, &count);
    for (UINTN i = 0; i < count; i++) {
        SIMPLE_TEXT_OUTPUT_INTERFACE *device = firmware_protocol(console->firmware, handles[i], &text_output_guid);
        if (!device || device == console->out)
            continue;
        if (through_serial_port(firmware_protocol(console->firmware, handles[i], &device_path_guid))) {
            if (console->serials < MAX_SCREENS)
                console->serial[console->serials++] = device;
        } else if (console->screens < MAX_SCREENS) {
            console->screen[console->screens++] = device;
        }
    }
    firmware_free(console->firmware, handles);
    if (console->screens + console->serials == 0 && console->out)
        console->screen[console->screens++] = console->out;
}

void console_open(struct console *console, const struct firmware *firmware)
{
    __builtin_memset(console, 0, sizeof *console);
    console->firmware = firmware;
    console->out = firmware->table->ConOut;
    console->in = firmware->table->ConIn;
    find_devices(console);
    if (console->out && !firmware->from_shell) {
        console->out->SetAttribute(console->out, EFI_TEXT_ATTR(EFI_LIGHTGRAY, EFI_BLACK));
        console->out->ClearScreen(console->out);
    }
    if (console->out)
        console->out->EnableCursor(console->out, FALSE);
}

/* Writes text to one device, piece by piece, without a newline. Returns the number of characters. */
static size_t put(SIMPLE_TEXT_OUTPUT_INTERFACE *device, const char *text, size_t most)
{
    CHAR16 piece[65];
    size_t length = 0;
    while (length < most && text[length]) {
        size_t used = 0;
        while (used < 64 && length < most && text[length]) {
            char character = text[length++];
            piece[used++] = character >= ' ' && character <= '~' ? (CHAR16)character : '?';
        }
        piece[used] = 0;
        device->OutputString(device, piece);
    }
    return length;
}

static void control(SIMPLE_TEXT_OUTPUT_INTERFACE *device, const char *characters)
{
    CHAR16 wide[4];
    firmware_text(wide, 4, characters);
    device->OutputString(device, wide);
}

/* Columns that can be written on a device without its going to the next row. */
static size_t width(SIMPLE_TEXT_OUTPUT_INTERFACE *device)
{
    UINTN columns = 0, rows = 0;
    if (!device->Mode || EFI_ERROR(device->QueryMode(device, (UINTN)device->Mode->Mode, &columns, &rows)))
        columns = 80;
    return columns > 8 ? columns - 1 : 79;
}

/* Blanks from where a line ended to the last column: what is left of a longer one goes. */
static void blank(SIMPLE_TEXT_OUTPUT_INTERFACE *device, size_t from)
{
    static const char blanks[] = "                                ";
    size_t left = width(device);
    left = left > from ? left - from : 0;
    while (left) {
        size_t piece = left < sizeof blanks - 1 ? left : sizeof blanks - 1;
        left -= put(device, blanks, piece);
    }
}

static void remove_progress(struct console *console)
{
    if (!console->drawn)
        return;
    console->drawn = false;
    for (unsigned i = 0; i < console->screens; i++) {
        control(console->screen[i], "\r");
        blank(console->screen[i], 0);
        control(console->screen[i], "\r");
    }
}

void console_close(struct console *console)
{
    remove_progress(console);
    if (console->out)
        console->out->EnableCursor(console->out, TRUE);
}

/* Writes a character to a serial port. The firmware drops what a slow listener does not take in time and says so: it is
 * tried again, unless the port took nothing the last time or the firmware itself waited long before it gave up. */
static bool put_character(struct console *console, unsigned port, CHAR16 *character)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *device = console->serial[port];
    uint64_t start = __builtin_ia32_rdtsc();
    EFI_STATUS status = device->OutputString(device, character);
    uint64_t ticks = __builtin_ia32_rdtsc() - start;
    if (console->ticks_per_ms && ticks > LONG_WAIT_MS * console->ticks_per_ms)
        return !EFI_ERROR(status);
    for (unsigned again = 0; EFI_ERROR(status) && again < MOST_TRIES && !console->stuck[port]; again++)
        status = device->OutputString(device, character);
    return !EFI_ERROR(status);
}

/* Writes a line to a serial port; the rest of a line that gets stuck is dropped. */
static void put_serial(struct console *console, unsigned port, const char *line)
{
    if (console->stuck_lines[port] >= MOST_STUCK)
        return;
    for (size_t i = 0; i == 0 || line[i - 1]; i++) {
        CHAR16 piece[3] = {line[i] >= ' ' && line[i] <= '~' ? (CHAR16)line[i] : '?', 0, 0};
        if (!line[i])
            firmware_text(piece, 3, "\r\n");
        console->stuck[port] = !put_character(console, port, piece);
        if (console->stuck[port])
            break;
    }
    console->stuck_lines[port] = console->stuck[port] ? console->stuck_lines[port] + 1 : 0;
    /* Not more than once for each port: from now on it is passed over. */
    if (console->stuck_lines[port] == MOST_STUCK)
        console_line(console, "A serial port takes no text: nothing more is written there.");
}

void console_line(struct console *console, const char *line)
{
    remove_progress(console);
    for (unsigned i = 0; i < console->screens; i++) {
        put(console->screen[i], line, SIZE_MAX);
        control(console->screen[i], "\r\n");
    }
    for (unsigned i = 0; i < console->serials; i++)
        put_serial(console, i, line);
}

void console_progress(struct console *console, const char *line)
{
    if (console->plain) {
        console_line(console, line);
        return;
    }
    for (unsigned i = 0; i < console->screens; i++) {
        control(console->screen[i], "\r");
        blank(console->screen[i], put(console->screen[i], line, width(console->screen[i])));
        console->drawn = true;
    }
    for (unsigned i = 0; i < console->serials; i++)
        put_serial(console, i, line);
}

char console_key(struct console *console)
{
    EFI_INPUT_KEY key = {0, 0};
    if (!console->in || EFI_ERROR(console->in->ReadKeyStroke(console->in, &key)))
        return 0;
    if (key.UnicodeChar >= 'A' && key.UnicodeChar <= 'Z')
        return (char)(key.UnicodeChar - 'A' + 'a');
    if (key.ScanCode == KEY_ESCAPE || key.UnicodeChar == 27)
        return 27;
    return key.UnicodeChar >= ' ' && key.UnicodeChar <= '~' ? (char)key.UnicodeChar : 1;
}

void console_drop_keys(struct console *console)
{
    char key;
    do
        key = console_key(console);
    while (key);
}

bool console_wait(struct console *console, unsigned milliseconds)
{
    EFI_BOOT_SERVICES *boot = console->firmware->boot;
    EFI_EVENT events[2] = {NULL, NULL};
    UINTN count = 1, which = 0;
    if (!console->in)
        return false;
    events[0] = console->in->WaitForKey;
    if (milliseconds) {
        if (EFI_ERROR(boot->CreateEvent(EVT_TIMER, 0, NULL, NULL, &events[1])))
            return false;
        boot->SetTimer(events[1], TimerRelative, (UINT64)milliseconds * 10000);
        count = 2;
    }
    char key = 0;
    /* A device may wake the waiter for half a key (a modifier): look again until the time is over. */
    while (!key && !EFI_ERROR(boot->WaitForEvent(count, events, &which)) && which == 0)
        key = console_key(console);
    if (milliseconds)
        boot->CloseEvent(events[1]);
    return key != 0;
}
