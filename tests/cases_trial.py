# SPDX-License-Identifier: BSD-2-Clause
"""Probes that are on trial (docs/silicon.md), on modelled machines: named ones that change with each commit; in a soak all
of them, and random ones.

    settings: caches_machines=N   named machines (6); with all of them 100 random ones, too"""
import re

from cases_model import LAST, MACHINES, draw, hold, name_of, run, seed, told, wrong
from suite import Skipped, case, expect

TRIAL = "caches"
BESIDE = "access,brought"
OF_TRIAL = re.compile(r"l[2-9]\.(size|ways|line|exclusive|inclusive)$|"
                      r"l1d\.(latency\.(32|indexed|float)|write_allocate|write_back|virtual_index)$|"
                      r"l[1-9]d?\.sector$|mem\.(unit|next)$")
# Of what is asked of named machines; some of their policies draw lots.
TRIAL_RIGHT = 0.8


def on_trial(context, name, machine, noise):
    """What the probes on trial find on a machine."""
    found = run(context, f"{TRIAL}-{name}-{noise}", machine, "--noise", noise, "--probe", f"{TRIAL},{BESIDE}", "--seed",
                seed(TRIAL, name, noise))
    return [finding for finding in found if OF_TRIAL.match(finding["id"])]


def trial_named(group):
    @case(f"model/trial-{TRIAL}-{group + 1}", seconds=60)
    def some(context):
        """Named machines, each in its turn: nothing is wrong at 0.9 or more, and most is right."""
        count = context.setting("caches_machines", 6)
        turn = sorted(MACHINES, key=lambda path: seed(name_of(path), TRIAL))[:count]
        found = []
        for i, path in enumerate(turn[group::2]):
            for noise in ("quiet", "office") if count >= len(MACHINES) else (("quiet", "office")[i % 2],):
                found += [(name_of(path), finding) for finding in on_trial(context, name_of(path), path, noise)]
        right = [finding for _, finding in found if finding["verdict"] == "right"]
        others = [f"{name}: {told([finding])}" for name, finding in found if finding["verdict"] != "right"]
        print(f"  {TRIAL} and {BESIDE}, on trial: {len(right)} of {len(found)} right on named machines"
              f"{'; ' if others else ''}{'; '.join(others)[:600]}", flush=True)
        hold(wrong([finding for _, finding in found], 0.9), "named")
        expect(len(right) >= TRIAL_RIGHT * len(found), "; ".join(others)[:2000])
    return some


for group in range(2):
    trial_named(group)


@case(f"model/trial-{TRIAL}-random", seconds=LAST)
def trial_random(context):
    """Random machines, in a soak: how many are found, and how many are wrong."""
    if context.setting("caches_machines", 6) < len(MACHINES):
        raise Skipped("a soak has them")
    found = []
    for i in range(100):
        found += on_trial(context, f"random-{i}", draw(context, seed("machine", TRIAL, i)), "quiet")
    verdicts = [finding["verdict"] for finding in found]
    sure = wrong(found, 0.99)
    print(f"  {TRIAL} and {BESIDE}, on trial: of {len(found)} on random machines " + ", ".join(
        f"{verdicts.count(verdict)} {verdict}" for verdict in ("right", "wrong", "doubtful", "missed")) +
          f"; {len(sure)} surely wrong", flush=True)
    expect(len(sure) <= 0.01 * len(found), told(sure))
