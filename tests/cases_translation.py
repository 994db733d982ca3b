# SPDX-License-Identifier: BSD-2-Clause
"""TLBs, walks, structures and their costs on random machines (cases_model.py has the named ones).

    settings: translation_machines=N   random machines (4)"""
import re

from cases_model import FIRST, LAST, TALLY, judge_random, model, run_random, seed
from suite import case, expect

# What each probe finds, by ids.
TRANSLATION = {
    "dtlb": re.compile(r"dtlb[12]\.\w+\.(entries|ways|sets|bits|penalty|shared)$"),
    "itlb": re.compile(r"itlb[12]\."),
    "stores": re.compile(r"dtlb1\.\w+\.stores$"),
    "tables": re.compile(r"walk\.4k\.|walker\."),
    "structures": re.compile(r"psc\."),
    "costs": re.compile(r"cost\."),
    "coalescing": re.compile(r"dtlb[12]\.\w+\.(run|aligned|split)$"),
}
NAMED_RIGHT = 0.8  # of what each probe finds on named machines: few of them may be blind to something
ALL = f"{FIRST[-1]},{','.join(TRANSLATION)}"  # of a full run
GROUPS = 2  # of machines, which run side by side


def translation_random(group):
    @model(f"translation-random-{group + 1}", seconds=60)
    def some(context):
        """Every second random machine, quiet or in an office, a full run: what all of these find there, for the gate."""
        for i in range(group, context.setting("translation_machines", 4), GROUPS):
            number, noise = seed("machine", "translation", i), ("quiet", "office")[i // GROUPS % 2]
            found, _ = run_random(context, number, seed("translation", number), noise, "--probe", ALL)
            TALLY.add("translation", number, [finding for finding in found
                                              if any(ids.match(finding["id"]) for ids in TRANSLATION.values())])
    return some


for group in range(GROUPS):
    translation_random(group)


@case("model/gate-translation", seconds=LAST)
def gate_translation(context):
    """What is found of translation on random machines, together and probe by probe; and, of each probe, on named ones."""
    found = [finding for _, finding in TALLY.all("translation") if finding["verdict"] != "hidden"]
    for name, ids in TRANSLATION.items():
        of = [finding["verdict"] for finding in found if ids.match(finding["id"])]
        print(f"  {name}: {of.count('right')} of {len(of)} right, {of.count('wrong')} wrong", flush=True)
        on_named = [finding["verdict"] for _, finding in TALLY.all("named") if ids.match(finding["id"])]
        expect(on_named.count("right") >= NAMED_RIGHT * len(on_named),
               f"{name}: {on_named.count('right')} of {len(on_named)} right on named machines")
    judge_random(context, "translation")
