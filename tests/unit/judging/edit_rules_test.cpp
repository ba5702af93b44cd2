#include "judging/edit_rules.hpp"

#include "catch.hpp"

using namespace cugrade;

namespace {

/// Where a cause in a line of the text is moved to.
Cause moved(const std::string& text, const std::string& id, int line, int second = 0) {
    TaskSpec task;
    task.function = "f";
    ArgumentSpec output;
    output.name = "out";
    output.role = Role::output;
    task.arguments = {output};
    const std::vector<SourceFile> source{{"a.cu", text}};
    Cause cause{.id = id, .proof = Proof::proven};
    if (line > 0) cause.location = {"a.cu", line, 5};
    if (second > 0) cause.second = SourceLocation{"a.cu", second, 5};
    move_by_text(task, source, cause);
    return cause;
}

}  // namespace

TEST_CASE("a wait goes between the work in one stream and its use in another") {
    const std::string text =
        "__global__ void k(int* p) { p[0] = 1; }\n"
        "void f(int* out) {\n"
        "    k<<<1, 1, 0, left>>>(out);\n"
        "    k<<<1, 1, 0, right>>>(other);\n"
        "    k<<<1, 1, 0, left>>>(other);\n"
        "}\n";
    const Cause cause = moved(text, "stream_not_waited_for", 3);
    CHECK(cause.location.line == 4);
    CHECK(cause.end_line == 5);
}

TEST_CASE("an output that one branch sets leads to the condition") {
    const std::string text =
        "__global__ void k(int* p) { atomicAdd(p, 1); }\n"
        "void f(int* out) {\n"
        "    if (n < 3) {\n"
        "        cudaMemset(out, 0, 4);\n"
        "        k<<<1, 1>>>(out);\n"
        "    } else {\n"
        "        k<<<2, 1>>>(out);\n"
        "    }\n"
        "}\n";
    const Cause cause = moved(text, "uninitialised_output", 7);
    CHECK(cause.location.line == 3);
    CHECK(cause.end_line == 7);
}

TEST_CASE("a misaligned access leads to the pointer, and on to the host's division") {
    const std::string text =
        "__global__ void k(float* x, int per, int m) {\n"
        "    int begin = blockIdx.x * per;\n"
        "    float4* x4 = reinterpret_cast<float4*>(x + begin);\n"
        "    float4* y4 = reinterpret_cast<float4*>(x + m);\n"
        "    x4[0] = zero;\n"
        "    y4[0] = zero;\n"
        "    x[0] = 1;\n"
        "}\n"
        "void f(float* out) {\n"
        "    int per = n / 7;\n"
        "    k<<<7, 1>>>(out, per, m);\n"
        "}\n";
    CHECK(moved(text, "misaligned", 5).location.line == 10);
    CHECK(moved(text, "misaligned", 6).location.line == 4);
    CHECK(moved(text, "misaligned", 7).location.line == 7);
}

TEST_CASE("a barrier that lanes miss leads to the call under a condition that names them all") {
    const std::string text =
        "__global__ void k(int* p) {\n"
        "    int v = __shfl_sync(0xffffffff, 1, 0);\n"
        "    if (v > 1) v += __shfl_up_sync(0xffffffff, v, 1);\n"
        "    __syncthreads();\n"
        "}\n"
        "void f(int* out) { k<<<1, 1>>>(out); }\n";
    CHECK(moved(text, "wrong_shuffle_mask", 4).location.line == 3);
    CHECK(moved(text, "wrong_shuffle_mask", 2).location.line == 2);
}

TEST_CASE("a narrow counter leads to its type, or to its array") {
    const std::string rest = "Count c[9]; c[0]++; }\nvoid f(int* out) { k<<<1, 1>>>(out); }\n";
    CHECK(moved("typedef unsigned char Count;\n__global__ void k(int* p) { " + rest,
                "counter_too_narrow", 0)
              .location.line == 1);
    CHECK(moved("__global__ void k(int* p) {\n    unsigned short c[9]; c[0]++; }\n"
                "void f(int* out) { k<<<1, 1>>>(out); }\n",
                "counter_too_narrow", 0)
              .location.line == 2);
    CHECK(moved("__global__ void k(int* p) { " + rest, "counter_too_narrow", 0).location.line == 0);
}

TEST_CASE("an input becomes writable by a cast or by a reference to an element") {
    CHECK(moved("__global__ void k(int* p) { p[0] = 1; }\nvoid f(const int* in) {\n"
                "    int* p = const_cast<int*>(in);\n    k<<<1, 1>>>(p);\n}\n",
                "input_changed", 1)
              .location.line == 3);
    CHECK(moved("__global__ void k(int* p) {\n    int i = 0;\n    int& x = p[i];\n    x = 1;\n}\n"
                "void f(int* in) { k<<<1, 1>>>(in); }\n",
                "input_changed", 0)
              .location.line == 3);
}

TEST_CASE("a count of blocks that goes on leads to the kernel's end, unless it is set back") {
    const std::string head =
        "__device__ unsigned arrived;\n"
        "__global__ void k(int* p) {\n"
        "    bool last = atomicAdd(&arrived, 1) == gridDim.x - 1;\n";
    const std::string rest = "}\nvoid f(int* out) { k<<<1, 1>>>(out); }\n";
    CHECK(moved(head + rest, "state_kept_between_calls", 1).location.line == 4);
    CHECK(moved(head + "    if (last) arrived = 0;\n" + rest, "state_kept_between_calls", 1)
              .location.line == 1);
}

TEST_CASE("work in place is edited from the read to the store") {
    const std::string text =
        "__global__ void k(int* p) {\n    int v = p[2];\n    v++;\n    p[1] = v;\n}\n"
        "void f(int* out) { k<<<1, 1>>>(out); }\n";
    const Cause cause = moved(text, "in_place", 4, 2);
    CHECK(cause.location.line == 2);
    CHECK(cause.end_line == 4);
}

TEST_CASE("an access that is not coalesced leads to its index") {
    const std::vector<SourceFile> source{{"a.cu",
                                          "__global__ void k(int* p, int n) {\n"
                                          "    int in_block = threadIdx.x * 8 + threadIdx.y;\n"
                                          "    int i = blockIdx.x * 256 + in_block;\n"
                                          "    p[i] = 1;\n"
                                          "    int j = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                          "    p[j] = 1;\n"
                                          "    p[3 * j] = 1;\n"
                                          "    for (int q = j * n; q < n; ++q)\n"
                                          "        p[q] = 1;\n"
                                          "}\n"}};
    const auto line = [&](int access) { return index_of_access({"a.cu", access, 0}, source).line; };
    CHECK(line(4) == 2);
    CHECK(line(6) == 6);
    CHECK(line(7) == 7);
    CHECK(line(9) == 8);
}
