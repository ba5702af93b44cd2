#!/usr/bin/env python3
"""What the scripts here ask of reports and tables. Every command but `get` and `strip` ends with 1 and says
why if the answer is no; a path that leads nowhere is an error (2), so that no check passes without its subject.

    report.py holds FILE PATH TEST [VALUE...]      the values at PATH pass TEST
    report.py get FILE PATH                        prints the first value at PATH
    report.py same FILE FILE PATH [--differ]       both documents have the same (or other) values at PATH
    report.py strip FILE                           prints the document without times
    report.py valid FILE SCHEMA                    the document is as the JSON Schema says
    report.py table CSV COLUMN VALUE...            the column of a table, top to bottom
    report.py sweep-table JSON CSV                 the two files of a sweep hold the same points
    report.py roofline-share FILE                  share = bytes / time / bandwidth, of the first task

PATH is steps with `/` between them. A step is taken from every value that the steps before led to:

    name          that member of an object; all of them must have it, or with `name?` one of them
    3, -1, 2:5    that element of a list, or those
    all           all elements of a list
    name=VALUE    those elements of a list whose member is VALUE; also name!=VALUE and name>NUMBER, and
                  `a.b=VALUE` for a member of a member

VALUE is JSON if it can be read as such, and a string otherwise. Unless said otherwise a TEST holds of all
values at PATH, of which there must be one:

    is VALUE...         they are these, in this order    each VALUE      each is this
    set VALUE...        they are these, in any order     none VALUE      none is this
    has TEXT            one contains TEXT                lacks TEXT      none contains TEXT, at any depth
    starts TEXT         ends TEXT                        filled          not empty
    without NAME        they have no such member         without-digits
    above NUMBER        not-above NUMBER                 sum NUMBER
    above-count N TEXT  more than N of them contain TEXT
    equals PATH         they are the values at PATH
    sums-to PATH        their sum is the value at PATH
    ratio-above X PATH  ratio-below X PATH               each value divided by the one at PATH
"""
import argparse
import csv
import json
import re
import sys

TIMES = ("seconds", "phases", "started", "seal")  # the seal is of the times, too


class Nowhere(Exception):
    """A path that leads to no value."""


def read(file):
    with open(file, encoding="utf-8") as opened:
        return json.load(opened)


def value_of(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def passes(element, names, sign, wanted):
    """Whether `a.b=VALUE` holds of an element; of one without that member only `!=` does."""
    for name in names:
        if not isinstance(element, dict) or name not in element:
            return sign == "!="
        element = element[name]
    return element == wanted if sign == "=" else element != wanted if sign == "!=" else element > wanted


def taken(value, step):
    """What the step leads to from one value."""
    if match := re.fullmatch(r"([\w.]+)(!=|=|>)(.*)", step, re.DOTALL):
        elements = value if isinstance(value, list) else [value]
        return [element for element in elements if passes(element, match[1].split("."), match[2], value_of(match[3]))]
    if isinstance(value, list):
        if step == "all":
            return value
        if re.fullmatch(r"-?\d+", step):
            return [value[int(step)]] if -len(value) <= int(step) < len(value) else []
        if match := re.fullmatch(r"(-?\d*):(-?\d*)", step):
            return value[int(match[1] or 0):int(match[2]) if match[2] else None]
    name, may_lack = (step[:-1], True) if step.endswith("?") else (step, False)
    if isinstance(value, dict) and name in value:
        return [value[name]]
    if may_lack and isinstance(value, dict):
        return []
    raise Nowhere(f"there is no `{name}` in {text_of(value)[:500]}")


def values_at(document, path):
    values = [document]
    for step in path.split("/") :
        values = [found for value in values for found in taken(value, step)]
        if not values:
            raise Nowhere(f"`{step}` of `{path}` leads nowhere")
    return values


def text_of(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def ordered(values):
    return sorted(values, key=lambda value: json.dumps(value, sort_keys=True))


# TEST: (number of values it takes, or None for any, whether they hold). `at` gives the values at another path.
TESTS = {
    "is": (None, lambda found, wanted, at: found == wanted),
    "set": (None, lambda found, wanted, at: ordered(found) == ordered(wanted)),
    "each": (1, lambda found, wanted, at: all(value == wanted[0] for value in found)),
    "none": (1, lambda found, wanted, at: all(value != wanted[0] for value in found)),
    "has": (1, lambda found, wanted, at: any(text_of(wanted[0]) in text_of(value) for value in found)),
    "lacks": (1, lambda found, wanted, at: not any(text_of(wanted[0]) in text_of(value) for value in found)),
    "starts": (1, lambda found, wanted, at: all(value.startswith(wanted[0]) for value in found)),
    "ends": (1, lambda found, wanted, at: all(value.endswith(wanted[0]) for value in found)),
    "filled": (0, lambda found, wanted, at: all(found)),
    "without": (1, lambda found, wanted, at: all(isinstance(value, dict) and wanted[0] not in value for value in found)),
    "without-digits": (0, lambda found, wanted, at: not any(re.search(r"\d", value) for value in found)),
    "above": (1, lambda found, wanted, at: all(value > wanted[0] for value in found)),
    "not-above": (1, lambda found, wanted, at: all(value <= wanted[0] for value in found)),
    "sum": (1, lambda found, wanted, at: sum(found) == wanted[0]),
    "above-count": (2, lambda found, wanted, at: sum(wanted[1] in value for value in found) > wanted[0]),
    "equals": (1, lambda found, wanted, at: found == at(wanted[0])),
    "sums-to": (1, lambda found, wanted, at: [sum(found)] == at(wanted[0])),
    "ratio-above": (2, lambda found, wanted, at: all(a > wanted[0] * b for a, b in zip(found, at(wanted[1]), strict=True))),
    "ratio-below": (2, lambda found, wanted, at: all(a < wanted[0] * b for a, b in zip(found, at(wanted[1]), strict=True))),
}


def holds(options):
    document = read(options.file)
    takes, passes = TESTS[options.test]
    wanted = [value_of(text) for text in options.values]
    if takes is not None and len(wanted) != takes:
        raise Nowhere(f"`{options.test}` takes {takes} values, not {len(wanted)}")
    found = values_at(document, options.path)
    if passes(found, wanted, lambda path: values_at(document, path)):
        return None
    return f"{options.path} is {' '.join(map(text_of, found))[:2000]}: not {options.test} {' '.join(options.values)}"


def get(options):
    print(text_of(values_at(read(options.file), options.path)[0]))


def same(options):
    first, second = (values_at(read(file), options.path) for file in (options.file, options.other))
    if (first == second) != options.differ:
        return None
    return f"{options.path}: {first} and {second}"


def without_times(value):
    if isinstance(value, dict):
        return {name: without_times(member) for name, member in value.items() if name not in TIMES}
    return [without_times(element) for element in value] if isinstance(value, list) else value


def strip(options):
    print(json.dumps(without_times(read(options.file)), indent=1))


def valid(options):
    try:
        import jsonschema
    except ImportError:
        return (f"{sys.executable} has no module jsonschema: install the package python3-jsonschema, "
                "or configure with -DCUGRADE_SCHEMA_TEST=OFF")
    validator = jsonschema.Draft202012Validator(read(options.schema))
    errors = [f"{'/'.join(map(str, error.path))}: {error.message}" for error in validator.iter_errors(read(options.file))]
    return "\n".join(errors) or None


def rows_of(file):
    with open(file, encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def table(options):
    found = [row[options.column] for row in rows_of(options.file)]
    return None if found == options.values else f"{options.column} is {found}, not {options.values}"


def sweep_table(options):
    points = [(program["name"], point) for program in read(options.file)["programs"] for point in program["points"]]
    rows = rows_of(options.table)
    if not points or len(rows) != len(points):
        return f"{len(rows)} rows for {len(points)} points"
    for row, (name, point) in zip(rows, points):
        us = point.get("median_us")
        is_same = (row["who"], int(row["n"]), row["verdict"]) == (name, point["n"], point["verdict"])
        is_same = is_same and (row["median_us"] == "") == (us is None)
        if not is_same or (us is not None and abs(float(row["median_us"]) - us) > 1e-5 * us):
            return f"{row} is not {name} {point}"
    return None


def roofline_share(options):
    document = read(options.file)
    task = document["tasks"][0]
    share = task["bytes"] / task["median_us"] / 1e3 / document["roofs"]["bandwidth_gb_s"]
    return None if abs(share - task["share"]) < 1e-6 else f"the share is {task['share']}, and should be {share}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)

    def command(name, run, *arguments):
        sub = commands.add_parser(name)
        sub.set_defaults(run=run)
        for argument in arguments:
            sub.add_argument(argument)
        return sub
    test = command("holds", holds, "file", "path")
    test.add_argument("test", choices=TESTS)
    test.add_argument("values", nargs=argparse.REMAINDER)
    command("get", get, "file", "path")
    command("same", same, "file", "other", "path").add_argument("--differ", action="store_true")
    command("strip", strip, "file")
    command("valid", valid, "file", "schema")
    command("table", table, "file", "column").add_argument("values", nargs=argparse.REMAINDER)
    command("sweep-table", sweep_table, "file", "table")
    command("roofline-share", roofline_share, "file")
    options = parser.parse_args()
    try:
        problem = options.run(options)
    except Nowhere as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 2
    if problem:
        print(f"{options.file}: {problem}", file=sys.stderr)
    return 1 if problem else 0


sys.exit(main())
