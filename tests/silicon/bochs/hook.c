// SPDX-License-Identifier: BSD-2-Clause
/* hook.c: where Bochs calls: accesses, cache and TLB instructions, jumps, ports; and what each costs the guest.
 *
 * Bochs calls back once for each access, in program order, when it has been made; a line or page crossing comes as two.
 * So accesses never overlap, and the model is asked for one at a time. */
#include "tests/silicon/bochs/hook.h"

enum {
    LINE_SHIFT = 6,
    FRAME = 4096,
    CALLED_CR3 = 11, /* Bochs' numbers: what changed the TLB, which cache instruction, which access */
    CALLED_CR4 = 12,
    CALLED_INVLPG = 15,
    CALLED_READ = 0,
    CALLED_RETURN = 14,
    PAGE_FAULT = 14, /* and what its error code says */
    ERROR_WRITE = 2,
    ERROR_FETCH = 16,
    OTHERS_USE = 64,  /* touches to one that is timed: a page with more is no measured one */
    LOOP_END = 2,     /* instructions that close a loop */
    FAR_AWAY = 65536, /* bytes: another stack */
    CR4_PCIDE = 1 << 17
};

static const uint64_t ROOT = 0x000ffffffffff000, PCID = 0xfff;

struct hook *hook_here(void)
{
    static struct hook hook;

    return &hook;
}

void hook_catch_up(struct hook *hook)
{
    uint64_t now = emulator_ticks(&hook->emulator), passed = now - hook->known, lost = 0;

    if (now <= hook->known) /* nothing has passed, or what had has been taken back */
        return;
    hook->known = now;
    if (hook->idle) {
        clock_idle(&hook->silicon->clock, passed);
        hook->idle = false;
        hook->waited += passed;
        return;
    }
    lost = silicon_pass(hook->silicon, passed);
    if (lost) { /* the model has counted it already */
        emulator_pass(&hook->emulator, lost);
        hook->known += lost;
        hook->waited += lost;
    }
}

void hook_wait(struct hook *hook, uint64_t ticks)
{
    hook->waited += ticks;
    emulator_pass(&hook->emulator, ticks);
}

uint64_t hook_tsc(struct hook *hook, uint64_t bochs_tsc)
{
    uint64_t adjustment = bochs_tsc - emulator_ticks(&hook->emulator), ticks;

    hook_catch_up(hook);
    ticks = clock_ticks(&hook->silicon->clock) + noise_jitter(&hook->silicon->noise);
    if (ticks < hook->last_tsc)
        ticks = hook->last_tsc;
    hook->last_tsc = ticks;
    return ticks + adjustment;
}

static uint64_t access_model(struct hook *hook, enum access_kind kind, uint64_t va, unsigned size, uint64_t ip)
{
    struct access access = {.core = 0, .kind = kind, .va = va, .size = size, .ip = ip};

    return silicon_access(hook->silicon, &access, NULL);
}

static uint64_t address_now(const struct hook *hook)
{
    return *cpu_word(emulator_processor(&hook->emulator), CPU_RIP_BEFORE);
}

/* Whether an access is one that somebody may come to measure. The stack's page is not: code that times something may
 * keep its locals there, as all other code does. Nor is a page that is touched far more often by code that nobody
 * measures: the guest works with it, and touched it by the way while it looked at the clock. */
static bool matters(struct hook *hook, uint64_t va, uint64_t pa)
{
    struct touches *touches = &hook->touches[pa / FRAME % GUEST_FRAMES];

    if (pa / FRAME >= GUEST_FRAMES)
        return hook->timed;
    if (hook->timed) {
        touches->timed++;
        return true;
    }
    if (touches->timed == 0 || touches->others > OTHERS_USE * touches->timed)
        return false;
    touches->others++;
    return va / FRAME != *cpu_word(emulator_processor(&hook->emulator), CPU_RSP) / FRAME;
}

/* Something begins that the guest measures. */
static void begin(struct hook *hook, void *processor)
{
    hook->frame = *cpu_word(processor, CPU_RSP);
    hook->timed = true;
}

/* A function has returned: the one in which it began? */
static void returned(struct hook *hook, void *processor)
{
    uint64_t stack = *cpu_word(processor, CPU_RSP);

    if (stack > hook->frame && stack - hook->frame < FAR_AWAY && !hook->all)
        hook->timed = false;
}

/* What Bochs calls. */

/* Cycles that a load takes more because of its form, told by what kernel/machine.h says of the forms: 4 bytes through a
 * base and an index; 8 through both and a displacement; into a floating-point register. There the move back is an
 * instruction of its own, which Bochs counts a cycle for: so much less, where that is included, is left for the load.
 */
static int64_t form_cycles(const struct hook *hook)
{
    uint16_t opcode = *(const uint16_t *)(const void *)(hook->instruction + INSTRUCTION_OPCODE);
    bool indexed = hook->instruction[INSTRUCTION_INDEX] != NO_INDEX;
    bool displaced = *(const int32_t *)(const void *)(hook->instruction + INSTRUCTION_DISPLACEMENT) != 0;

    if (opcode == hook->load_32)
        return indexed ? hook->description.load_32 : 0;
    if (opcode == hook->load_64)
        return indexed && displaced ? hook->description.load_indexed : 0;
    return opcode == hook->load_float ? (int64_t)hook->description.load_float - 1 : 0;
}

/* An access that goes through the model. */
__attribute__((noinline)) static void modelled(struct hook *hook, enum access_kind kind, uint64_t va, unsigned size)
{
    int64_t cycles;

    hook_catch_up(hook);
    cycles = (int64_t)access_model(hook, kind, va, size, address_now(hook));
    if (kind == ACCESS_LOAD)
        cycles += form_cycles(hook);
    if (cycles > 1)
        hook_wait(hook, (uint64_t)cycles - 1);
}

/* A page fault takes what the machine's file says of delivery and return, and the walk that found no page; no TLB is
 * filled (as in a process: process/script.c). However many instructions the guest's handler has, they are part of that:
 * the clock goes on from there where the stack is given back that was in use. */
static void exception(unsigned processor, unsigned vector, unsigned error)
{
    struct hook *hook = hook_here();
    void *state = emulator_processor(&hook->emulator);
    enum access_kind kind = error & ERROR_FETCH ? ACCESS_FETCH : error & ERROR_WRITE ? ACCESS_STORE : ACCESS_LOAD;

    (void)processor;
    if (vector != PAGE_FAULT || hook->fault_end)
        return;
    hook_catch_up(hook);
    hook->fault_end = emulator_ticks(&hook->emulator) + hook->description.fault +
                      access_model(hook, kind, *cpu_word(state, CPU_CR2), 1, address_now(hook));
    hook->fault_frame = *cpu_word(state, CPU_RSP);
}

/* A function has returned while a fault is handled: to where it is recovered from? */
static void recovered(struct hook *hook, void *processor)
{
    uint64_t stack = *cpu_word(processor, CPU_RSP), end = hook->fault_end, now = emulator_ticks(&hook->emulator) + 1;

    if (stack <= hook->fault_frame)
        return;
    hook->fault_end = 0;
    if (now < end)
        hook_wait(hook, end - now);
    else
        emulator_take_back(&hook->emulator, (uint32_t)(now - end));
}

static void lin_access(unsigned processor, uint64_t va, uint64_t pa, unsigned size, unsigned type, unsigned access)
{
    struct hook *hook = hook_here();

    (void)processor;
    (void)type;
    if (matters(hook, va, pa) && !hook->fault_end)
        modelled(hook, (access & 3) == CALLED_READ ? ACCESS_LOAD : ACCESS_STORE, va, size);
}

/* PREFETCHh: the line comes, and nobody waits. */
static void prefetch_hint(unsigned processor, unsigned what, unsigned segment, uint64_t va)
{
    struct hook *hook = hook_here();

    (void)processor;
    (void)what;
    (void)segment;
    if (!hook->timed)
        return;
    hook_catch_up(hook);
    access_model(hook, ACCESS_LOAD, va, 1, address_now(hook));
}

/* Cycles of a taken jump beyond the one that Bochs counts: its own, and those of fetching where it goes. */
static uint64_t jump_cycles(struct hook *hook, uint64_t from, uint64_t to)
{
    uint64_t cycles = fetch_jump(hook->silicon->fetch, 0, from, to, false);

    if (from >> LINE_SHIFT != to >> LINE_SHIFT) {
        hook_catch_up(hook);
        cycles += access_model(hook, ACCESS_FETCH, to, 1, from) - hook->fetch_hit;
    }
    return cycles > 1 ? cycles - 1 : 0;
}

/* A conditional jump back, and the instruction that it tests, are no part of the chain that their loop repeats: a core
 * that issues several instructions a cycle executes them beside it. The counter is a chain of its own, though, so a
 * round takes a cycle at least. */
static void jump(unsigned number, uint64_t from, uint64_t to)
{
    struct hook *hook = hook_here();
    uint64_t cycles, count, round;

    (void)number;
    if (!hook->timed || hook->fault_end)
        return;
    cycles = jump_cycles(hook, from, to);
    count = *cpu_word(emulator_processor(&hook->emulator), CPU_COUNT);
    round = count - hook->jump_at;
    hook->jump_at = count;
    if (cycles)
        hook_wait(hook, cycles);
    else if (to < from && round > 1)
        emulator_take_back(&hook->emulator, round > LOOP_END ? LOOP_END : 1);
}

static void unconditional_jump(unsigned number, unsigned what, uint64_t from, uint64_t to)
{
    struct hook *hook = hook_here();
    uint64_t cycles;

    (void)number;
    if (hook->fault_end && what == CALLED_RETURN)
        recovered(hook, emulator_processor(&hook->emulator));
    if (!hook->timed)
        return;
    cycles = hook->fault_end ? 0 : jump_cycles(hook, from, to);
    if (cycles)
        hook_wait(hook, cycles);
    if (what == CALLED_RETURN)
        returned(hook, emulator_processor(&hook->emulator));
}

/* What an instruction takes beyond the one cycle that Bochs counts for it. */
static void charge(struct hook *hook, unsigned cycles)
{
    if (cycles > 1)
        hook_wait(hook, cycles - 1);
}

static void tlb_control(unsigned processor, unsigned what, uint64_t value)
{
    struct hook *hook = hook_here();
    bool tagged = *cpu_word(emulator_processor(&hook->emulator), CPU_CR4) & CR4_PCIDE;

    (void)processor;
    if (what == CALLED_INVLPG) {
        silicon_flush_page(hook->silicon, 0, value);
        charge(hook, hook->description.invlpg);
        return;
    }
    if (what != CALLED_CR3) {
        silicon_flush_tlb(hook->silicon, 0, true);
        if (what == CALLED_CR4) /* one of the two writes of CR4.PGE */
            charge(hook, hook->description.flush_tlb / 2);
        return;
    }
    hook->ground.root = value & ROOT;
    translation_set_pcid(hook->silicon->translation, 0, tagged ? value & PCID : 0);
    if (!tagged || !(value >> 63))
        silicon_flush_tlb(hook->silicon, 0, false);
    charge(hook, hook->description.set_root);
}

static void cache_control(unsigned processor, unsigned what)
{
    (void)processor;
    (void)what;
    silicon_flush_caches(hook_here()->silicon, 0);
}

/* The physical address that Bochs passes is that of an earlier access. */
static void clflush(unsigned processor, uint64_t va, uint64_t stale)
{
    struct hook *hook = hook_here();
    struct translated translated;

    (void)processor;
    (void)stale;
    translated = translation_peek(hook->silicon->translation, 0, va);
    if (!translated.fault)
        silicon_flush_line(hook->silicon, 0, translated.pa);
}

static void halt(unsigned processor)
{
    struct hook *hook = hook_here();

    (void)processor;
    hook_catch_up(hook);
    hook->idle = true;
}

static void port_access(uint16_t port, unsigned size, unsigned value)
{
    (void)port;
    (void)size;
    (void)value;
    hook_wait(hook_here(), hook_here()->port);
}

static void reset(unsigned processor, unsigned how)
{
    (void)processor;
    (void)how;
    hook_here()->ground.stale = true;
}

/* An instruction that takes more than one cycle, or tells what is timed. */
__attribute__((noinline)) static void special(struct hook *hook, const uint8_t *instruction, unsigned opcode)
{
    void *processor = emulator_processor(&hook->emulator);
    uint64_t start = *cpu_word(processor, CPU_RIP_BEFORE);

    if (opcode == hook->mfence)
        hook->full_end = start + instruction[INSTRUCTION_LENGTH];
    else if (opcode == hook->lfence)
        hook->fence_end = start + instruction[INSTRUCTION_LENGTH];
    else if (opcode == hook->rdtsc && start == hook->fence_end)
        hook->clock_end = start + instruction[INSTRUCTION_LENGTH];
    if (opcode == hook->lfence && (start == hook->full_end || start == hook->clock_end))
        begin(hook, processor);
    hook_wait(hook, hook->more[opcode] - 1u);
}

/* Before every instruction that Bochs executes, so what it does for nearly all of them is two loads, a store and
 * nothing else: `more` is 0. */
static void before_execution(unsigned number, const uint8_t *instruction)
{
    struct hook *hook = hook_here();
    uint16_t opcode = *(const uint16_t *)(const void *)(instruction + INSTRUCTION_OPCODE);

    (void)number;
    hook->instruction = instruction;
    if (hook->more[opcode] != 0)
        special(hook, instruction, opcode);
}

static bool replace_entries(const char **why)
{
    return emulator_replace("_Z19bx_instr_lin_accessjmmjjj", (uintptr_t)lin_access, why) &&
           emulator_replace("_Z22bx_instr_prefetch_hintjjjm", (uintptr_t)prefetch_hint, why) &&
           emulator_replace("_Z27bx_instr_cnear_branch_takenjmm", (uintptr_t)jump, why) &&
           emulator_replace("_Z22bx_instr_ucnear_branchjjmm", (uintptr_t)unconditional_jump, why) &&
           emulator_replace("_Z18bx_instr_tlb_cntrljjm", (uintptr_t)tlb_control, why) &&
           emulator_replace("_Z20bx_instr_cache_cntrljj", (uintptr_t)cache_control, why) &&
           emulator_replace("_Z18bx_instr_exceptionjjj", (uintptr_t)exception, why) &&
           emulator_replace("_Z16bx_instr_clflushjmm", (uintptr_t)clflush, why) &&
           emulator_replace("_Z12bx_instr_hltj", (uintptr_t)halt, why) &&
           emulator_replace("_Z13bx_instr_inp2tjj", (uintptr_t)port_access, why) &&
           emulator_replace("_Z13bx_instr_outptjj", (uintptr_t)port_access, why) &&
           emulator_replace("_Z14bx_instr_resetjj", (uintptr_t)reset, why) &&
           emulator_replace("_Z25bx_instr_before_executionjP15bxInstruction_c", (uintptr_t)before_execution, why);
}

/* Bochs' debugger looks after each instruction and access whether it is asked to stop there, a fifth of all time. It
 * never is. */
static bool silence_debugger(const char **why)
{
    return emulator_silence("_ZN8BX_CPU_C22dbg_instruction_epilogEv", why) &&
           emulator_silence("_Z24bx_dbg_lin_memory_accessjmmjjjPh", why);
}

bool hook_replace(const char **why)
{
    return replace_entries(why) && silence_debugger(why);
}
