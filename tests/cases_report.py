# SPDX-License-Identifier: BSD-2-Clause
"""report.html as other people's programs see it: html5lib's strict parser, and Chromium on wide and narrow screens, in
light and dark, and on paper. What Chromium shows is kept in build/test-artefacts/report/.

    settings: images=1   also renew docs/images/report.png, the README's picture"""
import copy
import json
import os
import re
import shutil
import struct

import browser
import results
from cases_host import MODEL, documents
from suite import BUILD, ROOT, built, case, expect

ARTEFACTS = os.path.join(BUILD, "test-artefacts", "report")
PICTURE = os.path.join(ROOT, "docs", "images", "report.png")
PICTURE_MOST = 200_000  # bytes
MACHINE = "skylake"
WIDTHS = (320, 390, 768, 1280)

# What is asked of a page in the browser; each gives a list of what is wrong.
UNLABELLED = """[...document.querySelectorAll('svg[role=img]')].filter(one => {
    const named = one.getAttribute('aria-labelledby').split(' ').map(id => document.getElementById(id));
    return named.length != 2 || named.some(text => !text || !one.contains(text) || !text.textContent.trim());
}).map(one => one.outerHTML.slice(0, 120))"""
TWICE = """[...document.querySelectorAll('[id]')].map(one => one.id).filter((id, at, all) => all.indexOf(id) != at)"""
LEADS_NOWHERE = """[...document.querySelectorAll('a')].map(one => one.getAttribute('href'))
    .filter(href => href[0] != '#' || !document.getElementById(href.slice(1)))"""
OUTSIDE = """[...document.querySelectorAll('body *')].filter(one => {
    const box = one.getBoundingClientRect();
    return box.width && box.height && !one.closest('thead, details') && (box.right > innerWidth + 1 || box.left < -1);
}).map(one => one.outerHTML.slice(0, 100))"""
# Labels of one axis, and labels within a plot, lie beside each other.
COVERED = """[...document.querySelectorAll('svg.plot')].flatMap(plot => {
    const boxes = kind => [...plot.querySelectorAll(kind)].map(one => [one.textContent, one.getBoundingClientRect()]);
    const meet = list => list.flatMap(([text, a], i) => list.slice(i + 1).filter(([_, b]) =>
        a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom)
        .map(([other]) => text + ' / ' + other));
    return [...meet(boxes('.tick.middle')), ...meet(boxes('.tick.end')), ...meet(boxes('.own')), ...meet(boxes('.mark'))];
})"""
# WCAG 2: contrast of text and what is behind it, at least 4.5.
FAINT = """[...document.querySelectorAll('body, p, small, a, code, td, th, dt, dd, caption, figcaption, summary, li, strong, ' +
    '.agrees, svg text')].filter(one => {
    const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(part => part / 255).map(part => part <= 0.03928 ? part / 12.92 :
        ((part + 0.055) / 1.055) ** 2.4).reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    const style = getComputedStyle(one), ink = light(numbers(one.closest('svg') ? style.fill : style.color));
    let behind = one;
    while (behind.parentElement && (numbers(getComputedStyle(behind).backgroundColor)[3] ?? 1) == 0)
        behind = behind.parentElement;
    const paper = light(numbers(getComputedStyle(behind.parentElement ? behind : document.body).backgroundColor));
    return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05) < 4.5;
}).map(one => one.outerHTML.slice(0, 100))"""


def plots_of(result):
    """How many plots the series make: those of one quantity share one, six at most."""
    groups = {}
    for series in result["series"]:
        key = (series["id"].rpartition(".")[0], series["x"], series["y"])
        groups.setdefault(key, []).append(any(None not in (point[0], point[2]) for point in series["points"]))
    return sum(-(-len(group) // 6) for group in groups.values() if any(group))


def sound(page, path, result):
    """Opens a report and looks at everything that can be asked of it without eyes."""
    page.resize(1280)
    page.open(path)
    expect(not page.complaints(), f"the page complains: {page.complaints()}")
    expect(page.requests() == ["file://" + path], f"the page asks for {page.requests()}")
    for name, question in (("no text alternative", UNLABELLED), ("an id twice", TWICE), ("leads nowhere", LEADS_NOWHERE)):
        wrong = page.evaluate(question)
        expect(not wrong, f"{name}: {wrong[:3]}")
    there = page.evaluate("document.querySelectorAll('svg.plot[role=img]').length")
    expect(there == plots_of(result), f"{there} plots for {plots_of(result)} quantities")
    drawn = page.evaluate("[...document.querySelectorAll('path.curve')].filter(one => one.getTotalLength() > 0 || "
                          "one.getAttribute('d').startsWith('M')).length")
    wanted = sum(any(None not in (point[0], point[2]) for point in series["points"]) for series in result["series"])
    expect(drawn == wanted, f"{drawn} curves for {wanted} series")
    ids = page.evaluate("[...document.querySelectorAll('.findings tr[id]')].map(one => one.id)")
    expect(sorted(ids) == sorted(finding["id"] for finding in result["findings"]), f"other findings: {ids}")
    differing = page.evaluate("[...document.querySelectorAll('.differences tbody code')].map(one => one.textContent)")
    expect(differing == [one["id"] for one in result["findings"] if one["agreement"] == "differs"], f"{differing} differ")
    for scheme in ("light", "dark"):
        page.resize(1280, scheme=scheme)
        faint = page.evaluate(FAINT)
        expect(not faint, f"too faint in {scheme}: {faint[:3]}")
    for width in WIDTHS:
        page.resize(width)
        expect(page.evaluate("document.documentElement.scrollWidth") <= width, f"wider than a screen of {width}")
        for name, question in (("outside", OUTSIDE), ("covered", COVERED)):
            wrong = page.evaluate(question)
            expect(not wrong, f"{name} at {width}: {wrong[:3]}")


def size_of(path):
    """Width and height of a PNG."""
    with open(path, "rb") as file:
        head = file.read(24)
    expect(head[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG")
    return struct.unpack(">II", head[16:24])


def pictures(page, name):
    """What people would see, kept."""
    def kept(what):
        return os.path.join(ARTEFACTS, f"{name}-{what}")
    page.resize(1280)
    page.screenshot(kept("light.png"))
    page.resize(1280, scheme="dark")
    page.screenshot(kept("dark.png"))
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every(part => part < 64)")
    expect(dark, "dark is not dark")
    page.resize(390)
    page.screenshot(kept("narrow.png"))
    page.print(kept("print.pdf"))
    for what, width in (("light.png", 1280), ("dark.png", 1280), ("narrow.png", 390)):
        wide, high = size_of(kept(what))
        expect(wide == width and high > 1000, f"{what} is {wide} by {high}")
    with open(kept("print.pdf"), "rb") as file:
        printed = file.read()
    sheets = len(re.findall(rb"/Type\s*/Page\b", printed))
    expect(printed.startswith(b"%PDF") and 1 <= sheets <= 20, f"{sheets} sheets of paper")


def finding(name, value, unit, declared=None, **more):
    agreement = None if declared is None else "agrees" if declared == value else "differs"
    by = declared and {"low": declared, "high": declared, "by": "CPUID 4"}
    return {"id": name, "measured": True, "value": value, "unit": unit, "confidence": 0.97, "cost": 1234567,
            "method": "made up by this test", "emulated": False, "declared": by, "agreement": agreement, **more}


def enlarged(result):
    """A result with everything that a report has a form for, which no machine of today's probes gives."""
    result = copy.deepcopy(result)
    names = {one["id"] for one in result["findings"]}
    for level, size, latency in (("l2", 1 << 20, 14), ("l3", 32 << 20, 50), ("l4", 128 << 20, 90), ("mem", None, 400)):
        made = [finding(f"{level}.latency", latency, "cycles"), finding(f"{level}.latency.ns", latency / 4, "ns")]
        if size:
            made += [finding(f"{level}.size", size, "bytes", 2 * size), finding(f"{level}.ways", 16, "ways", 16)]
        result["findings"] += [one for one in made if one["id"] not in names]
    made = [
        finding("dtlb1.4k.entries", 72, "entries", 64), finding("dtlb1.2m.entries", 32, "entries"),
        finding("dtlb1.miss", 7, "cycles"), finding("dtlb2.4k.entries", 3072, "entries", emulated=True),
        finding("dtlb2.4k.ways", 12, "ways"), finding("psc.pde.entries", 64, "entries")]
    instead = {one["id"] for one in made}
    result["findings"] = [one for one in result["findings"] if one["id"] not in instead] + made
    series = result["series"]
    series.append({"id": "l1d.onset", "x": "ways", "y": "ticks", "points": [[i, 4, 4 + max(0, i - 8), 4 + max(0, i - 7)]
                                                                             for i in range(1, 17)]})
    series.append({"id": "noise.trace", "x": "ms", "y": "ticks", "points": [[i / 10, 20, 21 + 400 * (i == 7777), 24]
                                                                             for i in range(9000)]})
    series.append({"id": "walk.steps", "x": "pages", "y": "cycles", "points": [[2**i, 4 * i, 4 * i + 1, 4 * i + 2]
                                                                                for i in range(18)]})
    series += [{"id": f"stride.of{i}", "x": "bytes", "y": "ns", "points": [[64 << j, i + j, i + j + 0.5, None]
                                                                            for j in range(12)]} for i in range(8)]
    series.append({"id": "nothing.here", "x": "", "y": "", "points": []})
    return result


def write_enlarged(context, result):
    """The enlarged result and its report; their paths."""
    where, page = context.path("enlarged.json"), context.path("enlarged.html")
    with open(where, "w") as file:
        json.dump(result, file)
    wrong = list(results.validator().iter_errors(result))
    expect(not wrong, f"the made-up result is not valid: {wrong[:1]}")
    context.execute(built("assay-report"), where, "-o", page)
    return page


@case("report/browser", seconds=60)
def in_browser(context):
    """A modelled run's report, and one with everything in it: valid, the same from JSON, and as it should be on screen
    and on paper."""
    context.execute(built(MODEL), "run", MACHINE, "--plain", "--out", context.path("run"), seconds=600)
    files = documents(context.path("run"))
    result = results.check(files)
    results.valid_html(files["report.html"])
    whole = enlarged(result)
    page = write_enlarged(context, whole)
    with open(page, "rb") as file:
        content = file.read()
    results.valid_html(content)
    expect(len(content) < results.MOST_HTML, f"{len(content)} bytes")
    os.makedirs(ARTEFACTS, exist_ok=True)
    with browser.Browser(context.path("chromium.log"), seconds=40) as shown:
        sound(shown, context.path("run", "report.html"), result)
        pictures(shown, "run")
        shown.resize(1280)
        shown.screenshot(os.path.join(ARTEFACTS, "readme.png"), height=shown.evaluate(
            "Math.ceil(document.querySelector('.plots figure').getBoundingClientRect().bottom + scrollY)"))
        sound(shown, page, whole)
        pictures(shown, "enlarged")
    readme = os.path.join(ARTEFACTS, "readme.png")
    expect(os.path.getsize(readme) < PICTURE_MOST, f"{readme} has {os.path.getsize(readme)} bytes")
    if context.setting("images", 0):
        shutil.copyfile(readme, PICTURE)


@case("report/bad-input", seconds=5)
def bad_input(context):
    """What is no result is refused with its place, status 2, and nothing is written over."""
    context.execute(built(MODEL), "run", "flat", "--probe", "clock", "--plain", "--out", context.path("run"))
    with open(context.path("run", "result.json")) as file:
        good = file.read()
    path, page = context.path("bad.json"), context.path("page.html")
    with open(page, "w") as file:
        file.write("kept")

    def refused(text, *words):
        with open(path, "w") as file:
            file.write(text)
        said = context.execute(built("assay-report"), path, "-o", page, status=2)
        expect(all(word in said for word in ("bad.json", *words)), f"{words} not in {said!r}")
        with open(page) as file:
            expect(file.read() == "kept", "bad input was written over the page")

    refused("", "line 1")
    refused(good[:len(good) // 2], "line")
    refused("[]", "result.json")
    refused(good.replace("assay-result/1", "assay-result/9"), "schema")
    refused(good.replace('"confidence": ', '"confidence": "x", "was": ', 1), "findings[0].confidence")
    refused(good.replace('"points": [', '"points": [[1, 2, 3], ', 1), "series[0].points")
    said = context.execute(built("assay-report"), context.path("none.json"), status=2)
    expect("none.json" in said and "No such file" in said, said)
    said = context.execute(built("assay-report"), "--nonsense", status=2)
    expect("--nonsense" in said and "usage" in said, said)
    context.execute(built("assay-report"), status=2)
    said = context.execute(built("assay-report"), context.path("run", "result.json"), "-o",
                           context.path("no", "folder.html"), status=1)
    expect("folder.html" in said, said)
    expect("-o FILE" in context.execute(built("assay-report"), "--help"), "no help")
