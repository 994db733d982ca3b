; SPDX-License-Identifier: BSD-2-Clause
; listen.nasm: the two loops of loops.h that time goes by in, and nothing is visited.
bits 64
default rel

section .text align=64

; void loop_listen(uint64_t ticks, uint64_t gap[64])
global loop_listen:function hidden
align 64
loop_listen:
        lfence
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        mov     r8, rax         ; the last look
        lea     r9, [rax + rdi] ; the end
        align   16
.look:
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        mov     r10, rax
        sub     rax, r8
        jz      .same
        bsr     rcx, rax
        inc     qword [rsi + rcx * 8]
        mov     r8, r10
.same:
        cmp     r10, r9
        jb      .look
        ret

; uint64_t loop_pause(uint64_t steps)
global loop_pause:function hidden
align 64
loop_pause:
        lfence
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        mov     r8, rax
        align   16
.step:
        pause
        dec     rdi
        jnz     .step
        lfence
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        sub     rax, r8
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
