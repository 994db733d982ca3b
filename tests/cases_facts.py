# SPDX-License-Identifier: BSD-2-Clause
"""What the model rests on, asked of this computer's CPU (tests/linux/facts.c): each fact a case of its own, so that one
that cannot be seen here is counted as skipped, with the reason."""
import os
import re
import time

from suite import ROOT, Failed, Skipped, built, case, expect

with open(os.path.join(ROOT, "tests", "linux", "facts.c")) as source:
    NAMES = re.findall(r'"([a-z-]+)"', re.search(r"names\[\] = \{(.*?)\};", source.read(), re.S).group(1))


def ask(context, name):
    """What the CPU says. A neighbour on the core takes ways and entries for as long as it is busy, which is not always: a fact
    that does not hold is asked for twice more, a while later, and what was said of it before is printed."""
    for pause in (5, 10):
        try:
            return context.execute(built("facts-linux"), name, seconds=150)
        except Failed as failed:
            print(f"  {failed}; once more in {pause} s", flush=True)
            time.sleep(pause)
    return context.execute(built("facts-linux"), name, seconds=150)


def fact(name):
    @case(f"linux/fact-{name}", alone=True, seconds=2)
    def one(context):
        said = ask(context, name)
        line = re.search(rf"^(ok|skip) +{name} +(.*)$", said, re.M)
        expect(line, f"no line about it: {said!r}")
        if line.group(1) == "skip":
            raise Skipped(line.group(2))
        print(f"  {line.group(2)}", flush=True)


for name in NAMES:
    fact(name)
