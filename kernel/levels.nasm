; SPDX-License-Identifier: BSD-2-Clause
; levels.nasm: from four levels of page tables to five, and back (levels.h).
;
; CR4.LA57 cannot be changed in long mode (Intel SDM volume 3, 2.5, "Control Registers"): long mode is left, and entered
; again, in the order of its chapter "Initializing IA-32e Mode": compatibility mode, paging off, CR4, CR3, paging on, a
; 64-bit code segment. While paging is off addresses are physical ones of 32 bits: all of this is copied to memory below
; 4 GB and runs there, at the address that it has in the tables, too. Nothing is loaded or stored in between, so that no
; segment but CS matters.
	bits	64

; Bytes from the beginning of that memory; levels.c fills them in.
CODE		equ	0
TABLE		equ	0x200			; our segment table: none, 32-bit code, 64-bit code
REGISTER	equ	0x220			; what GDTR is loaded with for it
FOUND_GDTR	equ	0x230
FOUND_IDTR	equ	0x240
FOUND_STACK	equ	0x250
FOUND_CODE	equ	0x258			; CS
CODE_32		equ	8
CODE_64		equ	16
PAGING_OFF	equ	0x7fffffff
PAGING_ON	equ	0x80000000

	section	.text
	global	levels_turn:function hidden
	global	levels_code:data hidden
	global	levels_code_end:data hidden
	global	levels_far:data hidden

; void levels_turn(void *low, uint32_t root, uint32_t cr4): edi, esi and edx are what levels_code finds.
levels_turn:
	jmp	rdi

levels_code:
	push	rbx
	push	rbp
	push	r12
	push	r13
	push	r14
	push	r15
	mov	ebx, edi
	sgdt	[rbx + FOUND_GDTR]
	sidt	[rbx + FOUND_IDTR]
	mov	[rbx + FOUND_STACK], rsp
	mov	[rbx + FOUND_CODE], cs
	lgdt	[rbx + REGISTER]
	lea	rax, [rbx + compatible - levels_code]
	push	CODE_32
	push	rax
	o64 retf
	bits	32
compatible:
	mov	eax, cr0
	and	eax, PAGING_OFF
	mov	cr0, eax
	jmp	short .off
.off:
	mov	cr4, edx
	mov	cr3, esi
	or	eax, PAGING_ON
	mov	cr0, eax
	jmp	short .on
.on:
	db	0xea				; jmp CODE_64:sixty_four, where levels_code has come to lie
levels_far:
	dd	sixty_four - levels_code
	dw	CODE_64
	bits	64
sixty_four:
	mov	ebx, ebx			; the upper halves of registers are not kept
	mov	rsp, [rbx + FOUND_STACK]
	lgdt	[rbx + FOUND_GDTR]
	lidt	[rbx + FOUND_IDTR]
	movzx	eax, word [rbx + FOUND_CODE]
	push	rax
	lea	rax, [rel .back]
	push	rax
	o64 retf
.back:
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbp
	pop	rbx
	ret
levels_code_end:
%if levels_code_end - levels_code > TABLE
%error "the code does not fit before the segment table"
%endif

	section	.note.GNU-stack noalloc noexec nowrite progbits
