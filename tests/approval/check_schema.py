"""Validates JSON reports against docs/report.schema.json, and the schema against bad reports.

Usage: check_schema.py SCHEMA REPORT...

Every report must be valid, and become invalid when any one key is renamed or any one value gets
another type: so a key that the schema does not know, or for which it has no type, is found as well.
"""

import copy
import json
import sys

import jsonschema


def places(tree, path=()):
    """Every (path to a parent, key) in the tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        yield path, key
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))


def changed(report, path, change):
    out = copy.deepcopy(report)
    node = out
    for key in path:
        node = node[key]
    change(node)
    return out


def main(schema_file, *report_files):
    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = []
    mutations = 0
    for name in report_files:
        with open(name, encoding="utf-8") as file:
            report = json.load(file)
        for error in validator.iter_errors(report):
            where = "/".join(str(part) for part in error.absolute_path)
            failures.append(f"{name}: {where}: {error.message}")

        def rejected(mutant, what):
            nonlocal mutations
            mutations += 1
            if validator.is_valid(mutant):
                failures.append(f"{name}: the schema accepts the report with {what}")

        for path, key in places(report):
            where = "/".join(str(part) for part in (*path, key))

            def retype(node, key=key):
                # Next to no key of a report may hold a boolean.
                node[key] = "yes" if isinstance(node[key], bool) else True

            rejected(changed(report, path, retype), f"{where} = true")
            if isinstance(key, str):

                def rename(node, key=key):
                    node[key + "_"] = node.pop(key)

                rejected(changed(report, path, rename), f"{where} renamed")
    for failure in failures[:20]:
        print(failure, file=sys.stderr)
    print(f"{len(report_files)} reports, {mutations} changes to them, {len(failures)} failures")
    return 1 if failures or not report_files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
