// SPDX-License-Identifier: BSD-2-Clause
/* test_raster.c: boxes, lines, bands, markers and text, pixel by pixel. */
#include "report/font.h"
#include "report/raster.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 64, HEIGHT = 48, INK = 0x80ff40 };

static uint32_t pixel[WIDTH * HEIGHT], other[WIDTH * HEIGHT];

static struct raster whole(void)
{
    memset(pixel, 0, sizeof pixel);
    return (struct raster){pixel, WIDTH, HEIGHT, 0};
}

static uint32_t at(int x, int y)
{
    return pixel[y * WIDTH + x];
}

static unsigned inked(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        count += pixel[i] != 0;
    return count;
}

static void boxes(void **state)
{
    struct raster raster = whole();

    (void)state;
    raster_box(&raster, 2, 3, 4, 5, INK, 256);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            assert_int_equal(at(x, y), x >= 2 && x < 6 && y >= 3 && y < 8 ? INK : 0);
    /* Over every edge, and far outside: what is inside is drawn, nothing else is touched. */
    raster = whole();
    raster_box(&raster, -10, -10, 12, 13, INK, 256);
    raster_box(&raster, WIDTH - 1, HEIGHT - 2, 100, 100, INK, 256);
    raster_box(&raster, 1000, 1000, 5, 5, INK, 256);
    raster_box(&raster, 5, 5, -3, 4, INK, 256);
    assert_int_equal(inked(), 2 * 3 + 1 * 2);
    /* Half of each: channel by channel. */
    raster = whole();
    raster_box(&raster, 0, 0, 1, 1, 0x204060, 256);
    raster_box(&raster, 0, 0, 1, 1, 0x406080, 128);
    assert_int_equal(at(0, 0), 0x305070);
}

static void frames(void **state)
{
    struct raster raster = whole();

    (void)state;
    raster_frame(&raster, 1, 1, 10, 8, 2, INK);
    assert_int_equal(inked(), 10 * 8 - 6 * 4);
    assert_int_equal(at(3, 3), 0);
    assert_int_equal(at(2, 2), INK);
    assert_int_equal(at(10, 8), INK);
    assert_int_equal(at(11, 8), 0);
}

static void lines(void **state)
{
    struct raster raster = whole();

    (void)state;
    /* Two pixels thick along a border between rows: two whole rows, and nothing besides. */
    raster_line(&raster, (struct spot){4, 10}, (struct spot){20, 10}, 2, INK);
    for (int x = 0; x < WIDTH; x++) {
        assert_int_equal(at(x, 9), x >= 4 && x < 20 ? INK : 0);
        assert_int_equal(at(x, 10), x >= 4 && x < 20 ? INK : 0);
    }
    assert_int_equal(inked(), 32);
    /* The same the other way round, and upright. */
    raster = whole();
    raster_line(&raster, (struct spot){20, 10}, (struct spot){4, 10}, 2, INK);
    assert_int_equal(inked(), 32);
    raster = whole();
    raster_line(&raster, (struct spot){10, 4}, (struct spot){10, 20}, 2, INK);
    assert_int_equal(inked(), 32);
    assert_int_equal(at(9, 4), INK);
    /* A diagonal covers its own pixels whole and is the same on both sides. */
    raster = whole();
    raster_line(&raster, (struct spot){5, 5}, (struct spot){25, 25}, 2, INK);
    for (int i = 6; i < 24; i++) {
        assert_int_equal(at(i, i), INK);
        assert_int_equal(at(i + 1, i), at(i, i + 1));
        assert_int_equal(at(i + 3, i), 0);
    }
    /* No length, no line. */
    raster = whole();
    raster_line(&raster, (struct spot){5, 5}, (struct spot){5, 5}, 2, INK);
    assert_int_equal(inked(), 0);
}

static void bands(void **state)
{
    struct raster raster = whole();
    struct spot low[3] = {{4, 20}, {10, 20}, {16, 20}}, high[3] = {{4, 10}, {10, 10}, {16, 10}};

    (void)state;
    raster_band(&raster, &low[0], &high[0], INK, 256);
    raster_band(&raster, &low[1], &high[1], INK, 256);
    assert_int_equal(inked(), 12 * 10);
    assert_int_equal(at(4, 10), INK);
    assert_int_equal(at(15, 19), INK);
    assert_int_equal(at(16, 19), 0);
    /* Neighbours do not overlap: half of the ink is half of it everywhere. Which of the two is above does not matter.
     */
    raster = whole();
    raster_band(&raster, &high[0], &low[0], 0x808080, 128);
    raster_band(&raster, &high[1], &low[1], 0x808080, 128);
    for (int x = 4; x < 16; x++)
        for (int y = 10; y < 20; y++)
            assert_int_equal(at(x, y), 0x404040);
    /* A border within a pixel covers its part. */
    low[0].y = low[1].y = 20.5;
    raster = whole();
    raster_band(&raster, low, high, 0x808080, 256);
    assert_int_equal(at(5, 20), 0x404040);
}

static void markers(void **state)
{
    unsigned count[MARKERS];

    (void)state;
    for (unsigned marker = 0; marker < MARKERS; marker++) {
        struct raster raster = whole();
        raster_marker(&raster, (enum marker)marker, (struct spot){20, 20}, 5, INK);
        assert_int_equal(at(20, 20), INK);
        assert_int_equal(at(19, 20), INK);
        count[marker] = inked();
        assert_in_range(count[marker], 40, 130);
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < 40; x++)
                assert_int_equal(at(x, y), at(39 - x, y)); /* left as right */
        for (unsigned before = 0; before < marker; before++)
            assert_int_not_equal(count[before], count[marker]);
    }
}

static void letters(void **state)
{
    struct raster raster = whole();
    unsigned set = 0;

    (void)state;
    raster_text(&raster, 3, 5, 1, false, INK, "Ag");
    for (int y = 0; y < FONT_HEIGHT; y++)
        for (int x = 0; x < 2 * FONT_WIDTH; x++) {
            bool ink = font_glyph[(x < FONT_WIDTH ? 'A' : 'g') - FONT_FIRST][y] & 0x80 >> x % FONT_WIDTH;
            assert_int_equal(at(3 + x, 5 + y), ink ? INK : 0);
            set += ink;
        }
    assert_int_equal(inked(), set);
    raster = whole();
    raster_text(&raster, 0, 0, 3, false, INK, "A");
    for (int y = 0; y < 3 * FONT_HEIGHT; y++)
        for (int x = 0; x < 3 * FONT_WIDTH; x++)
            assert_int_equal(at(x, y), font_glyph['A' - FONT_FIRST][y / 3] & 0x80 >> x / 3 ? INK : 0);
    raster = whole();
    raster_text(&raster, 0, 0, 1, false, INK, "\x07\xe9");
    memcpy(other, pixel, sizeof pixel);
    raster = whole();
    raster_text(&raster, 0, 0, 1, false, INK, "??");
    assert_memory_equal(pixel, other, sizeof pixel);
    raster = whole();
    raster_text(&raster, 10, 0, 1, true, INK, "I");
    set = inked();
    raster = whole();
    raster_text(&raster, 10, 0, 1, false, INK, "I");
    assert_true(set > inked());
}

/* Characters differ from each other, stand within their cells, and leave a column to the next one. */
static void font(void **state)
{
    (void)state;
    for (unsigned i = 1; i < FONT_GLYPHS; i++) {
        uint8_t all = 0;
        for (unsigned row = 0; row < FONT_HEIGHT; row++)
            all |= font_glyph[i][row];
        assert_int_not_equal(all, 0);
        assert_int_equal(all & 0x80, 0);
        assert_int_equal(font_glyph[i][0] | font_glyph[i][FONT_HEIGHT - 1], 0);
        for (unsigned before = 0; before < i; before++)
            assert_memory_not_equal(font_glyph[i], font_glyph[before], FONT_HEIGHT);
    }
}

static void draw_all(struct raster *raster)
{
    struct spot low[2] = {{2, 40}, {60, 30}}, high[2] = {{2, 30.3}, {60, 4.7}};

    raster_box(raster, 0, raster->top, WIDTH, raster->rows, 0x101418, 256);
    raster_band(raster, low, high, 0xff8000, 100);
    raster_line(raster, (struct spot){1, 47}, (struct spot){63, 2}, 1.7, 0x00ff00);
    raster_marker(raster, MARKER_TRIANGLE, (struct spot){30.2, 16.5}, 6, 0xff);
    raster_text(raster, 5, 11, 2, true, 0xffffff, "xyz");
    raster_frame(raster, 3, 3, 50, 40, 1, 0x888888);
}

/* A picture in pieces is the picture. */
static void pieces(void **state)
{
    (void)state;
    struct raster raster = whole();
    draw_all(&raster);
    memcpy(other, pixel, sizeof pixel);
    for (int rows = 1; rows < HEIGHT; rows += 6) {
        memset(pixel, 0xff, sizeof pixel);
        for (int top = 0; top < HEIGHT; top += rows) {
            struct raster piece = {pixel + top * WIDTH, WIDTH, HEIGHT - top < rows ? HEIGHT - top : rows, top};
            draw_all(&piece);
        }
        assert_memory_equal(pixel, other, sizeof pixel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes), cmocka_unit_test(frames),  cmocka_unit_test(lines),
                                       cmocka_unit_test(bands), cmocka_unit_test(markers), cmocka_unit_test(letters),
                                       cmocka_unit_test(font),  cmocka_unit_test(pieces)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
