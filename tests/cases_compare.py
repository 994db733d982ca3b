# SPDX-License-Identifier: BSD-2-Clause
"""Runs beside each other, and the formats of the field: assay-diff, --baseline, --lava, topology.xml, cache.txt, the
manual pages. Other people's programs judge: hwloc's lstopo, tidy, mandoc, LAVA's own expressions."""
import decimal
import glob
import json
import os
import re
import subprocess
import xml.etree.ElementTree

import results
from suite import ROOT, built, case, expect

DIFF, MODEL, REPLAY = "assay-diff", "assay-model", "assay-replay"
MACHINE = os.path.join(ROOT, "tests", "silicon", "machines", "pentium-iii.ini")
QUICK = ("--probe", "clock,l1d", "--plain", "--no-variable")

# LAVA's dispatcher (lava_dispatcher/actions/test_shell.py): the expression for a signal on the console; then it splits
# the parameters at blanks, and those of a test case at their equals sign.
LAVA_SIGNAL = re.compile(r"<LAVA_SIGNAL_(\S+) ([^>]+)>")
LAVA_RESULTS = ("pass", "fail", "skip", "unknown")


def lava_results(text):
    """What LAVA makes of a console's text: test case to its parameters. Failed where LAVA would stumble."""
    cases, running = {}, None
    for name, parameters in LAVA_SIGNAL.findall(text):
        words = parameters.split()
        if name in ("STARTRUN", "ENDRUN"):
            expect(len(words) == 2, f"{name} {parameters}: a name and an identifier are needed")
            expect((running is None) == (name == "STARTRUN") and running in (None, words), f"{name} out of order")
            running = words if name == "STARTRUN" else None
            continue
        expect(name == "TESTCASE" and running, f"signal {name} out of a run")
        data = {}
        for word in words:
            key, equals, value = word.partition("=")
            expect(equals, f"a parameter without a value: {word}")
            data[key.lower()] = value
        expect(data["result"] in LAVA_RESULTS, f"a result that LAVA does not know: {parameters}")
        expect(data["test_case_id"] not in cases, f"a test case twice: {parameters}")
        if "measurement" in data:
            decimal.Decimal(data["measurement"])
        cases[data["test_case_id"]] = data
    expect(running is None, "no ENDRUN")
    return cases


def modelled(context, name, machine=MACHINE, *options, status=0):
    """A quick run on a modelled machine: (its folder, what it said)."""
    folder = context.path(name)
    said = context.execute(built(MODEL), "--machine", machine, *QUICK, "--out", folder, *options, status=status)
    return folder, said


def changed_machine(context):
    """A copy of the machine with eight ways where it has four, and twice the size."""
    with open(MACHINE) as file:
        text = file.read()
    for old, new in (("size = 16K                                  # table 4a\nways = 4 ",
                      "size = 32K                                  # table 4a\nways = 8 "),
                     ("l1d.size 16K", "l1d.size 32K"), ("l1d.ways 4", "l1d.ways 8")):
        expect(text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {MACHINE}")
        text = text.replace(old, new)
    path = context.path("changed.ini")
    with open(path, "w") as file:
        file.write(text)
    return path


def diff(context, *words, status=0):
    return context.execute(built(DIFF), *words, status=status)


def change_result(folder, to, change):
    """A copy of a result.json with a change made to it."""
    with open(os.path.join(folder, "result.json")) as file:
        result = json.load(file)
    change(result)
    with open(to, "w") as file:
        json.dump(result, file)
    return to


@case("compare/golden-changed", seconds=10)
def golden_changed(context):
    """Two machines that differ in their L1 data cache, and two runs of one that differ in nothing."""
    golden, _ = modelled(context, "golden")
    again, _ = modelled(context, "again", MACHINE, "--seed", "7")
    other, _ = modelled(context, "other", changed_machine(context))

    said = diff(context, golden, again)
    expect(said.startswith("The same"), said)
    said = diff(context, golden, os.path.join(other, "result.json"), status=1)
    expect(said.startswith("Different: 2 findings."), said)
    expect(re.search(r"^  l1d\.size +16 KB +32 KB +\+100\.0 %", said, re.MULTILINE), said)
    expect(re.search(r"^  l1d\.ways +4 ways +8 ways", said, re.MULTILINE), said)
    expect("l1d.line" not in said, "what is equal is told unasked")
    expect(max(map(len, said.splitlines())) <= 100, "more than 100 columns")
    expect(re.search(r"^  l1d\.line +32 bytes +32 bytes", diff(context, "--all", golden, other, status=1), re.MULTILINE),
           "--all does not tell what is equal")
    # A findings.csv tells less, and the same.
    said = diff(context, os.path.join(golden, "findings.csv"), os.path.join(other, "findings.csv"), status=1)
    expect(said.startswith("Different: 2 findings."), said)


@case("compare/json", seconds=10)
def as_json(context):
    golden, _ = modelled(context, "golden")
    other, _ = modelled(context, "other", changed_machine(context))
    found = json.loads(diff(context, "--json", golden, other, status=1), object_pairs_hook=results.strict)
    expect(found["schema"] == "assay-diff/1" and found["same"] is False and found["different"] == 2, f"{found}")
    ids = {finding["id"]: finding for finding in found["findings"]}
    expect(set(ids) == {"l1d.size", "l1d.ways"}, f"told: {sorted(ids)}")
    expect(ids["l1d.size"]["a"]["value"] == 16384 and ids["l1d.size"]["b"]["value"] == 32768, f"{ids['l1d.size']}")
    everything = json.loads(diff(context, "--json", "--all", golden, other, status=1))
    with open(os.path.join(golden, "result.json")) as file:
        expect(len(everything["findings"]) == len(json.load(file)["findings"]), "--all leaves findings out")
    same = json.loads(diff(context, "--json", golden, golden))
    expect(same["same"] is True and same["findings"] == [] and same["facts"] == [], f"{same}")


@case("compare/html", seconds=10)
def as_html(context):
    """Valid HTML5 that needs nothing else; names from a board are quoted."""
    golden, _ = modelled(context, "golden")
    other, _ = modelled(context, "other", changed_machine(context))
    nasty = change_result(other, context.path("nasty.json"),
                          lambda result: result["machine"].update(board="<script>alert(1)</script>&\"'\u00e9"))
    page = context.path("page.html")
    for options in ((), ("--all",)):
        text = diff(context, "--html", *options, golden, nasty, status=1)
        with open(page, "w") as file:
            file.write(text)
        context.execute("tidy", "-e", "-q", page)
        expect("<script" not in text and "&lt;script&gt;" in text, "a board's name is not quoted")
        expect(not re.search(r"(src|href)=|url\(|@import", text), "the page needs something else")
        for word in ("l1d.size", "16 KB", "32 KB", "different"):
            expect(word in text, f"no {word} in the page")


@case("compare/facts", seconds=10)
def facts(context):
    """Board, firmware and microcode count; serial number, date and seed only tell runs apart."""
    golden, _ = modelled(context, "golden")
    for name, value in (("board", "another board"), ("firmware", "F" * 64), ("microcode", "0x1f"), ("processors", 9)):
        other = change_result(golden, context.path("other.json"),
                              lambda result, name=name, value=value: result["machine"].update({name: value}))
        said = diff(context, golden, other, status=1)
        expect(said.startswith("Different: 1 fact about the machine.") and str(value) in said, said)
        expect(re.search(rf"^  {name} ", said, re.MULTILINE), said)
        expect(max(map(len, said.splitlines())) <= 100, "more than 100 columns")
    # What does not fit goes on in the next line, and nothing of it is lost.
    long = "--probe=" + ",".join(f"name{number}" for number in range(30))
    other = change_result(golden, context.path("other.json"), lambda result: (
        result["machine"].update(board="b" * 200), result["run"].update(options=long)))
    said = diff(context, golden, other, status=1)
    expect(max(map(len, said.splitlines())) <= 100, "more than 100 columns")
    joined = re.sub(r"\n +", "", said)
    expect("b" * 200 in joined and long in joined, said)
    other = change_result(golden, context.path("other.json"), lambda result: (
        result["machine"].update(serial="other"), result["run"].update(seed=5, date="2001-02-03T04:05:06")))
    diff(context, golden, other)


@case("compare/uncertain", seconds=10)
def uncertain(context):
    """A difference that a low confidence leaves open is told, and changes the exit status only with --strict."""
    golden, _ = modelled(context, "golden")

    def doubt(result):
        for finding in result["findings"]:
            if finding["id"] == "l1d.size":
                finding.update(value=8192, confidence=0.6)
    other = change_result(golden, context.path("other.json"), doubt)
    said = diff(context, golden, other)
    expect(said.startswith("The same.\n1 uncertain") and re.search(r"^Uncertain", said, re.MULTILINE), said)
    expect(re.search(r"^  l1d\.size +16 KB +8 KB", said, re.MULTILINE), said)
    diff(context, "--strict", golden, other, status=1)


@case("compare/bad-input", seconds=5)
def bad_input(context):
    """Exit status 2, and a message that names the file and the place."""
    golden, _ = modelled(context, "golden")
    broken = context.path("broken.json")

    def refused(content, *because):
        with open(broken, "wb") as file:
            file.write(content)
        said = diff(context, golden, broken, status=2)
        for word in (broken, *because):
            expect(word in said, f"{said!r} does not say {word!r}")

    refused(b"", "line 1")
    refused(b"[1, 2]", "not an object")
    refused(b'{"schema": "assay-result/9"}', "assay-result/1 is needed")
    refused(b'{"schema": "assay-result/1",\n "tool": }', "line 2")
    refused(b"\x00\x01\x02")
    with open(os.path.join(golden, "result.json"), "rb") as file:
        whole = file.read()
    refused(whole[:-200])
    refused(whole.replace(b'"value": 16384', b'"value": "many"'), "findings[", "a number is needed")
    refused(b"[" * 100000)
    expect("No such file" in diff(context, golden, context.path("nowhere"), status=2), "a missing file is not told")
    expect("two runs" in diff(context, golden, status=2), "one file is not refused")
    expect("--nonsense" in diff(context, "--nonsense", golden, golden, status=2), "an unknown option is not told")
    expect("either" in diff(context, "--json", "--html", golden, golden, status=2), "two formats at once")
    damaged = context.path("findings.csv")
    with open(damaged, "w") as file:
        file.write("id,measured\n")
    expect("no column" in diff(context, golden, damaged, status=2), "a damaged findings.csv is not told")
    expect("Usage" in diff(context, "--help"), "no help")
    expect(re.search(r"assay-diff \d", diff(context, "--version")), "no version")
    with open("/dev/full", "w") as full:
        done = subprocess.run([built(DIFF), golden, golden], stdout=full, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 2 and "written" in done.stderr, "a full disk is not told")


@case("compare/baseline", seconds=10)
def baseline(context):
    """--baseline of a host program says what assay-diff says; a baseline that cannot be used stops the run."""
    golden, _ = modelled(context, "golden")
    changed = changed_machine(context)
    findings = os.path.join(golden, "findings.csv")

    folder, said = modelled(context, "same", MACHINE, "--baseline", findings)
    expect("passed: 0 different" in said, said)
    diff(context, findings, folder)
    folder, said = modelled(context, "other", changed, "--baseline", findings, status=1)
    expect("FAILED: 2 different" in said and "32 KB, baseline 16 KB" in said, said)
    expect("Different: 2 findings." in diff(context, findings, os.path.join(folder, "findings.csv"), status=1),
           "assay-diff says something else")
    # A replay beside the baseline, from the recording of a run without one.
    said = context.execute(built(REPLAY), "--from", os.path.join(golden, "readings"), "--plain", "--baseline", findings,
                           "--out", context.path("replayed"))
    expect("passed" in said, said)

    broken = context.path("broken.csv")
    with open(findings, "rb") as file:
        whole = file.read()
    for content, because in ((whole[:-5], "cut short"), (b"", "no column"), (whole + b"\0", "byte 0x0"),
                             (whole.replace(b"16384", b"16x84", 1), "not a number"), (whole + b"x" * 300000, "large")):
        with open(broken, "wb") as file:
            file.write(content)
        folder, said = modelled(context, "refused", MACHINE, "--baseline", broken, status=2)
        expect(broken[:60] in said and because in said and "Nothing is measured" in said, said)
        expect(not os.path.exists(os.path.join(folder, "result.json")), "measured beside a broken baseline")
    _, said = modelled(context, "refused", MACHINE, "--baseline", context.path("nowhere.csv"), status=2)
    expect("cannot be read" in said, said)


@case("compare/lava", seconds=5)
def lava(context):
    """A finding a test case; what differs from the declared value or from the baseline fails."""
    folder, said = modelled(context, "plain", MACHINE, "--lava")
    with open(os.path.join(folder, "result.json")) as file:
        findings = {finding["id"]: finding for finding in json.load(file)["findings"]}
    cases = lava_results(said)
    expect(set(cases) == set(findings), f"test cases {sorted(cases)}")
    for name, finding in findings.items():
        wanted = "pass" if finding["measured"] else "skip"
        expect(cases[name]["result"] == wanted, f"{cases[name]}, and the finding is {finding}")
        if finding["measured"]:
            expect(float(cases[name]["measurement"]) == finding["value"], f"{cases[name]}")
            expect(cases[name].get("units", "") == finding["unit"], f"{cases[name]}")
    _, said = modelled(context, "other", changed_machine(context), "--lava", "--baseline",
                       os.path.join(folder, "findings.csv"), status=1)
    cases = lava_results(said)
    failed = {name for name, data in cases.items() if data["result"] == "fail"}
    expect(failed == {"l1d.size", "l1d.ways", "baseline"}, f"failed: {sorted(failed)}")
    _, said = modelled(context, "quiet")
    expect("LAVA" not in said, "LAVA's lines unasked")


def caches_of(context, folder):
    """What lstopo reads in a run's topology.xml, exported by itself: type to attributes; and its drawing as text."""
    source = os.path.join(folder, "topology.xml")
    again = context.path("again.xml")
    drawn = context.execute("lstopo", "--if", "xml", "-i", source, "--of", "console", "-v")
    if os.path.exists(again):
        os.remove(again)
    context.execute("lstopo", "--if", "xml", "-i", source, "--of", "xml", again)
    tree = xml.etree.ElementTree.parse(again)
    return {found.get("type"): found for found in tree.iter("object") if "Cache" in found.get("type")}, drawn


@case("compare/topology", seconds=10)
def topology(context):
    """hwloc's lstopo reads topology.xml, shows the caches as measured, draws them, and exports the same again."""
    folder, _ = modelled(context, "run", MACHINE, "--probe", "clock,l1d,latency")
    caches, drawn = caches_of(context, folder)
    expect(set(caches) == {"L1Cache"}, f"caches: {sorted(caches)}")
    for name, value in (("cache_size", "16384"), ("cache_linesize", "32"), ("cache_associativity", "4"),
                        ("cache_type", "1"), ("depth", "1")):
        expect(caches["L1Cache"].get(name) == value, f"{name} is {caches['L1Cache'].get(name)}")
    infos = {info.get("name"): info.get("value") for info in caches["L1Cache"].iter("info")}
    expect(infos.get("assay:latency") == "3 cycles" and float(infos["assay:size.confidence"]) > 0.9, f"{infos}")
    expect(re.search(r"L1d", drawn) and re.search(r"NUMANode", drawn) and re.search(r"PU", drawn), drawn)
    for kind in ("nativesvg", "png"):
        context.execute("lstopo", "--if", "xml", "-i", os.path.join(folder, "topology.xml"), "--of", kind,
                        context.path(kind))
    with open(context.path("nativesvg")) as file:
        words = re.findall(r"<text[^>]*>([^<]*)", file.read())
    expect(any("L1d" in word and "16" in word for word in words), f"the drawing says {words}")
    with open(context.path("png"), "rb") as file:
        expect(file.read(8) == b"\x89PNG\r\n\x1a\n", "no PNG")


@case("compare/topology-levels", seconds=5)
def topology_levels(context):
    """Caches of several levels and kinds, two processors, names with everything in them: hwloc's own checks find nothing
    wrong, and the order from the memory to the core is kept."""
    source = context.path("topology.xml")
    checked = dict(os.environ, ASSAY_TOPOLOGY=source, HWLOC_DEBUG_CHECK="1", HWLOC_XML_VERBOSE="1")
    subprocess.run([built("unit/test_formats")], env=checked, check=True, capture_output=True)
    done = subprocess.run(["lstopo", "--if", "xml", "-i", source, "--of", "console"], env=checked, capture_output=True,
                          text=True)
    expect(done.returncode == 0 and not done.stderr, f"lstopo says: {done.stderr}")
    lines = [line.strip() for line in done.stdout.splitlines()]
    expect(lines == ["Machine + Package L#0", "NUMANode L#0 (P#0)", "PU L#0 (P#0)",
                     "L2 L#0 (1280KB) + L1i L#0 (32KB) + L1d L#0 (48KB) + Core L#0 + PU L#1 (P#1)"], f"drawn: {lines}")


@case("compare/sysfs", seconds=5)
def sysfs(context):
    """cache.txt, unpacked into files, is read as Linux's own folder is."""
    folder, _ = modelled(context, "run")
    root = context.path("root")
    with open(os.path.join(folder, "cache.txt")) as file:
        for line in file:
            path, colon, content = line.rstrip("\n").partition(":")
            expect(colon and path.startswith("/sys/devices/system/cpu/cpu0/cache/index"), f"line {line!r}")
            path = root + path
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as target:
                target.write(content + "\n")
    found = {}
    for path in glob.glob(f"{root}/sys/devices/system/cpu/cpu0/cache/index*/*"):
        with open(path) as file:
            found[os.path.relpath(path, f"{root}/sys/devices/system/cpu/cpu0/cache")] = file.read().strip()
    expect(found == {"index0/level": "1", "index0/type": "Data", "index0/size": "16K", "index0/number_of_sets": "128",
                     "index0/coherency_line_size": "32", "index0/ways_of_associativity": "4"}, f"{found}")


@case("compare/manual-pages", seconds=5)
def manual_pages(context):
    """mandoc and groff find nothing wrong with a page, and it names the options that its program has, and no other."""
    # On a host the end of a run is the end, there is no graphics screen, and nobody leaves long mode; and each program has
    # its own word for where its machine comes from.
    not_told = {"assay-linux": {"after", "no-pictures", "five-levels", "machine", "from"},
                "assay-model": {"after", "no-pictures", "five-levels", "from"},
                "assay-replay": {"after", "no-pictures", "five-levels", "machine", "probe", "suite", "quick", "core", "memory", "all-memory",
                                 "contiguous", "seed", "no-variable", "no-files", "retry", "list", "last", "forget",
                                 "selftest"}}
    own = {"assay-model": {"noise", "json"}}
    pages = sorted(glob.glob(os.path.join(ROOT, "man", "*.1")))
    expect({"assay-diff.1", "assay-linux.1", "assay-model.1", "assay-replay.1", "assay-report.1"} <=
           set(map(os.path.basename, pages)), f"pages: {pages}")
    for page in pages:
        expect(not context.execute("mandoc", "-Tlint", "-W", "warning", page), f"mandoc has something to say of {page}")
        program = os.path.basename(page)[:-len(".1")]
        with open(page) as file:
            told = set(re.findall(r"Fl -([a-z][a-z-]*)", file.read()))
        there = set(re.findall(r"--([a-z][a-z-]*)", context.execute(built(program), "--help")))
        if program in not_told:
            options = set(re.findall(r"^  --([a-z-]+)", context.execute(built("assay-linux"), "--help"), re.MULTILINE))
            there = (options - not_told[program]) | own.get(program, set())
        expect(told == there, f"{program}: only in the page {sorted(told - there)}, only in the "
               f"program {sorted(there - told)}")
