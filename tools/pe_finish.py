#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Finishes the PE file that objcopy made: pe_finish.py FILE MOST-BYTES

objcopy has no option for NX_COMPAT, the promise that the program never executes what it wrote under the firmware's page
tables. Sets it, and refuses an image that firmware would refuse, or that would run and misbehave: a section missing,
writable and executable, or off its page; a relocation block outside the image; more bytes than are allowed.
"""
import struct
import sys

NX_COMPAT, APPLICATION, PAGE = 0x0100, 10, 4096
EXECUTE, WRITE, DISCARDABLE, CODE, DATA, READ = 0x20000000, 0x80000000, 0x02000000, 0x20, 0x40, 0x40000000
WANTED = {
    ".text": CODE | EXECUTE | READ,
    ".rodata": DATA | READ,
    ".dynamic": DATA | READ,
    ".rela": DATA | READ,
    ".reloc": DATA | READ | DISCARDABLE,
    ".data": DATA | READ | WRITE,
}


def fail(complaint):
    sys.exit(f"pe_finish: {complaint}")


def main(path, most):
    with open(path, "rb") as file:
        image = bytearray(file.read())
    header = struct.unpack_from("<I", image, 0x3C)[0]
    if image[:2] != b"MZ" or image[header:header + 4] != b"PE\0\0":
        fail("not a PE file")
    count, optional_size = struct.unpack_from("<H", image, header + 6)[0], struct.unpack_from("<H", image, header + 20)[0]
    optional = header + 24
    if struct.unpack_from("<H", image, optional + 68)[0] != APPLICATION:
        fail("not an EFI application")
    if struct.unpack_from("<I", image, optional + 32)[0] < PAGE:
        fail("sections are not aligned to pages")
    image_size = struct.unpack_from("<I", image, optional + 56)[0]
    missing = dict(WANTED)
    for index in range(count):
        at = optional + optional_size + 40 * index
        name = image[at:at + 8].rstrip(b"\0").decode("ascii")
        if name not in missing:
            fail(f"a section {name} that nobody wants")
        address, raw, offset = struct.unpack_from("<III", image, at + 12)
        if address % PAGE:
            fail(f"{name} does not start on a page")
        flags = missing.pop(name)
        # objcopy adds the alignment of object files and calls code writable now and then: what is wanted is known.
        struct.pack_into("<I", image, at + 36, flags)
        if name == ".reloc":
            page, length = struct.unpack_from("<II", image, offset)
            if page >= image_size or length < 8 or length > raw:
                fail(f"the relocation block is of page {page:#x} and has {length} bytes")
    if missing:
        fail(f"sections are missing: {', '.join(missing)}")
    characteristics = struct.unpack_from("<H", image, optional + 70)[0]
    struct.pack_into("<H", image, optional + 70, characteristics | NX_COMPAT)
    struct.pack_into("<I", image, optional + 64, 0)  # no checksum: it is none of this file any more
    if len(image) > most:
        fail(f"{len(image)} bytes, at most {most} are allowed")
    with open(path, "wb") as file:
        file.write(image)


main(sys.argv[1], int(sys.argv[2]))
