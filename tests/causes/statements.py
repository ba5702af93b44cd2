"""What a report says of a task, checked against its cases and its source.

Each sentence that can be wrong has a predicate here. A cause is told from a pattern or an experiment on some of the
cases; what its text then claims has to hold for all of them, and the code that it quotes has to be there.

    for text in untrue(task, source): print(text)

Run by itself, it shows each predicate a report that lies, and one that does not.
"""
import re

NO_MISTAKE = ("accepted", "skipped")


def alone(text):
    """The pattern of a piece of code that is no part of another one: "9" is none of "19", nor "<" of "<<"."""
    part = r"\w" if text[0].isalnum() or text[0] == "_" else "[<>=!&|+*/-]"
    return rf"(?<!{part}){re.escape(text)}(?!{part})"


def parameters(case):
    """{"n": 255, ...} of a case's description."""
    found = re.findall(r"(\w+)=(-?\d+)(?![\w.])", case.get("description", ""))
    return {name: int(value) for name, value in found}


def failing(task):
    return [case for case in task["cases"] if case["verdict"] not in NO_MISTAKE]


def multiples(task, cause, _):
    """A case fails only if `n` is no multiple of 4."""
    for name, number in re.findall(r"a case fails only if `(\w+)` is no multiple of (\d+)", cause["sentence"]):
        for case in failing(task):
            # That was with other sizes than the case's own.
            if "when its speed was modelled" in case.get("message", ""):
                continue
            if (value := parameters(case).get(name)) is not None and value % int(number) == 0:
                yield f"case {case['id']} fails with {name} = {value}"


def up_to(task, cause, _):
    """All cases up to n = 256 are right, and all from n = 257 on fail."""
    for name, right, wrong in re.findall(r"All cases up to (\w+) = (\d+) are right, and all from \w+ = (\d+) on fail",
                                         cause["sentence"]):
        for case in task["cases"]:
            value = parameters(case).get(name)
            if value is None or case["verdict"] == "skipped":
                continue
            if value <= int(right) and case["verdict"] not in NO_MISTAKE:
                yield f"case {case['id']} fails with {name} = {value}"
            if value >= int(wrong) and case["verdict"] == "accepted":
                yield f"case {case['id']} is right with {name} = {value}"


def counts(task, cause, _):
    """All 7 failing cases are right, and 4 that were right before still are."""
    evidence, number = cause.get("evidence", ""), len(failing(task))
    for count in re.findall(r"all (\d+) failing cases are right", evidence):
        if int(count) > number:
            yield f"{count} failing cases of {number}"
    for some, all_of_them in re.findall(r"the smallest (\d+) of (\d+) failing cases", evidence):
        if int(some) > int(all_of_them) or int(all_of_them) > number:
            yield f"{some} of {all_of_them} failing cases of {number}"
    for count in re.findall(r"(\d+) that were right before still are", evidence):
        if int(count) > sum(case["verdict"] == "accepted" for case in task["cases"]):
            yield f"{count} cases were right before"


def cases(task, cause, _):
    """The cases of a cause fail; the one that is shown is public and fails."""
    known = {case["id"]: case for case in task["cases"]}
    for number in cause.get("cases", []):
        if number not in known or known[number]["verdict"] == "accepted":
            yield f"case {number} is one of the cause, and does not fail"
    for number in re.findall(r"^Case (\d+)\b", cause.get("instance", "")):
        case = known.get(int(number))
        if case is None or case["verdict"] == "accepted" or case["visibility"] == "hidden":
            yield f"case {number} is shown"


def lines(_, cause, source):
    """Lines that are named exist, and say something."""
    text = source.split("\n")
    if "end_line" in cause and cause["end_line"] < cause["line"]:
        yield f"the end, line {cause['end_line']}, comes before line {cause['line']}"
    named = [cause[key] for key in ("line", "end_line") if key in cause]
    for words in (cause["sentence"], cause["advice"], cause.get("evidence", "")):
        named += [int(line) for line in re.findall(r"\bline (\d+)\b", words)]
    for line in named:
        if not 0 < line <= len(text):
            yield f"there is no line {line}"
        elif line != cause.get("end_line") and not text[line - 1].strip():
            yield f"line {line} is empty"


def changes(_, cause, source):
    """Change `<` to `<=` there: it is written in the lines of the cause."""
    if not (change := re.match(r"Change `(.+?)` to `", cause["advice"])) or "line" not in cause:
        return
    text = source.split("\n")
    begin, end = cause["line"], max(cause["line"], cause.get("end_line", 0))
    # A statement or a condition may go on in the next lines.
    written = " ".join(text[begin - 1:end + 2])
    if not re.search(alone(change[1]), written):
        yield f"`{change[1]}` is not in line {begin}"


PREDICATES = (multiples, up_to, counts, cases, lines, changes)


def untrue(task, source):
    """What is said of the task and does not hold."""
    return [f"{cause['id']}: {predicate.__name__}: {found}"
            for cause in task.get("causes", []) for predicate in PREDICATES for found in predicate(task, cause, source)]


def main():
    source = "a\nif (i < n) b;\n\nc\n"
    sizes = ((1, 3, "wrong_answer"), (2, 4, "accepted"), (3, 9, "wrong_answer"), (4, 8, "accepted"))
    task = {"cases": [{"id": i, "visibility": "public", "verdict": verdict, "description": f"n={n} in=uniform"} for i, n, verdict in sizes]}
    true = {"id": "x", "line": 2, "sentence": "A case: a case fails only if `n` is no multiple of 4.", "cases": [1, 3],
            "instance": "Case 1: ...", "advice": "Change `<` to `<=` there.",
            "evidence": "all 2 failing cases are right, and 2 that were right before still are"}
    lies = {"multiples": {"sentence": "Why: a case fails only if `n` is no multiple of 3."},
            "up_to": {"sentence": "All cases up to n = 3 are right, and all from n = 4 on fail: ..."},
            "counts": {"evidence": "with x all 3 failing cases are right"},
            "cases": {"cases": [1, 2]},
            "lines": {"sentence": "It is in line 3."},
            "changes": {"advice": "Change `==` to `!=` there."}}
    assert untrue({**task, "causes": [true]}, source) == [], untrue({**task, "causes": [true]}, source)
    assert lies.keys() == {predicate.__name__ for predicate in PREDICATES}
    for name, lie in lies.items():
        found = untrue({**task, "causes": [{**true, **lie}]}, source)
        assert len(found) > 0 and all(f": {name}: " in one for one in found), (name, found)
    print(f"{len(lies)} predicates, each finds what is untrue")


if __name__ == "__main__":
    main()
