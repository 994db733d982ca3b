// SPDX-License-Identifier: BSD-2-Clause
/* volume.c: see volume.h. */
#include "boot/volume.h"

enum { NAME_SIZE = 128, ENTRY_SIZE = 1024 };

static const EFI_GUID file_system_guid = SIMPLE_FILE_SYSTEM_PROTOCOL;

EFI_STATUS volume_open(struct volume *volume, const struct firmware *firmware)
{
    volume->root = NULL;
    if (!firmware->loaded || !firmware->loaded->DeviceHandle)
        return EFI_NOT_FOUND;
    EFI_FILE_IO_INTERFACE *system = firmware_protocol(firmware, firmware->loaded->DeviceHandle, &file_system_guid);
    if (!system)
        return EFI_UNSUPPORTED;
    EFI_FILE_HANDLE root = NULL;
    EFI_STATUS status = system->OpenVolume(system, &root);
    if (!EFI_ERROR(status))
        volume->root = root;
    return status;
}

static EFI_STATUS open_entry(EFI_FILE_HANDLE parent, const char *name, UINT64 mode, UINT64 attributes,
                             EFI_FILE_HANDLE *entry)
{
    CHAR16 wide[NAME_SIZE];
    EFI_FILE_HANDLE opened = NULL;
    firmware_text(wide, NAME_SIZE, name);
    EFI_STATUS status = parent->Open(parent, &opened, wide, mode, attributes);
    if (!EFI_ERROR(status))
        *entry = opened;
    return status;
}

EFI_STATUS volume_folder(EFI_FILE_HANDLE parent, const char *name, bool create, EFI_FILE_HANDLE *folder)
{
    EFI_STATUS status = open_entry(parent, name, EFI_FILE_MODE_READ, 0, folder);
    if (!EFI_ERROR(status) || !create)
        return status;
    status = open_entry(parent, name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
                        EFI_FILE_DIRECTORY, folder);
    if (!EFI_ERROR(status))
        (*folder)->Flush(*folder);
    return status;
}

EFI_STATUS volume_read(EFI_FILE_HANDLE folder, const char *name, EFI_FILE_HANDLE *file)
{
    return open_entry(folder, name, EFI_FILE_MODE_READ, 0, file);
}

EFI_STATUS volume_create(EFI_FILE_HANDLE folder, const char *name, EFI_FILE_HANDLE *file)
{
    return open_entry(folder, name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0, file);
}

void volume_close(EFI_FILE_HANDLE file)
{
    if (file)
        file->Close(file);
}

EFI_STATUS volume_content(EFI_FILE_HANDLE file, void *to, size_t *size)
{
    UINTN length = *size;
    EFI_STATUS status = file->SetPosition(file, 0);
    if (!EFI_ERROR(status))
        status = file->Read(file, &length, to);
    if (!EFI_ERROR(status))
        *size = length;
    return status;
}

/* A name as a number below 10^9; false: it is not one. */
static bool number_of(const CHAR16 *name, unsigned *number)
{
    unsigned value = 0, digits = 0;
    for (; name[digits]; digits++) {
        if (name[digits] < '0' || name[digits] > '9' || digits == 9)
            return false;
        value = value * 10 + (unsigned)(name[digits] - '0');
    }
    *number = value;
    return digits > 0;
}

EFI_STATUS volume_highest(const struct firmware *firmware, EFI_FILE_HANDLE folder, unsigned *number)
{
    EFI_FILE_INFO *entry = firmware_allocate(firmware, ENTRY_SIZE);
    if (!entry)
        return EFI_OUT_OF_RESOURCES;
    *number = 0;
    EFI_STATUS status = folder->SetPosition(folder, 0);
    while (!EFI_ERROR(status)) {
        UINTN size = ENTRY_SIZE - sizeof(CHAR16);
        unsigned found;
        __builtin_memset(entry, 0, ENTRY_SIZE);
        status = folder->Read(folder, &size, entry);
        if (EFI_ERROR(status) || size == 0)
            break;
        if (number_of(entry->FileName, &found) && found > *number)
            *number = found;
    }
    firmware_free(firmware, entry);
    return status;
}

uint64_t volume_room(const struct firmware *firmware, const struct volume *volume, uint32_t *cluster)
{
    EFI_GUID guid = EFI_FILE_SYSTEM_INFO_ID;
    EFI_FILE_SYSTEM_INFO *info = firmware_allocate(firmware, ENTRY_SIZE);
    UINTN size = ENTRY_SIZE;
    uint64_t room = UINT64_MAX;
    if (info && !EFI_ERROR(volume->root->GetInfo(volume->root, &guid, &size, info))) {
        room = info->FreeSpace;
        if (cluster && info->BlockSize)
            *cluster = info->BlockSize;
    }
    firmware_free(firmware, info);
    return room;
}
