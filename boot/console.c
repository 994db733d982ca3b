// SPDX-License-Identifier: BSD-2-Clause
/* console.c: see console.h. */
#include "boot/console.h"

static const EFI_GUID device_path_guid = DEVICE_PATH_PROTOCOL;
static const EFI_GUID text_output_guid = SIMPLE_TEXT_OUTPUT_PROTOCOL;
/* Marks the devices that the console consists of: EDK II's name for it, and so every PC firmware's today; the next one
 * those that keys come from. */
static const EFI_GUID console_out_device_guid = {
    0xd3b36f2c, 0xd551, 0x11d4, {0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};
static const EFI_GUID console_in_device_guid = {
    0xd3b36f2b, 0xd551, 0x11d4, {0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};

enum {
    NODE_MESSAGING = 3,
    NODE_UART = 14,
    NODE_END = 0x7f,
    MOST_NODES = 64,
    MOST_FAILED = 12,
    PAUSE_MS = 20,
    LONG_WAIT_MS = 50,
    /* Longer lines, and more of them, no eye follows. */
    MOST_COLUMNS = 160,
    MOST_ROWS = 80
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

/* Whether somebody can press a key on something else than a serial line. */
static bool find_keyboard(const struct console *console)
{
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(console->firmware, &console_in_device_guid, &count);
    bool found = console->in && !handles;
    for (UINTN i = 0; handles && i < count; i++) {
        /* The console itself stands for all of its devices, and is none: it has no path. */
        const EFI_DEVICE_PATH *path = firmware_protocol(console->firmware, handles[i], &device_path_guid);
        if (path && !through_serial_port(path))
            found = true;
    }
    firmware_free(console->firmware, handles);
    return found;
}

static bool mode_size(SIMPLE_TEXT_OUTPUT_INTERFACE *device, UINTN mode, unsigned *columns, unsigned *rows)
{
    UINTN wide = 0, high = 0;
    if (EFI_ERROR(device->QueryMode(device, mode, &wide, &high)) || wide < 40 || high < 4 || wide > 1000 || high > 1000)
        return false;
    *columns = (unsigned)wide;
    *rows = (unsigned)high;
    return true;
}

/* The mode with the most room. */
static UINTN best_mode(SIMPLE_TEXT_OUTPUT_INTERFACE *device)
{
    UINTN best = (UINTN)device->Mode->Mode;
    unsigned columns, rows, most = 0;
    for (UINTN mode = 0; mode < (UINTN)device->Mode->MaxMode; mode++) {
        if (!mode_size(device, mode, &columns, &rows) || columns > MOST_COLUMNS || rows > MOST_ROWS ||
            columns * rows <= most)
            continue;
        most = columns * rows;
        best = mode;
    }
    return best;
}

static void take_screen(SIMPLE_TEXT_OUTPUT_INTERFACE *device, struct screen_state *found)
{
    UINTN mode;
    if (!device->Mode || device->Mode->Mode < 0)
        return;
    mode = best_mode(device);
    if (mode != (UINTN)found->mode)
        found->set = !EFI_ERROR(device->SetMode(device, mode));
    device->SetAttribute(device, EFI_TEXT_ATTR(EFI_LIGHTGRAY, EFI_BLACK));
    device->ClearScreen(device);
}

void console_open(struct console *console, const struct firmware *firmware)
{
    __builtin_memset(console, 0, sizeof *console);
    console->firmware = firmware;
    console->out = firmware->table->ConOut;
    console->in = firmware->table->ConIn;
    find_devices(console);
    console->keyboard = find_keyboard(console);
    for (unsigned i = 0; i < console->screens; i++) {
        SIMPLE_TEXT_OUTPUT_INTERFACE *device = console->screen[i];
        if (device->Mode)
            console->found[i] =
                (struct screen_state){device->Mode->Mode, device->Mode->Attribute, device->Mode->CursorVisible, false};
        if (!firmware->from_shell)
            take_screen(device, &console->found[i]);
        device->EnableCursor(device, FALSE);
    }
}

void console_size(const struct console *console, unsigned *columns, unsigned *rows)
{
    *columns = *rows = UINT32_MAX;
    for (unsigned i = 0; i < console->screens; i++) {
        SIMPLE_TEXT_OUTPUT_INTERFACE *device = console->screen[i];
        unsigned wide = 80, high = 25;
        if (device->Mode && device->Mode->Mode >= 0)
            mode_size(device, (UINTN)device->Mode->Mode, &wide, &high);
        *columns = wide < *columns ? wide : *columns;
        *rows = high < *rows ? high : *rows;
    }
    if (!console->screens) {
        *columns = 80;
        *rows = 25;
    }
}

void console_clear(struct console *console)
{
    console->drawn = false;
    for (unsigned i = 0; i < console->screens; i++)
        console->screen[i]->ClearScreen(console->screen[i]);
}

/* The block that a character stands for in a line of bars. These two are among the few that every UEFI console has
 * (UEFI 2.10, section 12.4, "Unicode DrawingCharacters"). */
static CHAR16 block(char character)
{
    return character == '#' ? BLOCKELEMENT_FULL_BLOCK : character == ':' ? BLOCKELEMENT_LIGHT_SHADE : (CHAR16)character;
}

static bool has_blocks(SIMPLE_TEXT_OUTPUT_INTERFACE *device)
{
    CHAR16 both[] = {BLOCKELEMENT_FULL_BLOCK, BLOCKELEMENT_LIGHT_SHADE, 0};
    return !EFI_ERROR(device->TestString(device, both));
}

/* Writes text to one device, piece by piece, without a newline; blocks: from the first | on. Returns the number of
 * characters. */
static size_t put(SIMPLE_TEXT_OUTPUT_INTERFACE *device, const char *text, size_t most, bool blocks)
{
    CHAR16 piece[65];
    size_t length = 0;
    bool bars = false;
    while (length < most && text[length]) {
        size_t used = 0;
        while (used < 64 && length < most && text[length]) {
            char character = text[length++];
            piece[used++] = character < ' ' || character > '~' ? '?' : bars ? block(character) : (CHAR16)character;
            bars = bars || (blocks && character == '|');
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
        left -= put(device, blanks, piece, false);
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
    for (unsigned i = 0; i < console->screens; i++) {
        SIMPLE_TEXT_OUTPUT_INTERFACE *device = console->screen[i];
        if (!device->Mode)
            continue;
        if (!console->firmware->from_shell)
            device->SetAttribute(device, (UINTN)console->found[i].attribute);
        if (console->found[i].set)
            device->SetMode(device, (UINTN)console->found[i].mode);
        console->found[i].set = false;
        device->EnableCursor(device, console->found[i].cursor);
    }
}

/* Writes a character to a serial port. An error usually means that a slow listener did not take it in time: it then
 * stands in the driver's queue (EDK II: 16 characters), goes out before the next one, and must not be written again. It
 * gets some time instead. False: the port takes nothing any more. */
static bool put_character(struct console *console, unsigned port, CHAR16 *character)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *device = console->serial[port];
    uint64_t start = __builtin_ia32_rdtsc();
    EFI_STATUS status = device->OutputString(device, character);
    uint64_t ticks = __builtin_ia32_rdtsc() - start;
    if (!EFI_ERROR(status)) {
        console->failed[port] = 0;
        return true;
    }
    if (console->failed[port] < MOST_FAILED)
        console->failed[port]++;
    if (console->failed[port] == MOST_FAILED || (console->ticks_per_ms && ticks > LONG_WAIT_MS * console->ticks_per_ms))
        return false;
    console->firmware->boot->Stall(PAUSE_MS * 1000);
    return true;
}

/* Writes a line to a serial port; the rest of a line that gets stuck is dropped. */
static void put_serial(struct console *console, unsigned port, const char *line)
{
    bool good = true;
    if (console->stuck_lines[port] >= MOST_STUCK)
        return;
    for (size_t i = 0; good && (i == 0 || line[i - 1]); i++) {
        CHAR16 piece[3] = {line[i] >= ' ' && line[i] <= '~' ? (CHAR16)line[i] : '?', 0, 0};
        if (!line[i])
            firmware_text(piece, 3, "\r\n");
        good = put_character(console, port, piece);
    }
    console->stuck_lines[port] = good ? 0 : console->stuck_lines[port] + 1;
    /* Not more than once for each port: from now on it is passed over. */
    if (console->stuck_lines[port] == MOST_STUCK)
        console_line(console, "A serial port takes no text: nothing more is written there.");
}

void console_screen_line(struct console *console, const char *line, bool bars)
{
    remove_progress(console);
    for (unsigned i = 0; i < console->screens; i++) {
        put(console->screen[i], line, SIZE_MAX, bars && has_blocks(console->screen[i]));
        control(console->screen[i], "\r\n");
    }
}

void console_serial_line(struct console *console, const char *line)
{
    for (unsigned i = 0; i < console->serials; i++)
        put_serial(console, i, line);
}

void console_line(struct console *console, const char *line)
{
    console_screen_line(console, line, false);
    console_serial_line(console, line);
}

void console_progress(struct console *console, const char *line)
{
    if (console->plain) {
        console_line(console, line);
        return;
    }
    for (unsigned i = 0; i < console->screens; i++) {
        control(console->screen[i], "\r");
        blank(console->screen[i], put(console->screen[i], line, width(console->screen[i]), false));
        console->drawn = true;
    }
    console_serial_line(console, line);
}

char console_key(struct console *console)
{
    EFI_INPUT_KEY key = {0, 0};
    if (!console->in || EFI_ERROR(console->in->ReadKeyStroke(console->in, &key)))
        return KEY_NONE;
    if (key.UnicodeChar >= 'A' && key.UnicodeChar <= 'Z')
        return (char)(key.UnicodeChar - 'A' + 'a');
    if (key.ScanCode == SCAN_ESC || key.UnicodeChar == KEY_ESCAPE)
        return KEY_ESCAPE;
    if (key.ScanCode == SCAN_LEFT || key.ScanCode == SCAN_RIGHT)
        return key.ScanCode == SCAN_LEFT ? KEY_LEFT : KEY_RIGHT;
    if (key.UnicodeChar == KEY_ENTER)
        return KEY_ENTER;
    return key.UnicodeChar >= ' ' && key.UnicodeChar <= '~' ? (char)key.UnicodeChar : KEY_OTHER;
}

void console_drop_keys(struct console *console)
{
    char key;
    do
        key = console_key(console);
    while (key);
}

char console_wait(struct console *console, unsigned milliseconds)
{
    EFI_BOOT_SERVICES *boot = console->firmware->boot;
    EFI_EVENT events[2] = {NULL, NULL};
    UINTN count = 1, which = 0;
    if (!console->in)
        return KEY_NONE;
    events[0] = console->in->WaitForKey;
    if (milliseconds) {
        if (EFI_ERROR(boot->CreateEvent(EVT_TIMER, 0, NULL, NULL, &events[1])))
            return KEY_NONE;
        boot->SetTimer(events[1], TimerRelative, (UINT64)milliseconds * 10000);
        count = 2;
    }
    char key = KEY_NONE;
    /* A device may wake the waiter for half a key (a modifier): look again until the time is over. */
    while (!key && !EFI_ERROR(boot->WaitForEvent(count, events, &which)) && which == 0)
        key = console_key(console);
    if (milliseconds)
        boot->CloseEvent(events[1]);
    return key;
}
