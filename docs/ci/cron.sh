#!/usr/bin/env bash
# Grades a class from a folder of hand-ins: cron.sh HAND_INS GRADED SECRET_FILE [OPTION...]
# OPTIONs are those of `cugrade batch`: --roster FILE, --policy FILE, -a ASSIGNMENT. Grade always as the same user,
# or with the same CUGRADE_KEY_FILE: what another key has written is graded anew.
#
# As a line of crontab, every night at two:
#     0 2 * * *  /srv/course/cron.sh /srv/course/hand-ins /srv/course/graded /srv/course/secret --roster /srv/course/roster.csv
# As a Slurm job (add --gres=gpu:1 for the points for speed):
#     sbatch --cpus-per-task=16 --mem=32G --time=02:00:00 --requeue cron.sh HAND_INS GRADED SECRET_FILE
#
# It may be killed at any time, by the machine or by the queue's time limit: the next run grades the
# rest. One that is still running is left alone.
set -euo pipefail
handins=$1 graded=$2 secret=$3
shift 3

# Students go on handing in: grade a copy. Changed submissions are graded anew, the others kept.
snapshot=$(mktemp -d)
trap 'rm -rf "$snapshot"' EXIT
cp -a "$handins/." "$snapshot/"

code=0
cugrade batch "$snapshot" --out "$graded" --secret-file "$secret" --resume \
    --jobs "${SLURM_CPUS_PER_TASK:-$(nproc)}" "$@" || code=$?
case $code in
    0) ;;
    1) echo "cugrade: not graded: see the message above (wrong configuration, or a batch is running)" >&2 ;;
    2) echo "cugrade: some submissions are not graded; the next run tries them again" >&2 ;;
esac
exit "$code"
