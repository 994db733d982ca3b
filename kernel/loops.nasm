; SPDX-License-Identifier: BSD-2-Clause
; loops.nasm: the timed loops of loops.h. Position-independent, no privileged instruction, SSE2 at most, so the same
; object serves the image and a user-space program.
;
; Every function has the same frame: arguments are moved to registers that neither RDTSC nor RDTSCP destroys, everything
; that is saved is saved before the first look at the clock, results are stored after the second. In between lie only
; the visits, the counting register and one branch per round.
;   r8  clock at the start    r9  whether RDTSCP may be used    rsi rounds, then single steps    r10 single steps left
bits 64
default rel
%use smartalign
alignmode p6, 64               ; what is skipped before a loop is a few long NOPs

ROUND equ 64                    ; visits between two branches

section .text align=64

%macro clock_start 0
        mfence                  ; what was stored before is none of this run's business
        lfence
        rdtsc
        lfence
        shl     rdx, 32
        or      rax, rdx
        mov     r8, rax
%endmacro

; rax: ticks since clock_start. Destroys rcx and rdx.
%macro clock_stop 0
        test    r9, r9
        jz      %%without
        rdtscp
        lfence
        jmp     %%difference
%%without:
        lfence
        rdtsc
        lfence
%%difference:
        shl     rdx, 32
        or      rax, rdx
        sub     rax, r8
%endmacro

; Splits the steps in rsi into rounds of %1 visits (rsi) and single steps (r10).
%macro rounds_of 1
        mov     rax, rsi
        xor     edx, edx
        mov     ecx, %1
        div     rcx
        mov     rsi, rax
        mov     r10, rdx
%endmacro

; Repeats the macro %2: whole rounds of %1, then the rest one by one. %2 takes the number of the visit in its round.
%macro repeat 2
        test    rsi, rsi
        jz      %%singles
        align   64
%%round:
%assign visit 0
%rep %1
        %2      visit
%assign visit visit + 1
%endrep
        dec     rsi
        jnz     %%round
%%singles:
        test    r10, r10
        jz      %%done
        align   16
%%single:
        %2      0
        dec     r10
        jnz     %%single
%%done:
%endmacro

; The visits before the clock starts: %1 is made as often as r8 says, from rdi, which is left as it was. Destroys rax.
%macro warm_up 1
        test    r8, r8
        jz      %%done
        mov     rax, rdi
        align   16
%%again:
        %1      0
        dec     r8
        jnz     %%again
        mov     rdi, rax
%%done:
%endmacro

; uint64_t loop_nothing(uint64_t rdtscp)
global loop_nothing:function hidden
align 64
loop_nothing:
        mov     r9, rdi
        clock_start
        clock_stop
        ret

; uint64_t loop_load(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t *end, uint64_t warm)
%macro visit_load 1
        mov     rdi, [rdi]
%endmacro
global loop_load:function hidden
align 64
loop_load:
        mov     r9, rdx
        mov     r11, rcx
        rounds_of ROUND
        warm_up visit_load
        clock_start
        repeat  ROUND, visit_load
        clock_stop
        test    r11, r11
        jz      .no_end
        mov     [r11], rdi
.no_end:
        ret

; uint64_t loop_loadN(const uint64_t start[N], uint64_t steps, uint64_t rdtscp): half as many rounds as above, because
; each visit here is N loads.
%macro visit_load2 1
        mov     rdi, [rdi]
        mov     r11, [r11]
%endmacro
%macro visit_load3 1
        visit_load2 0
        mov     rbx, [rbx]
%endmacro
%macro visit_load4 1
        visit_load3 0
        mov     rbp, [rbp]
%endmacro
%macro interleaved_loads 1
global loop_load%1:function hidden
align 64
loop_load%1:
        push    rbx
        push    rbp
        mov     r9, rdx
        rounds_of ROUND / 2
        mov     r11, [rdi + 8]
%if %1 > 2
        mov     rbx, [rdi + 16]
%endif
%if %1 > 3
        mov     rbp, [rdi + 24]
%endif
        mov     rdi, [rdi]
        clock_start
        repeat  ROUND / 2, visit_load%1
        clock_stop
        pop     rbp
        pop     rbx
        ret
%endmacro
interleaved_loads 2
interleaved_loads 3
interleaved_loads 4

; uint64_t loop_load_32(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t base, uint64_t warm)
%macro visit_load_32 1
        mov     edi, [r11 + rdi]
%endmacro
global loop_load_32:function hidden
align 64
loop_load_32:
        mov     r9, rdx
        mov     r11, rcx
        sub     rdi, rcx
        rounds_of ROUND
        warm_up visit_load_32
        clock_start
        repeat  ROUND, visit_load_32
        clock_stop
        ret

; uint64_t loop_load_indexed(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t warm): base and displacement
; cancel out, so the links are the same as those of loop_load.
DISPLACEMENT equ 0x40
%macro visit_load_indexed 1
        mov     rdi, [r11 + rdi * 1 + DISPLACEMENT]
%endmacro
global loop_load_indexed:function hidden
align 64
loop_load_indexed:
        mov     r9, rdx
        mov     r8, rcx
        mov     r11, -DISPLACEMENT
        rounds_of ROUND
        warm_up visit_load_indexed
        clock_start
        repeat  ROUND, visit_load_indexed
        clock_stop
        ret

; uint64_t loop_load_float(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t warm)
%macro visit_load_float 1
        movsd   xmm0, [rdi]
        movq    rdi, xmm0
%endmacro
global loop_load_float:function hidden
align 64
loop_load_float:
        mov     r9, rdx
        mov     r8, rcx
        rounds_of ROUND
        warm_up visit_load_float
        clock_start
        repeat  ROUND, visit_load_float
        clock_stop
        ret

; uint64_t loop_store(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t warm). Two registers take turns, so that
; no move lies between a link and the next load. The stored word is the stop's own address.
%macro visit_store 1
%if %1 % 2 == 0
        mov     r11, [rdi]
        mov     [rdi + 8], rdi
%else
        mov     rdi, [r11]
        mov     [r11 + 8], r11
%endif
%endmacro
%macro visit_store_single 1
        mov     r11, [rdi]
        mov     [rdi + 8], rdi
        mov     rdi, r11
%endmacro
global loop_store:function hidden
align 64
loop_store:
        mov     r9, rdx
        mov     r8, rcx
        rounds_of ROUND
        warm_up visit_store_single
        clock_start
        test    rsi, rsi
        jz      .singles
        align   64
.round:
%assign visit 0
%rep ROUND
        visit_store visit
%assign visit visit + 1
%endrep
        dec     rsi
        jnz     .round
.singles:
        repeat  1, visit_store_single
        clock_stop
        ret

; uint64_t loop_exchange(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t warm)
%macro visit_exchange 1
%if %1 % 2 == 0
        mov     r11, [rdi]
        xchg    [rdi + 8], rcx
%else
        mov     rdi, [r11]
        xchg    [r11 + 8], rcx
%endif
%endmacro
%macro visit_exchange_single 1
        mov     r11, [rdi]
        xchg    [rdi + 8], rcx
        mov     rdi, r11
%endmacro
global loop_exchange:function hidden
align 64
loop_exchange:
        mov     r9, rdx
        mov     r8, rcx
        rounds_of ROUND
        warm_up visit_exchange_single
        clock_start
        test    rsi, rsi
        jz      .singles
        align   64
.round:
%assign visit 0
%rep ROUND
        visit_exchange visit
%assign visit visit + 1
%endrep
        dec     rsi
        jnz     .round
.singles:
        repeat  1, visit_exchange_single
        clock_stop
        ret

; uint64_t loop_jump(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t *left, uint64_t warm). What the stops
; expect and do is told in loops.h and built by link.c.
global loop_jump:function hidden
align 64
loop_jump:
        push    rbx
        mov     r9, rdx
        mov     r11, rcx
        mov     rbx, r8
        mov     eax, 1
        test    rbx, rbx
        jz      .warm
        call    rdi
.warm:
        mov     rbx, rsi
        clock_start
        test    rbx, rbx
        jz      .done
        mov     eax, 1
        call    rdi
.done:
        clock_stop
        mov     [r11], rbx
        pop     rbx
        ret

; Streams: four 16-byte accesses a line, sixteen lines a round.
%macro line_read 1
        movaps  xmm0, [rdi + %1 * 64]
        movaps  xmm1, [rdi + %1 * 64 + 16]
        movaps  xmm2, [rdi + %1 * 64 + 32]
        movaps  xmm3, [rdi + %1 * 64 + 48]
%endmacro
%macro line_write 1
        movaps  [rdi + %1 * 64], xmm0
        movaps  [rdi + %1 * 64 + 16], xmm1
        movaps  [rdi + %1 * 64 + 32], xmm2
        movaps  [rdi + %1 * 64 + 48], xmm3
%endmacro
%macro line_write_nt 1
        movntps [rdi + %1 * 64], xmm0
        movntps [rdi + %1 * 64 + 16], xmm1
        movntps [rdi + %1 * 64 + 32], xmm2
        movntps [rdi + %1 * 64 + 48], xmm3
%endmacro
%macro line_copy 1
        line_read %1
        movaps  [r11 + %1 * 64], xmm0
        movaps  [r11 + %1 * 64 + 16], xmm1
        movaps  [r11 + %1 * 64 + 32], xmm2
        movaps  [r11 + %1 * 64 + 48], xmm3
%endmacro

; uint64_t loop_<name>(uint64_t start, uint64_t lines, uint64_t rdtscp). %3: bytes from source to target are in r11.
%macro stream 3
global loop_%1:function hidden
align 64
loop_%1:
        mov     r9, rdx
%if %3
        mov     r11, rsi
        shl     r11, 6
        add     r11, rdi
%endif
        rounds_of 16
        xorps   xmm0, xmm0
        xorps   xmm1, xmm1
        xorps   xmm2, xmm2
        xorps   xmm3, xmm3
        clock_start
        test    rsi, rsi
        jz      .singles
        align   64
.round:
%assign visit 0
%rep 16
        %2      visit
%assign visit visit + 1
%endrep
        add     rdi, 16 * 64
%if %3
        add     r11, 16 * 64
%endif
        dec     rsi
        jnz     .round
.singles:
        test    r10, r10
        jz      .done
        align   16
.single:
        %2      0
        add     rdi, 64
%if %3
        add     r11, 64
%endif
        dec     r10
        jnz     .single
.done:
        sfence                  ; streaming stores have left their buffers before the clock is read
        clock_stop
        ret
%endmacro
stream read, line_read, 0
stream write, line_write, 0
stream write_nt, line_write_nt, 0
stream copy, line_copy, 1

; uint64_t loop_<name>(uint64_t steps, uint64_t variables, uint64_t rdtscp): 48 instructions a round, which 1, 2, 3 and 4
; chains divide. Register operands: some cores perform additions of constants for nothing.
BLOCK_ROUND equ 48
%macro chain_element 3          ; instruction, chains, number in the round
%assign chain %3 % %2
%if chain == 0
        %1      rdi, r11
%elif chain == 1
        %1      rax, r11
%elif chain == 2
        %1      rcx, r11
%else
        %1      rdx, r11
%endif
%endmacro
%macro block 2
global loop_%1:function hidden
align 64
loop_%1:
        push    rbx
        mov     r9, rdx
        mov     rbx, rsi
        mov     rsi, rdi
        rounds_of BLOCK_ROUND
        mov     r11d, 3
        mov     edi, 5
        clock_start
%assign chains 1
%rep 4
        cmp     rbx, chains
        je      .chains_ %+ chains
%assign chains chains + 1
%endrep
        jmp     .done
%assign chains 1
%rep 4
        align   64
.chains_ %+ chains:
        test    rsi, rsi
        jz      .singles
        align   64
.round_ %+ chains:
%assign number 0
%rep BLOCK_ROUND
        chain_element %2, chains, number
%assign number number + 1
%endrep
        dec     rsi
        jnz     .round_ %+ chains
        jmp     .singles
%assign chains chains + 1
%endrep
.singles:
        test    r10, r10
        jz      .done
        align   16
.single:
        %2      rdi, r11
        dec     r10
        jnz     .single
.done:
        clock_stop
        pop     rbx
        ret
%endmacro
block add, add
block multiply, imul

section .note.GNU-stack noalloc noexec nowrite progbits
