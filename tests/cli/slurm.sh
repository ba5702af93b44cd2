#!/usr/bin/env bash
# batch --slurm where there is no cluster: what is wrong is told before anything is graded. tests/cluster has the rest.
. "$(dirname "$0")/common.bash"
mkdir class empty
cp "$SOURCE/student_template/patterns/student.cu" class/ada.cu
"$CUGRADE" secret new secret >/dev/null
printf 'schema_version: 1\ngrade:\n  tasks: 2\n' >cluster.yaml
batch() { expect "$1" env "${variables[@]}" "$CUGRADE" batch class -a patterns --backend emulator --out graded "${@:2}"; }

variables=(A=1)
printf 'schema_version: 1\ngrade:\n  tasks: 2\n  partion: cpu\n' >wrong.yaml
batch 1 --slurm wrong.yaml
says stderr 'wrong.yaml:4:3: unknown key `partion`; did you mean `partition`? (at grade.partion)'
batch 1 --slurm nowhere.yaml
says stderr 'nowhere.yaml: cannot open the file'
# A secret that is in no file does not reach other nodes.
batch 1 --slurm cluster.yaml --secret-fd 7 7<secret
says stderr 'a secret that is in no file does not reach other nodes'
variables=(CUGRADE_SECRET="$(cat secret)")
batch 1 --slurm cluster.yaml
says stderr 'give it by --secret-file'
# No scheduler here.
variables=(PATH="$work/empty" NVCC_CCBIN="$(command -v g++)")
batch 1 --slurm cluster.yaml --secret-file secret
says stderr 'there is no sbatch on the PATH'
# A key that is not kept.
variables=(HOME= XDG_CONFIG_HOME= CUGRADE_KEY_FILE=)
batch 1 --slurm cluster.yaml --secret-file secret
says stderr "the nodes cannot have this grader's key, which is not kept"
[ ! -e graded/gradebook.csv ] || fail "something was graded"

# The jobs' command is in no list, and believes no plan but this grader's.
expect 0 "$CUGRADE" --help
! grep -q batch-worker stdout || fail "--help lists batch-worker"
expect 0 "$CUGRADE" completion bash
! grep -q batch-worker stdout || fail "the completion has batch-worker"
worker() { expect 2 env "${variables[@]}" "$CUGRADE" batch-worker --stage grade --task 1_0 run; }
mkdir -m 700 run
variables=(CUGRADE_KEY_FILE="$work/key")
printf '%064d\n{"run": "r"}' 0 >run/plan
chmod 600 run/plan
expect 1 env "${variables[@]}" "$CUGRADE" batch-worker --stage grade --task 1_0 run
says stderr "this user has no grader's key"
printf '%064d\n' 1 >key
chmod 600 key
worker
says stderr 'run/plan: this grader has not written this file for this place'
