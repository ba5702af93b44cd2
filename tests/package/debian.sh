#!/usr/bin/env bash
# The Debian packages, installed and used in a bare Debian 12: debian.sh PACKAGES
#
# PACKAGES is the folder of `make package`. Needs root, mmdebstrap, and this machine's own package sources; nvcc comes
# from this machine. What is tested: no package has another's secrets, what students get grades, man and completion are
# there, the hidden cases and solutions come and go with their packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=$(realpath "${1:-out/packages}")
cuda=$(realpath "${CUDA_HOME:-/usr/local/cuda}")
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
for tool in mmdebstrap dpkg-deb; do
    command -v $tool >/dev/null || fail "$tool is missing: apt-get install mmdebstrap dpkg"
done
[ "$(id -u)" = 0 ] || fail "only root can make a Debian in a folder"

# What is in which package.
deb() { echo "$packages/$1"_*.deb; }
list() { dpkg-deb --contents "$(deb "$1")" | awk '{ print $6 }'; }
for part in cugrade cugrade-solutions cugrade-hidden; do [ -f "$(deb $part)" ] || fail "no package $part"; done
! list cugrade | grep -E '/(solution\.cu|oracle[^/]*\.cpp|tasks\.cpp)$' || fail "a secret in cugrade"
! dpkg-deb --fsys-tarfile "$(deb cugrade)" | tar -xO --wildcards '*/assignment.yaml' | grep 'visibility: hidden' ||
    fail "hidden cases in cugrade"
[ "$(list cugrade-solutions | grep -c 'solution\.cu$')" = 6 ] || fail "solutions"
[ "$(list cugrade-hidden | grep -c 'assignment\.yaml$')" = 6 ] || fail "hidden cases"
! list cugrade-hidden | grep -E 'oracle|solution|tasks\.cpp' || fail "too much in cugrade-hidden"

root=$(mktemp -d)
mounted=()
leave() {
    for folder in "${mounted[@]}"; do umount "$folder" || exit 1; done # before rm: it must not reach what is mounted
    rm -rf --one-file-system "$root"
}
trap leave EXIT
mount_at() { # mount_at FOLDER ARGUMENTS...
    mkdir -p "$root$1"
    mount "${@:2}" "$root$1"
    mounted=("$root$1" "${mounted[@]}")
}
sources=/etc/apt/sources.list.d/debian.sources
[ -f $sources ] || sources=/etc/apt/sources.list
# What the package depends on comes with the root, so that nothing inside it needs a network.
needed=$(dpkg-deb -f "$(deb cugrade)" Depends | sed 's/([^)]*)//g; s/ //g')
mmdebstrap --quiet --variant=apt --include="man-db,bash-completion,$needed" \
    --dpkgopt='path-include=/usr/share/man/*' bookworm "$root" $sources
mount_at /proc --bind /proc
mount_at /dev --bind /dev
mount_at /usr/local/cuda --bind "$cuda"
mount -o remount,bind,ro "$root/usr/local/cuda"
inside() { chroot "$root" env -i PATH=/usr/bin:/usr/sbin:/usr/local/cuda/bin HOME=/root LC_ALL=C.UTF-8 "$@"; }
cp "$packages"/*.deb student_template/reduction/student.cu tests/submissions/reduction/correct/halves.cu "$root/root/"
install_package() { inside sh -c "dpkg --install /root/$1_*.deb" >"$root/log" 2>&1 || fail "$(cat "$root/log")"; }

install_package cugrade
inside cugrade --version
inside cugrade list | grep -q '^reduction' || fail "list"
inside man -w cugrade cugrade-batch cugrade-secret-new >/dev/null || fail "manual pages"
inside bash -c '. /usr/share/bash-completion/completions/cugrade; COMP_WORDS=(cugrade ba); COMP_CWORD=1; _cugrade; [ "$COMPREPLY" = batch ]' ||
    fail "completion"
# A chroot often cannot make a sandbox, and nothing else may be wrong.
inside cugrade doctor --backend emulator --quick >"$root/doctor" 2>&1 ||
    grep -q 'no sandbox can be made' "$root/doctor" || fail "$(cat "$root/doctor")"
grep -q 'not installed for atomics_lock' "$root/doctor" || fail "$(cat "$root/doctor")"
# earned FILE: the points of a grading. A chroot often cannot make a sandbox; the files are our own.
earned() {
    inside cugrade check "/root/$1" -a reduction --task sum --backend emulator --sandbox auto --format json --out /root/report.json >/dev/null
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["score"]["earned"])' "$root/root/report.json"
}
[ "$(earned student.cu)" = 0 ] || fail "the stub has points"
public=$(earned halves.cu)
[ "${public%.*}" -gt 0 ] || fail "a right submission has no points"

# The secret parts come, and go without a trace.
yaml=$root/usr/share/cugrade/assignments/reduction/assignment.yaml
before=$(sha256sum <"$yaml")
install_package cugrade-solutions
install_package cugrade-hidden
grep -q 'visibility: hidden' "$yaml" || fail "no hidden cases"
# They are for the group of those who grade, and for nobody else who logs in there.
secrets=$(inside dpkg -L cugrade-hidden cugrade-solutions | grep '^/usr/share/cugrade/.*\.')
[ "$(wc -l <<<"$secrets")" -ge 12 ] || fail "secret parts: $secrets"
for file in $secrets; do
    [ "$(inside stat -c '%U %G %a' "$file")" = 'root cugrade 640' ] || fail "$file: $(inside stat -c '%U %G %a' "$file")"
done
inside useradd --system ada
inside useradd --system --groups cugrade grader
listed_for() { inside setpriv --reuid "$1" --regid "$1" --init-groups cugrade list; }
listed_for grader | grep -q '^reduction' || fail "a grader cannot read hidden cases"
if listed_for ada >"$root/log" 2>&1; then fail "everybody can read hidden cases: $(cat "$root/log")"; fi
grep -q 'Permission denied' "$root/log" || fail "$(cat "$root/log")"
[ "$(earned halves.cu | cut -d. -f1)" -gt 0 ] || fail "a right submission has no points with hidden cases"
inside dpkg --remove cugrade-hidden cugrade-solutions >/dev/null
[ "$(sha256sum <"$yaml")" = "$before" ] || fail "the public part did not come back"
[ -z "$(find "$root/usr/share/cugrade" -name solution.cu -o -name '*.public')" ] || fail "traces of the secret parts"
inside dpkg --purge cugrade >/dev/null
[ ! -e "$root/usr/share/cugrade" ] || fail "traces: $(find "$root/usr/share/cugrade")"
echo "1 passed, 0 failed"
