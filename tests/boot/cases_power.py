# SPDX-License-Identifier: BSD-2-Clause
"""Power cuts: QEMU is killed at random instants of a run, and the writes of a run are cut off after each single one. What
is left must be sound.

The order in which the FAT driver writes (EDK II's) leaves moments that no program can avoid, and disk.Left says what they
leave: they may be there while folders, the journal or documents are being made, never while a probe runs or after the
run, and the next start goes on beside what they left."""
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
# The probes that need least time: twenty runs are cut, and there are two more after each cut.
LINES = (*SHUT, "probe = clock,l1d", "memory = 32M")
FINDINGS = {"clock": ("cpu.", "noise."), "l1d": ("l1d.",)}  # of each of them, by the beginnings of ids


def under_way(records):
    """The probe that had begun and not ended, or None."""
    probe = None
    for record in records:
        if record["event"] == "begin":
            probe = record["probe"]
        elif record["event"] in ("end", "finished"):
            probe = None
    return probe


def changes(records):
    """Whether files or folders are being made: before the first record, and from the last probe's end to the end."""
    if not records:
        return True
    ended = sum(record["event"] == "end" for record in records)
    return ended == len(records[0]["probes"].split(",")) and records[-1]["event"] != "finished"


def judge(context, name, path):
    """Checks what is left on a medium; returns (records of the journal, what is left of the FAT)."""
    records, files = [], {}
    runs = disk.runs(path)
    if runs:
        files = disk.files(path, runs[-1][2])
        if any(file.startswith("journal") for file in files):
            records, torn = results.journal(booted.journal_of(files))
            expect(torn <= 1, f"{name}: {torn} torn records")
    left = disk.left(path)
    expect(left == disk.SOUND or changes(records), f"{name}: after {records[-1:]} the FAT is {left}")
    expect(not left.folders or not records, f"{name}: a folder is damaged, and the journal was begun")
    if records and records[-1]["event"] == "finished":
        results.check(files)
    return records, left


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
    way, what is left of the FAT)."""
    path = booted.medium(context, LINES, name=f"{name}.img")
    with qemu.Machine(context.path(name), path, own_copy=False) as machine:
        machine.wait(after, 200)
        time.sleep(delay)
        machine.kill()
        context.note(f"{name}: killed after {delay:.2f} s; last lines: {machine.last(3)}")
    records, left = judge(context, name, path)
    probe = under_way(records)
    context.note(f"{name}: {len(records)} records, under way: {probe}, {left}")
    variables.summary(booted.variables_of(context, name))  # sound or absent
    return path, booted.variables_of(context, name), probe, left


def next_start(context, name, path, store, probe, left=disk.SOUND):
    """The next start names the probe that was under way and skips it; with retry it runs. What is left of the FAT stays as
    it is, but for the second copy, which is written with the first."""
    left = left._replace(differing=False)
    again = context.path(f"{name}-retry.img")
    shutil.copyfile(path, again)
    if probe:
        disk.options(again, [*SHUT, f"probe = {probe}", "memory = 32M", "retry = yes"])
    text = booted.whole_run(context, path, f"{name}-next", variables=store)
    result = booted.check_documents(path, left)
    if probe is None:
        expect(not re.search(r"(?i)ended during probe", text), f"{name}: a probe is said to have been under way, and none was")
        return
    told = [line for line in text.splitlines() if probe in line and re.search(r"(?i)ended during probe", line)]
    expect(told, f"{name}: {probe} was under way, and the next start does not say so")
    reasons = [finding.get("why") or "" for finding in result["findings"] if finding["id"].startswith(FINDINGS[probe])]
    expect(reasons and all(reasons), f"{name}: {probe} ran again: {reasons}")
    booted.whole_run(context, again, f"{name}-retry", variables=store)
    files, _ = booted.last_documents(again, left)
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
                path, store, probe, left = cut(context, name, r"l1d +\d+ %", chance.uniform(0, 0.2))
                expect(probe == "l1d", f"{name}: cut in the middle of l1d, and the journal says {probe}")
            elif number % 5 == 4:
                path, store, probe, left = cut(context, name, r"l1d +done", chance.uniform(0, 0.6))
            else:
                path, store, probe, left = cut(context, name, BANNER, chance.uniform(0, whole))
            seen.append(probe)
            next_start(context, name, path, store, probe, left)
            for left in (path, context.path(f"{name}-retry.img")):
                if os.path.exists(left):
                    os.remove(left)
        context.note(f"under way at the cuts: {seen}")


for index in range(GROUPS):
    group(index)


def cut_everywhere(context, before, writes, final):
    """Checks the medium after each single write; returns {kind of what is left: (number of the write, what is left)}."""
    path, kinds = context.path("cut.img"), {}
    shutil.copyfile(before, path)
    for number, (offset, data) in enumerate(writes, 1):
        with open(path, "r+b") as medium:
            medium.seek(offset)
            medium.write(data)
        records, left = judge(context, f"write {number} of {len(writes)}", path)
        context.note(f"write {number}: {len(data)} bytes at {offset}, {len(records)} records, {left}")
        kinds.setdefault((bool(records), left.unowned > 0, left.differing, left.folders), (number, left))
        for run in disk.runs(path):
            for name, content in disk.files(path, run[2]).items():
                expect(not content or content == final[name] or name.startswith("journal"),
                       f"write {number}: {name} is there and not whole: {len(content)} of {len(final[name])} bytes")
    with open(path, "rb") as medium:
        content = medium.read()
    os.remove(path)
    return kinds, content


@case("boot/power-cut-each-write", seconds=120)
def each_write(context):
    """The power goes after each single write of a run; and the next start from each kind of medium that this leaves."""
    path = booted.medium(context, (*SHUT, "probe = l1d", "memory = 32M"))
    before, log = context.path("before.img"), context.path("writes")
    shutil.copyfile(path, before)
    booted.whole_run(context, path, writes=log)
    final, _ = booted.last_documents(path)
    writes = disk.writes(log)
    kinds, content = cut_everywhere(context, before, writes, final)
    with open(path, "rb") as medium:
        expect(medium.read() == content, "the writes that were logged are not those that were made")
    told = [kind for kind in kinds if any(kind[1:])]
    expect(any(records for records, *_ in told), f"no write was between the FAT and a document: {kinds}")
    for number, left in (kinds[kind] for kind in told):
        name = f"write{number}"
        shutil.copyfile(before, path)
        with open(path, "r+b") as medium:
            for offset, data in writes[:number]:
                medium.seek(offset)
                medium.write(data)
        next_start(context, name, path, None, None, left)
    for big in (path, before, log):
        os.remove(big)
