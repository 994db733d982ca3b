// SPDX-License-Identifier: BSD-2-Clause
/* ending.c: see ending.h. A board must never sit there without text. */
#include "boot/ending.h"

#include "run/stage.h"

enum { WITHOUT_KEYBOARD_MS = 60000 };

static void wait(struct stage *stage)
{
    EFI_BOOT_SERVICES *boot = stage->firmware->boot;
    /* Keys that were meant for the run do not end the wait for this one. */
    console_drop_keys(&stage->console);
    stage_line(stage, "Press any key to go back to the firmware.");
    if (console_wait(&stage->console, 0))
        return;
    stage_line(stage, "No keyboard answers: back to the firmware in a minute.");
    for (unsigned i = 0; i < WITHOUT_KEYBOARD_MS / 100; i++)
        boot->Stall(100 * 1000);
}

static void reset(struct stage *stage, EFI_RESET_TYPE type, const char *doing)
{
    EFI_RUNTIME_SERVICES *runtime = stage->firmware->runtime;
    stage_line(stage, doing);
    stage_close(stage);
    runtime->ResetSystem(type, EFI_SUCCESS, 0, NULL);
}

void ending(struct stage *stage, enum after after)
{
    switch (after) {
    case AFTER_RESET:
        reset(stage, EfiResetCold, "Restarting.");
        break;
    case AFTER_SHUTDOWN:
        reset(stage, EfiResetShutdown, "Shutting down.");
        break;
    case AFTER_WAIT:
        wait(stage);
        break;
    case AFTER_RETURN:
        break;
    }
    stage_close(stage);
}
