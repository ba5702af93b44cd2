#!/usr/bin/env bash
# A function that is not there: the report says in what the student's differs from the declared one.
. "$(dirname "$0")/common.bash"
check() { expect 0 "$CUGRADE" check --backend emulator -a reduction --no-timing --format json "$1"; }
says_of() { # TASK MESSAGE
    json stdout "tasks/name=$1/verdict" is function_missing
    json stdout "tasks/name=$1/cases/0/message" is "$2"
    json stdout "tasks/name=$1/score/earned" is 0
}
has='the submission has a `%s`, but not the one that interface.cuh declares: %s'
in_that='and in C++ that makes it another function'

cat >includes.cu <<'EOF'
#include "interface.cuh"
__global__ void reduce_nested_kernel(const int* in) { (void)in; }
__global__ void reduce_su(const float* in) { (void)in; }  // nearest to reduce_sum, which is there
namespace mine {
void reduce_cubes(const int*, std::size_t, long long*) {}
}
void reduce_sum(const float* in, unsigned n, float* out) { (void)in, (void)n, (void)out; }
void reduce_maximum(const float* in, std::size_t n, float* out) { (void)in, (void)n, (void)out; }
EOF
check includes.cu
says_of sum "$(printf "$has" reduce_sum "parameter 1 is \`const float*\`, not \`const double*\`, $in_that")"
says_of max 'the submission defines no `reduce_max`, but a `reduce_maximum`: is that it, under another name than in interface.cuh?'
says_of cubes "$(printf "$has" reduce_cubes 'it is `mine::reduce_cubes`; move it out of the namespace')"
says_of nested 'the submission defines no function `reduce_nested`, only a kernel `reduce_nested_kernel`: write the function that interface.cuh declares, and launch the kernel from it'

cat >without.cu <<'EOF'
static void reduce_sum(const double* in, unsigned long n, double* out) { *out = in[n - 1]; }
extern "C" void reduce_max(const float*, unsigned long, float*) {}
template <class T>
void reduce_cubes(const int* in, unsigned long n, T* out) {
    *out = static_cast<T>(in[n - 1]);
}
template void reduce_cubes<long long>(const int*, unsigned long, long long*);
void reduce_nested(const int*, long long* out) {
    double sum;
    volatile auto keep = &reduce_sum;
    keep(nullptr, 0, &sum);
    *out = static_cast<long long>(sum);
}
EOF
check without.cu
says_of sum "$(printf "$has" reduce_sum 'it is `static` or in an unnamed namespace, where nobody else can call it')"
says_of max "$(printf "$has" reduce_max 'it is declared `extern "C"`; leave that away')"
says_of cubes "$(printf "$has" reduce_cubes 'it is a template; write an ordinary function, which may call it')"
says_of nested "$(printf "$has" reduce_nested "it has 2 parameters, not 3, $in_that")"

# The other tasks' functions, the runner's and CUDA's are no candidates.
sed 's/reduce_nested/other_nested/' "$SOURCE/reference/reduction/solution.cu" >left_out.cu
check left_out.cu
json stdout tasks/name=sum/verdict is accepted
says_of nested 'the submission defines no `reduce_nested`, which interface.cuh declares'
