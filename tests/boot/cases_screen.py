# SPDX-License-Identifier: BSD-2-Clause
"""What stands on the board's screen: pages of pictures and of text, captured and compared with what was told on the
serial line; and the menu. The captures are kept in build/screens/."""
import os
import re
import shutil
import time

import booted
import capture
import qemu
from booted import BANNER
from suite import BUILD, ROOT, case, expect

PAGE = r"^screen page (\d+) of (\d+), (\d+) x (\d+) pixels"
MOST_PAGES = 13
MENU = r"Full run in \d s"
FULL = r"\[1/10\] clock"  # all probes but those that are on trial
README_PICTURE = os.path.join(ROOT, "docs", "images", "screen.png")


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
    machine.wait(PAGE + r"[\s\S]*?^screen keys: .*\n", 60, position)
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
    machine.wait(PAGE, 300)
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


def shown(context, name, lines, **how):
    """A run that ends with its pages on the screen: their words by page, all of them told and shown."""
    path = booted.medium(context, ["plain = yes", *lines])
    with qemu.Machine(context.path("run"), path, own_copy=False, **how) as machine:
        machine.wait(BANNER, 60)
        found = all_pages(context, machine, name)
        roles = {role for words in found.values() for role in words}
        expect({"title", "legend", "x axis", "y axis", "level", "keys"} <= roles, f"told: {sorted(roles)}")
        expect(all(len(words["x axis"]) >= 3 for words in found.values() if "x axis" in words), "no scale on an axis")
        expect(not re.search(MENU, machine.serial.text()), "a menu, in spite of options")
        table_page(machine, name)
        position = len(machine.serial.raw)
        machine.press("q")
        machine.wait("BdsDxe|Shell|Press", 60, position)
    return found


def table_page(machine, name):
    """The last page, to the left of the first, has the table."""
    position = len(machine.serial.raw)
    machine.press("left")
    machine.wait(PAGE + r"[\s\S]*?^screen keys: .*\n", 20, position)
    ids = set(re.findall(r"^(?:cpu|l1d|noise|latency)\.\w[\w.]*(?= )", machine.serial.text(), re.MULTILINE))
    lost = capture.missing(shot(machine, f"{name}-table"), sorted(ids), scale=1)
    expect(ids and not lost, f"not in the table on the screen: {lost}")


@case("screen/1280x800", seconds=40)
def usual_size(context):
    """All of it at the firmware's usual size. --set screenshot=1: README's picture is made, too."""
    wanted = context.setting("screenshot", 0)
    plots = shown(context, "1280x800", ("probe = clock,latency,l1d", "memory = 4M"))
    for page, words in plots.items():
        if wanted and words.get("title", [""])[0].startswith("Load latency against footprint"):
            shutil.copyfile(os.path.join(BUILD, "screens", f"1280x800-{page}.png"), README_PICTURE)


@case("screen/640x480", seconds=20)
def small_size(context):
    shown(context, "640x480", ("probe = clock",), vga=None, extra=("-device", "VGA,xres=640,yres=480"))


def text_screen(machine, columns, rows, name):
    """A reader for the firmware's own text, whose letters are learned from what the screen and the serial line show alike
    while the run goes on; and the colour of its ink."""
    serial = machine.serial.text()
    picture = shot(machine, f"{name}-running")
    ink = sorted(picture.colours(), key=sum)[-1]
    known = serial[re.search(BANNER, serial, re.MULTILINE).start():].splitlines()[:6]
    screen = capture.TextScreen(columns, rows, picture.width, picture.height)
    for row, line in enumerate(line for whole in known for line in pieces(whole.rstrip(), columns)):
        expect(screen.learn(picture.mask(ink), row, line), f"row {row} of the screen is not {line!r}")
    return screen, ink


def pieces(line, columns):
    """The rows that a line takes on a screen."""
    return [line[at:at + columns] for at in range(0, max(1, len(line)), columns)]


def text_page(machine, screen, ink, name, page):
    """Waits until page `page` is there down to its last line; its picture, its rows, and how many pages there are. A
    capture may come in the middle of a letter, which is then not known: only one that has not changed since counts."""
    before = None
    for _ in range(200):
        picture = shot(machine, f"{name}-{page}")
        rows = screen.read(picture.mask(ink))
        counts = [count for count in range(page, MOST_PAGES) if any(readable(f"{page} of {count}   space", row) for row in rows)]
        if counts and before and picture.pixels == before.pixels:
            expect(len(counts) == 1, f"page {page} is one of {' or '.join(map(str, counts))}: digits are not known")
            return picture, rows, counts[0]
        before = picture
        time.sleep(0.2)
    raise qemu.Trouble(f"page {page} does not come, or not its last line: {rows}")


# The board's name is on the screen before the pages are: it has all digits, so that these are known.
DIGITS = "-smbios", "type=1,product=Digits 9876543210"


def text_pages(name, columns, rows, lines, seconds, extra=(), **how):
    @case(f"screen/{name}", seconds=seconds)
    def pages(context):
        """Without pictures: table and bars page by page, every finding on one of the pages, and page 1 after the last."""
        path = booted.medium(context, ["plain = yes", "no-pictures = yes", *lines])
        with qemu.Machine(context.path("run"), path, own_copy=False, extra=(*DIGITS, *extra), **how) as machine:
            machine.wait(r"\[\d/\d\] \w+ +\d+ %", 90)
            screen, ink = text_screen(machine, columns, rows, name)
            machine.wait("Press space", 200)
            first, table, count = text_page(machine, screen, ink, name, 1)
            for page in range(1, count + 1):
                picture, read, told = text_page(machine, screen, ink, name, page)
                expect(told == count, f"page {page} is one of {told}, page 1 one of {count}")
                expect(0.01 < picture.shown() < 0.5, f"{picture.shown():.1%} of the screen is shown")
                table += read
                machine.press("spc")
            again, _, _ = text_page(machine, screen, ink, name, 1)
            expect(again.pixels == first.pixels, "after the last page comes not the first")
            context.note("\n".join(table))
            ids = set(re.findall(r"^(?:cpu|l1d|noise|latency)\.\w[\w.]*(?= )", machine.serial.text(), re.MULTILINE))
            lost = [wanted for wanted in ids if not any(readable(f"{wanted} ", row) for row in table)]
            expect(ids and not lost, f"on no page: {lost}")
            expect(not re.search(PAGE, machine.serial.text(), re.MULTILINE), "pictures all the same")
            position = len(machine.serial.raw)
            machine.press("q")
            machine.wait("BdsDxe|Shell|Press", 60, position)


text_pages("text", 160, 42, ("probe = clock,l1d",), 20)
text_pages("text-80x25", 80, 25, ("probe = clock,latency", "memory = 2M"), 30, vga=None,
           extra=("-device", "VGA,xres=640,yres=480"))


def readable(wanted, row):
    """Whether a row shows this, as far as its letters are known."""
    return len(row) >= len(wanted) and all(seen in (letter, "?") for letter, seen in zip(wanted, row))


def no_keyboard(graphics):
    """A PC whose only console is the serial line."""
    return dict(vga=graphics, extra=("-machine", "i8042=off"))


@case("screen/serial-only", seconds=20)
def serial_only(context):
    """Nobody can press a key: no menu, no pages; what is on the line is text and nothing else, bars included."""
    path = booted.medium(context, ["; no option at all"])
    with qemu.Machine(context.path("run"), path, own_copy=False, **no_keyboard(None)) as machine:
        machine.wait(FULL + "  done", 60)
        machine.serial.send("q")
        machine.wait("Press any key", 90)
        text, raw = machine.serial.text(), bytes(machine.serial.raw)
    expect(not re.search(MENU, text), "a menu, but nobody to press a key")
    expect("No pictures: there is no graphics screen." in text, "nobody said why there are no pictures")
    expect(re.search(r"^noise\.gaps +\|[ :#]+\r?$", text, re.MULTILINE), "no bars")
    ours = raw[raw.index(b"assay 0."):]
    strange = sorted(set(ours) - set(range(32, 127)) - {10, 13})
    expect(not strange, f"bytes that are no text: {strange}")
    longest = max(len(line) for line in ours.decode().splitlines())
    expect(longest <= 200, f"a line of {longest} characters")


@case("menu/countdown", seconds=25)
def countdown(context):
    """Without a key the full run begins after five seconds."""
    path = booted.medium(context, [])
    with qemu.Machine(context.path("run"), path, own_copy=False) as machine:
        machine.wait("Full run in 5 s", 60)
        begin = time.monotonic()
        machine.wait(FULL, 60)
        took = time.monotonic() - begin
        context.note(f"{took:.1f} s")
        expect(4 < took < 5 + 10 * qemu.PATIENCE, f"the run began after {took:.1f} s")
        expect([int(left) for left in re.findall(r"Full run in (\d)", machine.serial.text())] == [5, 4, 3, 2, 1],
               "not every second was told")


def at_menu(context, name="run", lines=()):
    """A machine that shows the menu, its countdown stopped by a key that stands for nothing."""
    path = booted.medium(context, lines, name=f"{name}.img")
    return qemu.Machine(context.path(name), path, own_copy=False)


def stop_countdown(machine):
    machine.wait(MENU, 60)
    machine.press("x")
    machine.wait("Press 1 to 6", 20)


@case("menu/entries", seconds=40)
def entries(context):
    """A key stops the countdown for good; then the results of the last run, one probe, and back to the firmware."""
    with at_menu(context) as machine:
        stop_countdown(machine)
        shot(machine, "menu")
        time.sleep(6)
        expect(not re.search(r"\[1/\d+\]", machine.serial.text()), "the run began after a key had stopped the countdown")
        position = len(machine.serial.raw)
        machine.press("4")
        machine.wait("No summary of an earlier run[^$]*Press 1 to 6", 20, position)
        position = len(machine.serial.raw)
        machine.press("3")
        machine.wait("1  clock: [^$]*Press the key of a probe", 20, position)
        machine.press("z")
        machine.wait("6  back to the firmware[^$]*Press 1 to 6", 20, position)
        position = len(machine.serial.raw)
        machine.press("3")
        machine.wait("Press the key of a probe", 20, position)
        machine.press("1")
        machine.wait(r"\[1/1\] clock  done", 60, position)
        machine.wait(PAGE, 60, position)
        position = len(machine.serial.raw)
        machine.press("q")
        machine.wait("BdsDxe|Shell", 60, position)


@case("menu/quick", seconds=25)
def quick(context):
    """The quick run: clock and l1d; q ends it."""
    with at_menu(context) as machine:
        machine.wait(MENU, 60)
        machine.press("2")
        machine.wait(r"\[2/2\] l1d", 60)
        machine.press("q")
        machine.wait(PAGE, 60)
    expect("] latency" not in machine.serial.text(), "a quick run with the probe latency")


@case("menu/full", seconds=20)
def full(context):
    with at_menu(context) as machine:
        stop_countdown(machine)
        machine.press("ret")
        machine.wait(FULL, 30)


@case("menu/reset", seconds=20)
def reset(context):
    with at_menu(context) as machine:
        stop_countdown(machine)
        machine.press("5")
        machine.finish(30, reason="guest-reset")


@case("menu/leave", seconds=20)
def leave(context):
    with at_menu(context) as machine:
        stop_countdown(machine)
        position = len(machine.serial.raw)
        machine.press("6")
        machine.wait("BdsDxe|Shell", 60, position)
        expect("[1/" not in machine.serial.text(), "it measured all the same")
