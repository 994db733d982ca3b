# SPDX-License-Identifier: BSD-2-Clause
"""Page tables of five levels on firmware that uses four: long mode is left and entered again. QEMU's processor `max`
has them."""
import re

import booted
from cases_selftest import all_held, selftest
from suite import case, expect


@case("boot/five-levels", seconds=60)
def five_levels(context):
    """Page tables of five levels where the firmware uses four: a walk by bit 56, the contract, faults on every processor,
    and every register as it was after a thousand times there and back."""
    text = selftest(context, ["five-levels = yes"], cpu="max", processors=2)
    all_held(text, 10)
    for number in range(2):
        walked = rf"(?m)^\s*ok +processor {number}: a walk by bits 56 and 48"
        expect(re.search(walked, text) and not re.search(walked + r".*not here", text), f"processor {number}: no such walk")
        expect(re.search(rf"(?m)^\s*ok +processor {number}: quiet leaves CR4\b", text), "CR4 is not as it was")


@case("boot/five-levels-refused", seconds=15)
def no_five_levels(context):
    """A processor that has no five levels is not measured with four instead."""
    text = selftest(context, ["five-levels = yes"], cpu="Skylake-Server-v1")
    expect("the processor has no five levels of page tables" in text, text[-300:])
    expect("passed" not in text, "something was tested all the same")


def of_the_highest(context, lines):
    """Why nothing is known of entries of a fifth level."""
    _, path = booted.one_run(context, ["probe = structures", "memory = 64M", *lines], cpu="max")
    result = booted.check_documents(path)
    return {finding["why"] for finding in result["findings"] if finding["id"].startswith("psc.pml5e.")}


@case("boot/four-levels", seconds=15)
def four(context):
    """What the firmware turned on is what is measured, unless more is asked for; and that is said."""
    reasons = of_the_highest(context, [])
    expect(reasons == {"firmware uses 4 levels"}, f"{reasons}")


@case("boot/five-levels-measured", seconds=15)
def five(context):
    """The probes go through five levels, as on firmware that uses them. An emulator keeps no entries of any."""
    reasons = of_the_highest(context, ["five-levels = yes"])
    expect(len(reasons) == 1 and "no swap of an entry goes unseen" in next(iter(reasons)), f"{reasons}")
