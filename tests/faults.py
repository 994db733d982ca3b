#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Are the unit tests worth anything? Plants one-line faults in the model, in probes and in what runs them,
and sees whether they notice.

    tests/faults.py [--only PART,...] [--jobs N] [--keep] [--list]

Reads tests/faults/*.txt: blocks between blank lines, each

    # what is wrong
    file tests/silicon/policy.c
    test policy array
    - the line as it stands (leading blanks do not matter)
    + the faulty line

"test" names unit tests without their test_silicon_, of probes/, base/ and run/ without their test_. PART is a file's name
without its .txt. Each fault is compiled and linked as the Makefile says, but in a folder of its own below build/faults;
the checkout is not changed. A test kills a fault by failing, whereupon it is ended, or by taking more than 120 seconds
of the CPU's time, however busy the computer is. Status 0 when at least 95 of 100 are killed, 1 when fewer are, 2 when
something is wrong with a fault itself."""
import argparse
import concurrent.futures
import glob
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECONDS, KILLED_AT_LEAST = 120, 0.95


class Wrong(Exception):
    """Of the faults' files or of the tests without any fault, not of a test that missed one."""


class Fault:
    def __init__(self, part, number, text):
        self.name, self.what, self.file, self.tests, self.old, self.new = f"{part}-{number}", "", None, [], None, None
        self.part = part
        for line in text.splitlines():
            word, _, rest = line.strip().partition(" ")
            rest = rest.strip()
            if word == "#":
                self.what = f"{self.what} {rest}".strip()
            elif word == "file":
                self.file = rest
            elif word == "test":
                self.tests = rest.split()
            elif word == "-" and self.old is None:
                self.old = rest
            elif word == "+" and self.new is None:
                self.new = rest
            else:
                raise Wrong(f"{self.name}: not a line of a fault: {line}")
        if not (self.what and self.file and self.tests and self.old) or self.new is None:
            raise Wrong(f"{self.name}: a fault has '#', 'file', 'test', '-' and '+'")
        if not self.file.startswith(("tests/silicon/", "probes/", "base/", "run/")) or not self.file.endswith(".c"):
            raise Wrong(f"{self.name}: {self.file} is no source of the model, of a probe, nor of a run")
        if self.file.startswith("tests/silicon/"):
            self.tests = [f"silicon_{test}" for test in self.tests]
        for test in self.tests:
            if not os.path.exists(os.path.join(ROOT, source_of(test))):
                raise Wrong(f"{self.name}: there is no {source_of(test)}")
        self.place()

    def place(self):
        """The line's number, from 1; it must be the only one of its kind."""
        try:
            with open(os.path.join(ROOT, self.file)) as file:
                lines = [line.strip() for line in file]
        except OSError as error:
            raise Wrong(f"{self.name}: {error}") from error
        if lines.count(self.old) != 1:
            raise Wrong(f"{self.name}: {self.file} has {lines.count(self.old)} lines '{self.old}'")
        return lines.index(self.old) + 1

    def plant(self, path):
        """Writes the source with the fault in it."""
        number = self.place()
        with open(os.path.join(ROOT, self.file)) as file:
            lines = file.read().split("\n")
        line = lines[number - 1]
        lines[number - 1] = line[:len(line) - len(line.lstrip())] + self.new
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write("\n".join(lines))


def read_faults(only):
    faults, parts = [], set()
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "faults", "*.txt"))):
        part = os.path.basename(path)[:-len(".txt")]
        parts.add(part)
        if only and part not in only:
            continue
        with open(path) as file:
            blocks = [block for block in re.split(r"\n\s*\n", file.read()) if block.strip()]
        faults += [Fault(part, number, block) for number, block in enumerate(blocks, 1)]
    for part in only or []:
        if part not in parts:
            raise Wrong(f"there is no tests/faults/{part}.txt")
    return faults


def execute(command, seconds):
    """Status (None: too long) and output."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace")
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, ""


class Commands:
    """How the Makefile compiles and links: asked from make itself, so that it is said in one place only."""

    def __init__(self, faults, jobs):
        sources = sorted({fault.file for fault in faults})
        tests = sorted({test for fault in faults for test in fault.tests})
        programs = [program_of(test) for test in tests]
        status, output = execute(["make", "-j", str(jobs), *programs], 1800)
        if status != 0:
            raise Wrong(f"the tests do not build without any fault:\n{output}")
        news = [word for name in [*sources, *map(source_of, tests)] for word in ("-W", name)]
        status, output = execute(["make", "-n", *news, *programs], 300)
        if status != 0:
            raise Wrong(f"make does not say how it builds:\n{output}")
        lines = [shlex.split(line) for line in output.splitlines() if " -o " in line]
        made = {line[line.index("-o") + 1]: line for line in lines if "-o" in line}
        try:
            self.compile = {source: made[f"build/sanitized/{source}.o"] for source in sources}
            self.link = {test: made[program_of(test)] for test in tests}
        except KeyError as error:
            raise Wrong(f"make does not build {error}") from error

    def compiling(self, source, faulty, made):
        swap = {source: faulty, f"build/sanitized/{source}.o": made}
        return [swap.get(word, word) for word in self.compile[source] if word not in ("-MMD", "-MP")]

    def linking(self, test, extra, made):
        """The faulty object goes first, so that the archive's own is not asked for."""
        command = [made if word == program_of(test) else word for word in self.link[test]]
        at = next(i for i, word in enumerate(command) if word.endswith((".o", ".a")))
        return command[:at] + [extra] + command[at:]


def execute_test(program):
    """Status (None: too long) and output, up to the first function of the test that fails: no other has to. What
    somebody else takes of the CPU is no fault of the test's: its own time counts, and the clock's only where it sleeps
    for ever."""
    patience = 20
    with subprocess.Popen([program], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as process:
        clock = threading.Timer(patience * SECONDS, process.kill)
        clock.start()
        output = ""
        try:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
            for line in process.stdout:
                output += line
                if "[  FAILED  ]" in line:
                    process.kill()
                    return 1, output
        finally:
            clock.cancel()
    return (None if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else process.returncode), output


def source_of(test):
    return f"tests/unit/test_{test}.c"


def program_of(test):
    return f"build/unit/test_{test}"


def attempt(fault, commands, keep):
    """The name of the test that killed it, or None."""
    folder = os.path.join("build", "faults", fault.name)
    shutil.rmtree(os.path.join(ROOT, folder), ignore_errors=True)
    source, made = os.path.join(folder, fault.file), os.path.join(folder, "fault.o")
    try:
        fault.plant(os.path.join(ROOT, source))
        status, output = execute(commands.compiling(fault.file, source, made), 300)
        if status != 0:
            raise Wrong(f"{fault.name} does not compile:\n{output}")
        for test in fault.tests:
            program = os.path.join(folder, f"test_{test}")
            status, output = execute(commands.linking(test, made, program), 300)
            if status != 0:
                raise Wrong(f"{fault.name} does not link with {test}:\n{output}")
            status, output = execute_test(program)
            if status != 0:
                return test if status is not None else f"{test} (endless)"
        return None
    finally:
        if not keep:
            shutil.rmtree(os.path.join(ROOT, folder), ignore_errors=True)


def without_fault(test):
    status, output = execute_test(program_of(test))
    if status != 0:
        raise Wrong(f"{test} fails, or takes longer than {SECONDS} seconds, without any fault:\n{output[-2000:]}")


def run(faults, jobs, keep):
    """How many were killed."""
    commands = Commands(faults, jobs)
    killed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(without_fault, sorted({test for fault in faults for test in fault.tests})))
        attempts = {fault: pool.submit(attempt, fault, commands, keep) for fault in faults}
        for fault in faults:
            try:
                killer = attempts[fault].result()
            except Wrong as wrong:  # the others are worth knowing all the same; it counts as not killed
                print(f"{fault.name:<16} BROKEN    {'':<15} {wrong}", flush=True)
                continue
            killed += killer is not None
            verdict = f"killed    by {killer:<12}" if killer else f"SURVIVED  {'':<15}"
            print(f"{fault.name:<16} {verdict} {fault.what}", flush=True)
    return killed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", type=lambda text: text.split(","), help="parts: names of files in tests/faults")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="leave what was built in build/faults")
    parser.add_argument("--list", action="store_true", help="check and list the faults, and build nothing")
    options = parser.parse_args()
    try:
        faults = read_faults(options.only)
        if options.list:
            for fault in faults:
                print(f"{fault.name:<16} {fault.file}:{fault.place()} {fault.what}")
            return 0
        killed = run(faults, options.jobs, options.keep)
    except Wrong as wrong:
        print(f"faults: {wrong}", file=sys.stderr)
        return 2
    print(f"{killed} of {len(faults)} planted faults killed")
    return 0 if faults and killed >= KILLED_AT_LEAST * len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
