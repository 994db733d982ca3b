// SPDX-License-Identifier: BSD-2-Clause
/* fault.c: what happens when an exception arrives in quiet: the innermost fault_try() returns false and tells which it
 * was. A machine check is recovered from when the processor says that its state is whole; otherwise, while quiet is
 * being entered or left, and when a fault has nowhere to return to, the machine is reset: the journal on the stick
 * knows which probe was under way. */
#include "base/text.h"
#include "kernel/quiet.h"

enum { VECTOR_PAGE_FAULT = 14, VECTOR_MACHINE_CHECK = 18 };

enum { RESET_CONTROL = 0xcf9, RESET_FULL = 0x06, RESET_ARM = 0x02 };

static _Noreturn void reset_machine(void)
{
    static const struct table_register none = {0, 0};

    cpu_out_byte(RESET_CONTROL, RESET_ARM);
    cpu_out_byte(RESET_CONTROL, RESET_FULL);
    for (;;) { /* where that port resets nothing, a fault without a table does */
        cpu_set_idtr(none);
        __asm__ volatile("ud2");
    }
}

/* Whether the processor can go on after a machine check; fills what is known about it. Only errors that were not
 * corrected and that no bank held when quiet was entered are this one. Banks keep their record for whoever looks later;
 * only the mark that a machine check is being handled is cleared, or the next would shut down. */
static bool survives_machine_check(const struct processor *processor, struct fault *fault)
{
    const uint64_t error = 1ull << 63 | 1ull << 61 /* VAL and UC */, context_corrupt = 1ull << 57;
    bool whole = cpu_msr(IA32_MCG_STATUS) & 1; /* RIPV */
    struct text during = text_in(fault->during, sizeof fault->during);

    for (unsigned i = 0; i < processor->banks; i++) {
        uint64_t status = cpu_msr(IA32_MC0_STATUS + 4 * i);

        if ((status & error) != error || status == processor->bank[i])
            continue;
        if (during.length == 0) {
            text_format(&during, "machine check bank %u held this error", i);
            fault->error = status;
        }
        whole = whole && !(status & context_corrupt);
    }
    cpu_set_msr(IA32_MCG_STATUS, 0);
    return whole;
}

void fault_arrived(struct processor *processor, const struct frame *frame)
{
    struct recovery *recovery = processor->recovery;
    struct fault fault = {
        .happened = true, .vector = (unsigned)frame->vector, .error = frame->error, .rip = frame->rip};

    if (frame->vector == VECTOR_PAGE_FAULT)
        fault.cr2 = cpu_cr2();
    if (frame->vector == VECTOR_MACHINE_CHECK && (processor->switching || !survives_machine_check(processor, &fault)))
        reset_machine();
    if (recovery) {
        recovery->fault = fault;
        recovery_return(recovery);
    }
    reset_machine();
}

bool fault_try(struct machine *machine, void (*code)(void *), void *argument, struct fault *fault)
{
    struct processor *processor = machine->processor[machine->here];
    struct recovery recovery;
    bool whole;

    recovery.outer = processor->recovery;
    processor->recovery = &recovery;
    whole = recovery_call(&recovery, code, argument);
    processor->recovery = recovery.outer;
    if (!whole) {
        cpu_fresh_float();
        if (fault)
            *fault = recovery.fault;
    }
    return whole;
}
