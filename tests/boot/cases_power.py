# SPDX-License-Identifier: BSD-2-Clause
"""Power cuts: QEMU is killed at random instants of a run, and what is left must be sound."""
import os
import random
import re
import shutil
import time

import booted
import disk
import qemu
import results
import variables
from booted import BANNER, SHUT
from suite import case, expect

GROUPS = 4
LINES = (*SHUT, "probe = latency,l1d", "memory = 32M")


def under_way(records):
    """The probe that had begun and not ended, or None."""
    probe = None
    for record in records:
        if record["event"] == "begin":
            probe = record["probe"]
        elif record["event"] in ("end", "finished"):
            probe = None
    return probe


def duration(context):
    """How long a whole run of these options takes from the banner to the end, here and now."""
    path = booted.medium(context, LINES, name="whole.img")
    with qemu.Machine(context.path("whole"), path, own_copy=False) as machine:
        machine.wait(BANNER, 60)
        begin = time.monotonic()
        machine.finish(300)
        return time.monotonic() - begin


def cut(context, name, after, delay):
    """Kills a run `delay` seconds after the line `after`; checks what is left; returns (medium, flash, probe under
    way)."""
    path = booted.medium(context, LINES, name=f"{name}.img")
    with qemu.Machine(context.path(name), path, own_copy=False) as machine:
        machine.wait(after, 200)
        time.sleep(delay)
        machine.kill()
        context.note(f"{name}: killed after {delay:.2f} s; last lines: {machine.last(3)}")
    probe, records = None, []
    runs = disk.runs(path)
    if runs:
        files = disk.files(path, runs[-1][2])
        if any(file.startswith("journal") for file in files):
            records, torn = results.journal(booted.journal_of(files))
            probe = under_way(records)
            context.note(f"{name}: {len(records)} records, {torn} torn, under way: {probe}")
        if "result.json" in files and probe is None and records and records[-1]["event"] == "finished":
            results.check(files)
    # While a probe runs, the file system's tables do not change. While folders or documents are being made, they do.
    disk.check(path, unowned=probe is None)
    variables.summary(booted.variables_of(context, name))  # sound or absent
    return path, booted.variables_of(context, name), probe


def next_start(context, name, path, store, probe):
    """The next start names the probe that was under way and skips it; with retry it runs."""
    again = context.path(f"{name}-retry.img")
    shutil.copyfile(path, again)
    if probe:
        disk.options(again, [*SHUT, f"probe = {probe}", "memory = 32M", "retry = yes"])
    text = booted.whole_run(context, path, f"{name}-next", variables=store)
    result = booted.check_documents(path)
    if probe is None:
        expect(not re.search(r"(?i)ended during probe", text), f"{name}: a probe is said to have been under way, and none was")
        return
    told = [line for line in text.splitlines() if probe in line and re.search(r"(?i)ended during probe", line)]
    expect(told, f"{name}: {probe} was under way, and the next start does not say so")
    reasons = [finding.get("why") or "" for finding in result["findings"] if finding["id"].startswith(probe)]
    expect(reasons and all(reasons), f"{name}: {probe} ran again: {reasons}")
    booted.whole_run(context, again, f"{name}-retry", variables=store)
    files, _ = booted.last_documents(again)
    records, _ = results.journal(booted.journal_of(files))
    ran = [record for record in records if record["event"] == "end" and record["probe"] == probe]
    expect(ran and ran[0]["outcome"] == "done", f"{name}: --retry did not run {probe}: {ran}")


def group(index):
    @case(f"boot/power-cut-{index + 1}", seconds=200)
    def cuts(context):
        chance = random.Random(20261121 + index)
        whole = duration(context)
        count = context.setting("power_cuts", 20) // GROUPS
        seen = []
        for number in range(count):
            # The first cut is inside a probe for certain, so that leaving out and --retry are always tried; every fifth is
            # among the table, the files and the variable; the others are anywhere.
            name = f"cut{number + 1}"
            if number == 0:
                path, store, probe = cut(context, name, r"latency +\d+ %", chance.uniform(0, 0.2))
                expect(probe == "latency", f"{name}: cut in the middle of latency, and the journal says {probe}")
            elif number % 5 == 4:
                path, store, probe = cut(context, name, r"l1d +done", chance.uniform(0, 0.6))
            else:
                path, store, probe = cut(context, name, BANNER, chance.uniform(0, whole))
            seen.append(probe)
            next_start(context, name, path, store, probe)
            for left in (path, context.path(f"{name}-retry.img")):
                if os.path.exists(left):
                    os.remove(left)
        context.note(f"under way at the cuts: {seen}")


for index in range(GROUPS):
    group(index)
