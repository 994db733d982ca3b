# SPDX-License-Identifier: BSD-2-Clause
"""The suites (run/suites.h): their tables, on the console and as a file, on a model and on this computer, and after a
replay."""
import os
import re

import results
from cases_host import LINUX, MODEL, documents, measure, replayed
from suite import built, case, expect

def table_of(context, said, name):
    """suite.txt of a run, which the console has, too."""
    files = documents(context.path(name))
    results.check(files)
    table = files["suite.txt"].decode("ascii")
    expect(table in said, "the console has another table than suite.txt")
    expect(all(len(line) < 80 for line in table.splitlines()), "a line of suite.txt has more than 79 columns")
    return table


def rows_of(table, title):
    """The rows of one kind of list: bytes of the array to N and the six columns."""
    units = {"KB": 1 << 10, "MB": 1 << 20}
    panel = table.split("\n" + title + "\n")[1].split("\n\n")[0]
    found = re.findall(r"^(\d+) (KB|MB) +(\d+)" + r" +([0-9.]+)" * 6 + "$", panel, flags=re.M)
    return {int(size) * units[unit]: [float(value) for value in values] for size, unit, *values in found}


@case("model/suite-list", seconds=10)
def model_list(context):
    """A Pentium 4 with 2 MB of memory: what fits costs what a hit costs, what is in
    order costs less than what is not, and a replay prints the same."""
    said = context.execute(built(MODEL), "run", "pentium-4", "--suite", "list", "--memory", "2M", "--plain", "--out",
                           context.path("list"), seconds=300)
    table = table_of(context, said, "list")
    rows = rows_of(table, "64-byte elements (NUMPAD 7), 8-byte links, read")
    expect(sorted(rows) == [1024 << i for i in range(len(rows))] and max(rows) >= 1 << 20, f"{sorted(rows)}")
    expect(all(bytes == 64 * row[0] for bytes, row in rows.items()), "N is not the array by the element")
    expect(rows[1024][2] == rows[1024][4] == rows[1024][6] == 2.0, f"a hit takes {rows[1024]}")
    ascending, random = rows[1 << 20][1], rows[1 << 20][5]
    expect(random > 3 * ascending, f"in order {ascending} ns, at random {random} ns")
    replayed(context, context.path("list"), "again")


@case("model/suite-xray", seconds=10)
def model_xray(context):
    """One of the paper's own machines: what the paper says it has, in this machine's rows."""
    said = context.execute(built(MODEL), "run", "opteron-240", "--suite", "xray", "--plain", "--out",
                           context.path("xray"), seconds=300)
    table = table_of(context, said, "xray")
    found = dict(re.findall(r"^(.+)\n  this machine    ([0-9.]+) by assay", table, flags=re.M))
    for title, value in (("L1 data cache: capacity (KB)", "64"), ("L1 data cache: block (bytes)", "64"),
                         ("L1 data cache: associativity", "2"), ("L2 data cache: capacity (KB)", "1024"),
                         ("L2 data cache: associativity", "16")):
        expect(found.get(title) == value, f"{title}: {found.get(title)}, in the paper {value}")
    expect("\nL3 cache: capacity (KB)\n  this machine    not measurable: " in table, "a third level")
    replayed(context, context.path("xray"), "again")


@case("linux/suite-list", alone=True, seconds=5)
def linux_list(context):
    """On this computer: an element that hits takes a few cycles, one at random in 16 MB much more."""
    result = measure(context, "list", LINUX, "--suite", "list", "--memory", "16M")
    frequency = results.finding(result, "cpu.frequency")
    curve = {series["id"]: series["points"] for series in result["series"]}["list.8.64.read.random"]
    (_, _, first, _), (largest, _, last, _) = curve[0], curve[-1]
    expect(os.path.exists(context.path("list", "suite.txt")), "no suite.txt")
    expect(largest >= 8 << 20, f"the longest list has {largest} bytes")
    expect(last > 3 * first, f"{first} ns at first, {last} ns at last")
    if results.measured(frequency):
        cycles = first * frequency["value"] / 1e9
        expect(2 <= cycles <= 12, f"a hit takes {cycles} cycles")
    replayed(context, context.path("list"), "again")
