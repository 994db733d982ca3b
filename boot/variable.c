// SPDX-License-Identifier: BSD-2-Clause
/* variable.c: the summary as a non-volatile EFI variable (docs/variable.md).
 *
 * Boards have been bricked by full variable stores, and the flash wears: the variable has one fixed name, is written
 * only when its content changed, and only when the store stays at least half free. */
#include "boot/stage.h"

#include "run/stage.h"
#include "run/summary.h"

enum {
    ATTRIBUTES = EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS,
    FIRST_REVISION_WITH_QUERY = 2 << 16, /* QueryVariableInfo came with UEFI 2.0 */
    HEADER_ROOM = 128                    /* more than any store's header and our name need */
};

/* 5f8f830b-4e1f-4f14-97fd-46c6ce49da0c, made at random for this variable */
static const EFI_GUID summary_guid = {0x5f8f830b, 0x4e1f, 0x4f14, {0x97, 0xfd, 0x46, 0xc6, 0xce, 0x49, 0xda, 0x0c}};
static const CHAR16 summary_name[] = L"AssaySummary";

static EFI_STATUS get(struct stage *stage, void *buffer, UINTN *size)
{
    EFI_GUID guid = summary_guid;
    return stage->firmware->runtime->GetVariable((CHAR16 *)(uintptr_t)summary_name, &guid, NULL, size, buffer);
}

static EFI_STATUS set(struct stage *stage, UINT32 attributes, const void *bytes, UINTN size)
{
    EFI_GUID guid = summary_guid;
    return stage->firmware->runtime->SetVariable((CHAR16 *)(uintptr_t)summary_name, &guid, attributes, size,
                                                 (void *)(uintptr_t)bytes);
}

bool stage_summary_read(struct stage *stage, void *buffer, size_t *size)
{
    UINTN length = *size;
    EFI_STATUS status = get(stage, buffer, &length);
    if (status == EFI_NOT_FOUND)
        return stage_refuse(stage, "none is stored");
    if (EFI_ERROR(status))
        return stage_refuse(stage, "the variable cannot be read: %s", firmware_status(status));
    *size = length;
    return true;
}

static bool same_as_stored(struct stage *stage, const uint8_t *bytes, size_t size)
{
    uint8_t stored[SUMMARY_SIZE];
    UINTN length = sizeof stored;
    return !EFI_ERROR(get(stage, stored, &length)) && length == size && __builtin_memcmp(stored, bytes, size) == 0;
}

/* Whether half of the store would still be free. */
static bool has_room(struct stage *stage, size_t size)
{
    UINT64 store = 0, left = 0, largest = 0;
    EFI_RUNTIME_SERVICES *runtime = stage->firmware->runtime;
    if (runtime->Hdr.Revision < FIRST_REVISION_WITH_QUERY)
        return stage_refuse(stage, "this firmware cannot say how full its variable store is");
    EFI_STATUS status = runtime->QueryVariableInfo(ATTRIBUTES, &store, &left, &largest);
    if (EFI_ERROR(status))
        return stage_refuse(stage, "this firmware does not say how full its variable store is: %s",
                            firmware_status(status));
    if (largest < size)
        return stage_refuse(stage, "a variable can have %lu bytes here, the summary has %lu", (unsigned long)largest,
                            (unsigned long)size);
    if (left < store / 2 + size + HEADER_ROOM)
        return stage_refuse(stage, "the variable store would be more than half full: %lu of %lu bytes are free",
                            (unsigned long)left, (unsigned long)store);
    return true;
}

bool stage_summary_write(struct stage *stage, const void *bytes, size_t size)
{
    if (size > SUMMARY_SIZE)
        return stage_refuse(stage, "a summary of %lu bytes is larger than %d", (unsigned long)size, SUMMARY_SIZE);
    if (same_as_stored(stage, bytes, size))
        return true;
    if (!has_room(stage, size))
        return false;
    EFI_STATUS status = set(stage, ATTRIBUTES, bytes, size);
    if (EFI_ERROR(status))
        return stage_refuse(stage, "the variable cannot be written: %s", firmware_status(status));
    return true;
}

bool stage_summary_forget(struct stage *stage)
{
    EFI_STATUS status = set(stage, 0, NULL, 0);
    if (status == EFI_NOT_FOUND)
        return stage_refuse(stage, "No summary is stored.");
    if (EFI_ERROR(status))
        return stage_refuse(stage, "The variable cannot be deleted: %s", firmware_status(status));
    return true;
}
