#!/usr/bin/env bash
# Kills the graders of batches at random moments, and looks at what is left: kill_batch.sh [COUNT=200] [SEED]
set -euo pipefail
cd "$(dirname "$0")/.."
export CUGRADE=${CUGRADE:-$PWD/build/release/bin/cugrade} SOURCE=$PWD
KILLS=${1:-200} SEED=${2:-} exec bash tests/cli/batch_killed.sh
