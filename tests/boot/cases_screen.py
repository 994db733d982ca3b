# SPDX-License-Identifier: BSD-2-Clause
"""What stands on the board's screen: pages of pictures and of text, captured and compared with what was told on the
serial line; and the menu. The captures are kept in build/screens/."""
import os
import re
import time

import booted
import capture
import qemu
from booted import BANNER, SHUT
from suite import BUILD, case, expect

PAGE = r"^screen page (\d+) of (\d+), (\d+) x (\d+) pixels"
MENU = r"Full run in \d s"


def shot(machine, name):
    """Captures the screen; keeps it as build/screens/<name>.png."""
    os.makedirs(os.path.join(BUILD, "screens"), exist_ok=True)
    path = os.path.join(machine.folder, f"{name}.ppm")
    machine.control.call("screendump", filename=path)
    picture = capture.read_ppm(path)
    os.remove(path)
    picture.png(os.path.join(BUILD, "screens", f"{name}.png"))
    return picture


def words_of(text):
    """The words of each page that the serial line told: [(page, of, width, height, {role: [words]})]."""
    pages = []
    for line in text.splitlines():
        page = re.match(PAGE, line)
        words = re.match(r"screen ([a-z ]+): (.*)", line)
        if page:
            pages.append((*(int(number) for number in page.groups()), {}))
        elif words and pages:
            pages[-1][4][words[1]] = words[2].split(" | ")
    return pages


def check_page(context, machine, name, position):
    """Waits for a page, and finds its words on the screen. Returns (page, of, words)."""
    machine.wait(PAGE + r"[\s\S]*\n(?:screen keys.*\n)?", 60, position)
    time.sleep(0.3)  # the rest of the words
    page, of, width, height, words = words_of(machine.serial.text(position))[-1]
    picture = shot(machine, f"{name}-{page}")
    expect((picture.width, picture.height) == (width, height),
           f"the screen has {picture.width} x {picture.height} pixels, not {width} x {height}")
    share = picture.shown()
    context.note(f"page {page} of {of}: {share:.1%} shown, {words}")
    expect(0.002 < share < 0.7, f"page {page}: {share:.1%} of the screen is shown")
    scale = max(1, min(height // 540, width // 800))
    texts = [text for role in words.values() for text in role]
    lost = capture.missing(picture, texts, scale)
    expect(not lost, f"page {page}: told on the serial line, but not on the screen: {lost}")
    return page, of, words


def all_pages(context, machine, name):
    """Pages through all of them, from the first; returns the words of each picture."""
    found = {}
    position = 0
    for _ in range(30):
        page, of, words = check_page(context, machine, name, position)
        if page in found:
            expect(page == 1 and len(found) == of, f"after page {max(found)} of {of} comes {page}")
            return found
        found[page] = words
        position = len(machine.serial.raw)
        machine.press("right" if page % 2 else "spc")
    raise qemu.Trouble("no end of pages")


def pictures(name, lines, seconds, **how):
    """A run that ends with its pages on the screen, and their words, told and shown."""
    @case(f"screen/{name}", seconds=seconds)
    def shown(context):
        path = booted.medium(context, ["plain = yes", *lines])
        with qemu.Machine(context.path("run"), path, own_copy=False, **how) as machine:
            machine.wait(BANNER, 60)
            machine.wait(PAGE, 120)
            found = all_pages(context, machine, name)
            roles = {role for words in found.values() for role in words}
            expect({"title", "legend", "x axis", "y axis", "level", "keys"} <= roles, f"told: {sorted(roles)}")
            expect(all(len(words["x axis"]) >= 3 for words in found.values() if "x axis" in words), "no scale on an axis")
            expect(not re.search(MENU, machine.serial.text()), "a menu, in spite of options")
            # Back to the last page, whose text is the table's.
            position = len(machine.serial.raw)
            machine.press("left")
            machine.wait(PAGE, 20, position)
            ids = set(re.findall(r"^(?:cpu|l1d|noise|latency)\.\w[\w.]*(?= )", machine.serial.text(), re.MULTILINE))
            scale = 1
            lost = capture.missing(shot(machine, f"{name}-table"), sorted(ids), scale)
            expect(ids and not lost, f"not in the table on the screen: {lost}")
            position = len(machine.serial.raw)
            machine.press("q")
            machine.wait("BdsDxe|Shell|Press", 60, position)


pictures("1280x800", ("probe = clock,latency,l1d", "memory = 4M"), 40)
pictures("640x480", ("probe = clock",), 20, vga=None, extra=("-device", "VGA,xres=640,yres=480"))
