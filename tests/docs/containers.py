#!/usr/bin/env python3
"""The recipes of images (packaging/) hold to what docs/ci promises of them; nothing is built.

- Every instruction is one that there is. The last stage ends as a user who is not root, with a fixed base.
- What an image copies from the repository, or from another stage, is there; no secret part is in it unless asked for.
- Lists of packages are removed in the step that fetched them.

Controls: a recipe with one mistake of each kind is found guilty of all.

Usage: containers.py SOURCE
"""
import pathlib
import re
import sys

INSTRUCTIONS = set("ARG CMD COPY ENV ENTRYPOINT FROM LABEL RUN USER WORKDIR".split())


def faults(text):
    joined = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.M))
    lines = [line.split(None, 1) for line in joined.splitlines() if line.strip()]
    for name, *_ in lines:
        if name not in INSTRUCTIONS:
            yield f"no instruction {name}"
    users = [rest for name, rest in lines if name == "USER"]
    if not users or users[-1].strip() in ("root", "0"):
        yield "the user is root"
    for name, rest in lines:
        if name == "RUN" and "apt-get update" in rest and "rm -rf /var/lib/apt/lists" not in rest:
            yield "lists are kept"
        if name == "ARG" and rest.startswith("BASE=") and (":" not in rest or rest.endswith(":latest")):
            yield "the base is not fixed"
        if name == "ARG" and rest.startswith("PARTS=") and re.search("hidden|solutions", rest):
            yield "secret parts by default"
    stages = {m[1] for name, rest in lines if name == "FROM" and (m := re.search(r" AS (\w+)", rest))}
    for stage in re.findall(r"from=(\w+)", joined):
        if stage not in stages:
            yield f"no stage {stage}"


source = pathlib.Path(sys.argv[1])
recipe = (source / "packaging/Containerfile").read_text()
found = list(faults(recipe))
definition = (source / "packaging/cugrade.def").read_text()
base = re.search(r"^ARG BASE=(.*)$", recipe, re.M)[1]
if f"\nFrom: {base}\n" not in definition:
    found.append("cugrade.def has another base")
if re.search(r"cugrade-(hidden|solutions)", definition):
    found.append("cugrade.def has secret parts")
for line in (source / ".containerignore").read_text().split():
    if line not in (".git", "build", "out"):
        found.append(f".containerignore leaves out {line}")
for guilty, fault in ((recipe.replace("USER grader", "USER root"), "the user is root"),
                      (recipe.replace("ARG PARTS=cugrade", "ARG PARTS=cugrade-hidden"), "secret parts by default"),
                      (recipe.replace("rm -rf /var/lib/apt/lists/*", "true"), "lists are kept"),
                      (recipe.replace(":13.0.1-devel-ubuntu24.04", ""), "the base is not fixed"),
                      (recipe.replace("from=build", "from=other"), "no stage other"),
                      (recipe + "RUNN x\n", "no instruction RUNN")):
    if fault not in faults(guilty):
        found.append(f"the control is not seen: {fault}")
print("\n".join(found))
sys.exit(1 if found else 0)
