#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""`make run`: boots a copy of the image, shows its serial console, and fetches the result files.

    tests/boot/run_image.py IMAGE FOLDER [MACHINE] [option of assay.ini, as name=value] ...

Where KVM really works (the image's first line appears under it within a few seconds), QEMU runs the image on this
computer's own processor, and the numbers are its own. Elsewhere, or when a machine is named, Bochs executes it and a
modelled machine (tests/silicon/machines/NAME.ini, or a file) times it; the truth is then printed beside the report."""
import os
import shutil
import subprocess
import sys
import time

import bochs
import disk
import qemu

FIRST_LINE = r"^\s*assay \d+\.\d+\.\d+"
USUAL_MACHINE = "xeon-e5345"
MOST_SECONDS = 400
MOST_SECONDS_MODELLED = 1200
JUDGE = os.path.join(bochs.ROOT, "build", "assay-model")


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


def boot_kvm(image, folder):
    begin = time.monotonic()
    with qemu.Machine(folder, image, own_copy=False, accel="kvm", cpu="host", memory=1024, processors=2) as machine:
        machine.wait(FIRST_LINE, 20)
        show(machine, begin + MOST_SECONDS)
        machine.finish(5)


def try_kvm(image, folder):
    """Whether this computer's own processor ran the image."""
    if not qemu.kvm_may_work():
        print("make run: no KVM here", flush=True)
        return False
    print("make run: QEMU with KVM: the numbers are this computer's own", flush=True)
    try:
        boot_kvm(image, folder)
        return True
    except qemu.Trouble as trouble:
        print(f"make run: KVM does not work here: {trouble}", flush=True)
        for name in ("serial.log", "vars.fd"):
            if os.path.exists(os.path.join(folder, name)):
                os.remove(os.path.join(folder, name))
        return False


def boot_modelled(image, folder, machine, times):
    name = os.path.basename(machine)
    print(f"make run: Bochs, timed by a model of {name}: two or three minutes, or more where caches are large", flush=True)
    if times > 1:
        print(f"make run: Bochs cannot count so many cycles a second: the machine, and its truth, have its clock "
              f"divided by {times}", flush=True)
    with bochs.Machine(folder, image, machine) as running:
        running.finish(MOST_SECONDS_MODELLED, lambda line: line and print(line, flush=True))


def prepare(image, folder, options):
    """A copy of the image with its options; its path."""
    copy = os.path.join(folder, "assay.img")
    shutil.copyfile(image, copy)
    disk.options(copy, ["after = shutdown", "plain = yes", *options])
    return copy


def fetch(copy, folder):
    """The result files of the last run, into the folder; their names."""
    runs = disk.runs(copy)
    if not runs:
        raise qemu.Trouble("the image wrote no result files")
    files = disk.files(copy, runs[-1][2])
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    return sorted(files)


def run(image, folder, named, options):
    begin = time.monotonic()
    memory = ""
    copy = prepare(image, folder, options)
    if named or not try_kvm(copy, folder):
        machine, times = bochs.slowed(bochs.machine_file(named or USUAL_MACHINE), folder)
        memory = bochs.sensible_memory(machine)
        prepare(image, folder, [f"memory = {memory}", *options])
        boot_modelled(copy, folder, machine, times)
    names = fetch(copy, folder)
    if memory:
        print("\nBeside the truth:", flush=True)
        subprocess.run([JUDGE, "judge", machine, os.path.join(folder, "findings.csv"), "--memory", memory], check=False)
    print(f"make run: {time.monotonic() - begin:.0f} s; results in {folder}/: {' '.join(names)}")


def main():
    image, folder, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    named = words[0] if words and "=" not in words[0] else ""
    options = [word for word in words if "=" in word]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    try:
        run(image, folder, named, options)
    except (qemu.Trouble, disk.Trouble) as trouble:
        print(f"make run: {trouble}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
