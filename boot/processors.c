// SPDX-License-Identifier: BSD-2-Clause
/* processors.c: running code on another processor, through blocking calls of MP Services.
 *
 * Non-blocking calls need not work once the firmware is ready to boot (PI specification, StartupThisAP). While this
 * processor waits inside the blocking call its timer still runs, and a timer event draws the progress line and reads
 * the keys. */
#include "boot/host.h"

enum { TICKS_PER_SECOND = 5, UNITS_PER_SECOND = 10000000 /* of SetTimer: 100 ns */, PATIENCE_SECONDS = 2 };

static const EFI_GUID mp_services_guid = {0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};

void host_open(struct host *host, struct stage *stage)
{
    UINTN count = 0, processors = 0, enabled = 0;
    __builtin_memset(host, 0, sizeof *host);
    host->stage = stage;
    EFI_HANDLE *handles = firmware_handles(stage->firmware, &mp_services_guid, &count);
    if (count)
        host->services = firmware_protocol(stage->firmware, handles[0], &mp_services_guid);
    firmware_free(stage->firmware, handles);
    if (!host->services || EFI_ERROR(host->services->get_number(host->services, &processors, &enabled)))
        return;
    for (UINTN i = 0; i < processors && host->others < MAX_OTHERS; i++) {
        struct mp_information information;
        __builtin_memset(&information, 0, sizeof information);
        if (EFI_ERROR(host->services->get_information(host->services, i, &information)))
            continue;
        if (information.flags & MP_IS_BOOT_PROCESSOR)
            host->here = information.location;
        else if ((information.flags & MP_IS_ENABLED) && (information.flags & MP_IS_HEALTHY))
            host->other[host->others++] = (struct other){.number = i, .location = information.location};
    }
}

unsigned host_processors(struct host *host)
{
    return 1 + host->others;
}

struct errand {
    void (*entry)(void *);
    void *argument;
};

static VOID EFIAPI run_errand(VOID *argument)
{
    struct errand *errand = argument;
    errand->entry(errand->argument);
}

/* On this processor, while another one works: what host_rest does. */
static VOID EFIAPI watch(EFI_EVENT event, VOID *context)
{
    struct host *host = context;
    (void)event;
    progress_show(&host->stage->progress, host->stage, host->permille);
    if (stage_listen(host->stage))
        host->stop = true;
}

static bool refuse_start(struct host *host, unsigned core, const char *reason)
{
    struct text why = text_in(host->why, sizeof host->why);
    text_format(&why, "processor %u cannot be started: %s", core, reason);
    return false;
}

static VOID EFIAPI do_nothing(VOID *argument)
{
    (void)argument;
}

/* Firmware that does not know its processors' places gives them all the same one: then the threads are equal too. */
static bool is_sibling(const struct mp_location *one, const struct mp_location *other)
{
    return one->package == other->package && one->core == other->core && one->thread != other->thread;
}

/* Whether a processor does anything at all: an errand without a time limit, on one that never starts, would have no way
 * out. A processor that was late once is not trusted again: it may still be on its way. */
static bool answers(struct host *host, unsigned core)
{
    struct other *other = &host->other[core - 1];
    BOOLEAN finished = FALSE;
    if (other->tried)
        return other->answers || refuse_start(host, core, "it did not answer before");
    other->tried = true;
    say(host->stage, "Starting processor %u (at most %u s)", core, PATIENCE_SECONDS);
    if (is_sibling(&host->here, &other->location))
        say(host->stage, "Warning: processor %u shares its caches with processor 0, which waits busily", core);
    EFI_STATUS status = host->services->start_one(host->services, do_nothing, other->number, NULL,
                                                  PATIENCE_SECONDS * 1000000, NULL, &finished);
    other->answers = !EFI_ERROR(status);
    if (status == EFI_TIMEOUT)
        return refuse_start(host, core, "it does not answer in time");
    return other->answers || refuse_start(host, core, firmware_status(status));
}

bool host_start(struct host *host, unsigned core, void (*entry)(void *), void *argument)
{
    EFI_BOOT_SERVICES *boot = host->stage->firmware->boot;
    struct errand errand = {entry, argument};
    EFI_EVENT timer = NULL;
    BOOLEAN finished = FALSE;
    if (!host->services)
        return refuse_start(host, core, "the firmware has no MP Services");
    if (core == 0 || core > host->others)
        return refuse_start(host, core, "there is no such processor");
    if (!answers(host, core))
        return false;
    host->permille = 0;
    host->stop = stage_listen(host->stage);
    if (!EFI_ERROR(boot->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, watch, host, &timer)))
        boot->SetTimer(timer, TimerPeriodic, UNITS_PER_SECOND / TICKS_PER_SECOND);
    host->elsewhere = true;
    EFI_STATUS status = host->services->start_one(host->services, run_errand, host->other[core - 1].number, NULL, 0,
                                                  &errand, &finished);
    host->elsewhere = false;
    if (timer)
        boot->CloseEvent(timer);
    return EFI_ERROR(status) ? refuse_start(host, core, firmware_status(status)) : true;
}
