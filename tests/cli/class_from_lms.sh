#!/usr/bin/env bash
# A class of STUDENTS (30; 300 in `make test-all`), from the archive that Moodle gives out to the table that it
# imports, and the same after a tier has changed: by four commands, as README.md has them. 5 students hand in
# nothing, 12 are late, 3 hand in archives; one archive is hostile, and so is one source. Prints how long each took.
. "$(dirname "$0")/common.bash"
students=${STUDENTS:-30}

"${PYTHON:-python3}" - "$SOURCE" "$students" <<'END'
import io, pathlib, sys, zipfile
source, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
base = source / "tests/submissions/patterns"
kinds = sorted((base / "correct").glob("map_*.cu")) + sorted((base / "wrong").glob("map_*.cu")) + [source / "reference/patterns/solution.cu"]
cheat = source / "tests/submissions/patterns/cheat"
roster, times = ["id,name,lms_id,section"], ["id,submitted_at"]
def packed(files):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return inner.getvalue()
with zipfile.ZipFile("class.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for i in range(count):
        name = f"Name{i:03} Family{i * 7919 % 1000:03}"
        roster.append(f"s{i:03},{name},{5000 + i},{'AB'[i % 2]}")
        if i < 5:
            continue  # hands in nothing
        text = kinds[i % len(kinds)].read_text() + f"// {i}\n"
        folder = f"{name}_{1000000 + i}_assignsubmission_file_/"
        times.append(f"s{i:03},2026-11-{'30T20' if i >= 17 else '30T23'}:30:00Z")
        if i in (20, 21, 22):
            archive.writestr(folder + "hand-in.zip", packed({"project/student.cu": text, "__MACOSX/._student.cu": "x"}))
        elif i == 23:
            archive.writestr(folder + "hand-in.zip", packed({"../../student.cu": text}))
        elif i == 24:
            archive.writestr(folder + "student.cu", next(iter(sorted(cheat.glob("*.cu")))).read_text())
        else:
            archive.writestr(folder + "student.cu", text)
pathlib.Path("roster.csv").write_text("\n".join(roster) + "\n")
pathlib.Path("times.csv").write_text("\n".join(times) + "\n")
policy = (source / "grading.yaml").read_text().replace(
    "  patterns:\n", "  patterns:\n    deadline: 2026-11-30T22:00:00Z\n    late: {per_day: 0.5, days: 3}\n", 1)
pathlib.Path("grading.yaml").write_text(policy)
changed = policy.replace("tiers: [{speedup: 2, credit: 0.25}, {speedup: 4, credit: 0.5}, {speedup: 8, credit: 1}]",
                         "tiers: [{speedup: 2, credit: 0.25}, {speedup: 4, credit: 0.5}, {speedup: 8, credit: 0.75}, {speedup: 1000, credit: 1}]", 1)
assert changed != policy
pathlib.Path("new.yaml").write_text(changed)
END

timed() {
    local begin end
    begin=$(date +%s.%N)
    "$@"
    end=$(date +%s.%N)
    printf '%-16s %8.2f s\n' "$4" "$(awk "BEGIN { print $end - $begin }")"
}
timed expect 0 "$CUGRADE" secret new secret.txt
# One hand-in is refused, so the batch ends with 2 and says so.
timed expect 2 "$CUGRADE" batch class.zip -a patterns --task map --backend emulator --out graded --policy grading.yaml \
    --secret-file secret.txt --roster roster.csv --submitted times.csv
says stdout 'For Moodle:  graded/moodle-patterns.csv'
timed expect 0 "$CUGRADE" rescore graded --policy new.yaml --out rescored
timed expect 0 "$CUGRADE" compare graded rescored
cp stdout told
"${PYTHON:-python3}" - "$students" <<'END' || fail "the class; see above"
import csv, re, sys
count = int(sys.argv[1])
read = lambda file: list(csv.DictReader(open(file, newline="")))
for folder in ("graded", "rescored"):
    rows = {row["student"]: row for row in read(f"{folder}/gradebook.csv")}
    assert len(rows) == count, len(rows)
    assert [name for name, row in rows.items() if row["verdict"] == "missing"] == [f"s{i:03}" for i in range(5)]
    assert [name for name, row in rows.items() if row["verdict"] == "harness_error"] == ["s023"], "the hostile archive alone"
    for i in range(5, 17):
        row = rows[f"s{i:03}"]
        assert float(row["mark"]) == round(float(row["earned"]) / 2, 2) and "1 day late" in row["adjustment"], row
    assert all(row["mark"] == row["earned"] for name, row in rows.items() if name >= "s017")
    canvas = {row["ID"]: row for row in read(f"{folder}/canvas.csv")[1:]}
    moodle = {row["Identifier"]: row for row in read(f"{folder}/moodle-patterns.csv")}
    graded = {name for name, row in rows.items() if row["report"] and name != "s023"}
    assert len(graded) == count - 6 == len(canvas) == len(moodle), (len(graded), len(canvas), len(moodle))
    for name in graded:
        i = int(name[1:])
        assert moodle[f"Participant {1000000 + i}"]["Grade"] == rows[name]["mark"]
        assert canvas[str(5000 + i)]["Patterns: map, gather, scatter"] == rows[name]["mark"]
points = [{row["student"]: row["earned"] for row in read(f"{folder}/gradebook.csv")} for folder in ("graded", "rescored")]
changed = {name for name in points[0] if points[0][name] != points[1][name]}
told = re.findall(r"(?m)^(\w+) \(patterns\): ", open("told").read())
assert len(told) == len(set(told)) and set(told) == changed and changed, (set(told) ^ changed)
print(f"{count} students, {len(graded)} graded, {len(changed)} marks changed by the tier, and exactly these named")
END
