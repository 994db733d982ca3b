# SPDX-License-Identifier: BSD-2-Clause
"""--baseline and --lava on the booted image: a board beside the findings of a good one, told on the console, in the
journal, in the variable and to whoever started it, and to a board farm."""
import re

import booted
import disk
import qemu
import results
import variables
from cases_compare import lava_results
from suite import built, case, expect

HEADING = ("id,measured,value,unit,confidence,cost,method,why,emulated,declared_low,declared_high,declared_by,"
           "agreement\r\n")
RUN = r"assay.efi --plain --probe clock --lava --baseline"
# What the UEFI shell does by itself: three runs in one boot, the last beside the findings of the one before it.
SCRIPT = ("fs0:", rf"{RUN} \assay\damaged.csv", "echo status-%lasterror%-damaged", rf"{RUN} assay/other.csv",
          "echo status-%lasterror%-other", "assay.efi --last", r"for %d in \assay\S*", r"cp %d\1\findings.csv \assay\same.csv", "endfor",
          rf"{RUN} \assay\same.csv", "echo status-%lasterror%-same", "reset -s")


def journal_verdict(files):
    records, torn = results.journal(booted.journal_of(files))
    told = [record for record in records if record["event"] == "baseline"]
    expect(torn == 0 and len(told) == 1, f"baseline in the journal: {told}")
    return told[0]["verdict"]


def between(text, start, end):
    found = re.search(rf"{start}(.*?)^status-(0x\w+)-{end}", text, re.MULTILINE | re.DOTALL)
    expect(found, f"no run {end} in {text[-600:]}")
    return found.groups()


@case("boot/baseline", seconds=40)
def baseline(context):
    """A baseline that cannot be used stops the run before it begins; another board fails; the same board passes."""
    path = booted.medium(context, [])
    disk.tool("mdel", path, "::/EFI/BOOT/BOOTX64.EFI")
    with open(built("assay.efi"), "rb") as file:
        disk.put(path, "/assay.efi", file.read())
    disk.put(path, "/startup.nsh", "".join(f"{line}\r\n" for line in SCRIPT))
    disk.put(path, "/assay/damaged.csv", "id,measured,value\r\ncpu.tsc,yes,4")
    disk.put(path, "/assay/other.csv", HEADING + "cpu.clock_step,yes,12345,ticks,1,1,,,yes,,,,\r\n")
    # A clock that counts instructions and nothing else: the same answers every time.
    with qemu.Machine(context.path("run"), path, own_copy=False, icount=True) as machine:
        machine.wait("Press ESC in", 100)
        machine.serial.send(" ")  # any other key: now
        text = machine.finish(200)

    said, status = between(text, "", "damaged")
    expect(r"--baseline \assay\damaged.csv: line 1: no column 'unit'" in said, f"not told: {said[-400:]}")
    expect("Nothing is measured" in said and "cpu.tsc" not in said, "measured beside a damaged baseline")
    expect(status != "0x0", "a damaged baseline is no error to the shell")
    runs = disk.runs(path)
    expect([number for _, number, _ in runs] == [1, 2], f"runs: {runs}")

    said, status = between(text, "status-0x[0-9A-F]+-damaged", "other")
    expect(re.search(r"^Baseline assay/other\.csv FAILED: [1-9]", said, re.MULTILINE), f"not told: {said[-900:]}")
    expect(re.search(r"^  cpu\.clock_step .* ticks, baseline 12345 ticks", said, re.MULTILINE), "the step is not told")
    expect(lava_results(said)["baseline"]["result"] == "fail", "LAVA is not told")
    expect(status != "0x0", "a failure is none to the shell")
    expect(journal_verdict(disk.files(path, runs[0][2])) == "failed", "the journal does not say failed")
    expect("of run 1, which failed beside its baseline:" in text, "the variable does not say failed")

    said, status = between(text, "status-0x[0-9A-F]+-other", "same")
    files, _ = booted.last_documents(path)
    result = results.check(files)
    expect(re.search(r"^Baseline \\assay\\same\.csv passed: 0 different", said, re.MULTILINE), f"not told: {said[-900:]}")
    expect(status == "0x0", f"the shell is told {status}")
    expect(journal_verdict(files) == "passed", "the journal does not say passed")
    store = booted.variables_of(context)
    expect(variables.summary(store) and variables.verdict(store) == "passed", "the variable does not say passed")
    # Readers that take the console line by line need whole lines, however many columns it has.
    cases = lava_results("\n".join(re.findall(r"^<LAVA_SIGNAL_.*>$", said, re.MULTILINE)))
    expect(set(cases) == {finding["id"] for finding in result["findings"]} | {"baseline"}, f"LAVA's cases: {cases}")
    expect(cases["baseline"]["result"] == "pass", "LAVA is not told")
    expect("measurement" in cases["cpu.clock_step"], f"no measurement: {cases}")
