# SPDX-License-Identifier: BSD-2-Clause
"""Whether the documents of a run are what docs/ says they are, checked with other people's code: the json and csv
modules, a JSON Schema validator, zlib's CRC."""
import csv
import functools
import io
import json
import os
import re
import subprocess
import xml.etree.ElementTree
import zlib

import html5lib
import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENTS = ("result.json", "findings.csv", "series.csv", "report.html", "topology.xml", "readings")
MOST_HTML = 1 << 20  # bytes of a report.html
TRANSLATION = ("dtlb", "stores", "itlb", "tables", "structures", "coalescing", "costs")  # probes
MOST_VISITS = 40_000_000  # of these together, of who owns the machine


class Trouble(Exception):
    """A document is wrong."""


def demand(condition, complaint):
    if not condition:
        raise Trouble(complaint)


@functools.lru_cache
def validator():
    with open(os.path.join(ROOT, "docs", "result.schema.json")) as file:
        schema = json.load(file)
    checker = jsonschema.validators.validator_for(schema)
    checker.check_schema(schema)
    return checker(schema)


def strict(pairs):
    names = [name for name, _ in pairs]
    demand(len(names) == len(set(names)), f"a name twice in one JSON object: {names}")
    return dict(pairs)


def no_constant(name):
    raise Trouble(f"{name} is not JSON")


def read_json(content):
    """Parses JSON without Python's leniencies."""
    return json.loads(content.decode("ascii"), object_pairs_hook=strict, parse_constant=no_constant)


def rows(content):
    """RFC 4180: CRLF line ends, one width."""
    text = content.decode("ascii")
    demand(text.endswith("\r\n"), "a CSV file does not end with CR LF")
    demand(text.count("\n") == text.count("\r\n"), "a CSV line ends with LF alone")
    table = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    demand(len(table) >= 1, "an empty CSV file")
    widths = {len(row) for row in table}
    demand(len(widths) == 1, f"CSV rows of different widths: {sorted(widths)}")
    demand(len(set(table[0])) == len(table[0]), f"a column name twice: {table[0]}")
    return [dict(zip(table[0], row)) for row in table[1:]]


def rendered(result):
    """The report.html that assay-report makes of a result.json, bytes of both."""
    done = subprocess.run([os.path.join(ROOT, "build", "assay-report"), "-"], input=result, capture_output=True, timeout=60)
    demand(done.returncode == 0, f"assay-report ended with {done.returncode}: {done.stderr.decode()[:200]}")
    return done.stdout


def valid_html(page):
    """Strict: whatever the HTML standard calls a parse error is one."""
    try:
        html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    except html5lib.html5parser.ParseError as error:
        raise Trouble(f"report.html is not valid: {error}") from error


def check_caches(result, files):
    """topology.xml and cache.txt name the caches whose size was measured, and no other."""
    sizes = {entry["id"].partition(".")[0]: int(entry["value"]) for entry in result["findings"]
             if measured(entry) and re.fullmatch(r"l[1-5][di]?\.size", entry["id"])}
    tree = xml.etree.ElementTree.fromstring(files["topology.xml"].decode("ascii"))
    drawn = sorted(int(found.get("cache_size")) for found in tree.iter("object") if found.get("cache_size"))
    demand(drawn == sorted(sizes.values()), f"topology.xml has {drawn}, measured were {sizes}")
    lines = files["cache.txt"].decode("ascii").splitlines()
    folder = f"/sys/devices/system/cpu/cpu{result['run']['core']}/cache/index"
    for line in lines:
        demand(re.fullmatch(re.escape(folder) + r"\d+/[a-z_]+:[0-9A-Za-z]+", line), f"cache.txt: {line!r}")
    told = sorted(int(line.rpartition(":")[2].rstrip("K")) for line in lines if "/size:" in line)
    demand(told == sorted(size // 1024 for size in sizes.values()), f"cache.txt has {told}, measured were {sizes}")


def check(files):
    """Checks all documents of one run (name to bytes); returns result.json as a dictionary."""
    demand("cache.txt" in files, f"no cache.txt among {sorted(files)}")  # empty where no cache was measured
    for name in DOCUMENTS:
        demand(name in files, f"no {name} among {sorted(files)}")
        demand(len(files[name]) > 0, f"{name} is empty")
    result = read_json(files["result.json"])
    wrong = sorted(validator().iter_errors(result), key=lambda error: str(error.path))
    demand(not wrong, "result.json against its schema: " + "; ".join(
        f"{'/'.join(map(str, error.path))}: {error.message[:120]}" for error in wrong[:3]))
    demand(result["schema"] == "assay-result/1", f"schema is {result['schema']}")
    findings = rows(files["findings.csv"])
    demand([row["id"] for row in findings] == [finding["id"] for finding in result["findings"]],
           "findings.csv and result.json list different findings")
    points = rows(files["series.csv"])
    count = sum(len(series["points"]) for series in result["series"])
    demand(len(points) == count, f"series.csv has {len(points)} points, result.json {count}")
    demand(files["report.html"] == rendered(files["result.json"]),
           "report.html is not what assay-report makes of result.json")
    demand(len(files["report.html"]) < MOST_HTML, f"report.html has {len(files['report.html'])} bytes")
    check_caches(result, files)
    demand(files["readings"].startswith(b"assay-readings/1\n"), "readings has another heading")
    return result


def finding(result, name):
    for entry in result["findings"]:
        if entry["id"] == name:
            return entry
    raise Trouble(f"no finding {name} among {[entry['id'] for entry in result['findings']]}")


def measured(entry):
    """Whether a finding has a value (else it has a reason)."""
    return entry.get("value") is not None


def journal(content):
    """The records of a journal: (whole records, number of torn lines). Trouble unless only the last line is torn."""
    lines = [line for line in content.replace(b"\r", b"").split(b"\n") if line.strip(b" \0")]
    records, torn = [], 0
    for number, line in enumerate(lines, 1):
        record = whole(line)
        if record is None:
            torn += 1
            demand(number == len(lines), f"journal line {number} of {len(lines)} is torn: {line[:80]!r}")
        else:
            demand(record["seq"] == len(records) + 1, f"journal line {number} has seq {record['seq']}")
            records.append(record)
    return records, torn


def affordable(content):
    """Trouble where the probes of translation made more visits than they may, by a journal."""
    ends = [record for record in journal(content)[0] if record["event"] == "end"]
    made = [end["visits"] for end in ends if end["probe"] in TRANSLATION]
    demand(sum(made) <= MOST_VISITS, f"{sum(made)} visits of the probes of translation, {MOST_VISITS} are theirs")
    demand(not made or sum(made), "the probes of translation have made no visits")


def whole(line):
    """A journal line as a dictionary, None when its CRC is not that of the line up to ,"crc"."""
    head, mark, tail = line.rstrip(b" \0").rpartition(b',"crc":"')
    if not mark or len(tail) != 10 or tail[8:] != b'"}':
        return None
    try:
        if int(tail[:8], 16) != zlib.crc32(head):
            return None
        return json.loads(line.rstrip(b" \0").decode("ascii"))
    except ValueError:
        return None
