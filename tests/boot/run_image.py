#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""`make run`: boots a copy of the image in QEMU, shows its serial console, and fetches the result files.

    tests/boot/run_image.py IMAGE FOLDER [option of assay.ini, as name=value] ...

KVM is used where it really works: where the image's first line appears under it within a few seconds. Else QEMU
emulates the processor (TCG), and the clock shows this computer's caches through the emulator: findings then carry
`emulated` and are no truth about anything."""
import os
import shutil
import sys
import time

import disk
import qemu

FIRST_LINE = r"^\s*assay \d+\.\d+\.\d+"
MOST_SECONDS = 170


def show(machine, limit):
    """Prints the serial console as it grows, until QEMU ends; Trouble at the limit."""
    shown, last = 0, ""
    while True:
        ended = machine.process.poll() is not None
        with machine.serial.change:
            if not ended and not machine.serial.ended:
                machine.serial.change.wait(0.5)
            raw = bytes(machine.serial.raw)
        end = len(raw) if ended else max(raw.rfind(b"\n") + 1, shown)
        for line in qemu.plain(raw[shown:end].decode("utf-8", "replace")).splitlines():
            line = line.rstrip()
            if line or last:
                print(line, flush=True)
            last = line
        shown = end
        if ended:
            return
        if time.monotonic() > limit:
            raise qemu.Trouble(f"still running after {MOST_SECONDS} s: ended")


def boot(image, folder, accel):
    if accel == "kvm":
        how = dict(accel="kvm", cpu="host", memory=1024, processors=2)
        first = 20
    else:
        how = dict(accel="tcg", cpu="max", memory=1024, processors=2)
        first = 60
    begin = time.monotonic()
    with qemu.Machine(folder, image, own_copy=False, **how) as machine:
        machine.wait(FIRST_LINE, first)
        show(machine, begin + MOST_SECONDS)
        machine.finish(5)
    return time.monotonic() - begin


def main():
    image, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    copy = os.path.join(folder, "assay.img")
    shutil.copyfile(image, copy)
    disk.options(copy, ["after = shutdown", "plain = yes", *options])
    accels = ["kvm", "tcg"] if qemu.kvm_may_work() else ["tcg"]
    for accel in accels:
        print(f"make run: QEMU, {'KVM' if accel == 'kvm' else 'emulation (no KVM that works here)'}", flush=True)
        try:
            took = boot(copy, folder, accel)
            break
        except qemu.Trouble as trouble:
            print(f"make run: {accel}: {trouble}", flush=True)
            if accel == accels[-1]:
                print(f"make run: what there was on the serial line is in {folder}/serial.log")
                return 1
            for name in ("serial.log", "vars.fd"):
                os.remove(os.path.join(folder, name))
    runs = disk.runs(copy)
    if not runs:
        print("make run: the image wrote no result files")
        return 1
    files = disk.files(copy, runs[-1][2])
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    print(f"make run: {took:.0f} s; on the medium {runs[-1][2]}/; here {folder}/: {' '.join(sorted(files))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
