// Rules for edits (judging/edit_rules.hpp) of what the student's own classes and functions decide.
#include <utility>

#include "catch.hpp"
#include "judging/edit_rules.hpp"

using namespace cugrade;

namespace {

std::pair<std::string, int> moved(const std::string& text, const std::string& id, int line,
                                  int second = 0) {
    TaskSpec task;
    task.function = "f";
    const std::vector<SourceFile> source{{"a.cu", text}};
    Cause cause{.id = id, .proof = Proof::proven};
    cause.location = {"a.cu", line, 5};
    if (second > 0) cause.second = SourceLocation{"a.cu", second, 5};
    move_by_text(task, source, cause);
    return {cause.id, cause.location.line};
}

using Moved = std::pair<std::string, int>;

}  // namespace

TEST_CASE("a guard without a name gives its lock back at once") {
    const auto text = [](const std::string& made) {
        return "struct Guard {\n"
               "    __device__ Guard(int* l) : p(l) { while (atomicCAS(p, 0, 1)) {} }\n"
               "    __device__ ~Guard() { atomicExch(p, 0); }\n"
               "    int* p;\n"
               "};\n"
               "__global__ void k(int* lock, int* sum) {\n    " +
               made +
               "\n"
               "    sum[0] += 1;\n"
               "}\n"
               "void f(int* out) { k<<<1, 1>>>(out, out); }\n";
    };
    CHECK(moved(text("Guard{lock};"), "lock_not_held", 8) == Moved("lock_not_held", 7));
    CHECK(moved(text("Guard(lock);"), "lock_not_held", 8) == Moved("lock_not_held", 7));
    CHECK(moved(text("Guard held{lock};"), "lock_not_held", 8) == Moved("lock_not_held", 8));
}

TEST_CASE("what a function reads too early is read where it is called") {
    const std::string text =
        "__device__ int best(const int* p) {\n"
        "    return p[0];\n"
        "}\n"
        "__global__ void k(int* lock, int* p) {\n"
        "    const int seen = best(p);\n"
        "    take(lock);\n"
        "    p[0] = seen + 1;\n"
        "    atomicExch(lock, 0);\n"
        "}\n"
        "void f(int* out) { k<<<1, 1>>>(out, out); }\n";
    CHECK(moved(text, "lock_not_held", 2, 7).second == 5);
    // Called twice: nobody knows which.
    std::string twice = text;
    twice.replace(twice.find("take(lock);"), 11, "best(p);   ");
    CHECK(moved(twice, "lock_not_held", 2, 7).second == 2);
}

TEST_CASE("one of two locks is taken where a flag says so") {
    const std::string text =
        "__device__ bool take(int* l) { return atomicCAS(l, 0, 1) == 0; }\n"
        "__global__ void k(int* l, int from, int to) {\n"
        "    const int a = from % 8, b = to % 8;\n"
        "    const bool two = from != to;\n"
        "    while (!take(l + a)) {}\n"
        "    if (two && !take(l + b)) return;\n"
        "}\n"
        "void f(int* out) { k<<<1, 1>>>(out, 1, 2); }\n";
    CHECK(moved(text, "lock_taken_twice", 6).second == 4);
}

TEST_CASE("an address of the host is given where a helper that launches is called") {
    const std::string text =
        "template <class F> __global__ void k(int* p, F g) { p[0] = g(p[0]); }\n"
        "template <class F> void each(int* p, F g) {\n"
        "    k<<<1, 1>>>(p, g);\n"
        "}\n"
        "void f(int* out) {\n"
        "    int table[] = {1, 2};\n"
        "    each(out, Lookup{table});\n"
        "}\n";
    CHECK(moved(text, "host_pointer_in_kernel", 3).second == 7);
    CHECK(moved("__global__ void k(int* p) { p[0] = 1; }\n"
                "void f(int* out) {\n    k<<<1, 1>>>(table);\n}\n",
                "host_pointer_in_kernel", 3)
              .second == 3);
}

TEST_CASE("a sign is lost where a member has a type without one") {
    const std::string text =
        "struct Booking {\n"
        "    int account;\n"
        "    unsigned amount;\n"
        "};\n"
        "__global__ void k(int* v, long* sum) {\n"
        "    Booking b;\n"
        "    b.amount = v[0];\n"
        "    b.account = v[1];\n"
        "}\n"
        "void f(int* out) { k<<<1, 1>>>(out, out); }\n";
    CHECK(moved(text, "sign_lost", 7).second == 3);
    CHECK(moved(text, "sign_lost", 8).second == 8);
}

TEST_CASE("an index below zero is no product that is too large") {
    const auto text = [](const std::string& index) {
        return "__global__ void k(int* p, int r) {\n"
               "    const long long at = " +
               index +
               ";\n"
               "    p[at] = 1;\n"
               "}\n"
               "void f(int* out) { k<<<1, 1>>>(out, 2); }\n";
    };
    CHECK(moved(text("blockIdx.x * 256 - r"), "integer_overflow", 2).first == "unsigned_index");
    CHECK(moved(text("blockIdx.x * 256 + r"), "integer_overflow", 2).first == "integer_overflow");
    CHECK(moved(text("(int)blockIdx.x * r - r"), "integer_overflow", 2).first ==
          "integer_overflow");
}

TEST_CASE("a grid is too small where the structure with its size is made") {
    const std::string text =
        "__global__ void k(int* p) { p[0] = 1; }\n"
        "void f(int* out) {\n"
        "    const Shape shape = Shape::over(n);\n"
        "    int unused = 0;\n"
        "    k<<<shape.blocks, shape.threads>>>(out);\n"
        "}\n";
    CHECK(moved(text, "grid_too_small", 5).second == 3);
}

TEST_CASE("an index of row and column that is right in itself is asked in the other order") {
    const auto text = [](const std::string& formula, const std::string& asked) {
        return "struct Mask {\n"
               "    __device__ float operator()(int row, int column) const {\n"
               "        return p[" +
               formula +
               "];\n"
               "    }\n"
               "    float* p; int width;\n"
               "};\n"
               "__global__ void k(Mask mask, float* out) {\n"
               "    float sum = " +
               asked +
               ";\n"
               "    out[0] = sum;\n"
               "}\n"
               "void f(int* out) { k<<<1, 1>>>(Mask{out, 3}, out); }\n";
    };
    CHECK(moved(text("row * width + column", "mask(x, y)"), "transposed", 3).second == 8);
    CHECK(moved(text("column * width + row", "mask(y, x)"), "transposed", 3).second == 3);
    CHECK(moved(text("row * width + column", "mask(x, y) + mask(y, x)"), "transposed", 3).second ==
          8);
}

TEST_CASE("a quotient of two numbers that is 0") {
    const auto cause = [](const std::string& value) {
        TaskSpec task;
        task.function = "f";
        const std::string text = "void f(int width) {\n    const int radius = " + value + ";\n}\n";
        const std::vector<SourceFile> source{{"a.cu", text}};
        return divided_first(task, source);
    };
    REQUIRE(cause("width - 1 / 2"));
    CHECK(cause("width - 1 / 2")->id == "radius_wrong");
    CHECK(cause("width - 1 / 2")->location.line == 2);
    for (const char* right : {"(width - 1) / 2", "width / 2", "width + 2 / 1", "width - 1.0 / 2",
                              "-1 / 2 + width", "width - 2 / 2"})
        CHECK(!cause(right));
}

TEST_CASE("memory of an object without a name is freed with its statement") {
    const auto text = [](const std::string& made) {
        return "template <class T> class Array {\n"
               "public:\n"
               "    explicit Array(size_t n) { cudaMalloc(&p, n); }\n"
               "    ~Array() { cudaFree(p); }\n"
               "    T* p;\n"
               "};\n"
               "__global__ void k(int* p) { p[0] = 1; }\n"
               "void f(int* out) {\n    " +
               made +
               "\n    k<<<1, 1>>>(sums);\n"
               "}\n";
    };
    CHECK(moved(text("int* sums = Array<int>(n).get();"), "use_after_free", 4).second == 9);
    CHECK(moved(text("int* sums = scratch.get();"), "use_after_free", 4).second == 4);
}

TEST_CASE("a value that no branch sets where no condition holds") {
    const auto text = [](const std::string& declared, const std::string& rest) {
        return "__global__ void k(float* p, int ghost) {\n    " + declared +
               "\n"
               "    if (threadIdx.x < 3) {\n"
               "        v = p[0];\n"
               "    } else if (ghost != 0) {\n"
               "        v = p[1];\n"
               "    }" +
               rest +
               "\n"
               "    p[2] = v;\n"
               "}\n"
               "void f(float* out) { k<<<1, 1>>>(out, 1); }\n";
    };
    CHECK(moved(text("float v;", ""), "ghost_policy", 5) == Moved("uninitialised_variable", 2));
    CHECK(moved(text("float v = 0;", ""), "ghost_policy", 5).first == "ghost_policy");
    CHECK(moved(text("float v;", " else { v = 0; }"), "ghost_policy", 5).first == "ghost_policy");
}

TEST_CASE("a constant of a class, a member without a value, a parameter of a helper") {
    const auto text = [](const std::string& constant) {
        return "struct Max {\n    " + constant +
               "\n"
               "    __device__ float operator()(float a, float b) const { return a > b ? a : b; }\n"
               "};\n"
               "__global__ void k(float* p) { p[0] = Max()(p[0], p[1]); }\n"
               "void f(float* out) { k<<<1, 1>>>(out); }\n";
    };
    CHECK(moved(text("static constexpr float first = 0;"), "wrong_identity", 3).second == 2);
    CHECK(moved(text("static __device__ float first();"), "wrong_identity", 3).second == 3);

    const std::string widens =
        "__device__ void add(Word* to, unsigned int amount) {\n"
        "    atomicAdd(to, static_cast<Word>(amount));\n"
        "}\n"
        "template <class F> __device__ void each(F call, const int* p) {\n"
        "    call(p[0]);\n"
        "}\n"
        "__global__ void k(Word* to, const int* p) {\n"
        "    each([=](int v) { add(to, v); }, p);\n"
        "}\n"
        "void f(Word* out, const int* p) { k<<<1, 1>>>(out, p); }\n";
    CHECK(moved(widens, "sign_lost", 5).second == 1);
}

TEST_CASE("after a scan by shuffles the last lane has the total") {
    const auto text = [](const std::string& lane) {
        return "__device__ int scan(int x) {\n"
               "    for (int d = 1; d < 32; d *= 2) x += __shfl_up_sync(~0u, x, d);\n"
               "    return x;\n"
               "}\n"
               "__global__ void k(int* p) {\n"
               "    __shared__ int sums[32];\n"
               "    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n"
               "    const int x = scan(p[threadIdx.x]);\n"
               "    if (lane == " +
               lane +
               ") sums[warp] = x;\n"
               "    p[0] = sums[0];\n"
               "}\n"
               "void f(int* out) { k<<<1, 64>>>(out); }\n";
    };
    const auto likely = [&](const std::string& lane) {
        TaskSpec task;
        task.function = "f";
        const std::vector<SourceFile> source{{"a.cu", text(lane)}};
        Cause cause{.id = "blocks_not_combined", .proof = Proof::likely};
        cause.location = {"a.cu", 10, 5};
        move_by_text(task, source, cause);
        return Moved(cause.id, cause.location.line);
    };
    CHECK(likely("0") == Moved("wrong_element", 9));
    CHECK(likely("31").first == "blocks_not_combined");
}

TEST_CASE("a loop that counts a number without a sign down to 0") {
    const auto of = [](const std::string& type) {
        const std::string text = "__global__ void k(int* p, " + type +
                                 " n) {\n"
                                 "    for (" +
                                 type +
                                 " i = n; i >= 0; i--)\n"
                                 "        p[i] = 1;\n"
                                 "}\n"
                                 "void f(int* out) { k<<<1, 1>>>(out, 3); }\n";
        TaskSpec task;
        task.function = "f";
        const std::vector<SourceFile> source{{"a.cu", text}};
        Cause cause{.id = "missing_bounds_check"};
        cause.sentence = "Line 3 accesses memory before the start of `out`.";
        cause.location = {"a.cu", 3, 9};
        move_by_text(task, source, cause);
        return Moved(cause.id, cause.location.line);
    };
    CHECK(of("size_t") == Moved("unsigned_index", 2));
    CHECK(of("int") == Moved("missing_bounds_check", 3));
}
