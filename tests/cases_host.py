# SPDX-License-Identifier: BSD-2-Clause
"""Tests that need no emulator: the unit tests' programs, and the probes on this computer and from recordings. Those on
models are in cases_model.py."""
import glob
import os
import re

import results
from suite import ROOT, Failed, Skipped, built, case, expect

LINUX, MODEL, REPLAY = "assay-linux", "assay-model", "assay-replay"
CACHE = "/sys/devices/system/cpu/cpu0/cache"


# Seconds that they take on one core, where that is long: they begin early.
SLOW_UNITS = {"rule": 70, "inclusion": 60, "probes": 40, "caches": 40, "minimal": 30, "dtlb": 30, "silicon_laps": 30,
              "dtlb_lines": 20, "itlb": 15, "push": 15, "kept": 15, "l1d": 15, "silicon_waist": 15, "access": 15}


def unit(name):
    took = SLOW_UNITS.get(name, 5)

    @case(f"unit/{name}", seconds=took)
    def one(context):
        context.execute(built(f"unit/test_{name}"), seconds=300 + 2 * took)


for source in sorted(glob.glob(os.path.join(ROOT, "tests", "unit", "test_*.c"))):
    unit(os.path.basename(source)[len("test_"):-len(".c")])


def documents(folder):
    """All files that a host program wrote into a folder, by name."""
    found = {}
    for path in glob.glob(os.path.join(folder, "**"), recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found[os.path.basename(path)] = file.read()
    return found


def measure(context, name, *options, seconds=300):
    """Runs a host program into a folder below the case's; returns its result.json, after checking all documents."""
    folder = context.path(name)
    context.execute(built(options[0]), *options[1:], "--plain", "--out", folder, seconds=seconds)
    return results.check(documents(folder))


def declared_here():
    """What the operating system learned from CPUID about the L1 data cache, by another way than ours."""
    for index in sorted(glob.glob(f"{CACHE}/index*")):
        def read(name):
            with open(f"{index}/{name}") as file:
                return file.read().strip()
        if read("level") == "1" and read("type") == "Data":
            return {"l1d.size": int(read("size").rstrip("K")) * 1024, "l1d.ways": int(read("ways_of_associativity")),
                    "l1d.line": int(read("coherency_line_size"))}
    raise Skipped("the operating system names no L1 data cache")


@case("linux/l1d", alone=True, seconds=30)
def linux_l1d(context):
    """Size, ways and line are what CPUID declares, and the latency is one and the same, every time."""
    declared = declared_here()
    latencies = []
    for number in range(1, context.setting("linux_runs", 3) + 1):
        chosen = [] if context.setting("linux_full", 0) else ["--probe", "latency,l1d"]
        result = measure(context, f"run{number}", LINUX, *chosen, "--seed", str(number))
        if result["machine"]["emulated"]:
            raise Skipped("this computer is emulated: its clock shows another machine's caches")
        for name, value in declared.items():
            finding = results.finding(result, name)
            expect(results.measured(finding), f"run {number}: {name} not measured: {finding.get('why')}")
            expect(finding["value"] == value, f"run {number}: {name} is {finding['value']}, CPUID declares {value}")
            expect(finding.get("agreement") == "agrees", f"run {number}: {name} says {finding.get('agreement')}")
        latencies.append(results.finding(result, "l1d.latency"))
        expect(results.measured(latencies[-1]), f"run {number}: no latency: {latencies[-1].get('why')}")
    values = {finding["value"] for finding in latencies}
    expect(len(values) == 1, f"latencies from run to run: {sorted(values)}")
    expect(all(2 <= value <= 10 for value in values), f"latencies that no L1 data cache has: {sorted(values)}")


# What a Zen 4 and a Zen 5 of these models were measured to have (docs/silicon.md, docs/architecture.md), by family and
# model as the operating system tells them.
MEASURED = {
    (25, 17): {
        "dtlb": {"dtlb1.4k.entries": 72, "dtlb1.4k.ways": 72, "dtlb1.4k.sets": 1, "dtlb2.4k.entries": 3072,
                 "dtlb2.4k.ways": 12, "dtlb2.4k.sets": 256, "dtlb2.4k.bits": 0b1001111111},
        "itlb": {"itlb1.4k.entries": 64},
    },
    (26, 2): {
        "dtlb": {"dtlb1.4k.entries": 96, "dtlb1.4k.ways": 96, "dtlb1.4k.sets": 1},
        "itlb": {"itlb1.4k.entries": 64, "itlb1.4k.ways": 64, "itlb1.4k.sets": 1},
    },
}
# A Zen 5 declares 128 units of 32 entries in its second level of data TLBs, and a hypervisor may hand on the 128 without
# the bit that says so (CPUID 80000021 EAX[14]): this is what it means.
MEANT = {
    (26, 2): {"dtlb2.4k.entries": 4096, "dtlb2.2m.entries": 4096, "itlb2.4k.entries": 2048, "itlb2.2m.entries": 2048},
}


def processor():
    """Family and model of this computer's CPU; None where the operating system does not tell."""
    with open("/proc/cpuinfo") as file:
        said = file.read()
    numbers = [re.search(rf"^{word}\s*: (\d+)$", said, re.M) for word in ("cpu family", "model")]
    return tuple(int(number.group(1)) for number in numbers) if all(numbers) else None


def noise(context):
    """How many of a hundred walks that fit take longer just now."""
    return int(re.match(r"(\d+) %", context.execute(built("facts-linux"), "noise", seconds=60)).group(1))


def too_noisy(context, before, what):
    """Ends a case that has missed something: as skipped where, in a quarter of the looks before and after that, one in ten
    of walks that are fast on any CPU was slow, which is the noise of others and not the probe's doing; as failed where
    it was not. Others come and go, so that it takes a minute of looks: of three in a row the first told 31 in a hundred,
    the next 7 and 8."""
    looks = [before] + [noise(context) for _ in range(20)]
    noisy = sum(share >= 10 for share in looks)
    told = f"{noisy} of {len(looks)} looks are noisy; slow, of a hundred walks: {sorted(looks)}"
    if 4 * noisy >= len(looks):
        raise Skipped(f"because too noisy: {what}; beside it, {told}")
    raise Failed(f"{what}; and it is quiet: {told}")


def translations(probe):
    @case(f"linux/{probe}", alone=True, seconds=40)
    def one(context):
        """What is surely found of the TLBs never contradicts CPUID, and on a known CPU it is there, every time."""
        known = MEASURED.get(processor(), {}).get(probe, {})
        meant = MEANT.get(processor(), {})
        for number in range(1, context.setting("linux_runs", 3) + 1):
            before = noise(context)
            result = measure(context, f"run{number}", LINUX, "--probe", probe, "--seed", str(number))
            if result["machine"]["emulated"]:
                raise Skipped("this computer is emulated: its clock shows another machine's TLBs")
            for finding in filter(results.measured, result["findings"]):
                name, value = finding["id"], finding["value"]
                contradicts = value != meant[name] if name in meant else finding.get("agreement") == "differs"
                if contradicts and finding["confidence"] < 0.5:  # it says itself that it is wrong more often than right
                    print(f"  run {number}: {name} is {value}, with {finding['confidence']:.2f}: doubted, and wrong", flush=True)
                elif contradicts and finding["confidence"] < 0.9:  # and here, that a neighbour may have been there throughout
                    too_noisy(context, before, f"run {number}: {name} is {value}, with {finding['confidence']:.2f}")
                else:
                    expect(not contradicts, f"run {number}: {name} is {value}, not what CPUID declares")
            for name, value in known.items():
                finding = results.finding(result, name)
                doubted = results.measured(finding) and finding["value"] != value and finding["confidence"] < 0.9
                if doubted or not results.measured(finding):
                    too_noisy(context, before, f"run {number}: {name} not measured: {finding.get('why', 'doubted')}")
                expect(finding["value"] == value, f"run {number}: {name} is {finding['value']}, not {value}")
        if not known:
            raise Skipped("nothing surely contradicts CPUID; what else a CPU of this family and model has was not measured")


translations("dtlb")
translations("itlb")


@case("linux/all-probes", alone=True, seconds=60)
def linux_all(context):
    """A whole run in little memory: valid documents, every id that --list promises, and a replay to the same bytes."""
    result = measure(context, "run", LINUX, "--memory", "256M", seconds=600)
    probes = re.split(r"^(?=\w)", context.execute(built(LINUX), "--list"), flags=re.M)
    for probe in filter(None, probes):
        if probe.startswith("suite "): # made of probes
            continue
        promised = set(re.findall(r"\b[a-z0-9]+(?:\.[a-z0-9_]+)+\b", probe))
        of = result
        if "on trial" in probe: # it has to be named
            of = measure(context, f"trial-{probe.split()[0]}", LINUX, "--memory", "256M", "--probe", probe.split()[0], seconds=600)
        there = {finding["id"] for finding in of["findings"]}
        expect(promised and promised <= there, f"promised and not found: {sorted(promised - there)}")
    expect(result["series"], "no series")
    replayed(context, context.path("run"), "again")


@case("linux/physical-order", alone=True, seconds=20)
def linux_order(context):
    """Nothing is said of caches behind the first where nobody knows the order of physical memory; where the user
    vouches for it, that is said, and no reason any more."""
    behind = re.compile(r"l[2-9]\.(size|ways|line|exclusive|inclusive)$")
    for vouched in (False, True):
        chosen = ["--memory", "64M", "--probe", "caches", *(["--contiguous"] if vouched else [])]
        result = measure(context, f"vouched-{vouched}", LINUX, *chosen, seconds=600)
        note = "physical order of memory " + ("taken on trust" if vouched else "unknown")
        expect(note in result["machine"]["note"], f"not told: {note}")
        reasons = {finding["id"]: finding.get("why") for finding in result["findings"] if behind.match(finding["id"])}
        if "needs what the probes latency and l1d find" in reasons.values():
            raise Skipped("neighbours left nothing of the first level to go by")
        expect(reasons, "nothing about caches behind the first")
        others = [name for name, why in reasons.items() if (why == "physical order unknown") == vouched]
        expect(not others, f"vouched for: {vouched}, and yet: {[(name, reasons[name]) for name in others]}")


@case("linux/replay", alone=True, seconds=10)
def linux_replay(context):
    """A recorded run of this computer replays to the same bytes."""
    measure(context, "recorded", LINUX, "--probe", "l1d")
    replayed(context, context.path("recorded"), "again")


def replayed(context, folder, name):
    recording = os.path.join(folder, "readings")
    if not os.path.exists(recording):
        recording = next(iter(glob.glob(os.path.join(folder, "**", "readings"), recursive=True)), recording)
    context.execute(built(REPLAY), "--from", recording, "--plain", "--out", context.path(name), seconds=300)
    before, after = documents(folder), documents(context.path(name))
    for document in ("result.json", "findings.csv", "series.csv", "report.html",
                     "topology.xml", "cache.txt", *({"suite.txt"} & set(before))):
        expect(before[document] == after.get(document), f"{document} differs after the replay")


@case("linux/contract", alone=True, seconds=10)
def linux_contract(context):
    contract(context, LINUX)


def contract(context, program, *options):
    """--selftest machine prints one line a check and closes with their number."""
    said = context.execute(built(program), *options, "--selftest", "machine", seconds=300)
    ending = re.search(r"(\d+) passed, (\d+) failed", said)
    expect(ending, f"no closing line: {said[-200:]!r}")
    expect(int(ending.group(1)) >= 10 and int(ending.group(2)) == 0, ending.group())


@case("host/planted-faults", seconds=1)
def planted_faults(context):
    """Each fault that `make faults` plants finds its line, and the tests that are to notice it are there."""
    context.execute("/usr/bin/python3", os.path.join(ROOT, "tests", "faults.py"), "--list")


@case("host/stack", seconds=1)
def stack(context):
    """The deepest calls of the image fit into the stack that probes run on, and not into half of it."""
    rooms = [built(f"image/{room}") for room in ("base", "kernel", "probes", "report", "run")]
    tool, header = os.path.join(ROOT, "tests", "stack.py"), os.path.join(ROOT, "kernel", "quiet.h")
    context.execute("/usr/bin/python3", tool, header, *rooms)
    with open(header) as file:
        size = int(re.search(r"STACK_SIZE = (\d+) << 10", file.read()).group(1))
    with open(context.path("small.h"), "w") as file:
        file.write(f"STACK_SIZE = {size // 2} << 10\n")
    context.execute("/usr/bin/python3", tool, context.path("small.h"), *rooms, status=1)


@case("host/probes-of-ini", seconds=1)
def probes_of_ini(context):
    """The stick's assay.ini names all probes, those on trial last, as --list does."""
    listed = re.findall(r"^(\w+) .*$", context.execute(built(LINUX), "--list").split("\nsuite ")[0], re.M)
    with open(os.path.join(ROOT, "tools", "assay.ini")) as file:
        said = re.search(r"^# Only these probes, separated by commas: (.*), and those on trial, (.*)\. \(All but those\.\)$",
                         file.read(), re.M)
    expect(said, "tools/assay.ini has no such line")
    named, trial = (words.split(", ") for words in said.groups())
    expect(sorted(named + trial) == sorted(listed), f"{named + trial}, and there are {listed}")
    on_trial = re.findall(r"^(\w+) .*\(on trial", context.execute(built(LINUX), "--list"), re.M)
    expect(trial == on_trial, f"on trial are said to be {trial}, and are {on_trial}")


@case("host/options", seconds=5)
def host_options(context):
    """Every host program tells its options, and an unknown one is an error that names the word."""
    for program in (LINUX, MODEL, REPLAY):
        said = context.execute(built(program), "--help")
        for option in ("--probe", "--core", "--seed", "--out", "--retry", "--no-variable"):
            expect(option in said, f"{program} --help does not tell {option}")
        expect(re.search(r"\d+\.\d+\.\d+", context.execute(built(program), "--version")), "no version")
        said = context.execute(built(program), "--nonsense", "1", status=2)
        expect("nonsense" in said, f"{program} does not name the unknown option: {said!r}")
        if program != REPLAY: # what was read back then is what it was
            what = ["run", "zen3"] if program == MODEL else []
            said = context.execute(built(program), *what, "--probe", "clock", "--no-files", "--plain", "--five-levels")
            expect("--five-levels: only bare metal" in said, f"{program} is silent about --five-levels")
