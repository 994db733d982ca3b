# SPDX-License-Identifier: BSD-2-Clause
"""Boots images under Bochs and OVMF, with a modelled machine's timing (tests/silicon/bochs/). One object is one run.

The library that is preloaded says what Bochs has to be configured with, and refuses what it does not know: a Bochs
whose code differs, a machine's file with a mistake in it."""
import os
import re
import shutil
import subprocess
import threading
import time

from qemu import PATIENCE, Trouble, plain

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARY = os.path.join(ROOT, "build", "silicon-bochs.so")
MACHINES = os.path.join(ROOT, "tests", "silicon", "machines")
PROGRAM = "/usr/bin/bochs-bin"
FIRMWARE = "/usr/share/ovmf/OVMF.fd"
VIDEO = "/usr/share/vgabios/vgabios.bin"

# Two that look for a free port of their screen at the same moment take the same one, and then one of them ends.
STARTING, START_SECONDS = threading.Lock(), 1

CONFIGURATION = """\
plugin_ctrl: unmapped=1, biosdev=1, speaker=0, extfpuirq=1, serial=1, iodebug=1, parallel=0, gameport=0
config_interface: textconfig
display_library: rfb, options="timeout=0"
memory: guest={memory}, host={memory}
romimage: file={firmware}
vgaromimage: file={video}
vga: extension=vbe, update_freq=1, realtime=0
cpu: model={processor}, count=1, ips={ips}, reset_on_triple_fault=0, ignore_bad_msrs=0
pci: enabled=1, chipset=i440fx, slot1=pcivga
clock: sync=none, time0=1700000000
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=disk, mode=flat, path="{disk}", cylinders=0, heads=16, spt=63, translation=none
boot: disk
com1: enabled=1, mode=file, dev="{serial}"
log: "{log}"
panic: action=fatal
error: action=report
info: action=report
debug: action=ignore
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
speaker: enabled=0, mode=none
"""


def machine_file(name):
    """The file of a machine by its name; a path stays what it is. Trouble when there is no such file."""
    path = name if "/" in name or name.endswith(".ini") else os.path.join(MACHINES, f"{name}.ini")
    if not os.path.exists(path):
        known = sorted(other[:-4] for other in os.listdir(MACHINES) if other.endswith(".ini"))
        raise Trouble(f"there is no machine called {name}; there are: {' '.join(known)}")
    return path


def ask(machine, program=PROGRAM, noise="quiet", library=LIBRARY):
    """What the library wants in the configuration, as a dictionary. Trouble when it refuses."""
    environment = dict(os.environ, LD_PRELOAD=library, ASSAY_MACHINE=machine, ASSAY_NOISE=noise, ASSAY_ASK="1")
    done = subprocess.run([program], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=60)
    if done.returncode != 0:
        raise Trouble(f"status {done.returncode}: {(done.stderr + done.stdout).strip()}")
    return dict(word.split("=", 1) for word in done.stdout.split())


def slowed(machine, folder, library=LIBRARY):
    """A machine's file that Bochs can run. Bochs counts less than 2^32 cycles a second; of a machine with more a copy
    is made that has so many times fewer cycles a second, the same everywhere else: (file, how many times)."""
    wanted = ask(machine, library=library)
    times = -(-int(wanted["ips"]) // int(wanted["most"]))
    if times == 1:
        return machine, 1
    with open(machine) as file:
        text, found = re.subn(r"(?m)^(hz *= *)(\d+)", lambda hz: f"{hz[1]}{int(hz[2]) // times}", file.read())
    if found != 1:
        raise Trouble(f"{machine} has {found} clock frequencies")
    os.makedirs(folder, exist_ok=True)
    copy = os.path.join(folder, os.path.basename(machine))
    with open(copy, "w") as file:
        file.write(text)
    return copy, times


def sensible_memory(machine):
    """How much the image should measure with, as an option: eight times the largest cache, within reason. (The probe
    caches sees through hashes with that much; see README.md.)"""
    return f"{min(max(8 * int(ask(machine)['cache']), 16 << 20), 64 << 20) >> 20}M"


def processor_seconds(pid):
    """Processor time that a running process has had; 0 when it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


class Machine:
    """A PC that runs in a folder of its own. Use as a context: leaving it ends Bochs whatever happened.

    folder      where its files go; made when missing
    image       disk image to boot from, written to in place
    machine     a machine's file
    """

    def __init__(self, folder, image, machine, noise="quiet", seed=1, memory=512, library=LIBRARY):
        folder = os.path.abspath(folder)  # Bochs runs in there
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        self.image = os.path.abspath(image)
        self.paths = {name: os.path.join(folder, f"bochs.{name}") for name in ("serial", "log", "rc", "go", "output")}
        wanted = ask(machine, noise=noise, library=library)
        with open(self.paths["rc"], "w") as file:
            file.write(CONFIGURATION.format(memory=memory, firmware=FIRMWARE, video=VIDEO, disk=self.image,
                                            ips=wanted["ips"], processor=wanted["processor"],
                                            serial=self.paths["serial"], log=self.paths["log"]))
        with open(self.paths["go"], "w") as file:
            file.write("c\n")  # Debian's Bochs stops at its debugger's prompt first
        self.environment = dict(os.environ, LD_PRELOAD=os.path.abspath(library), ASSAY_MACHINE=os.path.abspath(machine),
                                ASSAY_NOISE=noise, ASSAY_SEED=str(seed))
        self.process = None
        self.worked = 0.0  # seconds of processor time so far

    def __enter__(self):
        with open(self.paths["serial"], "wb"), open(self.paths["output"], "wb") as output:
            with STARTING:
                self.process = subprocess.Popen([PROGRAM, "-q", "-f", self.paths["rc"], "-rc", self.paths["go"]],
                                                env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                                stdout=output, stderr=output)
                time.sleep(START_SECONDS)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if os.path.exists(self.image + ".lock"):
            os.remove(self.image + ".lock")  # a run that was ended leaves it

    def text(self):
        """What the guest has written to its serial line so far."""
        with open(self.paths["serial"], "rb") as file:
            return plain(file.read().decode("utf-8", "replace"))

    def finish(self, seconds, show=None):
        """Waits until the guest has switched itself off; returns its serial text. `show` gets each whole line as it
        comes. Trouble when it ended otherwise, or not at all."""
        limit = time.monotonic() + seconds * PATIENCE
        shown = 0
        while True:
            ended = self.process.poll() is not None
            self.worked = max(self.worked, processor_seconds(self.process.pid))
            if show:
                whole = self.text()
                end = len(whole) if ended else whole.rfind("\n") + 1
                for line in whole[shown:end].splitlines():
                    show(line.rstrip())
                shown = max(shown, end)
            if ended:
                break
            if time.monotonic() > limit:
                raise Trouble(f"still running after {seconds} s; last lines: {self.last()}")
            time.sleep(0.1)
        said = self.said()
        if not re.search(r"soft power off|Shutdown port", said):
            raise Trouble(f"Bochs ended with status {self.process.returncode}: {' | '.join(said.splitlines()[-4:])}")
        return self.text()

    def said(self):
        """What Bochs itself and the library had to say."""
        said = ""
        for name in ("log", "output"):
            if os.path.exists(self.paths[name]):
                with open(self.paths[name], errors="replace") as file:
                    said += file.read()
        return said

    def last(self, count=6):
        lines = [line.strip() for line in self.text().splitlines() if line.strip()]
        return " | ".join(lines[-count:])


def missing():
    """The files without which nothing can be booted this way."""
    return [path for path in (PROGRAM, FIRMWARE, VIDEO) if not os.path.exists(path)]
