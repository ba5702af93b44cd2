"""Reads reports as their consumers do: a page, JUnit's XML, Autolab's last line, GitHub's commands.

Usage: check_formats.py FOLDER

FOLDER holds <sample>.<format>.txt, and <sample>.json.txt to compare with. What has a schema is looked at by
check_schema.py.
"""

import html.parser
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

ATTRIBUTES = {  # of Jenkins' junit-10.xsd: those that are required, then the others
    "testsuites": ({"name"}, {"tests", "failures", "errors", "skipped", "time"}),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped", "time"}),
    "testcase": ({"name", "classname"}, {"time"}),
    "failure": (set(), {"type", "message"}),
    "error": (set(), {"type", "message"}),
    "skipped": (set(), {"message"}),
}
CHILDREN = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}, "testcase": {"failure", "error", "skipped"}}


def junit(text, report):
    root = ET.fromstring(text)
    if root.tag != "testsuites":
        yield f"the root is <{root.tag}>"
    for element in root.iter():
        required, optional = ATTRIBUTES.get(element.tag, (set(), set()))
        given = set(element.attrib)
        if required - given or given - required - optional:
            yield f"<{element.tag}> has {sorted(given)}"
        for child in element:
            if child.tag not in CHILDREN.get(element.tag, set()):
                yield f"<{child.tag}> in <{element.tag}>"
    for element in [root, *root.iter("testsuite")]:
        cases = list(element.iter("testcase"))
        counted = {"tests": len(cases)} | {
            many: sum(case.find(one) is not None for case in cases)
            for many, one in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))}
        stated = {key: int(element.get(key)) for key in counted}
        if counted != stated:
            yield f"<{element.tag}> states {stated} and has {counted}"
    verdicts = [case["verdict"] for task in report["tasks"] for case in task["cases"]]
    fails = sum(v not in ("accepted", "skipped", "harness_error") for v in verdicts)
    if (len(verdicts), fails) != (int(root.get("tests")), int(root.get("failures"))):
        yield f"{root.get('tests')} tests and {root.get('failures')} failures of {len(verdicts)} and {fails}"


def autolab(text, report):
    last = text.rstrip("\n").split("\n")[-1]
    wanted = {task["name"]: task["score"]["earned"] for task in report["tasks"]}
    if json.loads(last) != {"scores": wanted}:
        yield f"the last line is {last}"


class Page(html.parser.HTMLParser):
    """What a page nests, names and asks for. `problems` are of its form."""

    VOID = {"meta", "rect", "line", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.problems = [], [], [], []
        self.cards = self.tables = 0

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if len(given) < len(attributes):
            self.problems.append(f"<{tag}> has an attribute twice")
        if tag in ("script", "img", "link", "iframe", "object") or {"src", "style"} & given.keys():
            self.problems.append(f"<{tag}> asks for something, or changes how the page looks")
        if "id" in given:
            self.ids.append(given["id"])
        self.links += [given["href"]] if tag == "a" else []
        self.cards += tag == "article"
        self.tables += tag == "table"
        if tag == "li" and self.open[-1:] not in (["ul"], ["ol"]):
            self.problems.append(f"<li> in {self.open[-1:]}")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        if self.open[-1:] != [tag]:
            self.problems.append(f"</{tag}> ends {self.open[-1:]}")
        else:
            self.open.pop()


def page(text, report):
    parsed = Page()
    parsed.feed(text.replace("</html>", ""))  # only the body is approved
    parsed.close()
    yield from parsed.problems
    if parsed.open:
        yield f"not ended: {parsed.open}"
    if len(set(parsed.ids)) < len(parsed.ids):
        yield "an id is there twice"
    yield from (f"a link leads to {link}" for link in parsed.links if link.removeprefix("#") not in parsed.ids)
    failed = any(case["verdict"] not in ("accepted", "skipped") for task in report["tasks"] for case in task["cases"])
    if failed != (parsed.cards > 0):
        yield f"{parsed.cards} cards say why it fails"
    if parsed.tables <= len(report["tasks"]):
        yield f"{parsed.tables} tables for {len(report['tasks'])} tasks"


COMMAND = re.compile(r"::(error|warning|notice) ((?:file|line|col|title)=[^:,]*(?:,(?:file|line|col|title)=[^:,]*)*)::(.+)")


def github(text, report):
    lines = text.rstrip("\n").split("\n")
    for line in lines:
        match = COMMAND.fullmatch(line)
        if not match or re.search(r"%(?!25|0A|0D|2C|3A)", line):
            yield f"no command: {line}"
    failed = any(case["verdict"] not in ("accepted", "skipped") for task in report["tasks"] for case in task["cases"])
    if failed != any(line.startswith("::error ") for line in lines):
        yield "errors are missing, or there are none to tell"


def markdown(text, report):
    rows = [line for line in text.split("\n") if line.startswith("| ")]
    if len(rows) != len(report["tasks"]) + 1 or any(len(re.findall(r"(?<!\\)\|", row)) != 6 for row in rows):
        yield f"{len(rows)} rows for {len(report['tasks'])} tasks"
    for line in text.split("\n"):
        if not line.startswith("    ") and re.search(r"(?<!\\)[<>`]|@\w", line):
            yield f"not plain: {line}"


def main(folder):
    failures, looked_at = [], 0
    readers = {"html": page, "junit": junit, "autolab": autolab, "github": github, "markdown": markdown}
    samples = sorted(pathlib.Path(folder).glob("*.json.txt"))
    for sample in samples:
        report = json.loads(sample.read_text(encoding="utf-8"))
        for name, read in readers.items():
            file = sample.with_name(sample.name.replace(".json.txt", f".{name}.txt"))
            looked_at += 1
            failures += [f"{file.name}: {problem}" for problem in read(file.read_text(encoding="utf-8"), report)]
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{looked_at} files of {len(samples)} reports, {len(failures)} failures")
    return 1 if failures or not samples else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
