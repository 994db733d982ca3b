# SPDX-License-Identifier: BSD-2-Clause
"""What `make bench` prints beside the model's speed: assay's cost and score next to those of X-Ray (docs/peers.md)."""
import re

from suite import built, case, expect

UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def row(said, machine):
    """The numbers of a machine's row, with their units."""
    line = re.search(rf"^{machine} .*$", said, re.M)
    expect(line, f"no row of {machine}: {said!r}")
    expect(len(line.group(0)) <= 120, f"{len(line.group(0))} columns")
    numbers = [float(number) * UNITS[unit] for number, unit in re.findall(r"([\d.]+)(?: ([kMGT])\b)?", line.group(0)[17:])]
    expect(len(numbers) == 12, f"{len(numbers)} numbers in {line.group(0)!r}")
    return numbers


@case("model/peers", seconds=10)
def peers(context):
    """An exclusive second level, of which the paper's Table 2 tells the sum of both levels: X-Ray does so here, too."""
    said = context.execute(built("bench-peers"), "athlon-mp", seconds=240)
    ours, theirs, run, times, _, seconds, right, wrong, missing, its_right, its_wrong, its_missing = row(said, "athlon-mp")
    expect((right, wrong, missing) == (8, 0, 0), f"assay: {right}, {wrong}, {missing}")
    expect((its_right, its_wrong, its_missing) == (6, 2, 0), f"X-Ray: {its_right}, {its_wrong}, {its_missing}")
    expect("l2.size 576 KB (512 KB), l2.ways 18 ways (16 ways)" in said, said)
    expect(abs(theirs / ours / times - 1) < 0.02, f"{ours} and {theirs} accesses are not {times} to one")
    expect(run < theirs / 1000 and 100 < seconds < 1000, f"{run} accesses run, {seconds} seconds")

    said = context.execute(built("bench-peers"), "no-such-machine", status=2)
    expect("there is no machine named 'no-such-machine'" in said, said)
