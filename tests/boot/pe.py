# SPDX-License-Identifier: BSD-2-Clause
"""The image read as a PE file, by the PE specification alone and with none of the code that made it."""
import struct

EXECUTE, READ, WRITE, CODE, DATA = 0x20000000, 0x40000000, 0x80000000, 0x20, 0x40
NX_COMPAT = 0x0100
MOST = 416 * 1024  # bytes of assay.efi


class Trouble(Exception):
    """The image is not as it should be."""


def demand(condition, complaint):
    if not condition:
        raise Trouble(complaint)


class Image:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        demand(self.bytes[:2] == b"MZ", "no MZ")
        at = struct.unpack_from("<I", self.bytes, 0x3C)[0]
        demand(self.bytes[at:at + 4] == b"PE\0\0", "no PE signature")
        (self.machine, count, self.time, _, _, size, _) = struct.unpack_from("<HHIIIHH", self.bytes, at + 4)
        optional = at + 24
        self.magic = struct.unpack_from("<H", self.bytes, optional)[0]
        self.entry = struct.unpack_from("<I", self.bytes, optional + 16)[0]
        self.alignment, self.file_alignment = struct.unpack_from("<II", self.bytes, optional + 32)
        self.image_size, self.headers = struct.unpack_from("<II", self.bytes, optional + 56)
        self.subsystem, self.characteristics = struct.unpack_from("<HH", self.bytes, optional + 68)
        self.relocations = struct.unpack_from("<II", self.bytes, optional + 112 + 5 * 8)
        self.sections = {}
        for index in range(count):
            header = optional + size + 40 * index
            name = self.bytes[header:header + 8].rstrip(b"\0").decode("ascii")
            virtual, address, raw, offset = struct.unpack_from("<IIII", self.bytes, header + 8)
            flags = struct.unpack_from("<I", self.bytes, header + 36)[0]
            demand(name not in self.sections, f"section {name} twice")
            self.sections[name] = (address, virtual, offset, raw, flags)


def check_header(path, most=MOST):
    image = Image(path)
    demand(image.machine == 0x8664 and image.magic == 0x20B, "not a PE32+ for x86-64")
    demand(image.subsystem == 10, f"subsystem {image.subsystem}, not 10 (EFI application)")
    demand(image.characteristics & NX_COMPAT, "NX_COMPAT is not set")
    demand(image.alignment >= 4096, f"sections are aligned to {image.alignment}")
    demand(len(image.bytes) <= most, f"{len(image.bytes)} bytes, more than {most}")


def check_sections(path):
    image = Image(path)
    end = 0
    for name, (address, virtual, offset, raw, flags) in sorted(image.sections.items(), key=lambda item: item[1]):
        demand(not (flags & WRITE and flags & EXECUTE), f"{name} is writable and executable")
        demand(flags & READ, f"{name} is not readable")
        demand(bool(flags & EXECUTE) == (name == ".text"), f"{name}: flags {flags:#x}; only .text is code")
        demand(bool(flags & WRITE) == name.startswith(".data"), f"{name}: flags {flags:#x}; only .data is writable")
        demand(address % 4096 == 0, f"{name} starts at {address:#x}, not on a page")
        demand(address >= end, f"{name} overlaps the section before it")
        demand(offset + raw <= len(image.bytes), f"{name} ends behind the file")
        end = address + max(virtual, raw)
    for name in (".text", ".rodata", ".data", ".reloc"):
        demand(name in image.sections, f"no section {name}")
    demand(end <= image.image_size, f"sections end at {end:#x}, SizeOfImage is {image.image_size:#x}")
    start, virtual, _, _, _ = image.sections[".text"]
    demand(start <= image.entry < start + virtual, "the entry point is outside .text")


def check_relocations(path):
    """The base relocations lie in .reloc, and their blocks name pages of the image."""
    image = Image(path)
    address, virtual, offset, raw, _ = image.sections[".reloc"]
    start, size = image.relocations
    demand(start == address and 0 < size <= max(virtual, raw), f"the directory names {start:#x}, {size} bytes")
    at = 0
    while at < size:
        page, length = struct.unpack_from("<II", image.bytes, offset + at)
        demand(length >= 8 and at + length <= size, f"a relocation block of {length} bytes")
        demand(page < image.image_size, f"a relocation block for {page:#x}, outside the image")
        at += length


def check_strings(path, version):
    """An image whose .rodata was lost on the way still runs, and prints nothing."""
    image = Image(path)
    _, _, offset, raw, _ = image.sections[".rodata"]
    strings = image.bytes[offset:offset + raw]
    demand(version.encode() in strings, f"the version {version} is not in .rodata")
    for text in (b"assay", b"result.json", b"latency", b"l1d"):
        demand(text in strings, f"{text!r} is not in .rodata")
