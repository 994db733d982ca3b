// SPDX-License-Identifier: BSD-2-Clause
/* volume.h: folders and files on the volume that the program was started from. Names are ASCII. Every function returns
 * the firmware's status; handles are written only on success and are closed with volume_close. */
#pragma once
#include "boot/firmware.h"

struct volume {
    EFI_FILE_HANDLE root; /* NULL: there is no file system */
};

/* Opens the volume of the program's own device. */
EFI_STATUS volume_open(struct volume *, const struct firmware *);

EFI_STATUS volume_folder(EFI_FILE_HANDLE parent, const char *name, bool create, EFI_FILE_HANDLE *folder);
EFI_STATUS volume_read(EFI_FILE_HANDLE folder, const char *name, EFI_FILE_HANDLE *file);
EFI_STATUS volume_create(EFI_FILE_HANDLE folder, const char *name, EFI_FILE_HANDLE *file);
void volume_close(EFI_FILE_HANDLE file);

/* Bytes from the start of a file, at most *size; *size is then how many there were. */
EFI_STATUS volume_content(EFI_FILE_HANDLE file, void *to, size_t *size);

/* The highest decimal number that an entry of the folder has for its name, 0 when there is none. */
EFI_STATUS volume_highest(const struct firmware *, EFI_FILE_HANDLE folder, unsigned *number);

/* Bytes that are free; UINT64_MAX when the firmware does not say. *cluster (may be NULL): bytes that even the smallest
 * file or folder takes; not written when the firmware does not say. */
uint64_t volume_room(const struct firmware *, const struct volume *, uint32_t *cluster);
