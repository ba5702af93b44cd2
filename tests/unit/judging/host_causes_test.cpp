#include "judging/host_causes.hpp"

#include "catch.hpp"

namespace cugrade {
namespace {

const std::vector<SourceFile>& source() {
    static const std::vector<SourceFile> files{
        {"a.cu",
         "__constant__ float c_mask[64];\n"
         "__global__ void sum(const float* in, float* parts) {\n"
         "    __shared__ float tile[8];\n"
         "    tile[threadIdx.x] = c_mask[0] + in[0];\n"
         "}\n"
         "void f(const float* in) {\n"
         "    float start[4] = {};\n"
         "    cudaMalloc(&parts, n);\n"
         "    cudaMemcpyToSymbol(c_mask, in, bytes);\n"
         "    sum<<<blocks, threads, bytes>>>(start, parts);\n"
         "    cudaFree(parts);\n"
         "}\n"}};
    return files;
}

CaseOutcome failing(Verdict verdict, std::string message = {}) {
    CaseOutcome one{.id = 1, .verdict = verdict, .message = std::move(message)};
    one.host.kernel = "sum(float const*, float*)";
    one.host.launched_at = SourceLocation{"a.cu", 10, 0};
    one.location = SourceLocation{"a.cu", 4, 0};
    return one;
}

Cause cause_of(const CaseOutcome& one) {
    const auto cause = host_cause(one, source());
    REQUIRE(cause);
    return *cause;
}

TEST_CASE("A refused launch is a cause, at the launch") {
    CaseOutcome one = failing(Verdict::launch_error);
    one.host.failed_call =
        "cudaErrorInvalidConfiguration: kernel launch: sum(float const*, float*): a block of (2048, "
        "1, 1) threads: each number must be at least 1";
    const Cause cause = cause_of(one);
    CHECK(cause.id == "launch_refused");
    CHECK(cause.location.line == 10);
    CHECK(cause.proof == Proof::proven);
    CHECK(cause.sentence.find("(2048, 1, 1)") != std::string::npos);
    one.visibility = Visibility::hidden;
    CHECK(cause_of(one).sentence.find("2048") == std::string::npos);
    // A program that looks at its errors may only compute something wrong.
    one.verdict = Verdict::unwritten_output;
    CHECK(cause_of(one).id == "launch_refused");
}

TEST_CASE("A refused launch by a kernel has its line in the message") {
    CaseOutcome one = failing(Verdict::unwritten_output);
    one.host.failed_call =
        "cudaErrorInvalidConfiguration: launch of sum(float const*, float*) with blocks of 2048x1x1 "
        "= 2048 threads; at most 1024 threads, and 1024x1024x64 (in the kernel p(int), line 10 of "
        "a.cu)";
    CHECK(cause_of(one).id == "launch_refused");
    CHECK(cause_of(one).location.line == 10);
}

TEST_CASE("A copy in the wrong direction is found without a line of its own") {
    CaseOutcome one = failing(Verdict::launch_error);
    one.host.failed_call =
        "cudaErrorInvalidValue: cudaMemcpyToSymbol: cudaMemcpyHostToDevice was asked for, but the "
        "destination is a device address and the source a device address; the order is "
        "destination, source";
    const Cause cause = cause_of(one);
    CHECK(cause.id == "wrong_copy_direction");
    CHECK(cause.location.line == 9);
    CHECK(cause.advice.find("cudaMemcpyDeviceToDevice") != std::string::npos);
}

TEST_CASE("A copy of more than an array holds leads to its declaration") {
    CaseOutcome one = failing(Verdict::launch_error);
    one.host.failed_call =
        "cudaErrorInvalidValue: cudaMemcpyToSymbol: 400 bytes at offset 0 of `c_mask`, which has "
        "256";
    CHECK(cause_of(one).id == "array_too_small");
    CHECK(cause_of(one).location.line == 1);
}

TEST_CASE("Memory that is used after it was freed leads to cudaFree") {
    CaseOutcome one = failing(Verdict::out_of_bounds, "4 bytes at `allocation 1`, freed");
    one.host.memory_is_freed = true;
    CHECK(cause_of(one).id == "use_after_free");
    CHECK(cause_of(one).location.line == 11);
    one.host.memory_at = SourceLocation{"a.cu", 11, 0};
    CHECK(cause_of(one).sentence.find("`parts`") != std::string::npos);
}

TEST_CASE("A host's array that is passed to a kernel leads to the launch") {
    const CaseOutcome one =
        failing(Verdict::out_of_bounds, "thread 0 reads at what is no device address");
    const Cause cause = cause_of(one);
    CHECK(cause.id == "host_pointer_in_kernel");
    CHECK(cause.location.line == 10);
    CHECK(cause.sentence.find("`start`") != std::string::npos);
}

TEST_CASE("A pointer of the device on the host leads to its use") {
    CaseOutcome one = failing(Verdict::crash);
    one.host.failed_call = "host code dereferenced a device address, 0 bytes into `out` (8 bytes)";
    one.host.failed_at = SourceLocation{"a.cu", 7, 0};
    CHECK(cause_of(one).id == "device_pointer_on_host");
    CHECK(cause_of(one).location.line == 7);
}

TEST_CASE("An array that is too small leads to its declaration or allocation") {
    const CaseOutcome shared = failing(
        Verdict::out_of_bounds, "writes 4 bytes at 0 bytes past the end of the block's shared memory "
                                "(32 bytes)");
    CHECK(cause_of(shared).id == "array_too_small");
    CHECK(cause_of(shared).location.line == 3);
    const CaseOutcome own = failing(Verdict::out_of_bounds,
                                    "writes 4 bytes at 0 bytes past the end of `allocation 1` (4)");
    CHECK(cause_of(own).location.line == 8);
    // The grader's buffers have the right size.
    CHECK_FALSE(host_cause(failing(Verdict::out_of_bounds, "at 0 bytes past the end of `in` (4)"),
                           source()));
}

}  // namespace
}  // namespace cugrade
