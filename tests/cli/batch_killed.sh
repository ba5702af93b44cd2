#!/usr/bin/env bash
# Batches whose graders are killed at KILLS random moments: tests/cli/kill_batch.py says what is looked at.
. "$(dirname "$0")/common.bash"
"${PYTHON:-python3}" "$SOURCE/tests/cli/kill_batch.py" --cugrade "$CUGRADE" --source "$SOURCE" --work "$work/kills" \
    --kills "${KILLS:-10}" ${SEED:+--seed "$SEED"}
