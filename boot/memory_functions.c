// SPDX-License-Identifier: BSD-2-Clause
/* memory_functions.c: the four functions that compilers call by themselves (GCC manual, "-ffreestanding"), for the
 * image, which has no C library. A plain loop could be turned by the compiler into a call of the very function that it
 * is in. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *to, const void *from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int byte, size_t length);
int memcmp(const void *one, const void *other, size_t length);

void *memcpy(void *to, const void *from, size_t length)
{
    void *at = to;
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(length) : : "memory");
    return to;
}

void *memset(void *to, int byte, size_t length)
{
    void *at = to;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(length) : "a"(byte) : "memory");
    return to;
}

void *memmove(void *to, const void *from, size_t length)
{
    if ((uintptr_t)to - (uintptr_t)from >= length)
        return memcpy(to, from, length);
    while (length-- > 0) {
        ((uint8_t *)to)[length] = ((const uint8_t *)from)[length];
        __asm__ volatile("" : : : "memory"); /* else this loop is a call of itself */
    }
    return to;
}

int memcmp(const void *one, const void *other, size_t length)
{
    const uint8_t *left = one, *right = other;
    for (size_t i = 0; i < length; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}
