# SPDX-License-Identifier: BSD-2-Clause
"""Captures of a screen: their pixels, and where on them a text of assay's own font stands."""
import collections
import os
import re
import struct
import zlib

from suite import ROOT

WIDTH, HEIGHT = 8, 16  # of a character's cell


class Capture:
    """A picture, three bytes a pixel, row after row."""

    def __init__(self, width, height, pixels):
        self.width, self.height, self.pixels = width, height, pixels

    def colours(self):
        """Colour to how many pixels have it, the most frequent first."""
        pixels = self.pixels
        return dict(collections.Counter(zip(pixels[0::3], pixels[1::3], pixels[2::3])).most_common())

    def mask(self, colour):
        """One byte a pixel: 1 where it has that colour."""
        red, green, blue = (bytes(value == part for value in range(256)) for part in colour)
        parts = (self.pixels[0::3].translate(red), self.pixels[1::3].translate(green), self.pixels[2::3].translate(blue))
        one, two, three = (int.from_bytes(part, "big") for part in parts)
        return (one & two & three).to_bytes(self.width * self.height, "big")

    def shown(self):
        """The share of the pixels that are not of the most frequent colour."""
        return 1 - next(iter(self.colours().values())) / (self.width * self.height)

    def png(self, path):
        """Writes it as PNG, in at most 256 colours where it has no more."""
        colours = list(self.colours())
        step = 1 if len(colours) <= 256 else 3
        pixels = self.pixels
        if step == 1:
            number = {colour: index for index, colour in enumerate(colours)}
            pixels = bytes(number[colour] for colour in zip(pixels[0::3], pixels[1::3], pixels[2::3]))
        line = self.width * step
        rows = b"".join(b"\0" + pixels[row * line:(row + 1) * line] for row in range(self.height))

        def chunk(name, content):
            return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 3 if step == 1 else 2, 0, 0, 0)
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head))
            if step == 1:
                file.write(chunk(b"PLTE", b"".join(bytes(colour) for colour in colours)))
            file.write(chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def read_ppm(path):
    """A capture as QEMU writes it: a binary PPM."""
    with open(path, "rb") as file:
        content = file.read()
    head = re.match(rb"P6\s(\d+)\s(\d+)\s255\s", content)
    width, height = int(head[1]), int(head[2])
    return Capture(width, height, content[head.end():head.end() + width * height * 3])


def font():
    """The font of the pictures, out of its source: character to 16 rows of bits."""
    with open(os.path.join(ROOT, "report", "font.c")) as file:
        rows = re.findall(r"^ *\{((?:0x[0-9a-f]{2},? ?){16})\}", file.read(), re.MULTILINE)
    return {chr(32 + index): [int(byte, 16) for byte in row.split(", ")] for index, row in enumerate(rows)}


def rendered(text, glyphs, scale, bold):
    """A text as rows of one byte a pixel, 1 for ink, with a blank before and after it: no part of a longer one."""
    rows = []
    text = f" {text} "
    for row in range(HEIGHT):
        line = bytearray(len(text) * WIDTH * scale + 1)
        for place, character in enumerate(text):
            for column in range(WIDTH):
                if glyphs[character][row] & 0x80 >> column:
                    start = (place * WIDTH + column) * scale
                    line[start:start + scale + bold] = b"\1" * (scale + bold)
        rows += [bytes(line[:-1])] * scale
    return rows


def places(mask, width, pattern):
    """Where a pattern stands in a mask: a set of (x, y). Every pixel has to fit, those without ink, too."""
    inked = max(range(len(pattern)), key=lambda row: pattern[row].count(1))
    length = len(pattern[inked])
    found = set()
    at = mask.find(pattern[inked])
    while at >= 0:
        y, x = divmod(at, width)
        if x + length <= width and y >= inked and all(
                mask.startswith(line, at + (row - inked) * width) for row, line in enumerate(pattern)):
            found.add((x, y - inked))
        at = mask.find(pattern[inked], at + 1)
    return found


def text_colours():
    """The colours that texts of pictures have, out of their source."""
    with open(os.path.join(ROOT, "report", "picture_parts.h")) as file:
        found = re.findall(r"COLOUR_(?:PAGE|TEXT|FAINT|WARNING|MARK) = 0x([0-9a-f]{6})", file.read())
    return [tuple(bytes.fromhex(colour)) for colour in found]


def missing(capture, texts, scale):
    """Those of the texts that stand at fewer places than there are of them, whatever their colour and size."""
    glyphs = font()
    masks = [capture.mask(colour) for colour in text_colours()]
    left = []
    for text, wanted in collections.Counter(texts).items():
        shapes = [rendered(text, glyphs, size, bold) for size, bold in ((scale, False), (scale, True), (2 * scale, False))]
        if sum(len(places(mask, capture.width, shape)) for mask in masks for shape in shapes) < wanted:
            left.append(text)
    return left


class TextScreen:
    """A firmware's text screen, read cell by cell: what its characters look like is learned from text that is known."""

    CELL = 8, 19  # EDK II's

    def __init__(self, columns, rows, width, height):
        self.columns, self.rows, self.width = columns, rows, width
        self.left, self.top = (width - columns * self.CELL[0]) // 2, (height - rows * self.CELL[1]) // 2
        self.known = {}

    def cell(self, mask, column, row):
        wide, high = self.CELL
        x, y = self.left + column * wide, self.top + row * high
        return b"".join(mask[line * self.width + x:line * self.width + x + wide] for line in range(y, y + high))

    def learn(self, mask, row, text):
        """The row shows this text. Returns whether that fits what was learned before."""
        fits = True
        for column, character in enumerate(text):
            cell = self.cell(mask, column, row)
            fits = fits and self.known.setdefault(cell, character) == character
        return fits

    def read(self, mask):
        """The rows as text; what is not known is a question mark."""
        return ["".join(self.known.get(self.cell(mask, column, row), "?") for column in range(self.columns)).rstrip()
                for row in range(self.rows)]
