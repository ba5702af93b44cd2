#!/usr/bin/env bash
# Batches on DISKS disks that become full: tests/cli/full_disk.py says what is looked at.
. "$(dirname "$0")/common.bash"
[ "$(id -u)" = 0 ] || { echo "mounting needs root"; exit 77; }
unshare --mount "${PYTHON:-python3}" "$SOURCE/tests/cli/full_disk.py" --cugrade "$CUGRADE" --source "$SOURCE" \
    --work "$work/disks" --disks "${DISKS:-2}" --seed "${SEED:-5}"
