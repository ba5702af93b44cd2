#!/usr/bin/env bash
# The leaderboard of a class: chosen names by speedup, for students; a policy makes it appear and disappear, and
# nothing that staff know is on it.
. "$(dirname "$0")/common.bash"

mkdir class
cp "$SOURCE/reference/patterns/solution.cu" class/s771.cu
cp "$SOURCE/reference/patterns/baseline.cu" class/s772.cu
cp "$SOURCE/reference/patterns/baseline.cu" class/s773.cu
cp "$SOURCE/student_template/patterns/student.cu" class/s774.cu
printf 'id,name\ns771,Ada Lovelace\ns772,Bob Stroud\ns773,Marie Curie\ns774,Dan Brown\ns775,Eve Adams\n' >roster.csv
cp "$SOURCE/grading.yaml" plain.yaml
{ cat plain.yaml && printf 'leaderboard:\n  names: names.csv\n'; } >board.yaml
{ cat plain.yaml && printf 'leaderboard: {names: names.csv, anonymous: true, tasks: [patterns/map]}\n'; } >anonymous.yaml
{ cat plain.yaml && printf 'leaderboard: {names: names.csv, tasks: [patterns/gather]}\n'; } >gather.yaml
printf 'id,name\ns771,Warp <Speed>\ns772,Zoom\ns774,Never Right\n' >names.csv
batch() { expect "$1" "$CUGRADE" batch class -a patterns --task map --backend emulator --roster roster.csv --out "${@:2}"; }

# A wrong file is told before anything is graded.
printf 'id,name\ns771,Zoom\ns772,zoom\n' >wrong.csv
sed 's/names.csv/wrong.csv/' board.yaml >wrong.yaml
batch 1 nothing --policy wrong.yaml
says stderr 'wrong.csv:3: the name zoom is that of line 2, too'
[ ! -e nothing/reports/patterns/s771.txt ] || fail "graded in spite of it"
printf 'id,name\ns770,Zoom\n' >wrong.csv
batch 1 nothing --policy wrong.yaml
says stderr 'wrong.csv:2: nobody in the class has the id s770'
rm wrong.csv
batch 1 nothing --policy wrong.yaml
says stderr 'wrong.csv'

batch 0 graded --policy board.yaml
says stdout 'For students: graded/leaderboard.html'
board=graded/leaderboard.html
says $board '<bdi>Warp &lt;Speed&gt;</bdi></th><td class="n">'
says $board '<td class="n">2</td><th scope="row"><bdi>Zoom</bdi></th><td class="n">1</td>'
says $board 'modelled on NVIDIA H200'
grep -qiE 's77[0-9]|lovelace|curie|never right|anonymous|href' $board && fail "too much: $(cat $board)"
says graded/index.html '<a href="leaderboard.html">'
says graded/index.html '<bdi>Zoom</bdi></th><td><a href="pages/patterns/s772.html">'
expect 0 "$CUGRADE" class graded --policy board.yaml
says stdout '  patterns/map: times the baseline, modelled on NVIDIA H200'
says stdout '      2        1  Zoom'
grep -q 'Never Right' stdout && fail "a stub is in the ranking"
cp $board first.html

# Another policy, or other names: nothing is run, and the page appears, changes, disappears.
expect 0 "$CUGRADE" rescore graded --policy plain.yaml
[ ! -e $board ] || fail "the policy asks for none"
grep -q eaderboard graded/index.html && fail "a section without a leaderboard"
expect 0 "$CUGRADE" class graded --policy plain.yaml
grep -q Leaderboard stdout && fail "the policy asks for none"
expect 0 "$CUGRADE" rescore graded --policy board.yaml
cmp first.html $board || fail "another page than the batch's"
expect 0 "$CUGRADE" rescore graded --policy anonymous.yaml
says $board '<td class="n">2</td><th scope="row"><bdi>Zoom</bdi></th>'
says $board '<td class="n">2</td><th scope="row"><bdi>anonymous</bdi></th>'
grep -q s773 $board && fail "an id"
expect 0 "$CUGRADE" rescore graded --policy gather.yaml
says $board 'Nobody is in a ranking yet.'
printf 'id,name\ns771,Lightning\n' >names.csv
expect 0 "$CUGRADE" rescore graded --policy board.yaml
says $board Lightning
grep -q Zoom $board && fail "a name that was withdrawn"
printf 'id,name\ns771,eve adams\n' >names.csv
expect 1 "$CUGRADE" rescore graded --policy board.yaml
says stderr 'names.csv:2: eve adams is the id, name, number or email of a student'
says $board Lightning

# What students get of an assignment says nothing of the file.
expect 0 "$CUGRADE" release patterns --policy board.yaml --to handout
! grep -q leaderboard handout/grading.yaml || fail "students' policy names the file"
