# SPDX-License-Identifier: BSD-2-Clause
"""What a test case is: a function with a name, marked @case, that returns when all is well and raises when not."""
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")
CASES = []


class Failed(Exception):
    """An expectation did not hold."""


class Skipped(Exception):
    """The case cannot be tried here, and why."""


class Case:
    def __init__(self, name, function, alone, seconds):
        self.name, self.function, self.alone, self.seconds = name, function, alone, seconds


def case(name, alone=False, seconds=20):
    """alone: nothing else runs meanwhile (it measures this computer). seconds: about how long it takes; long ones are
    started first."""
    def mark(function):
        CASES.append(Case(name, function, alone, seconds))
        return function
    return mark


class Context:
    """What a case gets: a folder of its own, which is kept when the case fails, and the settings of the run."""

    def __init__(self, name, settings):
        self.name = name
        self.folder = os.path.join(BUILD, "test", name.replace("/", "-"))
        self.settings = settings
        os.makedirs(self.folder, exist_ok=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def setting(self, name, default):
        return type(default)(self.settings.get(name, default))

    def note(self, text):
        """A line for the log of this case."""
        with open(self.path("notes.log"), "a") as log:
            log.write(text.rstrip("\n") + "\n")

    def execute(self, *command, seconds=120, status=0):
        """Runs a program; returns its standard output. Failed when its exit status is another one."""
        self.note("$ " + " ".join(command))
        try:
            done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", timeout=seconds)
        except subprocess.TimeoutExpired as late:
            self.note((late.stdout or b"").decode(errors="replace"))
            raise Failed(f"{command[0]} did not end within {seconds} s")
        self.note(done.stdout)
        if done.returncode != status:
            lines = [line for line in done.stdout.splitlines() if line.strip()]
            raise Failed(f"{os.path.basename(command[0])} ended with {done.returncode}: {' | '.join(lines[-3:])}")
        return done.stdout


def expect(condition, complaint):
    if not condition:
        raise Failed(complaint)


def built(name):
    """The path of something that make built; Failed when it is not there."""
    path = os.path.join(BUILD, name)
    expect(os.path.exists(path), f"build/{name} is not there; run make")
    return path
