#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks result files against docs/result.schema.json: tests/schema.py FILE... Exit status 1 when one is not valid."""
import json
import os
import sys

import jsonschema

SCHEMA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "result.schema.json")


def complaints(validator, path):
    """What is wrong with a file, one line each."""
    try:
        with open(path, "rb") as file:
            document = json.loads(file.read().decode("utf-8"))
    except (OSError, ValueError) as error:
        return [str(error)]
    return [f"at {'/'.join(map(str, error.absolute_path)) or 'the top'}: {error.message[:200]}"
            for error in validator.iter_errors(document)]


def main(paths):
    with open(SCHEMA) as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    valid = True
    for path in paths:
        found = complaints(validator, path)
        print(f"{path}: {'valid' if not found else 'NOT valid'}")
        for line in found:
            print(f"  {line}")
        valid = valid and not found
    return 0 if valid and paths else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
