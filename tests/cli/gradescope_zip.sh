#!/usr/bin/env bash
# The archive that Gradescope gives out is graded as it is, whatever it is called.
. "$(dirname "$0")/common.bash"

printf 'id,name,lms_id\ns1,Ada Lovelace,5107\n' >roster.csv
cat >submission_metadata.yml <<'END'
submission_1:
  :submitters:
  - {:name: A., :sid: '5107', :email: ada@x.edu}
  - {:name: B., :sid: '88', :email: bob@x.edu}
END
"${PYTHON:-python3}" - "$SOURCE/student_template/patterns/student.cu" <<'END'
import io, sys, zipfile
inner = io.BytesIO()
with zipfile.ZipFile(inner, "w") as archive:
    archive.write(sys.argv[1], "student.cu")
with zipfile.ZipFile("hand-ins.zip", "w") as archive:
    archive.write("submission_metadata.yml", "assignment_123_export/submission_metadata.yml")
    archive.writestr("assignment_123_export/submission_1/hand-in.zip", inner.getvalue())
END
expect 0 "$CUGRADE" batch hand-ins.zip -a patterns --task map --backend emulator --no-timing --out graded --roster roster.csv
says stdout '2 of 2 graded'
grep -q '^s1,patterns,0,' graded/gradebook.csv || fail "ada's row: $(cat graded/gradebook.csv)"
grep -q '^88,patterns,0,' graded/gradebook.csv || fail "bob's row: $(cat graded/gradebook.csv)"
