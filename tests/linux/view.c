// SPDX-License-Identifier: BSD-2-Clause
/* view.c: the view of user space: parts of the memory file mapped again where a probe asks. Two mappings of one part
 * are two translations of one physical line, which is all that a probe wants of page tables here. */
#define _GNU_SOURCE
#include "kernel/link.h"
#include "tests/linux/state.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

bool back_span(struct machine *machine, unsigned index, struct span *span)
{
    /* A guest's large page is the guest's: what the hypervisor laid behind it may be scattered in small ones (measured:
     * an L2 of 1 MB began to miss at 384 KB). Order inside the smallest page is certain everywhere. */
    bool certain = machine->memory.large && !machine->facts.hypervisor[0];
    uint64_t size = machine->memory.size, contiguous = certain ? LARGE_PAGE : SMALL_PAGE;

    if (index != 0)
        return refuse(machine, "no span %u: user space has one", index);
    if (machine->contiguous) {
        contiguous = SMALL_PAGE;
        while (contiguous * 2 <= size)
            contiguous *= 2;
    }
    *span = (struct span){.base = memory_base, .size = size, .contiguous = contiguous};
    return true;
}

uint64_t back_page(struct machine *machine, unsigned index)
{
    uint64_t page[3] = {0};
    unsigned count = 0;

    if (machine->memory.small)
        page[count++] = SMALL_PAGE;
    if (machine->memory.large)
        page[count++] = LARGE_PAGE;
    return index < count ? page[index] : 0;
}

void *back_at(struct machine *machine, uint64_t pa)
{
    return machine->memory.at + (pa - memory_base);
}

uint64_t *back_entry(struct machine *machine, uint64_t va, unsigned level)
{
    (void)va, (void)level;
    refuse(machine, "user space has no page tables of its own");
    return NULL;
}

static bool unmap(struct machine *machine, uint64_t va, uint64_t size)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;

    if (mmap((void *)(uintptr_t)va, size, PROT_NONE, flags, -1, 0) == MAP_FAILED)
        return refuse(machine, "cannot unmap 0x%llx: %s", (unsigned long long)va, strerror(errno));
    mappings_set(&machine->mappings, (struct mapping){.va = va, .size = size});
    return true;
}

bool back_map(struct machine *machine, uint64_t va, uint64_t pa, uint64_t size, uint64_t page, enum memtype type)
{
    void *at = (void *)(uintptr_t)va;

    if (page && type != MEM_WB)
        return refuse(machine, "user space cannot choose memory types: all of it is write-back");
    if (!mappings_reserve(&machine->mappings))
        return refuse(machine, "no memory to remember another mapping");
    if (!page)
        return unmap(machine, va, size);
    if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, machine->memory.file,
             (off_t)(pa - memory_base)) == MAP_FAILED)
        return refuse(machine, "cannot map 0x%llx: %s", (unsigned long long)va, strerror(errno));
    mappings_set(&machine->mappings, (struct mapping){.va = va, .size = size, .pa = pa, .page = page});
    /* The memory itself may be huge: then only advice keeps Linux from translating it by large pages. */
    if (machine->memory.large && machine->memory.small)
        madvise(at, size, page == LARGE_PAGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (!populate(at, size))
        return unmap(machine, va, size) &&
               refuse(machine, "cannot populate 0x%llx: %s", (unsigned long long)va, strerror(errno));
    return true;
}

void *view_alias(struct machine *machine, uint64_t va)
{
    const struct mapping *mapping = mappings_find(&machine->mappings, va);

    return mapping ? machine->memory.at + (mapping->pa - memory_base + (va - mapping->va)) : NULL;
}

bool view_use(struct machine *machine, uint64_t va, bool code)
{
    const struct mapping *found;
    struct mapping piece;

    if (!mappings_reserve(&machine->mappings))
        return false;
    found = mappings_find(&machine->mappings, va);
    if (found->code == code)
        return true;
    piece = (struct mapping){.va = va / found->page * found->page, .size = found->page, .page = found->page};
    piece.pa = found->pa + (piece.va - found->va);
    piece.code = code;
    if (mprotect((void *)(uintptr_t)piece.va, piece.size, PROT_READ | (code ? PROT_EXEC : PROT_WRITE)) != 0)
        return false;
    mappings_set(&machine->mappings, piece);
    return true;
}

bool back_link(struct machine *machine, enum op op, uint64_t from, uint64_t to)
{
    void *stop = view_alias(machine, from);
    const char *refusal;

    if (!stop)
        return refuse(machine, "stop 0x%llx is not mapped", (unsigned long long)from);
    if (to && !view_alias(machine, to))
        return refuse(machine, "stop 0x%llx is not mapped", (unsigned long long)to);
    refusal = link_write(op, stop, from, to, machine->front.view.base);
    if (refusal)
        return refuse(machine, "%s", refusal);
    if (!view_use(machine, from, link_is_code(op)))
        return refuse(machine, "cannot change what 0x%llx is for: %s", (unsigned long long)from, strerror(errno));
    return true;
}
