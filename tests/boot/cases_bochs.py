# SPDX-License-Identifier: BSD-2-Clause
"""The real image, booted by real firmware on machines of known truth: Bochs executes it, a model times it."""
import os
import re
import shutil
import subprocess

import bochs
import booted
import results
from cases_model import run
from qemu import PATIENCE
from suite import ROOT, Skipped, built, case, expect

SECONDS = 90  # of processor time that one run may take: on an idle machine, so long altogether
LIMIT = 400
SECONDS_OF_MORE = 300  # of one with more probes
JUDGE = "assay-model"


def needed():
    """Bochs and its firmware are installed by `make`; on a distribution that has none of them this cannot be tried."""
    missing = bochs.missing()
    if missing:
        raise Skipped(f"not installed: {' '.join(missing)}")


def one_run(context, machine, memory, name="run", probes="latency,l1d", noise="quiet", seconds=SECONDS):
    """One whole run on a modelled machine: its documents by name, checked as those of any other run."""
    needed()
    os.makedirs(context.path(name))
    path = booted.medium(context, ["after = shutdown", "plain = yes", f"probe = {probes}", f"memory = {memory}"],
                         name=f"{name}.img")
    with bochs.Machine(context.path(name), path, bochs.machine_file(machine), noise=noise,
                       library=built("silicon-bochs.so")) as running:
        text = running.finish(max(LIMIT, 3 * seconds))
        expect(running.worked <= seconds * PATIENCE, f"took {running.worked:.0f} s of processor time")
    booted.check_console(text, booted.check_documents(path))
    files, _ = booted.last_documents(path)
    for name_of, content in files.items():
        with open(context.path(name, name_of), "wb") as file:
            file.write(content)
    return files


def verdicts(context, machine, memory, name="run"):
    """The findings of a run with their verdicts."""
    done = subprocess.run([built(JUDGE), "judge", bochs.machine_file(machine), context.path(name, "findings.csv"),
                           "--memory", memory, "--json"], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    context.note(done.stderr + done.stdout)
    expect(done.returncode in (0, 1), f"judge ended with {done.returncode}: {done.stderr[-300:]}")
    return results.read_json(done.stdout.encode())["findings"]


def judged(context, machine, memory, name="run"):
    """Every finding of a run with its verdict: right, or hidden for a reason; nothing else."""
    findings = verdicts(context, machine, memory, name)
    others = [finding for finding in findings if finding["verdict"] not in ("right", "hidden")]
    expect(not others, "; ".join(f"{finding['id']} {finding['verdict']}: {finding['value']}, truly {finding['truth']}"
                                 for finding in others))
    right = {finding["id"] for finding in findings if finding["verdict"] == "right"}
    for wanted in ("l1d.size", "l1d.ways", "l1d.line", "l1d.latency", "l2.latency", "mem.latency", "latency.levels"):
        expect(wanted in right, f"{wanted} is not among what was found")


def truth_on(machine, memory):
    @case(f"bochs/{machine}", seconds=80)
    def known(context):
        one_run(context, machine, memory)
        judged(context, machine, memory)


# The last number: bytes to measure with. Each is so much that every level that the verdict asks for is seen, and no
# more: a run's time grows with it.
truth_on("xeon-e5345", "16M")
truth_on("opteron-2356", "8M")
truth_on("zen4", "8M")


OF_LEVEL = re.compile(r"l[2-9]\.(size|ways|line|exclusive|inclusive)$")
SURE = re.compile(r"l[2-9]\.(size|ways|line)$|l1d\.(latency\.|write_)")
OF_TLB = re.compile(r"[di]tlb[12]\..*\.(entries|ways|sets)$")


def found_on(machine, memory, name, probes, same, sure=None, always=False):
    """What more probes find under Bochs is what they find in a process: nothing is wrong, what matches `sure` is
    right, and what matches `same` has the same value in both. always: not in a soak only."""
    seconds = SECONDS if always else SECONDS_OF_MORE

    @case(f"bochs/{name}-{machine}", seconds=seconds)
    def known(context):
        if not always and not context.setting(f"bochs_{name}", 0):
            raise Skipped("a soak has it")
        one_run(context, machine, memory, probes=probes if always else f"latency,l1d,{probes}", seconds=seconds)
        found = {finding["id"]: finding for finding in verdicts(context, machine, memory)}
        in_process = run(context, "process", bochs.machine_file(machine), "--memory", memory, "--probe", probes)
        for other in in_process:
            finding = found[other["id"]]
            told = f"{finding['id']} {finding['verdict']}: {finding['value']}, truly {finding['truth']}"
            expect(finding["verdict"] != "wrong", told)
            expect(finding["verdict"] == "right" or not (sure and sure.match(finding["id"])), told)
            if same.match(finding["id"]):
                expect(finding["value"] == other["value"], f"{told}; in a process {other['value']}")
    return known


# An old one, one whose second level is exclusive, and one whose last level is inclusive and has slices by a hash.
found_on("pentium-iii", "16M", "caches", "caches,access", OF_LEVEL, SURE)
found_on("opteron-2356", "16M", "caches", "caches,access", OF_LEVEL, SURE)
found_on("haswell", "64M", "caches", "caches,access", OF_LEVEL, SURE)

# Both servers of paper 004 and a modern one: real tables, walked by the model.
found_on("xeon-e5345", "32M", "dtlb", "dtlb", OF_TLB)
found_on("opteron-2356", "32M", "dtlb", "dtlb", OF_TLB)
found_on("zen4", "32M", "dtlb", "dtlb", OF_TLB, OF_TLB)

# Page-structure caches and what flushes and faults cost: all is right. Bochs walks the tables anew where the model's
# caches have an entry, so a swap is seen at once, and the clock answers; of the highest table it tells only whether
# entries are kept.
OF_STRUCTURES = re.compile(r"psc\.(pde|pdpte)\.entries$|psc\.(unified|physical|invlpg)$")
ALL_OF_THEM = re.compile(r"psc\.|cost\.")
found_on("xeon-e5345", "32M", "structures", "structures,costs", OF_STRUCTURES, ALL_OF_THEM, always=True)
found_on("opteron-2356", "32M", "structures", "structures,costs", OF_STRUCTURES, ALL_OF_THEM, always=True)
found_on("zen4", "32M", "structures", "structures,costs", OF_STRUCTURES, re.compile(r"psc\.(?!pml4e\.entries)|cost\."),
         always=True)

# What walks cost: a jump that is not foretold takes longer than a walk may, and has to be in all laps, or in none.
OF_WALKS = re.compile(r"walker\.cached_in$")
found_on("xeon-e5345", "32M", "tables", "tables", OF_WALKS, re.compile("walk"), always=True)
found_on("opteron-2356", "32M", "tables", "tables", OF_WALKS, re.compile("walk"))
found_on("zen4", "32M", "tables", "tables", OF_WALKS, re.compile("walk"))

# First levels of instructions; of what lies behind some, jumps leave too little to be seen.
OF_JUMPS = re.compile(r"itlb1\..*\.(entries|ways|sets)$")
found_on("xeon-e5345", "32M", "itlb", "itlb,stores", OF_JUMPS, OF_JUMPS)
found_on("opteron-2356", "32M", "itlb", "itlb,stores", OF_JUMPS, OF_JUMPS)
found_on("zen4", "32M", "itlb", "itlb,stores", OF_TLB, OF_TLB)

# Words that are read after table entries were swapped come from Bochs' own TLB, which joins nothing: where the model's
# does, the clock contradicts them, and nothing is said.
OF_FIRST = re.compile(r"dtlb1\.4k\.run$")
found_on("haswell", "32M", "coalescing", "coalescing", OF_FIRST)
found_on("xeon-e5345", "32M", "coalescing", "coalescing", OF_FIRST, OF_FIRST)
found_on("opteron-2356", "32M", "coalescing", "coalescing", OF_FIRST, OF_FIRST)
found_on("zen4", "32M", "coalescing", "coalescing", OF_FIRST, OF_FIRST)
found_on("zen1", "32M", "coalescing", "coalescing", re.compile("never"))


@case("bochs/deterministic", seconds=70)
def deterministic(context):
    """Two runs on the same machine give the same bytes, but for what names the run."""
    first, second = (one_run(context, "opteron-2356", "16M", name=name, probes="l1d") for name in ("one", "two"))
    for name in ("findings.csv", "series.csv"):
        expect(first[name] == second[name], f"{name} differs from one run to the next")


def refusal(program, library, machine, status, ask=True):
    """What the library says when it does not let Bochs run, or be asked."""
    environment = dict(os.environ, LD_PRELOAD=library, ASSAY_MACHINE=machine)
    if ask:
        environment["ASSAY_ASK"] = "1"
    done = subprocess.run([program], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=60)
    expect(done.returncode == status, f"status {done.returncode}, not {status}: {done.stderr[-200:]}")
    expect(done.stdout == "", f"answered all the same: {done.stdout}")
    return done.stderr


@case("bochs/refuses", seconds=2)
def refuses(context):
    """A Bochs whose code differs, a program that is no Bochs, a bad file and a machine that is no x86 are refused."""
    needed()
    library, machine = built("silicon-bochs.so"), bochs.machine_file("xeon-e5345")
    expect("ips" in bochs.ask(machine, library=library), "the known Bochs is refused")
    with open(bochs.PROGRAM, "rb") as file:
        code = bytearray(file.read())
    # get_TSC(): add rax, [rdi + 2c0h]; ret. Here the field lies elsewhere.
    at = code.find(bytes.fromhex("480387c0020000c3"))
    expect(at > 0, "the code of get_TSC() was not found in Bochs")
    code[at + 3] = 0xc8
    other = context.path("other-bochs")
    with open(other, "wb") as file:
        file.write(code)
    os.chmod(other, 0o755)
    said = refusal(other, library, machine, 3)
    expect("not the Bochs that is known" in said and "get_TSC" in said, said)
    said = refusal(shutil.which("true"), library, machine, 3)
    expect("not the Bochs that is known" in said, said)
    bad = context.path("bad.ini")
    with open(machine) as file, open(bad, "w") as written:
        written.write(file.read().replace("line = 64", "line = 65", 1))
    expect(": line " in refusal(bochs.PROGRAM, library, bad, 2), "a bad file is refused without its line")
    said = refusal(bochs.PROGRAM, library, bochs.machine_file("power3"), 2)
    expect("x86" in said, said)
    fast = bochs.machine_file("zen5")
    said = refusal(bochs.PROGRAM, library, fast, 2, ask=False)
    expect("2^32 - 1 cycles" in said, said)
    slow, times = bochs.slowed(fast, context.path("slowed"), library=library)
    before, after = (bochs.ask(name, library=library) for name in (fast, slow))
    expect(times == 2 and int(after["ips"]) == int(before["ips"]) // 2, f"{times} times slower: {after}, not {before}")
    said = refusal(bochs.PROGRAM, library, context.path("none.ini"), 2)
    expect("none.ini" in said, said)
