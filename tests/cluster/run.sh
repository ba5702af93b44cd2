#!/usr/bin/env bash
# Grades a class on a Slurm cluster of two nodes on this host: slurm_test.py.
#
#     run.sh CUGRADE [OPTION...]               exit code 77 (skipped) where Slurm or munge is not installed
#     run.sh --install CUGRADE [OPTION...]     installs what is missing first, Debian's packages (needs root)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ "${1:-}" = --install ]; then
    shift
    missing=()
    for package in slurmctld slurmd slurm-client munge; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
    fi
fi
cugrade=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" "$here/slurm_test.py" --cugrade "$cugrade" --source "$here/../.." --work "$work/slurm" "$@"
