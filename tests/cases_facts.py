# SPDX-License-Identifier: BSD-2-Clause
"""What the model rests on, asked of this computer's CPU (tests/linux/facts.c): each fact a case of its own, so that one
that cannot be seen here is counted as skipped, with the reason."""
import os
import re

from suite import ROOT, Skipped, built, case, expect

with open(os.path.join(ROOT, "tests", "linux", "facts.c")) as source:
    NAMES = re.findall(r'"([a-z-]+)"', re.search(r"names\[\] = \{(.*?)\};", source.read(), re.S).group(1))


def fact(name):
    @case(f"linux/fact-{name}", alone=True, seconds=2)
    def one(context):
        said = context.execute(built("facts-linux"), name, seconds=150)
        line = re.search(rf"^(ok|skip) +{name} +(.*)$", said, re.M)
        expect(line, f"no line about it: {said!r}")
        if line.group(1) == "skip":
            raise Skipped(line.group(2))
        print(f"  {line.group(2)}", flush=True)


for name in NAMES:
    fact(name)
