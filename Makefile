# SPDX-License-Identifier: BSD-2-Clause
# assay: `make run` boots the image in an emulator, `make test` passes every test, `make help` lists the rest.
MAKEFLAGS += -rR
.DELETE_ON_ERROR:
.SECONDEXPANSION:

CC       := gcc
CLANG    := clang
export SOURCE_DATE_EPOCH ?= 1735689600
export TZ := UTC
export LC_ALL := C

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wvla -Wundef -Wmissing-prototypes -Wstrict-prototypes
COMMON   := -std=c17 -I. -g -O2 $(WARNINGS) -ffp-contract=off -fno-strict-aliasing -MMD -MP
IMAGE_CFLAGS := $(COMMON) -ffreestanding -fpic -fshort-wchar -mno-red-zone -mno-avx -maccumulate-outgoing-args \
	-fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none -fvisibility=hidden
EFI_CFLAGS := -isystem /usr/include/efi -isystem /usr/include/efi/x86_64 -DGNU_EFI_USE_MS_ABI
HOST_CFLAGS := $(COMMON)

# The rooms (docs/architecture.md). WAIST: the part of kernel/ that every implementation of the machine shares.
WAIST  := kernel/front.c kernel/record.c kernel/declared.c
CORE   := $(wildcard base/*.c) $(WAIST) $(wildcard probes/*.c) $(wildcard report/*.c) $(wildcard run/*.c)
KERNEL := $(filter-out $(WAIST),$(wildcard kernel/*.c))
BOOT   := $(wildcard boot/*.c)
HOST   := $(wildcard tests/host/*.c)

IMAGE_OBJECTS := $(patsubst %,build/image/%.o,$(CORE) $(KERNEL) $(BOOT) tests/machine/contract.c $(wildcard kernel/*.nasm))
host_objects   = $(patsubst %,build/host/%.o,$(CORE) $(HOST) tests/machine/contract.c $(1))
LINUX_OBJECTS  := $(call host_objects,$(wildcard tests/linux/*.c) kernel/cpuid.c kernel/loops.nasm)
MODEL_OBJECTS  := $(call host_objects,$(wildcard tests/silicon/*.c))
REPLAY_OBJECTS := $(call host_objects,$(wildcard tests/replay/*.c))

build/image/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(IMAGE_CFLAGS) $(if $(filter boot/%,$<),$(EFI_CFLAGS)) -c -o $@ $<
build/host/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -c -o $@ $<
build/image/%.nasm.o build/host/%.nasm.o: %.nasm
	@mkdir -p $(@D)
	nasm -f elf64 -g -F dwarf -Wall -Werror -I./ -o $@ $<

build/assay-linux: $(LINUX_OBJECTS)
	$(CC) -o $@ $^
build/assay-model: $(MODEL_OBJECTS)
	$(CC) -o $@ $^
build/assay-replay: $(REPLAY_OBJECTS)
	$(CC) -o $@ $^

-include $(shell find build -name '*.d' 2>/dev/null)
