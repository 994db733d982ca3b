// SPDX-License-Identifier: BSD-2-Clause
/* selftest.c: assay tested on the machine that it runs on: the contract of the waist, faults, the state that quiet
 * periods leave behind, and that the firmware still works afterwards.
 *
 * Checks arrive while the machine is owned, when nothing may be printed: they are kept, and printed when the group is
 * over. The functions that receive them know no context (kernel/kernel.h, tests/machine/contract.h), so what they keep
 * is the one variable of this room. */
#include "boot/selftest.h"

#include "run/stage.h"
#include "tests/machine/contract.h"

enum { MOST_CHECKS = 1024, QUIET_PERIODS = 1000, KEY_MS = 5000, TIMER_MS = 20, TIMER_PATIENCE_MS = 2000 };

struct check {
    char name[64], detail[128];
    bool held;
};

struct checks {
    struct check *check; /* MOST_CHECKS of them */
    unsigned count, printed, passed, failed, lost;
};

static struct checks checks;

static void keep(const char *name, bool held, const char *detail)
{
    if (held)
        checks.passed++;
    else
        checks.failed++;
    if (checks.count == MOST_CHECKS) {
        checks.lost++;
        return;
    }
    struct check *check = &checks.check[checks.count++];
    text_copy(check->name, sizeof check->name, name);
    text_copy(check->detail, sizeof check->detail, detail);
    check->held = held;
}

void selftest_check(const char *name, bool held, const char *detail)
{
    keep(name, held, detail);
}

void contract_check(const char *name, bool held, const char *detail)
{
    keep(name, held, detail);
}

static void print_checks(struct stage *stage)
{
    for (; checks.printed < checks.count; checks.printed++) {
        const struct check *check = &checks.check[checks.printed];
        if (check->held)
            say(stage, check->detail[0] ? "ok %s (%s)" : "ok %s", check->name, check->detail);
        else
            say(stage, "FAIL %s: %s", check->name, check->detail);
    }
    checks.printed = checks.count = 0;
}

static void run_contract(struct machine *machine, void *argument)
{
    (void)argument;
    contract_run(machine);
}

static void test_contract(struct session *session)
{
    struct fault fault;
    char detail[128];
    struct text text = text_in(detail, sizeof detail);
    unsigned core = session->run->options.core;
    __builtin_memset(&fault, 0, sizeof fault);
    bool started = machine_protect(session->machine, core, run_contract, NULL, &fault);
    if (!started)
        text_string(&text, machine_why(session->machine));
    else if (fault.happened)
        text_format(&text, "vector %u, error 0x%lx, at 0x%lx, address 0x%lx %s", fault.vector,
                    (unsigned long)fault.error, (unsigned long)fault.rip, (unsigned long)fault.cr2, fault.during);
    keep("the contract ran to its end", started && !fault.happened, detail);
}

static VOID EFIAPI notice(EFI_EVENT event, VOID *context)
{
    volatile bool *fired = context;
    (void)event;
    *fired = true;
}

static void test_timer(struct stage *stage)
{
    EFI_BOOT_SERVICES *boot = stage->firmware->boot;
    EFI_EVENT event = NULL;
    volatile bool fired = false;
    EFI_STATUS status = boot->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, notice, (VOID *)&fired, &event);
    if (!EFI_ERROR(status))
        status = boot->SetTimer(event, TimerRelative, TIMER_MS * 10000);
    for (unsigned i = 0; i < TIMER_PATIENCE_MS && !fired && !EFI_ERROR(status); i++)
        boot->Stall(1000);
    if (event)
        boot->CloseEvent(event);
    const char *failure = EFI_ERROR(status) ? firmware_status(status) : "it never fired";
    keep("the firmware's timer event fires", fired, fired ? "" : failure);
}

/* Writes a file, reads it back, deletes it. */
static EFI_STATUS write_and_read(EFI_FILE_HANDLE folder)
{
    static const char content[] = "written after the quiet periods";
    char found[sizeof content];
    size_t size = sizeof found;
    UINTN written = sizeof content;
    EFI_FILE_HANDLE file = NULL;
    EFI_STATUS status = volume_create(folder, "selftest.tmp", &file);
    if (EFI_ERROR(status))
        return status;
    status = file->Write(file, &written, (VOID *)(uintptr_t)content);
    if (!EFI_ERROR(status))
        status = file->Flush(file);
    if (!EFI_ERROR(status))
        status = volume_content(file, found, &size);
    if (!EFI_ERROR(status) && (size != sizeof content || __builtin_memcmp(found, content, size) != 0))
        status = EFI_VOLUME_CORRUPTED;
    file->Delete(file);
    return status;
}

static void test_file(struct stage *stage)
{
    EFI_STATUS status = stage->volume.root ? write_and_read(stage->volume.root) : EFI_NOT_FOUND;
    bool cannot = status == EFI_NOT_FOUND || status == EFI_WRITE_PROTECTED || status == EFI_VOLUME_FULL;
    if (cannot)
        say(stage, "skipped: the firmware writes a file: %s", firmware_status(status));
    else
        keep("the firmware writes a file", !EFI_ERROR(status), EFI_ERROR(status) ? firmware_status(status) : "");
}

static void test_keyboard(struct stage *stage)
{
    console_drop_keys(&stage->console);
    stage_line(stage, "selftest: press a key");
    if (console_wait(&stage->console, KEY_MS))
        keep("the firmware reads a key", true, "");
    else
        say(stage, "skipped: the firmware reads a key: none was pressed within %u s", KEY_MS / 1000);
}

static void test_firmware(struct stage *stage)
{
    test_timer(stage);
    test_file(stage);
    print_checks(stage);
    test_keyboard(stage);
    print_checks(stage);
}

static bool wanted(const struct session *session, const char *group)
{
    const char *asked = session->run->options.selftest;
    return text_equal(asked, "all") || text_equal(asked, group);
}

/* Memory for the list of checks: it is written while the machine is owned, so it is taken before the session opens. */
static bool open_checks(struct stage *stage)
{
    checks = (struct checks){.check = firmware_allocate(stage->firmware, MOST_CHECKS * sizeof(struct check))};
    if (!checks.check)
        stage_line(stage, "FAIL selftest: no memory for its list");
    return checks.check != NULL;
}

static void close_checks(struct stage *stage)
{
    firmware_free(stage->firmware, checks.check);
    checks.check = NULL;
}

static void run_groups(struct session *session)
{
    struct stage *stage = session->stage;
    if (wanted(session, "machine")) {
        stage_line(stage, "selftest: the contract of the machine");
        test_contract(session);
        print_checks(stage);
    }
    if (wanted(session, "faults")) {
        stage_line(stage, "selftest: faults on every processor");
        kernel_selftest_faults(session->machine);
        print_checks(stage);
    }
    if (wanted(session, "quiet")) {
        say(stage, "selftest: %u quiet periods", QUIET_PERIODS);
        kernel_selftest_quiet(session->machine, QUIET_PERIODS);
        print_checks(stage);
        test_firmware(stage);
    }
    if (checks.lost)
        say(stage, "selftest: %u more checks were made than can be listed", checks.lost);
    say(stage, "selftest: %u passed, %u failed", checks.passed, checks.failed);
}

void selftest_choose(struct options *options)
{
    if (options->task != TASK_MEASURE)
        return;
    options->task = TASK_SELFTEST;
    options->given = true;
}

EFI_STATUS selftest(struct session *session, struct stage *stage, const struct options *options)
{
    bool opened = open_checks(stage) && session_open(session, stage, options);
    if (opened) {
        run_groups(session);
        session_close(session);
    }
    bool good = opened && checks.failed == 0;
    close_checks(stage);
    return good ? EFI_SUCCESS : EFI_ABORTED;
}
