#include "judging/cause_places.hpp"

#include "catch.hpp"

using namespace cugrade;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string student = "student.cu";

TaskSpec task_of(std::vector<ArgumentSpec> arguments) {
    TaskSpec task;
    task.name = task.function = "run";
    task.arguments = std::move(arguments);
    return task;
}

const std::vector<ArgumentSpec> in_n_out{
    {.name = "in", .dtype = DType::f32, .role = Role::input, .shape = {"n"}},
    {.name = "n", .dtype = DType::u64, .role = Role::scalar, .shape = {}},
    {.name = "out", .dtype = DType::f32, .role = Role::output, .shape = {"n"}}};

int placed(const std::string& text, const std::string& id, int line,
           const std::string& sentence = "",
           const std::vector<ArgumentSpec>& arguments = in_n_out) {
    const TaskSpec task = task_of(arguments);
    const std::vector<SourceFile> files{{.name = student, .text = text}};
    const CodeOfTask code(task, files);
    Cause cause{.id = id, .location = {student, line, 4}, .sentence = sentence};
    code.place(cause);
    return cause.location.line;
}

/// The cases of `task` with these sizes, of which some fail.
TaskOutcome outcome_of(TaskSpec& task, const std::vector<std::pair<double, bool>>& sizes) {
    TaskOutcome outcome;
    for (const auto& [n, right] : sizes) {
        CaseSpec spec;
        spec.id = static_cast<int>(task.cases.size()) + 1;
        spec.params = {{"n", n}};
        task.cases.push_back(spec);
        CaseOutcome one;
        one.id = spec.id;
        one.verdict = right ? Verdict::accepted : Verdict::wrong_answer;
        outcome.cases.push_back(one);
    }
    return outcome;
}

}  // namespace

TEST_CASE("a grid is too small where its blocks are computed") {
    const std::string text =
        "__global__ void k(float* out) {}\nvoid run(const float* in, size_t n, float* out) {\n"
        "    unsigned blocks = n / 256;\n    k<<<blocks, 256>>>(out);\n"
        "    k<<<n / 4, 256>>>(out);\n}\n";
    CHECK(placed(text, "grid_too_small", 4) == 3);
    CHECK(placed(text, "grid_too_small", 5) == 5);
}

TEST_CASE("a sum's type and first value are in its declaration") {
    const std::string text =
        "__global__ void k(const float* in, float* out) {\n    const float least = 0;\n"
        "    float best = least;\n    float sum = 0;\n    for (int i = 0; i < 9; ++i)\n"
        "        if (in[i] > best)\n            best = in[i];\n    sum += in[0];\n}\n";
    CHECK(placed(text, "wrong_identity", 6) == 2);
    CHECK(placed(text, "wrong_identity", 7) == 2);
    CHECK(placed(text, "accumulator_too_narrow", 8) == 4);
}

TEST_CASE("a count that starts again at 0 leaves its first element out") {
    const std::string text =
        "__global__ void k(const int* in, int* out) {\n    int run = 0, at = 0;\n"
        "    for (int i = 0; i < 9; ++i)\n        if (in[i] == at) {\n            ++run;\n"
        "        } else {\n            out[at] = run;\n            at = in[i];\n"
        "            run = 0;\n        }\n}\n";
    const TaskSpec task = task_of(in_n_out);
    const std::vector<SourceFile> files{{.name = student, .text = text}};
    const CodeOfTask code(task, files);
    Cause cause{.id = "wrong_identity", .location = {student, 6, 0}};
    cause.evidence = "with the value that is set again changed to 1 in line 6";
    code.place(cause);
    CHECK(cause.id == "elements_ignored");
    CHECK(cause.location.line == 9);
    CHECK(cause.sentence.find("`run` starts again at 0 in line 9") != std::string::npos);
    // Another number says nothing of a count.
    cause = {.id = "wrong_identity", .location = {student, 6, 0}};
    cause.evidence = "with the first value changed to the lowest of its type in line 6";
    code.place(cause);
    CHECK(cause.id == "wrong_identity");
}

TEST_CASE("a mask is named where it is made") {
    const std::string text =
        "__global__ void k(float* out) {\n    const unsigned group = 0xf;\n"
        "    float s = 1;\n    s += __shfl_down_sync(group, s, 2);\n"
        "    s += __shfl_down_sync(0xf, s, 2);\n}\n";
    CHECK(placed(text, "wrong_shuffle_mask", 4) == 2);
    CHECK(placed(text, "wrong_shuffle_mask", 5) == 5);
}

TEST_CASE("a check goes behind the index, or into the condition that is there") {
    const std::string text =
        "__global__ void k(const float* in, float* out, size_t n) {\n    size_t i = threadIdx.x;\n"
        "    float v = 1;\n    out[i] = v;\n    if (i < n) {\n        v = 2;\n"
        "        out[i + 1] = v;\n    }\n    if (i < n) out[i + 1] = v;\n}\n";
    CHECK(placed(text, "missing_bounds_check", 4) == 2);
    CHECK(placed(text, "missing_bounds_check", 7) == 5);
    CHECK(placed(text, "missing_bounds_check", 9) == 9);
}

TEST_CASE("what the first call alone does") {
    const std::string text =
        "__global__ void k(float* out) {}\nvoid run(const float* in, size_t n, float* out) {\n"
        "    static float* room = nullptr;\n    if (room == nullptr) {\n"
        "        cudaMalloc(&room, 4);\n        cudaMemset(room, 0, 4);\n    }\n"
        "    k<<<1, 1>>>(room);\n}\n";
    CHECK(placed(text, "state_kept_between_calls", 8) == 6);
    std::string unset = text;
    unset.erase(unset.find("        cudaMemset"),
                std::string("        cudaMemset(room, 0, 4);").size());
    CHECK(placed(unset, "state_kept_between_calls", 8) == 4);
    CHECK(placed("static int kept;\nvoid run(const float*, size_t, float*) {}\n",
                 "state_kept_between_calls", 2) == 2);
}

TEST_CASE("an input in the wrong order is read where its copy is") {
    const std::vector<ArgumentSpec> arguments{
        {.name = "mask", .dtype = DType::f32, .role = Role::input, .shape = {"m"}},
        {.name = "out", .dtype = DType::f32, .role = Role::output, .shape = {"n"}}};
    const std::string text =
        "__global__ void k(const float* w, float* out) {\n    __shared__ float s[9];\n"
        "    s[threadIdx.x] = w[threadIdx.x];\n    for (int j = 0; j < 9; ++j) {\n"
        "        int at = threadIdx.x + 4 - j;\n        out[at] += s[j];\n    }\n}\n"
        "void run(const float* mask, float* out) { k<<<1, 9>>>(mask, out); }\n";
    CHECK(placed(text, "mask_reversed", 9, "`mask` is read in reverse order.", arguments) == 5);
    CHECK(placed(text, "transposed", 9, "Rows and columns of `mask`", arguments) == 6);
}

TEST_CASE("another task's kernels are out of reach") {
    const TaskSpec task = task_of(in_n_out);
    const std::vector<SourceFile> files{
        {.name = student,
         .text = "__device__ void a() {\n}\n__global__ void k() {\n a();\n}\n"
                 "__global__ void other() {\n}\nvoid run() {\n k<<<1, 1>>>();\n}\n"}};
    const CodeOfTask code(task, files);
    CHECK(code.reaches({student, 2, 0}));
    CHECK(code.reaches({student, 4, 0}));
    CHECK_FALSE(code.reaches({student, 7, 0}));
    CHECK(code.reaches({"elsewhere.cuh", 7, 0}));
    CHECK(code.reaches({}));
}

TEST_CASE("the compiler's warnings count in functions of the task") {
    const TaskSpec task = task_of(in_n_out);
    const std::vector<SourceFile> files{
        {.name = student,
         .text =
             "__global__ void k(size_t i, float* out) {\n    float sum;\n    sum += 1;\n"
             "    if (i < 0) out[0] = sum;\n}\n__global__ void other() {\n    int x;\n    x += 1;\n"
             "}\nvoid run(const float* in, size_t n, float* out) { k<<<1, 1>>>(n, out); }\n"}};
    const CodeOfTask code(task, files);
    const auto causes = code.warned_of(
        "student.cu:3: warning #549-D: variable \"sum\" is used before its value is set\n  sum\n"
        "student.cu:3: warning #549-D: variable \"sum\" is used before its value is set\n"
        "student.cu:8: warning #549-D: variable \"x\" is used before its value is set\n"
        "student.cu:4: warning #186-D: pointless comparison of unsigned integer with zero\n");
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].id == "uninitialised_variable");
    CHECK(causes[0].location.line == 2);
    CHECK_THAT(causes[0].sentence, ContainsSubstring("`sum`") && ContainsSubstring("line 3"));
    CHECK(causes[1].id == "unsigned_index");
    CHECK(causes[1].location.line == 1);
    CHECK(code.warned_of("").empty());
}

TEST_CASE("a tail is ignored if cases fail with a rest alone, and the source takes vectors") {
    const std::string text =
        "__global__ void k(size_t n, float4* out) {\n"
        "    for (size_t q = threadIdx.x; q < n / 4; q += 32) {\n        out[q] = out[q];\n    "
        "}\n}\n"
        "void run(const float* in, size_t n, float* out) { k<<<1, 32>>>(n, (float4*)out); }\n";
    const std::vector<SourceFile> files{{.name = student, .text = text}};
    const auto suspected = [&](const std::vector<std::pair<double, bool>>& sizes,
                               const std::vector<SourceFile>& source) {
        TaskSpec task = task_of(in_n_out);
        const TaskOutcome outcome = outcome_of(task, sizes);
        return CodeOfTask(task, source).by_cases(outcome, Symptoms(outcome));
    };
    const auto cause = suspected({{1, false}, {33, false}, {32, true}, {1025, true}}, files);
    REQUIRE(cause);
    CHECK(cause->id == "tail_ignored");
    CHECK(cause->location.line == 4);
    CHECK_FALSE(suspected({{32, false}, {33, false}, {64, true}}, files));
    CHECK_FALSE(suspected({{33, false}, {35, true}}, files));
    // A number of warps is no number of vectors.
    std::string warps = text;
    warps.replace(warps.find("n / 4"), 5, "threadIdx.x / 4");
    CHECK_FALSE(suspected({{33, false}, {32, true}}, {{.name = student, .text = warps}}));
}

TEST_CASE("a tree by halves needs a power of two") {
    const auto suspected = [](const std::string& threads) {
        const std::string text =
            "#define THREADS " + threads +
            "\n__global__ void k() {\n    for (int h = THREADS / 2; h > 0; h /= 2) "
            "{}\n}\nvoid run(const float*, size_t, float*) {\n"
            "    k<<<9, THREADS>>>();\n}\n";
        TaskSpec task = task_of(in_n_out);
        const TaskOutcome outcome = outcome_of(task, {{33, false}});
        const std::vector<SourceFile> files{{.name = student, .text = text}};
        return CodeOfTask(task, files).by_cases(outcome, Symptoms(outcome));
    };
    const auto cause = suspected("192");
    REQUIRE(cause);
    CHECK(cause->id == "not_a_power_of_two");
    CHECK(cause->location.line == 1);
    CHECK_FALSE(suspected("256"));
}

TEST_CASE("a pattern counts if several cases have it") {
    TaskSpec task = task_of(in_n_out);
    TaskOutcome outcome = outcome_of(task, {{1, false}, {2, false}, {3, false}, {4, true}});
    outcome.cases[0].suggested_cause = "inclusive_exclusive";
    CHECK_FALSE(Symptoms(outcome).suggest("inclusive_exclusive"));
    outcome.cases[1].suggested_cause = "inclusive_exclusive";
    outcome.cases[1].pattern = "Each element also contains its own.";
    CHECK(Symptoms(outcome).suggest("inclusive_exclusive"));
    CHECK_FALSE(Symptoms(outcome).suggest("saturated"));
    const auto cause = CodeOfTask(task, {}).by_pattern(Symptoms(outcome));
    REQUIRE(cause);
    CHECK(cause->id == "inclusive_exclusive");
    CHECK(cause->cases == std::vector{1, 2, 3});
}

TEST_CASE("a halo is loaded where the tile is stored, or its loader called") {
    const std::string text =
        "__global__ void k(const float* in, float* out) {\n    __shared__ float s[99];\n"
        "    auto load = [&](int d) {\n        s[threadIdx.x + d] = in[d];\n    };\n"
        "    load(0);\n    load(32);\n    __syncthreads();\n    out[0] = s[1];\n}\n";
    CHECK(placed(text, "halo_missing", 9) == 7);
    std::string plain = text;
    plain.replace(plain.find("auto load = [&](int d) {"), 24, "for (int d = 0; d; ++d) {");
    CHECK(placed(plain, "halo_missing", 9) == 4);
}

TEST_CASE("blocks are combined if many of them are right") {
    TaskSpec task = task_of(in_n_out);
    TaskOutcome outcome = outcome_of(task, {{1000, true}, {200000, true}, {1e6, false}});
    outcome.cases[2].suggested_cause = "blocks_not_combined";
    const auto cause = CodeOfTask(task, {}).by_pattern(Symptoms(outcome));
    REQUIRE(cause);
    CHECK(cause->id == "elements_ignored");
    CHECK_THAT(cause->sentence,
               ContainsSubstring("up to n = 200000") && ContainsSubstring("from n = 1000000 on"));
    TaskSpec other = task_of(in_n_out);
    TaskOutcome early = outcome_of(other, {{1000, true}, {2000, false}});
    early.cases[1].suggested_cause = "blocks_not_combined";
    CHECK(CodeOfTask(other, {}).by_pattern(Symptoms(early))->id == "blocks_not_combined");
}

TEST_CASE("a source that is cut off anywhere has no place, or one") {
    const std::string text =
        "__global__ void k(const float* in, float* out) {\n    __shared__ int s[99];\n"
        "    s[0] = in[0];\n    atomicAdd(&s[1], 1);\n    if (s[0] > 3) out[0] = s[1];\n}\n"
        "void run(const float* in, size_t n, float* out) {\n    static int kept = 0;\n"
        "    if (kept == 0) cudaMemset(out, 0, 4);\n    k<<<n / 4, 128>>>(in, out);\n}\n";
    for (std::size_t size = 0; size <= text.size(); ++size)
        for (const CauseKind& kind : causes())
            for (const int line : {3, 5, 10}) {
                const int at = placed(text.substr(0, size), std::string(kind.id), line, "`in`");
                CHECK(at > 0);
            }
}

TEST_CASE("a number of blocks that is rounded down, without an experiment") {
    const std::string text =
        "__global__ void k(float* out) {}\nvoid run(const float* in, size_t n, float* out) {\n"
        "    unsigned blocks = n / 256;\n    k<<<blocks, 256>>>(out);\n}\n";
    CHECK(placed(text, "grid_too_small", 0) == 3);
    CHECK(placed(text, "tail_ignored", 0) == 3);
    std::string up = text;
    up.replace(up.find("n / 256"), 7, "(n + 255) / 256");
    CHECK(placed(up, "tail_ignored", 0) == 0);
}

TEST_CASE("an input that is written to, and a variable that the device keeps") {
    const std::string text =
        "__device__ int count;\n__global__ void k(float* in) {\n    in[0] = 1;\n    ++count;\n}\n"
        "void run(const float* in, size_t n, float* out) {\n    k<<<1, 1>>>((float*)in);\n}\n";
    CHECK(placed(text, "input_changed", 0) == 3);
    CHECK(placed(text, "state_kept_between_calls", 7) == 1);
}

TEST_CASE("a child is launched too early where a kernel launches it") {
    const std::string text =
        "__global__ void child(float* out) {}\n"
        "__global__ void k(float* out) {\n"
        "    child<<<1, 1>>>(out);\n"
        "}\n"
        "void run(const float* in, size_t n, float* out) {\n"
        "    k<<<1, 1>>>(out);\n"
        "}\n";
    CHECK(placed(text, "child_not_in_tail", 6) == 3);
}

TEST_CASE("a variable of the file is kept, and a constant is not") {
    const auto kept = [](const std::string& declared) {
        return placed(
            declared +
                "__global__ void k(int* p) {}\nvoid run(const float* in, size_t n, float* out) {\n"
                "    if (sums == nullptr) {\n        cudaMalloc(&sums, 4);\n"
                "        cudaMemset(sums, 0, 4);\n    }\n    k<<<1, 1>>>(sums);\n}\n",
            "state_kept_between_calls", 8);
    };
    CHECK(kept("static int* sums = nullptr;\n") == 6);
    CHECK(kept("constexpr int* sums = nullptr;\n") == 8);
}

TEST_CASE("a mask is read where its copy in constant memory is") {
    const std::string text =
        "__constant__ float taps[9];\n__global__ void k(float* out) {\n    out[0] =\n"
        "        taps[1] * 2;\n}\nvoid run(const float* in, size_t n, float* out) {\n"
        "    cudaMemcpyToSymbol(taps, in, 36);\n    k<<<1, 1>>>(out);\n}\n";
    CHECK(placed(text, "transposed", 8, "Rows and columns of `in` are exchanged") == 4);
}

TEST_CASE("a check goes between an index and an access that is near") {
    const std::string text =
        "__global__ void k(float* x, size_t n) {\n    size_t a = threadIdx.x;\n"
        "    size_t b = a + 32;\n    if (a >= n) return;\n    x[a] = 1;\n    x[b] = 1;\n}\n"
        "void run(const float* in, size_t n, float* out) {\n    k<<<1, 32>>>(out, n);\n}\n";
    const TaskSpec task = task_of(in_n_out);
    const std::vector<SourceFile> files{{.name = student, .text = text}};
    Cause cause{.id = "missing_bounds_check", .location = {student, 6, 4}};
    CodeOfTask(task, files).place(cause);
    CHECK(cause.location.line == 3);
    CHECK(cause.end_line == 6);
}

TEST_CASE("what the source shows of elements that are left out") {
    const auto suspected = [](const std::string& kernel,
                              const std::vector<std::pair<double, bool>>& sizes) {
        TaskSpec task = task_of(in_n_out);
        const TaskOutcome outcome = outcome_of(task, sizes);
        const std::vector<SourceFile> files{
            {.name = student,
             .text = "__global__ void k(const float* in, size_t n, float* out) {\n" + kernel +
                     "}\nvoid run(const float* in, size_t n, float* out) {\n"
                     "    k<<<1, 32>>>(in, n, out);\n}\n"}};
        return CodeOfTask(task, files).by_cases(outcome, Symptoms(outcome));
    };
    const std::vector<std::pair<double, bool>> rests{{64, true}, {65, false}, {67, false}};
    const std::string vectors =
        "    const size_t quads = n / 4;\n    for (size_t q = threadIdx.x; q < quads; ++q) {\n"
        "        out[q] = in[q];\n    }\n";
    const auto left = suspected(vectors, rests);
    REQUIRE(left);
    CHECK(left->id == "tail_ignored");
    CHECK(left->location.line == 5);
    // What computes with the number of vectors takes the rest.
    CHECK_FALSE(suspected(vectors + "    out[quads * 4] = in[quads * 4];\n", rests));

    const std::string unrolled =
        "    size_t i = threadIdx.x;\n    for (; i + 96 < n; i += 4 * 32)\n        out[i] = "
        "in[i];\n";
    const auto one = suspected(unrolled + "    if (i < n) out[i] = in[i];\n", {{65, false}});
    REQUIRE(one);
    CHECK(one->id == "elements_ignored");
    CHECK(one->location.line == 5);
    CHECK_FALSE(
        suspected(unrolled + "    for (; i < n; i += 32) out[i] = in[i];\n", {{65, false}}));

    const auto whole = [&](const std::string& type) {
        return suspected("    " + type + " carry = in[0];\n    carry += out[1];\n", {{65, false}});
    };
    REQUIRE(whole("int"));
    CHECK(whole("int")->id == "accumulator_too_narrow");
    CHECK_FALSE(whole("float"));
}

TEST_CASE("what the source shows of results that differ between schedules") {
    const auto suspected = [](const std::string& body,
                              Verdict verdict = Verdict::nondeterministic) {
        TaskSpec task = task_of(in_n_out);
        TaskOutcome outcome = outcome_of(task, {{65, false}});
        outcome.cases[0].verdict = verdict;
        const std::vector<SourceFile> files{
            {.name = student,
             .text = "__device__ void give(int* l) { atomicExch(l, 0); }\n"
                     "__global__ void k(int* l, long* sum, long* slip) {\n"
                     "    while (atomicCAS(l, 0, 1)) {}\n    sum[0] = sum[0] + 1;\n" +
                     body +
                     "}\nvoid run(const float* in, size_t n, float* out) {\n    k<<<1, 32>>>(a, b, "
                     "c);\n}\n"}};
        return CodeOfTask(task, files).by_text(Symptoms(outcome));
    };
    const auto late = suspected("    give(l);\n    slip[0] = sum[0];\n");
    REQUIRE(late);
    CHECK(late->id == "lock_not_held");
    CHECK(late->location.line == 5);
    CHECK(late->end_line == 6);
    CHECK_FALSE(suspected("    slip[0] = sum[0];\n    give(l);\n"));
    CHECK_FALSE(suspected("    give(l);\n    slip[0] = sum[0];\n", Verdict::out_of_bounds));
    // Another array than the lock's.
    CHECK_FALSE(suspected("    give(l);\n    slip[0] = slip[1];\n"));

    const auto looked = suspected("    if (atomicAdd(sum, 0) > 5) atomicExch(sum, 0);\n");
    REQUIRE(looked);
    CHECK(looked->id == "missing_atomic");
    CHECK(looked->location.line == 5);
    CHECK_FALSE(suspected("    if (atomicAdd(sum, 0) > 5) atomicExch(slip, 0);\n"));
    CHECK_FALSE(suspected("    if (*sum > 5) atomicCAS(sum, 6, 0);\n"));
}

TEST_CASE("a mask that lanes were asked for is right where they were") {
    const std::string text =
        "__global__ void k(float* out) {\n    unsigned all = __ballot_sync(0xffffffff, 1);\n"
        "    unsigned half = 0xffff;\n    out[0] = __shfl_sync(all, 1, 0);\n"
        "    out[1] = __shfl_sync(half, 1, 0);\n}\n"
        "void run(const float* in, size_t n, float* out) {\n    k<<<1, 32>>>(out);\n}\n";
    CHECK(placed(text, "wrong_shuffle_mask", 4) == 4);
    CHECK(placed(text, "wrong_shuffle_mask", 5) == 3);
}

TEST_CASE("rows and columns are exchanged in the only index that has both") {
    const auto text = [](const std::string& more) {
        return "struct Table {\n    __device__ int at(int row, int k) const { return cells[k * n + "
               "row]; }\n"
               "    const int* cells;\n    int n;\n};\n__global__ void k(Table t, float* out) {\n"
               "    out[0] = t.at(0, 1);\n" +
               more +
               "}\nvoid run(const float* in, size_t n, float* out) {\n    Table t;\n"
               "    t.cells = in;\n    k<<<1, 1>>>(t, out);\n}\n";
    };
    const std::string sentence = "Rows and columns of `in` are exchanged";
    CHECK(placed(text(""), "transposed", 12, sentence) == 2);
    CHECK(placed(text("    out[2 * 3 + 1] = 1;\n"), "transposed", 13, sentence) == 13);
}

TEST_CASE("causes of a source that is cut off anywhere") {
    const std::string text =
        "static int* kept = nullptr;\n__constant__ float taps[9];\n"
        "__global__ void k(const float* in, size_t n, float* out) {\n    const size_t quads = n / "
        "4;\n"
        "    for (size_t q = threadIdx.x; q < quads; ++q) out[q] = in[q] * taps[q];\n"
        "    size_t i = 0;\n    for (; i + 96 < n; i += 4 * 32) { out[i] = in[i]; }\n"
        "    if (i < n) out[i] = in[i];\n    int carry = in[0];\n    carry += out[1];\n"
        "    if (atomicAdd(out, 0) > 5) atomicExch(out, 0);\n    while (atomicCAS(out, 0, 1)) {}\n"
        "    out[3] = 1;\n    atomicExch(out, 0);\n    in[out[3]];\n"
        "    for (int h = 24; h > 0; h /= 2) {}\n}\n"
        "void run(const float* in, size_t n, float* out) {\n    if (kept == nullptr) "
        "cudaMemset(kept, 0, 4);\n"
        "    cudaMemcpyToSymbol(taps, in, 36);\n    k<<<9, 33>>>(in, n, out);\n}\n";
    int told = 0;
    for (std::size_t size = 0; size <= text.size(); ++size) {
        const std::vector<SourceFile> files{{.name = student, .text = text.substr(0, size)}};
        for (const Verdict verdict : {Verdict::wrong_answer, Verdict::nondeterministic}) {
            TaskSpec task = task_of(in_n_out);
            TaskOutcome outcome = outcome_of(task, {{64, true}, {65, false}, {67, false}});
            for (CaseOutcome& one : outcome.cases)
                if (one.verdict != Verdict::accepted) one.verdict = verdict;
            const CodeOfTask code(task, files);
            told += code.by_cases(outcome, Symptoms(outcome)) ? 1 : 0;
            told += code.by_text(Symptoms(outcome)) ? 1 : 0;
            for (const char* const id : {"transposed", "state_kept_between_calls", "halo_missing",
                                         "wrong_shuffle_mask", "missing_bounds_check"}) {
                Cause cause{.id = id, .location = {student, 11, 4}, .sentence = "of `in` are"};
                code.place(cause);
            }
        }
    }
    CHECK(told > 0);
}
