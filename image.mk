# SPDX-License-Identifier: BSD-2-Clause
# image.mk: from objects to build/assay.efi, to build/selftest.efi, which is assay with its self-test, and to the images that
# carry them. Included by the Makefile, which has the rules for objects. The same sources give the same bytes: no dates (SOURCE_DATE_EPOCH), no paths, and the build's name
# is a hash of the sources.
EFI_LIBRARY := /usr/lib
EFI_CRT0 := $(EFI_LIBRARY)/crt0-efi-x86_64.o
# Bytes at most. assay.efi shares a floppy disk with the documents of its run, and slow firmware reads it over a network;
# selftest.efi does neither, and may have what the self-test takes on top.
EFI_MOST := 425984
build/selftest.efi: EFI_MOST := 446464

# Every source and header of the image and the host programs, by name and content.
NAMED_SOURCES := $(sort $(wildcard base/*.[ch] kernel/*.[ch] kernel/*.nasm kernel/*.inc probes/*.[ch] report/*.[ch] \
	run/*.[ch] boot/*.[ch] hosted/*.[ch] tests/host/*.[ch] tests/linux/*.[ch] tests/silicon/*.[ch] tests/replay/*.[ch] \
	tests/machine/*.[ch] linker.ld))
BUILD_NAME = $(shell cat $(NAMED_SOURCES) | sha256sum | cut -c1-12)
$(foreach kind,image host sanitized clang/image clang/host,build/$(kind)/run/version.c.o): COMMON += -DASSAY_BUILD='"$(BUILD_NAME)"'
$(foreach kind,image host sanitized clang/image clang/host,build/$(kind)/run/version.c.o): $(NAMED_SOURCES)

build/assay.so: $(IMAGE_SOURCES:%=build/image/%.o)
build/selftest.so: $(patsubst %,build/image/%.o,$(filter-out boot/no_selftest.c,$(IMAGE_SOURCES)) $(SELFTEST))
# --no-warn-rwx-segments: this is about ELF segments, which the PE file does not have.
build/assay.so build/selftest.so: linker.ld image.mk
	@echo "  link    $@"
	@ld -nostdlib -shared -Bsymbolic -T linker.ld --no-undefined --warn-common --fatal-warnings --build-id=none \
		--no-warn-rwx-segments -z noexecstack -z norelro -o $@ $(EFI_CRT0) $(filter %.o,$^) \
		-L $(EFI_LIBRARY) -lgnuefi -lefi

# objcopy takes only the sections that are named: one that is forgotten is missing without a word, so the image is
# checked afterwards.
build/assay.efi build/selftest.efi: build/%.efi: build/%.so tools/pe_finish.py
	@echo "  pe      $@"
	@objcopy -S -j .text -j .rodata -j .dynamic -j .rela -j .reloc -j .data \
		--set-section-flags .dynamic=alloc,load,readonly,data --set-section-flags .rela=alloc,load,readonly,data \
		--set-section-flags .reloc=alloc,load,readonly,data \
		--target=efi-app-x86_64 --subsystem=10 $< $@
	@$(PYTHON) tools/pe_finish.py $@ $(EFI_MOST)

build/assay.img: build/assay.efi tools/assay.ini build/selftest.efi tools/image.sh
	@echo "  image   $@"
	@sh tools/image.sh stick $@ $(filter-out %.sh,$^)
build/assay-floppy.img: build/assay.efi tools/assay.ini tools/image.sh
	@echo "  image   $@"
	@sh tools/image.sh floppy $@ $(filter-out %.sh,$^)

# The model as a library that is loaded into Bochs before Bochs itself: tests/silicon/bochs/. It knows no probe, so what
# tells truth and verdict stays out.
HOOK_SOURCES := $(filter-out tests/silicon/truth%.c tests/silicon/verdict.c,$(SILICON)) \
	$(wildcard tests/silicon/bochs/*.c base/*.c)
build/pic/%.c.o: %.c | build/set-up-run
	@mkdir -p $(@D)
	@echo "  cc      $< (library)"
	@$(CC) $(HOST_CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $<
build/silicon-bochs.so: $(HOOK_SOURCES:%=build/pic/%.o)
	@echo "  link    $@"
	@$(CC) -shared -Wl,-z,defs -o $@ $^
