#!/usr/bin/env bash
# Honest submissions among attacks: tests/cli/among_attacks.py says what is looked at. ATTACKS=all takes all attacks of
# ASSIGNMENT, BACKEND=gpu grades on a GPU.
. "$(dirname "$0")/common.bash"
"${PYTHON:-python3}" "$SOURCE/tests/cli/among_attacks.py" --cugrade "$CUGRADE" --source "$SOURCE" --work "$work/class" \
    --assignment "${ASSIGNMENT:-reduction}" --attacks "${ATTACKS:-6}" --backend "${BACKEND:-emulator}"
