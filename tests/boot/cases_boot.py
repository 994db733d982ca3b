# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the image in QEMU with OVMF: it starts everywhere, and what it found lands everywhere that it should."""
import os
import re
import shutil
import time

import booted
import disk
import qemu
import results
import variables
from booted import BANNER, FLOPPY, GPT, SHUT
from suite import built, case, expect

L1D = ("probe = l1d",)


def sound(context, lines, **how):
    """A whole run after which console, files and variable all say the same; result.json."""
    text, path = booted.one_run(context, lines, **how)
    result = booted.check_documents(path)
    booted.check_console(text, result)
    expect(result["machine"]["emulated"], "QEMU's processor is not said to be emulated")
    stored = variables.summary(booted.variables_of(context))
    expect(stored is not None, "no summary variable in the flash file")
    same_summary(stored, result)
    expect(variables.verdict(booted.variables_of(context)) == "none", "a verdict without a baseline")
    return result


def same_summary(stored, result):
    """The variable's text says what result.json says."""
    number, text = stored
    expect(number == result["run"]["number"], f"the variable is of run {number}, the files of {result['run']['number']}")
    heading, *lines = text.splitlines()
    expect(heading == f"assay {result['tool']['version']} {result['machine']['brand']}"[:len(heading)], heading)
    expect(lines, "no finding in the variable")
    for line in lines:
        name, mark, value = line.partition("=")
        if line.startswith("+"):
            continue
        finding = results.finding(result, name)
        expect(mark and (value != "?") == results.measured(finding), f"a line of the variable: {line!r}")
        if value != "?":
            expect(float(value.split()[0]) == finding["value"], f"{line!r}, and result.json says {finding['value']}")


@case("boot/gpt", seconds=90)
def gpt(context):
    """Every probe, from the partitioned image; then --last, a second run beside the first, --forget."""
    first = sound(context, (), cpu="Skylake-Server-v1", seconds=400)
    path, store = context.path("disk.img"), booted.variables_of(context)
    stored = variables.summary(store)

    disk.options(path, [*SHUT, "last = yes"])
    text = booted.whole_run(context, path, "last", variables=store)
    for line in stored[1].splitlines():
        expect(line in text, f"--last does not print {line!r}")

    disk.options(path, [*SHUT, *L1D])
    booted.whole_run(context, path, "second", variables=store)
    second = booted.check_documents(path)
    expect(second["run"]["number"] == first["run"]["number"] + 1, f"run {second['run']['number']} after {first['run']['number']}")
    expect(len(disk.runs(path)) == 2, f"runs on the medium: {disk.runs(path)}")

    disk.options(path, [*SHUT, "forget = yes"])
    booted.whole_run(context, path, "forget", variables=booted.variables_of(context, "second"))
    expect(variables.summary(booted.variables_of(context, "forget")) is None, "--forget left the variable")


@case("boot/floppy", seconds=20)
def floppy(context):
    sound(context, L1D, image=FLOPPY)


def memory(megabytes):
    @case(f"boot/memory-{megabytes}", seconds=20)
    def with_memory(context):
        sound(context, L1D, memory=megabytes)


def model(cpu):
    @case(f"boot/cpu-{cpu}", seconds=20)
    def with_cpu(context):
        """What QEMU's models declare: Intel's leaf 4; AMD's old 80000005, since the emulator has no TOPOEXT and what
        then stands in 8000001D is no declaration; for the models without a name the cache of a K8."""
        result = sound(context, L1D, cpu=cpu)
        size, ways, by = {"Skylake-Server-v1": (32768, 8, "CPUID 4"), "EPYC-v1": (32768, 8, "CPUID 80000005")}.get(
            cpu, (65536, 2, "CPUID 80000005"))
        for name, value in (("l1d.size", size), ("l1d.ways", ways), ("l1d.line", 64)):
            declared = results.finding(result, name)["declared"]
            expect(declared == {"low": value, "high": value, "by": by}, f"{name}: declared {declared}")


for size in (64, 512, 4096):
    memory(size)
for cpu in ("Skylake-Server-v1", "EPYC-v1", "qemu64", "max"):
    model(cpu)


@case("boot/processors-4", seconds=20)
def processors(context):
    """Four processors, the probe on the last of them."""
    result = sound(context, [*L1D, "core = 3"], processors=4)
    processors, core = result["machine"]["processors"], result["run"]["core"]
    expect(processors == 4 and core == 3, f"ran on processor {core} of {processors}")


@case("boot/no-graphics", seconds=20)
def no_graphics(context):
    sound(context, L1D, vga=None)


@case("boot/virtio", seconds=20)
def virtio(context):
    sound(context, L1D, bus="virtio")


@case("boot/no-variable", seconds=20)
def no_variable(context):
    booted.one_run(context, [*L1D, "no-variable = yes"])
    expect(variables.summary(booted.variables_of(context)) is None, "a variable in spite of no-variable")


@case("boot/read-only", seconds=20)
def read_only(context):
    """A write-protected stick: told, and nothing else is lost."""
    text, path = booted.one_run(context, L1D, read_only=True)
    expect(re.search(r"write.protect|read.only", text, re.IGNORECASE), "not told")
    expect("l1d.size" in text, "no findings on the console")
    expect(variables.summary(booted.variables_of(context)), "no variable")
    expect(not disk.runs(path), "something was written")


def full(leave):
    @case(f"boot/full-{leave}", seconds=20)
    def with_room(context):
        """No room, or room for a part: told, the FAT stays clean, and nothing else is lost."""
        path = booted.medium(context, [*SHUT, *L1D])
        disk.fill(path, leave)
        text = booted.whole_run(context, path)
        expect(re.search(r"medium is full|the medium \d+ are free", text), "not told")
        expect("l1d.size" in text, "no findings on the console")
        expect(variables.summary(booted.variables_of(context)), "no variable")
        disk.check(path)
        if leave:
            files, _ = booted.last_documents(path)
            expect("journal.txt" in files and "readings" not in files, f"not the expected half: {sorted(files)}")


for leave in (0, 24576):
    full(leave)


@case("boot/no-file-system", seconds=40)
def network(context):
    """Booted over the network there is no volume at all, and no assay.ini: the run ends by asking for a key."""
    os.makedirs(context.path("tftp"))
    shutil.copyfile(built("assay.efi"), context.path("tftp", "assay.efi"))
    empty = context.path("empty.img")
    with open(empty, "wb") as file:
        file.truncate(1 << 20)
    extra = ("-netdev", f"user,id=net,tftp={context.path('tftp')},bootfile=assay.efi", "-device",
             "virtio-net-pci,netdev=net,romfile=", "-boot", "n")
    with qemu.Machine(context.path("run"), empty, own_copy=False, extra=extra) as machine:
        machine.wait(BANNER, 90)
        machine.wait(r"(?i)no file system|no volume|no medium", 400)
        machine.wait(r"l1d\.size", 400)
        machine.wait(r"(?i)press|any key", 60)


@case("boot/shell", seconds=60)
def shell(context):
    """From the UEFI shell, with arguments, there and back."""
    path = booted.medium(context, ["plain = yes"])
    disk.tool("mdel", path, "::/EFI/BOOT/BOOTX64.EFI")
    disk.put(path, "/assay.efi", open(built("assay.efi"), "rb").read())
    with qemu.Machine(context.path("run"), path, own_copy=False) as machine:
        def type_line(line):
            position = len(machine.serial.raw)
            machine.serial.send(line + "\r")
            return position

        machine.wait("Press ESC in", 60)
        machine.serial.send("\x1b")
        machine.wait("Shell> ", 30)
        position = type_line("fs0:")
        machine.wait(r"FS0:\\> ", 20, position)
        position = type_line("assay.efi --probe l1d --core 0 --after return")
        machine.wait(r"l1d\.size", 120, position)
        machine.wait(r"FS0:\\> ", 60, position + 60)
        position = type_line("echo status-%lasterror%-end")
        machine.wait(r"^status-0x0-end", 20, position)
        position = type_line("assay.efi --after return --nonsense")
        machine.wait(r"nonsense", 30, position + 30)
        machine.wait(r"FS0:\\> ", 30, position + 30)
        position = type_line("echo status-%lasterror%-end")
        said = machine.wait(r"^status-(0x\w+)-end", 20, position).group(1)
        expect(said != "0x0", "an unknown option is not an error to the shell")
        position = type_line("assay.efi --help --after return")
        for option in ("--probe", "--core", "--after", "--retry", "--no-variable"):
            machine.wait(option, 30, position + 20)
        machine.wait(r"FS0:\\> ", 30, position + 30)
        position = type_line("assay\\selftest.efi --selftest faults --after return")
        machine.wait(r"selftest: [1-9]\d* passed, 0 failed", 60, position)
        machine.wait(r"FS0:\\> ", 30, position + 60)
        position = type_line("ls \\assay")
        machine.wait(r"<DIR>", 20, position)
        machine.wait(r"FS0:\\> ", 20, position + 10)
        machine.serial.send("reset -s\r")
        machine.finish(30)
    result = booted.check_documents(path)
    expect(result["run"]["core"] == 0, "the argument --core was lost")


@case("boot/unknown-option", seconds=15)
def unknown_option(context):
    """A wrong line in assay.ini is named, and the run does not start as if it were not there."""
    text, path = booted.one_run(context, ["nonsense = 1"])
    expect("nonsense" in text, "the wrong word is not named")
    expect(not disk.runs(path), "it measured all the same")


@case("boot/wait", seconds=30)
def wait_for_key(context):
    """By default the answers stay on the screen until a key is pressed."""
    path = booted.medium(context, ["plain = yes", *L1D])
    with qemu.Machine(context.path("run"), path, own_copy=False) as machine:
        machine.wait(r"l1d\.size", 150)
        machine.wait(r"(?i)press|any key", 60)
        time.sleep(4)
        expect(machine.process.poll() is None, "it did not wait")
        position = len(machine.serial.raw)
        machine.press("spc")
        limit = time.monotonic() + 30
        while machine.process.poll() is None and len(machine.serial.raw) == position:
            expect(time.monotonic() < limit, "nothing happened at the key")
            time.sleep(0.2)


@case("boot/flat-clock", seconds=60)
def flat_clock(context):
    """Under a clock that counts instructions nothing can be seen: of caches and of translation it is said soon, and two
    runs find exactly the same of caches, each point of each curve.

    What is not compared is how long the run took and how fast the clock is: both follow from moments at which the
    emulated firmware's disk and timers answered, and those are this computer's."""
    flat = dict(icount=True, cpu="max", memory=512, extra=("-rtc", "base=2026-01-01T00:00:00,clock=vm"))
    found = []
    for name in ("one", "two"):
        path = booted.medium(context, [*SHUT, "seed = 1"], name=f"{name}.img")
        with qemu.Machine(context.path(name), path, own_copy=False, **flat) as machine:
            machine.wait(BANNER, 90)
            begin = time.monotonic()
            machine.finish(200)
            took = time.monotonic() - begin
        expect(took < 20 * qemu.PATIENCE, f"the probes took {took:.1f} s")
        result = booted.check_documents(path)
        about_caches = [finding for finding in result["findings"] if finding["id"].startswith(("l1d.", "latency."))
                        and not finding["id"].endswith(".sizes")]
        expect(len(about_caches) >= 5, f"only {len(about_caches)} findings about caches")
        for finding in about_caches:
            expect(not results.measured(finding), f"{finding['id']} = {finding.get('value')} where nothing can be seen")
            # Every instruction takes one tick: an add and a multiply, too, so that there are no core cycles to tell.
            why = "no step seen" if finding["id"] in ("l1d.size", "l1d.ways", "l1d.line") else "core cycles are not known"
            expect(why in finding["why"], f"{finding['id']}: {finding['why']}")
        for kind in ("dtlb", "itlb", "walk.", "walker.", "psc.", "cost."):
            about_it = [finding for finding in result["findings"] if finding["id"].startswith(kind)]
            expect(about_it, f"nothing is said of {kind}")
            for finding in about_it:
                expect(not results.measured(finding), f"{finding['id']} = {finding.get('value')} where nothing can be seen")
                expect(finding["why"], f"{finding['id']} does not say why")
        exact = [entry for entry in result["findings"] + result["series"]
                 if entry["id"].startswith(("l1d.", "latency.")) or entry["id"] in ("cpu.clock_step", "cpu.frequency")]
        expect(sum(len(entry.get("points", ())) for entry in exact) >= 20, "hardly a point in the curves")
        found.append({(entry["id"], "points" in entry): entry for entry in exact})
    for what, entry in found[0].items():
        expect(entry == found[1].get(what), f"{what[0]} differs between two runs: {entry} {found[1].get(what)}")


@case("boot/replay", seconds=30)
def replay(context):
    """The readings of a run of the image, served again on this computer, give its documents byte for byte: all that there
    can be, so with a suite."""
    said, path = booted.one_run(context, [*L1D, "suite = list", "memory = 2M"])
    files, _ = booted.last_documents(path)
    with open(context.path("readings"), "wb") as file:
        file.write(files["readings"])
    context.execute(built("assay-replay"), "--from", context.path("readings"), "--plain", "--out", context.path("again"))
    for name in ("result.json", "findings.csv", "series.csv", "report.html", "suite.txt"):
        with open(context.path("again", name), "rb") as file:
            expect(file.read() == files[name], f"{name} differs after the replay")
    expect("Suite list: " in said, "the console has no table of the suite")


@case("boot/skip", seconds=70)
def skip(context):
    """During a long probe the progress line moves at least every 2 s, and s skips it within 2 s."""
    path = booted.medium(context, [*SHUT, "probe = latency", "all-memory = yes"])
    progress = re.compile(rb"\blatency +\d+ %")
    with qemu.Machine(context.path("run"), path, own_copy=False, memory=4096) as machine:
        machine.wait(BANNER, 60)
        machine.wait(r"latency +\d+ %", 60)
        time.sleep(30)
        expect(machine.process.poll() is None, "the probe ended before it was skipped: this needs a longer one")
        moments = [machine.serial.moment(match.end()) for match in progress.finditer(bytes(machine.serial.raw))]
        gaps = [after - before for before, after in zip(moments, moments[1:])] + [time.monotonic() - moments[-1]]
        context.note(f"gaps: {[round(gap, 2) for gap in gaps]}")
        expect(max(gaps) <= 2 * qemu.PATIENCE, f"the progress line stood still for {max(gaps):.1f} s")
        position, pressed = len(machine.serial.raw), time.monotonic()
        machine.press("s")
        machine.wait(r"(?i)skipped", 20, position)
        took = time.monotonic() - pressed
        context.note(f"skipped after {took:.2f} s")
        expect(took <= 2 * qemu.PATIENCE, f"s took {took:.1f} s")
        machine.finish(60)
    booted.check_documents(path)


@case("boot/abort", seconds=40)
def abort(context):
    """q, on the serial line this time, ends the whole run, with its documents."""
    path = booted.medium(context, [*SHUT, "all-memory = yes"])
    with qemu.Machine(context.path("run"), path, own_copy=False, memory=2048) as machine:
        machine.wait(BANNER, 60)
        machine.wait(r"latency +\d+ %", 60)
        machine.serial.send("q")
        machine.finish(60)
    booted.check_documents(path)
