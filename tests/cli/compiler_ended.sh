#!/usr/bin/env bash
# A program of the compiler that is ended from outside, as in a job that is cancelled, is no compile error of the student's: it
# is tried once more, and nothing is kept of the first try.
. "$(dirname "$0")/common.bash"
cp "$SOURCE/tests/submissions/patterns/correct/map_vector4.cu" ada.cu
cat >end.py <<'EOF'
"""end.py PROGRAM SIGNAL COMMAND...: ends the first PROGRAM that is seen below COMMAND at work on ada.cu."""
import os, subprocess, sys


def below(process):
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            for child in open(f"/proc/{process}/task/{thread}/children").read().split():
                yield int(child)
                yield from below(int(child))
    except OSError:
        return


name, number = sys.argv[1], int(sys.argv[2])
command = subprocess.Popen(sys.argv[3:])
while command.poll() is None:
    for child in below(command.pid):
        try:
            if open(f"/proc/{child}/comm").read().strip() == name and "ada" in open(f"/proc/{child}/cmdline").read():
                os.kill(child, number)
                sys.exit(command.wait())
        except OSError:
            continue
sys.exit(f"no {name} was seen")
EOF
for what in cicc:15 cicc:9 cudafe++:15 cc1plus:15 cc1plus:9; do
    export XDG_CACHE_HOME=$work/cache.$what
    expect 0 "${PYTHON:-python3}" end.py "${what%:*}" "${what#*:}" "$CUGRADE" check ada.cu -a patterns --task map --backend emulator \
        --no-timing
    says stdout accepted
done
