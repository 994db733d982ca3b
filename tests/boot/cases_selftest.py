# SPDX-License-Identifier: BSD-2-Clause
"""selftest.efi booted: faults survived, the machine given back as it was, the contract of the waist kept."""
import re

import booted
import disk
import qemu
from booted import BANNER, SHUT
from suite import built, case, expect


def selftest(context, lines, seconds=240, **how):
    """Runs a self-test, pressing a key and injecting an NMI whenever the image asks for one; the serial text."""
    path = booted.medium(context, [*SHUT, *lines])
    with open(built("selftest.efi"), "rb") as file:
        disk.put(path, "/EFI/BOOT/BOOTX64.EFI", file.read())
    with qemu.Machine(context.path("run"), path, own_copy=False, **how) as machine:
        machine.wait(BANNER, 60)
        asked = 0
        while machine.process.poll() is None:
            requests = re.findall(r"(?im)^.*(press a key|send an? nmi).*$", machine.serial.text())
            for request in requests[asked:]:
                if "key" in request.lower():
                    machine.press("a")
                else:
                    machine.control.call("inject-nmi")
            asked = max(asked, len(requests))
            expect(seconds > 0, f"did not end; last lines: {machine.last()}")
            try:
                machine.process.wait(0.5)
            except Exception:
                seconds -= 0.5
        return machine.finish(10)


def arrived(text):
    """Whether every check that the closing line counts has come over the serial line, each as a line of its own."""
    closing = re.search(r"(?m)^\s*selftest: (\d+) passed, (\d+) failed", text)
    lines = re.findall(r"(?m)^\s*(?:ok|FAIL) ", text)
    return not closing or len(lines) == int(closing[1]) + int(closing[2])


def whole_selftest(context, lines, **how):
    """A self-test whose checks have all arrived. A firmware that waits a second for the line to take a byte gives that
    byte up, and on a busy computer a line of hundreds came broken once; a second one is no accident any more."""
    text = selftest(context, lines, **how)
    if arrived(text) or not re.search(r"(?m)^\s*selftest: \d+ passed, 0 failed", text) or "FAIL" in text:
        return text  # what failed is not asked again
    print("  a line of the self-test came broken over the serial line; once more")
    text = selftest(context, lines, **how)
    strange = [line for line in text.splitlines() if line.strip() and not re.match(r"\s*(ok|FAIL|selftest:) ", line)]
    expect(arrived(text), f"not every check that was counted is a line; other lines: {strange[-12:]}")
    return text


def all_held(text, at_least):
    """The closing line of a self-test, and that it counts what is above it."""
    ending = re.findall(r"(?m)^\s*selftest: (\d+) passed, (\d+) failed", text)
    expect(ending, f"no closing line: {text[-300:]!r}")
    passed, failed = map(int, ending[-1])
    complaints = re.findall(r"(?m)^\s*FAIL.*$", text)
    expect(failed == 0 and not complaints, f"{failed} failed: {'; '.join(complaints[:4])}")
    expect(passed >= at_least, f"only {passed} checks")


def on(cpu, processors):
    @case(f"boot/selftest-{cpu}-{processors}", seconds=40)
    def with_machine(context):
        asked = ["selftest = all"] if processors == 1 else []  # it is what selftest.efi does in any case
        text = whole_selftest(context, asked, cpu=cpu, processors=processors)
        all_held(text, 10)
        for word in ("#GP", "#PF", "#UD", "NMI", "firmware's timer", "firmware writes a file", "firmware reads a key"):
            expect(re.search(rf"(?m)^\s*ok .*{word}", text), f"nothing is said to have held about {word}")
        for number in range(processors):
            periods = 50 if number else 1000
            held = rf"(?m)^\s*ok +processor {number}: {periods} quiet periods"
            expect(re.search(held, text), f"processor {number}: {periods} quiet periods are not said to have been")
            for name in ("CR0", "CR3", "CR4", "EFER", "XCR0", "PAT", "GDTR", "IDTR", "TR", "DR7", "MXCSR"):
                left = rf"(?m)^\s*ok +processor {number}: quiet leaves {name}\b"
                expect(re.search(left, text), f"processor {number}: quiet is not said to leave {name}")


for cpu in ("Skylake-Server-v1", "EPYC-v1", "max"):
    for processors in (1, 4):
        on(cpu, processors)


@case("boot/contract", seconds=30)
def contract(context):
    """The contract of kernel/machine.h on bare metal, under a clock that counts instructions."""
    all_held(whole_selftest(context, ["selftest = machine"], icount=True, cpu="max"), 10)


@case("boot/selftest-elsewhere", seconds=15)
def elsewhere(context):
    """assay.efi has no self-test: it says which program has, and measures nothing in its place."""
    text, path = booted.one_run(context, ["selftest = all"])
    expect(re.search(r"(?m)^\s*--selftest: .*selftest\.efi", text), "the program that has it is not named")
    expect("passed" not in text and not disk.runs(path), "something was run all the same")
