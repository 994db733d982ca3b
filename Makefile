# SPDX-License-Identifier: BSD-2-Clause
# assay: `make run` boots the image in an emulator, `make test` passes every test, `make help` lists the rest.
# As many jobs as processors, unless make was told otherwise.
JOBS := $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
MAKEFLAGS += -rR $(JOBS)
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:
.DEFAULT_GOAL := all

CC       := gcc
CLANG    := clang
PYTHON   := /usr/bin/python3
export SOURCE_DATE_EPOCH ?= 1735689600
export TZ := UTC
export LC_ALL := C
export PYTHONDONTWRITEBYTECODE := 1
# sgdisk and mkfs.vfat live there, and a plain user's PATH on Debian does not name it.
export PATH := $(PATH):/usr/sbin:/sbin

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wvla -Wundef -Wmissing-prototypes -Wstrict-prototypes
COMMON   := -std=c17 -I. -g -O2 $(WARNINGS) -ffp-contract=off -fno-strict-aliasing -MMD -MP
# What clang has no options for. It always does what gcc must be told first (gcc's manual: ms_abi needs it); what each call
# takes of the stack is for tests/stack.py.
GCC_ONLY := -maccumulate-outgoing-args -fcallgraph-info=su
# The image has to be small (image.mk): all is compiled for size but what stands around timed loops.
IMAGE_CFLAGS = $(COMMON) $(if $(filter kernel/timing.c kernel/measure.c,$<),,-Oz) -ffreestanding -fpic -fshort-wchar -mno-red-zone -mno-avx \
	-fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none -fvisibility=hidden
EFI_CFLAGS := -isystem /usr/include/efi -isystem /usr/include/efi/x86_64 -DGNU_EFI_USE_MS_ABI
# The model is what tests wait for most: it is compiled as a whole, into one object.
WHOLE := -O3 -flto=auto
HOST_CFLAGS = $(COMMON) $(if $(filter tests/silicon/%,$<),$(WHOLE))
SANITIZED_CFLAGS = $(COMMON) -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
ASSEMBLE = nasm -f elf64 -g -F dwarf -Wall -Werror -I./ -MD $@.d -MP -o $@ $<

# The rooms (docs/architecture.md). WAIST: the part of kernel/ that every implementation of the machine shares.
WAIST  := kernel/front.c kernel/check.c kernel/key.c kernel/payload.c kernel/record.c kernel/declared.c
# LOOPS: the part of it that any program on a real processor can use, privileged or not.
LOOPS  := $(addprefix kernel/,cpuid.c layout.c link.c timing.c loops.nasm listen.nasm script.nasm)
CORE   := $(wildcard base/*.c) $(WAIST) $(wildcard probes/*.c) $(wildcard report/*.c) $(wildcard run/*.c)
# CONTRACT: what every machine keeps to. SELFTEST: what selftest.efi has where assay.efi has boot/no_selftest.c.
CONTRACT := $(wildcard tests/machine/*.c)
SELFTEST := boot/selftest.c kernel/selftest.c $(CONTRACT)
KERNEL := $(filter-out $(WAIST) $(SELFTEST),$(wildcard kernel/*.c))
BOOT   := $(filter-out $(SELFTEST),$(wildcard boot/*.c))
HOST   := $(wildcard tests/host/*.c)
# SILICON: the model itself; MODEL: the model as a machine in a process. Under Bochs it is a library (image.mk).
SILICON := $(wildcard tests/silicon/*.c)
MODEL  := $(SILICON) $(wildcard tests/silicon/process/*.c)
REPLAY := $(wildcard tests/replay/*.c)
PEERS  := $(wildcard tests/peers/*.c)
UNIT   := $(wildcard tests/unit/test_*.c)

# Parts of kernel/, boot/ and tests/linux/ that touch neither a machine nor firmware, for the unit tests.
PURE   := $(LOOPS) $(wildcard kernel/pages.c boot/plan.c boot/smbios.c boot/load_options.c) hosted/result.c hosted/side.c \
	tests/linux/wait.c
# Parts of boot/ that the unit tests test_boot_*.c give a firmware of their own.
PLAYED := boot/console.c boot/screen.c boot/firmware.c boot/view.c boot/menu.c

IMAGE_SOURCES := $(CORE) $(KERNEL) $(BOOT) $(wildcard kernel/*.nasm)
host_sources   = $(CORE) $(HOST) $(CONTRACT) $(1)
# FACTS: a program beside the one for Linux: what the model rests on, asked of this computer's CPU.
FACTS  := tests/linux/facts.c tests/linux/noise.c base/random.c base/text.c base/number.c kernel/declared.c kernel/link.c $(LOOPS)
SHARED_SOURCES := $(call host_sources,)
LINUX_SOURCES := $(call host_sources,$(filter-out tests/linux/facts.c tests/linux/noise.c,$(wildcard tests/linux/*.c)) $(LOOPS))
MODEL_SOURCES := $(call host_sources,$(MODEL))
REPLAY_SOURCES := $(call host_sources,$(REPLAY))
# Programs that read results: what they share with the image, and what they have of their own.
DIFF_SOURCES := $(wildcard base/*.c report/*.c) probes/note.c run/version.c hosted/result.c hosted/side.c \
	$(wildcard hosted/diff*.c)
REPORT_SOURCES := $(wildcard base/*.c report/*.c) probes/note.c hosted/result.c hosted/report.c
HOST_PROGRAMS := build/assay-linux build/assay-model build/assay-replay build/assay-diff build/assay-report
IMAGES := build/assay.efi build/selftest.efi build/assay.img build/assay-floppy.img

.PHONY: all
all: $(IMAGES) $(HOST_PROGRAMS) build/silicon-bochs.so

include image.mk

build/image/%.c.o: %.c | build/set-up-run
	@mkdir -p $(@D)
	@echo "  cc      $<"
	@$(CC) $(IMAGE_CFLAGS) $(GCC_ONLY) $(if $(filter boot/%,$<),$(EFI_CFLAGS)) -c -o $@ $<
build/host/%.c.o: %.c | build/set-up-run
	@mkdir -p $(@D)
	@echo "  cc      $< (host)"
	@$(CC) $(HOST_CFLAGS) -c -o $@ $<
build/image/%.nasm.o: %.nasm | build/set-up-run
	@mkdir -p $(@D)
	@echo "  nasm    $<"
	@$(ASSEMBLE)
build/host/%.nasm.o: %.nasm | build/set-up-run
	@mkdir -p $(@D)
	@echo "  nasm    $<"
	@$(ASSEMBLE)

build/assay-linux: $(LINUX_SOURCES:%=build/host/%.o)
	@echo "  link    $@"
	@$(CC) -o $@ $^
build/assay-model: build/host/model.o $(SHARED_SOURCES:%=build/host/%.o)
	@echo "  link    $@"
	@$(CC) -o $@ $^
build/assay-report: $(REPORT_SOURCES:%=build/host/%.o)
	@echo "  link    $@"
	@$(CC) -o $@ $^ -ljansson
build/assay-diff: $(DIFF_SOURCES:%=build/host/%.o)
	@echo "  link    $@"
	@$(CC) -o $@ $^ -ljansson
build/facts-linux: $(FACTS:%=build/host/%.o)
	@echo "  link    $@"
	@$(CC) -o $@ $^
build/bench-model: build/host/tests/silicon/bench/bench.c.o build/host/model.o build/host/shared.a
	@echo "  link    $@"
	@$(CC) $(WHOLE) -o $@ $^
# The comparison with other tools (docs/peers.md).
build/bench-peers: $(PEERS:%=build/host/%.o) build/host/model.o build/host/shared.a
	@echo "  link    $@"
	@$(CC) $(WHOLE) -o $@ $^
build/host/model.o: $(MODEL:%=build/host/%.o)
	@echo "  link    $@"
	@$(CC) $(WHOLE) -r -flinker-output=nolto-rel -o $@ $^
# A program of its own main takes of what all host programs share what it needs.
build/host/shared.a: $(patsubst %,build/host/%.o,$(filter-out %/main.c,$(SHARED_SOURCES)))
	@rm -f $@
	@ar rcsD $@ $^
build/assay-replay: $(REPLAY_SOURCES:%=build/host/%.o)
	@echo "  link    $@"
	@$(CC) -o $@ $^

# Set-up: each stamp stands until what is needed changes.
build/set-up-run build/set-up-test build/set-up-check: build/set-up-%: tools/setup.sh
	@sh tools/setup.sh $* $@

# One after the other, also under make -j: two apt-get at a time lock each other out.
build/set-up-test: | build/set-up-run
build/set-up-check: | build/set-up-test

# Unit tests: each test_*.c is a program of its own, with sanitizers, over the same sources. The libraries let a test take
# the units that it needs; the machine behind them is the model, but for test_replay*.c.
build/sanitized/%.c.o: %.c | build/set-up-test
	@mkdir -p $(@D)
	@echo "  cc      $< (sanitized)"
	@$(CC) $(SANITIZED_CFLAGS) $(if $(filter $(PLAYED) tests/unit/test_boot_%,$<),$(EFI_CFLAGS) -fshort-wchar) -c -o $@ $<
build/sanitized/%.nasm.o: %.nasm | build/set-up-test
	@mkdir -p $(@D)
	@echo "  nasm    $< (sanitized)"
	@$(ASSEMBLE)
build/sanitized/core.a: $(patsubst %,build/sanitized/%.o,$(CORE) $(PURE) $(PLAYED) $(filter-out %/bench.c,$(PEERS)) \
	$(CONTRACT))
build/sanitized/model.a: $(MODEL:%=build/sanitized/%.o)
build/sanitized/replay.a: $(REPLAY:%=build/sanitized/%.o)
build/sanitized/core.a build/sanitized/model.a build/sanitized/replay.a:
	@rm -f $@
	@ar rcsD $@ $^
# Those that make a hundred million visits and more: their model is that of build/assay-model, three times as fast. The
# probes are sanitized there, too, and the model is in all other programs.
LONG := $(addprefix test_,caches crowd dtlb dtlb_lines dtlb_shared elsewhere inclusion itlb kept l1d minimal probes push rule)
machine_of = $(if $(findstring test_replay,$1),build/sanitized/replay.a,$(if $(filter $1,$(LONG)),build/host/shared.a,\
	build/sanitized/model.a))
build/unit/%: build/sanitized/tests/unit/%.c.o $$(if $$(filter $$*,$$(LONG)),build/host/model.o) build/sanitized/core.a \
	$$(call machine_of,$$*)
	@mkdir -p $(@D)
	@echo "  link    $@"
	@$(CC) -fsanitize=address,undefined -o $@ -Wl,--start-group $^ -Wl,--end-group -lcmocka -ljansson -lm
UNIT_PROGRAMS := $(UNIT:tests/unit/%.c=build/unit/%)
.PHONY: unit
unit: $(UNIT_PROGRAMS)
	@for test in $(UNIT_PROGRAMS); do echo "== $$test"; $$test || exit 1; done

# The other compiler: all of the image's and the host programs' C, and the model as a program.
build/clang/image/%.c.o: %.c | build/set-up-test
	@mkdir -p $(@D)
	@echo "  clang   $<"
	@$(CLANG) $(IMAGE_CFLAGS) $(if $(filter boot/%,$<),$(EFI_CFLAGS)) -c -o $@ $<
build/clang/host/%.c.o: %.c | build/set-up-test
	@mkdir -p $(@D)
	@echo "  clang   $< (host)"
	@$(CLANG) $(filter-out $(WHOLE),$(HOST_CFLAGS)) -c -o $@ $<
build/clang/assay-model: $(MODEL_SOURCES:%=build/clang/host/%.o)
	@echo "  link    $@"
	@$(CLANG) -o $@ $^
.PHONY: clang
clang: $(patsubst %,build/clang/image/%.o,$(filter %.c,$(IMAGE_SOURCES) $(SELFTEST))) build/clang/assay-model \
	$(patsubst %,build/clang/host/%.o,$(filter %.c,$(LINUX_SOURCES) $(REPLAY_SOURCES) $(REPORT_SOURCES) $(FACTS) $(DIFF_SOURCES) $(PEERS)))

# Running.
.PHONY: run linux-run model-run linux-20
# MACHINE: the modelled machine where there is no KVM; named on the command line, it is taken in any case.
run: build/assay.img build/silicon-bochs.so build/assay-model
	@$(PYTHON) tests/boot/run_image.py build/assay.img build/run/image $(MACHINE)
linux-run: build/assay-linux
	build/assay-linux --out build/run/linux
	@echo "Results: build/run/linux"
MODEL_MACHINE ?= $(firstword $(sort $(wildcard tests/silicon/machines/*.ini)))
model-run: build/assay-model
	build/assay-model --machine $(MODEL_MACHINE) --out build/run/model
	@echo "Results: build/run/model"
linux-20: build/assay-linux build/assay-replay build/facts-linux build/set-up-test
	@$(PYTHON) tests/run.py --only linux/ --set linux_runs=20 --set linux_full=1

# Testing.
TESTED := $(IMAGES) $(HOST_PROGRAMS) build/facts-linux build/bench-peers build/silicon-bochs.so $(UNIT_PROGRAMS)
.PHONY: test test-host test-boot soak fresh check
test: build/set-up-test $(TESTED) clang
	@$(PYTHON) tests/run.py
test-host: build/set-up-test $(TESTED)
	@$(PYTHON) tests/run.py --only unit/,image/,host/,compare/,report/,usb/,model/,replay/,linux/
test-boot: build/set-up-test $(TESTED)
	@$(PYTHON) tests/run.py --only boot/,screen/,menu/,bochs/
# The picture in README.md, as QEMU's screen shows it.
.PHONY: screenshot
screenshot: build/set-up-test build/assay.img
	@mkdir -p docs/images
	@$(PYTHON) tests/run.py --only screen/1280x800 --set screenshot=1
soak: build/set-up-test $(TESTED)
	@$(PYTHON) tests/run.py --only model/,boot/power-cut,bochs/caches,bochs/dtlb,bochs/coalescing,bochs/tables,bochs/itlb --set model_seeds=10 --set model_machines=300 --set caches_machines=35 --set translation_machines=100 --set block_machines=35 --set bochs_caches=1 --set bochs_dtlb=1 --set bochs_coalescing=1 --set bochs_tables=1 --set bochs_itlb=1 --set power_cuts=100
fresh:
	@bash tests/fresh.sh
check: build/set-up-check
	@bash tools/check.sh

# The model: how many accesses a second it makes, and whether its own tests notice planted faults. The probes: what they
# cost beside another tool. MACHINES: names, or all; a few if it is not given.
.PHONY: bench faults
bench: build/bench-model build/bench-peers
	@build/bench-model; speed=$$?; build/bench-peers $(MACHINES) || exit; exit $$speed
faults: build/set-up-test $(filter build/unit/test_silicon_%,$(UNIT_PROGRAMS))
	@$(PYTHON) tests/faults.py

.PHONY: clean help usb
clean:
	rm -rf build
help:
	@cat tools/$@.txt
# DEVICE: the disk to write over, after asking. REALLY=yes: also one that is neither removable nor on USB.
usb: $(if $(DEVICE),build/assay.img)
	@sh tools/usb.sh $(if $(REALLY),--really) build/assay.img $(DEVICE)

-include $(shell find build -name '*.d' 2>/dev/null)
