#!/usr/bin/env bash
# What `make test` leaves out because it takes long: every submission graded twice from the PTX for
# every device, and without the decoder's optimisations, the tests of the interpreter under
# ThreadSanitizer, 100,000 generated programs to test the decoder with, more programs, reports
# compared more often, every wrong submission with a known cause, graders killed at 200 moments, a class of 300, classes with all attacks in them, a class
# on a Slurm cluster that is installed for it, the pages of a class and of reports in a browser that is, too,
# and what `make install`, the Debian packages and the image install (needs root and mmdebstrap).
set -euo pipefail
cd "$(dirname "$0")/.."
export CUGRADE=$PWD/build/release/bin/cugrade SOURCE=$PWD CACHE=$PWD/build/release/tests/cache
export XDG_CACHE_HOME=$CACHE
run=(python3 tests/submissions/run.py --cugrade "$CUGRADE")
"${run[@]}" --twice correct slow wrong --plain correct slow --also 90:1048576 120 --also-kinds correct slow
# What is wrong may fail elsewhere in other PTX, or in another time without optimisations, but it fails.
for ptx in 90 120; do "${run[@]}" --ptx "$ptx" --kinds wrong; done
python3 tests/cheats/run.py --cugrade "$CUGRADE" --backend emulator
python3 tests/causes/run.py --cugrade "$CUGRADE" --named --advised --least 95 95 71
build/release/tests/test_emulator_decode "many more generated programs*"
ALL=1 bash tests/cli/run.sh
CUGRADE_EMULATOR_PLAIN=1 bash tests/cli/run.sh
N=20 bash tests/cli/determinism.sh
STUDENTS=300 bash tests/cli/class_from_lms.sh
scripts/kill_batch.sh 200
DISKS=8 SEED=$RANDOM bash tests/cli/batch_full_disk.sh
for id in convolution histogram patterns reduction scan; do
    ATTACKS=all ASSIGNMENT=$id bash tests/cli/batch_among_attacks.sh
done
bash tests/cluster/run.sh --install "$CUGRADE" --kills 30
bash tests/page/run.sh --install build/release/tests/test_record build/release/tests/test_report build/release
scripts/build.sh threads
ctest --preset threads
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
make install PREFIX="$prefix" SOLUTIONS=1 HIDDEN=1
"$prefix/bin/cugrade" doctor
make package
if [ "$(id -u)" = 0 ] && command -v mmdebstrap >/dev/null; then
    bash tests/package/debian.sh out/packages
    bash tests/package/image.sh --install || [ $? = 77 ]
else
    echo "not tested: the packages and the image in a bare Debian, which needs root and mmdebstrap"
fi
