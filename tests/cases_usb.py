# SPDX-License-Identifier: BSD-2-Clause
"""tools/usb.sh: what it refuses, what it asks, what it writes. A file stands for the disk, and a program of ours for
lsblk, so no disk of this computer is touched."""
import os
import shutil
import subprocess

from suite import ROOT, case, expect

SCRIPT = os.path.join(ROOT, "tools", "usb.sh")
SIZE = 3 << 20
STICK = {"TYPE": "disk", "MOUNTPOINT": "", "RO": "0", "RM": "1", "TRAN": "usb", "MODEL": "Ultra Fit", "SERIAL": "42",
         "SIZE": str(SIZE)}

# Tells columns from files: <folder>/<COLUMN>, several lines for the disk and what is on it; --after is told once the
# disk was described (a stick that is exchanged while the question stands).
LSBLK = """#!/bin/sh
only=no
for word; do
    case "$word" in -d) only=yes ;; esac
done
while [ $# -gt 1 ]; do
    [ "$1" = -o ] && column=$2
    shift
done
case "$column" in *,*) : >"$TOLD/asked"; echo "disk"; exit 0 ;; esac
[ "$1" = "$TOLD/disk" ] || { echo "lsblk: $1: not a block device" >&2; exit 32; }
file=$TOLD/$column
[ -e "$TOLD/asked" ] && [ -e "$TOLD/$column.after" ] && file=$TOLD/$column.after
[ -e "$file" ] || exit 0
if [ $only = yes ]; then head -n 1 "$file"; else cat "$file"; fi
"""


class Bench:
    """A disk, an image and an lsblk that tells of the disk what a test wants."""

    def __init__(self, context, program=None, **told):
        self.folder = context.path("bench")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "bin"))
        self.disk, self.image = os.path.join(self.folder, "disk"), os.path.join(self.folder, "image")
        self.before = b"old" * (SIZE // 3) + b"o" * (SIZE % 3)
        self.put("disk", self.before)
        self.put("image", bytes(range(256)) * 4096)
        self.put("bin/lsblk", LSBLK.encode())
        os.chmod(os.path.join(self.folder, "bin/lsblk"), 0o755)
        if program:
            self.put(f"bin/{program[0]}", program[1].encode())
            os.chmod(os.path.join(self.folder, "bin", program[0]), 0o755)
        for column, value in {**STICK, **told}.items():
            self.put(column.replace("_after", ".after"), (value + "\n").encode())

    def put(self, name, content):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content)

    def run(self, answer, *words):
        """Status and output of the script."""
        environment = dict(os.environ, TOLD=self.folder, PATH=os.path.join(self.folder, "bin") + ":" + os.environ["PATH"])
        done = subprocess.run(["sh", SCRIPT, *words], env=environment, input=answer, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60)
        return done.returncode, done.stdout

    def content(self):
        with open(self.disk, "rb") as file:
            return file.read()


def refused(context, because, *words, answer="disk\n", status=1, **told):
    bench = Bench(context, **told)
    got, said = bench.run(answer, *words, bench.image, bench.disk)
    expect(got == status, f"status {got}, not {status}, though {because}: {said}")
    expect(because in said, f"{said!r} does not say {because!r}")
    expect("nothing is written" in said, f"{said!r} does not say that nothing is written")
    expect(bench.content() == bench.before, f"written, though {because}")


@case("usb/refusals", seconds=5)
def refusals(context):
    """Everything that is no unused stick is refused even when the question is answered right."""
    refused(context, "lsblk does not know it", TYPE="")
    refused(context, "is a partition; name the whole disk", TYPE="part")
    refused(context, "no disk but a 'lvm'", TYPE="lvm")
    for place in ("/", "/boot/efi", "[SWAP]", "/home"):
        refused(context, f"of the running system ({place} is on it)", MOUNTPOINT=f"\n\n{place}")
        refused(context, f"of the running system ({place} is on it)", "--really", MOUNTPOINT=f"/mnt/x\n{place}")
    refused(context, "is mounted (/media/stick); unmount it first", MOUNTPOINT="\n/media/stick")
    refused(context, "is mounted (/media/stick); unmount it first", "--really", MOUNTPOINT="\n/media/stick")
    refused(context, "in use (a 'crypt')", TYPE="disk\npart\ncrypt")
    refused(context, "in use (a 'raid1')", "--really", TYPE="disk\nraid1")
    refused(context, "write-protected", RO="1")
    refused(context, "and the image needs 1.0 MB", SIZE="1000000")
    refused(context, "and the image needs", SIZE="")
    refused(context, "neither removable nor on USB", RM="0", TRAN="sata")
    refused(context, "neither removable nor on USB", RM="0", TRAN="")
    refused(context, "another disk now", SERIAL_after="43")
    refused(context, "in use, says the kernel", "--really", program=("python3", "#!/bin/sh\nexit 1\n"))
    refused(context, "another disk now", SIZE_after=str(SIZE + 512))


@case("usb/asks", seconds=5)
def asks(context):
    """Only the disk's own name is a yes, and before the question stands what is written where."""
    for answer in ("", "\n", "y\n", "yes\n", "disk1\n", "DISK\n"):
        refused(context, "is not 'disk'", answer=answer)
    bench = Bench(context)
    status, said = bench.run("no\n", bench.image, bench.disk)
    for word in (bench.image, "1.0 MB", bench.disk, "Ultra Fit", "3.1 MB", "usb", "EVERYTHING ON IT IS LOST"):
        expect(word in said, f"{said!r} does not tell {word!r}")


@case("usb/writes", seconds=5)
def writes(context):
    """The image stands at the disk's start and the rest is untouched; --really is enough for a disk that is no stick."""
    for words, told in (((), {}), (("--really",), {"RM": "0", "TRAN": "nvme"}), ((), {"RM": "0"}), ((), {"TRAN": ""})):
        bench = Bench(context, **told)
        status, said = bench.run("disk\n", *words, bench.image, bench.disk)
        expect(status == 0, f"status {status}: {said}")
        with open(bench.image, "rb") as file:
            image = file.read()
        expect(bench.content() == image + bench.before[len(image):], "the disk is not as it should be")
    # A name that is a link, as those in /dev/disk/by-id are.
    bench = Bench(context)
    link = os.path.join(bench.folder, "link")
    os.symlink(bench.disk, link)
    status, said = bench.run("disk\n", bench.image, link)
    expect(status == 0 and bench.content() != bench.before, said)


@case("usb/usage", seconds=5)
def usage(context):
    """Without a device the ways are told and nothing is done; a missing image is an error."""
    bench = Bench(context)
    status, said = bench.run("", bench.image)
    expect(status == 2 and "make usb DEVICE=/dev/sdX" in said, said)
    status, said = bench.run("disk\n", bench.image + "x", bench.disk)
    expect(status == 2 and "no image" in said and bench.content() == bench.before, said)
    # A file is no disk to the real lsblk either.
    done = subprocess.run(["sh", SCRIPT, bench.image, bench.disk], input="disk\n", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    expect(done.returncode == 1 and "lsblk does not know it" in done.stdout, done.stdout)
    expect(bench.content() == bench.before, "a file was written over")
