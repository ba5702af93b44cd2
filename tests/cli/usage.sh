#!/usr/bin/env bash
# Wrong command lines: exit code 1 and a message that says what to do; --help shows an example.
. "$(dirname "$0")/common.bash"

expect 1 "$CUGRADE"
expect 1 "$CUGRADE" chekc
expect 1 "$CUGRADE" check
expect 1 "$CUGRADE" check student.cu --no-such-option
expect 0 "$CUGRADE" --version
grep -qE '^cugrade [0-9]+\.[0-9]+\.[0-9]+(\+[0-9a-z.]+)?$' stdout || fail "version"
for command in check batch class rescore compare override list data doctor; do
    expect 0 "$CUGRADE" "$command" --help
    says stdout "cugrade $command"
    grep -q '^Example' stdout || fail "$command --help has no example"
done

echo 'int x;' >student.cu
expect 1 "$CUGRADE" check student.cu -a redcution
says stderr 'unknown assignment `redcution`'
says stderr 'did you mean `reduction`?'
expect 1 "$CUGRADE" check student.cu
says stderr 'which assignment is it?'
says stderr 'patterns'
expect 1 "$CUGRADE" check student.cu -a reduction --task sun
says stderr 'did you mean `sum`?'
expect 1 "$CUGRADE" check student.cu -a reduction --format jsn
says stderr 'did you mean `json`?'
expect 1 "$CUGRADE" check student.cu -a reduction --backend emulater
says stderr 'did you mean `emulator`?'
expect 1 "$CUGRADE" check student.cu -a reduction --ptx 80
expect 1 "$CUGRADE" check student.cu -a reduction --fail-under 101
expect 1 "$CUGRADE" check student.cu -a reduction --colour sometimes
expect 1 "$CUGRADE" check nobody.cu -a reduction
says stderr 'nobody.cu'
expect 1 "$CUGRADE" check student.cu -a reduction --secret-file nowhere
expect 1 "$CUGRADE" check student.cu -a reduction --policy nowhere.yaml
printf 'schema_version: 1\npionts: 3\n' >policy.yaml
expect 1 "$CUGRADE" check student.cu -a reduction --policy policy.yaml
says stderr 'policy.yaml:2:'
expect 1 "$CUGRADE" batch nowhere --out out
mkdir empty
expect 1 "$CUGRADE" batch empty -a reduction --out out
says stderr 'no submission'
expect 1 "$CUGRADE" data reduction --case 1 --out d
says stderr 'reduction/sum'
expect 1 "$CUGRADE" data reduction/sum --case 9999 --out d
CUGRADE_HOME=$work/nothing expect 2 "$CUGRADE" list
says stderr 'CUGRADE_HOME'
expect 1 env CUGRADE_CACHE_LIMIT=plenty "$CUGRADE" check student.cu -a reduction --backend emulator
says stderr 'CUGRADE_CACHE_LIMIT'
expect 1 "$CUGRADE" class nowhere
says stderr 'give the folder that `cugrade batch --out` has written'
