"""What the scripts of this folder share: which test programs are right, and where reports have their times."""
import pathlib
import re
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Submission(typing.NamedTuple):
    assignment: str
    kind: str  # solution, correct or slow
    file: pathlib.Path
    tasks: list  # those that must be accepted; none: all of the assignment

    @property
    def name(self):
        """ASSIGNMENT/KIND_NAME; a model answer is solution_solution."""
        return f"{self.assignment}/{self.kind}_{self.file.stem}"


def right_submissions():
    """The model answers, and the test submissions below correct/ and slow/."""
    for file in sorted(ROOT.glob("reference/*/solution.cu")):
        yield Submission(file.parent.name, "solution", file, [])
    for kind in ("correct", "slow"):
        for file in sorted(ROOT.glob(f"tests/submissions/*/{kind}/*.cu")):
            first = file.read_text(errors="replace").splitlines()[0]
            tasks = re.findall(r"(\w+)=accepted\b", first)
            if tasks:
                yield Submission(file.parts[-3], kind, file, tasks)


def measured(task):
    """`performance` of a report's task, if its speed was measured; else empty."""
    performance = task.get("performance") or {}
    return performance if performance.get("basis") == "measured" else {}
