// SPDX-License-Identifier: BSD-2-Clause
/* trap.c: faults of user space, told as the processor told them: Linux hands the exception's vector and error code on.
 */
#define _GNU_SOURCE
#include "tests/linux/state.h"
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
enum { SIGNALS = sizeof signals / sizeof *signals, PAGE_FAULT = 14 };

static void handle(int number, siginfo_t *info, void *context)
{
    const ucontext_t *at = context;
    struct trap *trap = at->uc_stack.ss_sp;

    if (info->si_code <= 0 || !trap || !trap->jump) { /* sent by somebody, or outside any protection: not ours */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    *trap->fault = (struct fault){
        .happened = true,
        .vector = (unsigned)at->uc_mcontext.gregs[REG_TRAPNO],
        .error = (uint64_t)at->uc_mcontext.gregs[REG_ERR],
        .rip = (uint64_t)at->uc_mcontext.gregs[REG_RIP],
    };
    if (trap->fault->vector == PAGE_FAULT)
        trap->fault->cr2 = (uint64_t)at->uc_mcontext.gregs[REG_CR2];
    siglongjmp(*trap->jump, 1);
}

bool trap_open(struct machine *machine)
{
    void *memory = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_sp = memory, .ss_size = SIGNAL_STACK};
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    if (memory == MAP_FAILED)
        return false;
    if (sigaltstack(&stack, NULL) != 0) {
        munmap(memory, SIGNAL_STACK);
        return false;
    }
    machine->trap = memory;
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, NULL);
    return true;
}

void trap_close(struct machine *machine)
{
    stack_t none = {.ss_flags = SS_DISABLE};

    if (!machine->trap)
        return;
    for (unsigned i = 0; i < SIGNALS; i++)
        signal(signals[i], SIG_DFL);
    sigaltstack(&none, NULL);
    munmap(machine->trap, SIGNAL_STACK);
    machine->trap = NULL;
}

bool trap_try(struct machine *machine, void (*code)(void *), void *argument, struct fault *fault)
{
    struct trap *trap = machine->trap;
    const struct trap outer = *trap;
    sigjmp_buf here;
    bool whole = false;

    if (sigsetjmp(here, 1) == 0) {
        trap->jump = &here;
        trap->fault = fault;
        code(argument);
        whole = true;
    }
    *machine->trap = outer;
    return whole;
}
