// SPDX-License-Identifier: BSD-2-Clause
/* view.c: see view.h. */
#include "boot/view.h"

#include "boot/screen.h"
#include "report/bars.h"

enum { TEXT_SIZE = 256 << 10, WORDS_SIZE = 16 << 10, SERIAL_COLUMNS = 79, ROWS_AROUND = 2 };

struct viewer {
    struct stage *stage;
    const struct run *run;
    struct screen screen;
    struct picture *picture;
    char *words;
    char *table;          /* table and bars, line by line */
    size_t bars;          /* where the bars begin in it */
    unsigned rows, lines; /* of a page of text, of the table */
    unsigned pictures, pages, page;
};

static unsigned count_lines(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Table, and, for a screen of text, bars: below it where all of them fit, else from a new page on. */
static void write_text(struct viewer *viewer, unsigned columns, bool bars)
{
    struct text text = text_in(viewer->table, TEXT_SIZE);
    struct report_sink sink = {.text = &text};
    report_table(&sink, &viewer->run->summary, &viewer->run->notebook, columns);
    viewer->bars = text.length;
    if (bars) {
        unsigned lines = count_lines(viewer->table), pad = 1;
        if (lines + pad + BARS_ROWS * viewer->run->notebook.series_count > viewer->rows)
            pad = viewer->rows - lines % viewer->rows;
        for (; pad > 0; pad--)
            text_char(&text, '\n');
        viewer->bars = text.length;
        report_bars(&sink, &viewer->run->notebook, columns);
    }
    viewer->lines = count_lines(viewer->table);
}

/* Settles what the pages are: pictures first, where they can be drawn, then text. */
static void plan_pages(struct viewer *viewer)
{
    bool graphics = viewer->screen.output != NULL;
    unsigned columns, rows;
    console_size(&viewer->stage->console, &columns, &rows);
    viewer->pictures = 0;
    if (graphics) {
        viewer->pictures = picture_pages(&viewer->run->notebook);
        rows = picture_rows((int)viewer->screen.width, (int)viewer->screen.height);
        columns = picture_columns((int)viewer->screen.width, (int)viewer->screen.height);
    } else {
        rows -= ROWS_AROUND;
        /* No chart goes on on the next page. */
        rows = rows < BARS_ROWS ? BARS_ROWS : rows - rows % BARS_ROWS;
        columns--; /* a line that fills all of them makes some consoles feed twice */
    }
    viewer->rows = rows;
    write_text(viewer, columns < LABEL_SIZE ? columns : LABEL_SIZE - 1, !graphics);
    viewer->pages = viewer->pictures + 1 + (viewer->lines > 0 ? viewer->lines - 1 : 0) / rows;
}

static void each_serial_line(struct viewer *viewer, char *lines)
{
    for (char *line = lines; *line;) {
        char *end = line;
        while (*end && *end != '\n')
            end++;
        bool more = *end != '\0';
        *end = '\0';
        console_serial_line(&viewer->stage->console, line);
        line = end + more;
    }
}

/* Who hears the serial line sees no picture. */
static void tell_words(struct viewer *viewer)
{
    struct text words = text_in(viewer->words, WORDS_SIZE);
    struct report_sink sink = {.text = &words};
    text_format(&words, "screen page %u of %u, %u x %u pixels\n", viewer->page + 1, viewer->pages, viewer->screen.width,
                viewer->screen.height);
    picture_words(&sink, viewer->picture);
    each_serial_line(viewer, viewer->words);
}

static void foot_text(const struct viewer *viewer, struct text *foot)
{
    text_format(foot, "%u of %u   space, right: next   left: back   q: back to the firmware", viewer->page + 1,
                viewer->pages);
}

static EFI_STATUS show_picture(struct viewer *viewer)
{
    char buffer[96];
    struct text foot = text_in(buffer, sizeof buffer);
    int width = (int)viewer->screen.width, height = (int)viewer->screen.height;
    foot_text(viewer, &foot);
    if (viewer->page < viewer->pictures)
        picture_make(viewer->picture, &viewer->run->notebook, viewer->page, width, height, foot.at);
    else
        picture_make_lines(viewer->picture, viewer->table, (viewer->page - viewer->pictures) * viewer->rows, width,
                           height, foot.at);
    EFI_STATUS status = screen_draw(&viewer->screen, viewer->picture);
    if (!EFI_ERROR(status))
        tell_words(viewer);
    return status;
}

static void show_text(struct viewer *viewer)
{
    char buffer[LABEL_SIZE];
    struct text line = text_in(buffer, sizeof buffer);
    unsigned number = 0, first = viewer->page * viewer->rows;
    console_clear(&viewer->stage->console);
    for (size_t i = 0; viewer->table[i] && number < first + viewer->rows; i++) {
        if (viewer->table[i] != '\n') {
            text_char(&line, viewer->table[i]);
            continue;
        }
        if (number++ >= first)
            console_screen_line(&viewer->stage->console, line.at, i >= viewer->bars);
        line = text_in(buffer, sizeof buffer);
    }
    line = text_in(buffer, sizeof buffer);
    foot_text(viewer, &line);
    console_screen_line(&viewer->stage->console, line.at, false);
}

/* A page in graphics, or, when the firmware cannot draw, from now on in text. */
static void show(struct viewer *viewer)
{
    if (viewer->screen.output) {
        EFI_STATUS status = show_picture(viewer);
        if (!EFI_ERROR(status))
            return;
        screen_close(&viewer->screen);
        console_clear(&viewer->stage->console);
        say(viewer->stage, "The firmware cannot draw pictures (%s): text follows.", firmware_status(status));
        viewer->page = 0;
        plan_pages(viewer);
    }
    show_text(viewer);
}

/* False: no key ever comes, the first page stays. */
static bool turn_pages(struct viewer *viewer)
{
    struct console *console = &viewer->stage->console;
    console_drop_keys(console);
    console_serial_line(console,
                        "Press space or right for the next page on the screen, left for the one before, q to go "
                        "back to the firmware.");
    for (;;) {
        show(viewer);
        char key = console_wait(console, 0);
        if (key == KEY_NONE)
            return false;
        if (key == 'q' || key == KEY_ESCAPE)
            break;
        if (key == KEY_LEFT)
            viewer->page += viewer->pages - 1;
        else
            viewer->page++;
        viewer->page %= viewer->pages;
    }
    console_clear(console);
    return true;
}

/* Below the table on the console that nobody turns pages of. */
static void write_bars(struct viewer *viewer)
{
    struct text text = text_in(viewer->table, TEXT_SIZE);
    struct report_sink sink = {.text = &text};
    char *line = viewer->table;
    report_bars(&sink, &viewer->run->notebook, SERIAL_COLUMNS);
    for (char *at = line; *at; at++) {
        if (*at != '\n')
            continue;
        *at = '\0';
        console_screen_line(&viewer->stage->console, line, true);
        console_serial_line(&viewer->stage->console, line);
        line = at + 1;
    }
}

bool view(struct stage *stage, const struct run *run, bool wait)
{
    struct viewer viewer = {.stage = stage, .run = run};
    const struct firmware *firmware = stage->firmware;
    const char *why = "not wanted";
    bool graphics = !run->options.no_pictures && screen_open(&viewer.screen, firmware, &why), shown = false;
    viewer.table = firmware_allocate(firmware, TEXT_SIZE);
    viewer.words = firmware_allocate(firmware, WORDS_SIZE);
    viewer.picture = firmware_allocate(firmware, sizeof *viewer.picture);
    if (!viewer.table || !viewer.words || !viewer.picture) {
        say(stage, "Nothing more is shown on the screen: no memory is left.");
    } else {
        if (!graphics)
            say(stage, "No pictures: %s.", why);
        if (wait && stage->console.screens > 0) {
            plan_pages(&viewer);
            shown = turn_pages(&viewer);
        } else if (!graphics) {
            write_bars(&viewer);
        }
    }
    if (graphics)
        screen_close(&viewer.screen);
    firmware_free(firmware, viewer.picture);
    firmware_free(firmware, viewer.words);
    firmware_free(firmware, viewer.table);
    return shown;
}
