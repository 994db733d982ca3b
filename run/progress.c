// SPDX-License-Identifier: BSD-2-Clause
/* progress.c: the line that shows that a probe is alive and how long the run will still take. */
#include "run/progress.h"
#include "base/text.h"

/* TRUST: how much measured time outweighs what is usual; milliseconds. KNOWN: permille from which on a probe's own pace
 * is all that counts. */
enum {
    TRUST = 2000,
    KNOWN = 300,
    RISE_FOLLOWED = 4,
    FALL_FOLLOWED = 2,
    LEAST_RISE = 1000,
    RISE = 20,
    LEAST_LEFT = 1000
};

/* What takes `usual` milliseconds elsewhere, here: where `done` usual ones took `spent`. */
static uint64_t here(uint64_t usual, uint64_t spent, uint64_t done)
{
    return usual * (spent + TRUST) / (done + TRUST);
}

/* The forecast as it follows from what was measured up to now, without regard to what was shown before. */
static uint64_t forecast(const struct progress *progress, unsigned permille, uint64_t spent)
{
    uint64_t known = permille < KNOWN ? permille : KNOWN;
    uint64_t own = permille ? spent * 1000 / permille : 0;
    uint64_t before = here(progress->usual, progress->spent_done, progress->usual_done);
    uint64_t whole = (before * (KNOWN - known) + own * known) / KNOWN;
    uint64_t rest = here(progress->usual_left, progress->spent_done + whole * known / KNOWN,
                         progress->usual_done + progress->usual * known / KNOWN);

    /* Longer than it should have taken, and not at its end: some more is all that can be said. */
    return rest + (whole > spent ? whole - spent : permille < 1000 ? LEAST_LEFT + spent / 10 : 0);
}

uint64_t progress_left(struct progress *progress, unsigned permille, uint64_t now)
{
    uint64_t raw = forecast(progress, permille, now - progress->started), passed = now - progress->shown_at;

    if (progress->shown_at == 0) {
        progress->shown = raw;
    } else {
        uint64_t expected = progress->shown > passed ? progress->shown - passed : 0;
        uint64_t most = progress->shown + LEAST_RISE + progress->shown / RISE;
        uint64_t next =
            raw > expected ? expected + (raw - expected) / RISE_FOLLOWED : expected - (expected - raw) / FALL_FOLLOWED;
        progress->shown = next < most ? next : most;
    }
    progress->shown_at = now > 0 ? now : 1;
    return progress->shown;
}

static void draw(struct progress *progress, struct stage *stage, unsigned permille, uint64_t now)
{
    char buffer[80];
    struct text line = text_in(buffer, sizeof buffer);
    uint64_t left = (progress_left(progress, permille, now) + 500) / 1000;

    text_format(&line, "[%u/%u] %s  %u %%  about ", progress->index, progress->count, progress->probe, permille / 10);
    if (left < 100)
        text_format(&line, "%llu s", (unsigned long long)(left ? left : 1));
    else
        text_format(&line, "%llu min", (unsigned long long)((left + 30) / 60));
    text_string(&line, " left   (s skips, q ends the run)");
    stage_progress(stage, line.at);
    progress->drawn = now;
}

void progress_plan(struct progress *progress, uint64_t usual_ms)
{
    *progress = (struct progress){.usual_left = usual_ms};
}

void progress_pass(struct progress *progress, uint64_t usual_ms)
{
    progress->usual_left -= usual_ms < progress->usual_left ? usual_ms : progress->usual_left;
}

void progress_start(struct progress *progress, struct stage *stage, const char *probe, unsigned index, unsigned count,
                    uint64_t usual_ms)
{
    uint64_t now = stage_milliseconds(stage);

    progress_pass(progress, usual_ms);
    progress->probe = probe;
    progress->index = index;
    progress->count = count;
    progress->usual = usual_ms;
    progress->started = now;
    draw(progress, stage, 0, now);
}

void progress_show(struct progress *progress, struct stage *stage, unsigned permille)
{
    uint64_t now;

    if (!progress->probe)
        return;
    now = stage_milliseconds(stage);
    if (now - progress->drawn >= 1000)
        draw(progress, stage, permille > 1000 ? 1000 : permille, now);
}

void progress_end(struct progress *progress, struct stage *stage, bool whole)
{
    if (whole) {
        progress->spent_done += stage_milliseconds(stage) - progress->started;
        progress->usual_done += progress->usual;
    }
    progress->probe = NULL;
}
