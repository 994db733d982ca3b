; SPDX-License-Identifier: BSD-2-Clause
; script.nasm: the interpreter of scripts (script.h). All of it lies in the first KEPT bytes of a page, so that its code
; keeps to the cache sets that probes leave alone.
;   rsi  record          rdx  always 0, but only known to be so when the last load has arrived
;   r11  0, the mask     r8  1     r10  stack for OP_EXECUTE     r9  the caller's stack meanwhile
; A record is 32 bytes: handler, va, value, last.
bits 64
default rel

KEPT        equ 0x400
PAGE        equ 4096
RECORD_SIZE equ 32
VA          equ 8
VALUE       equ 16

section .text align=4096

%macro next_record 0
        add     rsi, RECORD_SIZE
        jmp     [rsi]
%endmacro

; struct script_record *script_execute(struct script_record *first, void *stack)
global script_execute:function hidden
script_execute:
        push    rbx
        xor     r11d, r11d
        xor     edx, edx
        mov     r8d, 1
        mov     r10, rsi
        mov     rsi, rdi
        mfence
        lfence
        jmp     [rsi]

step_pause:
        mov     rax, rsi
        pop     rbx
        ret

; Sixteen copies of the load and of the store: prefetchers tell instructions apart by their addresses.
%assign site 0
%rep 16
step_load_ %+ site:
        mov     rax, [rsi + VA]
        mov     rdx, [rax + rdx]
        mov     [rsi + VALUE], rdx
        and     rdx, r11
        next_record
%assign site site + 1
%endrep

%assign site 0
%rep 16
step_store_ %+ site:
        mov     rax, [rsi + VA]
        mov     rdi, [rsi + VALUE]
        mov     [rax + rdx], rdi
        next_record
%assign site site + 1
%endrep

step_prefetch:
        mov     rax, [rsi + VA]
        prefetcht0 [rax + rdx]
        next_record

step_flush_line:
        mov     rax, [rsi + VA]
        clflush [rax + rdx]
        next_record

step_fence:
        mfence
        lfence
        next_record

; One subtraction of a register a core cycle, begun when all before has ended.
step_wait:
        lfence
        mov     rax, [rsi + VALUE]
.cycle:
        sub     rax, r8
        ja      .cycle
        next_record

; A stop of a near jump walk (loops.h): it finds one step left, takes it away and returns.
step_execute:
        mov     eax, 1
        mov     ebx, 1
        mov     r9, rsp
        mov     rsp, r10
        call    [rsi + VA]
        mov     rsp, r9
        next_record

step_flush_page:
        mov     rax, [rsi + VA]
        invlpg  [rax]
        next_record

; Any change of CR4.PGE empties the TLBs, whichever way it was.
step_flush_tlb:
        mov     rax, cr4
        btc     rax, 7
        mov     cr4, rax
        btc     rax, 7
        mov     cr4, rax
        next_record

step_flush_caches:
        wbinvd
        next_record

step_set_root:
        mov     rax, cr3
        mov     cr3, rax
        next_record

; The stamp that a lap begins with. The records of the lap, as far as three of them reach, are at hand before the clock
; is read: behind the fence nothing hides the reading of records, and older ones may have pushed these out of the first
; level.
step_start:
        mov     rax, [rsi + RECORD_SIZE]
        mov     rax, [rsi + 2 * RECORD_SIZE]
        mov     rax, [rsi + 3 * RECORD_SIZE]
step_stamp:
        lfence
        rdtsc
        lfence
        shl     rdx, 32
        or      rax, rdx
        mov     [rsi + VALUE], rax
        xor     edx, edx
        next_record

; The last record in a page: on to the first of the next.
step_turn:
        or      rsi, PAGE - 1
        inc     rsi
        jmp     [rsi]

code_end:
%if code_end - script_execute > KEPT
%error "the interpreter does not fit into the kept part of a page"
%endif

; uint64_t script_handler(unsigned step)
global script_handler:function hidden
align 16
script_handler:
        lea     rcx, [steps]
        mov     edi, edi
        movsxd  rax, dword [rcx + rdi * 4]
        lea     rcx, [script_execute]
        add     rax, rcx
        ret

section .rodata align=4
steps:
%assign site 0
%rep 16
        dd      step_load_ %+ site - script_execute
%assign site site + 1
%endrep
%assign site 0
%rep 16
        dd      step_store_ %+ site - script_execute
%assign site site + 1
%endrep
        dd      step_prefetch - script_execute
        dd      step_flush_line - script_execute
        dd      step_fence - script_execute
        dd      step_wait - script_execute
        dd      step_execute - script_execute
        dd      step_flush_page - script_execute
        dd      step_flush_tlb - script_execute
        dd      step_flush_caches - script_execute
        dd      step_set_root - script_execute
        dd      step_start - script_execute
        dd      step_stamp - script_execute
        dd      step_turn - script_execute
        dd      step_pause - script_execute

section .note.GNU-stack noalloc noexec nowrite progbits
