// SPDX-License-Identifier: BSD-2-Clause
/* progress.c: the line that shows that a probe is alive and how long it will still take. */
#include "run/progress.h"
#include "base/text.h"

static void draw(struct progress *progress, struct stage *stage, unsigned permille, uint64_t now)
{
    char buffer[80];
    struct text line = text_in(buffer, sizeof buffer);
    uint64_t spent = now - progress->started;

    text_format(&line, "[%u/%u] %s  %u %%", progress->index, progress->count, progress->probe, permille / 10);
    /* Before a fiftieth is done, a forecast would only be a guess. */
    if (permille >= 20 && permille <= 1000)
        text_format(&line, "  about %llu s left",
                    (unsigned long long)((spent * (1000 - permille) / permille + 500) / 1000));
    else
        text_format(&line, "  %llu s so far", (unsigned long long)(spent / 1000));
    text_string(&line, "   (s skips, q ends the run)");
    stage_progress(stage, line.at);
    progress->drawn = now;
}

void progress_start(struct progress *progress, struct stage *stage, const char *probe, unsigned index, unsigned count)
{
    uint64_t now = stage_milliseconds(stage);

    *progress = (struct progress){.probe = probe, .index = index, .count = count, .started = now, .drawn = now};
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

void progress_end(struct progress *progress)
{
    progress->probe = NULL;
}
