// SPDX-License-Identifier: BSD-2-Clause
/* memory.c: see memory.h. */
#include "boot/memory.h"
#include "kernel/levels.h"

#define MB               (1ull << 20)
#define SENSIBLE         (8192 * MB) /* several times any cache of today */
#define RECORDING        (16 * MB)
#define SPECIFIC_PURPOSE 0x40000ull /* EFI_MEMORY_SP of UEFI 2.8: set aside for somebody, not ours to take */

enum { PAGE = 4096, MOST_RANGES = 256, SPARE_DESCRIPTORS = 16, MOST_TRIES = 2 };

struct map {
    uint8_t *bytes;
    UINTN size, step; /* of all descriptors, of one */
};

/* False: there is no map, and nothing to free. */
static bool read_map(const struct firmware *firmware, struct map *map)
{
    UINTN key;
    UINT32 version;
    map->bytes = NULL;
    map->size = 0;
    EFI_STATUS status = firmware->boot->GetMemoryMap(&map->size, NULL, &key, &map->step, &version);
    if (status != EFI_BUFFER_TOO_SMALL || map->step < sizeof(EFI_MEMORY_DESCRIPTOR))
        return false;
    /* Allocating for the map changes the map, once in a while by more than was spared. */
    for (unsigned i = 0; i < MOST_TRIES && status == EFI_BUFFER_TOO_SMALL; i++) {
        firmware_free(firmware, map->bytes);
        map->size += (i + 1) * SPARE_DESCRIPTORS * map->step;
        map->bytes = firmware_allocate(firmware, map->size);
        if (!map->bytes)
            return false;
        status =
            firmware->boot->GetMemoryMap(&map->size, (EFI_MEMORY_DESCRIPTOR *)map->bytes, &key, &map->step, &version);
    }
    if (EFI_ERROR(status))
        firmware_free(firmware, map->bytes);
    return !EFI_ERROR(status);
}

static const EFI_MEMORY_DESCRIPTOR *descriptor(const struct map *map, size_t index)
{
    return (const EFI_MEMORY_DESCRIPTOR *)(map->bytes + index * map->step);
}

static bool ordinary(const EFI_MEMORY_DESCRIPTOR *range)
{
    bool type = (range->Type >= EfiLoaderCode && range->Type <= EfiConventionalMemory) ||
                range->Type == EfiACPIReclaimMemory || range->Type == EfiACPIMemoryNVS;
    return type && (range->Attribute & EFI_MEMORY_WB);
}

/* The map's free ranges, neighbours joined. Returns how many; *all: bytes. */
static size_t free_ranges(const struct map *map, struct grant ranges[MOST_RANGES], uint64_t *all)
{
    size_t count = 0;
    *all = 0;
    for (size_t i = 0; i < map->size / map->step; i++) {
        const EFI_MEMORY_DESCRIPTOR *range = descriptor(map, i);
        uint64_t size = range->NumberOfPages * PAGE;
        if (range->Type != EfiConventionalMemory || !ordinary(range) || (range->Attribute & SPECIFIC_PURPOSE))
            continue;
        *all += size;
        if (count && ranges[count - 1].base + ranges[count - 1].size == range->PhysicalStart)
            ranges[count - 1].size += size;
        else if (count < MOST_RANGES)
            ranges[count++] = (struct grant){range->PhysicalStart, size};
    }
    return count;
}

/* The map as page tables need it: sorted, neighbours of one kind joined. */
static bool make_regions(struct memory *memory, const struct firmware *firmware, const struct map *map)
{
    size_t count = map->size / map->step, used = 0;
    struct region *regions = firmware_allocate(firmware, (count + 1) * sizeof *regions);
    if (!regions)
        return false;
    for (size_t i = 0; i < count; i++) {
        const EFI_MEMORY_DESCRIPTOR *range = descriptor(map, i);
        struct region region = {range->PhysicalStart, range->NumberOfPages * PAGE, ordinary(range)};
        size_t place = used++;
        for (; place > 0 && regions[place - 1].base > region.base; place--)
            regions[place] = regions[place - 1];
        regions[place] = region;
    }
    size_t joined = 0;
    for (size_t i = 1; i < used; i++) {
        struct region *last = &regions[joined];
        if (last->base + last->size == regions[i].base && last->ram == regions[i].ram)
            last->size += regions[i].size;
        else
            regions[++joined] = regions[i];
    }
    memory->regions = regions;
    memory->region_count = used ? joined + 1 : 0;
    return true;
}

static void give_back(const struct firmware *firmware, uint64_t base, uint64_t size)
{
    if (size)
        firmware->boot->FreePages(base, size / PAGE);
}

/* Zeroed pages. */
static bool take_pages(const struct firmware *firmware, uint64_t size, struct grant *taken)
{
    EFI_PHYSICAL_ADDRESS base = 0;
    size = (size + PAGE - 1) / PAGE * PAGE;
    if (EFI_ERROR(firmware->boot->AllocatePages(AllocateAnyPages, EfiLoaderData, size / PAGE, &base)))
        return false;
    *taken = (struct grant){base, size};
    __builtin_memset((void *)(uintptr_t)base, 0, size);
    return true;
}

bool memory_take_low(struct memory *memory, const struct firmware *firmware)
{
    EFI_PHYSICAL_ADDRESS base = UINT32_MAX;
    if (EFI_ERROR(firmware->boot->AllocatePages(AllocateMaxAddress, EfiLoaderCode, LEVELS_SIZE / PAGE, &base)))
        return false;
    memory->low = (struct grant){base, LEVELS_SIZE};
    return true;
}

static void take_grants(struct memory *memory, const struct firmware *firmware, const struct grant *planned,
                        unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        EFI_PHYSICAL_ADDRESS base = planned[i].base;
        if (EFI_ERROR(firmware->boot->AllocatePages(AllocateAddress, EfiLoaderData, planned[i].size / PAGE, &base)))
            continue;
        memory->grants[memory->grant_count++] = planned[i];
        memory->granted += planned[i].size;
    }
}

static const char *take(struct memory *memory, const struct firmware *firmware, size_t run, uint64_t most)
{
    struct grant ranges[MOST_RANGES], planned[MAX_GRANTS];
    struct map map;
    uint64_t all = 0;
    if (!read_map(firmware, &map))
        return "the firmware gives no memory map";
    free_ranges(&map, ranges, &all);
    firmware_free(firmware, map.bytes);
    uint64_t readings = all / 16 < RECORDING ? all / 16 / PAGE * PAGE : RECORDING;
    if (!take_pages(firmware, run, &memory->run) || !take_pages(firmware, readings, &memory->recording) ||
        !take_pages(firmware, kernel_own_size(most < all ? most : all), &memory->own))
        return "there is not enough memory for assay itself";
    if (!read_map(firmware, &map))
        return "the firmware gives no memory map";
    size_t count = free_ranges(&map, ranges, &all);
    bool made = make_regions(memory, firmware, &map);
    firmware_free(firmware, map.bytes);
    if (!made)
        return "there is not enough memory for assay itself";
    take_grants(memory, firmware, planned, plan_grants(ranges, count, most, plan_leave(all), planned));
    memory->left = all - memory->granted;
    return memory->grant_count ? NULL : "there is no free memory to measure with";
}

bool memory_take(struct memory *memory, const struct firmware *firmware, size_t run, uint64_t most, bool all,
                 const char **why)
{
    __builtin_memset(memory, 0, sizeof *memory);
    if (most == 0)
        most = all ? UINT64_MAX : SENSIBLE;
    *why = take(memory, firmware, run, most);
    if (*why)
        memory_free(memory, firmware);
    return !*why;
}

void memory_free(struct memory *memory, const struct firmware *firmware)
{
    for (unsigned i = 0; i < memory->grant_count; i++)
        give_back(firmware, memory->grants[i].base, memory->grants[i].size);
    give_back(firmware, memory->own.base, memory->own.size);
    give_back(firmware, memory->low.base, memory->low.size);
    give_back(firmware, memory->recording.base, memory->recording.size);
    give_back(firmware, memory->run.base, memory->run.size);
    firmware_free(firmware, memory->regions);
    __builtin_memset(memory, 0, sizeof *memory);
}
