# SPDX-License-Identifier: BSD-2-Clause
"""One run of QEMU with OVMF: start, watch the serial line, press keys, end, and say how it ended.

Every machine gets its own copy of the disk image and of the variable store in a folder of its own. Nothing waits without
a limit. How a run ended is told by two witnesses, never one: QEMU's own word (the QMP event SHUTDOWN and the exit
status) and a line that the test expects on the serial console.
"""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

OVMF_CODE = "/usr/share/OVMF/OVMF_CODE_4M.fd"
OVMF_VARS = "/usr/share/OVMF/OVMF_VARS_4M.fd"
ESCAPES = re.compile(r"\x1b\[[0-9;=?]*[A-Za-z]|\x1b[()][A-Za-z0-9]|\x1b[=>]")
# How much slower everything is allowed to be than on an idle machine of 2026.
PATIENCE = float(os.environ.get("ASSAY_PATIENCE", "1"))


class Trouble(Exception):
    """The machine did not do what was asked of it."""


def plain(text):
    """Serial output without escape sequences and carriage returns."""
    return ESCAPES.sub("", text).replace("\r", "")


class Serial:
    """The guest's serial line: everything that came, with the moment of each piece."""

    def __init__(self, path, log):
        self.connection = connect(path)
        self.log = open(log, "ab")
        self.raw = bytearray()
        self.pieces = []  # (moment, length of raw after the piece)
        self.change = threading.Condition()
        self.ended = False
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            try:
                piece = self.connection.recv(65536)
            except OSError:
                piece = b""
            with self.change:
                if not piece:
                    self.ended = True
                    self.log.close()
                    self.change.notify_all()
                    return
                self.raw += piece
                self.log.write(piece)
                self.log.flush()
                self.pieces.append((time.monotonic(), len(self.raw)))
                self.change.notify_all()

    def text(self, start=0):
        with self.change:
            return plain(self.raw[start:].decode("utf-8", "replace"))

    def moment(self, position):
        """When the byte before this position of the raw output had come."""
        for moment, length in self.pieces:
            if length >= position:
                return moment
        return None

    def wait(self, pattern, seconds, start=0):
        """Waits until the output from byte `start` on matches; returns the match. Trouble when it never does."""
        limit = time.monotonic() + seconds * PATIENCE
        wanted = re.compile(pattern, re.MULTILINE)
        with self.change:
            while True:
                match = wanted.search(plain(self.raw[start:].decode("utf-8", "replace")))
                if match:
                    return match
                left = limit - time.monotonic()
                if self.ended:
                    raise Trouble(f"the serial line ended without /{pattern}/")
                if left <= 0:
                    raise Trouble(f"no /{pattern}/ on the serial line within {seconds} s")
                self.change.wait(left)

    def send(self, text):
        self.connection.sendall(text.encode())


def connect(path, seconds=10):
    limit = time.monotonic() + seconds * PATIENCE
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
            if time.monotonic() > limit:
                raise Trouble("QEMU opened no socket")
            time.sleep(0.05)


class Control:
    """QMP: QEMU's control socket. Events that pass by are kept."""

    def __init__(self, path):
        self.connection = connect(path)
        self.lines = self.connection.makefile("r")
        self.lock = threading.Lock()
        self.events = []
        self.connection.settimeout(20 * PATIENCE)
        self.next()
        self.call("qmp_capabilities")

    def next(self):
        line = self.lines.readline()
        if not line:
            raise Trouble("QEMU closed its control socket")
        message = json.loads(line)
        if "event" in message:
            self.events.append(message)
        return message

    def call(self, command, **arguments):
        with self.lock:
            self.connection.sendall((json.dumps({"execute": command, "arguments": arguments}) + "\n").encode())
            while True:
                message = self.next()
                if "return" in message:
                    return message["return"]
                if "error" in message:
                    raise Trouble(f"{command}: {message['error'].get('desc')}")

    def drain(self):
        """Reads what QEMU said until it closed the socket."""
        try:
            while True:
                self.next()
        except (OSError, ValueError, Trouble):
            pass


class Machine:
    """A PC. Use as a context: leaving it ends QEMU whatever happened.

    folder      where its files go; made when missing
    image       disk image to boot from; copied unless own_copy is False
    bus         "usb" (a stick) or "virtio"
    read_only   the medium is write-protected
    variables   a variable store to start from (copied), None for a fresh one
    writes      where to log every write to the medium, in order (disk.writes reads it); None: nowhere
    icount      a flat clock: RDTSC counts executed instructions and nothing else
    vga         "std", or None for no graphics at all
    """

    def __init__(self, folder, image, cpu="max", memory=512, processors=1, bus="usb", read_only=False, variables=None,
                 icount=False, vga="std", accel="tcg", own_copy=True, writes=None, extra=()):
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        # Socket paths are short things (108 bytes), a test's folder need not be.
        self.sockets = tempfile.mkdtemp(prefix="assay-")
        self.image = os.path.join(folder, "disk.img") if own_copy else image
        if own_copy and os.path.abspath(image) != os.path.abspath(self.image):
            shutil.copyfile(image, self.image)
        self.variables = os.path.join(folder, "vars.fd")
        source = variables or OVMF_VARS
        if os.path.abspath(source) != os.path.abspath(self.variables):
            shutil.copyfile(source, self.variables)
        self.command = [
            "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-machine", f"q35,accel={accel}", "-cpu", cpu,
            "-m", str(memory), "-smp", str(processors), "-display", "none", "-no-reboot",
            "-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={OVMF_CODE}",
            "-drive", f"if=pflash,unit=1,format=raw,file={self.variables}",
            "-drive", f"if=none,id=medium,readonly={'on' if read_only else 'off'},{self.drive(writes)}",
            "-chardev", f"socket,id=serial,path={self.sockets}/serial,server=on,wait=on",
            "-serial", "chardev:serial",
            "-qmp", f"unix:{self.sockets}/qmp,server=on,wait=on",
        ]
        if bus == "usb":
            self.command += ["-device", "qemu-xhci", "-device", "usb-storage,drive=medium,removable=on"]
        else:
            self.command += ["-device", "virtio-blk-pci,drive=medium"]
        if vga:
            self.command += ["-vga", vga]
        if icount:
            self.command += ["-icount", "shift=4,sleep=off"]
        self.command += list(extra)
        self.process = None

    def drive(self, writes):
        if not writes:
            return f"format=raw,file={self.image}"
        with open(writes, "wb"):
            pass
        return (f"driver=blklogwrites,log-sector-size=512,file.driver=raw,file.file.filename={self.image},"
                f"log.driver=raw,log.file.filename={writes}")

    def __enter__(self):
        with open(os.path.join(self.folder, "qemu.log"), "ab") as log:
            log.write((" ".join(self.command) + "\n").encode())
            log.flush()
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            # QEMU waits for both ends, in the order in which it was told of them.
            self.serial = Serial(f"{self.sockets}/serial", os.path.join(self.folder, "serial.log"))
            self.control = Control(f"{self.sockets}/qmp")
            self.started = time.monotonic()
        except Exception:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.sockets, ignore_errors=True)

    def kill(self):
        """Pulls the plug."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def press(self, *keys):
        """Presses and releases keys of the PS/2 keyboard, by QEMU's names ("s", "ret", "spc")."""
        for key in keys:
            self.control.call("send-key", keys=[{"type": "qcode", "data": key}], **{"hold-time": 50})
            time.sleep(0.1)

    def wait(self, pattern, seconds, start=0):
        return self.serial.wait(pattern, seconds, start)

    def finish(self, seconds, reason="guest-shutdown"):
        """Waits for QEMU to end by itself; returns what was on the serial line. Trouble when it ended otherwise."""
        try:
            status = self.process.wait(max(1, seconds * PATIENCE))
        except subprocess.TimeoutExpired:
            raise Trouble(f"still running after {seconds} s; last lines: {self.last()}")
        self.control.drain()
        reasons = [event["data"].get("reason") for event in self.control.events if event["event"] == "SHUTDOWN"]
        if status != 0 or reason not in reasons:
            raise Trouble(f"QEMU ended with status {status} and reason {reasons}, not {reason}; last lines: {self.last()}")
        with self.serial.change:
            while not self.serial.ended:
                self.serial.change.wait(5)
        return self.serial.text()

    def last(self, count=6):
        lines = [line.strip() for line in self.serial.text().splitlines() if line.strip()]
        return " | ".join(lines[-count:])


def kvm_may_work():
    """Whether it is worth trying KVM: the device can be opened and the processor says that it can do it."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    with open("/proc/cpuinfo") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("flags"):
                return bool({"vmx", "svm"} & set(line.split()))
    return False
