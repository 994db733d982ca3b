# SPDX-License-Identifier: BSD-2-Clause
"""The probes on modelled machines of known truth (docs/silicon.md): every machine quiet and in an office, with seeds that
change with each commit, random machines, machines that no probe was written for, and relations that need no truth.

    settings: model_seeds=N   runs of each named machine and noise (1); with several, all probes run in each
              model_machines=N   random machines (20)
              block_machines=N   named machines with memory in small blocks (6)"""
import csv
import glob
import hashlib
import json
import os
import re
import subprocess
import threading
import time

import results
from cases_host import MODEL, REPLAY, contract, documents, replayed
from suite import ROOT, Failed, Skipped, built, case, expect

SILICON = os.path.join(ROOT, "tests", "silicon")
MACHINES = sorted(glob.glob(os.path.join(SILICON, "machines", "*.ini")))
MISCONCEPTIONS = sorted(glob.glob(os.path.join(SILICON, "misconceptions", "*.ini")))
REGRESSIONS = os.path.join(SILICON, "regressions.txt")
# What may not be missed on a named machine: "latency.levels" is what the latencies are numbered by.
STRICT = re.compile(r"\.(size|ways|line|latency|ns|entries|levels)$")
LAST = -1  # of the cases' expected seconds: begun when all others have been
FIRST = ("--probe", "clock,latency,l1d")  # the least of a run; translation on random machines is cases_translation.py's
TURNS = 3  # one run in so many has all probes
GROUPS = 4  # of random machines, which run side by side
MANY_MACHINES = 100  # whose share tells what all random machines have


def commit():
    """What seeds are drawn from: the same for a commit, others for the next."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "no commit"


COMMIT = commit()


def seed(*words):
    digest = hashlib.sha256(" ".join((COMMIT, *map(str, words))).encode()).digest()
    return int.from_bytes(digest[:4], "big") + 1


class Tally:
    """What all runs of a kind have found, for gates over many of them."""

    def __init__(self):
        self.lock, self.running, self.findings = threading.Lock(), 0, {}

    def begin(self):
        with self.lock:
            self.running += 1

    def end(self):
        with self.lock:
            self.running -= 1

    def add(self, kind, machine, findings):
        with self.lock:
            self.findings.setdefault(kind, []).extend((machine, finding) for finding in findings)

    def all(self, *kinds):
        """Waits for the runs that are still under way; the findings of these kinds."""
        while True:
            with self.lock:
                if not self.running:
                    return [found for kind in kinds for found in self.findings.get(kind, [])]
            time.sleep(0.1)


TALLY = Tally()


def model(name, seconds=10):
    """A case whose runs a gate may wait for."""
    def mark(function):
        @case(f"model/{name}", seconds=seconds)
        def one(context):
            TALLY.begin()
            try:
                function(context)
            finally:
                TALLY.end()
        return one
    return mark


def run(context, folder, machine, *options, seconds=900):
    """Runs and judges a machine into a folder; returns the judged findings."""
    command = [built(MODEL), "run", machine, *map(str, options), "--json", "--plain", "--out", context.path(folder)]
    context.note("$ " + " ".join(command))
    try:
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failed(f"{folder} did not end within {seconds} s")
    context.note(done.stderr + done.stdout)
    expect(done.returncode in (0, 1), f"{folder} ended with {done.returncode}: {done.stderr[-300:]}")
    judged = results.read_json(done.stdout.encode())
    expect(set(judged) == {"machine", "findings"} and judged["findings"], f"{folder} said {done.stdout[:200]!r}")
    bad = [finding for finding in judged["findings"] if finding["verdict"] in ("wrong", "unjudged")]
    expect((done.returncode == 1) == bool(bad), f"{folder} ended with {done.returncode} and has {len(bad)} wrong")
    files = documents(context.path(folder))
    results.affordable(files["journal.txt"])
    reported = {finding["id"]: finding for finding in results.check(files)["findings"]}
    for finding in judged["findings"]:
        there = reported.get(finding["id"], {})
        value = there.get("value") if results.measured(there) else None
        expect(finding["value"] == value, f"{finding['id']} is judged as {finding['value']} and reported as {value}")
    return judged["findings"]


def told(findings):
    return "; ".join(f"{finding['id']} {finding['verdict']}: {finding['value']} ({finding['confidence']}), "
                     f"truly {finding['truth']}{', ' + finding['reason'] if 'reason' in finding else ''}"
                     for finding in findings)


def wrong(findings, above=0.5):
    """Findings that are wrong and stated so surely, and those that nobody can judge."""
    return [finding for finding in findings if finding["verdict"] == "unjudged" or
            (finding["verdict"] == "wrong" and finding["confidence"] >= above)]


def hold(bad, where):
    """Nothing of what a gate forbids was found."""
    expect(not bad, f"{where}: {told(bad)[:2000]}")


def chosen(context, turn):
    """The probes of a run, as options: all, or, where others have their turn, the least."""
    return () if context.setting("model_seeds", 1) > 1 or turn % TURNS == 0 else FIRST


def in_turn(paths):
    """Machines in an order that changes with each commit."""
    return sorted(paths, key=lambda path: seed(name_of(path), "turn"))


def missed(findings):
    return [finding for finding in findings if finding["verdict"] == "missed"]


def never(findings):
    """What may not be on a named machine."""
    return wrong(findings) + [finding for finding in missed(findings) if STRICT.search(finding["id"])]


def name_of(path):
    return os.path.basename(path)[:-len(".ini")]


def named(path):
    name = name_of(path)

    @model(name, seconds=25)
    def known(context):
        bad = []
        for number in range(context.setting("model_seeds", 1)):
            for other, noise in enumerate(("quiet", "office")):
                folder = f"{noise}-{number}"
                found = run(context, folder, path, "--noise", noise, "--seed", seed(name, noise, number),
                            *chosen(context, in_turn(MACHINES).index(path) + other))
                TALLY.add("named", name, found)
                if number == 0 and noise == "quiet":
                    replayed(context, context.path(folder), "again")
                bad += [(folder, finding) for finding in never(found)]
        hold([finding for _, finding in bad], ", ".join(sorted({folder for folder, _ in bad})))


def misconceived(path):
    name = name_of(path)

    @model(f"misconception-{name}", seconds=20)
    def strange(context):
        for number in range(context.setting("model_seeds", 1)):
            found = run(context, f"run-{number}", path, "--seed", seed(name, number), *chosen(context, in_turn(MISCONCEPTIONS).index(path)))
            hold(wrong(found, 0.9), f"run-{number}")


def hostile(path):
    name = name_of(path)

    @model(f"hostile-{name}", seconds=30)
    def noisy(context):
        for number in range(context.setting("model_seeds", 1)):
            found = run(context, f"run-{number}", path, "--noise", "hostile", "--seed", seed(name, "hostile", number),
                        *chosen(context, in_turn(MACHINES).index(path)))
            TALLY.add("hostile", name, found)
            hold(wrong(found, 0.99), f"run-{number}")


for path in MACHINES:
    named(path)
for path in MISCONCEPTIONS:
    misconceived(path)
# A handful for each commit, each of them in its turn.
for path in in_turn(MACHINES)[:5]:
    hostile(path)


@model("blocks", seconds=20)
def blocks(context):
    """Memory in blocks of 4 KB, as an operating system grants it: of six named machines' latencies, other ones with
    each commit, none is wrong at 0.7 or more, and none is missed."""
    for path in sorted(MACHINES, key=lambda path: seed(name_of(path), "blocks"))[:context.setting("block_machines", 6)]:
        name = name_of(path)
        with open(path) as file:
            text, memories = re.subn(r"^\[memory\]\n", "[memory]\ncontiguous = 4K\n", file.read(), flags=re.M)
        expect(memories == 1 and text.count("contiguous") == 1, f"{name} has no [memory], or blocks of its own")
        blocked = context.path(f"{name}.ini")
        with open(blocked, "w") as file:
            file.write(text)
        found = run(context, name, blocked, "--probe", "latency", "--seed", seed(name, "blocks"))
        hold(wrong(found, 0.7) + missed(found), name)
        sure = [finding for finding in found if re.match(r"l[2-9]\.latency$", finding["id"]) and
                finding["verdict"] == "right" and finding["value"] is not None and finding["confidence"] > 0.75]
        expect(not sure, f"{name}: surer than anybody can be who shares the computer: {told(sure)}")


def draw(context, number):
    """The file of a random machine."""
    path = context.path(f"random-{number}.ini")
    with open(path, "w") as file:
        file.write(context.execute(built(MODEL), "random", "--seed", str(number)))
    return path


def run_random(context, machine, number, noise, *chosen):
    """One random machine: its findings, and what is wrong of them, which is a line for regressions.txt; it is printed
    where that was fairly sure."""
    found = run(context, f"random-{machine}-{noise}", draw(context, machine), "--noise", noise, "--seed", number, *chosen)
    bad = wrong(found)
    if bad:
        probes = "" if chosen == FIRST else f"{chosen[-1]} "
        line = f"for tests/silicon/regressions.txt: {machine} {number} {noise} {probes}# {told(bad)}"
        context.note(line)
        if wrong(bad, 0.9):
            print(f"  {line}", flush=True)
    return found, bad


def random_group(group):
    @model(f"random-{group + 1}", seconds=60)
    def several(context):
        count = context.setting("model_machines", 20)
        for i in range(group, count, GROUPS):
            machine, number = seed("machine", i), seed("run", i)
            noises = ("quiet", "office") if count > 20 else (("quiet", "office")[i // GROUPS % 2],)
            for noise in noises:
                found, bad = run_random(context, machine, number, noise, *FIRST)
                TALLY.add("random", machine, found)
                if any(finding["verdict"] == "unjudged" for finding in bad):
                    raise Failed(f"random-{machine}: {told(bad)}")


for group in range(GROUPS):
    random_group(group)


@model("regressions", seconds=110)
def regressions(context):
    """Machines that once came out wrong: MACHINE_SEED|NAME RUN_SEED NOISE [PROBES] # what was wrong. Of those with a name
    nothing may be missed either."""
    failed = []
    with open(REGRESSIONS) as file:
        lines = [line.split("#")[0].split() for line in file]
    for machine, number, noise, *probes in filter(None, lines):
        chosen = ("--probe", *probes) if probes else FIRST
        if machine.isdigit():
            bad = run_random(context, int(machine), int(number), noise, *chosen)[1]
        else:
            bad = never(run(context, f"{machine}-{noise}-{number}", machine, "--noise", noise, "--seed", number, *chosen))
        if bad:
            failed.append(f"{machine} {number} {noise}: {told(bad)}")
    expect(not failed, " | ".join(failed))


def share(part, whole):
    return len(part) / len(whole) if whole else 0


@case("model/gate-named", seconds=LAST)
def gate_named(context):
    """Of all that was asked of named machines, at most 2 % may be missed; under hostile noise 20 %."""
    found = [finding for _, finding in TALLY.all("named")]
    if not found:
        raise Skipped("no named machine was run")
    gone = missed(found)
    context.note(f"{len(gone)} of {len(found)} missed: {told(gone)}")
    expect(share(gone, found) <= 0.02, f"{len(gone)} of {len(found)} missed: {told(gone)[:2000]}")
    noisy = [finding for _, finding in TALLY.all("hostile")]
    gone = missed(noisy)
    expect(share(gone, noisy) <= 0.2, f"hostile: {len(gone)} of {len(noisy)} missed: {told(gone)[:2000]}")


def unlucky(usual, machines):
    """The share that so many machines may have where all have `usual`: three standard errors more. A machine's own share
    has a variance of usual * (1 - usual) at most, however its findings hang together."""
    return usual + 3 * (usual * (1 - usual) / machines) ** 0.5


def judge_random(context, kind):
    """Of what is not hidden on random machines at least 97 % is right, and at most 0.1 % is surely wrong. Of a few
    machines that can only be said as far as chance lets it: one finding, and three standard errors."""
    found = [(machine, finding) for machine, finding in TALLY.all(kind) if finding["verdict"] != "hidden"]
    if not found:
        raise Skipped("no random machine was run")
    others = [(machine, finding) for machine, finding in found if finding["verdict"] != "right"]
    sure = [(machine, finding) for machine, finding in others if wrong([finding], 0.99)]
    context.note("\n".join(f"{machine}: {told([finding])}" for machine, finding in others))
    print(f"  {kind} machines: {len(found) - len(others)} of {len(found)} right, {len(sure)} surely wrong", flush=True)
    first = "; ".join(f"{machine}: {told([finding])}" for machine, finding in (sure + others)[:6])
    said = f"{len(sure)} of {len(found)} surely wrong, {len(others)} not right: {first}"
    machines = len({machine for machine, _ in found})
    few = machines < MANY_MACHINES
    expect(len(sure) <= max(0.001 * len(found), 1 if few else 0), said)
    expect(share(others, found) <= (unlucky(0.03, machines) if few else 0.03), said)


@case("model/gate-random", seconds=LAST)
def gate_random(context):
    judge_random(context, "random")


BINS = ((0, 0.5), (0.5, 0.9), (0.9, 0.99), (0.99, 1.01))
DEMANDED = {0.9: 0.88, 0.99: 0.985}


@case("model/gate-calibration", seconds=LAST)
def gate_calibration(context):
    """What is stated at 0.9 to 0.99 is right in 88 of 100 cases, what is stated above in 98.5: of many findings."""
    found = [finding for _, finding in TALLY.all("random", "translation")]
    stated = [finding for finding in found if finding["value"] is not None]
    lines, failed = [f"commit {COMMIT}: {len(found)} findings on random machines, {len(stated)} stated"], []
    for low, high in BINS:
        inside = [finding for finding in stated if low <= finding["confidence"] < high]
        right = [finding for finding in inside if finding["verdict"] == "right"]
        lines.append(f"  stated {low:4} to {min(high, 1):4}: {len(right):6} of {len(inside):6} right"
                     f"{f' ({100 * share(right, inside):.2f} %)' if inside else ''}")
        if low in DEMANDED and len(inside) >= 200 and share(right, inside) < DEMANDED[low]:
            failed.append(lines[-1].strip())
    if len(found) < 2000:
        raise Skipped(f"{len(found)} findings are too few (make soak has more)")
    for kind in ("named", "hostile", "random", "translation"):
        of = [finding["verdict"] for _, finding in TALLY.all(kind)]
        if of:
            lines.append(f"  {kind:11} " + ", ".join(f"{of.count(verdict)} {verdict}" for verdict in
                                                    ("right", "wrong", "doubtful", "missed", "hidden")))
    print("\n".join(lines), flush=True)
    expect(not failed, "; ".join(failed))


@case("model/contract", seconds=5)
def model_contract(context):
    expect(MACHINES, "no machines in tests/silicon/machines/")
    contract(context, MODEL, "run", MACHINES[0])


@case("replay/contract", seconds=5)
def replay_contract(context):
    """The contract's own run on the model, recorded and then asked of the recording."""
    context.execute(built(MODEL), "run", MACHINES[0], "--selftest", "machine", "--out", context.path("recorded"))
    contract(context, REPLAY, "--from", context.path("recorded", "readings"))


@case("model/command", seconds=5)
def model_command(context):
    """What assay-model says to good and to bad words."""
    listed = context.execute(built(MODEL), "list")
    for path in MACHINES + MISCONCEPTIONS:
        expect(re.search(rf"^{re.escape(name_of(path))} ", listed, re.M), f"list does not name {name_of(path)}")
    expect("cannot be read" not in listed, re.findall(".*cannot be read.*", listed))
    name = name_of(MACHINES[0])
    for words, hint in ((("run", name[:-1] + "?"), name), (("run", "no-such-machine-at-all"), "assay-model list"),
                        (("run",), "machine"), (("run", name, "--noise", "loud"), "hostile"), (("walk",), "walk"),
                        (("run", "no/such/file.ini"), "no/such/file.ini"), (("random", "--seed", "x"), "seed"),
                        (("judge", name), "findings.csv"), (("run", name, "--nonsense"), "nonsense"), ((), "run")):
        said = context.execute(built(MODEL), *words, status=2)
        expect(hint in said, f"{' '.join(words)}: {hint} is not in {said!r}")
    bad = context.path("bad.ini")
    with open(MACHINES[0]) as file, open(bad, "w") as out:
        text = file.read()
        out.write(text + "\nnonsense = 1\n")
    said = context.execute(built(MODEL), "run", bad, status=2)
    line = (text + "\nnonsense = 1\n").count("\n")
    expect(f"{bad}: line {line}:" in said, f"{bad}: line {line} is not in {said!r}")
    one = context.execute(built(MODEL), "random", "--seed", "7")
    expect(one == context.execute(built(MODEL), "random", "--seed=7"), "a random machine differs from itself")
    expect(one != context.execute(built(MODEL), "random", "--seed=8"), "two seeds draw one machine")


@case("model/judge", seconds=10)
def model_judge(context):
    """judge gives the findings.csv of a run the verdicts that the run itself gave, and sees a falsified one."""
    found = run(context, "run", MACHINES[0], "--probe", "l1d")
    path = context.path("run", "findings.csv")

    def again(status):
        said = context.execute(built(MODEL), "judge", MACHINES[0], path, "--json", status=status)
        return {finding["id"]: finding["verdict"] for finding in json.loads(said)["findings"]}

    expect(again(0) == {finding["id"]: finding["verdict"] for finding in found}, "other verdicts than the run's")
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    for row in rows[1:]:
        if row[0] == "l1d.ways":
            row[rows[0].index("value")] = "7"
            row[rows[0].index("confidence")] = "0.9"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)
    expect(again(1)["l1d.ways"] == "wrong", "a falsified number of ways is not seen")
    with open(path, "a") as file:
        file.write("l1d.ways,yes\n")
    said = context.execute(built(MODEL), "judge", MACHINES[0], path, status=2)
    expect("line" in said, said)
    modern = next(path for path in MACHINES if name_of(path) == "zen3")
    run(context, "costs", modern, "--probe", "costs")
    path = context.path("costs", "findings.csv")
    with open(path, newline="") as file:
        rows = [row for row in csv.reader(file) if row[0] != "cost.fault"]
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)
    said = context.execute(built(MODEL), "judge", modern, path)
    expect(re.search(r"^cost\.fault .*missed$", said, re.M), f"what was left out is not missed: {said}")


# What must not move, whatever the truth is: machines derived from a plain one by editing its file.
STRUCTURE = ("l1d.size", "l1d.ways", "l1d.line")
TIMES = re.compile(r"^(latency|row_miss|slice_step|fold_latency|transfer|overhead|fixed)\s*=\s*(\d+)", re.M)


def base_machine():
    """A machine whose first level any number of ways suits."""
    for path in MACHINES:
        with open(path) as file:
            text = file.read()
        first = re.search(r"^\[cache l1d\]\n(.*?)(?=^\[|\Z)", text, re.M | re.S)
        if first and re.search(r"^policy\s*=\s*(LRU|PLRU|FIFO)\b", first.group(1), re.M) and "hidden" not in text:
            return text
    raise Skipped("no machine has a first level of a plain policy")


def doubled_ways(text):
    """Twice the ways, and so twice the size, of the first data cache."""
    def section(found):
        return re.sub(r"^(size|ways)(\s*=\s*)(\d+)", lambda one: f"{one.group(1)}{one.group(2)}{2 * int(one.group(3))}",
                      found.group(0), flags=re.M)
    return re.sub(r"^\[cache l1d\]\n.*?(?=^\[|\Z)", section, text, flags=re.M | re.S)


def doubled_times(text):
    return TIMES.sub(lambda found: f"{found.group(1)} = {2 * int(found.group(2))}", text)


def values_of(context, name, text, *options):
    path = context.path(f"{name}.ini")
    with open(path, "w") as file:
        file.write(text)
    return {finding["id"]: finding["value"] for finding in run(context, name, path, *options)}


@model("metamorphic-structure", seconds=20)
def metamorphic_structure(context):
    """Other seeds, probes alone, half of the memory, slower everything: the first level stays what it is."""
    text = base_machine()
    plain = values_of(context, "plain", text, "--probe", "latency,l1d")
    expect(all(plain[name] for name in STRUCTURE), f"the plain machine gives {plain}")
    half = re.search(r"^span\s*=\s*(\d+)M", text, re.M)
    expect(half, "no span in the machine's file")
    for name, changed, options in (
            ("reseeded", text, ("--probe", "l1d", "--seed", seed("reseeded"))),
            ("beside", text, ("--probe", "clock,l1d")),
            ("turned", text, ("--probe", "l1d,clock", "--seed", seed("turned"))),
            ("half", text, ("--probe", "l1d", "--memory", f"{int(half.group(1)) // 2}M")),
            ("slow", doubled_times(text), ("--probe", "latency,l1d"))):
        values = values_of(context, name, changed, *options)
        for finding in STRUCTURE:
            expect(values[finding] == plain[finding], f"{name}: {finding} is {values[finding]}, not {plain[finding]}")
        if name == "slow":
            expect(abs(values["l1d.latency"] - 2 * plain["l1d.latency"]) <= 0.5,
                   f"every latency twice: {plain['l1d.latency']} becomes {values['l1d.latency']}")


@model("metamorphic-ways", seconds=10)
def metamorphic_ways(context):
    """Twice the ways in the file, twice the ways in the report, and twice the size."""
    text = base_machine()
    plain = values_of(context, "plain", text, "--probe", "latency,l1d")
    more = values_of(context, "more", doubled_ways(text), "--probe", "latency,l1d")
    for name, factor in (("l1d.ways", 2), ("l1d.size", 2), ("l1d.line", 1), ("l1d.latency", 1)):
        expect(more[name] == factor * plain[name], f"{name}: {plain[name]} becomes {more[name]}")
