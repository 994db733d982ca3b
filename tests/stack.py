#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How deep the image's calls go, by what gcc says of each function's frame (-fcallgraph-info=su): below the stack that
probes run on lies a page that is not mapped, and a fault has no other stack to be reported on. Usage:

    tests/stack.py QUIET.H FOLDER...

Prints the deepest calls in the folders, function by function; boot/ is not to be one of them, for it runs on the
firmware's stack. Status 1: they do not fit into QUIET.H's STACK_SIZE with what a
fault and the body's own caller take beside them; or a call graph is recursive, or missing, so that it is not known."""
import glob
import os
import re
import sys

BESIDE = 16 << 10  # bytes: for the caller of the body, calls by address, and a fault's frame and its report
CALL = 8           # bytes: the return address
# Functions that call themselves, and how often: for each level of the page tables; for each halving of up to 32 bits.
TIMES = {"give_back": 5, "clear_table": 5, "few_that_matter": 6}
NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')


class Wrong(Exception):
    pass


def read(folders):
    """Bytes of each function's frame, and whom it calls."""
    frames, calls = {}, {}
    for folder in folders:
        if not glob.glob(os.path.join(folder, "*.ci")):
            raise Wrong(f"{folder} has no call graphs: has the image been built by gcc?")
    for path in sorted(path for folder in folders for path in glob.glob(os.path.join(folder, "*.ci"))):
        with open(path) as file:
            text = file.read()
        for name, label in NODE.findall(text):
            found = re.search(r"(\d+) bytes \(([a-z,]+)\)", label)
            if found and found.group(2) == "dynamic":
                raise Wrong(f"{name} has a frame of any size")
            if found:
                frames[name] = int(found.group(1))
        for caller, called in EDGE.findall(text):
            calls.setdefault(caller, set()).add(called)
    return frames, calls


def deepest(frames, calls):
    """The deepest path from any function: bytes, and its functions with their frames."""
    known = {}

    def below(name, above):
        if name in above:
            raise Wrong(f"{name} calls itself: {' > '.join(above[above.index(name):])}")
        if name not in known:
            times = TIMES.get(name.split(":")[-1], 0)
            most, path = max((below(called, above + (name,)) for called in calls.get(name, ())
                              if not (times and called == name)), default=(0, ()))
            frame = (frames.get(name, 0) + CALL) * max(times, 1)
            known[name] = most + frame, ((name, frame),) + path
        return known[name]

    return max(below(name, ()) for name in sorted(frames))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        size = re.search(r"STACK_SIZE = (\d+) << 10", file.read())
    if not size:
        sys.exit(f"stack: {sys.argv[1]} has no STACK_SIZE in KB")
    room = int(size.group(1)) << 10
    try:
        most, path = deepest(*read(sys.argv[2:]))
    except Wrong as wrong:
        sys.exit(f"stack: {wrong}")
    for name, frame in path:
        print(f"{frame:8} {name}")
    print(f"{most:8} of {room}, {BESIDE} of which are for what lies beside")
    sys.exit(most + BESIDE > room)


if __name__ == "__main__":
    main()
