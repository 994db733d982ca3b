; SPDX-License-Identifier: BSD-2-Clause
; entry.nasm: where faults arrive, and the stack switches that C cannot express.
;
; The processor jumps here through our IDT, in quiet only, on the stack that was in use. There are no global variables:
; the IDT is the first thing in struct processor (quiet.h), so IDTR tells whose fault it is.
	default	rel
	bits	64

NMI_SEEN	equ	512			; offset of struct processor.nmi_seen: 32 gates of 16 bytes

	section	.text
	global	entry_points:data hidden
	global	recovery_call:function hidden
	global	recovery_return:function hidden
	global	stack_call:function hidden
	extern	fault_arrived

; One entry of 16 bytes for each vector. Vectors 8, 10 to 14, 17, 21, 29 and 30 come with an error code; the others get 0
; in its place. The NMI goes its own way.
	align	16
entry_points:
%assign vector 0
%rep 32
	align	16
  %if vector = 2
	jmp	near nmi
  %else
    %if (vector != 8) && (vector < 10 || vector > 14) && (vector != 17) && (vector != 21) && (vector != 29) && (vector != 30)
	push	byte 0
    %endif
	push	byte vector
	jmp	near arrived
  %endif
%assign vector vector+1
%endrep
	align	16

; Every vector but 2. Stack: struct frame (quiet.h). Does not return: rdi = processor, rsi = frame.
arrived:
	cld
	mov	rsi, rsp
	sub	rsp, 16
	sidt	[rsp + 6]			; limit at rsp + 6, base at rsp + 8
	mov	rdi, [rsp + 8]
	and	rsp, -16
	call	fault_arrived
	ud2

; An NMI is counted and returned from; every register is kept.
nmi:
	push	rax
	sub	rsp, 16
	sidt	[rsp + 6]
	mov	rax, [rsp + 8]
	mov	rax, [rax + NMI_SEEN]
	lock inc	dword [rax]
	add	rsp, 16
	pop	rax
	iretq

; uint64_t recovery_call(struct recovery *, void (*code)(void *), void *argument)
recovery_call:
	mov	[rdi], rbx
	mov	[rdi + 8], rbp
	mov	[rdi + 16], r12
	mov	[rdi + 24], r13
	mov	[rdi + 32], r14
	mov	[rdi + 40], r15
	mov	[rdi + 48], rsp
	sub	rsp, 8
	mov	rdi, rdx
	call	rsi
	add	rsp, 8
	mov	eax, 1
	ret

; void recovery_return(struct recovery *): comes back from recovery_call with 0.
recovery_return:
	mov	rbx, [rdi]
	mov	rbp, [rdi + 8]
	mov	r12, [rdi + 16]
	mov	r13, [rdi + 24]
	mov	r14, [rdi + 32]
	mov	r15, [rdi + 40]
	mov	rsp, [rdi + 48]
	xor	eax, eax
	ret

; void stack_call(uint64_t top, void (*code)(void *), void *argument, uint64_t *outside)
stack_call:
	push	rbp
	mov	rbp, rsp
	mov	[rcx], rsp
	mov	rsp, rdi
	mov	rdi, rdx
	call	rsi
	mov	rsp, rbp
	pop	rbp
	ret

	section	.note.GNU-stack noalloc noexec nowrite progbits
