// SPDX-License-Identifier: BSD-2-Clause
/* identity.c: see identity.h. The table of version 3 comes first: the one of version 2 cannot name memory above 4 GB
 * and may be cut. */
#include "boot/identity.h"

static const EFI_GUID smbios_guids[] = {
    {0xf2fd1544, 0x9794, 0x4a2c, {0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20, 0xe3, 0x94}}, /* version 3 */
    {0xeb9d2d31, 0x2d88, 0x11d3, {0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}}, /* version 2 */
};

static const uint8_t *entry_point(const struct firmware *firmware, const EFI_GUID *guid)
{
    EFI_SYSTEM_TABLE *table = firmware->table;
    for (UINTN i = 0; i < table->NumberOfTableEntries; i++)
        if (__builtin_memcmp(&table->ConfigurationTable[i].VendorGuid, guid, sizeof *guid) == 0)
            return table->ConfigurationTable[i].VendorTable;
    return NULL;
}

void identity_read(const struct firmware *firmware, struct board *board)
{
    __builtin_memset(board, 0, sizeof *board);
    for (unsigned i = 0; i < 2 && !board->name[0]; i++) {
        const uint8_t *entry = entry_point(firmware, &smbios_guids[i]);
        uint64_t table;
        size_t length;
        if (entry && smbios_entry(entry, &table, &length))
            smbios_walk((const uint8_t *)(uintptr_t)table, length, board);
    }
}
