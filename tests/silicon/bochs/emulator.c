// SPDX-License-Identifier: BSD-2-Clause
/* emulator.c: finding Bochs in the process, and making sure that it is the one that is known.
 *
 * Debian builds Bochs 2.7 with instrumentation and exported symbols: each bx_instr_* call site is there and calls an
 * empty function of 16 bytes. Symbols tell where things are, but not how structures are laid out; so every place whose
 * layout is relied upon is compared byte by byte with the code that was analysed (?? stands for what the linker
 * chooses), and the addresses of the time counters are taken out of that very code. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "tests/silicon/bochs/emulator.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RETURN = 0xc3 };

struct shape {
    const char *symbol;
    unsigned offset;   /* from the symbol */
    const char *bytes; /* hexadecimal, ?? for any */
};

static const char get_tsc[] = "_ZN8BX_CPU_C7get_TSCEv";

static const struct shape shapes[] = {
    /* eax = period - countdown; rax += total, then the processor's own adjustment */
    {get_tsc, 0, "8b05????????2b05????????480305????????480387c0020000c3"},
    /* the counters again, as fields of the system: period at 163c, total at 1640 */
    {"_ZN14bx_pc_system_c14countdownEventEv", 17, "8b9f30160000448ba73c160000"},
    {"_ZN14bx_pc_system_c14countdownEventEv", 46, "4c03a7401600004c89a740160000"},
    /* the argument is what the counters say, the result goes to rax and rdx: both clock instructions come through it */
    {"_ZN8BX_CPU_C5RDTSCEP15bxInstruction_c", 0x41, "8b35????????2b35????????480335????????4803b3c0020000e8"},
    {"_ZN8BX_CPU_C5RDTSCEP15bxInstruction_c", 0x6a, "4889c289c148c1ea2048894b5889c131c0488953685b"},
    {"_ZN8BX_CPU_C6RDTSCPEP15bxInstruction_c", 0x53, "8b35????????4889df2b35????????480335????????4803b3c0020000e8"},
    {"_ZN8BX_CPU_C17get_TSC_VMXAdjustEm", 0, "534889fb4883ec20"},
    /* rcx, rax and rdx, privilege level, and what is done around a write */
    {"_ZN8BX_CPU_C5RDMSREP15bxInstruction_c", 0x19, "80bf75010000000f85????????80bf60920000008b6f60"},
    {"_ZN8BX_CPU_C5RDMSREP15bxInstruction_c", 0x47, "4889e289ee4889dfe8????????84c00f84"},
    {"_ZN8BX_CPU_C5RDMSREP15bxInstruction_c", 0x5c, "488b042489c248c1e8204889535848894368"},
    {"_ZN8BX_CPU_C5WRMSREP15bxInstruction_c", 0x14, "8b6f688b4758c787e893000000000000448b6760"},
    {"_ZN8BX_CPU_C5WRMSREP15bxInstruction_c", 0x41, "4889ea4489e64889dfe8????????84c0"},
    {"_ZN8BX_CPU_C5RDPMCEP15bxInstruction_c", 0, "534889fbf687b102000001750d80bf75010000000f85"},
    {"_ZN8BX_CPU_C5CPUIDEP15bxInstruction_c", 0x33, "488b7b388b53604889e18b7358488b07ff5028"},
    /* address of the instruction under way, how many there were, its length and opcode */
    {"_ZN8BX_CPU_C8cpu_loopEv", 0x105, "4983863001000001"},
    {"_ZN8BX_CPU_C8cpu_loopEv", 0xeb, "4889de498b86d8000000418b7e3049898610010000e8"},
    {"_ZN8BX_CPU_C8cpu_loopEv", 0x16b, "4c8b7424084889de418b7e30e8????????0fb64322490186d8000000"},
    {"_ZN8BX_CPU_C5RDTSCEP15bxInstruction_c", 0xbb, "0fb77e20e8????????"},
    {"_ZN8BX_CPU_C9MOV_GqEqMEP15bxInstruction_c", 0x10, "0fb64b2a486353340fb6432940f6c602744e480354c75883f904"},
    /* vector and error code of an exception; where the address of a page fault is kept */
    {"_ZN8BX_CPU_C9exceptionEjt", 0x63, "8b7b3089ee440fb6fd4489e2e8"},
    {"_ZN8BX_CPU_C10page_faultEjmjj", 0x7f, "4989ac24a0020000"},
    {"_Z18get_bx_opcode_namet", 0, "31c06681ff5e0c770e0fb7ff488d05????????488b04f8c3"},
    {"_ZN8BX_MEM_C14getHostMemAddrEP8BX_CPU_Cmj", 0, "41574156415541544189d455534883ec08482335"},
};

static unsigned digit(char character)
{
    return (unsigned)(character <= '9' ? character - '0' : character - 'a' + 10);
}

static bool matches(const uint8_t *code, const char *bytes)
{
    for (; *bytes; code++, bytes += 2) {
        if (*bytes != '?' && *code != (digit(bytes[0]) << 4 | digit(bytes[1])))
            return false;
    }
    return true;
}

static void *find(const char *symbol, const char **why)
{
    void *found = dlsym(RTLD_DEFAULT, symbol);

    if (!found)
        *why = symbol;
    return found;
}

/* A function's address is data here. */
static void *function_at(const char *symbol, void *target, size_t size, const char **why)
{
    void *found = find(symbol, why);

    memcpy(target, &found, size);
    return found;
}

/* What an instruction at `code` with a displacement from its end in the last four of `length` bytes refers to. */
static void *referred(const uint8_t *code, unsigned length)
{
    int32_t displacement;

    memcpy(&displacement, code + length - 4, sizeof displacement);
    return (void *)(code + length + displacement);
}

static bool known(const char **why)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint8_t *code = find(shapes[i].symbol, why);

        if (!code)
            return false;
        if (!matches(code + shapes[i].offset, shapes[i].bytes)) {
            *why = shapes[i].symbol;
            return false;
        }
    }
    return true;
}

#define FUNCTION(member, symbol) function_at(symbol, &emulator->member, sizeof emulator->member, why)

bool emulator_find(struct emulator *emulator, const char **why)
{
    const uint8_t *code;

    if (!known(why))
        return false;
    code = find(get_tsc, why);
    emulator->period = referred(code, 6);
    emulator->countdown = referred(code + 6, 6);
    emulator->total = referred(code + 12, 7);
    emulator->system = find("bx_pc_system", why);
    emulator->processors = find("bx_cpu_array", why);
    if (!emulator->system || !emulator->processors)
        return false;
    if ((char *)emulator->period != (char *)emulator->system + 0x163c ||
        (char *)emulator->countdown != (char *)emulator->system + 0x1638 ||
        (char *)emulator->total != (char *)emulator->system + 0x1640) {
        *why = "bx_pc_system";
        return false;
    }
    return FUNCTION(countdown_event, "_ZN14bx_pc_system_c14countdownEventEv") &&
           FUNCTION(host_address, "_ZN8BX_MEM_C14getHostMemAddrEP8BX_CPU_Cmj") &&
           FUNCTION(read_msr, "_ZN8BX_CPU_C5rdmsrEjPm") && FUNCTION(write_msr, "_ZN8BX_CPU_C5wrmsrEjm") &&
           FUNCTION(exception, "_ZN8BX_CPU_C9exceptionEjt") && FUNCTION(opcode_name, "_Z18get_bx_opcode_namet");
}

static bool write_code(const char *symbol, const uint8_t *bytes, size_t count, const char **why)
{
    uint8_t *code = find(symbol, why);
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)code & ~(page - 1);
    size_t length = ((uintptr_t)code + count - first + page - 1) & ~(page - 1);

    if (!code)
        return false;
    if (strstr(symbol, "bx_instr_") && *code != RETURN) {
        *why = symbol; /* an entry of the instrumentation that is not empty: somebody else's */
        return false;
    }
    if (mprotect((void *)first, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        *why = "the operating system lets no code be written";
        return false;
    }
    memcpy(code, bytes, count);
    mprotect((void *)first, length, PROT_READ | PROT_EXEC);
    return true;
}

bool emulator_replace(const char *symbol, uintptr_t target, const char **why)
{
    uint8_t jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; /* mov rax, target; jmp rax */

    memcpy(jump + 2, &target, sizeof target);
    return write_code(symbol, jump, sizeof jump, why);
}

bool emulator_silence(const char *symbol, const char **why)
{
    static const uint8_t nothing[] = {0x31, 0xc0, RETURN}; /* xor eax, eax; ret */

    return write_code(symbol, nothing, sizeof nothing, why);
}

void emulator_pass(struct emulator *emulator, uint64_t ticks)
{
    while (ticks >= *emulator->countdown) {
        ticks -= *emulator->countdown;
        *emulator->countdown = 0;
        emulator->countdown_event(emulator->system);
    }
    *emulator->countdown -= (uint32_t)ticks;
}

void emulator_take_back(struct emulator *emulator, uint32_t ticks)
{
    if (*emulator->period - *emulator->countdown >= ticks)
        *emulator->countdown += ticks;
}
