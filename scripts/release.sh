#!/usr/bin/env bash
# Makes a release of what is tagged: release.sh [--dry-run]
#
# The tree must be clean and tagged v<version>, with the version of CMakeLists.txt, and CHANGELOG.md must have a section
# of that version (`## 1.2.3` or `## 1.2.3 - date`). Then it builds the packages into out/packages, and prints the notes.
# --dry-run does all but build.
set -euo pipefail
cd "$(dirname "$0")/.."
dry=${1:-}
refuse() {
    echo "release.sh: $*" >&2
    exit 1
}
case $dry in '' | --dry-run) ;; *) refuse "unknown option $dry; there is --dry-run" ;; esac

version=$(sed -n 's/^project(cugrade VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || refuse "CMakeLists.txt names no version"
[ -z "$(git status --porcelain)" ] || refuse "files are changed or not added: commit them first"
tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null) ||
    refuse "the commit has no tag of a version: git tag v$version"
[ "$tag" = "v$version" ] || refuse "the tag is $tag, but CMakeLists.txt says $version"
notes=$(awk -v version="$version" '/^## / { inside = $2 == version; next } inside' CHANGELOG.md | sed '/./,$!d')
[ -n "$notes" ] || refuse "CHANGELOG.md has no section \`## $version\`"

[ -n "$dry" ] || make package >&2
printf '# cugrade %s\n\n%s\n' "$version" "$notes"
