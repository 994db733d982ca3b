# SPDX-License-Identifier: BSD-2-Clause
"""Disk images from the outside: the FAT inside them, with mtools and fsck.vfat, never mounted."""
import os
import re
import struct
import subprocess
import typing

SECTOR = 512
DISCARD = 1 << 2  # of a logged write


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


def writes(log):
    """The writes that QEMU's blklogwrites logged, in order, as [(byte offset, bytes)]. The format is that of Linux
    dm-log-writes: a head of one sector (magic, version, number of entries, bytes of a sector), and for each entry a sector
    (first sector, sectors, flags, bytes) and its data."""
    found = []
    with open(log, "rb") as file:
        magic, version, entries, size = struct.unpack("<QQQI", file.read(28))
        if (magic, version) != (0x6A736677736872, 1):
            raise Trouble(f"{log} is no log of writes: {magic:#x}, version {version}")
        at = size
        for _ in range(entries):
            file.seek(at)
            sector, sectors, flags, _ = struct.unpack("<QQQQ", file.read(32))
            at += size
            if flags & DISCARD:
                continue
            file.seek(at)
            found.append((sector * size, file.read(sectors * size)))
            at += sectors * size
    return [(offset, data) for offset, data in found if data]


def examine(image):
    """What fsck.vfat says of the FAT, repairing nothing: its lines but for head and tail, none when it is clean."""
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
    around = r"fsck\.fat .*|Leaving filesystem unchanged\.|\S+: \d+ files, \S+ clusters|"
    lines = [line for line in done.stdout.splitlines() if not re.fullmatch(around, line)]
    if done.stderr or done.returncode != (1 if lines else 0):
        raise Trouble(f"fsck.vfat failed (status {done.returncode}): {done.stdout[-800:]}{done.stderr[-800:]}")
    return lines


class Left(typing.NamedTuple):
    """What a power cut leaves of the FAT between two writes of the driver that belong together."""
    unowned: int      # clusters that are taken and belong to no file: the FAT is written, the folder not yet
    differing: bool   # the second copy of the FAT is behind the first, which everybody reads
    folders: bool     # a new folder is in its parent, and its "." and ".." are not written, or were when it was in use


SOUND = Left(0, False, False)
FOLDER = (r"/\S+|  Expected a valid '\.\.?' entry in (this|the first|the second) slot(, found free entry)?\.|"
          r"  Creating\.|  Moving entry down\.")


def left(image):
    """What power cuts have left of the FAT. Trouble when it is anything but that: no file or folder that was there
    before may be touched."""
    unowned, differing, folders = 0, False, False
    for line in examine(image):
        clusters = re.fullmatch(r"Reclaimed (\d+) unused clusters? \(\d+ bytes\)\.", line)
        if clusters:
            unowned += int(clusters[1])
        elif re.fullmatch(r"FATs differ but appear to be intact\.|  Using first FAT\.", line):
            differing = True
        elif re.fullmatch(FOLDER, line):
            folders = True
        else:
            raise Trouble(f"fsck.vfat: {line}")
    return Left(unowned, differing, folders)


def check(image, expected=SOUND):
    """Trouble unless fsck.vfat finds the FAT as expected: clean, when nothing else is said."""
    found = left(image)
    if found != expected:
        raise Trouble(f"fsck.vfat does not find {expected}, but {found}: {examine(image)}")


def fill(image, leave=0):
    """Fills the FAT with one file, down to `leave` free bytes."""
    free = 0
    for line in tool("mdir", image, "::/").decode("cp437").splitlines():
        if "bytes free" in line:
            free = int("".join(character for character in line if character.isdigit()))
    if free > leave:
        put(image, "/FILLER.BIN", bytes(free - leave))
