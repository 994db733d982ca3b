// SPDX-License-Identifier: BSD-2-Clause
/* main.c: where the firmware starts the program. Boot services are never left: everything that is borrowed is given
 * back, and at the end the firmware goes on as if nothing had been. */
#include "boot/ask.h"
#include "boot/ending.h"
#include "boot/menu.h"
#include "boot/selftest.h"
#include "boot/session.h"
#include "boot/view.h"

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

/* What one start of the program works with. */
struct program {
    struct firmware firmware;
    struct stage stage;
    struct options options;
    struct session session;
};

static EFI_STATUS measure(struct program *program)
{
    struct session *session = &program->session;
    if (!session_open(session, &program->stage, &program->options))
        return EFI_ABORTED;
    if (!run_read_baseline(session->run, &program->stage)) {
        session_close(session);
        return EFI_INVALID_PARAMETER;
    }
    run_measure(session->run, session->machine, &program->stage);
    bool failed = session->run->verdict == BASELINE_FAILED;
    session_close(session);
    /* Whoever has turned the pages has also pressed a key at the end. */
    if (view(&program->stage, session->run, program->options.after == AFTER_WAIT))
        program->options.after = AFTER_RETURN;
    return failed ? EFI_ABORTED : EFI_SUCCESS;
}

static EFI_STATUS forget(struct stage *stage)
{
    bool forgotten = stage_summary_forget(stage);
    stage_line(stage, forgotten ? "The stored summary is deleted." : stage_why(stage));
    return forgotten ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static EFI_STATUS do_task(struct program *program)
{
    struct stage *stage = &program->stage;
    switch (program->options.task) {
    case TASK_HELP:
        run_print_help(stage);
        return EFI_SUCCESS;
    case TASK_VERSION:
        run_print_version(stage);
        return EFI_SUCCESS;
    case TASK_LIST:
        run_print_list(stage);
        return EFI_SUCCESS;
    case TASK_LAST:
        return run_print_last(stage) ? EFI_SUCCESS : EFI_NOT_FOUND;
    case TASK_FORGET:
        return forget(stage);
    case TASK_SELFTEST:
        run_print_version(stage);
        return selftest(&program->session, stage, &program->options);
    default:
        run_print_version(stage);
        return measure(program);
    }
}

/* Whether anything is to be done, after the menu where there is to be one. */
static bool wanted(struct program *program)
{
    if (program->options.given || !program->stage.console.keyboard)
        return true;
    return menu(&program->stage, &program->options);
}

/* Exit, not return: crt0 does not keep all registers that the firmware's caller relies on. */
static EFI_STATUS leave(const struct firmware *firmware, EFI_STATUS status)
{
    firmware->boot->Exit(firmware->image, status, 0, NULL);
    return status;
}

/* Called by gnu-efi's crt0 in the System V convention: not EFIAPI. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
    struct firmware firmware;
    EFI_STATUS status = EFI_INVALID_PARAMETER;
    firmware_open(&firmware, image, table);
    firmware.boot->SetWatchdogTimer(0, 0, 0, NULL);
    struct program *program = firmware_allocate(&firmware, sizeof *program);
    if (!program)
        return leave(&firmware, EFI_OUT_OF_RESOURCES);
    program->firmware = firmware;
    stage_open(&program->stage, &program->firmware);
    if (ask(&program->stage, &program->options)) {
        selftest_choose(&program->options);
        status = wanted(program) ? do_task(program) : EFI_SUCCESS;
    }
    ending(&program->stage, program->options.after);
    /* Last of all, and only when the firmware goes on: some firmware overwrites all that it gets back, which takes a
     * while. */
    memory_free(&program->session.memory, &firmware);
    firmware_free(&firmware, program);
    return leave(&firmware, status);
}
