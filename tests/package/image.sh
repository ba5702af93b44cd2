#!/usr/bin/env bash
# Builds the image of packaging/Containerfile on a bare Debian 12, and grades in it as one grades in a container:
# an ordinary user, no network, hand-ins read-only. Then does what packaging/cugrade.def says in the same Debian.
#
#     image.sh                  exit code 77 (skipped) where something that it needs is missing, or for an ordinary user
#     image.sh --install        installs what is missing first, Debian's packages
#
# No registry is asked: the base image is made by mmdebstrap from this machine's own package sources, and nvcc is this
# machine's, mounted where NVIDIA's images have it. bubblewrap does what a container's runtime would do, so neither
# control groups nor a daemon are needed. Apptainer is not in Debian: of its recipe the sections are read and run.
set -euo pipefail
cd "$(dirname "$0")/../.."
skip() {
    echo "SKIPPED, no image was built: $1" >&2
    exit 77
}
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || skip "only root can make a Debian in a folder"
if [ "${1:-}" = --install ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends buildah mmdebstrap bubblewrap >/dev/null
fi
for tool in buildah mmdebstrap bwrap setpriv; do
    command -v $tool >/dev/null || skip "$tool is missing: scripts/test_all.sh installs it"
done
cuda=$(realpath "${CUDA_HOME:-/usr/local/cuda}")
sources=/etc/apt/sources.list.d/debian.sources
[ -f $sources ] || sources=/etc/apt/sources.list

work=$(mktemp -d)
chmod 755 "$work" # the user of the image looks into it
buildah() { command buildah --root "$work/store" --runroot "$work/run" "$@"; }
leave() {
    for folder in "$work/root" "$work/apptainer/usr/local/cuda"; do
        if mountpoint -q "$folder"; then umount "$folder" || exit 1; fi # before rm: it must not reach what is mounted
    done
    buildah rm --all >/dev/null 2>&1 || true
    buildah rmi --all --force >/dev/null 2>&1 || true
    for folder in "$work"/store/*; do
        if mountpoint -q "$folder"; then umount "$folder" || exit 1; fi
    done
    rm -rf --one-file-system "$work"
}
trap leave EXIT

mmdebstrap --quiet --variant=apt --include=ca-certificates bookworm "$work/base.tar" $sources
printf 'FROM scratch\nADD base.tar /\nENV PATH=/usr/local/cuda/bin:/usr/sbin:/usr/bin:/sbin:/bin\n' >"$work/Base"
buildah bud --quiet --isolation chroot --tag bare --file "$work/Base" "$work" >/dev/null
build() { # build TAG ARGUMENT...: the image of this repository
    buildah bud --isolation chroot --layers --volume "$cuda:/usr/local/cuda:ro" --build-arg BASE=localhost/bare \
        --tag "$1" "${@:2}" . >"$work/log" 2>&1 || fail "$(tail -n 50 "$work/log")"
}
build students --file packaging/Containerfile
# Debian 12's buildah mounts nothing of a stage that it has in its cache: that becomes an image.
build built --file packaging/Containerfile --target build
sed 's|from=build,|from=localhost/built,|' packaging/Containerfile >"$work/Staff"
build staff --file "$work/Staff" --build-arg PARTS="cugrade cugrade-solutions cugrade-hidden"

# What is in them.
look() { # look IMAGE: mounts its root at $work/root
    if mountpoint -q "$work/root"; then umount "$work/root"; fi
    mkdir -p "$work/root"
    mount --bind "$(buildah mount "$(buildah from --pull-never "localhost/$1")")" "$work/root"
}
setting() { buildah inspect --type image --format "{{.OCIv1.Config.$2}}" "localhost/$1"; }
secrets() { find "$work/root/usr/share/cugrade" -name 'solution.cu' -o -name 'oracle*.cpp' -o -name tasks.cpp | wc -l; }
look staff
[ "$(secrets)" = 6 ] || fail "the staff's image has no solutions"
grep -q 'visibility: hidden' "$work/root/usr/share/cugrade/assignments/reduction/assignment.yaml" || fail "no hidden cases"
look students
[ "$(secrets)" = 0 ] || fail "a secret in the students' image"
! grep -rq 'visibility: hidden' "$work/root/usr/share/cugrade/assignments" || fail "hidden cases in the students' image"
[ "$(setting students User)" = grader ] || fail "the image's user is $(setting students User)"
[ ! -e "$work/root/src" ] && [ ! -e "$work/root/packages" ] || fail "the image still holds what it was built from"

# What it does: as its user, without a network, hand-ins read-only, and nothing else can be written but what is asked for.
user=$(awk -F: '$1 == "grader" { print $3 }' "$work/root/etc/passwd")
# Where a container's runtime would mount them.
mkdir -p "$work/handins" "$work/graded" "$work/root/handins" "$work/root/graded" "$work/root/usr/local/cuda"
cp tests/submissions/reduction/correct/halves.cu "$work/handins/ada.cu"
cp student_template/reduction/student.cu "$work/handins/bob.cu"
chown "$user" "$work/graded"
inside() {
    setpriv --reuid "$user" --regid "$user" --clear-groups env -i PATH=/usr/local/cuda/bin:/usr/bin:/bin HOME=/home/grader \
        LC_ALL=C.UTF-8 bwrap --ro-bind "$work/root" / --proc /proc --dev /dev --tmpfs /tmp --tmpfs /home/grader \
        --unshare-pid --unshare-net --unshare-ipc --ro-bind "$cuda" /usr/local/cuda --ro-bind "$work/handins" /handins \
        --bind "$work/graded" /graded --chdir /home/grader "$@"
}
command=$(setting students Cmd | tr -d '[]')
# shellcheck disable=SC2086  # the command is words
inside $command >"$work/doctor" 2>&1 || fail "$command: $(cat "$work/doctor")"
! inside touch /handins/new 2>/dev/null || fail "hand-ins can be written"
[ "$(inside cat /proc/net/dev | sed -n 's/^ *\([^ :]*\):.*/\1/p')" = lo ] || fail "there is a network"
inside cugrade batch /handins -a reduction --task sum --backend emulator --sandbox on --out /graded >"$work/log" 2>&1 ||
    fail "$(cat "$work/log")"
python3 - "$work/graded/gradebook.csv" <<'END' || fail "$(cat "$work/graded/gradebook.csv")"
import csv, sys
rows = {row["student"]: float(row["earned"]) for row in csv.DictReader(open(sys.argv[1]))}
sys.exit(not (rows.keys() == {"ada", "bob"} and rows["ada"] > 0 and rows["bob"] == 0))
END

# Apptainer's recipe: its files, its %post and its %test.
section() { awk -v name="%$1" '/^%/ { in_it = $1 == name; next } in_it' packaging/cugrade.def; }
for name in files post test runscript; do [ "$(section $name)" ] || fail "no section %$name in packaging/cugrade.def"; done
mkdir "$work/apptainer"
tar -xf "$work/base.tar" -C "$work/apptainer"
read -r from to < <(section files)
[ "$from $to" = "out/packages /packages" ] || fail "the recipe copies $from to $to"
mkdir -p "$work/apptainer$to" "$work/apptainer/usr/local/cuda"
packages=$(find "$work/store" -path '*/src/out/packages' -type d -print -quit)
[ -n "$packages" ] || fail "the stage that builds has left no packages"
cp "$packages"/*.deb "$work/apptainer$to"
mount --bind "$cuda" "$work/apptainer/usr/local/cuda"
mount -o remount,bind,ro "$work/apptainer/usr/local/cuda"
cp /etc/resolv.conf "$work/apptainer/etc/resolv.conf"
for name in post test; do
    section $name | chroot "$work/apptainer" env -i DEBIAN_FRONTEND=noninteractive HOME=/root \
        PATH=/usr/local/cuda/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -e >"$work/log" 2>&1 || fail "%$name: $(tail -n 30 "$work/log")"
done
grep -q '^cugrade ' "$work/log" || fail "%test says $(cat "$work/log")"
[ ! -e "$work/apptainer/packages" ] || fail "the recipe leaves its packages there"
echo "1 passed, 0 failed"
