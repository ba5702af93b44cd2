#include "judging/edit_rules.hpp"

#include <algorithm>

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
    CHECK(moved(head + rest, "state_kept_between_calls", 1).location.line == 3);
    CHECK(moved(head + rest, "state_kept_between_calls", 1).end_line == 4);
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

TEST_CASE("a first value comes from the function that returns it") {
    const std::string text =
        "struct Max {\n    __device__ static float neutral() { return FLT_MIN; }\n"
        "    __device__ float operator()(float a, float b) const { return a < b ? b : a; }\n};\n"
        "__global__ void k(float* p) {\n    float v = Max::neutral();\n    p[0] = Max()(v, "
        "p[1]);\n}\n"
        "void f(float* out) { k<<<1, 1>>>(out); }\n";
    CHECK(moved(text, "wrong_identity", 3).location.line == 2);
    CHECK(moved(text, "wrong_identity", 6).location.line == 2);
    // A value that depends on what it is asked for is none.
    const std::string computed =
        "__device__ float first(float a) { return a; }\n"
        "__global__ void k(float* p) {\n    float v = first(p[0]);\n    p[0] = v;\n}\n"
        "void f(float* out) { k<<<1, 1>>>(out); }\n";
    CHECK(moved(computed, "wrong_identity", 3).location.line == 3);
}

TEST_CASE("a first value comes from the function of the same structure") {
    const std::string text =
        "struct Plus {\n"
        "    __device__ static float neutral() { return 0; }\n"
        "    __device__ static float join(float a, float b) { return a + b; }\n"
        "};\n"
        "struct Max {\n"
        "    __device__ static float neutral() { return -FLT_MAX; }\n"
        "    __device__ static float join(float a, float b) { return a > b ? a : b; }\n"
        "};\n"
        "template <class Op> __global__ void k(float* out) { *out = Op::join(Op::neutral(), 1); }\n"
        "void f(float* out) { k<Max><<<1, 1>>>(out); }\n";
    CHECK(moved(text, "wrong_identity", 7).location.line == 6);
}

TEST_CASE("an element that nobody stores is left out where all are stored one place further on") {
    const std::string text =
        "__global__ void tiles(const int* in, int n, int* out, int* sums) {\n"
        "    int v = in[i];\n"
        "    if (threadIdx.x < 31) {\n"
        "        if (i + 1 < n)\n"
        "            out[i + 1] = v;\n"
        "    }\n"
        "    sums[blockIdx.x] = v;\n"
        "}\n"
        "__global__ void add(int* out, const int* sums) {\n"
        "    out[i] += sums[blockIdx.x];\n"
        "}\n"
        "void f(int* out) {\n"
        "    tiles<<<1, 32>>>(in, n, out, sums);\n"
        "    add<<<1, 32>>>(out, sums);\n"
        "}\n";
    const Cause cause = moved(text, "uninitialised_output", 14);
    CHECK(cause.location.line == 3);
    CHECK(cause.end_line == 5);
    REQUIRE(cause.second);
    CHECK(cause.second->line == 10);
    // Somebody stores the place that is left out.
    const std::string whole =
        std::string(text).replace(text.find("    sums["), 4, "    out[0] = 0; ");
    CHECK(moved(whole, "uninitialised_output", 14).location.line != 3);
}

TEST_CASE("a swap that is tried twice, or once, is no loop") {
    const std::string twice =
        "__device__ void add(unsigned* p, unsigned x) {\n    unsigned seen = *p;\n"
        "    unsigned found = atomicCAS(p, seen, seen + x);\n    if (found != seen) {\n"
        "        seen = found;\n        atomicCAS(p, seen, seen + x);\n    }\n}\n"
        "__global__ void k(unsigned* p) { add(p, 1); }\n"
        "void f(unsigned* out) { k<<<1, 1>>>(out); }\n";
    const Cause again = moved(twice, "no_retry", 6);
    CHECK(again.location.line == 4);
    CHECK(again.end_line == 6);
    CHECK(again.advice.find("line 4") != std::string::npos);
    // Where the pattern says that blocks are missing, and a swap outside of all loops loses them.
    const auto lost = [](const std::string& swap, const std::string& type) {
        TaskSpec task;
        task.function = "f";
        const std::string text = "__device__ " + type + " put(int* p, int x) {\n    " + swap +
                                 "\n}\n__global__ void k(int* p) {\n    put(p, 1);\n}\n"
                                 "void f(int* out) {\n    k<<<9, 1>>>(out);\n}\n";
        const std::vector<SourceFile> source{{"a.cu", text}};
        Cause cause{.id = "blocks_not_combined", .location = {"a.cu", 8, 0}};
        move_by_text(task, source, cause);
        return cause.id;
    };
    CHECK(lost("if (*p < x) atomicCAS(p, *p, x);", "void") == "no_retry");
    CHECK(lost("while (*p < x) atomicCAS(p, *p, x);", "void") == "blocks_not_combined");
    CHECK(lost("return atomicCAS(p, 0, 1) == 0;", "bool") == "blocks_not_combined");
}

TEST_CASE("a step, a size and a store lead to where their value is made") {
    const std::string text =
        "__global__ void k(float* p, int n) {\n    int i = threadIdx.x;\n"
        "    const int step = gridDim.x * blockDim.x * 4;\n    while (i < n) {\n"
        "        float run = p[i];\n        p[i] = run;\n        i += step;\n    }\n}\n"
        "void f(float* out) {\n    k<<<9, 32>>>(out, 5);\n}\n";
    const Cause step = moved(text, "wrong_stride", 7);
    CHECK(step.location.line == 3);
    CHECK(step.end_line == 7);
    const Cause store = moved(text, "inclusive_exclusive", 6);
    CHECK(store.location.line == 5);
    CHECK(store.end_line == 6);

    const auto size = [](const std::string& type, const std::string& bytes) {
        return moved("__global__ void k(float* p) {\n    extern __shared__ " + type +
                         " s[];\n    p[0] = s[threadIdx.x];\n}\n"
                         "size_t room(int n) {\n    return " +
                         bytes +
                         ";\n}\nvoid f(float* out) {\n    k<<<9, 32, room(32)>>>(out);\n}\n",
                     "size_in_elements", 9);
    };
    CHECK(size("unsigned char", "n").id == "array_too_small");
    CHECK(size("float", "n").id == "size_in_elements");
    CHECK(size("float", "n * sizeof(float)").id == "array_too_small");
    CHECK(size("float", "n").location.line == 6);
}

TEST_CASE("atomicInc begins again one count too late") {
    const auto counted = [](const std::string& largest) {
        return moved(
            "__device__ unsigned done;\n__global__ void k(float* p) {\n"
            "    unsigned ticket = atomicInc(&done, " +
                largest + ");\n    p[0] = ticket;\n}\nvoid f(float* out) { k<<<9, 1>>>(out); }\n",
            "state_kept_between_calls", 1);
    };
    CHECK(counted("gridDim.x").location.line == 3);
    CHECK(counted("gridDim.x").advice.find("gridDim.x - 1") != std::string::npos);
    CHECK(counted("gridDim.x + 5").location.line == 3);
    CHECK(counted("gridDim.x + 5").end_line == 5);
}

TEST_CASE("the host waits for what it reads") {
    const auto read = [](const std::string& wait) {
        return moved(
            "__global__ void k(float* p) { p[0] = 1; }\nvoid f(float* out) {\n"
            "    k<<<1, 1, 0, s>>>(out);\n"
            "    cudaMemcpyAsync(h, out, 4, cudaMemcpyDeviceToHost, s);\n" +
                wait + "    float x = h[0];\n}\n",
            "stream_not_waited_for", 3);
    };
    CHECK(read("").location.line == 4);
    CHECK(read("").end_line == 5);
    CHECK(read("    cudaStreamSynchronize(s);\n").location.line == 3);
}

TEST_CASE("threads leave in the caller of a function with a barrier") {
    const std::string text =
        "__device__ float all(float x) {\n    __syncthreads();\n    return x;\n}\n"
        "__global__ void k(float* p, int n) {\n    for (int i = threadIdx.x; i < n; i += 32)\n"
        "        p[i] = all(p[i]);\n}\nvoid f(float* out) { k<<<1, 32>>>(out, 5); }\n";
    TaskSpec task;
    task.function = "f";
    const std::vector<SourceFile> source{{"a.cu", text}};
    Cause cause{.id = "divergent_barrier", .location = {"a.cu", 2, 0}};
    cause.second = SourceLocation{"a.cu", 6, 0};
    move_by_text(task, source, cause);
    CHECK(cause.location.line == 6);
    CHECK(cause.second->line == 2);
}

TEST_CASE("what goes behind a line goes in front of the next one") {
    const std::string text =
        "__global__ void k(float* p) {\n    p[0] = 1;\n\n    // and\n    p[1] = p[0];\n}\n"
        "void f(float* out) { k<<<1, 1>>>(out); }\n";
    TaskSpec task;
    task.function = "f";
    const std::vector<SourceFile> source{{"a.cu", text}};
    Cause cause{.id = "missing_barrier", .location = {"a.cu", 2, 0}, .proof = Proof::proven};
    cause.advice = "Put __syncthreads() after line 2, where all threads of the block come by.";
    move_by_text(task, source, cause);
    CHECK(cause.end_line == 5);
}

TEST_CASE("a tree that ends too early is a loop that halves") {
    const auto placed = [](const std::string& body, const std::string& id) {
        TaskSpec task;
        task.function = "f";
        const std::vector<SourceFile> source{
            {"a.cu", "__global__ void k(float* p) {\n    float v = p[0];\n" + body +
                         "    p[0] = v;\n}\nvoid f(float* out) { k<<<1, 32>>>(out); }\n"}};
        Cause cause{.id = id, .sentence = "those that are whose index is a multiple of 2"};
        move_by_text(task, source, cause);
        return std::pair(cause.id, cause.location.line);
    };
    const std::string tree = "    for (int d = 16; d > 1; d /= 2)\n        v += shfl(v, d);\n";
    CHECK(placed(tree, "elements_ignored") == std::pair<std::string, int>("tree_level_missing", 3));
    const std::string loop = "    for (int k = 0; k < 3; ++k)\n        v += p[k];\n";
    CHECK(placed(loop, "tree_level_missing") == std::pair<std::string, int>("elements_ignored", 3));
}

TEST_CASE("a wide access is not aligned because of what a caller adds") {
    const std::string text =
        "__global__ void k(const float* in, size_t i) {\n"
        "    float4 v = *reinterpret_cast<const float4*>(in + i);\n}\n"
        "void levels(const float* in, size_t n, float* room) {\n    float* sums = room;\n"
        "    k<<<1, 1>>>(in, n);\n    levels(sums, n, sums + n);\n}\n"
        "void f(float* out) {\n    levels(out, 9, out);\n}\n";
    CHECK(moved(text, "misaligned", 2).location.line == 7);
    // What the access itself adds is the reason.
    const std::string own =
        "__global__ void k(const float* in) {\n"
        "    float4 v = *reinterpret_cast<const float4*>(in + 1);\n}\n"
        "void f(float* out) {\n    k<<<1, 1>>>(out + n);\n}\n";
    CHECK(moved(own, "misaligned", 2).location.line == 2);
}

TEST_CASE("a limit off by one in a loop that doubles is a level") {
    const auto told = [](const std::string& step) {
        TaskSpec task;
        task.function = "f";
        const std::vector<SourceFile> source{
            {"a.cu",
             "__global__ void k(float* p) {\n    for (int d = 1; d < 16; " + step +
                 ")\n        p[d] += p[0];\n}\nvoid f(float* out) { k<<<1, 32>>>(out); }\n"}};
        Cause cause{.id = "wrong_element", .location = {"a.cu", 2, 5}, .proof = Proof::proven};
        cause.sentence = "The comparison in line 2 is off by one.";
        move_by_text(task, source, cause);
        return cause.id;
    };
    CHECK(told("d *= 2") == "tree_level_missing");
    CHECK(told("d <<= 1") == "tree_level_missing");
    CHECK(told("++d") == "wrong_element");
}

TEST_CASE("numbers of a launch, operands and parameters are edited where they are made") {
    const std::string text =
        "__device__ void book(long* p, unsigned amount) { p[0] += amount; }\n"
        "__global__ void k(long* p, int x) {\n    const int y = x;\n    p[1] = y * y;\n"
        "    book(p, x);\n}\n"
        "void f(float* out) {\n    const int tile = 16;\n    int side = tile + 9;\n"
        "    dim3 block(side, side);\n    k<<<9, block, side * 4>>>(out, 5);\n}\n";
    const Cause launch = moved(text, "launch_refused", 11);
    CHECK(launch.location.line == 8);
    CHECK(launch.end_line == 11);
    const Cause product = moved(text, "integer_overflow", 4);
    CHECK(product.location.line == 3);
    CHECK(product.end_line == 4);
    CHECK(moved(text, "sign_lost", 5).location.line == 1);
    CHECK(moved(text, "sign_lost", 4).location.line == 4);
}

TEST_CASE("a section's length that a function rounds is the reason of a pointer") {
    const std::string text =
        "__global__ void k(const float* in, size_t len) {\n    size_t from = blockIdx.x * len;\n"
        "    const float4* wide = (const float4*)(in + from);\n}\n"
        "size_t length(size_t n) { return n / 9; }\n"
        "void f(float* out) {\n    k<<<9, 1>>>(out, length(100));\n}\n";
    CHECK(moved(text, "misaligned", 3).location.line == 5);
}

TEST_CASE("a barrier stands where all threads come by as often") {
    const auto told = [](const std::string& body, int line) {
        TaskSpec task;
        task.function = "f";
        const std::vector<SourceFile> source{
            {"a.cu",
             "__global__ void k(int* p, int n) {\n    __shared__ int s[64];\n" + body +
                 "    p[0] = s[threadIdx.x];\n}\nvoid f(int* out) { k<<<1, 32>>>(out, 5); }\n"}};
        Cause cause{.id = "missing_barrier", .location = {"a.cu", line, 5}, .proof = Proof::proven};
        cause.advice = "Put __syncthreads() after line " + std::to_string(line) +
                       ", where all threads of the block come by.";
        move_by_text(task, source, cause);
        return cause;
    };
    // Threads leave the loop after different numbers of rounds.
    const Cause strided =
        told("    for (int i = threadIdx.x; i < n; i += 32) {\n        s[i] = 1;\n    }\n", 4);
    CHECK(strided.location.line == 5);
    CHECK(strided.end_line == 6);
    CHECK(strided.advice.find("after line 5,") != std::string::npos);
    // It only reads what is stored elsewhere.
    CHECK(told("    for (int w = 0; w < 2; ++w) {\n        p[1] += s[w];\n    }\n", 4)
              .location.line == 5);
    // Rounds of a tree wait for each other.
    CHECK(told("    for (int d = 16; d > 0; d /= 2) {\n        s[1] += s[d];\n    }\n", 4)
              .location.line == 4);
    // One statement that reads what others overwrite.
    const Cause shifted = told("    s[threadIdx.x] = s[threadIdx.x + 1];\n", 3);
    CHECK(shifted.id == "in_place");
    CHECK(shifted.advice.find("two steps") != std::string::npos);
    CHECK(told("    s[threadIdx.x] = p[threadIdx.x];\n", 3).id == "missing_barrier");
}

TEST_CASE("a barrier between two rounds stands at the end of the loop") {
    const auto told = [](const std::string& in_front, Cause cause) {
        TaskSpec task;
        task.function = "f";
        const std::vector<SourceFile> source{
            {"a.cu",
             "__global__ void k(int* p, int n) { __shared__ int s[64];" + in_front +
                 "\n    for (int low = 0; low < n; low += 64) {\n        int width = n - low;\n"
                 "        s[threadIdx.x] = low;\n        __syncthreads();\n"
                 "        for (int b = 0; b < width; b += 32) {\n            p[b] = s[b];\n"
                 "        }\n    }\n}\nvoid f(int* out) { k<<<1, 32>>>(out, 5); }\n"}};
        move_by_text(task, source, cause);
        return cause;
    };
    Cause seen{.id = "missing_barrier", .location = {"a.cu", 4, 0}};
    seen.second = SourceLocation{"a.cu", 7, 0};
    seen = told("", seen);
    CHECK(seen.location.line == 8);
    CHECK(seen.end_line == 9);
    CHECK(seen.advice.find("after line 8,") != std::string::npos);
    // It helps at the begin of a round, too; one writes it at the end.
    Cause proven{.id = "missing_barrier", .location = {"a.cu", 3, 0}, .proof = Proof::proven};
    proven.advice = "Put __syncthreads() after line 3, where all threads of the block come by.";
    CHECK(told("", proven).location.line == 8);
    // There it keeps the first round behind what is in front of the loop.
    CHECK(told(" s[threadIdx.x + 1] = 0;", proven).location.line == 3);
}

TEST_CASE("of two barriers the one below a condition on threads is moved") {
    const std::string text =
        "__global__ void k(int* p) {\n    __syncthreads();\n    if (threadIdx.x == 0) {\n"
        "        __syncthreads();\n    }\n}\nvoid f(int* out) { k<<<1, 32>>>(out); }\n";
    TaskSpec task;
    task.function = "f";
    const std::vector<SourceFile> source{{"a.cu", text}};
    Cause cause{.id = "divergent_barrier", .location = {"a.cu", 2, 0}};
    cause.second = SourceLocation{"a.cu", 4, 0};
    move_by_text(task, source, cause);
    CHECK(cause.location.line == 4);
    CHECK(cause.second->line == 2);
}

namespace {

/// What becomes of a cause in a file of one function `f(in, n, out)` and its kernels.
Cause moved_in(const std::string& text, Cause cause) {
    TaskSpec task;
    task.function = "f";
    task.arguments = {{.name = "in", .dtype = DType::i32, .role = Role::input, .shape = {"n"}},
                      {.name = "n", .dtype = DType::u64, .role = Role::scalar, .shape = {}},
                      {.name = "out", .dtype = DType::i32, .role = Role::output, .shape = {"n"}}};
    const std::vector<SourceFile> source{{"a.cu", text}};
    if (cause.location.line > 0) cause.location.file = "a.cu";
    move_by_text(task, source, cause);
    return cause;
}

}  // namespace

TEST_CASE("a mask that is a parameter is named by the call") {
    const std::string text =
        "__device__ int top(int v, unsigned mask) {\n    return __shfl_down_sync(mask, v, 1);\n}\n"
        "__global__ void k(int* p) {\n    int v = top(p[0], 0xffffffff);\n"
        "    if (threadIdx.x < 8) {\n        v = top(v, 0xffffffff);\n    }\n    p[0] = v;\n}\n"
        "void f(const int* in, size_t n, int* out) { k<<<1, 32>>>(out); }\n";
    CHECK(moved_in(text, {.id = "wrong_shuffle_mask", .location = {"", 1, 0}}).location.line == 7);
    // Who is told by a vote is told rightly.
    std::string told = text;
    told.replace(told.rfind("0xffffffff"), 10, "__activemask()");
    CHECK(moved_in(told, {.id = "wrong_shuffle_mask", .location = {"", 1, 0}}).location.line == 1);
}

TEST_CASE("a lock is set where what is beside it is set") {
    const std::string text =
        "struct Lock {\n    unsigned next;\n    unsigned serving;\n};\n"
        "__global__ void reset(Lock* lock) { lock->next = 0; }\n"
        "__global__ void k(Lock* lock) {\n    unsigned mine = atomicAdd(&lock->next, 1u);\n"
        "    while (atomicAdd(&lock->serving, 0u) != mine) {\n    }\n}\n"
        "void f(const int* in, size_t n, int* out) {\n    reset<<<1, 1>>>(at);\n"
        "    k<<<1, 1>>>(at);\n}\n";
    const Cause cause = moved_in(
        text, {.id = "uninitialised_variable", .location = {"", 8, 0}, .proof = Proof::proven});
    CHECK(cause.id == "lock_not_initialised");
    CHECK(cause.location.line == 5);
    // A line that waits for nothing reads a variable.
    CHECK(moved_in(text,
                   {.id = "uninitialised_variable", .location = {"", 7, 0}, .proof = Proof::proven})
              .id == "uninitialised_variable");
}

TEST_CASE("lanes give their locks back in the loop that takes them") {
    const std::string text =
        "__device__ void give(int* l) { atomicExch(l, 0); }\n"
        "__global__ void k(int* l) {\n    bool waits = true;\n    while (__any_sync(~0u, waits)) "
        "{\n"
        "        if (waits && atomicCAS(l, 0, 1) == 0) {\n            waits = false;\n        }\n"
        "    }\n    give(l);\n}\nvoid f(const int* in, size_t n, int* out) { k<<<1, 32>>>(out); "
        "}\n";
    const Cause cause = moved_in(text, {.id = "lock_per_lane", .location = {"", 4, 0}});
    CHECK(cause.location.line == 6);
    CHECK(cause.end_line == 9);
}

TEST_CASE("a tree that is written out lacks a step") {
    const std::string text =
        "__global__ void k(int* s, int t) {\n    s[t] += s[t + 64];\n    __syncthreads();\n"
        "    s[t] += s[t + 16];\n    s[t] += s[t + 8];\n}\n"
        "void f(const int* in, size_t n, int* out) { k<<<1, 64>>>(out, 1); }\n";
    const Cause cause = moved_in(text, {.id = "tree_level_missing"});
    CHECK(cause.location.line == 2);
    CHECK(cause.end_line == 4);
    CHECK(cause.sentence.find("the step of 32 is missing") != std::string::npos);
}

TEST_CASE("one block takes one element per thread") {
    const auto told = [](const std::string& launches) {
        return moved_in(
            "__global__ void k(int* p, int count) {\n    int x = 0;\n"
            "    if (threadIdx.x < count) x = p[threadIdx.x];\n    p[0] = x;\n}\n"
            "void f(const int* in, size_t n, int* out) {\n" +
                launches + "}\n",
            {.id = "elements_ignored"});
    };
    // The kernel is for one block alone: it lacks a loop.
    CHECK(told("    k<<<1, 256>>>(out, n);\n").location.line == 3);
    // It is right with more.
    const Cause of_launch = told("    k<<<n / 256, 256>>>(out, n);\n    k<<<1, 256>>>(out, n);\n");
    CHECK(of_launch.location.line == 8);
    CHECK(of_launch.sentence.find("one block of `k`") != std::string::npos);
}

TEST_CASE("a kernel's reference is an address of the host") {
    const std::string text =
        "struct Curve { float c; };\n__global__ void k(const Curve& curve, int* p) {}\n"
        "void f(const int* in, size_t n, int* out) {\n    k<<<1, 32>>>(Curve{1}, out);\n}\n";
    const Cause cause = moved_in(text, {.id = "host_pointer_in_kernel", .location = {"", 4, 0}});
    CHECK(cause.location.line == 2);
    CHECK(cause.advice.find("by value") != std::string::npos);
}

TEST_CASE("a part of an array is stored under a condition, or by another function") {
    const std::string text =
        "struct Tile {\n    int* cell;\n    __device__ void load(int p, bool there) {\n"
        "        if (there) cell[p] = 1;\n    }\n"
        "    __device__ int at(int p) { return cell[p]; }\n};\n"
        "void f(const int* in, size_t n, int* out) {}\n";
    CHECK(moved_in(text, {.id = "uninitialised_shared", .location = {"", 6, 0}}).location.line ==
          4);
    std::string all = text;
    all.replace(all.find("if (there) "), 11, "");
    const Cause part = moved_in(all, {.id = "uninitialised_shared", .location = {"", 6, 0}});
    CHECK(part.location.line == 4);
    CHECK(part.advice.find("sets only a part of `cell`") != std::string::npos);
}

TEST_CASE("the halo lacks what lies outside, or what a fixed number of rounds leaves") {
    const std::string outside =
        "__global__ void k(int* tile, int* in, int y) {\n    for (int c = 0; c < y; ++c) {\n"
        "        if (y >= 0 && c >= 0) tile[c] = in[c];\n    }\n}\n"
        "void f(const int* in, size_t n, int* out) { k<<<1, 32>>>(out, out, 1); }\n";
    const Cause cause = moved_in(outside, {.id = "halo_missing", .location = {"", 2, 0}});
    CHECK(cause.id == "uninitialised_shared");
    CHECK(cause.location.line == 3);
    const std::string rounds =
        "__global__ void k(int* tile, int* in) {\n    for (int b = 0; b < 2; ++b) {\n"
        "        int at = b;\n        tile[at] = in[at];\n    }\n}\n"
        "void f(const int* in, size_t n, int* out) { k<<<1, 32>>>(out, out); }\n";
    const Cause batches = moved_in(rounds, {.id = "halo_missing", .location = {"", 4, 0}});
    CHECK(batches.location.line == 2);
    CHECK(batches.end_line == 4);
}

TEST_CASE("a number that is halved is made on the host") {
    const std::string text =
        "__global__ void k(int* p, unsigned copies) {\n"
        "    for (unsigned h = copies / 2; h > 0; h /= 2) p[h] = 0;\n}\n"
        "void f(const int* in, size_t n, int* out) {\n    unsigned fit = n / 7;\n"
        "    k<<<1, 32>>>(out, fit);\n}\n";
    const Cause cause =
        moved_in(text, {.id = "not_a_power_of_two",
                        .location = {"", 2, 0},
                        .sentence = "Line 2 halves a number that is odd: one part is left over."});
    CHECK(cause.location.line == 5);
    CHECK(cause.second->line == 2);
}

TEST_CASE("groups are counted, and the number is used as an index") {
    const std::string text =
        "__global__ void k(const int* in, size_t n, int* p) {\n    size_t groups = n / 16;\n"
        "    for (size_t i = 0; i < groups; ++i) p[0] += in[16 * i];\n"
        "    p[0] += in[groups + threadIdx.x];\n}\n"
        "void f(const int* in, size_t n, int* out) { k<<<1, 32>>>(in, n, out); }\n";
    const std::string said = "and has those from index 6 on twice: 6 is the number of groups of 16";
    CHECK(moved_in(text, {.id = "wrong_element", .sentence = said}).location.line == 4);
}

TEST_CASE("a sum is kept in the type of the elements") {
    const std::string text =
        "template <typename In, typename Acc>\n__device__ Acc total(Acc a) {\n"
        "    __shared__ In of_warp[8];\n    of_warp[threadIdx.x / 32] = a;\n"
        "    return of_warp[0];\n}\n"
        "__global__ void k(int* p) { p[0] = total<int, long long>(p[0]); }\n"
        "void f(const int* in, size_t n, int* out) { k<<<1, 32>>>(out); }\n";
    const Cause cause = moved_in(text, {.id = "integer_overflow"});
    CHECK(cause.id == "accumulator_too_narrow");
    CHECK(cause.location.line == 3);
    const std::string deduced =
        "template <typename T>\n__device__ T total(T a) { return a; }\n"
        "__global__ void k(int* p) {\n    long long sum = total(p[0]);\n    p[0] = sum;\n}\n"
        "void f(const int* in, size_t n, int* out) { k<<<1, 32>>>(out); }\n";
    CHECK(moved_in(deduced, {.id = "integer_overflow"}).location.line == 4);
}

TEST_CASE("a launch by a structure leads to where that is filled") {
    const std::string text =
        "struct Shape { unsigned blocks, threads; };\nShape shape_for(size_t n) {\n"
        "    Shape s = {256, n / 256};\n    return s;\n}\n__global__ void k(int* p) {}\n"
        "void f(const int* in, size_t n, int* out) {\n    Shape s = shape_for(n);\n"
        "    k<<<s.blocks, s.threads>>>(out);\n}\n";
    CHECK(moved_in(text, {.id = "launch_swapped", .location = {"", 9, 0}}).location.line == 3);
}

TEST_CASE("what the device is asked for decides whether a launch fits") {
    const std::string text =
        "__global__ void k(int* p) {}\nvoid f(const int* in, size_t n, int* out) {\n"
        "    int room = 0;\n    cudaDeviceGetAttribute(&room, which, 0);\n"
        "    if (n <= room)\n        k<<<1, 32, n>>>(out);\n}\n";
    const Cause cause = moved_in(text, {.id = "launch_refused", .location = {"", 5, 0}});
    CHECK(cause.location.line == 4);
    CHECK(cause.end_line == 5);
}

TEST_CASE("a part of a lock is set") {
    const auto told = [](const std::string& wait) {
        return moved_in(
                   "struct Lock { unsigned next, serving; };\n__global__ void k(Lock* l) {\n" +
                       wait +
                       "\n}\nvoid f(const int* in, size_t n, int* out) {\n"
                       "    cudaMemset(lock, 0, sizeof(unsigned));\n    k<<<1, 1>>>(lock);\n}\n",
                   {.id = "size_in_elements", .location = {"", 6, 0}})
            .id;
    };
    CHECK(told("    while (atomicAdd(&l->serving, 0) != 1) {}") == "lock_not_initialised");
    CHECK(told("    l->next = 0;") == "size_in_elements");
}

TEST_CASE("how many locks are needed, and in which order") {
    const std::string text =
        "__global__ void k(int* locks, unsigned f, unsigned t) {\n    unsigned a = f, b = t;\n"
        "    if (f > t) { a = t; b = f; }\n    const int needed = 2;\n    int held = 0;\n"
        "    while (held < needed && take(locks + held)) ++held;\n    take(locks + a);\n"
        "    take(locks + b);\n}\nvoid f(const int* in, size_t n, int* out) { k<<<1, 1>>>(out, 1, "
        "2); }\n";
    const Cause twice = moved_in(text, {.id = "lock_taken_twice", .location = {"", 6, 0}});
    CHECK(twice.location.line == 4);
    CHECK(twice.end_line == 6);
    const Cause order = moved_in(text, {.id = "lock_order", .location = {"", 8, 0}});
    CHECK(order.location.line == 3);
    CHECK(order.end_line == 8);
}

TEST_CASE("comparisons with a block that there is not, and with a count that is too large") {
    const std::string block =
        "__global__ void k(int* p) {\n    if (blockIdx.x == gridDim.x && threadIdx.x < 3) p[0] = "
        "1;\n"
        "    if (blockIdx.x == gridDim.x - 1) p[1] = 1;\n}\n"
        "void f(const int* in, size_t n, int* out) { k<<<1, 1>>>(out); }\n";
    CHECK(moved_in(block, {.id = "wrong_element", .location = {"", 2, 0}}).id == "tail_ignored");
    CHECK(moved_in(block, {.id = "wrong_element", .location = {"", 3, 0}}).id == "wrong_element");
    const std::string rounds =
        "#define ROUNDS 256\n__global__ void k(unsigned char* count) {\n    int r = 0;\n"
        "    for (int i = 0; i < 999; ++i)\n        if (++r == ROUNDS) count[0] = 0;\n}\n"
        "void f(const int* in, size_t n, int* out) { k<<<1, 1>>>(out); }\n";
    const Cause late =
        moved_in(rounds, {.id = "wrong_element", .location = {"", 5, 0}, .proof = Proof::proven});
    CHECK(late.id == "counter_too_narrow");
    CHECK(late.location.line == 1);
}

TEST_CASE("a lane waits at a warp's call, and the others at a barrier") {
    const std::string text =
        "__global__ void k(int* p) {\n    if (threadIdx.x < 9)\n"
        "        p[0] = __match_any_sync(~0u, p[1]);\n    __syncthreads();\n}\n"
        "void f(const int* in, size_t n, int* out) { k<<<1, 32>>>(out); }\n";
    Cause cause{.id = "divergent_barrier", .location = {"", 4, 0}};
    cause.instance =
        "31 threads wait at the barrier in line 4 of a.cu; 1 threads wait at `match` in line 3 of "
        "a.cu";
    CHECK(moved_in(text, cause).id == "wrong_shuffle_mask");
    CHECK(moved_in(text, cause).location.line == 3);
}

TEST_CASE("what is right up to a size") {
    const auto found = [](const std::string& text) {
        TaskSpec task;
        task.function = "f";
        const std::vector<SourceFile> source{{"a.cu", text}};
        return wrong_from_a_size_on(task, source);
    };
    const std::string host = "void f(int* out) { k<<<1, 32>>>(out); }\n";
    const auto product = found(
        "__device__ size_t begin(unsigned n, unsigned part) {\n"
        "    return n * part / 9;\n}\n"
        "__global__ void k(int* p) { p[begin(1, 2)] = 1; }\n" +
        host);
    REQUIRE(product);
    CHECK(product->id == "integer_overflow");
    CHECK(product->location.line == 2);
    CHECK(!found("__global__ void k(int* p) { p[0] = 1; }\n" + host));
}

TEST_CASE("an atomic function that there is") {
    const auto told = [](const std::string& type) {
        TaskSpec task;
        task.function = "f";
        const std::vector<SourceFile> source{
            {"a.cu", "__global__ void k(" + type +
                         "* p) {\n    p[0] += 1;\n}\n"
                         "void f(int* out) { k<<<1, 32>>>(out); }\n"}};
        Cause cause{.id = "missing_atomic", .location = {"a.cu", 2, 5}, .proof = Proof::proven};
        cause.advice = "Use `atomicAdd` in line 2: it does all three in one step.";
        move_by_text(task, source, cause);
        return cause.advice.find("unsigned long long") != std::string::npos;
    };
    CHECK(told("long long"));
    CHECK(told("std::int64_t"));
    CHECK_FALSE(told("unsigned long long"));
    CHECK_FALSE(told("int"));
}

TEST_CASE("a source that is cut off anywhere keeps its rules within its text") {
    const std::string text =
        "__device__ unsigned done;\nstruct Max { static float first() { return -1; } };\n"
        "__device__ void add(long long* p, unsigned x) {\n"
        "    if (atomicCAS(p, 0, x) != 0) atomicCAS(p, 1, x);\n}\n"
        "__global__ void k(const float* in, float* out, size_t n) {\n"
        "    extern __shared__ unsigned char s[];\n    const size_t step = gridDim.x * "
        "blockDim.x;\n"
        "    unsigned all = __ballot_sync(0xffffffff, 1), last = atomicInc(&done, gridDim.x);\n"
        "    for (size_t i = threadIdx.x; i < n; i += step) {\n        s[i] = s[i + 1];\n"
        "        float4 v = *reinterpret_cast<const float4*>(in + i); out[2 * i + 1] += v.x * "
        "v.y;\n    }\n"
        "    for (int d = 16; d > 1; d /= 2) out[0] += __shfl_down_sync(all, out[1], d);\n}\n"
        "size_t room(size_t n) { return n / 4; }\nvoid f(float* out) {\n    const int side = 4;\n"
        "    dim3 block(side, side);\n    cudaMemcpyAsync(h, out, 4, cudaMemcpyDeviceToHost, s1);\n"
        "    h[0] = 1;\n    k<<<side, block, room(side), s1>>>(out + 1, out, side);\n}\n";
    const auto lines = static_cast<int>(std::ranges::count(text, '\n'));
    const char* const ids[] = {"array_too_small",
                               "blocks_not_combined",
                               "divergent_barrier",
                               "elements_ignored",
                               "halo_missing",
                               "inclusive_exclusive",
                               "integer_overflow",
                               "launch_refused",
                               "misaligned",
                               "missing_atomic",
                               "missing_barrier",
                               "no_retry",
                               "sign_lost",
                               "size_in_elements",
                               "stream_not_waited_for",
                               "tree_level_missing",
                               "uninitialised_shared",
                               "wrong_element",
                               "wrong_identity",
                               "wrong_shuffle_mask",
                               "wrong_stride",
                               "state_kept_between_calls"};
    TaskSpec task;
    task.function = "f";
    int within = 0, all = 0;
    for (std::size_t size = 0; size <= text.size(); size += 7) {
        const std::vector<SourceFile> source{{"a.cu", text.substr(0, size)}};
        for (const char* const id : ids)
            for (int line = 0; line <= lines; line += 3) {
                Cause cause{.id = id, .location = {line > 0 ? "a.cu" : "", line, 5}};
                cause.proof = line % 2 == 0 ? Proof::proven : Proof::likely;
                cause.sentence = "The comparison is off.";
                cause.advice = "Use `atomicAdd` after line " + std::to_string(line) + ", there.";
                cause.second = SourceLocation{"a.cu", lines - line, 0};
                move_by_text(task, source, cause);
                within += cause.location.line >= 0 && cause.location.line <= lines + 1 ? 1 : 0;
                ++all;
            }
    }
    CHECK(within == all);
}

TEST_CASE("a byte with a sign leads to the type that has it") {
    const std::string text =
        "__global__ void k(const unsigned char* in, int* out) {\n"
        "    const char4* in4 = (const char4*)in;\n"
        "    auto q = in4[threadIdx.x];\n"
        "    atomicAdd(&out[q.x], 1);\n"
        "}\n"
        "void f(int* out) { k<<<1, 1>>>(in, out); }\n";
    CHECK(moved(text, "signed_byte", 4).location.line == 2);
    CHECK(moved(text, "signed_byte", 2).location.line == 2);
}

TEST_CASE("a sign that is lost leads to the parameter without one") {
    const std::string text =
        "__device__ long cube(int a,\n"
        "                     unsigned x) {\n"
        "    const unsigned long wide = x;\n"
        "    return wide * a;\n"
        "}\n"
        "__global__ void k(int* out) { out[0] = cube(1, out[1]); }\n"
        "void f(int* out) { k<<<1, 1>>>(out); }\n";
    CHECK(moved(text, "sign_lost", 3).location.line == 2);
    CHECK(moved(text, "sign_lost", 6).location.line == 2);
    CHECK(moved(text, "sign_lost", 4).location.line == 4);
}

TEST_CASE("what is left out behind a limit that is rounded down") {
    const std::string text =
        "__global__ void k(int* out, size_t groups, size_t up) {\n"
        "    if (threadIdx.x < groups) out[0] = 1;\n"
        "    if (threadIdx.x < up) out[0] = 1;\n"
        "}\n"
        "void f(int* out) {\n"
        "    size_t groups = n / 4;\n"
        "    size_t up = (n + 3) / 4;\n"
        "    k<<<1, 1>>>(out, groups, up);\n"
        "    for (size_t p = 0; p < groups; ++p)\n"
        "        k<<<1, 1>>>(out, groups, up);\n"
        "}\n";
    CHECK(moved(text, "tail_ignored", 2).location.line == 6);
    CHECK(moved(text, "tail_ignored", 3).location.line == 3);
    CHECK(moved(text, "tail_ignored", 9).location.line == 6);
}

TEST_CASE("a loop that begins at one axis of the block and steps by the other one") {
    const std::string head = "__global__ void k(int* out) {\n    __shared__ int tile[9][9];\n";
    const std::string rest =
        "        for (int x = threadIdx.x; x < 9; x += blockDim.x)\n"
        "            tile[y][x] = 0;\n"
        "}\n"
        "void f(int* out) { k<<<1, dim3(3, 2)>>>(out); }\n";
    TaskSpec task;
    task.function = "f";
    const auto likely = [&](const std::string& text) {
        const std::vector<SourceFile> source{{"a.cu", text}};
        Cause cause{.id = "halo_missing"};
        cause.location = {"a.cu", 5, 1};
        move_by_text(task, source, cause);
        return cause;
    };
    const Cause wrong =
        likely(head + "    for (int y = threadIdx.y; y < 9; y += blockDim.x)\n" + rest);
    CHECK(wrong.id == "wrong_stride");
    CHECK(wrong.location.line == 3);
    CHECK(likely(head + "    for (int y = threadIdx.y; y < 9; y += blockDim.y)\n" + rest).id ==
          "halo_missing");
}
