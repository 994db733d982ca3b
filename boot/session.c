// SPDX-License-Identifier: BSD-2-Clause
/* session.c: see session.h. */
#include "boot/session.h"

#define MB (1ull << 20)

static bool open_machine(struct session *session)
{
    const struct memory *memory = &session->memory;
    const char *why = "";
    struct kernel_setup setup = {
        .host = &session->host,
        .own = memory->own,
        .low = memory->low,
        .grant_count = memory->grant_count,
        .regions = memory->regions,
        .region_count = memory->region_count,
        .recording = &session->recording,
        .board = session->board.name,
        .serial = session->board.serial,
        .firmware = session->board.firmware,
    };
    for (unsigned i = 0; i < memory->grant_count; i++)
        setup.grants[i] = memory->grants[i];
    session->machine = kernel_open(&setup, &why);
    if (!session->machine)
        say(session->stage, "This machine cannot be owned: %s", why);
    return session->machine != NULL;
}

static const char *known(const char *text)
{
    return text[0] ? text : "(not told)";
}

static void say_machine(struct session *session)
{
    struct stage *stage = session->stage;
    const struct facts *facts = machine_facts(session->machine);
    struct clock clock = machine_clock(session->machine);
    say(stage, "Board   %s, serial %s", known(session->board.name), known(session->board.serial));
    say(stage, "        firmware %s", known(session->board.firmware));
    say(stage, "CPU     %s, %u processor%s, clock %lu MHz in steps of %lu",
        facts->brand[0] ? facts->brand : facts->vendor, machine_processors(session->machine),
        machine_processors(session->machine) == 1 ? "" : "s", (unsigned long)(clock.hz / 1000000),
        (unsigned long)clock.step);
    say(stage, "Memory  %lu MB to measure with, in %u piece%s; %lu MB stay with the firmware",
        (unsigned long)(session->memory.granted / MB), session->memory.grant_count,
        session->memory.grant_count == 1 ? "" : "s", (unsigned long)(session->memory.left / MB));
    if (facts->emulated)
        say(stage, "        emulated: the caches that are seen here are those of another machine");
}

bool session_open(struct session *session, struct stage *stage, const struct options *options)
{
    const char *why = "";
    session->stage = stage;
    identity_read(stage->firmware, &session->board);
    host_open(&session->host, stage);
    if (!memory_take(&session->memory, stage->firmware, sizeof(struct run), options->memory,
                     options->request.all_memory, &why)) {
        say(stage, "No measuring: %s", why);
        return false;
    }
    if (options->five_levels && !memory_take_low(&session->memory, stage->firmware)) {
        say(stage, "No measuring: there is no memory below 4 GB to turn five levels of page tables on from");
        memory_free(&session->memory, stage->firmware);
        return false;
    }
    session->run = (struct run *)(uintptr_t)session->memory.run.base;
    session->run->options = *options;
    session->run->recording = &session->recording;
    recording_begin(&session->recording, (void *)(uintptr_t)session->memory.recording.base,
                    session->memory.recording.size);
    if (!open_machine(session))
        return false;
    uint64_t hz = machine_clock(session->machine).hz;
    if (hz >= 1000)
        stage->ticks_per_ms = hz / 1000;
    say_machine(session);
    return true;
}

void session_close(struct session *session)
{
    machine_close(session->machine);
    session->machine = NULL;
}
