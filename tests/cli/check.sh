#!/usr/bin/env bash
# Scores, formats, files and exit codes of `cugrade check`, on the emulated GPU.
. "$(dirname "$0")/common.bash"
solution=$SOURCE/reference/patterns/solution.cu
stub=$SOURCE/student_template/patterns/student.cu
check() { expect "$1" "$CUGRADE" check --backend emulator -a patterns "${@:2}"; }

check 0 "$solution" --format json
json stdout schema_version is 1
json stdout backend is emulator
for part in earned judged possible; do json stdout score/$part is 100; done
json stdout submission/sha256 is "$(sha256sum "$solution" | cut -d' ' -f1)"
[ ! -s stderr ] || fail "progress on what is no terminal"
grep -q $'\x1b' stdout && fail "colour in JSON"

check 0 "$solution" --task map
says stdout 'map'
grep -q $'\x1b' stdout && fail "colour on what is no terminal"
check 0 "$solution" --task map --colour always
grep -q $'\x1b' stdout || fail "no colour although asked for"

# The stub compiles and scores 0; that is a grade, below any threshold.
check 0 "$stub" --format json
json stdout score/earned is 0
json stdout score/judged is 100
check 3 "$stub" --fail-under 1
says stderr 'below 1 %'
check 0 "$stub" --fail-under 0
check 0 "$solution" --fail-under 100

# What does not compile is graded too.
echo 'this is not C++' >broken.cu
check 0 broken.cu --format json --out broken.json
json broken.json score/earned is 0
json broken.json tasks/all/verdict each compile_error
says stdout 'Report: broken.json'
check 0 broken.cu
says stdout 'broken.cu:1'

# A page for a browser: the source with what is wrong at its lines, the tiers, and nothing from elsewhere.
printf '// <script>alert(1)</script>\n' | cat - "$stub" >page.cu
sed -i 's/^void map_cubic(/static void unused(/' page.cu
check 0 page.cu --format html --out page.html
says stdout 'Report: page.html'
says page.html '<li id="file1-1"><code>// &lt;script&gt;alert(1)&lt;/script&gt;</code></li>'
says page.html 'The function is missing'
grep -qE '<script|https?:|src=' page.html && fail "the page asks for something"
check 0 "$solution" --out page.html
says page.html '<p class="big">100 <small>of 100 points</small></p>'
says page.html 'of the points for speed and is reached.'
check 0 broken.cu --format html
says stdout '<li id="file1-1" class="noted"><code><mark>this is not C++</mark></code>'

# The assignment is found by the folder's name.
mkdir -p week1/patterns
cp "$stub" week1/patterns/
expect 0 "$CUGRADE" check --backend emulator week1/patterns --format yaml
says stdout 'assignment: patterns'

# The folders that the environment names are where the user is, not where a compiler runs.
mkdir -p here/tmp
ln -s "$(dirname "$(dirname "$CUGRADE")")" here/prefix
expect 0 env HOME=here XDG_CACHE_HOME= TMPDIR=here/tmp CUGRADE_HOME=here/prefix "$CUGRADE" check \
    "$SOURCE/reference/patterns/solution.cu" -a patterns --task map --backend emulator --no-timing --format json
json stdout verdict is accepted
[ -d here/.cache/cugrade/builds ] || fail "the cache is elsewhere"

# The format follows the extension; a file is whole or not there.
check 0 "$stub" --out report.yaml
says report.yaml 'assignment: patterns'
for out in no/such/folder/report.json report.yaml/report.json .; do  # before anything is graded
    check 1 "$stub" --format json --out "$out"
    says stderr 'name a place in a folder that is there'
    [ ! -s stdout ] || fail "graded, and then not written"
done
check 2 "$stub" --format json --out /dev/full
says stderr 'No space left on device'
json stdout assignment is patterns  # graded it is: not lost, too
got=0
"$CUGRADE" check "$stub" -a patterns --backend emulator >/dev/full 2>stderr || got=$?
[ "$got" = 2 ] || fail "a full standard output: exit code $got"
[ -z "$(find . -maxdepth 1 -name '.*.??????')" ] || fail "temporary files are left"

# What a submission says may hold a hidden case's data: it is shown for public cases only.
{
    cat "$SOURCE/reference/patterns/solution.cu" | sed 's/^void map_cubic(/void other_map_cubic(/'
    cat <<'CU'
#include <stdexcept>
void map_cubic(const float*, std::size_t, float, float, float, float, float*) {
    throw std::runtime_error("TOLD BY THE SUBMISSION");
}
CU
} >throws.cu
check 0 throws.cu --task map --format json
json stdout tasks/0/cases/visibility=public/message has 'TOLD BY'
json stdout tasks/0/cases/visibility=hidden lacks 'TOLD BY'
json stdout tasks/0/cases/visibility=hidden/verdict has crash

# A race that the schedule happens to hide: found, with both lines, and no more than that of a hidden
# case. Reading an output that nobody has written is found, too.
{
    sed 's/^void map_cubic(/void other_map_cubic(/' "$solution"
    cat <<'CU'
__global__ void racing(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                       float* y) {
    __shared__ float shared_c0;
    if (threadIdx.x == 0) shared_c0 = c0;
    const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
    if (i >= n) return;
    const float rest = x[i] * (c1 + x[i] * (c2 + x[i] * c3));
    y[i] = n < 32 ? c0 + rest + 0 * y[i] : shared_c0 + rest;
}
void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    if (n > 0) racing<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, n, c0, c1, c2, c3, y);
}
CU
} >racing.cu
check 0 racing.cu --task map --format json
json stdout tasks/0/cases/verdict=data_race/findings/kind=shared_race/location.file=racing.cu/second_location/line above 0
json stdout tasks/0/cases/all/findings?/all/kind has uninitialised_read
json stdout tasks/0/cases/visibility=hidden/verdict has data_race
json stdout tasks/0/cases/visibility=hidden/findings?/all/message without-digits
check 0 racing.cu --task map
says stdout 'data_race'
says stdout ' and racing.cu:'

# Schedules to explore: only on the emulated GPU.
check 0 "$solution" --task map --explore 2 --format json
json stdout tasks/0/verdict is accepted
json stdout replay ends ' --task map'
json stdout replay has '--explore 2'
expect 1 "$CUGRADE" check --backend gpu -a patterns "$solution" --explore 2
says stderr '--explore'

# The line that repeats a report can be pasted into a shell.
cp "$solution" 'my $(touch pasted).cu'
check 0 'my $(touch pasted).cu' --task map --student "o'hara" --format json
json stdout replay starts "cugrade check 'my \$(touch pasted).cu' -a patterns"
json stdout replay ends " --student 'o'\\''hara'"

# What comes first is a command, or nearly one.
expect 1 "$CUGRADE" chekc "$solution"
says stderr 'did you mean `check`?'

# What the host launches is counted; what kernels launch is not.
expect 0 "$CUGRADE" check "$SOURCE/reference/reduction/solution.cu" -a reduction --backend emulator --task nested \
    --format json
measures=tasks/0/technique/measures
json stdout $measures/all/metric set host_launches global_atomics_per_element
json stdout $measures/metric=host_launches/value is 1
json stdout $measures/metric=global_atomics_per_element/value is 0
json stdout tasks/0/technique/earned is 4
cat >two_launches.cu <<'EOF'
#include "interface.cuh"
__global__ void add_up(const int* in, std::size_t n, long long* out) {
    *out = 0;
    for (std::size_t i = 0; i < n; ++i) *out += in[i];
}
__global__ void nothing() {}
void reduce_nested(const int* in, std::size_t n, long long* out) {
    nothing<<<1, 1>>>();
    add_up<<<1, 1>>>(in, n, out);
}
EOF
expect 0 "$CUGRADE" check two_launches.cu -a reduction --backend emulator --task nested
says stdout 'nested: 2 kernels launched by the host, at most 1 allowed'

# Threads of a block race, and lanes of a warp with them: what is said first helps both.
expect 0 "$CUGRADE" check "$SOURCE/tests/submissions/reduction/wrong/missing_barrier.cu" -a reduction --task sum --backend emulator \
    --format json
json stdout tasks/0/cases/all/findings?/all/message above-count 3 __syncwarp
json stdout tasks/0/cases/all/message? above-count 3 __syncthreads
json stdout tasks/0/cases/all/message? lacks __syncwarp
