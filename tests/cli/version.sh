#!/usr/bin/env bash
# What --version says, by the tags of a checkout (cmake/Version.cmake).
. "$(dirname "$0")/common.bash"

# described FOLDER VERSION
described() {
    cmake -DSOURCE="$1" -DRELEASE=9.8.7 -DOUTPUT="$work/version.hpp" -P "$SOURCE/cmake/Version.cmake" >/dev/null ||
        fail "Version.cmake"
    grep -qxE "#define CUGRADE_DESCRIBED_VERSION \"$2\"" version.hpp || fail "$(cat version.hpp), expected $2"
}
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@localhost GIT_COMMITTER_NAME=a \
    GIT_COMMITTER_EMAIL=a@localhost
mkdir archive
described archive 9.8.7
git init -q checkout
described checkout 9.8.7
echo 1 >checkout/file
git -C checkout add file
git -C checkout commit -qm one
described checkout 9.8.7
git -C checkout tag other
described checkout 9.8.7
git -C checkout tag v1.2.3
described checkout '1\.2\.3'
echo 2 >checkout/file
described checkout '1\.2\.3\+dirty'
git -C checkout commit -qam two
described checkout '1\.2\.3\+1\.g[0-9a-f]+'
echo 3 >checkout/file
described checkout '1\.2\.3\+1\.g[0-9a-f]+\.dirty'
# An archive that lies in another project's checkout has nothing to do with its tags.
mkdir checkout/archive
described checkout/archive 9.8.7
# What did not change is not written, or each build would compile.
touch -d @1 version.hpp
described checkout/archive 9.8.7
[ "$(stat -c %Y version.hpp)" = 1 ] || fail "the header was written anew"
