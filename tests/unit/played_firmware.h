// SPDX-License-Identifier: BSD-2-Clause
/* played_firmware.h: a firmware that consists of a few protocols on a few handles, for unit tests of boot/. */
#pragma once
#include "boot/firmware.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_PLAYED = 16 };

struct played {
    EFI_HANDLE handle;
    const EFI_GUID *guid;
    void *protocol;
};

static struct played played[MOST_PLAYED];
static unsigned played_count, pool_left, pool_taken;
static EFI_BOOT_SERVICES boot_services;
static EFI_SYSTEM_TABLE system_table;
static struct firmware firmware;

static EFI_STATUS EFIAPI play_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **protocol)
{
    for (unsigned i = 0; i < played_count; i++)
        if (played[i].handle == handle && memcmp(played[i].guid, guid, sizeof *guid) == 0) {
            *protocol = played[i].protocol;
            return EFI_SUCCESS;
        }
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI play_handles(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *guid, VOID *key, UINTN *count,
                                      EFI_HANDLE **handles)
{
    (void)type, (void)key;
    *count = 0;
    *handles = malloc(sizeof **handles * MOST_PLAYED);
    for (unsigned i = 0; i < played_count; i++)
        if (memcmp(played[i].guid, guid, sizeof *guid) == 0)
            (*handles)[(*count)++] = played[i].handle;
    pool_taken++;
    if (*count)
        return EFI_SUCCESS;
    free(*handles);
    *handles = NULL;
    pool_taken--;
    return EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI play_allocate(EFI_MEMORY_TYPE type, UINTN size, VOID **memory)
{
    (void)type;
    if (size > pool_left)
        return EFI_OUT_OF_RESOURCES;
    *memory = malloc(size);
    pool_taken++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_free(VOID *memory)
{
    free(memory);
    pool_taken--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI play_stall(UINTN microseconds)
{
    (void)microseconds;
    return EFI_SUCCESS;
}

static void play_begin(void)
{
    played_count = pool_taken = 0;
    pool_left = UINT32_MAX;
    boot_services.HandleProtocol = play_protocol;
    boot_services.LocateHandleBuffer = play_handles;
    boot_services.AllocatePool = play_allocate;
    boot_services.FreePool = play_free;
    boot_services.Stall = play_stall;
    memset(&system_table, 0, sizeof system_table);
    system_table.BootServices = &boot_services;
    firmware = (struct firmware){.table = &system_table, .boot = &boot_services};
}

static void play(void *handle, const EFI_GUID *guid, void *protocol)
{
    played[played_count++] = (struct played){handle, guid, protocol};
}
