// SPDX-License-Identifier: BSD-2-Clause
/* check.c: the arguments of the waist's calls. A mistake of a probe must be refused in the same words by the model, by
 * user space and on a board, before it can do harm on any of them. */
#include "kernel/check.h"

/* Whether [start, start + size) lies inside [base, base + length); no sum overflows. */
static bool inside(uint64_t start, uint64_t size, uint64_t base, uint64_t length)
{
    return start >= base && start - base <= length && size <= length - (start - base);
}

static bool in_view(struct machine *machine, uint64_t va, uint64_t size)
{
    struct view view = ((struct front *)machine)->view;

    return inside(va, size, view.base, view.size);
}

bool check_granted(struct machine *machine, uint64_t pa, uint64_t size)
{
    struct span span;

    for (unsigned i = 0; back_span(machine, i, &span); i++) {
        if (inside(pa, size, span.base, span.size))
            return true;
    }
    return refuse(machine, "physical memory 0x%llx to 0x%llx is not granted", (unsigned long long)pa,
                  (unsigned long long)(pa + size - 1));
}

static bool check_page(struct machine *machine, uint64_t page)
{
    for (unsigned i = 0; back_page(machine, i); i++) {
        if (back_page(machine, i) == page)
            return true;
    }
    return refuse(machine, "no pages of %llu bytes here", (unsigned long long)page);
}

bool check_mapping(struct machine *machine, uint64_t va, uint64_t pa, uint64_t size, uint64_t page, enum memtype type)
{
    uint64_t unit = page ? page : back_page(machine, 0);

    if (page && !check_page(machine, page))
        return false;
    if (size == 0 || va % unit || size % unit || (page && pa % unit))
        return refuse(machine, "mapping 0x%llx to 0x%llx, %llu bytes, is not made of whole aligned pages of %llu bytes",
                      (unsigned long long)va, (unsigned long long)(page ? pa : 0), (unsigned long long)size,
                      (unsigned long long)unit);
    if (!in_view(machine, va, size))
        return refuse(machine, "mapping at 0x%llx, %llu bytes, is outside the view", (unsigned long long)va,
                      (unsigned long long)size);
    if (!page)
        return true;
    if ((unsigned)type > MEM_UC)
        return refuse(machine, "no memory type %u", (unsigned)type);
    return check_granted(machine, pa, size);
}

bool check_entry(struct machine *machine, uint64_t va, unsigned level)
{
    if (level < 1 || level > 5)
        return refuse(machine, "no table level %u: they are 1 to 5", level);
    if (!in_view(machine, va, 1))
        return refuse(machine, "address 0x%llx is outside the view", (unsigned long long)va);
    return true;
}

static bool is_jump(enum op op)
{
    return op == OP_JUMP || op == OP_JUMP_FAR || op == OP_PASS || op == OP_PASS_FAR;
}

bool check_link(struct machine *machine, enum op op, uint64_t from, uint64_t to)
{
    uint64_t size = is_jump(op) ? 16 : 8;

    if ((unsigned)op > OP_HANDOFF && !is_jump(op))
        return refuse(machine, "operation %u has no links", (unsigned)op);
    if (!in_view(machine, from, size))
        return refuse(machine, "stop 0x%llx is outside the view", (unsigned long long)from);
    if (!(to == 0 && is_jump(op)) && !in_view(machine, to, size))
        return refuse(machine, "stop 0x%llx is outside the view", (unsigned long long)to);
    return true;
}

bool check_tasks(struct machine *machine, const struct task *tasks, size_t count)
{
    unsigned cores = back_cores(machine);

    if (count < 1 || count > MAX_TASKS)
        return refuse(machine, "%llu tasks asked for: 1 to %d run at once", (unsigned long long)count, (int)MAX_TASKS);
    for (size_t i = 0; i < count; i++) {
        if ((unsigned)tasks[i].op > OP_COPY)
            return refuse(machine, "operation %u is no task: it is for scripts", (unsigned)tasks[i].op);
        if (tasks[i].steps == 0)
            return refuse(machine, "task %u has no steps", (unsigned)i);
        if (tasks[i].warm && (count > 1 || tasks[i].op > OP_JUMP_FAR))
            return refuse(machine, "task %u: only a walk that is alone has visits before the clock starts",
                          (unsigned)i);
        if (tasks[i].lap && (!is_jump(tasks[i].op) || tasks[i].steps % tasks[i].lap || tasks[i].warm % tasks[i].lap))
            return refuse(machine, "task %u: only jumps are counted by laps, and whole ones", (unsigned)i);
        if (tasks[i].core >= cores)
            return refuse(machine, "no core %u: there are %u", tasks[i].core, cores);
        if (!in_view(machine, tasks[i].start, 8))
            return refuse(machine, "task %u starts at 0x%llx, outside the view", (unsigned)i,
                          (unsigned long long)tasks[i].start);
    }
    return true;
}

/* Operations that touch no address, so that visit.va means nothing. */
static bool needs_no_address(enum op op)
{
    return op == OP_FLUSH_TLB || op == OP_FLUSH_CACHES || op == OP_SET_ROOT || op == OP_FENCE || op == OP_WAIT;
}

static bool is_for_scripts(enum op op)
{
    return (unsigned)op <= OP_EXCHANGE || ((unsigned)op >= OP_EXECUTE && (unsigned)op <= OP_FAULT);
}

bool check_visits(struct machine *machine, const struct visit *visits, size_t count)
{
    uint64_t seen = 0; /* laps that have begun */

    if (count == 0)
        return refuse(machine, "a script of no visits");
    for (size_t i = 0; i < count; i++) {
        const struct visit *visit = &visits[i];
        if (!is_for_scripts(visit->op))
            return refuse(machine, "operation %u of visit %llu is not for scripts", (unsigned)visit->op,
                          (unsigned long long)i);
        if (visit->site >= 16 || visit->lap >= MAX_LAPS)
            return refuse(machine, "visit %llu: site %u, lap %u; sites are 0 to 15, laps 0 to %d",
                          (unsigned long long)i, visit->site, visit->lap, MAX_LAPS - 1);
        if (!needs_no_address(visit->op) && !in_view(machine, visit->va, 1))
            return refuse(machine, "visit %llu at 0x%llx is outside the view", (unsigned long long)i,
                          (unsigned long long)visit->va);
        if (visit->lap == 0 || (i > 0 && visits[i - 1].lap == visit->lap))
            continue;
        if (seen >> visit->lap & 1)
            return refuse(machine, "lap %u is not of neighbouring visits", visit->lap);
        seen |= (uint64_t)1 << visit->lap;
    }
    return true;
}

bool check_block(struct machine *machine, const struct block *block, uint64_t steps)
{
    if ((unsigned)block->kind >= BLOCK_COUNT)
        return refuse(machine, "no block of kind %u", (unsigned)block->kind);
    if (block->variables < 1 || block->variables > 4)
        return refuse(machine, "%u variables in a block: 1 to 4 are possible", block->variables);
    if (steps == 0)
        return refuse(machine, "a block of no steps");
    return true;
}
