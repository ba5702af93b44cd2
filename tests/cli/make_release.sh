#!/usr/bin/env bash
# scripts/release.sh refuses what is no release, and prints the notes of one.
. "$(dirname "$0")/common.bash"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@localhost GIT_COMMITTER_NAME=a \
    GIT_COMMITTER_EMAIL=a@localhost
mkdir -p tree/scripts
cp "$SOURCE/scripts/release.sh" tree/scripts/
grep '^project(' "$SOURCE/CMakeLists.txt" >tree/CMakeLists.txt
version=$(sed -n 's/^project(cugrade VERSION \([0-9.]*\).*/\1/p' tree/CMakeLists.txt)
printf '# Changelog\n\n## Unreleased\n\n- not yet\n\n## 0.0.1\n\n- long ago\n' >tree/CHANGELOG.md
git init -q tree
git() { command git -C tree "$@"; }
git add -A
git commit -qm one
release=(tree/scripts/release.sh --dry-run)

expect 1 "${release[@]}"
says stderr "git tag v$version"
git tag v99.0.0
expect 1 "${release[@]}"
says stderr 'the tag is v99.0.0'
git tag -d v99.0.0 >deleted
git tag "v$version"
expect 1 "${release[@]}"
says stderr "no section \`## $version\`"
sed -i "s/^## 0.0.1/## $version - 2026-01-01\n\n- what is new\n\n&/" tree/CHANGELOG.md
expect 1 "${release[@]}"
says stderr 'files are changed'
git commit -qam two
git tag -f "v$version" >moved
expect 0 "${release[@]}"
says stdout "# cugrade $version"
says stdout '- what is new'
! grep -qE 'not yet|long ago' stdout || fail "notes of another version"
expect 1 tree/scripts/release.sh --dry
