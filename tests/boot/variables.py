# SPDX-License-Identifier: BSD-2-Clause
"""Reads an EFI variable out of a flash file of OVMF, without the firmware: the third witness of what was stored.

The store holds records that start with 55 AA, a state, attributes and so on: the authenticated variable header of the
UEFI specification's sample store (60 bytes, name and data follow, records start at multiples of 4). State 3F is a
variable that stands; anything else was deleted or never finished."""
import struct
import uuid
import zlib

HEADER = struct.Struct("<HBBIQ16sIII16s")
STANDS = 0x3F
NON_VOLATILE, BOOT, RUNTIME = 1, 2, 4

# Of a run beside its baseline (docs/variable.md).
VERDICTS = {0: "none", 1: "passed", 2: "failed"}


def variables(path):
    """All variables that stand: [(name, GUID, attributes, data)]."""
    with open(path, "rb") as file:
        store = file.read()
    found = []
    at = store.find(b"\xaa\x55")
    while at >= 0:
        if at % 4 == 0 and at + HEADER.size <= len(store):
            _, state, _, attributes, _, _, _, name_size, data_size, guid = HEADER.unpack_from(store, at)
            end = at + HEADER.size + name_size + data_size
            if state == STANDS and 0 < name_size < 1024 and end <= len(store):
                name = store[at + HEADER.size:at + HEADER.size + name_size].decode("utf-16-le", "replace").rstrip("\0")
                found.append((name, uuid.UUID(bytes_le=guid), attributes, store[end - data_size:end]))
        at = store.find(b"\xaa\x55", at + 2)
    return found


def verdict(path):
    """What the summary says of the run beside its baseline: "none", "passed" or "failed"."""
    ours = [entry for entry in variables(path) if entry[3][:4] == b"ASAY"]
    return VERDICTS[ours[0][3][5]]


def summary(path):
    """assay's summary as (run number, text), or None when there is none. ValueError when it is malformed."""
    ours = [entry for entry in variables(path) if entry[3][:4] == b"ASAY"]
    if not ours:
        return None
    if len(ours) > 1:
        raise ValueError(f"{len(ours)} summaries stand in the store")
    _, _, attributes, data = ours[0]
    if attributes != NON_VOLATILE | BOOT | RUNTIME:
        raise ValueError(f"attributes are {attributes:#x}")
    version, verdict, length, number, crc = struct.unpack_from("<BBHII", data, 4)
    text = data[16:16 + length]
    if version != 1 or verdict not in VERDICTS or len(data) > 512 or len(text) != length or len(data) != 16 + length:
        raise ValueError(f"a summary of {len(data)} bytes, version {version}, text of {length}")
    if zlib.crc32(text, zlib.crc32(data[:12])) != crc:
        raise ValueError("the summary's CRC is wrong")
    return number, text.decode("ascii")
