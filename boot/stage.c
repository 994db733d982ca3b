// SPDX-License-Identifier: BSD-2-Clause
/* stage.c: the console, keys and clocks of run/stage.h over firmware. Files are in files.c and journal_file.c, the
 * summary in variable.c. */
#include "boot/stage.h"

#include "run/stage.h"

enum { CALIBRATION_MS = 5, FIRST_SANE_YEAR = 2020, LAST_SANE_YEAR = 2199 };

void stage_open(struct stage *stage, const struct firmware *firmware)
{
    __builtin_memset(stage, 0, sizeof *stage);
    stage->firmware = firmware;
    console_open(&stage->console, firmware);
    volume_open(&stage->volume, firmware);
    uint64_t start = __builtin_ia32_rdtsc();
    firmware->boot->Stall(CALIBRATION_MS * 1000);
    stage->ticks_per_ms = (__builtin_ia32_rdtsc() - start) / CALIBRATION_MS;
    if (!stage->ticks_per_ms)
        stage->ticks_per_ms = 1;
    stage->console.ticks_per_ms = stage->ticks_per_ms;
}

void stage_close(struct stage *stage)
{
    volume_close(stage->journal.file);
    volume_close(stage->run_folder);
    volume_close(stage->machine_folder);
    volume_close(stage->volume.root);
    stage->journal.file = stage->run_folder = stage->machine_folder = stage->volume.root = NULL;
    stage_forget_documents(stage);
    console_close(&stage->console);
}

void stage_line(struct stage *stage, const char *line)
{
    console_line(&stage->console, line);
}

void stage_progress(struct stage *stage, const char *line)
{
    console_progress(&stage->console, line);
}

bool stage_refuse(struct stage *stage, const char *format, ...)
{
    struct text why = text_in(stage->why, sizeof stage->why);
    va_list list;
    va_start(list, format);
    text_format_list(&why, format, list);
    va_end(list);
    return false;
}

const char *stage_why(struct stage *stage)
{
    return stage->why;
}

struct progress *stage_running(struct stage *stage)
{
    return &stage->progress;
}

bool stage_listen(struct stage *stage)
{
    for (char key = console_key(&stage->console); key; key = console_key(&stage->console)) {
        if (key == 's' && stage->progress.probe)
            stage->skipped = stage->progress.index;
        if (key == 'q' || key == 27)
            stage->aborted = true;
    }
    return stage->aborted || (stage->progress.probe && stage->skipped == stage->progress.index);
}

bool stage_aborted(struct stage *stage)
{
    return stage->aborted;
}

uint64_t stage_milliseconds(struct stage *stage)
{
    return __builtin_ia32_rdtsc() / stage->ticks_per_ms;
}

/* A battery that died leaves a year of long ago, or no time at all. */
static bool sane(const EFI_TIME *time)
{
    return time->Year >= FIRST_SANE_YEAR && time->Year <= LAST_SANE_YEAR && time->Month >= 1 && time->Month <= 12 &&
           time->Day >= 1 && time->Day <= 31 && time->Hour <= 23 && time->Minute <= 59 && time->Second <= 59;
}

bool stage_date(struct stage *stage, char iso[24])
{
    EFI_TIME time;
    __builtin_memset(&time, 0, sizeof time);
    EFI_STATUS status = stage->firmware->runtime->GetTime(&time, NULL);
    if (EFI_ERROR(status))
        return stage_refuse(stage, "no clock: %s", firmware_status(status));
    if (!sane(&time))
        return stage_refuse(stage, "the clock says %u-%u-%u, which cannot be", time.Year, time.Month, time.Day);
    struct text text = text_in(iso, 24);
    text_format(&text, "%04u-%02u-%02uT%02u:%02u:%02u", time.Year, time.Month, time.Day, time.Hour, time.Minute,
                time.Second);
    return true;
}
