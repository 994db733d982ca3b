// SPDX-License-Identifier: BSD-2-Clause
/* firmware.h: the firmware as the rest of boot/ sees it. The EFI types stay in this room; every call is direct and
 * typed (GNU_EFI_USE_MS_ABI), and what the firmware calls back is EFIAPI. gnu-efi's global BS, ST and RT are not used.
 */
#pragma once
#include <efi.h>

#include "base/text.h"

_Static_assert(sizeof(CHAR16) == 2, "the firmware's characters are 16 bits wide: -fshort-wchar");

struct firmware {
    EFI_HANDLE image;
    EFI_SYSTEM_TABLE *table;
    EFI_BOOT_SERVICES *boot;
    EFI_RUNTIME_SERVICES *runtime;
    EFI_LOADED_IMAGE *loaded; /* NULL: the firmware says nothing about this program */
    bool from_shell;
};

void firmware_open(struct firmware *, EFI_HANDLE image, EFI_SYSTEM_TABLE *);

/* What a status means, in a few words. */
const char *firmware_status(EFI_STATUS);

/* The protocol on a handle, NULL: none. */
void *firmware_protocol(const struct firmware *, EFI_HANDLE, const EFI_GUID *);

/* All handles that have a protocol; NULL: none. Freed with firmware_free. */
EFI_HANDLE *firmware_handles(const struct firmware *, const EFI_GUID *, UINTN *count);

/* Zeroed memory from the firmware's pool; NULL: none left. */
void *firmware_allocate(const struct firmware *, size_t size);
void firmware_free(const struct firmware *, void *);

/* ASCII to the firmware's characters; truncates, always terminates. */
void firmware_text(CHAR16 *to, size_t capacity, const char *from);
