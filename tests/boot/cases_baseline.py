# SPDX-License-Identifier: BSD-2-Clause
"""--baseline and --lava on the booted image: a board beside the findings of a good one, told on the console, in the
journal and in the variable, and to a board farm."""
import re

import booted
import disk
import results
import variables
from booted import SHUT
from cases_compare import lava_results
from suite import case, expect

GOLDEN = r"\assay\golden.csv"
OPTIONS = (*SHUT, "probe = clock", f"baseline = {GOLDEN}", "lava = yes")
HEADING = ("id,measured,value,unit,confidence,cost,method,why,emulated,declared_low,declared_high,declared_by,"
           "agreement\r\n")


def boot(context, path, name, golden, **machine):
    """One run beside a baseline (bytes): its text on the console."""
    disk.put(path, "/assay/golden.csv", golden)
    return booted.whole_run(context, path, name, **machine)


def journal_verdict(path):
    files, _ = booted.last_documents(path)
    records, torn = results.journal(booted.journal_of(files))
    told = [record for record in records if record["event"] == "baseline"]
    expect(torn == 0 and len(told) == 1, f"baseline in the journal: {told}")
    return told[0]["verdict"]


def stored_verdict(context, name):
    store = booted.variables_of(context, name)
    expect(variables.summary(store), "no variable")
    return variables.verdict(store)


@case("boot/baseline", seconds=60)
def baseline(context):
    """A baseline that cannot be used stops the run before it begins; another board fails; the same board passes."""
    path = booted.medium(context, OPTIONS)

    text = boot(context, path, "damaged", b"id,measured,value\r\ncpu.tsc,yes,4")
    expect(f"--baseline {GOLDEN}: line 1: no column 'unit'" in text, f"not told: {text[-400:]}")
    expect("Nothing is measured" in text and "cpu.tsc" not in text, "measured beside a damaged baseline")
    expect(not disk.runs(path), "a run in spite of a damaged baseline")

    # A clock that counts instructions and nothing else: the same answers every time.
    golden = (HEADING + "cpu.clock_step,yes,12345,ticks,1,1,,,yes,,,,\r\n").encode()
    text = boot(context, path, "other", golden, icount=True)
    expect(re.search(r"^Baseline \\assay\\golden\.csv FAILED: [1-9]", text, re.MULTILINE), f"not told: {text[-900:]}")
    expect(re.search(r"^  cpu\.clock_step .* ticks, baseline 12345 ticks", text, re.MULTILINE), "the step is not told")
    expect(journal_verdict(path) == "failed", "the journal does not say failed")
    expect(stored_verdict(context, "other") == "failed", "the variable does not say failed")
    expect(lava_results(text)["baseline"]["result"] == "fail", "LAVA is not told")

    files, _ = booted.last_documents(path)
    result = results.check(files)
    text = boot(context, path, "same", files["findings.csv"], icount=True)
    expect(re.search(r"^Baseline \\assay\\golden\.csv passed: 0 different", text, re.MULTILINE),
           f"not told: {text[-900:]}")
    expect(journal_verdict(path) == "passed", "the journal does not say passed")
    expect(stored_verdict(context, "same") == "passed", "the variable does not say passed")
    # Readers that take the console line by line need whole lines, however many columns it has.
    cases = lava_results("\n".join(re.findall(r"^<LAVA_SIGNAL_.*>$", text, re.MULTILINE)))
    expect(set(cases) == {finding["id"] for finding in result["findings"]} | {"baseline"}, f"LAVA's cases: {cases}")
    expect(cases["baseline"]["result"] == "pass", "LAVA is not told")
    expect("measurement" in cases["cpu.clock_step"], f"no measurement: {cases}")
