# SPDX-License-Identifier: BSD-2-Clause
"""Disk images from the outside: the FAT inside them, with mtools and fsck.vfat, never mounted."""
import os
import re
import struct
import subprocess

SECTOR = 512


class Trouble(Exception):
    """The medium is not as it should be."""


def partition(image):
    """Byte offset and size of the FAT: the first partition of a GPT, or the whole image of a floppy."""
    with open(image, "rb") as disk:
        disk.seek(SECTOR)
        header = disk.read(92)
        if header[:8] != b"EFI PART":
            return 0, os.path.getsize(image)
        table, _, size = struct.unpack_from("<QII", header, 72)
        disk.seek(table * SECTOR)
        entry = disk.read(size)
    first, last = struct.unpack_from("<QQ", entry, 32)
    return first * SECTOR, (last - first + 1) * SECTOR


def tool(name, image, *arguments):
    """Runs an mtool on the FAT of an image."""
    environment = dict(os.environ, MTOOLS_SKIP_CHECK="1", MTOOLSRC="/dev/null", TZ="UTC", LC_ALL="C")
    done = subprocess.run([name, "-i", f"{image}@@{partition(image)[0]}", *arguments], env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0:
        raise Trouble(f"{name} {' '.join(arguments)}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def put(image, path, content):
    """Writes a file (bytes or text) into the image, over one of that name. Folders must exist."""
    source = image + ".put"
    with open(source, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    try:
        tool("mcopy", image, "-o", source, f"::{path}")
    finally:
        os.remove(source)


def get(image, path):
    """A file's bytes."""
    return tool("mtype", image, f"::{path}")


def listing(image, path="/"):
    """Every file and folder below a folder, as full paths, folders with a slash at the end."""
    try:
        out = tool("mdir", image, "-/", "-b", f"::{path}").decode("cp437")
    except Trouble:
        return []  # mdir calls an empty folder "not found", too
    return [line.strip()[2:] for line in out.splitlines() if line.strip().startswith("::")]


def options(image, lines):
    """Replaces \\assay\\assay.ini."""
    put(image, "/assay/assay.ini", "".join(f"{line}\r\n" for line in lines))


def runs(image):
    """The folders of runs on the image, as [(machine, number, path)], lowest number first."""
    found = []
    for path in listing(image, "/assay"):
        parts = path.rstrip("/").split("/")
        if path.endswith("/") and len(parts) == 4 and parts[3].isdigit():
            found.append((parts[2], int(parts[3]), path.rstrip("/")))
    return sorted(found, key=lambda run: run[1])


def files(image, folder):
    """Name to bytes of all files in a folder."""
    prefix = folder.rstrip("/") + "/"
    names = [path for path in listing(image, folder) if path.startswith(prefix) and not path.endswith("/")]
    return {name[len(prefix):].lower(): get(image, name) for name in names}


def check(image, unowned=False):
    """fsck.vfat without repairing anything: Trouble unless it finds the FAT clean.

    unowned: clusters that were set aside and belong to no file yet are no trouble. A power cut in the moment between
    the FAT and the folder leaves such; nothing is damaged by them, and no order of writing avoids them on a FAT."""
    offset, size = partition(image)
    copy = image + ".fat"
    with open(image, "rb") as disk, open(copy, "wb") as fat:
        disk.seek(offset)
        left = size
        while left:
            piece = disk.read(min(left, 1 << 20))
            fat.write(piece)
            left -= len(piece)
    try:
        done = subprocess.run(["fsck.vfat", "-n", copy], capture_output=True, text=True, errors="replace",
                              env=dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin", LC_ALL="C"))
    finally:
        os.remove(copy)
    known = (r"fsck\.fat .*|Reclaimed \d+ unused clusters? \(\d+ bytes\)\.|Leaving filesystem unchanged\.|"
             r"\S+: \d+ files, \S+ clusters|")
    if unowned and not done.stderr and all(re.fullmatch(known, line) for line in done.stdout.splitlines()):
        return
    if done.returncode != 0:
        raise Trouble(f"fsck.vfat found the FAT not clean (status {done.returncode}): {done.stdout[-800:]}")


def fill(image, leave=0):
    """Fills the FAT with one file, down to `leave` free bytes."""
    free = 0
    for line in tool("mdir", image, "::/").decode("cp437").splitlines():
        if "bytes free" in line:
            free = int("".join(character for character in line if character.isdigit()))
    if free > leave:
        put(image, "/FILLER.BIN", bytes(free - leave))
