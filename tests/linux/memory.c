// SPDX-License-Identifier: BSD-2-Clause
/* memory.c: memory for the probes: one memory file, mapped once as a whole and again, page by page, wherever a probe
 * asks in the view. Huge pages are taken where the system gives them: transparent ones first, because those can be
 * mapped in small pages as well, then reserved ones; never having any is no error. */
#define _GNU_SOURCE
#include "base/text.h"
#include "tests/linux/state.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    GREATEST_DEFAULT = 1 << 30,
    LEAST = LARGE_PAGE,
    COLLAPSE = 25 /* MADV_COLLAPSE, Linux 6.1: makes huge pages of small ones whatever the system's policy is */
};

uint64_t read_line_number(const char *path, const char *from, const char *word)
{
    FILE *file = fopen(path, "r");
    char line[512];
    bool reached = from == NULL;
    long long number = 0;

    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        if (!reached) {
            reached = text_starts(line, from);
        } else if (text_starts(line, word)) {
            if (sscanf(line + text_length(word), " %lli", &number) != 1)
                number = 0;
            break;
        }
    }
    fclose(file);
    return (uint64_t)number;
}

static uint64_t free_bytes(void)
{
    return read_line_number("/proc/meminfo", NULL, "MemAvailable:") * 1024;
}

/* Bytes of the mapping at `at` that are mapped in huge pages. */
static uint64_t huge_bytes(const void *at)
{
    char start[32];
    struct text text = text_in(start, sizeof start);

    text_format(&text, "%lx-", (unsigned long)(uintptr_t)at);
    return read_line_number("/proc/self/smaps", start, "ShmemPmdMapped:") * 1024;
}

bool populate(void *start, uint64_t size)
{
    if (madvise(start, size, MADV_POPULATE_WRITE) == 0)
        return true;
    if (errno != EINVAL)
        return false;
    for (uint64_t i = 0; i < size; i += SMALL_PAGE) { /* a kernel before 5.14 */
        volatile uint8_t *byte = (uint8_t *)start + i;
        *byte = *byte;
    }
    return true;
}

/* Reserves addresses aligned to a power of two; nothing is mapped there. */
static void *reserve(uint64_t size, uint64_t alignment)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint8_t *whole = mmap(NULL, size + alignment, PROT_NONE, flags, -1, 0);
    uint64_t before;

    if (whole == MAP_FAILED)
        return NULL;
    before = -(uintptr_t)whole % alignment;
    if (before)
        munmap(whole, before);
    munmap(whole + before + size, alignment - before);
    return whole + before;
}

struct view view_reserve(void)
{
    const uint64_t largest_page = (uint64_t)1 << 30;

    /* A limit on address space may refuse the largest. */
    for (uint64_t size = (uint64_t)1 << 40; size >= (uint64_t)16 << 30; size /= 4) {
        void *base = reserve(size, largest_page);
        if (base)
            return (struct view){(uintptr_t)base, size};
    }
    return (struct view){0, 0};
}

void *region_open(uint64_t size)
{
    void *region = reserve(size, size);

    if (!region || mprotect(region, size, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    madvise(region, size, MADV_HUGEPAGE);
    if (!populate(region, size))
        return NULL;
    mlock(region, size);
    return region;
}

/* Asks for huge pages. Each must hold something to be one, but what is not there yet need not be copied. */
static void collapse(uint8_t *at, uint64_t size)
{
    madvise(at, size, MADV_HUGEPAGE);
    for (uint64_t i = 0; i < size; i += LARGE_PAGE) {
        if (!populate(at + i, SMALL_PAGE))
            return;
    }
    madvise(at, size, COLLAPSE);
}

/* Makes a file of `size` bytes and maps it. False: not that much, or not in pages of that kind. */
static bool open_file(struct memory *memory, uint64_t size, unsigned kind)
{
    memory->size = size;
    memory->at = NULL;
    memory->file = memfd_create("assay", MFD_CLOEXEC | kind);
    if (memory->file < 0)
        return false;
    if (ftruncate(memory->file, (off_t)size) == 0) {
        void *place = reserve(size, LARGE_PAGE);
        void *at =
            place ? mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory->file, 0) : MAP_FAILED;
        memory->at = at == MAP_FAILED ? NULL : at;
        if (!memory->at && place)
            munmap(place, size);
    }
    if (memory->at && kind == 0)
        collapse(memory->at, size);
    if (memory->at && populate(memory->at, size))
        return true;
    memory_close(memory);
    return false;
}

/* Ordinary memory of at most `size` bytes, halved until it is granted. */
static bool open_ordinary(struct memory *memory, uint64_t size)
{
    for (; size >= LEAST; size = size / 2 / LARGE_PAGE * LARGE_PAGE) {
        if (open_file(memory, size, 0))
            return true;
    }
    return false;
}

bool memory_open(struct memory *memory, uint64_t bytes, const char **why)
{
    uint64_t available = free_bytes(), most = available / 4 * 3;

    if (bytes == 0)
        bytes = available / 4 < GREATEST_DEFAULT ? available / 4 : GREATEST_DEFAULT;
    if (bytes > most)
        bytes = most;
    bytes = bytes / LARGE_PAGE * LARGE_PAGE;
    if (bytes < LEAST || !open_ordinary(memory, bytes)) {
        *why = "less than 2 MB of memory can be had";
        return false;
    }
    memory->small = true;
    memory->large = huge_bytes(memory->at) >= memory->size;
    if (!memory->large) {
        struct memory reserved = {.file = -1};
        if (open_file(&reserved, memory->size, MFD_HUGETLB | MFD_HUGE_2MB)) {
            memory_close(memory);
            *memory = reserved;
            memory->large = true;
        } else {
            text_copy(memory->note, sizeof memory->note, "no huge pages: none reserved, and transparent ones refused");
        }
    }
    mlock(memory->at, memory->size);
    return true;
}

void memory_close(struct memory *memory)
{
    if (memory->at)
        munmap(memory->at, memory->size);
    if (memory->file >= 0)
        close(memory->file);
    memory->at = NULL;
    memory->file = -1;
}
