// SPDX-License-Identifier: BSD-2-Clause
/* firmware.c: the few services that all of boot/ uses, in the shapes that it needs. */
#include "boot/firmware.h"

#include <efishell.h>

static const EFI_GUID loaded_image_guid = LOADED_IMAGE_PROTOCOL;
static const EFI_GUID shell_parameters_guid = EFI_SHELL_PARAMETERS_PROTOCOL_GUID;

void firmware_open(struct firmware *firmware, EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
    firmware->image = image;
    firmware->table = table;
    firmware->boot = table->BootServices;
    firmware->runtime = table->RuntimeServices;
    firmware->loaded = firmware_protocol(firmware, image, &loaded_image_guid);
    firmware->from_shell = firmware_protocol(firmware, image, &shell_parameters_guid) != NULL;
}

struct meaning {
    EFI_STATUS status;
    const char *text;
};

static const struct meaning meanings[] = {
    {EFI_SUCCESS, "success"},
    {EFI_LOAD_ERROR, "load error"},
    {EFI_INVALID_PARAMETER, "invalid parameter"},
    {EFI_UNSUPPORTED, "not supported"},
    {EFI_BAD_BUFFER_SIZE, "wrong buffer size"},
    {EFI_BUFFER_TOO_SMALL, "buffer too small"},
    {EFI_NOT_READY, "not ready"},
    {EFI_DEVICE_ERROR, "device error"},
    {EFI_WRITE_PROTECTED, "write-protected"},
    {EFI_OUT_OF_RESOURCES, "out of resources"},
    {EFI_VOLUME_CORRUPTED, "the file system is damaged"},
    {EFI_VOLUME_FULL, "the medium is full"},
    {EFI_NO_MEDIA, "no medium"},
    {EFI_MEDIA_CHANGED, "the medium was changed"},
    {EFI_NOT_FOUND, "not found"},
    {EFI_ACCESS_DENIED, "access denied"},
    {EFI_TIMEOUT, "timeout"},
    {EFI_NOT_STARTED, "not started"},
    {EFI_ALREADY_STARTED, "already started"},
    {EFI_ABORTED, "aborted"},
    {EFI_SECURITY_VIOLATION, "security violation"},
};

const char *firmware_status(EFI_STATUS status)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].status == status)
            return meanings[i].text;
    return "an error that has no name here";
}

void *firmware_protocol(const struct firmware *firmware, EFI_HANDLE handle, const EFI_GUID *guid)
{
    void *protocol = NULL;
    EFI_GUID wanted = *guid;
    if (!handle || EFI_ERROR(firmware->boot->HandleProtocol(handle, &wanted, &protocol)))
        return NULL;
    return protocol;
}

EFI_HANDLE *firmware_handles(const struct firmware *firmware, const EFI_GUID *guid, UINTN *count)
{
    EFI_HANDLE *handles = NULL;
    EFI_GUID wanted = *guid;
    *count = 0;
    if (EFI_ERROR(firmware->boot->LocateHandleBuffer(ByProtocol, &wanted, NULL, count, &handles))) {
        *count = 0;
        return NULL;
    }
    return handles;
}

void *firmware_allocate(const struct firmware *firmware, size_t size)
{
    void *memory = NULL;
    if (EFI_ERROR(firmware->boot->AllocatePool(EfiLoaderData, size, &memory)))
        return NULL;
    __builtin_memset(memory, 0, size);
    return memory;
}

void firmware_free(const struct firmware *firmware, void *memory)
{
    if (memory)
        firmware->boot->FreePool(memory);
}

void firmware_text(CHAR16 *to, size_t capacity, const char *from)
{
    size_t length = 0;
    for (; from[length] && length + 1 < capacity; length++)
        to[length] = (CHAR16)(unsigned char)from[length];
    to[length] = 0;
}
