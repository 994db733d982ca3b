#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs every test, two at a time, and closes with the line "N passed, M failed".

    tests/run.py [--only NAME,...] [--set name=value] [--slots N] [--keep] [--list]

--only takes beginnings of names ("boot/", "linux/l1d"). Cases that measure this computer run first and alone. What a
failed case wrote stays in build/test/<case>/."""
import argparse
import importlib
import os
import shutil
import sys
import threading
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "boot"))
import suite

PRINTING = threading.Lock()


class Tally:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []


def attempt(case, settings, keep):
    """Runs one case: ("ok" | "FAIL" | "skip", reason)."""
    context = suite.Context(case.name, settings)
    shutil.rmtree(context.folder)
    os.makedirs(context.folder)
    try:
        case.function(context)
        outcome, reason = "ok", ""
    except suite.Skipped as why:
        outcome, reason = "skip", str(why)
    except Exception as error:  # whatever it is, it is this case's failure and nobody else's
        context.note(traceback.format_exc())
        outcome, reason = "FAIL", f"{error}" if str(error) else repr(error)
    if outcome != "FAIL" and not keep:
        shutil.rmtree(context.folder)
    return outcome, reason


def run_one(case, settings, keep, tally):
    begin = time.monotonic()
    outcome, reason = attempt(case, settings, keep)
    with PRINTING:
        line = f"{outcome:4}  {case.name:34} {time.monotonic() - begin:6.1f} s"
        if reason:
            line += "  " + " ".join(reason.split())[:600]
        if outcome == "FAIL":
            line += f"  (build/test/{case.name.replace('/', '-')}/)"
            tally.failed.append(case.name)
        elif outcome == "skip":
            tally.skipped.append((case.name, reason))
        else:
            tally.passed += 1
        print(line, flush=True)


def run_all(cases, slots, settings, keep):
    tally = Tally()
    for case in cases:
        if case.alone:
            run_one(case, settings, keep, tally)
    waiting = sorted((case for case in cases if not case.alone), key=lambda case: case.seconds)

    def work():
        while True:
            with PRINTING:
                if not waiting:
                    return
                case = waiting.pop()
            run_one(case, settings, keep, tally)

    workers = [threading.Thread(target=work) for _ in range(slots)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return tally


def main():
    parser = argparse.ArgumentParser(description="Runs assay's tests.")
    parser.add_argument("--only", default="", help="beginnings of names, comma-separated")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of some cases")
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="keep what passed cases wrote, too")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    for module in ("cases_host", "cases_compare", "cases_usb", "cases_facts", "cases_model", "cases_translation", "cases_trial",
                   "cases_suites", "cases_peers", "cases_report", "cases_image", "cases_boot", "cases_selftest", "cases_levels", "cases_power",
                   "cases_screen", "cases_bochs",
                   "cases_baseline"):
        importlib.import_module(module)
    only = tuple(name for name in arguments.only.split(",") if name)
    cases = [case for case in suite.CASES if not only or case.name.startswith(only)]
    if arguments.list:
        print("\n".join(case.name for case in cases))
        return 0
    if not cases:
        print(f"no test is named {arguments.only}")
        return 1
    settings = dict(setting.split("=", 1) for setting in arguments.set)
    begin = time.monotonic()
    tally = run_all(cases, arguments.slots, settings, arguments.keep)
    print(f"{time.monotonic() - begin:.0f} s")
    for name, reason in tally.skipped:
        print(f"skipped {name}: {reason}")
    for name in tally.failed:
        print(f"failed {name}")
    if tally.skipped:
        print(f"{len(tally.skipped)} skipped, for the reasons above")
    print(f"{tally.passed} passed, {len(tally.failed)} failed", flush=True)
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
