// SPDX-License-Identifier: BSD-2-Clause
/* test_picture.c: pages for screens of many sizes: words that nothing covers, curves where their values are, the
 * hierarchy, and notebooks with little or nasty things in them. */
#include "report/font.h"
#include "report/picture_parts.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct report_sink {
    char bytes[1 << 15];
    size_t used;
};

bool report_out(struct report_sink *sink, const char *bytes, size_t length)
{
    assert_true(sink->used + length < sizeof sink->bytes);
    memcpy(sink->bytes + sink->used, bytes, length);
    sink->used += length;
    sink->bytes[sink->used] = '\0';
    return true;
}

static struct notebook notebook;
static struct picture picture;
static struct report_sink sink;
static uint32_t *pixel;

static const int sizes[][2] = {{640, 480},   {800, 600},   {1024, 768},  {1280, 800},  {1366, 768},
                               {1920, 1080}, {2560, 1440}, {3840, 2160}, {1050, 1680}, {647, 481}};

enum { SIZES = sizeof sizes / sizeof *sizes };

static void value(const char *id, double number, const char *unit)
{
    note_value(&notebook, id, number, unit, 0.999, 1, "");
}

static double latency_at(double bytes)
{
    return bytes <= 32768 ? 4 : bytes <= 1048576 ? 14 : bytes <= 8388608 ? 46 : 300;
}

static void add_sweep(const char *id, double factor)
{
    struct series *series = note_series(&notebook, id, "bytes", "cycles");

    for (double bytes = 1024; bytes <= 1 << 28; bytes *= 2) {
        double middle = latency_at(bytes) * factor;
        note_point(&notebook, series, (struct point){bytes, middle * 0.9, middle, middle * 1.2});
    }
}

static void usual_notebook(void)
{
    memset(&notebook, 0, sizeof notebook);
    value("l3.size", 8388608, "bytes");
    value("mem.latency", 300, "cycles");
    value("l1d.size", 32768, "bytes");
    value("l1d.ways", 8, "ways");
    value("l1d.line", 64, "bytes");
    value("l1d.latency", 4, "cycles");
    value("l1d.latency.ns", 1.25, "ns");
    value("l2.latency", 14, "cycles");
    note_value(&notebook, "l2.size", 1048576, "bytes", 0.98, 1, "")->agreement = DIFFERS;
    note_missing(&notebook, "l3.ways", "ways", 1, "%0159d", 1);
    value("latency.levels", 4, "");
    value("cpu.tsc", 2e9, "Hz");
    add_sweep("latency.4k", 1.1);
    add_sweep("latency.2m", 1);
    add_sweep("latency.1g", 0.99);
}

static void draw(int rows)
{
    free(pixel);
    pixel = calloc((size_t)picture.width * (size_t)picture.height, sizeof *pixel);
    for (int top = 0; top < picture.height; top += rows) {
        int here = picture.height - top < rows ? picture.height - top : rows;
        struct raster raster = {pixel + (size_t)top * (size_t)picture.width, picture.width, here, top};
        picture_draw(&picture, &raster);
    }
}

static uint32_t at(int x, int y)
{
    return pixel[(size_t)y * (size_t)picture.width + (size_t)x];
}

/* Whether a label's glyphs stand there, with nothing of their colour between them. */
static bool stands(const struct label *label)
{
    int scale = label->scale;

    for (int i = 0; label->text[i]; i++)
        for (int y = 0; y < FONT_HEIGHT * scale; y++)
            for (int x = 0; x < FONT_WIDTH * scale; x++) {
                const uint8_t *rows = font_glyph[label->text[i] - FONT_FIRST];
                bool ink = rows[y / scale] & 0x80 >> x / scale;
                /* Bold strokes reach one pixel further. */
                if (label->bold && !ink && x % scale == 0 && x > 0)
                    ink = rows[y / scale] & 0x80 >> (x / scale - 1);
                if (label->bold && x == 0 && i > 0)
                    ink = font_glyph[label->text[i - 1] - FONT_FIRST][y / scale] & 1;
                if ((at(label->x + i * FONT_WIDTH * scale + x, label->y + y) == label->colour) != ink)
                    return false;
            }
    return true;
}

/* Whether nothing of its colour is within a blank before it or after it. */
static bool stands_free(const struct label *label)
{
    int blank = FONT_WIDTH * label->scale, end = label->x + (int)strlen(label->text) * blank;

    for (int y = label->y; y < label->y + FONT_HEIGHT * label->scale; y++)
        for (int x = 0; x < blank; x++)
            if ((label->x > x && at(label->x - 1 - x, y) == label->colour) ||
                (end + x < picture.width && at(end + x, y) == label->colour))
                return false;
    return true;
}

static void check_labels(void)
{
    for (unsigned i = 0; i < picture.labels; i++) {
        const struct label *label = &picture.label[i];
        int width = (int)strlen(label->text) * FONT_WIDTH * label->scale, height = FONT_HEIGHT * label->scale;
        assert_true(label->text[0] != '\0');
        assert_true(label->x >= 0 && label->y >= 0 && label->x + width <= picture.width &&
                    label->y + height <= picture.height);
        if (!stands(label))
            fail_msg("%d x %d: '%s' is covered", picture.width, picture.height, label->text);
        if (label->role == ROLE_MARK && !stands_free(label))
            fail_msg("%d x %d: '%s' is too near to its line", picture.width, picture.height, label->text);
        for (unsigned j = 0; j < i; j++) {
            const struct label *other = &picture.label[j];
            int other_width = (int)strlen(other->text) * FONT_WIDTH * other->scale;
            if (label->x < other->x + other_width && other->x < label->x + width &&
                label->y < other->y + FONT_HEIGHT * other->scale && other->y < label->y + height)
                fail_msg("%d x %d: '%s' and '%s' overlap", picture.width, picture.height, label->text, other->text);
        }
    }
}

static void every_size(void **state)
{
    (void)state;
    usual_notebook();
    assert_int_equal(picture_pages(&notebook), 2);
    for (unsigned size = 0; size < SIZES; size++)
        for (unsigned page = 0; page < 2; page++) {
            picture_make(&picture, &notebook, page, sizes[size][0], sizes[size][1], "1 of 2   q: back");
            draw(32);
            check_labels();
        }
}

static void pieces(void **state)
{
    size_t bytes = 800 * 600 * sizeof *pixel;
    uint32_t *whole = malloc(bytes);

    (void)state;
    usual_notebook();
    for (unsigned page = 0; page < 2; page++) {
        picture_make(&picture, &notebook, page, 800, 600, "foot");
        draw(600);
        memcpy(whole, pixel, bytes);
        for (int rows = 1; rows < 600; rows += 93) {
            draw(rows);
            assert_memory_equal(pixel, whole, bytes);
        }
    }
    free(whole);
}

static bool has_word(const char *word)
{
    for (unsigned i = 0; i < picture.labels; i++)
        if (strcmp(picture.label[i].text, word) == 0)
            return true;
    return false;
}

static void words(void **state)
{
    static const char *const wanted[] = {"Load latency against footprint",
                                         "4 KB pages",
                                         "2 MB pages",
                                         "1 GB pages",
                                         "shaded: between quartiles",
                                         "1 KB",
                                         "32 KB",
                                         "32 MB",
                                         "10",
                                         "100",
                                         "footprint, bytes (logarithmic)",
                                         "latency of a load, cycles (logarithmic)",
                                         "L1d 32 KB",
                                         "L2 1 MB",
                                         "L3 8 MB",
                                         "L1d 4",
                                         "L2 14",
                                         "memory 300",
                                         "foot"};

    (void)state;
    usual_notebook();
    picture_make(&picture, &notebook, 1, 1280, 800, "foot");
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!has_word(wanted[i]))
            fail_msg("'%s' is not on the page", wanted[i]);
    sink.used = 0;
    assert_true(picture_words(&sink, &picture));
    assert_non_null(strstr(sink.bytes, "screen title: Load latency against footprint\n"));
    assert_non_null(strstr(sink.bytes, "screen legend: 4 KB pages | 2 MB pages | 1 GB pages | shaded: "));
    assert_non_null(strstr(sink.bytes, "\nscreen keys: foot\n"));
    for (unsigned i = 0; i < picture.labels; i++)
        assert_non_null(strstr(sink.bytes, picture.label[i].text));
}

/* The curve goes through its points, in its own colour. */
static void curves(void **state)
{
    (void)state;
    memset(&notebook, 0, sizeof notebook);
    add_sweep("latency.4k", 1);
    picture_make(&picture, &notebook, 1, 1280, 800, "foot");
    draw(32);
    for (double bytes = 1024, step = 0; bytes <= 1 << 28; bytes *= 2) {
        double octave = step++ / 18.0;
        int x = (int)(picture.x.from + (picture.x.to - picture.x.from) * octave);
        int y = (int)picture_place(&picture.y, latency_at(bytes));
        if (bytes > 1024 && bytes < 1 << 28) /* there the frame begins */
            assert_int_equal(at(x, y), curve_colour[0]);
        assert_int_not_equal(at(x - (bytes > 1024), y + 40), curve_colour[0]);
    }
    /* Values further up stand further up; a tenfold of one is as far from it everywhere. */
    assert_true(picture_place(&picture.y, 100) < picture_place(&picture.y, 10));
    assert_true(fabs(picture_place(&picture.y, 100) - picture_place(&picture.y, 10) -
                     (picture_place(&picture.y, 50) - picture_place(&picture.y, 5))) < 1e-6);
}

static bool ends_in_dots(void)
{
    for (unsigned i = 0; i < picture.labels; i++) {
        const char *text = picture.label[i].text;
        if (strlen(text) > 3 && strcmp(text + strlen(text) - 3, "...") == 0)
            return true;
    }
    return false;
}

static void hierarchy(void **state)
{
    (void)state;
    usual_notebook();
    picture_make(&picture, &notebook, 0, 1280, 800, "foot");
    assert_int_equal(picture.levels, 4);
    assert_string_equal(picture.level[0].name, "L1d");
    assert_string_equal(picture.level[1].name, "L2");
    assert_string_equal(picture.level[2].name, "L3");
    assert_string_equal(picture.level[3].name, "memory");
    for (unsigned i = 0; i + 1 < 4; i++) {
        assert_true(picture.box[i][2] < picture.box[i + 1][2]);
        assert_true(picture.box[i][1] + picture.box[i][3] < picture.box[i + 1][1]);
    }
    /* To scale: as many octaves, as much wider. */
    assert_in_range((picture.box[1][2] - picture.box[0][2]) * 3 - (picture.box[2][2] - picture.box[1][2]) * 5 + 20, 0,
                    40);
    assert_true(has_word("32 KB, 8 ways, 64-byte lines"));
    assert_true(has_word("4 cycles, 1.25 ns a load, 99.9 % sure"));
    /* What is too long for two rows ends in dots. */
    picture_make(&picture, &notebook, 0, 640, 480, "foot");
    assert_true(ends_in_dots());
    picture_make(&picture, &notebook, 0, 2500, 1000, "foot");
    assert_false(ends_in_dots());
    draw(32);
    assert_int_not_equal(at(picture.box[0][0] + 9, picture.box[0][1] + 9), COLOUR_PAGE);
    assert_int_equal(at(picture.box[3][0] + 9, picture.box[3][1] + 9), COLOUR_PAGE); /* no size: an empty box */
}

static void nasty(void **state)
{
    const double endless[] = {INFINITY, -INFINITY, NAN, 1e300, -1e300, 0, -5};
    struct series *series;

    (void)state;
    memset(&notebook, 0, sizeof notebook);
    assert_int_equal(picture_pages(&notebook), 1);
    picture_make(&picture, &notebook, 0, 640, 480, "foot");
    draw(32);
    assert_true(has_word("No probe has looked at a cache in this run."));
    for (unsigned i = 0; i < 10; i++) {
        char id[28];
        snprintf(id, sizeof id, "many.%u", i);
        series = note_series(&notebook, id, "", "");
        for (unsigned j = 0; j < (i == 3 ? 1 : 20); j++)
            note_point(&notebook, series, (struct point){j, 1, 2, 3});
    }
    /* Nine of ten have a curve; four go on a page. */
    assert_int_equal(picture_pages(&notebook), 1 + 3);
    series = note_series(&notebook, "nasty.1", "bytes", "cycles");
    for (unsigned i = 0; i < 7; i++)
        note_point(&notebook, series, (struct point){endless[i], endless[(i + 1) % 7], endless[(i + 2) % 7], 1});
    series = note_series(&notebook, "flat.1", "a unit of its", "all the same thing");
    for (unsigned i = 0; i < 5; i++)
        note_point(&notebook, series, (struct point){7, 3, 3, 3});
    value("l1d.size", NAN, "bytes");
    value("l2.size", 0, "bytes");
    for (unsigned i = 1; i <= 9; i++) {
        char id[28];
        snprintf(id, sizeof id, "l%u.size", i);
        value(id, 1024.0 * (1 << i), "bytes");
    }
    assert_int_equal(picture_pages(&notebook), 1 + 3 + 1 + 1);
    for (unsigned page = 0; page < picture_pages(&notebook); page++)
        for (unsigned size = 0; size < 3; size++) {
            picture_make(&picture, &notebook, page, sizes[size][0], sizes[size][1], "foot");
            draw(64);
        }
}

static void lines(void **state)
{
    static char text[4000];
    size_t used = 0;
    unsigned rows = picture_rows(640, 480), columns = picture_columns(640, 480);

    (void)state;
    assert_in_range(rows, 25, 30);
    assert_in_range(columns, 72, 80);
    for (unsigned i = 0; i < rows + 3; i++)
        used += (size_t)sprintf(text + used, "line %u\n", i);
    picture_make_lines(&picture, text, 0, 640, 480, "foot");
    draw(32);
    check_labels();
    assert_int_equal(picture.labels, rows + 1);
    picture_make_lines(&picture, text, rows, 640, 480, "foot");
    draw(32);
    assert_int_equal(picture.labels, 3 + 1);
    snprintf(text, sizeof text, "line %u", rows);
    assert_true(has_word(text));
    for (unsigned i = 0; i < 4 * LABEL_SIZE; i++)
        text[i] = 'W';
    text[4 * LABEL_SIZE] = '\n';
    picture_make_lines(&picture, text, 0, 1920, 1080, "foot");
    draw(32);
    check_labels();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size), cmocka_unit_test(pieces), cmocka_unit_test(words), cmocka_unit_test(curves),
        cmocka_unit_test(hierarchy),  cmocka_unit_test(nasty),  cmocka_unit_test(lines)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    free(pixel);
    return failed;
}
