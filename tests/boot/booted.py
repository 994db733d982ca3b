# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of the booted image share: a copy of the image with its options, one whole run of it, and what is on
the medium afterwards."""
import os
import shutil

import disk
import qemu
import results
from suite import built, expect

GPT, FLOPPY = "assay.img", "assay-floppy.img"
BANNER = r"^\s*assay \d+\.\d+\.\d+"
SHUT = ("after = shutdown", "plain = yes")


def medium(context, lines, name="disk.img", image=GPT):
    """A copy of the image with its own assay.ini; its path."""
    path = context.path(name)
    shutil.copyfile(built(image), path)
    disk.options(path, lines)
    return path


def whole_run(context, path, name="run", seconds=150, **machine):
    """Boots a medium as it is, waits until the run has ended and the machine turned itself off; its serial text. The
    medium is written to in place; the variable store is left in the case's folder as `name`/vars.fd."""
    with qemu.Machine(context.path(name), path, own_copy=False, **machine) as running:
        return running.finish(seconds)


def one_run(context, lines, image=GPT, seconds=150, **machine):
    """Boots a fresh copy of the image with these options: (serial text, medium)."""
    path = medium(context, [*SHUT, *lines], image=image)
    return whole_run(context, path, seconds=seconds, **machine), path


def last_documents(path, left=disk.SOUND):
    """The documents of the medium's last run, after checking that the FAT is clean, but for what an earlier power cut is
    known to have left: (name to bytes, run number)."""
    disk.check(path, left)
    runs = disk.runs(path)
    expect(runs, f"no run in \\assay: {disk.listing(path)}")
    return disk.files(path, runs[-1][2]), runs[-1][1]


def check_documents(path, left=disk.SOUND):
    """result.json of the last run, all its documents having been found valid and its journal whole."""
    files, _ = last_documents(path, left)
    result = results.check(files)
    results.valid_html(files["report.html"])
    records, torn = results.journal(journal_of(files))
    expect(torn == 0, f"{torn} torn journal lines after a run that ended well")
    expect(records[0]["event"] == "run" and records[-1]["event"] == "finished", "the journal has no start or no end")
    return result


def journal_of(files):
    names = [name for name in files if name.startswith("journal")]
    expect(len(names) == 1, f"journals: {names}")
    return files[names[0]]


def check_console(text, result):
    """Every finding is on the console, by its id."""
    for finding in result["findings"]:
        expect(finding["id"] in text, f"{finding['id']} is not on the serial console")


def variables_of(context, name="run"):
    return os.path.join(context.path(name), "vars.fd")
