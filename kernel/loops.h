// SPDX-License-Identifier: BSD-2-Clause
/* loops.h: the timed loops (loops.nasm, listen.nasm), shared by bare metal and user space. System V calling convention.
 * Each reads the clock with LFENCE; RDTSC; LFENCE before and RDTSCP; LFENCE after (LFENCE; RDTSC; LFENCE where `rdtscp`
 * is 0), keeps everything in registers between the two, and returns the difference in ticks, overhead included. Loops
 * are unrolled 48 to 64 times so that their own branches cost less than 1 %; a count that is not a multiple is finished
 * one by one. `end`, where there is one, receives the last stop. `warm` visits from the start come before the first
 * look at the clock, in registers as well. */
#pragma once
#include <stdint.h>

uint64_t loop_nothing(uint64_t rdtscp); /* the overhead itself */
uint64_t loop_load(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t *end, uint64_t warm);
/* So many steps of each walk, interleaved. */
uint64_t loop_load2(const uint64_t start[2], uint64_t steps, uint64_t rdtscp);
uint64_t loop_load3(const uint64_t start[3], uint64_t steps, uint64_t rdtscp);
uint64_t loop_load4(const uint64_t start[4], uint64_t steps, uint64_t rdtscp);
uint64_t loop_load_32(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t base,
                      uint64_t warm); /* links are 4-byte offsets from base */
uint64_t loop_load_indexed(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t warm);
uint64_t loop_load_float(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t warm);
uint64_t loop_store(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t warm);
uint64_t loop_exchange(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t warm);

/* Jumps. Before the first stop RBX holds the steps and EAX 1. A stop, 16 bytes at most (written by link.c), is
 *     sub ebx, eax    29 C3   (near: 48 29 C3, sub rbx, rax)
 *     jz  back        74 FD   into the second byte of the subtraction, which is a RET
 *     jmp next        E9 rel32, or, far: mov rcx, next; jmp rcx
 * so every stop is one taken branch, near or far, and needs nothing outside its own bytes; the far one fills the 16 and
 * has room for a 32-bit count only. A stop that counts no step (OP_PASS) is the last line alone. A stop that ends the
 * walk is the subtraction, where it counts, and a RET. The call and the return touch one stack word, once a run.
 * `left`: the steps that were not made because the walk ended; where stops pass, `steps`, `warm` and `left` are of
 * those that count. */
uint64_t loop_jump(uint64_t start, uint64_t steps, uint64_t rdtscp, uint64_t *left, uint64_t warm);

/* Streams over lines of 64 bytes; start is a multiple of 64. A copy reads `lines` lines and writes the lines after
 * them. */
uint64_t loop_read(uint64_t start, uint64_t lines, uint64_t rdtscp);
uint64_t loop_write(uint64_t start, uint64_t lines, uint64_t rdtscp);
uint64_t loop_write_nt(uint64_t start, uint64_t lines, uint64_t rdtscp);
uint64_t loop_copy(uint64_t start, uint64_t lines, uint64_t rdtscp);

/* Dependent additions, or multiplications, of registers; variables: 1 to 4. */
uint64_t loop_add(uint64_t steps, uint64_t variables, uint64_t rdtscp);
uint64_t loop_multiply(uint64_t steps, uint64_t variables, uint64_t rdtscp);

/* PAUSE, so many times: 1 or more, between LFENCE; RDTSC: about how long they take, and no measure. */
uint64_t loop_pause(uint64_t steps);

/* Watches the clock for `ticks`, counting jumps of 2^i to 2^(i+1) - 1 ticks between neighbouring reads in gap[i]. */
void loop_listen(uint64_t ticks, uint64_t gap[64]);
