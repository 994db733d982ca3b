# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the image as bytes: what no emulator would notice."""
import hashlib
import os
import re
import shutil
import subprocess

import disk
import pe
from suite import ROOT, built, case, expect

EFI, SELFTEST, GPT, FLOPPY = IMAGES = "assay.efi", "selftest.efi", "assay.img", "assay-floppy.img"
SELFTEST_MOST = pe.MOST + 20 * 1024
BOOT_PATH = "/EFI/BOOT/BOOTX64.EFI"


def content(path):
    with open(path, "rb") as file:
        return file.read()


@case("image/pe-header", seconds=1)
def pe_header(_):
    """PE32+, EFI application, NX_COMPAT, pages aligned, at most 416 KB, and 20 KB more with the self-test."""
    pe.check_header(built(EFI))
    pe.check_header(built(SELFTEST), SELFTEST_MOST)


@case("image/pe-sections", seconds=1)
def pe_sections(_):
    """Every section on pages of its own, none both writable and executable, none missing."""
    for name in (EFI, SELFTEST):
        pe.check_sections(built(name))


@case("image/pe-relocations", seconds=1)
def pe_relocations(_):
    for name in (EFI, SELFTEST):
        pe.check_relocations(built(name))


@case("image/pe-strings", seconds=1)
def pe_strings(context):
    version = re.search(r"\d+\.\d+\.\d+", context.execute(built("assay-model"), "--version"))
    expect(version, "the host program tells no version")
    for name in (EFI, SELFTEST):
        pe.check_strings(built(name), version.group())


@case("image/checks-can-fail", seconds=1)
def checks_can_fail(context):
    """The checks above notice each fault that they are there for."""
    good = content(built(EFI))
    header = int.from_bytes(good[0x3C:0x40], "little")
    table = header + 24 + int.from_bytes(good[header + 20:header + 22], "little")

    def text_flags(image):
        image[table + 36 + 3] |= 0x80  # the first section writable, too

    def no_nx(image):
        image[header + 24 + 71] &= 0xFE

    def too_long(image):
        image.extend(bytes(pe.MOST))

    def other_subsystem(image):
        image[header + 24 + 68] = 11

    for change, check in ((text_flags, pe.check_sections), (no_nx, pe.check_header), (too_long, pe.check_header),
                          (other_subsystem, pe.check_header)):
        image = bytearray(good)
        change(image)
        with open(context.path("changed.efi"), "wb") as file:
            file.write(image)
        try:
            check(context.path("changed.efi"))
        except pe.Trouble:
            continue
        expect(False, f"nobody noticed {change.__name__}")


@case("image/gpt", seconds=2)
def gpt(context):
    """A sound partition table with one ESP, whose FAT is clean and holds the image and its options."""
    said = context.execute("sgdisk", "-v", built(GPT))
    expect("No problems found" in said, said[-300:])
    expect(re.search(r"^ +1 .*EF00", context.execute("sgdisk", "-p", built(GPT)), re.MULTILINE), "no ESP")
    copy = holds_image(context, GPT)
    expect(disk.get(copy, "/assay/selftest.efi") == content(built(SELFTEST)), f"no build/{SELFTEST} in \\assay")


@case("image/floppy", seconds=2)
def floppy(context):
    expect(os.path.getsize(built(FLOPPY)) == 1474560, f"{os.path.getsize(built(FLOPPY))} bytes")
    expect(content(built(FLOPPY))[54:62] == b"FAT12   ", "not a FAT12")
    holds_image(context, FLOPPY)


def holds_image(context, name):
    copy = context.path(name)
    shutil.copyfile(built(name), copy)
    disk.check(copy)
    expect(disk.get(copy, BOOT_PATH) == content(built(EFI)), f"{BOOT_PATH} is not build/{EFI}")
    expect(disk.get(copy, "/assay/assay.ini"), "no assay.ini")
    return copy


@case("image/reproducible", seconds=60)
def reproducible(context):
    """Two builds, in folders of different names, give the same bytes as each other and as build/."""
    sums = []
    for folder in (context.path("one"), context.path("another-place", "with-a-longer-name")):
        os.makedirs(folder)
        subprocess.run(["tar", "-C", ROOT, "--exclude=./build", "--exclude=./.git", "-cf", context.path("tree.tar"), "."],
                       check=True)
        subprocess.run(["tar", "-C", folder, "-xf", context.path("tree.tar")], check=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        done = subprocess.run(["make", "-C", folder, *(f"build/{name}" for name in IMAGES)], env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        expect(done.returncode == 0, f"make: {done.stderr[-400:]}")
        sums.append([hashlib.sha256(content(os.path.join(folder, "build", name))).hexdigest()
                     for name in IMAGES])
    sums.append([hashlib.sha256(content(built(name))).hexdigest() for name in IMAGES])
    for name, *three in zip(IMAGES, *sums):
        context.note(f"{name}: {three}")
        expect(len(set(three)) == 1, f"{name} differs from build to build")
