#include "judging/slips.hpp"

#include "catch.hpp"

using namespace cugrade;

namespace {

TaskSpec task_of(DType dtype) {
    TaskSpec task;
    task.function = "f";
    ArgumentSpec input, output;
    input.name = "in";
    input.role = Role::input;
    input.dtype = dtype;
    output.name = "out";
    output.role = Role::output;
    output.dtype = dtype;
    task.arguments = {input, output};
    return task;
}

/// "id:line" of what is told of a kernel's text, which begins in line 1; empty: nothing.
std::string told(const std::optional<Cause>& cause) {
    return cause ? cause->id + ":" + std::to_string(cause->location.line) : std::string();
}

/// A task whose function, in the last line, launches `k`.
std::vector<SourceFile> source_of(const std::string& kernel,
                                  const std::string& launch = "k<<<n, 256>>>(in, n, out);") {
    return {{"a.cu", kernel + "\nvoid f(const float* in, int n, float* out) { " + launch + " }\n"}};
}

std::string plain(const std::string& kernel, DType dtype = DType::f32) {
    const TaskOutcome outcome;
    return told(plain_slip(task_of(dtype), source_of(kernel), Symptoms(outcome)));
}
std::string possible(const std::string& kernel, DType dtype = DType::f32) {
    return told(possible_slip(task_of(dtype), source_of(kernel)));
}

/// Into a kernel of its own.
std::string in_kernel(const std::string& body) {
    return "__global__ void k(const float* in, int n, float* out) {\n" + body + "}";
}

}  // namespace

TEST_CASE("a sum without a first value is a slip, unless it is set before") {
    CHECK(plain(in_kernel("float sum;\nsum += in[0];\n")) == "uninitialised_variable:2");
    CHECK(plain(in_kernel("float sum;\nsum = 0;\nsum += in[0];\n")).empty());
}

TEST_CASE("integers that are given fractions are slips") {
    CHECK(plain(in_kernel("int sum = 0;\nsum += in[0];\n")) == "accumulator_too_narrow:2");
    CHECK(plain(in_kernel("int count = 0;\ncount += in[0] > 1;\n")).empty());
    CHECK(plain(in_kernel("__shared__ int s[8];\nfloat x = in[0];\ns[0] = x;\n")) ==
          "accumulator_too_narrow:2");
    CHECK(plain(in_kernel("__shared__ float s[8];\nfloat x = in[0];\ns[0] = x;\n")).empty());
    const std::string of_template =
        "template <class T> __global__ void k(const T* in, int n, T* out) {\nint sum = 0;\nsum += "
        "in[0];\n}";
    CHECK(plain(of_template) == "accumulator_too_narrow:2");
    CHECK(plain(of_template, DType::i32).empty());
}

TEST_CASE("a function that takes or returns fewer bits than its caller has is a slip") {
    const std::string helper = "__device__ int add(int x) { return x + 1; }\n";
    CHECK(plain(helper + in_kernel("long long sum = 0;\nsum = add(sum);\n")) ==
          "accumulator_too_narrow:1");
    CHECK(plain(helper + in_kernel("int sum = 0;\nsum = add(sum);\n")).empty());
    CHECK(plain("__device__ int add(long long x) { x += 1; return x; }\n" +
                in_kernel("out[0] = add(1);\n")) == "accumulator_too_narrow:1");
}

TEST_CASE("an unrolled loop without a rest is a possible slip") {
    const std::string loop = "for (int i = 0; i + 3 * s < n; i += 4 * s) out[i] = in[i];\n";
    CHECK(possible(in_kernel(loop)) == "tail_ignored:2");
    CHECK(possible(in_kernel(loop + "for (int j = 0; j < n; ++j) out[j] = in[j];\n")).empty());
}

TEST_CASE("a grid with a limit is one where each thread takes one element") {
    const auto capped = [](const std::string& body) {
        return told(possible_slip(
            task_of(DType::f32),
            source_of(in_kernel(body),
                      "int b = n / 256 + 1; if (b > 64) b = 64; k<<<b, 256>>>(in, n, out);")));
    };
    CHECK(capped("int i = threadIdx.x;\nif (i < n) out[i] = in[i];\n") == "grid_too_small:5");
    CHECK(capped("for (int i = threadIdx.x; i < n; i += 9) out[i] = in[i];\n").empty());
    CHECK(capped("int m = n / 4;\nfor (int i = threadIdx.x; i < m; i += 9) out[i] = in[i];\n")
              .empty());
}

TEST_CASE("half of a size that is rounded down leaves an element of an odd number") {
    CHECK(
        possible(in_kernel(
            "int half = n / 2;\nint i = threadIdx.x;\nif (i < half) out[i] += out[i + half];\n")) ==
        "not_a_power_of_two:2");
    CHECK(
        possible(
            in_kernel(
                "int half = n / 2;\nint i = threadIdx.x;\nif (i < half) out[i] += out[i + half];\n"
                "if (n % 2) out[0] += out[n - 1];\n"))
            .empty());
}

TEST_CASE("one array that is taken by rows of two lengths is a slip, through a macro, too") {
    const std::string macro = "#define AT(copy, bin) ((bin) * COPIES + (copy))\n";
    const std::string declared = "__shared__ int s[COPIES * BINS];\n";
    CHECK(possible(macro +
                   in_kernel(declared +
                             "s[AT(1, 2)] = 0;\ns[AT(0, 2)] = 1;\nout[0] = s[c * BINS + v];\n")) ==
          "transposed:6");
    CHECK(possible(macro + in_kernel(declared + "s[AT(1, 2)] = 0;\nout[0] = s[AT(c, v)];\n"))
              .empty());
}

TEST_CASE("a value in the upper half of a key keeps no sign, unless its bit is turned over") {
    const auto key = [](const std::string& made) {
        return possible(
            "__device__ unsigned long long key(int value, unsigned at) {\nunsigned high = " + made +
                ";\nreturn (unsigned long long)high << 32 | at;\n}\n" +
                in_kernel("out[0] = key(in[0], 1);\n"),
            DType::i32);
    };
    CHECK(key("(unsigned)value") == "sign_lost:2");
    CHECK(key("(unsigned)value ^ 0x80000000u").empty());
}

TEST_CASE("a step of one where a round takes several is a slip") {
    CHECK(possible(in_kernel("for (int i = threadIdx.x; i < n; i += step) {\nx += in[i];\nif (i + "
                             "step < n) y += in[i + step];\n}\n")) == "wrong_stride:2");
    CHECK(possible(in_kernel("for (int i = threadIdx.x; i < n; i += step) {\nx += in[i];\n}\n"))
              .empty());
}

TEST_CASE("turns of the host that are rounded down leave a part out") {
    const auto turns = [](const std::string& count) {
        return told(possible_slip(
            task_of(DType::f32),
            source_of(in_kernel("if (threadIdx.x < n) out[0] = 1;\n"),
                      "\nint turns = " + count +
                          ";\nfor (int t = 0; t < turns; ++t)\nk<<<1, 1>>>(in, t, out);\n")));
    };
    CHECK(turns("n / 8") == "tail_ignored:5");
    CHECK(turns("(n + 7) / 8").empty());
}
